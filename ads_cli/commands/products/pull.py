"""Read the products of a catalog: all of them into a file, or some by their ids or keys."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...config.atomic_files import file_to_replace
from ...console.invocation import Invocation
from ...console.output_file import OutputFile
from ...console.parameters import argument, choice, flag, option
from ...console.shown import Result, shows
from ...errors import IncompleteError, NotFoundError, UsageError
from ...feeds.registry import STANDARD_OUTPUT, find_writable, one_of, writable_formats
from ...output.text import counted, first_of

if TYPE_CHECKING:
    from ...feeds.formats.writers import RowWriter
    from ...products.pull import Pull

INCOMPLETE_HINT = "to take the products that it shows for all there are, add --allow-incomplete"


def refuse_presentation(call: Invocation, option: str) -> None:
    """Raise UsageError where a presentation is chosen for a file; its format is that of `option`."""
    if unused := [name for name in ("output", "to", "columns", "query") if call.flags.get(name)]:
        raise UsageError(
            f"--{unused[0]}: the file has whole products, for push to take back; {option} chooses how",
            hint="products list shows a catalog in every format, with --columns and --query",
        )


def pull(
    ctx: typer.Context,
    file: Annotated[str | None, argument("FILE", "Where to write; standard output without it")] = None,
    format: Annotated[
        str | None,
        option(
            "FORMAT",
            f"{one_of(writable_formats())} (default: by extension; csv without FILE)",
            offers=writable_formats(),
        ),
    ] = None,
    force: Annotated[bool, flag("Replace an existing file")] = False,
    allow_incomplete: Annotated[bool, flag("Replace it though variants may be missing; end with 0")] = False,
) -> None:
    """Write the products of a catalog to a file that push takes back.

    Of a group of variants the service lists only the one that was submitted first; the others are asked
    for by the group's key. Where the service does not show them, that is said, the command ends with 9, and
    an existing file stays as it is.

    For example: adsctl products pull products.csv
    """
    from ...feeds.formats.writers import open_writer
    from ...products.pull import Pull

    call = Invocation.of(ctx, mutates=False)
    path = None if file == "-" else file
    written_as = find_writable(path, format) if path else find_writable(STANDARD_OUTPUT, format or "csv")
    refuse_presentation(call, "--format")
    out = OutputFile(path) if path else None
    if out:
        out.confirm(call, force=force)
    reader = Pull(call.client, call.catalog)
    with out.open() if out else nullcontext(call.out) as stream:
        _write_products(call, reader, open_writer(stream, written_as, reader.columns))
        if out and reader.missing and not allow_incomplete and file_to_replace(out.path):
            raise IncompleteError(f"{reader.missing}; {path} stays as it is", hint=INCOMPLETE_HINT)
    _report_pull(call, reader)
    if reader.missing and not allow_incomplete:
        raise IncompleteError(reader.missing, hint=INCOMPLETE_HINT)
    if reader.missing or reader.single_groups:
        single = f"of {counted(reader.single_groups, 'group')} the service shows one member only"
        call.messages.warn(reader.missing or single)


def _write_products(call: Invocation, reader: "Pull", writer: "RowWriter") -> None:
    from ...console.progress import progress

    with progress(call.messages, "Pulling products", None) as on_progress:
        for product in reader.records():
            writer.write(product)
            on_progress(reader.products)
    writer.close()


def _report_pull(call: Invocation, reader: "Pull") -> None:
    hidden = f", {reader.variants:,} of them variants that the listing hides" if reader.variants else ""
    call.messages.say(f"{counted(reader.products, 'product')} pulled{hidden}")


NAMED = 10  # products that are not there, in a message


@shows(Result("ads_cli.api.products:ListProducts", "product_key"))
def get(
    ctx: typer.Context,
    products: Annotated[list[str], argument("ID...", "Ids of the feed, or product keys")],
    by: Annotated[Literal["id", "key"] | None, choice("What the names are (default: either)")] = None,
) -> None:
    """Show products of a catalog.

    The service has no request for one product. The catalog is listed until all are found, and then the groups
    of variants, of which the listing shows only the first member.

    For example: adsctl products get sku-1
    """
    from ...api.products import ListProducts
    from ...console.progress import progress
    from ...console.results import show
    from ...products.listing import find_products

    call = Invocation.of(ctx, mutates=False)
    fields = {"id": ("id",), "key": ("product_key",), None: ("id", "product_key")}[by]
    named = [*dict.fromkeys(products)]
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        stored = dict(find_products(call.client, call.catalog, named, fields, on_progress))
    names = call.settings.names  # the service's own, as in every answer that is shown
    records = [names.to_wire(stored[name], ()) for name in named if name in stored]
    if records:
        request = ListProducts(product_catalog_id=call.catalog)
        show(call, request, records[0] if len(named) == 1 else records)
    if missing := [name for name in named if name not in stored]:
        listed = first_of(missing, NAMED, repr)
        verb = "is" if len(missing) == 1 else "are"
        raise NotFoundError(
            f"{listed} {verb} not in the catalog",
            hint="'adsctl products list --all' shows the ids and keys there are",
        )
