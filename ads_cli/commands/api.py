"""Send any signed request."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import parse_qsl, quote

import typer

from ..api.endpoint import Identity
from ..api.parts import as_text, path_segment
from ..client.prepared_request import FORM, JSON, PreparedRequest, is_write, multipart, url_encoded
from ..config.atomic_files import read_whole
from ..console.invocation import Invocation
from ..console.parameters import argument, choice, flag, option
from ..console.request_input import MAX_DOCUMENT_MIB, is_text
from ..console.results import show_pages, show_prepared
from ..console.shown import Result, shows
from ..errors import UsageError
from ..masking import mask_header
from ..output.text import shell_command
from ..spelling import as_option, closest

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")
HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*+([\x20-\x7e]*)")
PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w-]*)\}")
PLACEHOLDERS = {"account_id": "account", "product_catalog_id": "catalog"}
T = TypeVar("T")
RESERVED_HEADERS = ("authorization", "host", "content-length")


@shows(Result(Any, "", is_list=False))
def api(
    ctx: typer.Context,
    method: Annotated[str, argument("METHOD", ", ".join(METHODS), offers=METHODS)],
    path: Annotated[str, argument("PATH", "As in /12/accounts; {account_id} is replaced by the one in use")],
    field: Annotated[list[str] | None, option("KEY=VALUE", "A query parameter, as text", "-f")] = None,
    typed: Annotated[
        list[str] | None, option("KEY=JSON", "A query parameter, as JSON or @FILE; null is not sent", "-F")
    ] = None,
    body: Annotated[
        str | None, option("FILE", "A file with the body; - is standard input", "--input")
    ] = None,
    form: Annotated[
        list[str] | None,
        option("NAME=VALUE", "A field of a multipart body, as text, or @FILE; may be repeated"),
    ] = None,
    header: Annotated[list[str] | None, option("KEY:VALUE", "A further header", "-H")] = None,
    base: Annotated[Literal["ads", "platform", "sandbox"], choice("The address to send it to")] = "ads",
    identity: Annotated[Identity, choice("Whose token: that of the app is for webhooks", "--as")] = "user",
    paginate: Annotated[bool, flag("Follow the pages of a list")] = False,
    envelope: Annotated[bool, flag("Show the whole response, not only its data")] = False,
    as_curl: Annotated[bool, flag("Print the request for curl, with secrets masked; send nothing")] = False,
) -> None:
    """Send any signed request.

    The request is sent as it is, without validation and without confirmation.

    For example: adsctl api GET /12/accounts/{account_id}/cards -f count=50
    """
    method = method.upper()
    if method not in METHODS:
        raise UsageError(f"{method!r} is not one of {', '.join(METHODS)}")
    if paginate and method != "GET":
        raise UsageError("--paginate requires GET")
    call = Invocation.of(ctx, mutates=method != "GET")
    plain_path, _, query_string = _fill_placeholders(call, path).partition("?")
    query = _unique(parse_qsl(query_string, keep_blank_values=True), "PATH")
    pairs = [*(_parse_pair(text, "-f") for text in field or ()), *map(_parse_typed, typed or ())]
    query |= {name: as_text(value) for name, value in _unique(pairs, "-f, -F").items() if value is not None}
    headers = _unique(map(_parse_header, header or []), "-H")
    own_type = headers.pop("content-type", None)
    content = read_whole(body, MAX_DOCUMENT_MIB, "--input") if body else b""
    if content and own_type and own_type.partition(";")[0].strip().lower() == FORM:
        own_type = FORM  # as it is signed
        _require_form(method, content)
    if form:
        if body or own_type:
            other = "--input" if body else "-H content-type"
            raise UsageError(f"--form: cannot be used with {other}", hint="leave one of them out")
        own_type, content = _multipart(form)
    address = call.settings.address(base) + quote(plain_path, safe="/%:@!$&'()*+,;=~")

    def prepare(cursor: str | None = None) -> PreparedRequest:
        """Prepare the request, or that of a further page."""
        encoded = url_encoded(query | ({"cursor": cursor} if cursor else {}))
        url = f"{address}?{encoded}" if encoded else address
        route, retry = f"{method} {plain_path}", method != "POST"
        content_type = (own_type or JSON) if content else ""
        return PreparedRequest(method, url, content, content_type, route, retry, headers)

    if method == "GET" and is_write(prepare()):  # as a request of another method
        call.flags["dry_run"] = ctx.obj.parsed_options.get("dry_run", False)
    if as_curl:
        from ..http.trace import Trace

        scheme = "Bearer" if identity == "bearer" or call.settings.uses_grant else "OAuth"
        print(Trace().mask(_curl(prepare(), scheme)), file=call.out)
    elif call.dry_run:
        show_prepared(call, prepare())
    else:
        from ..client.response import follow

        call.client.identity = identity
        responses = follow(lambda cursor: call.client.exchange(prepare(cursor)))
        envelope = envelope and call.printer.shows_documents
        show_pages(call, responses, all=paginate, envelope=envelope, more_hint="--paginate shows them")


def _require_form(method: str, content: bytes) -> None:
    """Raise UsageError where a body is not the form that its content type says: it cannot be signed."""
    from oauthlib.common import urldecode

    try:
        urldecode(content.decode("ascii"))
    except ValueError:
        hint = "JSON needs no -H content-type; in a form, all but letters and digits is written as in %20"
        raise UsageError(f"--input: is not {FORM}, as -H content-type says", hint=hint) from None
    if method == "GET":
        raise UsageError("--input: a GET has no form", hint="give its parameters by -f")


def _multipart(form: list[str]) -> tuple[str, bytes]:
    """Encode the fields of --form; return the content type, and the body."""
    fields: dict[str, Any] = _unique((_parse_pair(text, "--form") for text in form), "--form")
    files: dict[str, str] = {}
    for name, value in fields.items():
        if value.startswith("@"):
            fields[name] = read_whole(value[1:], MAX_DOCUMENT_MIB, "--form")
            files[name] = Path(value[1:]).name
    content_type, pieces = multipart(fields, files)
    return content_type, b"".join(pieces)


def _fill_placeholders(call: Invocation, path: str) -> str:
    """Replace the placeholders of a path by the ids in use; raise UsageError if it is not a path."""
    if not path.startswith("/") or path.startswith("//") or "#" in path or not path.isprintable():
        hint = "write the part after the address, as in /12/accounts"
        raise UsageError(f"{path!r} is not a path", hint=hint)

    def replacement(match: re.Match[str]) -> str:
        if attribute := PLACEHOLDERS.get(match[1]):
            return path_segment(getattr(call, attribute), as_option(attribute))
        near = closest(match[1], PLACEHOLDERS)
        raise UsageError(
            f"{match[0]} is not a placeholder" + (f"; did you mean {{{near}}}?" if near else ""),
            hint=f"placeholders: {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}; for a brace write %7B",
        )

    return PLACEHOLDER.sub(replacement, path)


def _unique(pairs: Iterable[tuple[str, T]], source: str) -> dict[str, T]:
    """Return pairs as a mapping; raise UsageError for a name that is repeated."""
    unique: dict[str, T] = {}
    for name, value in pairs:
        if name in unique:
            raise UsageError(f"{source}: {name} is repeated")
        unique[name] = value
    return unique


def _parse_pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option}: {text!r} is not KEY=VALUE")
    if not is_text(text):
        raise UsageError(f"{option}: {text!r} is not UTF-8")
    return name, value


def _parse_typed(text: str) -> tuple[str, Any]:
    name, value = _parse_pair(text, "-F")
    if value.startswith("@"):
        value = read_whole(value[1:], MAX_DOCUMENT_MIB, "-F").decode("utf-8", "replace")
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"-F: {name}: {error}", hint="use -f for a value that is text") from None
    if not is_text(parsed):
        raise UsageError(f"-F: {name}: contains a lone surrogate")
    return name, parsed


def _parse_header(text: str) -> tuple[str, str]:
    match = HEADER.fullmatch(text)
    if not match:
        raise UsageError(f"-H: {text!r} is not KEY:VALUE")
    if match[1].lower() in RESERVED_HEADERS:
        raise UsageError(f"-H: {match[1]} is set by adsctl")
    return match[1].lower(), match[2]


def _curl(prepared: PreparedRequest, scheme: str) -> str:
    """Return the curl command of a request; the signature or token is masked as ***."""
    words = ["curl", "-X", prepared.method, prepared.url, "-H", f"Authorization: {scheme} ***"]
    content_type = {"Content-Type": prepared.content_type} if prepared.content_type else {}
    for name, value in {**content_type, **prepared.headers}.items():
        words += ["-H", f"{name}: {mask_header(name, value)}"]
    if prepared.body:
        words += ["--data-binary", prepared.body.decode("utf-8", "replace")]
    return shell_command(words)
