"""The lists of people that commands read: their options, and the plan of their upload."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...errors import ContentError, UsageError
from ...output.text import Lines, counted, listed, shell_command
from ..uploads.options import FeedOptions, Recipe, RejectedOptions

if TYPE_CHECKING:
    from ...audiences.list_columns import ListColumns
    from ...audiences.multi_file_plan import ListFile, MultiFileAudiencePlan
    from ...audiences.plan import AudiencePlan, ListPlan, ListSettings
    from ...audiences.upload import UserUpload
    from ...feeds.locations import Location, RemoteAccess
    from ...feeds.rows import FileRows

PEEKED_AT_ONCE = 16  # files whose columns are found: most of it is waiting for a store

OnValidated = Callable[["AudiencePlan"], None]


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
        known = KnownHeaders({*columns.options.mapping, "params", "users"})
        return read_rows(source, roots=("users", "operations"), known=known)

    def peek(self, file: str, columns: "ListColumns", access: "RemoteAccess") -> "ListFile":
        """Find the columns of one of several lists; raise AdsctlError where they do not do."""
        from ...audiences.multi_file_plan import ListFile
        from ...feeds.locations import parse_location
        from ...feeds.reader import peek_columns

        location = parse_location(file, lambda: access)
        peeked = peek_columns(location, lambda opened: self.open_list(opened, columns), columns.check_header)
        return ListFile(file, location, peeked)


def checked_region(region: str | None) -> str | None:
    """Return --region as its code; raise UsageError where it is not a country."""
    if not region:
        return None
    from phonenumbers import SUPPORTED_REGIONS

    code = region.upper()
    if code not in SUPPORTED_REGIONS:
        raise UsageError(f"--region: {code} is not a country code", hint="two letters, as in DE")
    return code


def plan_lists(
    call: Invocation,
    files: list[str],
    feed: ListOptions,
    settings: "ListSettings",
    *,
    reads_all: bool = False,
    refuses_invalid: bool = False,
    on_validated: OnValidated = lambda plan: None,
) -> "AudiencePlan | MultiFileAudiencePlan":
    """Open the files that arguments name; raise AdsctlError.

    Of several files, the columns of each are checked here; the rows of all are where `reads_all`, and in a
    dry run.
    """
    from ...audiences.plan import AudiencePlan
    from ...feeds.locations import expand_files, parse_location

    access = feed.access(call)
    found = expand_files(files, access)
    if len(found) == 1:
        return AudiencePlan(feed.open_list(parse_location(found[0], access), settings.columns), settings)
    from ...audiences.multi_file_plan import ListNames, ListsFeed, MultiFileAudiencePlan
    from ...feeds.locations import no_progress

    shared = access()._replace(progress=no_progress, file_systems={})
    lists = _peek_all(found, feed, settings, shared)
    named = [parse_location(file, lambda: shared) for file in files]
    return MultiFileAudiencePlan(
        lists,
        ListNames(ListsFeed(named, lists, feed.encoding, feed.read_options), lists),
        settings,
        lambda each: AudiencePlan(feed.open_list(each, settings.columns), settings),
        reads_all=reads_all or call.dry_run,
        refuses_invalid=refuses_invalid,
        on_validated=on_validated,
        on_changed=lambda names: call.messages.warn(_changed(names)),
    )


def _peek_all(
    files: Sequence[str], feed: ListOptions, settings: "ListSettings", access: "RemoteAccess"
) -> "list[ListFile]":
    """Find the columns of every file; raise the error of the first whose columns do not do."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(PEEKED_AT_ONCE) as threads:
        return [*threads.map(lambda file: feed.peek(file, settings.columns, access), files)]


def _changed(names: list[str]) -> str:
    what = counted(len(names), "file")
    return f"{what} changed after being sent, and this job does not send them again: {listed(names)}"


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


def on_list_validated(call: Invocation, *, skip_invalid: bool, resume: str) -> OnValidated:
    """Return what warns of each list before it is sent, and raises ContentError where rows are invalid.

    What is the same of several lists, counts included, is said once; `resume` is the command that sends the
    rest.
    """
    from ..uploads.reports import error_lines, hint_of_kind, warning_lines

    said: set[str] = set()

    def say(plan: "AudiencePlan") -> None:
        name, report = plan.rows.source.label, plan.report
        for show, texts in ((call.messages.note, report.notes), (call.messages.warn, report.warnings)):
            for text in texts:
                if text not in said:
                    said.add(text)
                    show(f"{name}: {text}")
        for text in warning_lines(plan.rows, report):
            call.messages.warn(text)
        if not report.invalid:
            return
        message = Lines([*error_lines(plan.rows, report), report.summary])
        if skip_invalid:
            call.messages.note(message + " and not sent", "warning")  # with -q the error at the end says so
            return
        hint = f"nothing of {name} was sent; correct it and resume with: {resume}"
        raise ContentError(message, hint="; ".join(filter(None, (hint_of_kind(plan.rows, report), hint))))

    return say
