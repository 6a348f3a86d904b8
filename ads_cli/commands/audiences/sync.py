"""Make a list in the account equal to its file, or show what differs."""

from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Annotated

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...console.shown import shows
from ...errors import DIFFERENCES_FOUND, ContentError, IncompleteError
from ...numbers import DeletionLimit, Deletions
from ...output.text import Lines, counted, duration
from ...store.epochs import UploadTarget
from ..runs.feed_size import FeedSizeCheck, MinRows
from ..runs.options import Lists, PushOptions, RejectedOptions, with_options
from ..runs.shown import SUMMARY
from . import list_settings
from .lists import AudienceTarget, DoNotReachTarget, ListOptions, Target, clear_text_notice, require_people

PROCESSING_HOURS = (6, 8)  # that the service takes for a change of a list, at least and at most
Prune = Annotated[bool, flag("Delete people who were acknowledged and are in the file no longer")]


class ListDiffOptions(RejectedOptions, frozen=True):
    """How a list is compared."""

    prune: Prune = False
    skip_invalid: Annotated[bool, flag("Compare the valid rows, and end with 9")] = False


class ListSyncOptions(PushOptions, frozen=True):
    """How differences are sent."""

    prune: Prune = False
    max_delete: Annotated[
        str, option("N|P%", "With --prune: send nothing where more people would be deleted")
    ] = "10%"
    min_rows: MinRows = None


@shows(SUMMARY)
@with_options(target=AudienceTarget, feed=ListOptions, options=ListSyncOptions, default_concurrency=3)
def sync(
    ctx: typer.Context, files: Lists, target: AudienceTarget, feed: ListOptions, options: ListSyncOptions
) -> None:
    """Make a custom audience equal to a list of people.

    The service cannot say who is in an audience. So the list is compared with what it has acknowledged to
    this machine. Who is new is added. With --prune, who left is deleted; it asks first. If more than
    --max-delete would be deleted, nothing is sent. The default is 10 % of those acknowledged.

    Nobody is deleted who is in any row, even an invalid one. Nobody is deleted where what was acknowledged is
    outdated or lost.

    For example: adsctl audiences sync customers.csv --audience 1nmth --prune --dry-run
    """
    _sync(Invocation.of(ctx), files, target, feed, options)


@shows(SUMMARY)
@with_options(target=DoNotReachTarget, feed=ListOptions, options=ListSyncOptions, default_concurrency=3)
def sync_do_not_reach(
    ctx: typer.Context, files: Lists, target: DoNotReachTarget, feed: ListOptions, options: ListSyncOptions
) -> None:
    """Make a do-not-reach list equal to a list of people, as `audiences sync` does.

    For example: adsctl audiences do-not-reach sync unsubscribed.csv --list 3k1a7 --prune --dry-run
    """
    _sync(Invocation.of(ctx), files, target, feed, options)


@shows(SUMMARY)
@with_options(target=AudienceTarget, feed=ListOptions, options=ListDiffOptions)
def diff(
    ctx: typer.Context, files: Lists, target: AudienceTarget, feed: ListOptions, options: ListDiffOptions
) -> None:
    """Count how a list of people differs from what a custom audience has acknowledged.

    Nothing is changed, and the service is asked for the audience only. Ends with 10 if a sync with the same
    options would change the audience. Who is in no row is deleted with --prune only.

    For example: adsctl audiences diff customers.csv --audience 1nmth --prune
    """
    _diff(Invocation.of(ctx, mutates=False), files, target, feed, options)


@shows(SUMMARY)
@with_options(target=DoNotReachTarget, feed=ListOptions, options=ListDiffOptions)
def diff_do_not_reach(
    ctx: typer.Context, files: Lists, target: DoNotReachTarget, feed: ListOptions, options: ListDiffOptions
) -> None:
    """Count how a list of people differs from what a do-not-reach list has acknowledged.

    For example: adsctl audiences do-not-reach diff unsubscribed.csv --list 3k1a7 --prune
    """
    _diff(Invocation.of(ctx, mutates=False), files, target, feed, options)


def _sync(
    call: Invocation, files: list[str], target: Target, feed: ListOptions, options: ListSyncOptions
) -> None:
    from ..runs.sending import CORRECT_AND_SYNC, Sending

    with clear_text_notice(call, options):
        max_delete = DeletionLimit.parse(options.max_delete)
        size_check = FeedSizeCheck(call, options.min_rows, whole=options.prune)
        run = ListSync(call, files, target, feed, prune=options.prune, sends=not call.dry_run)
        plan = run.plan

        def compare() -> None:
            require_people(call, plan, feed)
            size_check.check(plan)
            run.compare()

        sending = Sending(call, plan, options, "Syncing")
        sending.read(compare)
        if not sending.approve(lambda: run.confirm(max_delete)):
            run.show_dry_run(max_delete)
            return
        with sending.begun() as journal:
            result = sending.send(journal)
            if result.is_complete:
                size_check.store(plan)
            sending.end(result, shortfall=run.shortfall(), correction=CORRECT_AND_SYNC)


def _diff(
    call: Invocation, files: list[str], target: Target, feed: ListOptions, options: ListDiffOptions
) -> None:
    from ...runs.rejected_rows import check_failed_out
    from ..runs.validation import require_valid, write_invalid_rows

    with clear_text_notice(call, options):
        run = ListSync(call, files, target, feed, prune=options.prune, sends=False)
        run.require_list()
        plan = run.plan
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
        run.compare()
        run.show_differences()
        write_invalid_rows(options.failed_out_file, plan, report)
        reasons = [f"{report.summary} and not compared"] if report.invalid else []
        if reasons := [*reasons, *filter(None, [run.shortfall()])]:
            raise IncompleteError(Lines(reasons))
        if plan.differences.counts:
            raise typer.Exit(DIFFERENCES_FOUND)


class ListSync:
    """A sync of a list, or a comparison alone: its plan, and what it says and asks."""

    def __init__(
        self,
        call: Invocation,
        files: list[str],
        target: Target,
        feed: ListOptions,
        *,
        prune: bool,
        sends: bool,
    ) -> None:
        from ...audiences.ledger import Ledger
        from ...audiences.sync_plan import ListSyncPlan
        from ...runs.job import GROUP_VARIABLE
        from ..runs.journal import current_epoch

        self.call = call
        settings = list_settings(call, feed, target)
        upload = settings.upload
        self._field, self._id = target.field, upload.target
        target_of_run = UploadTarget(call.service, upload.kind, upload.target)
        is_part = bool(call.settings.environ.get(GROUP_VARIABLE)) and not prune
        # Parts of one list only add people, and may do so at the same time. Others note the write epoch that
        # the list has before its file is read.
        epoch = current_epoch(call, target_of_run) if sends and not is_part else None
        rows = feed.open_all(call, files, settings.columns)
        ledger = Ledger(call.settings.state_dir, target_of_run)
        self.plan = ListSyncPlan(rows, settings, ledger, prune=prune, expected_epoch=epoch)

    @cached_property
    def _target(self) -> str:
        """The list, by its name and id."""
        return self.call.records.label(self._field, self._id)

    def require_list(self) -> None:
        """Raise NotFoundError where the list does not exist."""
        self.call.records.require(self._field, self._id)

    def compare(self) -> None:
        """Compare the file with what was acknowledged; say where that is not known."""
        from ...audiences.ledger import Trust

        plan = self.plan
        if plan.has_params_columns:
            raise ContentError(
                f"{plan.rows.source.label} tells of each person whether to add or to delete them, or when,"
                " and a sync adds everybody in the file",
                hint="leave the column out with --ignore COLUMN, or send the file with 'audiences push'",
            )
        opened = plan.compare().ledger
        nobody = " and nobody is deleted" if plan.prune else ""
        if opened.trust is Trust.MISSING:
            self.call.messages.warn(
                f"this machine has no ledger of {self._target}: everybody in the file is new{nobody}"
            )
        elif opened.trust is not Trust.FULL:
            self.call.messages.warn(
                f"{opened.reason}: everybody in the file is sent to {self._target}{nobody}"
            )

    def show_dry_run(self, max_delete: DeletionLimit) -> None:
        """Print the counts, and warn where a sync would delete too many."""
        self.show_differences()
        if excess := self._deletions(max_delete).excess:
            self.call.messages.warn(excess)

    def show_differences(self) -> None:
        """Print what a sync would do."""
        from ...audiences.sync_plan import STATUSES

        differences = self.plan.differences
        document = {
            "job": None,
            **self.plan.report.counts,
            "batches": self.plan.batch_count,
            **self.plan.totals(),
            **{name: differences.counts[name] for name in STATUSES},
        }
        if self.call.printer.is_for_people:
            parts = [f"{differences.counts[name]:,} to be {name}" for name in STATUSES[:-1]]
            parts.append(f"{differences.unchanged:,} unchanged")
            if differences.missing and not self.plan.prune:
                parts.append(f"{differences.missing:,} in no row, whom --prune deletes")
            print(", ".join(parts), file=self.call.out, flush=True)
        else:
            self.call.printer.show(document, tuple(document), "job")

    def confirm(self, max_delete: DeletionLimit) -> None:
        """Ask before people are deleted; raise where they are too many."""
        deletions = self._deletions(max_delete)
        deletions.require_few("nothing was sent; 'audiences diff --prune' counts who would be deleted")
        self._note_recent_change()
        if deletions.number:
            people = counted(deletions.number, "person", "people")
            self.call.confirm(f"Delete {people} from {self._target}")

    def _deletions(self, limit: DeletionLimit) -> Deletions:
        differences = self.plan.differences
        count, known = differences.counts["deleted"], differences.known
        of = counted(known, "acknowledged person", "acknowledged people")
        return Deletions(count, known, f"{count:,} of {of} are not in the file", limit)

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
        reason, trust = differences.withheld_reason, differences.ledger.trust
        if not (self.plan.prune and reason) or trust is Trust.MISSING:
            return ""
        if trust is Trust.FULL:
            if not differences.missing:
                return ""
            missing = counted(differences.missing, "person", "people")
            remedy = "correct these rows, and run this again"
            return f"{missing} in no row not deleted from {self._target}: {reason}; {remedy}"
        if trust is Trust.LOST:
            remedy = (
                "it begins again with the people of this run; who left before stays, until a file of them is"
                " sent with 'audiences push --operation delete'"
            )
        else:
            remedy = "run this once more, which deletes who is in no row"
        return f"nobody deleted from {self._target}, since its ledger cannot be relied on; {remedy}"
