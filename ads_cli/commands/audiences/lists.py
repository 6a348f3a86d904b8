"""The lists of people that commands read: their options, and the plan of their upload."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...errors import ContentError, UsageError
from ...output.text import counted, shell_command
from ..uploads.options import FeedOptions, Recipe, RejectedOptions

if TYPE_CHECKING:
    from ...audiences.list_columns import ListColumns
    from ...audiences.plan import AudiencePlan, ListPlan, ListSettings
    from ...audiences.upload import UserUpload
    from ...feeds.locations import Location
    from ...feeds.rows import FileRows


class ListOptions(FeedOptions, frozen=True):
    """How a list of people is read."""

    recipe: Recipe = None
    ignore: Annotated[list[str] | None, option("COLUMN", "Leave a column out, without a word about it")] = (
        None
    )
    where: Annotated[
        list[str] | None, option("COLUMN=VALUE", "Take only these people; also != > < >= <=, ~ for a regex")
    ] = None
    allow_empty: Annotated[bool, flag("End with 0 where --where leaves out everybody")] = False
    region: Annotated[str | None, option("REGION", "Country of national phone numbers, as in DE")] = None
    region_column: Annotated[
        str | None, option("COLUMN", "Column of countries, for national numbers, before --region")
    ] = None
    keep_partial: Annotated[bool, flag("Keep people for their valid identifiers where one is invalid")] = (
        False
    )

    def list_columns(self, upload: "UserUpload") -> "ListColumns":
        """Return what columns of lists are, by the options; raise UsageError."""
        from ...audiences.list_columns import ColumnOptions, ListColumns
        from ...feeds.transforms import Where

        mapping = self.mapping(upload.known)
        ignored = frozenset(map(str.strip, self.ignore or ()))
        for column in sorted(ignored & {*mapping, self.region_column}):
            raise UsageError(f"--ignore: {column!r} is named by another option too")
        conditions = [*map(Where.parse, self.where or ())]
        options = ColumnOptions(mapping, ignored, self.region_column, conditions)
        return ListColumns(options, upload.known, upload.identifiers)

    def open_list(self, location: "Location", columns: "ListColumns") -> "FileRows":
        """Open a list; raise AdsctlError."""
        from ...audiences.headers import KnownHeaders
        from ...feeds.reader import open_source, read_rows

        source = open_source(location, self.format, self.encoding, options=self.read_options)
        # The service's own documents are read too.
        headers = KnownHeaders({*columns.options.mapping, "params", "users"})
        return read_rows(source, roots=("users", "operations"), known=headers)


def checked_region(region: str | None) -> str | None:
    """Return --region as its code; raise UsageError where it is not a country."""
    if not region:
        return None
    from phonenumbers import SUPPORTED_REGIONS

    code = region.upper()
    if code not in SUPPORTED_REGIONS:
        raise UsageError(f"--region: {code} is not a country code", hint="two letters, as in DE")
    return code


def plan_list(
    call: Invocation, files: list[str], feed: ListOptions, settings: "ListSettings"
) -> "AudiencePlan":
    """Open the files that arguments name as one list; raise AdsctlError."""
    from ...audiences.plan import AudiencePlan
    from ...feeds.locations import expand_files, parse_location

    access = feed.access(call)
    expanded = expand_files(files, access)
    shared = cache(lambda: access()._replace(file_systems={}))
    rows = [feed.open_list(parse_location(file, shared), settings.columns) for file in expanded]
    plan = AudiencePlan(rows, settings)
    if expanded != files:
        plan.rows.source.named = [parse_location(file, shared) for file in files]
    return plan


def require_people(call: Invocation, plan: "ListPlan", feed: ListOptions) -> None:
    """Say where --where leaves out everybody; raise ContentError unless `--allow-empty` is given."""
    report = plan.report
    if not report.rows or report.left_out < report.rows:
        return
    conditions = " ".join(shell_command(["--where", text]) for text in feed.where or ())
    message = f"{plan.rows.source.label}: {conditions} leaves out everybody, {counted(report.rows, 'row')}"
    if not feed.allow_empty:
        hint = "compare the condition with the cells of its column; --allow-empty if nobody is right"
        raise ContentError(message, hint=hint)
    call.messages.warn(message)


@contextmanager
def clear_text_notice(call: Invocation, rejected: RejectedOptions) -> Iterator[None]:
    """Say at the end, whatever it is, that the file of `--failed-out` holds people in clear."""
    try:
        yield
    finally:
        if rejected.failed_out and Path(rejected.failed_out).is_file():
            whose = "contains people as you gave them; only you can read it (mode 0600)"
            call.messages.say(f"{rejected.failed_out} {whose}")
