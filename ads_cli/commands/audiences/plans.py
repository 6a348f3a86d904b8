"""Plan the upload of people from the files that arguments name."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ...console.invocation import Invocation
from ...errors import ContentError
from ...output.text import counted, listed, shell_command
from ..uploads.reports import error_lines, hint_of_kind, warning_lines
from .options import ListOptions

if TYPE_CHECKING:
    from ...audiences.multi_file_plan import ListFile
    from ...audiences.plan import AudiencePlan, ListPlan, ListSettings
    from ...feeds.locations import RemoteAccess

PEEKED_AT_ONCE = 16  # files whose columns are found: most of it is waiting for a store
NUMBERS = re.compile(r"[\d,]+")

OnValidated = Callable[["AudiencePlan"], None]


def plan_lists(
    call: Invocation,
    files: list[str],
    feed: ListOptions,
    settings: "ListSettings",
    *,
    reads_all: bool = False,
    refuses_invalid: bool = False,
    on_validated: OnValidated = lambda plan: None,
) -> "ListPlan":
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
    with ThreadPoolExecutor(PEEKED_AT_ONCE) as threads:
        try:
            return [*threads.map(lambda file: feed.peek(file, settings.columns, access), files)]
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise


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


def say_of_each(call: Invocation, *, skip_invalid: bool, resume: str) -> OnValidated:
    """Return what warns of each list before it is sent, and raises ContentError where rows are invalid.

    What one list has in common with those before is said once; `resume` is the command that sends the rest.
    """
    said: set[str] = set()

    def say(plan: "AudiencePlan") -> None:
        name, report = plan.rows.source.label, plan.report
        for show, texts in ((call.messages.note, report.notes), (call.messages.warn, report.warnings)):
            for text in texts:
                if (kind := NUMBERS.sub("", text)) not in said:
                    said.add(kind)
                    show(f"{name}: {text}")
        for text in warning_lines(plan.rows, report):
            call.messages.warn(text)
        if not report.invalid:
            return
        message = "\n".join([*error_lines(plan.rows, report), report.summary])
        if skip_invalid:
            call.messages.note(f"{message} and not sent", "warning")  # with -q the error at the end says so
            return
        hint = f"nothing of {name} was sent; correct it and resume with: {resume}"
        raise ContentError(message, hint="; ".join(filter(None, (hint_of_kind(plan.rows, report), hint))))

    return say
