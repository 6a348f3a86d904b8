"use strict";

// A reader without this script sees the same tables, unsorted.
const MIN_SEARCHED_ROWS = 6;

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function sortKey(row, column) {
  const cell = row.cells[column];
  return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
}

function compare(first, second) {
  if (typeof first === "number" && typeof second === "number") return first - second;
  return String(first).localeCompare(String(second), undefined, { numeric: true });
}

function makeSortable(table) {
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    if (header.classList.contains("picture")) return;
    const button = make("button", { type: "button" }, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      headers.forEach((each) => each.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, column), row]);
      rows.sort((first, second) => sign * compare(first[0], second[0]));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}

function makeSearchable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < MIN_SEARCHED_ROWS) return;
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const input = make("input", { type: "search", autocomplete: "off", spellcheck: false });
  input.setAttribute("aria-label", `Search: ${document.getElementById(table.getAttribute("aria-labelledby")).textContent}`);
  const found = make("output");
  const noun = table.dataset.noun;
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      row.hidden = !words.every((word) => texts.get(row).includes(word));
      count += !row.hidden;
    }
    const one = rows.length === 1 ? noun : `${noun}s`;
    found.value = words.length ? `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} ${one}` : "";
  };
  input.addEventListener("input", search);
  table.before(make("p", { className: "search" }, make("label", {}, "Search ", input), " ", found));
}

// Whoever wrote the feed chose the addresses: nothing is loaded from them before the reader asks for it.
function showThumbnails() {
  document.body.classList.add("thumbnails");
  for (const place of document.querySelectorAll("[data-picture]")) {
    const size = { alt: "", width: 56, height: 56 };
    const loaded = { loading: "lazy", decoding: "async", referrerPolicy: "no-referrer", src: place.dataset.picture };
    place.replaceWith(make("img", { ...size, ...loaded }));
  }
}

// Colours that are legible on a light ground, a dark one and on paper; the dashes differ too.
const LINE_COLORS = ["#3b6fd4", "#b3690f", "#2b8a5f", "#b04a90", "#8a6d00"];
const AXIS_COLOR = "#76808f", GRID_COLOR = "#76808f40";
const PLOT_HEIGHT = 220;

function drawLines(place) {
  const { times, lines, decimals, title } = JSON.parse(place.dataset.lines);
  const hasHours = times.some((time) => time.includes("T"));
  const shown = (number) => number === null || number === undefined ? "–"
    : number.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  const axis = { stroke: AXIS_COLOR, grid: { stroke: GRID_COLOR, width: 1 }, ticks: { stroke: GRID_COLOR } };
  const options = {
    width: place.clientWidth,
    height: PLOT_HEIGHT,
    legend: { markers: { width: 0, fill: (plot, index) => LINE_COLORS[(index - 1) % LINE_COLORS.length] } },
    padding: [null, 36, null, null],  // room for half of the last time
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),  // the clock of the account
    scales: { y: { range: (plot, least, most) => [Math.min(0, least ?? 0), (most || 1) * 1.05] } },
    axes: [
      { ...axis, space: hasHours ? 90 : 55, values: hasHours ? undefined : (plot, splits) => splits.map(shortDayOf) },
      { ...axis, size: 60, values: (plot, splits) => splits.map((each) => short.format(each)) },
    ],
    series: [
      { label: " ", value: (plot, seconds) => seconds === null ? "" : hasHours ? hourOf(seconds) : dayOf(seconds) },
      ...lines.map((line, index) => ({
        label: line.label,
        stroke: LINE_COLORS[index % LINE_COLORS.length],
        width: 2,
        dash: line.isEarlier ? [6, 4] : undefined,
        points: { show: times.length < 40 && !line.isEarlier, size: 5 },
        value: (plot, number, series, time) => time === null ? "" : shown(number),
      })),
    ],
  };
  const seconds = times.map((time) => Date.parse(hasHours ? `${time}Z` : `${time}T00:00Z`) / 1000);
  if (!hasHours) {
    options.axes[0].incrs = [1, 2, 7, 14, 30, 61, 91, 182, 365].map((days) => days * 86400);
  }
  const plot = new uPlot(options, [seconds, ...lines.map((line) => line.numbers)], place);
  addEventListener("resize", () => plot.setSize({ width: place.clientWidth, height: PLOT_HEIGHT }));
}

function dayOf(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function shortDayOf(seconds) {
  return new Date(seconds * 1000).toUTCString().slice(5, 11);
}

function hourOf(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

for (const place of document.querySelectorAll("[data-lines]")) drawLines(place);

const thumbnails = document.getElementById("thumbnails");
if (thumbnails) {
  thumbnails.hidden = false;
  thumbnails.querySelector("button").addEventListener("click", () => {
    showThumbnails();
    thumbnails.remove();
  });
}
for (const table of document.querySelectorAll("table.data")) {
  makeSortable(table);
  makeSearchable(table);
}
// A picture that cannot be loaded leaves its place empty.
document.addEventListener("error", (event) => event.target.classList?.add("missing"), true);
