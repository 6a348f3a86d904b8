"""One self-contained page in HTML, for a browser; it loads nothing unless its reader asks."""

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..hosts import is_public_name
from ..output.text import as_json, safe

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

Level = Literal["good", "warning", "error", "neutral"]  # a colour, with a word or a sign beside it

# Scheme, host and port end where every browser ends them: no backslash, no user name.
WEB_ADDRESS = re.compile(
    r"(?P<origin>(?ai:https?)://(?P<host>[^\s/?#@:\[\]\\]+)(?::(?P<port>[0-9]{1,5}))?)(?:[/?#]\S*)?"
)
MAX_PORT = 65535
MAX_ADDRESS = 2000  # characters
BYTES_PER_CELL = 80  # of markup around a text


def web_address(text: object) -> str:
    """Return an address of the public web, else nothing.

    Whoever wrote the feed must not make the reader's browser ask its own network, or run a script.
    """
    if not isinstance(text, str) or len(text) > MAX_ADDRESS or safe(text) != text:
        return ""
    match = WEB_ADDRESS.fullmatch(text)
    is_public = match and is_public_name(match["host"]) and int(match["port"] or 0) <= MAX_PORT
    return text if is_public else ""


class Picture(Struct, frozen=True):
    """A thumbnail, which is loaded once the reader asks for thumbnails."""

    address: str

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        match = WEB_ADDRESS.fullmatch(self.address)
        return match["origin"].lower() if match else ""


class Link(Struct, frozen=True):
    """A text that leads to an address of the web."""

    text: str
    address: str


class Badge(Struct, frozen=True):
    """A word that stands out."""

    text: str
    level: Level


class Edit(Struct, frozen=True):
    """A value before and after; None where there is none."""

    field: str
    before: str | None
    after: str | None


class Figure(Struct, frozen=True):
    """A number that is shown in its own way: with decimals, or a currency."""

    value: float
    text: str


MediaType = Literal["image/png", "image/jpeg", "image/svg+xml"]


class Logo(Struct, frozen=True):
    """A picture inside the page."""

    media_type: MediaType
    content: bytes

    @property
    def address(self) -> str:
        """The picture as an address that loads nothing."""
        return f"data:{self.media_type};base64,{b64encode(self.content).decode()}"


LOGO_SIGNATURES: dict[bytes, MediaType] = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
SVG_TAG = "{http://www.w3.org/2000/svg}svg"


def logo_of(content: bytes) -> Logo | None:
    """Return a picture in png, jpeg or svg as a logo; None for anything else."""
    for signature, media_type in LOGO_SIGNATURES.items():
        if content.startswith(signature):
            return Logo(media_type, content)
    return Logo("image/svg+xml", content) if _is_svg(content) else None


def _is_svg(content: bytes) -> bool:
    """Tell whether a document is an SVG, without entities; inside a page it runs and loads nothing."""
    from xml.etree import ElementTree

    if b"<!ENTITY" in content or b"\0" in content:  # in UTF-16, every second byte of an entity is zero
        return False
    try:
        return ElementTree.fromstring(content).tag == SVG_TAG
    except (ElementTree.ParseError, LookupError, ValueError):  # an encoding that is declared may be none
        return False


# A cell is a text, a number, one of the above, or several of them below each other.
Cell: TypeAlias = "str | int | Picture | Link | Badge | Edit | Figure | tuple[Cell, ...]"


class Column(Struct, frozen=True):
    """A column of a table."""

    name: str
    kind: Literal["text", "number", "picture"] = "text"


class ReportTable(Struct, frozen=True):
    """Rows that a reader can sort and search; as many are shown as there is room for."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    noun: str  # of a row: "product"
    total: int = 0  # rows that there are, where they are more than `rows`
    elsewhere: str = ""  # where the others are

    def without_empty_columns(self) -> "ReportTable":
        """Return the table without the columns that no row has a value in."""
        cells = enumerate(zip(*self.rows, strict=True))
        kept = [at for at, column in cells if any(cell not in ("", None, ()) for cell in column)]
        columns = [self.columns[at] for at in kept] or self.columns
        return replace(self, columns=columns, rows=[[row[at] for at in kept] for row in self.rows])

    def shown(self, max_bytes: int) -> Sequence[Sequence[Cell]]:
        """Return the first rows, up to about this size of the page."""
        for number, row in enumerate(self.rows):
            max_bytes -= sum(map(_size, row))
            if max_bytes < 0:
                return self.rows[:number]
        return self.rows

    @property
    def count(self) -> int:
        """The number of all rows."""
        return max(self.total, len(self.rows))


class Bar(Struct, frozen=True):
    """A bar of a chart."""

    label: str
    value: float
    text: str = ""  # shown in place of the value


class Chart(Struct, frozen=True):
    """How a whole is distributed: a bar for each part."""

    title: str
    bars: Sequence[Bar]
    whole: float  # that the parts are shares of
    note: str = ""

    @property
    def longest(self) -> float:
        """The value of the longest bar."""
        return max((bar.value for bar in self.bars), default=0) or 1


class TimeLine(Struct, frozen=True):
    """A line of a chart over time; None is a gap."""

    label: str
    numbers: Sequence[float | None]
    is_earlier: bool = False  # of a period that is compared with


class TimeChart(Struct, frozen=True):
    """Lines over time, with their numbers in a table below."""

    title: str
    times: Sequence[str]  # as in 2026-03-01 or 2026-03-01T08:00
    lines: Sequence[TimeLine]
    decimals: int = 0

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """Each time with its numbers."""
        columns = [[self._text(number) for number in line.numbers] for line in self.lines]
        times = (time.replace("T", " ") for time in self.times)
        return [(time, [*cells]) for time, *cells in zip(times, *columns, strict=True)]

    def _text(self, number: float | None) -> str:
        return "" if number is None else f"{number:,.{self.decimals}f}"


class Texts(Struct, frozen=True):
    """Lines below each other."""

    lines: Sequence[str]


Part: TypeAlias = "ReportTable | Chart | TimeChart | Texts"


class Section(Struct, frozen=True):
    """A part of the page with a heading, to which the page's contents lead."""

    title: str
    parts: Sequence[Part]


class Tally(Struct, frozen=True):
    """A number that says much."""

    label: str
    number: float
    level: Level = "neutral"
    text: str = ""  # shown in place of the number
    change: str = ""  # against an earlier period


class ReportPage(Struct, frozen=True):
    """A whole page."""

    title: str  # what it is about: the name of a feed
    level: Level
    headline: str  # what happened, in one line
    details: Sequence[str] = ()  # why, and what to do next
    facts: Sequence[tuple[str, str]] = ()  # name and value: when, by which version
    tallies: Sequence[Tally] = ()
    sections: Sequence[Section] = ()
    logo: Logo | None = None

    @property
    def parts(self) -> list[Part]:
        """The parts of all sections."""
        return [part for section in self.sections for part in section.parts]


def _size(cell: Cell) -> int:
    """Return about how many bytes of a page a cell takes, rather more than less."""
    match cell:
        case tuple():
            return sum(map(_size, cell))
        case int():
            return BYTES_PER_CELL
        case str():
            return BYTES_PER_CELL + _text_size(cell)
        case Picture():
            return 3 * BYTES_PER_CELL + 2 * _text_size(cell.address)  # its origin is named once more
        case Link():
            return 2 * BYTES_PER_CELL + _text_size(cell.text) + _text_size(cell.address)
        case Badge() | Figure():
            return BYTES_PER_CELL + _text_size(cell.text)
        case Edit():
            texts = (cell.field, cell.before or "", cell.after or "")
            return 2 * BYTES_PER_CELL + sum(map(_text_size, texts))


def _text_size(text: str) -> int:
    """Return the bytes of a text with its escapes, such as `&quot;`, which takes five more than the quote."""
    shown = safe(text)
    return len(shown.encode()) + sum(map(shown.count, "&<>'\"")) * 5


GENERATOR = "adsctl"  # of the page's meta element; marks files that may be replaced
START = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    f'<meta name="generator" content="{GENERATOR}'
)
NONE = "'none'"
MAX_TABLE_BYTES = 650_000  # a page has up to seven tables

Mask = Callable[[str], str]


def render(page: ReportPage, version: str, mask: Mask = str) -> str:
    """Return a page as HTML; `mask` hides secrets in its texts."""
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) else mask(safe(str(value)))

    names = ["uplot", "page"] if any(isinstance(part, TimeChart) for part in page.parts) else ["page"]
    style = "".join(_asset(f"{name}.css") for name in names)
    script = "".join(_asset(f"{name}.js") for name in names)
    tables = [part.shown(MAX_TABLE_BYTES) for part in page.parts if isinstance(part, ReportTable)]
    cells = [cell for rows in tables for row in rows for cell in row]
    origins = sorted({cell.origin for cell in cells if isinstance(cell, Picture)})
    sources = [origin for origin in origins if mask(origin) == origin]
    inline = ["data:"] if page.logo else []
    return (
        _environment(shown)
        .get_template("page.html")
        .render(
            page=page,
            start=Markup(START),
            version=version,
            style=Markup(style),
            script=Markup(script),
            policy=Markup(_policy(style, script, [*sources, *inline])),
            lines=lambda chart: _lines(chart, shown),
            logo=Markup(page.logo.address) if page.logo else "",
            sources=sources,
            max_bytes=MAX_TABLE_BYTES,
        )
    )


def _lines(chart: TimeChart, shown: Callable[[Any], Any]) -> "Markup":
    """Return what the script draws of a chart, as the value of an attribute."""
    from markupsafe import escape

    labels = [{"label": shown(line.label), "isEarlier": line.is_earlier} for line in chart.lines]
    data = {
        "times": chart.times,
        "lines": [label | {"numbers": line.numbers} for label, line in zip(labels, chart.lines, strict=True)],
        "decimals": chart.decimals,
        "title": shown(chart.title),
    }
    return escape(as_json(data))


def is_page(start: bytes) -> bool:
    """Tell whether a file that begins with these bytes was rendered here; an empty one counts too."""
    return not start or start.startswith(START.encode())


def _environment(shown: Callable[[Any], Any]) -> "Environment":
    """Return what renders templates; `shown` is applied to each value before it is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for kind in (Picture, Link, Badge, Edit, Figure, tuple, int):
        environment.tests[f"of_{kind.__name__}"] = lambda value, kind=kind: isinstance(value, kind)
    return environment


@cache
def _asset(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str, sources: list[str]) -> str:
    """Allow the page's own style and script, and pictures of these origins, which redirect nowhere else."""
    return (
        f"default-src 'none'; img-src {' '.join(sources) or NONE}; style-src '{_hash(style)}'; "
        f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
