"""Write a product feed as it is read, mapped and fixed."""

from typing import IO, TYPE_CHECKING, Annotated

import msgspec
import typer

from ...console.invocation import Invocation
from ...console.output_file import refuse_presentation
from ...console.parameters import argument, flag, option
from ...errors import ContentError
from ...feeds.registry import STANDARD_OUTPUT, FeedFormat, find_writable, one_of, writable_formats
from ...output.text import counted
from ..uploads.options import File, RejectedOptions, Strict, with_options
from .options import ProductFeedOptions

if TYPE_CHECKING:
    from ...uploads.plan import RowPlan


@with_options(feed=ProductFeedOptions, rejected=RejectedOptions)
def convert(
    ctx: typer.Context,
    file: File,
    output_file: Annotated[str, argument("OUT", "Where to write; - is standard output")],
    feed: ProductFeedOptions,
    format_out: Annotated[
        str | None,
        option(
            "FORMAT",
            f"{one_of(writable_formats())} (default: by the extension of OUT)",
            offers=writable_formats(),
        ),
    ] = None,
    skip_invalid: Annotated[bool, flag("Write the valid rows, and end with 9")] = False,
    strict: Strict = False,
    *,
    rejected: RejectedOptions,
) -> None:
    """Write a product feed in another format, offline: what push would send of it.

    Rows are read, converted and fixed by the same options as in check and push. Nothing is written of a
    feed with invalid rows, unless --skip-invalid is given.

    For example: adsctl products convert feed.csv feed.jsonl
    """
    from ...products.plans import check_plan
    from ..uploads.validation import write_valid_rows

    call = Invocation.of(ctx)
    refuse_presentation(call, "--format-out")
    format = find_writable(STANDARD_OUTPUT if output_file == "-" else output_file, format_out)
    plan = check_plan(feed.open(call, file), strict=strict)
    write_valid_rows(
        call,
        plan,
        output_file,
        rejected,
        skip_invalid=skip_invalid,
        write=lambda stream: _write(plan, stream, format),
        done=lambda: f"{counted(plan.report.valid, 'product')} written",
    )


def _write(plan: "RowPlan", stream: IO[str], format: FeedFormat) -> None:
    """Write the valid products as they would be sent."""
    from ...feeds.formats.writers import open_writer

    writer = open_writer(stream, format, _columns(plan))
    for checked in plan.checked_rows():
        try:
            if checked.item:
                writer.write(msgspec.to_builtins(checked.item))
        except ContentError as error:
            error.message = f"{plan.rows.place(checked.row.line, checked.row.record)}: {error.message}"
            raise
    writer.close()


def _columns(plan: "RowPlan") -> list[str]:
    """Return the fields that products have, as declared; the header of a plain table names them."""
    from ...products.normal_form import FIELDS

    rows = plan.rows
    if rows.table and not rows.transform.has_steps:
        used = {*rows.fields, *(["inventory"] if "availability" in plan.report.fixed else ())}
    else:
        items = (checked.item for checked in plan.checked_rows() if checked.item)
        used = {field for item in items for field in msgspec.to_builtins(item)}
    return [field for field in FIELDS if field in used]
