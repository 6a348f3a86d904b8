"""What commands that read or send files print."""

from ...console.shown import Result

SUMMARY = Result("ads_cli.runs.push:SummaryRecord", "job", is_list=False)
FINDING_COLUMNS = ("field", "rows", "problem", "lines", "records", "more_rows", "severity", "fix")
REPORT = Result(
    "ads_cli.commands.runs.reports:FindingRecord",
    "field",
    named=FINDING_COLUMNS,
    document="ads_cli.commands.runs.reports:FeedReport",
)
FIXES = Result("ads_cli.commands.runs.reports:FixRecord")
DIFFERENCES = Result("ads_cli.products.sync.differences:DifferenceRecord")
