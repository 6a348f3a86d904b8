"""Any signed request, for what no command does."""

import json
import re
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl, quote

import typer

from ..api.ids import path_segment
from ..api.parts import as_text
from ..console.invocation import Invocation
from ..console.request_input import is_text
from ..console.results import show_outgoing, show_pages
from ..errors import UsageError
from ..spelling import as_option

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")
HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)")
OURS = ("authorization", "host", "content-length")


class Base(StrEnum):
    """Which address a request goes to."""

    ads = "ads"
    platform = "platform"
    sandbox = "sandbox"


def api(
    ctx: typer.Context,
    method: Annotated[str, typer.Argument(metavar="METHOD", help=", ".join(METHODS))],
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="As in /12/accounts; {account_id} is the one in use")
    ],
    field: Annotated[
        list[str] | None, typer.Option("-f", metavar="KEY=VALUE", help="A query parameter, as text")
    ] = None,
    typed: Annotated[
        list[str] | None,
        typer.Option(
            "-F", metavar="KEY=JSON", help="A query parameter, as JSON or @FILE; null leaves it out"
        ),
    ] = None,
    body: Annotated[
        str | None, typer.Option("--input", metavar="FILE", help="The body; - reads standard input")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("-H", metavar="KEY:VALUE", help="A header of your own")
    ] = None,
    base: Annotated[Base, typer.Option(help="Which address it goes to")] = Base.ads,
    paginate: Annotated[bool, typer.Option("--paginate", help="Follow the pages of a list")] = False,
    envelope: Annotated[
        bool, typer.Option("--envelope", help="Show the whole response, not only its data")
    ] = False,
    as_curl: Annotated[
        bool, typer.Option("--as-curl", help="Print it for curl, secrets masked, and send nothing")
    ] = False,
) -> None:
    """Send any signed request, for what no command does.

    Nothing is checked before it is sent, and nobody is asked.

    For example: adsctl api GET /12/accounts/{account_id}/cards -f count=50
    """
    method = method.upper()
    if method not in METHODS:
        raise UsageError(f"{method!r} is not one of {', '.join(METHODS)}")
    if paginate and method != "GET":
        raise UsageError("--paginate is for GET")
    call = Invocation.of(ctx, changes=method != "GET")
    plain, _, given = _filled(call, path).partition("?")
    query = dict(parse_qsl(given, keep_blank_values=True))
    query |= dict(_pair(text, "-f") for text in field or [])
    query |= {name: as_text(value) for name, value in map(_typed, typed or []) if value is not None}
    headers = dict(map(_header, header or []))
    content = _read(body) if body else b""
    address = call.settings.address(base.value)

    def prepared(cursor: str | None = None) -> "PreparedRequest":
        from ..client.prepared_request import PreparedRequest

        parameters = query | ({"cursor": cursor} if cursor else {})
        asked = "&".join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in parameters.items())
        url = address + quote(plain, safe="/%:@!$&'()*+,;=~") + (f"?{asked}" if asked else "")
        kind = next((v for k, v in headers.items() if k.lower() == "content-type"), "application/json")
        own = {name: value for name, value in headers.items() if name.lower() != "content-type"}
        route = f"{method} {plain}"
        return PreparedRequest(method, url, content, kind if content else "", route, method != "POST", own)

    if as_curl:
        from ..client.trace import Trace

        print(Trace().mask(_curl(prepared())))
    elif call.dry_run:
        show_outgoing(call, prepared())
    else:
        answers = call.client.follow(lambda cursor: call.client.exchange(prepared(cursor)))
        envelope = envelope and call.printer.shows_documents
        show_pages(call, answers, all=paginate, envelope=envelope, more="--paginate shows them")


def _filled(call: Invocation, path: str) -> str:
    """Put the ids in use into a path; raise UsageError for what is no path."""
    if not path.startswith("/") or path.startswith("//") or "#" in path or not path.isprintable():
        hint = "write only what follows the address, as in /12/accounts"
        raise UsageError(f"{path!r} is not a path", hint=hint)
    for name, of in {"account_id": "account", "product_catalog_id": "catalog"}.items():
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", path_segment(getattr(call, of), as_option(of)))
    return path


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option}: {text!r} is not KEY=VALUE")
    if not is_text(text):
        raise UsageError(f"{option}: {text!r} is not UTF-8")
    return name, value


def _typed(text: str) -> tuple[str, Any]:
    name, value = _pair(text, "-F")
    source = _read(value[1:], "-F").decode("utf-8", "replace") if value.startswith("@") else value
    try:
        read = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"-F: {name}: {error}", hint="-f takes a value as text") from None
    if not is_text(read):
        raise UsageError(f"-F: {name}: holds half a character")
    return name, read


def _header(text: str) -> tuple[str, str]:
    found = HEADER.fullmatch(text)
    if not found:
        raise UsageError(f"-H: {text!r} is not KEY:VALUE")
    if found[1].lower() in OURS:
        raise UsageError(f"-H: {found[1]} is set by adsctl")
    return found[1], found[2]


def _read(path: str, option: str = "--input") -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be read: {error.strerror}") from None


def _curl(prepared: "PreparedRequest") -> str:
    """Write a request down for a shell; who sends it has to put a signature in the place of ***."""
    words = ["curl", "-X", prepared.method, prepared.url, "-H", "Authorization: OAuth ***"]
    kind = {"Content-Type": prepared.content_type} if prepared.content_type else {}
    for name, value in {**kind, **prepared.headers}.items():
        words += ["-H", f"{name}: {value}"]
    if prepared.body:
        words += ["--data-binary", prepared.body.decode("utf-8", "replace")]
    return shlex.join(words)
