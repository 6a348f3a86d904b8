"""Charts of statistics as pictures: lines over time, bars of a total. Each metric has a chart."""

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ..api.metrics import DERIVED_UNITS
from ..errors import UsageError
from ..installation import missing_extra
from ..output.text import safe
from .chart_data import ChartData, ChartSeries, with_distinct_labels
from .derived import is_amount, is_ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Format = Literal["svg", "png"]
MOST_LINES = 10  # the others are added up
MOST_TICKS = 6
LINES_HEIGHT = 2.4  # inches of a chart of lines
MOST_CHARACTERS = 80  # of a label
# Colours that people with any colour vision tell apart (Okabe and Ito); dashes and marks differ too.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444")
DASHES = ("-", "--", "-.", ":")
MARKS = "osD^vPX*<>h"
NOT_IN_XML = re.compile("[\ufffe\uffff]")  # besides what `safe` escapes
# For pictures of pixels, where installed; a reader of SVG chooses its own font.
FONTS = ("Noto Sans", "Noto Sans CJK JP", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari")
STYLE = {
    "text.parse_math": False,  # a name with two $ is not a formula
    "svg.fonttype": "none",  # texts stay texts
    "svg.hashsalt": "adsctl",  # the same rows give the same file
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
}


def format_of(path: Path) -> Format:
    """Return the format of a picture by its name; raise UsageError."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in ("svg", "png"):
        raise UsageError(f"--plot: {path}: the name ends in neither .svg nor .png", hint="as in clicks.svg")
    return cast(Format, suffix)


def require_matplotlib() -> Any:
    """Import what draws; raise UsageError where it is not installed."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it tells where it keeps its cache
    try:
        import matplotlib.figure
    except ImportError:
        raise missing_extra("--plot", "plot") from None
    finally:
        logger.setLevel(level)
    return matplotlib


def plotted(data: ChartData, title: str, kind: Format) -> bytes:
    """Return a picture of the numbers."""
    with _style(kind):
        figure = _figure(data, title)
        buffer = io.BytesIO()
        if kind == "svg":
            figure.savefig(buffer, format="svg", metadata={"Date": None})
        else:
            figure.savefig(buffer, format="png", dpi=150)
    return buffer.getvalue()


@contextmanager
def _style(kind: Format) -> Iterator[None]:
    """Draw by one style, whatever the user's own is; a letter that no font has is a box without a warning."""
    matplotlib = require_matplotlib()
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names()) if kind == "png" else set()
    fonts = ["DejaVu Sans", *(name for name in FONTS if name in installed)]
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE | {"font.family": fonts})
        yield


def _figure(data: ChartData, title: str) -> "Figure":
    from matplotlib.figure import Figure

    columns = data.counted_columns
    largest = data.largest(_leading(data), MOST_LINES) if columns else []
    named = with_distinct_labels([replace(line, label=_label(line.label)) for line in largest])
    lines = [*map(_Line, named, cycle(COLORS), cycle(DASHES), cycle(MARKS))]
    charts = [
        _Chart(column, part.total().currency)
        for column in columns
        for part in data.comparable(column)
        if column in part.counted_columns
    ]
    charts = [chart for chart in charts if any(map(chart.has, lines))]  # only the others may have a ratio
    across = 1 if len(charts) <= 3 else 2
    is_total = len(data.times) < 2
    heights = [LINES_HEIGHT if not is_total else chart.height_of_bars(lines) for chart in charts]
    rows = [max(heights[start : start + across]) for start in range(0, len(charts), across)]
    figure = Figure(figsize=(5.5 * (across + 0.5), sum(rows or [LINES_HEIGHT]) + 1.2), layout="constrained")
    figure.suptitle(_label(title) if charts else f"{_label(title)}: no numbers")
    if not charts:
        return figure
    grid = figure.subplots(len(rows), across, squeeze=False, height_ratios=rows)
    axes: list[Axes] = [*grid.flat]
    for unused in axes[len(charts) :]:
        unused.remove()
    for axis, chart in zip(axes, charts, strict=False):
        (_draw_bars if is_total else _draw_lines)(axis, lines, chart, data.times)
        axis.set_title(chart.heading(lines), loc="left")
    if not is_total:
        _add_legend(figure, axes[: len(charts)])
    return figure


class _Line(NamedTuple):
    """A line, which looks the same in every chart: the legend names it once."""

    series: ChartSeries
    color: str
    dashes: str
    mark: str


class _Chart(NamedTuple):
    """What one chart is of."""

    column: str
    currency: str  # of the amounts, where there is but one

    def heading(self, lines: Sequence[_Line]) -> str:
        """Return the column with its currency, and which sum of others it is drawn without."""
        heading = self.column
        if is_amount(self.column) and self.currency:
            heading += f" ({self.currency})"
        others = [line.series.label for line in lines[MOST_LINES:] if not self.has(line)]
        return ", without ".join([heading, *others]) if is_ratio(self.column) else heading

    def has(self, line: _Line) -> bool:
        if is_ratio(self.column) and line.series.totals.get(self.column) is None:
            return False
        return not is_amount(self.column) or line.series.currency == self.currency

    @property
    def unit(self) -> Callable[[float, float], str]:
        """Return what writes a number at an axis."""
        is_percent = DERIVED_UNITS.get(self.column) == "percent"
        return _percent if is_percent else _thousands

    def height_of_bars(self, lines: Sequence[_Line]) -> float:
        """Return the inches of a chart with a bar for each line."""
        return 0.7 + 0.28 * sum(map(self.has, lines))


def _add_legend(figure: "Figure", axes: "Sequence[Axes]") -> None:
    """Name each line once, wherever it is drawn."""
    lines: list[Any] = [line for axis in axes for line in axis.get_lines()]
    drawn = {(line.get_label(), line.get_color(), line.get_linestyle()): line for line in lines}
    columns = min(len(drawn), 3)
    figure.legend(handles=[*drawn.values()], loc="outside lower center", ncols=columns, frameon=False)


def _leading(data: ChartData) -> str:
    """Return the column by which the largest are chosen: what was spent in one currency, else a sum."""
    columns = [name for name in data.counted_columns if not is_ratio(name)] or data.counted_columns
    return next((name for name in columns if is_amount(name) and len(data.by_currency()) == 1), columns[0])


def _draw_lines(axis: "Axes", lines: Sequence[_Line], chart: _Chart, times: Sequence[str]) -> None:
    for line in filter(chart.has, lines):
        series = line.series.series(chart.column, len(times))
        numbers = [nan if number is None else number for number in series]
        mark = line.mark if len(times) <= 31 else ""
        axis.plot(numbers, line.dashes, color=line.color, marker=mark, markersize=4, label=line.series.label)
    shown = range(0, len(times), -(-len(times) // MOST_TICKS))
    axis.set_xticks([*shown], [_time(times[position], times) for position in shown])
    # Each chart has a number other than zero (`counted_columns`), so that these limits are finite.
    lowest, highest = min(0, axis.dataLim.y0), axis.dataLim.y1
    axis.set_ylim(lowest, highest + (highest - lowest) / 20)  # room for the mark of the highest
    axis.yaxis.set_major_formatter(chart.unit)


def _draw_bars(axis: "Axes", all_lines: Sequence[_Line], chart: _Chart, times: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    lines, column = [line.series for line in all_lines if chart.has(line)], chart.column
    numbers = [float(line.totals.get(column) or 0) for line in lines]
    bars = axis.barh(range(len(lines)), numbers, color=COLORS[0])
    axis.bar_label(bars, labels=[line.text(column) for line in lines], padding=3)
    axis.set_yticks(range(len(lines)), [line.label for line in lines])
    axis.invert_yaxis()
    axis.margins(x=0.2)
    axis.xaxis.set_major_formatter(chart.unit)
    axis.xaxis.set_major_locator(MaxNLocator(MOST_TICKS - 1))


def _thousands(value: float, position: float) -> str:
    return f"{value:,.10g}"


def _percent(value: float, position: float) -> str:
    return f"{100 * value:,.10g} %"


def _time(start: str, times: Sequence[str]) -> str:
    """Write the beginning of a time: the day, or the day and the hour where times are shorter."""
    is_days = len({time[10:16] for time in times}) == 1
    return start[:10] if is_days else start[5:16].replace("T", " ")


def _label(text: str) -> str:
    """Return a text as a label: one line without control characters. A long one is cut in its middle."""
    shown = NOT_IN_XML.sub("\ufffd", safe(text))
    if len(shown) <= MOST_CHARACTERS:
        return shown
    return f"{shown[: MOST_CHARACTERS // 2]}…{shown[-MOST_CHARACTERS // 2 + 1 :]}"
