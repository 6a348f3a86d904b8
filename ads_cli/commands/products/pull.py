"""Pull the products of a catalog into a file."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ...console.invocation import Invocation
from ...console.options import completes_from
from ...errors import IncompleteError
from ...feeds.registry import one_of, writable_formats

if TYPE_CHECKING:
    from ...feeds.formats.writers import RowWriter
    from ...products.pull import Pull

INCOMPLETE_HINT = "to take the products that it shows for all there are, add --allow-incomplete"


def pull(
    ctx: typer.Context,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Where to write; standard output without it")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"{one_of(writable_formats())} (default: by extension; csv without FILE)",
            autocompletion=completes_from(writable_formats()),
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file")] = False,
    allow_incomplete: Annotated[
        bool,
        typer.Option("--allow-incomplete", help="Replace it though variants may be missing; end with 0"),
    ] = False,
) -> None:
    """Write the products of a catalog to a file that push takes back.

    Of a group of variants the service lists only the one that was submitted first; the others are asked
    for by the group's key. Where the service does not show them, that is said, the command ends with 9, and
    an existing file stays as it is.

    For example: adsctl products pull products.csv
    """
    from ...config.atomic_files import file_to_replace
    from ...console.output_file import OutputFile, refuse_presentation
    from ...feeds.formats.writers import open_writer
    from ...feeds.registry import STANDARD_OUTPUT, find_writable
    from ...products.pull import Pull

    call = Invocation.of(ctx, mutates=False)
    path = None if file == "-" else file
    written_as = find_writable(path, format) if path else find_writable(STANDARD_OUTPUT, format or "csv")
    refuse_presentation(call, "--format")
    if path:
        out = OutputFile(path)
        out.confirm(call, force=force)
    pull = Pull(call.client, call.catalog)
    if path:
        with out.open() as stream:
            _write_products(call, pull, open_writer(stream, written_as, pull.columns))
            if pull.missing and not allow_incomplete and file_to_replace(out.path):
                raise IncompleteError(f"{pull.missing}; {path} stays as it is", hint=INCOMPLETE_HINT)
    else:
        _write_products(call, pull, open_writer(sys.stdout, written_as, pull.columns))
    _report_pull(call, pull)
    if pull.missing and not allow_incomplete:
        raise IncompleteError(pull.missing, hint=INCOMPLETE_HINT)


def _write_products(call: Invocation, pull: "Pull", writer: "RowWriter") -> None:
    from ...console.progress import progress

    with progress(call.messages, "Pulling products", None) as on_progress:
        for product in pull.records():
            writer.write(product)
            on_progress(pull.products)
    writer.close()


def _report_pull(call: Invocation, pull: "Pull") -> None:
    """Say what was pulled, and what may be missing."""
    from ...output.text import counted

    hidden = f", {pull.variants:,} of them variants that the listing hides" if pull.variants else ""
    call.messages.say(f"{counted(pull.products, 'product')} pulled{hidden}")
    if pull.missing or pull.single_groups:
        single = f"of {counted(pull.single_groups, 'group')} the service shows one member only"
        call.messages.warn(pull.missing or single)
