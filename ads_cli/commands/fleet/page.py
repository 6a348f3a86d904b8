"""The page about a run of a fleet."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...console.output_file import RunReport, failure_details, time_made
from ...fleet.engine import Status, TaskResult, numbers, reason, totals
from ...output.text import counted, duration
from ...report import Badge, Bar, Cell, Chart, Column, Level, ReportPage, ReportTable, Section, Tally
from ..checking import FINDINGS, CheckFinding
from ..checking.page import LEVELS as LEVEL_OF

LEVELS: dict[Status, Level] = {"ok": "good", "failed": "error", "skipped": "warning"}
LONGEST = 15  # tasks of the chart


class FleetReport(RunReport):
    """The results of a run, which its page shows; its texts are those of records, which hold no secret."""

    began = ""  # as the page shows it
    results: Sequence[TaskResult] = ()

    def page(self) -> ReportPage:
        """Return the page about the run."""
        results, counts = self.results, Counter(result.status for result in self.results)
        findings = [*_findings(results)]
        severities = Counter(finding["severity"] for _, finding in findings)
        in_order = sorted(results, key=lambda result: result.status != "failed")
        sections = [Section("Tasks", [_table("All tasks, failed ones first", in_order)])]
        if findings:
            sections.insert(0, Section("Findings", [_finding_table(findings)]))
        if ran := [result for result in results if result.seconds]:
            sections.append(Section("Time", [_chart(ran)]))
        return ReportPage(
            title=self.subject,
            level="error" if self.error else next((LEVEL_OF[name] for name in severities), "good"),
            headline=_headline(counts, len(results)),
            details=[*failure_details(self.error, in_headline=True)],
            facts=[("Began", self.began.replace("T", " ").replace("Z", " UTC")), time_made()],
            tallies=[
                *(Tally(status, counts[status], LEVELS[status]) for status in LEVELS if counts[status]),
                *(Tally(f"{name} in all", count) for name, count in totals(results).items()),
                *(Tally(severity, count, LEVEL_OF[severity]) for severity, count in severities.items()),
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
    return ReportTable(title, columns, [*map(_row, results)], "task").without_empty_columns()


def _findings(results: Sequence[TaskResult]) -> Iterator[tuple[TaskResult, CheckFinding]]:
    """Yield what the tasks that check an account have found, the worst of all first."""
    listed = [
        (result, record)
        for result in results
        if result.shape and {*FINDINGS.columns} <= {*result.shape.columns}
        for record in result.document or ()
    ]
    ranks = [*LEVEL_OF]
    yield from sorted(
        listed, key=lambda own: (ranks.index(own[1]["severity"]), own[0].profile, own[1]["code"])
    )


def _finding_table(findings: Sequence[tuple[TaskResult, CheckFinding]]) -> ReportTable:
    columns = [*map(Column, ("", "Account", "Rule", "Record", "What", "What to do"))]
    rows: list[list[Cell]] = [
        [
            Badge(own["severity"], LEVEL_OF[own["severity"]]),
            f"{result.profile} ({own['account']})",
            own["code"],
            f"{own['kind']} {own['name']}",
            own["message"],
            own["hint"] or "",
        ]
        for result, own in findings
    ]
    return ReportTable("Of all accounts, worst first", columns, rows, "finding")


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
