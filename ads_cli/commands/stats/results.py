"""What is made of the rows of statistics: shown, drawn, written to files or stored in a database."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ...api.metrics import BEFORE, CHANGE
from ...api.names import neutral_name
from ...config.atomic_files import check_output_path, replacing
from ...console.invocation import Invocation
from ...console.output_file import OutputFile
from ...errors import UsageError
from ...output.text import counted, first_of
from ...statistics.analysis import (
    Analysis,
    Answers,
    RowOrder,
    parse_compare,
    parse_group_by,
    require_columns,
    without_earlier,
)
from ...statistics.chart_data import ChartData
from ...statistics.files import as_printed, check_format, write
from ...statistics.plot import format_of, plotted, require_matplotlib
from ...statistics.query import StatsQuery
from ...statistics.rows import ResultContext, StatsTable
from .options import ResultOptions, StatisticsOptions
from .page import StatsReport
from .view import draw_statistics

MOST_NAMED = 5


@contextmanager
def results_of(
    options: ResultOptions,
    call: Invocation,
    stats_options: StatisticsOptions,
    *,
    raw: bool = False,
    file: str | None = None,
    has_segments: bool = False,
) -> "Iterator[Results]":
    """Yield what takes the rows; write the page also when the command ends by an error.

    Raises UsageError where options exclude each other, before anything is asked.
    """
    by, order = parse_group_by(options.group_by), RowOrder.parse(options.sort, options.top)
    analysis = Analysis(by, options.totals, order, parse_compare(options.compare))
    _refuse_combinations(options, call, analysis, raw=raw, file=file)
    names = call.settings.names
    columns = stats_options.columns(names, has_segments=has_segments, is_compared=analysis.is_compared)
    analysis = msgspec.structs.replace(analysis, order=order.named(names, columns))
    if not (raw or call.printer.query):
        column_names = (*columns, *map(neutral_name, columns))
        require_columns("--columns", call.printer.columns, column_names)
    output, plot = (OutputFile(name) if name else None for name in (file, options.plot))
    if output:
        check_format(output.path)
    if plot:
        check_plot(plot.path)
    report = StatsReport(call, options.report, force=options.force)
    database = _database(options)
    for chosen in filter(None, (output, plot)):
        chosen.confirm(call, force=options.force)
    report.set_heading(options.title, options.logo)
    with report.written():
        yield Results(call, analysis, database, output, plot, report, bool(stats_options.metrics))


def _refuse_combinations(
    options: ResultOptions, call: Invocation, analysis: Analysis, *, raw: bool, file: str | None
) -> None:
    """Raise UsageError where options exclude each other."""
    about_rows = {"--group-by": analysis.group_by, "--totals": options.totals, "--sort": options.sort}
    about_rows |= {"--top": options.top, "--compare": analysis.is_compared}
    for name, is_given in about_rows.items():
        if is_given and (raw or options.into):
            other = "--raw" if raw else "--into"
            raise UsageError(f"{name} cannot be used with {other}", hint="it is about the rows shown")
    of_rows = {"--plot": options.plot, "--report": options.report, "--into": options.into}
    for name, file_name in of_rows.items():
        if raw and file_name:
            hint = "a table holds rows" if name == "--into" else "it is about rows"
            raise UsageError(f"{name} cannot be used with --raw", hint=hint)
    places = {"--into": options.into, "--to": call.flags.get("to"), "FILE": file}
    targets = [name for name, place in places.items() if place]
    if len(targets) > 1:
        raise UsageError(f"{targets[0]} cannot be used with {targets[1]}", hint="export to one of them")
    for name, value in (("--title", options.title), ("--logo", options.logo)):
        if value is not None and not options.report:
            raise UsageError(f"{name}: there is no page", hint="add --report FILE.html")


def _database(options: ResultOptions) -> Path | None:
    if options.into is None:
        return None
    kind, _, path = options.into.partition(":")
    if kind != "sqlite" or not path:
        raise UsageError(f"--into: {options.into!r} is not sqlite:FILE", hint="as in --into sqlite:ads.db")
    check_output_path("--into", Path(path))
    return Path(path)


def check_plot(path: Path) -> None:
    """Raise UsageError for a picture that cannot be drawn, or not there."""
    format_of(path)
    require_matplotlib()
    check_output_path("--plot", path)


@dataclass
class Results:
    """Takes the rows of a query, and shows, draws, writes or stores them."""

    call: Invocation
    analysis: Analysis
    database: Path | None
    output: OutputFile | None
    plot: OutputFile | None
    report: StatsReport
    names_metrics: bool  # whether the columns were asked for one by one, or in groups

    def earlier(self, query: StatsQuery) -> StatsQuery | None:
        """Return the query about the period to compare with, if there is one; raise UsageError."""
        return self.analysis.earlier(query, for_page=self.report.path is not None)

    def take(self, context: ResultContext, answers_of: Callable[[StatsQuery], Answers]) -> None:
        """Show, write or store the rows of a query.

        Also answered are the query about the period to compare with, and what is to be asked again since
        rows are stored beside those of another offset.
        """
        earlier = self.earlier(context.query)
        asked_again = self._queries_again(context)  # an unusable database is found before anything is asked
        answers = answers_of(context.query)
        before = (context._replace(query=earlier), answers_of(earlier)) if earlier else None
        again = [(query, answers_of(query)) for query in asked_again]
        self._warn_of_repeated_posts(context)
        self._warn_of_what_is_not_over(context)
        query = msgspec.structs.replace(context.query, group_by=self.analysis.group_by)
        chart = ChartData([*map(context.names.name, query.columns)], context.currencies)
        table = self.analysis.sums(context, answers, before)
        draws, report = self._draws(query), self.report
        if draws or report.path:
            table = chart.watch(table)
        if self.database is None:
            table = self.analysis.shown(context, table)
        picture = self._picture_of(context, table)
        if self.plot:
            table = picture.watch(table)
        report.query, report.rows, report.accounts = query, chart, [self.call.account]
        if before:
            report.set_earlier(query.period, before[0].query.period)
        try:
            if self.database is not None:
                self._store(self.database, context, table, again)
            elif draws:
                deque(table.rows, 0)  # the chart has them once they are read
                self._draw(query, chart)
            elif self.output is not None:
                self._write(self.output, table, query.period.text)
            else:
                self._show(table, query.period.text)
        except BrokenPipeError:  # the reader has closed the pipe; pictures and pages are of all rows
            deque(table.rows, 0)
            self._write_plot(query, picture)
            raise
        if context.unmapped_metrics:
            names = first_of(sorted(context.unmapped_metrics), MOST_NAMED)
            self.call.messages.warn(f"no column has {names}, which 'stats get --raw' shows")
        if context.doubts:
            doubts = first_of(sorted(context.doubts), MOST_NAMED)
            self.call.messages.warn(f"numbers of the service that are hard to believe: {doubts}")
        self._write_plot(query, picture)

    def _draws(self, query: StatsQuery) -> bool:
        """Tell whether a terminal gets a picture, whose lines have sums, in order."""
        to_terminal = self.call.printer.draws and self.call.presentation.format is None
        elsewhere = self.database or self.output
        return to_terminal and not elsewhere and not self.analysis.changes_rows(query)

    def _warn_of_repeated_posts(self, context: ResultContext) -> None:
        if posts := sorted(context.repeated_posts):
            named = first_of(posts, MOST_NAMED)
            self.call.messages.warn(
                f"{counted(len(posts), 'post')} promoted in several campaigns ({named}): the service"
                " counts the same numbers in each; --totals and --group-by count them once"
            )

    def _warn_of_what_is_not_over(self, context: ResultContext) -> None:
        end = context.query.period.end.astimezone(context.calendar.zone)
        if end > context.calendar.now:
            part = f"time is not over before {end:%Y-%m-%d %H:%M %Z}: its last numbers are of a part of it"
            self.call.messages.warn(f"the {part}")
            self.report.note = f"The {part}."

    def _picture_of(self, context: ResultContext, table: StatsTable) -> ChartData:
        """Return what the picture is drawn of: the numbers of the rows, but those of an earlier period."""
        columns = [name for name in table.metrics if not name.endswith((BEFORE, CHANGE))]
        has_times = not self.analysis.group_by or "start" in self.analysis.group_by
        return ChartData(columns, context.currencies, context.times.start if has_times else ())

    def _write_plot(self, query: StatsQuery, picture: ChartData) -> None:
        """Write the picture, if one is asked for."""
        if self.plot is None:
            return
        drawn = plotted(picture, query.text, format_of(self.plot.path))
        with replacing(self.plot.path, may_replace=self.plot.may_replace, is_output=True) as file:
            file.write(drawn)
        self.call.messages.say(f"{self.plot.path}: a picture of the rows")
        if self.analysis.is_compared:
            self.call.messages.note(
                f"{self.plot.path} has no numbers of the earlier period: use the rows, or --report"
            )

    def _draw(self, query: StatsQuery, chart: ChartData) -> None:
        printer, with_total = self.call.printer, self.analysis.has_totals
        draw_statistics(printer.stream, chart, query.text, with_total=with_total, color=printer.color)

    def _show(self, table: StatsTable, period: str) -> None:
        printer = self.call.printer
        if printer.is_binary:
            printer.noun = period  # the name of the sheet: grouped rows do not say of which days they are
        asked = [name for name in table.metrics if self.names_metrics and not name.endswith(BEFORE)]
        shown = as_printed(printer, table.records())
        if printer.streams or printer.is_table:
            printer.show_records(shown, table.columns, "entity_id", asked=asked)
        else:
            printer.show([*shown], table.columns, "entity_id", asked=asked)

    def _write(self, output: OutputFile, table: StatsTable, period: str) -> None:
        csv_safe = bool(self.call.flags.get("csv_safe"))
        written = write(output.path, table, output.may_replace, csv_safe=csv_safe, sheet=period)
        self.call.messages.say(f"{counted(written, 'row')} written to {output.path}")

    def _queries_again(self, context: ResultContext) -> list[StatsQuery]:
        if self.database is None:
            return []
        from ...statistics.sqlite_table import StatisticsTable

        return StatisticsTable(self.database, self.call.account).queries_again(context)

    def _store(
        self,
        database: Path,
        context: ResultContext,
        table: StatsTable,
        again: Sequence[tuple[StatsQuery, Answers]],
    ) -> None:
        from ...statistics.sqlite_table import TABLE, StatisticsTable

        rows, messages = without_earlier(table), self.call.messages
        if self.call.parsed.parsed_options.get("dry_run"):  # the query is asked all the same
            count = sum(1 for _ in rows.rows)
            messages.say(f"dry run: would store {counted(count, 'row')} in the table {TABLE} of {database}")
            return
        stored = StatisticsTable(database, self.call.account).store(context, rows, again)
        messages.say(f"{counted(stored, 'row')} stored in the table {TABLE} of {database}")
