"""The parameters of the command of a declared request."""

from collections.abc import Iterator
from typing import Any

from typer import Exit

from ..api.amounts import MICRO_WORDS, amount_names, money_fields
from ..api.endpoint import Endpoint, Request
from ..api.fields import Field, FieldType, fields_of, marked_fields
from ..api.names import X
from ..api.parts import has_batch_options, media_file_fields
from ..api.registry import document_of
from ..api.types import in_local_words
from ..commands.requests.views import LISTINGS
from ..console.host import out_of
from ..console.options import NESTED_METAVAR
from ..console.parameters import Argument, Option
from ..spelling import as_option

FILE_HELP = {
    "media": "A file of an image, GIF or video",
    "poster": "A file of an image, shown before the video plays",
    "unlocked_image": "A file of an image, shown to who has posted",
    "unlocked_video": "A file of a video, shown to who has posted",
}
FORMATS = "csv, tsv, json, jsonl or yaml"


def batch_options() -> Iterator[Option]:
    """Make the options that say how several records are read and sent."""
    yield Option("--format", metavar="FORMAT", help=f"{FORMATS} (default: by extension)")
    yield Option("--failed-out", metavar="FILE", help="Write rejected records here, with _line and _error")
    yield Option("--force", is_flag=True, help="Replace an existing file, whatever it holds")


def once_options(*, creates: bool) -> Iterator[Option]:
    """Make the options about an unfinished run."""
    of = "with this file" if creates else "of this command"
    looks = "; what a lost answer has created is looked up, where a list tells" if creates else ""
    yield Option("--resume", is_flag=True, help=f"Resume the last unfinished run {of}{looks}")
    if creates:
        yield Option(
            "--uncertain",
            metavar="[skip|resend]",
            help="With --resume: what to do with records whose answer was lost, in place of looking them up",
        )


MAX_METAVAR_WIDTH = 60  # a longer list of choices moves to the help text


def request_parameters(request: type[Request]) -> list[Any]:
    """Make the parameters of a request, without the common options."""
    common = marked_fields(request, "common")
    own = [field for field in fields_of(request) if field.name not in common]
    is_local = "account" in common.values()  # so that its times may be those of the account
    endpoint = request.endpoint
    has_document, is_sent_in_batches = any(field.type.is_nested for field in own), has_batch_options(request)
    has_file = bool(endpoint.batch) or has_document
    params = [param for field in own for param in field_parameters(field, endpoint, has_file=has_file)]
    for param in params if is_local else ():
        param.help = in_local_words(param.help or "")
    params.sort(key=lambda param: (not isinstance(param, Argument), not param.required))
    params += file_options(request)
    if has_document or is_sent_in_batches:
        params += document_options(request, has_example=has_document)
    if is_sent_in_batches:
        params += batch_options()
    changes_several = endpoint.takes_several and endpoint.method != "GET"
    if is_sent_in_batches or changes_several or (endpoint.makes_anew and has_document):
        params += once_options(creates=endpoint.makes_anew)
    names = {field.name for field in own}
    if money_fields(request) and endpoint.mutates and "currency" not in names:
        text = "The currency of amounts in whole units (default: looked up where they have decimals)"
        params.append(Option("--currency", metavar="CODE", help=text))
    if endpoint.takes_several:
        params += choosing_options(request)
    if listing := LISTINGS.get(endpoint.command):
        params.append(Option(as_option(listing.option), is_flag=True, help=listing.help))
    text = "Show the whole response, not only its data (json, yaml, jsonl)"
    params.append(Option("--envelope", is_flag=True, default=False, help=text))
    if endpoint.lists:
        params += narrowing_options()
    if "cursor" in names:
        params.append(Option("--all", is_flag=True, default=False, help="Follow all pages"))
        params.append(Option("--limit", metavar="N", help="Follow pages until N records"))
    return params


def file_options(request: type[Request]) -> Iterator[Option]:
    """Make the options that take a file in place of a media key."""
    for name, field in media_file_fields(request).items():
        is_several = name == "media" and field in ("media_keys", "components")
        replaced = "" if field == "components" else f"; replaces {as_option(field)}"
        repeated = "; may be repeated" if is_several else ""
        yield Option(
            name,
            as_option(name),
            metavar="FILE",
            multiple=is_several,
            help=f"{FILE_HELP[name]}: uploaded first, once{replaced}{repeated}",
        )


def narrowing_options() -> Iterator[Option]:
    """Make the options that say which records of a list are shown, and in which order."""
    yield Option(
        "--where",
        metavar="CONDITION",
        multiple=True,
        help="Of all pages, the records for which this holds, as in 'name~^Winter'; may be repeated",
    )
    text = "Sort the records of all pages by this field, as in -created_at: largest first"
    yield Option("--sort", metavar="[-]FIELD", help=text)


def choosing_options(request: type[Request]) -> Iterator[Option]:
    """Make the options that find records in place of their ids, and change what they have."""
    yield Option(
        "--where",
        metavar="CONDITION",
        multiple=True,
        help="In place of ids: all records for which this holds, as in 'name~^Winter'; may be repeated",
    )
    if request.endpoint.method == "PUT" and money_fields(request):
        yield Option(
            "--set",
            metavar="FIELD=VALUE",
            multiple=True,
            help="Change a field; an amount may be relative, as in daily_budget=+10%; may be repeated",
        )


class AliasOption(Option):
    """A hidden option that is named as its field is on the wire."""

    is_alias = True


class FieldOption(Option):
    """A required option whose absence is reported by validation, together with all other problems."""

    def value_is_missing(self, value: Any) -> bool:
        """Accept a missing value: it may be in a file."""
        return False


def field_parameters(field: Field, endpoint: Endpoint, *, has_file: bool) -> Iterator[Any]:
    """Make the argument of the resource's own id, or the option of any other field.

    The id of each record may be in a file, or found by --where: then the argument is not required. A field of
    money has a second option, in whole units of the currency.
    """
    field_type, name, id_field = field.type, field.option, endpoint.id_field
    if field.name == id_field:
        several = endpoint.takes_several
        yield Argument(
            field.name,
            metavar=field.name.upper() + ("..." if several else ""),
            nargs=-1 if several else 1,
            required=not several and not has_file,
            help=field.help,
        )
    elif field_type.base is bool:
        both = f"{name}/--no-{name[2:]}"
        yield Option(field.name, both, help=field.help, is_flag=True)
    else:
        yield FieldOption(
            field.name,
            name,
            *map(as_option, filter(None, [field_type.extra("alias")])),
            metavar=metavar(field_type),
            help=". ".join(filter(None, (field.help, choices_help(field_type)))),
            required=field.required,
            offers=field_type.offered,
            hidden=bool(field_type.extra("money")),
        )
    wire_name = X.name(field.name)
    if wire_name != field.name and field.name != id_field:
        yield AliasOption(wire_name, as_option(wire_name), help="", hidden=True)
    if field_type.extra("spends"):
        yield Option(
            "--active",
            is_flag=True,
            help=f"The same as {name} ACTIVE; it asks first, since it may spend from then on",
        )
    if field_type.extra("money"):
        names = amount_names(field.name)
        yield Option(
            names[0],
            *map(as_option, names),
            metavar="AMOUNT",
            help=field.help.replace(MICRO_WORDS, "In units of the currency, as in 1.50"),
        )


def metavar(field_type: FieldType) -> str:
    """Return the metavar of an option."""
    if field_type.choices:
        choices = f"[{'|'.join(field_type.choices)}]"
        return choices if len(choices) <= MAX_METAVAR_WIDTH else "VALUE"
    if field_type.is_nested:
        return NESTED_METAVAR
    if field_type.is_comma_list:
        return f"{metavar(field_type.item)},..."
    if field_type.is_id:
        return "ID"
    if field_type.is_time:
        return "TIME"
    return "N" if field_type.base is int else "TEXT"


def choices_help(field_type: FieldType) -> str:
    """List the choices that are too many for the metavar."""
    if field_type.is_comma_list:
        return choices_help(field_type.item)
    return f"One of {', '.join(field_type.choices)}" if metavar(field_type) == "VALUE" else ""


def document_options(request: type[Request], *, has_example: bool) -> Iterator[Option]:
    """Make --file, which reads fields from a document, and --example, which prints a document."""
    several = ""
    if has_batch_options(request):
        batch = request.endpoint.batch
        several = (
            f"several records, in a list or a table, are sent {batch.size if batch else 'one'} at a time; "
        )
    yield Option(
        *("--file", "-f"),
        metavar="FILE",
        help=f"Read fields from a YAML or JSON file, or - for standard input; {several}options outrank it",
    )
    if not has_example:
        return

    def print_example(ctx: Any, param: Any, value: Any) -> None:
        if value:
            print(document_of(request), end="", file=out_of(ctx))
            raise Exit

    yield Option(
        "--example",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=print_example,
        help="Print an example of such a file",
    )
