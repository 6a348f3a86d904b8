"""The summary of a push."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..output.text import counted
from ..validation.report import ValidationReport
from .batch import FAILED


@dataclass(frozen=True)
class Summary:
    """What became of the rows of one job, in this run and earlier ones."""

    job: str | None
    report: ValidationReport
    batches: int
    due: int  # rows to be sent
    counts: Mapping[str, int]  # acknowledged rows by status, FAILED among them
    requests: int
    retries: int
    seconds: float
    extra: Mapping[str, int]  # counts of this kind of upload, such as `skipped` or `users`
    earlier: int  # rows that earlier runs of the job acknowledged

    def as_dict(self) -> dict[str, Any]:
        """Return what programs read."""
        return {
            "job": self.job,
            **self.report.counts,
            "batches": self.batches,
            **self.extra,
            **self.counts,
            "requests": self.requests,
            "retries": self.retries,
            "seconds": self.seconds,
        }

    @property
    def acknowledged(self) -> int:
        """Count the rows that the service answered."""
        return sum(self.counts.values())

    @property
    def rejections(self) -> str:
        """Say how many rows were rejected or left out; empty where none was."""
        failed, invalid = self.counts[FAILED], self.report.invalid
        parts = [f"{counted(failed, 'row')} rejected by the service"] if failed else []
        parts += [f"{counted(invalid, 'invalid row')} not sent"] if invalid else []
        return " and ".join(parts)
