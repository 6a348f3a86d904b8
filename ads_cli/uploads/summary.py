"""What a push comes to: a summary for people and programs, and an exit code that tells the truth."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import AdsctlError, ContentError, Interrupted, NotFoundError
from ..output.printer import Printer
from ..output.text import counted
from ..validation.report import ValidationReport
from .upload import FAILED


@dataclass(frozen=True)
class Summary:
    """One job: what became of every acknowledged row, in this run and earlier ones, and what it took."""

    job: str | None
    findings: ValidationReport
    batches: int
    counts: Mapping[str, int]  # rows by status, FAILED among them
    requests: int
    retries: int
    seconds: float
    extra: Mapping[str, int]  # that this kind of upload counts
    earlier: int  # rows that earlier runs of the job had acknowledged
    skipped: int | None = None  # rows that are as they were last acknowledged; None where that was not asked

    def as_dict(self) -> dict[str, Any]:
        """Give what programs read."""
        return {
            "job": self.job,
            "rows": self.findings.rows,
            "valid": self.findings.valid,
            "invalid": self.findings.invalid,
            "batches": self.batches,
            **({} if self.skipped is None else {"skipped": self.skipped}),
            **self.extra,
            **self.counts,
            "requests": self.requests,
            "retries": self.retries,
            "seconds": self.seconds,
        }

    def as_text(self, name: str) -> str:
        """Write what a person is glad to read."""
        acknowledged = sum(self.counts.values())
        counts = dict(self.counts)
        if self.skipped is not None:
            counts["skipped"] = self.skipped
        if left := self.findings.valid - (self.skipped or 0) - acknowledged:
            counts["not sent"] = left
        fresh = acknowledged - self.earlier
        speed = f", {fresh / self.seconds:,.0f} rows/s" if fresh and self.seconds else ""
        requests = f"{counted(self.requests, 'request')}, {self.retries:,} of them retries"
        return "\n".join(
            [
                f"{name}: {counted(self.findings.rows, 'row')}, {self.findings.invalid:,} invalid",
                *(f"  {status:<10} {count:>10,}" for status, count in counts.items()),
                f"  {requests}, {self.seconds:,.1f} s{speed}",
            ]
        )

    def show(self, printer: Printer, name: str) -> None:
        """Print it."""
        if printer.format == "table" and not printer.query and not printer.columns:
            print(self.as_text(name), flush=True)
        else:
            document = self.as_dict()
            printer.show(document, tuple(document), "job")

    @property
    def verdict(self) -> str:
        """Say how many rows were refused or left out; nothing where none was."""
        refused, invalid = self.counts[FAILED], self.findings.invalid
        parts = [f"{counted(refused, 'row')} refused by the service"] if refused else []
        parts += [f"{counted(invalid, 'invalid row')} left out"] if invalid else []
        return " and ".join(parts)


def correction(failed_out: str | None) -> str:
    """Say how to get at the rows that were refused or left out."""
    if failed_out:
        return f"they are in {failed_out}, with the reasons; correct it and push it"
    return "--failed-out FILE writes them to a file, with the reasons"


def way_on(stopped: AdsctlError | Interrupted) -> str:
    """Say how to go on after a run that stopped early."""
    if isinstance(stopped, ContentError | NotFoundError):
        return stopped.hint  # the file has changed, or the place is not there: it has to be another push
    return "; ".join(filter(None, (stopped.hint, f"{resume_command()} goes on where it stopped")))


def resume_command() -> str:
    """Write the command that goes on with this job: the one that was typed, with --resume."""
    words = [word for word in sys.argv[1:] if word != "--resume"]
    return f"'{shlex.join(['adsctl', *words, '--resume'])}'"
