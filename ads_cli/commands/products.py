"""Product feeds: push, check, pull and delete."""

from collections.abc import Collection
from typing import Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import ContentError, UsageError
from ..feeds.registry import one_of, readable_formats, writable_formats

FORMATS = one_of(map(str.upper, readable_formats()))
File = Annotated[str, typer.Argument(metavar="FILE", help=f"{FORMATS}, also .gz; - is standard input")]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help=f"{one_of(readable_formats())} (default: by extension)"),
]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Encoding of the file, as in cp1252")]
Map = Annotated[
    list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="Read a column as another field")
]
Concurrency = Annotated[int, typer.Option(metavar="N", min=1, max=32, help="Requests at once, at most")]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Send the valid rows, and end with 9")]
FailedOut = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write refused rows here, with _line and _error")
]
MaxErrors = Annotated[int | None, typer.Option(metavar="N", min=1, help="Stop after N refused rows")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the last push of this file that did not end")
]
Job = Annotated[str | None, typer.Option(metavar="ID", help="Go on with this job")]
Changed = Annotated[
    bool,
    typer.Option("--changed", help="Send only rows that differ from what the service last acknowledged"),
]
Verify = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="With --changed: list the catalog first, and send what is missing or different there too",
    ),
]


def push(
    ctx: typer.Context,
    file: File,
    format: Format = None,
    encoding: Encoding = "utf-8",
    map: Map = None,
    concurrency: Concurrency = 8,
    skip_invalid: SkipInvalid = False,
    failed_out: FailedOut = None,
    max_errors: MaxErrors = None,
    resume: Resume = False,
    job: Job = None,
    changed: Changed = False,
    verify: Verify = False,
) -> None:
    """Create and update products from a file.

    The whole file is checked before the first request. What the service acknowledged is noted on
    disk, so that --resume can go on after a stop of any kind.

    With --changed, rows are left out that are as the service last acknowledged them: remembered for
    each catalog in the state folder, and begun anew with a push of every row where that is lost.
    What others change in the catalog, --verify finds: it lists the catalog and compares. Variants
    that a list hides cannot be compared, and are left as they are remembered.

    For example: adsctl products push feed.csv --failed-out refused.csv
    """
    from ..products.uploads import ProductPush
    from ..uploads.push import Options

    if verify and not changed:
        raise UsageError("--verify goes with --changed", hint="without it every row is sent anyway")
    call = Invocation.of(ctx)
    if changed and call.dry_run and not call.settings.get("catalog"):
        raise UsageError(
            "--changed: a dry run asks for no catalog, and what changed depends on it",
            hint="name it with --catalog",
        )
    rows = open_feed(file, format, encoding, map, ProductPush)
    options = Options(concurrency, skip_invalid, failed_out, max_errors, resume, job)
    _catalog_push(call, rows, options, changed, verify).run()


def check(
    ctx: typer.Context,
    file: File,
    format: Format = None,
    encoding: Encoding = "utf-8",
    map: Map = None,
    failed_out: FailedOut = None,
) -> None:
    """Check a product feed, offline, and send nothing.

    Every rule is checked that needs no look at the catalog or at the images themselves: their
    pixels and megabytes are not.

    For example: adsctl products check feed.csv
    """
    from ..products.uploads import ProductPush
    from ..uploads.report import check_file, show_findings, write_invalid
    from ..validation.validator import Validator

    call = Invocation.of(ctx)
    rows = open_feed(file, format, encoding, map, ProductPush)
    checker = Validator(rows, ProductPush)
    findings = check_file(checker, call.messages)
    show_findings(call.printer, rows, findings)
    if findings.invalid:
        write_invalid(failed_out, checker)
        raise ContentError(findings.verdict)


def delete(
    ctx: typer.Context,
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY...", help="Product keys")] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE", help="A file with a column product_key, or a key on each line"
        ),
    ] = None,
    format: Format = None,
    concurrency: Concurrency = 8,
    failed_out: FailedOut = None,
    max_errors: MaxErrors = None,
    resume: Resume = False,
) -> None:
    """Delete products, for good; it asks before it does.

    For example: adsctl products delete --from discontinued.csv
    """
    from ..feeds.reader import open_value_list, open_values, read_rows
    from ..products.catalog_push import CatalogPush, memory_of
    from ..products.uploads import ProductDelete
    from ..uploads.push import Options
    from ..validation.validator import Validator

    if bool(keys) == bool(from_):
        raise UsageError(
            "name the products to delete: either keys or --from FILE", hint="adsctl products delete --help"
        )
    call = Invocation.of(ctx)
    source = open_values(keys) if keys else open_value_list(from_ or "", format, "product_key")
    rows = read_rows(source, roots=(ProductDelete.noun,), known=ProductDelete.required)
    options = Options(concurrency, failed_out=failed_out, max_errors=max_errors, resume=resume)
    upload = ProductDelete(call.catalog)
    CatalogPush(call, upload, Validator(rows, ProductDelete), options, memory=memory_of(call)).run()


def pull(
    ctx: typer.Context,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="Where to write; standard output without it")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"{one_of(writable_formats())} (default: by extension; csv without FILE)",
        ),
    ] = None,
) -> None:
    """Write the products of a catalog to a file that push takes back.

    Of a group of variants the service lists only the member that was submitted first; the others
    are asked for by the group's key.

    For example: adsctl products pull products.csv
    """
    from ..products.pull import pull_products

    pull_products(Invocation.of(ctx, changes=False), file, format)


def _catalog_push(call: Invocation, rows: Any, options: Any, changed: bool, verify: bool) -> Any:
    """Make a push of all rows, or of those that have changed."""
    from ..products.catalog_push import CatalogPush, ChangedPush, memory_of
    from ..products.changes import ChangedValidator, known_to
    from ..products.uploads import ProductPush
    from ..validation.validator import Validator

    upload, memory = ProductPush(call.catalog), memory_of(call)
    if changed:
        check = ChangedValidator(rows, upload, memory, known_to(memory, call.messages.say))
        return ChangedPush(call, upload, check, options, memory=memory, verify=verify)
    remembers = memory.exists() and not call.dry_run
    return CatalogPush(
        call,
        upload,
        ChangedValidator(rows, upload, None) if remembers else Validator(rows, ProductPush),
        options,
        memory=memory,
    )


def open_feed(file: str, format: str | None, encoding: str, map: list[str] | None, upload: Any) -> Any:
    """Open a bulk file for an upload."""
    from ..feeds.reader import open_source, read_rows

    source = open_source(file, format, encoding)
    return read_rows(
        source, roots=(upload.noun,), known=upload.known, rename=renames(map or [], upload.known)
    )


def renames(pairs: list[str], known: Collection[str]) -> dict[str, str]:
    """Read --map COLUMN=FIELD; raise UsageError where a field is not known."""
    from ..suggestions import suggestion

    found = {}
    for pair in pairs:
        column, equals, name = pair.rpartition("=")
        if not equals or not column:
            raise UsageError(f"--map: {pair!r} is not COLUMN=FIELD", hint="as in --map image_url=image_link")
        if name not in known:
            raise UsageError(f"--map: {name!r} is no field here{suggestion(name, known)}")
        found[column.strip()] = name
    return found
