"""Render a page: templates, styles and script in one document, which loads nothing unless its reader asks."""

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..output.text import as_json, safe
from . import (
    Badge,
    Edit,
    Figure,
    Link,
    Picture,
    ReportPage,
    Thumbnail,
    TimeChart,
    has_thumbnails,
    numbered,
    origins,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

GENERATOR = "adsctl"  # of the page's meta element; tells which files may be replaced
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

    before = ("uplot.",) if page.has_lines else ()
    style, script = (
        "".join(_asset(f"{name}{kind}") for name in (*before, "page.")) for kind in ("css", "js")
    )
    sources = [origin for origin in origins(page, MAX_TABLE_BYTES) if mask(origin) == origin]
    inline = ["data:"] if page.logo or has_thumbnails(page) else []
    return (
        _environment(shown)
        .get_template("page.html")
        .render(
            page=page,
            sections=numbered(page.sections),
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
        "lines": [each | {"numbers": line.numbers} for each, line in zip(labels, chart.lines, strict=True)],
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
    kinds = {
        "picture": Picture,
        "thumbnail": Thumbnail,
        "link": Link,
        "badge": Badge,
        "edit": Edit,
        "amount": Figure,
        "several": tuple,
        "number": int,
    }
    for name, kind in kinds.items():
        environment.tests[f"a_{name}"] = lambda value, kind=kind: isinstance(value, kind)
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
