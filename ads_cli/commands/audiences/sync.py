"""Make a list in the account equal to its file, or show what differs."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...errors import DIFFERENCES_FOUND, ContentError, IncompleteError, NotConfirmedError
from ...numbers import CountOrShare, parse_share
from ...output.text import counted, duration
from ..products.feed_checks import FeedSizeCheck, MinRows
from ..uploads.hooks import CORRECT_AND_SYNC
from ..uploads.options import Lists, PageOptions, PushOptions, RejectedOptions, with_options
from . import AllowClearText, ListHooks, OperationOptions, list_settings
from .lists import ListOptions, plan_lists, require_people
from .page import ListRunReport

if TYPE_CHECKING:
    from ...audiences.comparison import ListDifferences
    from ...audiences.sync_plan import ListSyncPlan
    from ...audiences.upload import UserUpload
    from ...uploads.push import PushResult, Summary

PROCESSING = timedelta(hours=6)  # of a change of a list by the service, at least
Audience = Annotated[str, option("ID", "The custom audience")]
DoNotReachList = Annotated[str, option("ID", "The do-not-reach list", "--list")]
Prune = Annotated[bool, flag("Delete people who were acknowledged and are in the file no longer")]
SkipInvalid = Annotated[bool, flag("Compare the valid rows, and end with 9")]


class ListSyncOptions(PushOptions, frozen=True):
    """How differences are sent."""

    max_delete: Annotated[
        str, option("N|P%", "With --prune: send nothing where more people would be deleted")
    ] = "10%"


@with_options(feed=ListOptions, options=ListSyncOptions, page=PageOptions, default_concurrency=3)
def sync(
    ctx: typer.Context,
    files: Lists,
    audience: Audience,
    prune: Prune = False,
    allow_clear_text: AllowClearText = False,
    *,
    feed: ListOptions,
    options: ListSyncOptions,
    min_rows: MinRows = None,
    page: PageOptions,
) -> None:
    """Make a custom audience equal to a list of people.

    The service cannot say who is in an audience. So the list is compared with what it has acknowledged to
    this machine: who is new is added, and with --prune who left is deleted; it asks first. If
    more than --max-delete would be deleted, 10 % of those acknowledged unless it says otherwise, nothing is
    sent. Nobody is deleted who is in any row, in an invalid one too, nor where what was acknowledged is
    outdated or lost.

    For example: adsctl audiences sync customers.csv --audience 1nmth --prune --dry-run
    """
    from ...audiences.upload import audience_upload

    call = Invocation.of(ctx)
    upload = audience_upload(call.account, audience)
    _sync(call, files, upload, feed, options, page, min_rows, prune=prune, allow_clear_text=allow_clear_text)


@with_options(feed=ListOptions, options=ListSyncOptions, page=PageOptions, default_concurrency=3)
def sync_do_not_reach(
    ctx: typer.Context,
    files: Lists,
    list_: DoNotReachList,
    prune: Prune = False,
    *,
    feed: ListOptions,
    options: ListSyncOptions,
    min_rows: MinRows = None,
    page: PageOptions,
) -> None:
    """Make a do-not-reach list equal to a list of people, as `audiences sync` does.

    For example: adsctl audiences do-not-reach sync unsubscribed.csv --list 3k1a7 --prune --dry-run
    """
    from ...audiences.upload import do_not_reach_upload

    call = Invocation.of(ctx)
    upload = do_not_reach_upload(call.account, list_)
    _sync(call, files, upload, feed, options, page, min_rows, prune=prune)


@with_options(feed=ListOptions, rejected=RejectedOptions, page=PageOptions)
def diff(
    ctx: typer.Context,
    files: Lists,
    audience: Audience,
    prune: Prune = False,
    allow_clear_text: AllowClearText = False,
    skip_invalid: SkipInvalid = False,
    *,
    feed: ListOptions,
    rejected: RejectedOptions,
    page: PageOptions,
) -> None:
    """Count how a list of people differs from what a custom audience has acknowledged.

    Nothing is changed, and the service is not asked. Ends with 10 if anything differs.

    For example: adsctl audiences diff customers.csv --audience 1nmth --prune
    """
    from ...audiences.upload import audience_upload

    call = Invocation.of(ctx, mutates=False)
    upload = audience_upload(call.account, audience)
    options = ListSyncOptions(rejected.failed_out, rejected.force, skip_invalid=skip_invalid)
    _diff(call, files, upload, feed, options, page, prune=prune, allow_clear_text=allow_clear_text)


@with_options(feed=ListOptions, rejected=RejectedOptions, page=PageOptions)
def diff_do_not_reach(
    ctx: typer.Context,
    files: Lists,
    list_: DoNotReachList,
    prune: Prune = False,
    skip_invalid: SkipInvalid = False,
    *,
    feed: ListOptions,
    rejected: RejectedOptions,
    page: PageOptions,
) -> None:
    """Count how a list of people differs from what a do-not-reach list has acknowledged.

    For example: adsctl audiences do-not-reach diff unsubscribed.csv --list 3k1a7 --prune
    """
    from ...audiences.upload import do_not_reach_upload

    call = Invocation.of(ctx, mutates=False)
    upload = do_not_reach_upload(call.account, list_)
    options = ListSyncOptions(rejected.failed_out, rejected.force, skip_invalid=skip_invalid)
    _diff(call, files, upload, feed, options, page, prune=prune)


def _sync(
    call: Invocation,
    files: list[str],
    upload: "UserUpload",
    feed: ListOptions,
    options: ListSyncOptions,
    page: PageOptions,
    min_rows: str | None,
    *,
    prune: bool,
    allow_clear_text: bool = False,
) -> None:
    from ...uploads.job_file import UploadTarget
    from ..uploads.push import PushCommand

    max_delete = parse_share(options.max_delete, "--max-delete")
    place = UploadTarget(call.service, upload.kind, upload.target)
    size_check = FeedSizeCheck(call, min_rows, place)
    with ListRunReport(call, page.report, files, force=options.force).written() as run:
        plan = _plan(call, files, upload, feed, prune=prune, allow_clear_text=allow_clear_text)
        steps = _SyncSteps(
            call=call,
            plan=plan,
            feed=feed,
            activity="Syncing",
            size_check=size_check,
            options=options,
            max_delete=max_delete,
            page=run,
        )
        try:
            run.watch_list(plan)
            PushCommand(steps, options).run()
        finally:
            plan.close()


def _diff(
    call: Invocation,
    files: list[str],
    upload: "UserUpload",
    feed: ListOptions,
    options: ListSyncOptions,
    page: PageOptions,
    *,
    prune: bool,
    allow_clear_text: bool = False,
) -> None:
    from ...uploads.rejected_rows import check_failed_out
    from ..uploads.validation import require_valid, write_invalid_rows

    with ListRunReport(call, page.report, files, force=options.force).written() as run:
        plan = _plan(
            call, files, upload, feed, prune=prune, allow_clear_text=allow_clear_text, compares_only=True
        )
        try:
            run.watch_list(plan)
            check_failed_out(options.failed_out_file, plan.rows)
            report = require_valid(
                call,
                plan,
                skip_invalid=options.skip_invalid,
                failed_out=options.failed_out_file,
                hint="nothing was compared; correct the file, or compare the valid rows with --skip-invalid",
            )
            steps = _SyncSteps(
                call=call,
                plan=plan,
                feed=feed,
                size_check=FeedSizeCheck(call, None, plan.target(call.service)),
                options=options,
                max_delete=parse_share(options.max_delete, "--max-delete"),
                page=run,
            )
            require_people(call, plan, feed)
            steps.compare()
            steps.show_differences(report.counts)
            write_invalid_rows(options.failed_out_file, plan, report)
        finally:
            plan.close()
        reasons = [f"{report.summary} and not compared"] if report.invalid else []
        if reasons := [*reasons, *filter(None, [steps.shortfall()])]:
            raise IncompleteError("\n".join(reasons))
        if plan.differences.counts:
            raise typer.Exit(DIFFERENCES_FOUND)


def _plan(
    call: Invocation,
    files: list[str],
    upload: "UserUpload",
    feed: ListOptions,
    *,
    prune: bool,
    allow_clear_text: bool,
    compares_only: bool = False,
) -> "ListSyncPlan":
    """Open the files, and note the write epoch that the list has before they are read."""
    from ...audiences.ledger import Ledger
    from ...audiences.sync_plan import ListSyncPlan
    from ...uploads.job_file import GROUP_VARIABLE
    from ..uploads.journal import current_epoch

    settings = list_settings(call, feed, upload, OperationOptions(), allow_clear_text=allow_clear_text)
    place = settings.place(call.service)
    epoch = None  # parts of one list only add people, and may do so at the same time
    if not (call.dry_run or compares_only or (call.settings.environ.get(GROUP_VARIABLE) and not prune)):
        epoch = current_epoch(call, place)
    return ListSyncPlan(
        plan_lists(call, files, feed, settings, reads_all=True),
        settings,
        Ledger(call.settings.state_dir, place),
        stores_memo=not (call.dry_run or compares_only),
        prune=prune,
        expected_epoch=epoch,
    )


class _SyncSteps(ListHooks, kw_only=True):
    """Steps of a sync of a list."""

    plan: "ListSyncPlan"
    size_check: FeedSizeCheck
    options: ListSyncOptions
    max_delete: CountOrShare
    page: ListRunReport
    correction: str = CORRECT_AND_SYNC

    def validated(self) -> None:
        """Compare the file with what was acknowledged."""
        super().validated()
        self.size_check.check(self.plan.rows, self.plan.report)
        self.compare()

    def compare(self) -> None:
        """Compare the file with what was acknowledged, and say what is not known."""
        plan = self.plan
        self.page.is_validated = True
        if plan.has_params_columns:
            raise ContentError(
                f"{plan.rows.source.label} tells of each person whether to add or to delete them, or when,"
                " and a sync adds everybody in the file",
                hint="leave the column out with --ignore COLUMN, or send the file with 'audiences push'",
            )
        found = plan.compare()
        self.page.is_compared, self.page.shortfall = True, self.shortfall()
        if doubt := self._doubt(found):
            self.call.messages.warn(doubt)

    def _doubt(self, found: "ListDifferences") -> str:
        """Say why everybody in the file is sent; empty where what was acknowledged is known."""
        from ...audiences.ledger import Trust

        nobody = " and nobody is deleted" if self.plan.prune else ""
        if found.ledger.trust is Trust.MISSING:
            return f"this machine has no ledger of {self._target}: everybody in the file is new{nobody}"
        if found.ledger.trust is not Trust.FULL:
            return f"{found.ledger.reason}: everybody in the file is sent to {self._target}{nobody}"
        return ""

    def show_dry_run(self, summary: "Summary") -> None:
        """Print the counts."""
        self.show_differences(summary.report.counts)
        if excess := self._excess():
            self.call.messages.warn(excess)

    def show_differences(self, counts: "dict[str, int]") -> None:
        """Print what a sync would do."""
        from ...audiences.sync_plan import STATUSES

        found = self.plan.differences
        document = {
            "job": None,
            **counts,
            "batches": self.plan.batch_count,
            **self.plan.totals(self.plan.report),
            **{name: found.counts[name] for name in STATUSES},
        }
        if self.call.printer.is_for_people:
            parts = [f"{found.counts[name]:,} to be {name}" for name in STATUSES[:-1]]
            parts.append(f"{found.unchanged:,} unchanged")
            if found.missing and not self.plan.prune:
                parts.append(f"{found.missing:,} in no row, whom --prune deletes")
            print(", ".join(parts), flush=True)
        else:
            self.call.printer.show(document, tuple(document), "job")

    def confirm(self) -> None:
        """Ask before people are deleted; raise where they are too many."""
        deletions = self.plan.differences.counts["deleted"]
        if excess := self._excess():
            raise NotConfirmedError(
                excess,
                hint="nothing was sent; 'audiences diff --prune' counts who would be deleted; "
                f"if that is right, add --max-delete {deletions}",
            )
        self._note_recent_change()
        if deletions:
            people = counted(deletions, "person", "people")
            self.call.confirm(f"Delete {people} from {self._target}")

    def _excess(self) -> str:
        """Say that more people would be deleted than may be; empty where they are not."""
        found = self.plan.differences
        deletions = found.counts["deleted"]
        if deletions <= self.max_delete.of(found.known):
            return ""
        return (
            f"{deletions:,} of {counted(found.known, 'acknowledged person', 'acknowledged people')} are not"
            f" in the file, and --max-delete is {self.options.max_delete}"
        )

    def _note_recent_change(self) -> None:
        """Say that the service may still be applying the last change of the list."""
        found = self.plan.differences
        changed = found.ledger.info.changed
        if not changed or not found.counts:
            return
        age = datetime.now(UTC) - datetime.fromisoformat(changed)
        if timedelta() <= age < PROCESSING:
            ago = duration(age.total_seconds())
            self.call.messages.note(
                f"{self._target} was changed {ago} ago, and the service takes six to eight hours"
                " for a change: change a list once in that time",
                "warning",
            )

    def shortfall(self) -> str:
        """Say that people who are in no row are not deleted, and what to do; empty where all are."""
        from ...audiences.ledger import Trust

        found = self.plan.differences
        if not (self.plan.prune and found.withheld) or found.ledger.trust is Trust.MISSING:
            return ""
        if found.ledger.trust is Trust.FULL:
            missing = counted(found.missing, "person", "people") + " in no row"
            then = "correct these rows, and run this again"
            return (
                f"{missing} not deleted from {self._target}: {found.withheld}; {then}"
                if found.missing
                else ""
            )
        if found.ledger.trust is Trust.LOST:
            then = (
                "it begins again with the people of this run; who left before stays, until a file of them is"
                " sent with 'audiences push --operation delete'"
            )
        else:
            then = "run this once more, which deletes who is in no row"
        return f"nobody deleted from {self._target}, since its ledger cannot be relied on; {then}"

    @property
    def _target(self) -> str:
        return self.plan.upload.users.target

    def ended(self, summary: "Summary", result: "PushResult | None") -> None:
        """Remember the rows of a file that was sent whole, and tell the page."""
        self.page.take_push(summary, result)
        if result and result.is_complete:
            self.size_check.store(self.plan.rows, self.plan.report)
