"""Pushes to a catalog that keep true what is remembered of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..console.invocation import Invocation
from ..output.text import counted
from ..uploads.jobs import Job, journals
from ..uploads.journal import Journal
from ..uploads.locks import alone, locked
from ..uploads.push import Push
from ..uploads.summary import Summary
from ..validation.report import ValidationReport
from .changes import ChangedValidator
from .digest_index import PRINT, cut, key_of
from .sync_state import SyncState
from .uploads import ProductDelete

if TYPE_CHECKING:
    from .verify import Comparison


@dataclass
class CatalogPush(Push):
    """A push, or a delete, that keeps true what is remembered of the catalog."""

    memory: SyncState = field(kw_only=True)

    def _open_journal(self, findings: ValidationReport) -> Journal:
        """Begin a job, and forget what is about to be sent."""
        journal = super()._open_journal(findings)
        try:
            if isinstance(self.check, ChangedValidator):
                self._strike_out(self.check, journal)
            elif isinstance(self.upload, ProductDelete):
                self._strike_keys()
            else:
                self.memory.drop()  # that another push has begun since this one did
        except BaseException:
            journal.close()
            raise
        return journal

    def _strike_out(self, check: ChangedValidator, journal: Journal) -> None:
        job = journal.job

        def alone_since(last: str) -> bool:
            own = not journal.resumed or last == job.job
            return own and not _others_at(journal.folder, job)

        check.forget()
        self.memory.invalidate(job.job, cut(check.prints, PRINT), alone_since=alone_since)

    def _strike_keys(self) -> None:
        if self.memory.exists():
            items: Iterator[Any] = (checked.item for checked in self.check)
            self.memory.invalidate_keys({key_of(item.product_key) for item in items if item})

    def _finish(self, journal: Journal) -> None:
        """Remember what was acknowledged, and note that everything was sent."""
        if isinstance(self.check, ChangedValidator):
            known = self.memory.commit(journal.job.job, self.check.acknowledged(journal.path))
            if not known:
                self.call.messages.warn(
                    "something else was sent to this catalog meanwhile: the rows of this push "
                    "are not remembered, and the next push --changed sends them again"
                )
        super()._finish(journal)


@dataclass
class ChangedPush(CatalogPush):
    """A push of what has changed since the service last acknowledged it."""

    check: ChangedValidator
    verify: bool = field(default=False, kw_only=True)
    comparison: "Comparison | None" = None

    def _check(self) -> ValidationReport:
        """Check the whole file, and say how many rows are left out."""
        findings = super()._check()
        if self.verify and self.check.skipped:
            from .verify import Comparison

            self.comparison = Comparison(self.call)
            self.check.compare(self.comparison.stands)
            self.call.messages.say(self.comparison.told)
        if skipped := self.check.skipped:
            self.call.messages.say(f"{counted(skipped, 'row')} left out, as the service last acknowledged")
        return findings

    def _summary(self, findings: ValidationReport, journal: Journal | None) -> Summary:
        found = self.comparison.counts if self.comparison else {}
        return replace(super()._summary(findings, journal), skipped=self.check.skipped, extra=found)


def memory_of(call: Invocation) -> SyncState:
    """Find what is remembered of the catalog in use."""
    return SyncState(call.settings.state_dir, call.service, call.catalog)


def _others_at(folder: Path, own: Job) -> bool:
    """Tell whether another job is at work at the same place."""
    with alone(folder):
        for _, job, ended in journals(folder):
            if not ended and job.key != own.key and job.place == own.place:
                lock = locked(folder, job.key)
                if lock is None:
                    return True
                lock.release()
    return False
