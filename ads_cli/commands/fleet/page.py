"""The page about a run of a fleet."""

from collections import Counter
from collections.abc import Sequence

from ...console.output_file import RunReport, failure_details, time_made
from ...fleet.engine import Status, TaskResult, numbers, reason, totals
from ...output.text import counted, duration
from ...report import Badge, Bar, Cell, Chart, Column, Level, ReportPage, ReportTable, Section, Tally

LEVELS: dict[Status, Level] = {"ok": "good", "failed": "error", "skipped": "warning"}
LONGEST = 15  # tasks of the chart


class FleetReport(RunReport):
    """The results of a run, which its page shows; its texts are those of records, which hold no secret."""

    began = ""  # as the page shows it
    results: Sequence[TaskResult] = ()

    def page(self) -> ReportPage:
        """Return the page about the run."""
        results, counts = self.results, Counter(result.status for result in self.results)
        failed = [result for result in results if result.status == "failed"]
        sections = [Section("What failed", [_table("Failed tasks", failed)])] if failed else []
        sections.append(Section("All tasks", [_table("Tasks", results)]))
        if ran := [result for result in results if result.seconds]:
            sections.append(Section("Time", [_chart(ran)]))
        return ReportPage(
            title=self.subject,
            level="error" if self.error else "good",
            headline=_headline(counts, len(results)),
            details=[*failure_details(self.error, in_headline=True)],
            facts=[("Began", self.began), time_made()],
            tallies=[
                *(Tally(status, counts[status], LEVELS[status]) for status in LEVELS if counts[status]),
                *(Tally(f"{name} in all", count) for name, count in totals(results).items()),
            ],
            sections=sections,
        )


def _headline(counts: Counter[Status], total: int) -> str:
    if counts["ok"] == total:
        return f"{counted(total, 'task')} ended well"
    others = [
        f"{counts['failed']:,} failed",
        *([f"{counts['skipped']:,} not started"] if counts["skipped"] else []),
    ]
    return f"{counts['ok']:,} of {counted(total, 'task')} ended well; {', '.join(others)}"


def _table(title: str, results: Sequence[TaskResult]) -> ReportTable:
    names = ("Task", "Profile", "Status")
    columns = [*map(Column, names), Column("Seconds", "number"), Column("Worker"), Column("Result")]
    return ReportTable(title, columns, [_row(result) for result in results], "task")


def _row(result: TaskResult) -> list[Cell]:
    done = tuple(f"{count:,} {name}" for name, count in numbers(result.summary).items())
    return [
        result.task,
        result.profile,
        Badge(result.status, LEVELS[result.status]),
        round(result.seconds),
        result.worker or "",
        (reason(result), *done) if result.status == "failed" else done,
    ]


def _chart(ran: Sequence[TaskResult]) -> Chart:
    longest = sorted(ran, key=lambda result: -result.seconds)[:LONGEST]
    bars = [Bar(result.task, round(result.seconds)) for result in longest]
    seconds = sum(result.seconds for result in ran)
    return Chart("Seconds of the longest tasks", bars, round(seconds) or 1, f"Together {duration(seconds)}.")
