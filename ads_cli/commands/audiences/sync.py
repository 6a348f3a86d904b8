"""Make a list in the account equal to its file, or show what differs."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

import msgspec
import typer

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...errors import DIFFERENCES_FOUND, ContentError, IncompleteError, NotConfirmedError
from ...numbers import DeletionLimit
from ...output.text import Lines, counted, duration
from ...store.epochs import UploadTarget
from ..products.feed_checks import FeedSizeCheck, MinRows
from ..uploads.hooks import CORRECT_AND_SYNC
from ..uploads.options import Lists, PushOptions, RejectedOptions, with_options
from . import AllowClearText, ListHooks, OperationOptions, list_settings
from .lists import ListOptions, clear_text_notice, plan_list, require_people

if TYPE_CHECKING:
    from ...audiences.comparison import ListDifferences
    from ...audiences.sync_plan import ListSyncPlan
    from ...audiences.upload import UserUpload
    from ...uploads.push import PushResult, Summary

PROCESSING_HOURS = (6, 8)  # that the service takes for a change of a list, at least and at most
Prune = Annotated[bool, flag("Delete people who were acknowledged and are in the file no longer")]
SkipInvalid = Annotated[bool, flag("Compare the valid rows, and end with 9")]


class AudienceTarget(msgspec.Struct, frozen=True):
    """A custom audience that a list is compared with, and how."""

    audience: Annotated[str, option("ID", "The custom audience")]
    prune: Prune = False
    allow_clear_text: AllowClearText = False

    def upload(self, account: str) -> "UserUpload":
        """Return the upload of people to it."""
        from ...audiences.upload import audience_upload

        return audience_upload(account, self.audience)


class DoNotReachTarget(msgspec.Struct, frozen=True):
    """A do-not-reach list that a list is compared with, and how."""

    list_: Annotated[str, option("ID", "The do-not-reach list", "--list")]
    prune: Prune = False
    allow_clear_text: ClassVar[bool] = False

    def upload(self, account: str) -> "UserUpload":
        """Return the upload of people to it."""
        from ...audiences.upload import do_not_reach_upload

        return do_not_reach_upload(account, self.list_)


Target: TypeAlias = AudienceTarget | DoNotReachTarget


class ListSyncOptions(PushOptions, frozen=True):
    """How differences are sent."""

    max_delete: Annotated[
        str, option("N|P%", "With --prune: send nothing where more people would be deleted")
    ] = "10%"


@with_options(target=AudienceTarget, feed=ListOptions, options=ListSyncOptions, default_concurrency=3)
def sync(
    ctx: typer.Context,
    files: Lists,
    target: AudienceTarget,
    feed: ListOptions,
    options: ListSyncOptions,
    min_rows: MinRows = None,
) -> None:
    """Make a custom audience equal to a list of people.

    The service cannot say who is in an audience. So the list is compared with what it has acknowledged to
    this machine. Who is new is added. With --prune, who left is deleted; it asks first. If more than
    --max-delete would be deleted, nothing is sent. The default is 10 % of those acknowledged.

    Nobody is deleted who is in any row, even an invalid one. Nobody is deleted where what was acknowledged is
    outdated or lost.

    For example: adsctl audiences sync customers.csv --audience 1nmth --prune --dry-run
    """
    _sync(Invocation.of(ctx), files, target, feed, options, min_rows)


@with_options(
    target=DoNotReachTarget,
    feed=ListOptions,
    options=ListSyncOptions,
    default_concurrency=3,
)
def sync_do_not_reach(
    ctx: typer.Context,
    files: Lists,
    target: DoNotReachTarget,
    feed: ListOptions,
    options: ListSyncOptions,
    min_rows: MinRows = None,
) -> None:
    """Make a do-not-reach list equal to a list of people, as `audiences sync` does.

    For example: adsctl audiences do-not-reach sync unsubscribed.csv --list 3k1a7 --prune --dry-run
    """
    _sync(Invocation.of(ctx), files, target, feed, options, min_rows)


@with_options(target=AudienceTarget, feed=ListOptions, rejected=RejectedOptions)
def diff(
    ctx: typer.Context,
    files: Lists,
    target: AudienceTarget,
    skip_invalid: SkipInvalid = False,
    *,
    feed: ListOptions,
    rejected: RejectedOptions,
) -> None:
    """Count how a list of people differs from what a custom audience has acknowledged.

    Nothing is changed, and the service is not asked. Ends with 10 if a sync with the same options would
    change the audience. Who is in no row is deleted with --prune only.

    For example: adsctl audiences diff customers.csv --audience 1nmth --prune
    """
    options = ListSyncOptions(rejected.failed_out, rejected.force, skip_invalid=skip_invalid)
    _diff(Invocation.of(ctx, mutates=False), files, target, feed, options)


@with_options(target=DoNotReachTarget, feed=ListOptions, rejected=RejectedOptions)
def diff_do_not_reach(
    ctx: typer.Context,
    files: Lists,
    target: DoNotReachTarget,
    skip_invalid: SkipInvalid = False,
    *,
    feed: ListOptions,
    rejected: RejectedOptions,
) -> None:
    """Count how a list of people differs from what a do-not-reach list has acknowledged.

    For example: adsctl audiences do-not-reach diff unsubscribed.csv --list 3k1a7 --prune
    """
    options = ListSyncOptions(rejected.failed_out, rejected.force, skip_invalid=skip_invalid)
    _diff(Invocation.of(ctx, mutates=False), files, target, feed, options)


def _sync(
    call: Invocation,
    files: list[str],
    target: Target,
    feed: ListOptions,
    options: ListSyncOptions,
    min_rows: str | None,
) -> None:
    from ..uploads.push import PushCommand

    with (
        clear_text_notice(call, options),
        _steps(call, files, target, feed, options, min_rows) as steps,
    ):
        PushCommand(steps, options).run()


def _diff(
    call: Invocation,
    files: list[str],
    target: Target,
    feed: ListOptions,
    options: ListSyncOptions,
) -> None:
    from ...uploads.rejected_rows import check_failed_out
    from ..uploads.validation import require_valid, write_invalid_rows

    with (
        clear_text_notice(call, options),
        _steps(call, files, target, feed, options, compares_only=True) as steps,
    ):
        plan = steps.plan
        check_failed_out(options.failed_out_file, plan.rows)
        report = require_valid(
            call,
            plan,
            skip_invalid=options.skip_invalid,
            failed_out=options.failed_out_file,
            hint="nothing was compared; correct the file, or compare the valid rows with --skip-invalid",
            skipped="not compared",
        )
        require_people(call, plan, feed)
        steps.compare()
        steps.show_differences(report.counts)
        write_invalid_rows(options.failed_out_file, plan, report)
        reasons = [f"{report.summary} and not compared"] if report.invalid else []
        if reasons := [*reasons, *filter(None, [steps.shortfall()])]:
            raise IncompleteError(Lines(reasons))
        if plan.differences.counts:
            raise typer.Exit(DIFFERENCES_FOUND)


@contextmanager
def _steps(
    call: Invocation,
    files: list[str],
    target: Target,
    feed: ListOptions,
    options: ListSyncOptions,
    min_rows: str | None = None,
    *,
    compares_only: bool = False,
) -> "Iterator[_SyncSteps]":
    """Open the files; yield the steps of a sync, or of a comparison alone."""
    from ...audiences.ledger import Ledger
    from ...audiences.sync_plan import ListSyncPlan
    from ...uploads.job import GROUP_VARIABLE
    from ..uploads.journal import current_epoch

    max_delete = DeletionLimit.parse(options.max_delete)
    upload = target.upload(call.account)
    place = UploadTarget(call.service, upload.kind, upload.target)
    size_check = FeedSizeCheck(call, min_rows, place, whole=target.prune)
    settings = list_settings(call, feed, upload, OperationOptions(), allow_clear_text=target.allow_clear_text)
    is_stored = not (call.dry_run or compares_only)
    is_part = bool(call.settings.environ.get(GROUP_VARIABLE)) and not target.prune
    # Parts of one list only add people, and may do so at the same time. Others note the write epoch that
    # the list has before its file is read.
    epoch = current_epoch(call, place) if is_stored and not is_part else None
    lists = plan_list(call, files, feed, settings)
    ledger = Ledger(call.settings.state_dir, place)
    with closing(ListSyncPlan(lists, settings, ledger, prune=target.prune, expected_epoch=epoch)) as plan:
        yield _SyncSteps(
            call=call,
            plan=plan,
            feed=feed,
            activity="Syncing",
            size_check=size_check,
            options=options,
            max_delete=max_delete,
        )


class _SyncSteps(ListHooks, kw_only=True):
    """Steps of a sync of a list."""

    plan: "ListSyncPlan"
    size_check: FeedSizeCheck
    options: ListSyncOptions
    max_delete: DeletionLimit
    correction: str = CORRECT_AND_SYNC

    def validated(self) -> None:
        """Compare the file with what was acknowledged."""
        super().validated()
        self.size_check.check(self.plan.rows, self.plan.report)
        self.compare()

    def compare(self) -> None:
        """Compare the file with what was acknowledged, and say what is not known."""
        plan = self.plan
        if plan.has_params_columns:
            raise ContentError(
                f"{plan.rows.source.label} tells of each person whether to add or to delete them, or when,"
                " and a sync adds everybody in the file",
                hint="leave the column out with --ignore COLUMN, or send the file with 'audiences push'",
            )
        differences = plan.compare()
        if doubt := self._doubt(differences):
            self.call.messages.warn(doubt)

    def _doubt(self, differences: "ListDifferences") -> str:
        """Say why everybody in the file is sent; empty where what was acknowledged is known."""
        from ...audiences.ledger import Trust

        nobody = " and nobody is deleted" if self.plan.prune else ""
        if differences.ledger.trust is Trust.MISSING:
            return f"this machine has no ledger of {self._target}: everybody in the file is new{nobody}"
        if differences.ledger.trust is not Trust.FULL:
            return f"{differences.ledger.reason}: everybody in the file is sent to {self._target}{nobody}"
        return ""

    def show_dry_run(self, summary: "Summary") -> None:
        """Print the counts."""
        self.show_differences(summary.report.counts)
        if excess := self._excess():
            self.call.messages.warn(excess)

    def show_differences(self, counts: "dict[str, int]") -> None:
        """Print what a sync would do."""
        from ...audiences.sync_plan import STATUSES

        differences = self.plan.differences
        document = {
            "job": None,
            **counts,
            "batches": self.plan.batch_count,
            **self.plan.totals(self.plan.report),
            **{name: differences.counts[name] for name in STATUSES},
        }
        if self.call.printer.is_for_people:
            parts = [f"{differences.counts[name]:,} to be {name}" for name in STATUSES[:-1]]
            parts.append(f"{differences.unchanged:,} unchanged")
            if differences.missing and not self.plan.prune:
                parts.append(f"{differences.missing:,} in no row, whom --prune deletes")
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
        differences = self.plan.differences
        deletions = differences.counts["deleted"]
        of = counted(differences.known, "acknowledged person", "acknowledged people")
        return self.max_delete.excess(
            deletions, differences.known, f"{deletions:,} of {of} are not in the file"
        )

    def _note_recent_change(self) -> None:
        """Say that the service may still be applying the last change of the list."""
        differences = self.plan.differences
        changed = differences.ledger.changed
        if not changed or not differences.counts:
            return
        age = datetime.now(UTC) - datetime.fromisoformat(changed)
        least, most = PROCESSING_HOURS
        if timedelta() <= age < timedelta(hours=least):
            ago = duration(age.total_seconds())
            self.call.messages.note(
                f"{self._target} was changed {ago} ago, and the service takes {least} to {most} hours"
                " for a change: change a list once in that time",
                "warning",
            )

    def shortfall(self) -> str:
        """Say that people who are in no row are not deleted, and what to do. Return "" if all are deleted."""
        from ...audiences.ledger import Trust

        differences = self.plan.differences
        if not (self.plan.prune and differences.withheld) or differences.ledger.trust is Trust.MISSING:
            return ""
        if differences.ledger.trust is Trust.FULL:
            missing = counted(differences.missing, "person", "people") + " in no row"
            then = "correct these rows, and run this again"
            return (
                f"{missing} not deleted from {self._target}: {differences.withheld}; {then}"
                if differences.missing
                else ""
            )
        if differences.ledger.trust is Trust.LOST:
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
        """Remember the rows of a file that was sent whole."""
        if result and result.is_complete:
            self.size_check.store(self.plan.rows, self.plan.report)
