"""Where statistics may be written: checked before anything is asked."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from ...api.names import neutral_name
from ...errors import AdsctlError, ReportedError, UsageError


def check_file(path: Path) -> None:
    """Raise UsageError for a name whose format cannot be written."""
    from ...statistics.files import format_of, require_parquet

    if format_of(path) == "parquet":
        require_parquet()


def check_plot(path: Path) -> None:
    """Raise UsageError for a picture that cannot be drawn, or not there."""
    from ...statistics.plot import format_of, require_matplotlib

    format_of(path)
    require_matplotlib()
    require_folder("--plot", path)


def require_folder(option: str, path: Path) -> None:
    """Raise UsageError for a file that cannot be written where it is to be."""
    if not path.parent.is_dir() or path.is_dir():
        reason = f"{path} is a folder" if path.is_dir() else f"the folder {path.parent} does not exist"
        raise UsageError(f"{option}: {reason}")


MAX_LOGO_BYTES = 1_000_000
LOGOS: "dict[bytes, MediaType]" = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def read_logo(name: str) -> "Logo":
    """Return a picture for a page; raise UsageError where it is none."""
    from ...report import Logo

    try:
        with Path(name).open("rb") as file:
            content = file.read(MAX_LOGO_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--logo: {name}: {(error.strerror or str(error)).lower()}") from None
    if len(content) > MAX_LOGO_BYTES:
        raise UsageError(f"--logo: {name} is larger than {MAX_LOGO_BYTES:,} bytes", hint="make it smaller")
    for start, media_type in LOGOS.items():
        if content.startswith(start):
            return Logo(media_type, content)
    if is_svg(content):
        return Logo("image/svg+xml", content)
    raise UsageError(f"--logo: {name} is not a picture", hint="name a file in png, jpeg or svg")


def is_svg(content: bytes) -> bool:
    """Tell whether a document is an SVG, without entities; inside a page it runs and loads nothing."""
    from xml.etree import ElementTree

    if b"<!ENTITY" in content:
        return False
    try:
        return ElementTree.fromstring(content).tag == "{http://www.w3.org/2000/svg}svg"
    except ElementTree.ParseError:
        return False


def check_differs(paths: Iterable[Path | None]) -> None:
    """Raise UsageError where one file is to be written twice."""
    seen = set()
    for path in filter(None, paths):
        if path.resolve() in seen:
            raise UsageError(f"{path} is named twice", hint="choose another name for one of them")
        seen.add(path.resolve())


if TYPE_CHECKING:
    from ...console.invocation import Invocation
    from ...console.output_file import OutputFile
    from ...report import Logo, MediaType
    from ...statistics.chart_data import ChartData
    from ...statistics.compared import Range
    from ...statistics.derived import RowOrder
    from ...statistics.query import StatsQuery
    from ...statistics.rows import QueryResult, ResultContext, StatsTable
    from .options import StatisticsOptions

    Answers = Iterable[list[QueryResult]]

MOST_UNSHOWN = 5


class ResultOptions(msgspec.Struct, frozen=True):
    """What is made of the rows."""

    group_by: Annotated[
        str | None,
        typer.Option(metavar="COLUMNS", help="Add up rows that are equal in these, such as campaign,start"),
    ] = None
    totals: Annotated[bool, typer.Option("--totals", help="Add a row with the total of all")] = False
    sort: Annotated[
        str | None, typer.Option(metavar="[-]COLUMN", help="Sort by this column, as in -spend: largest first")
    ] = None
    top: Annotated[int | None, typer.Option(metavar="N", min=1, help="Show the first N rows only")] = None
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="previous|year|DATE..DATE",
            help="Add what each number was then, and the change, as in spend, spend_before, spend_change",
        ),
    ] = None
    into: Annotated[
        str | None,
        typer.Option(
            metavar="sqlite:FILE", help="Store the rows in a table, and replace what an earlier run stored"
        ),
    ] = None
    plot: Annotated[
        str | None, typer.Option(metavar="FILE.svg|png", help="Draw the rows here, as lines or bars")
    ] = None
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write a page about the rows here, for a browser")
    ] = None
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The title of the page of --report")] = (
        None
    )
    logo: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A picture at the top of that page: png, jpeg or svg, up to 1 MB"),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file")] = False

    @contextmanager
    def written(
        self,
        call: "Invocation",
        asked: "StatisticsOptions",
        *,
        raw: bool = False,
        file: str | None = None,
        has_segments: bool = False,
    ) -> "Iterator[Results]":
        """Yield what takes the rows; write the page also when the command ends by an error."""
        results = self._checked(call, asked, raw=raw, file=file, has_segments=has_segments)
        try:
            yield results
        except ReportedError as error:
            results.report_error(error)
            raise

    def _checked(
        self,
        call: "Invocation",
        asked: "StatisticsOptions",
        *,
        raw: bool,
        file: str | None,
        has_segments: bool,
    ) -> "Results":
        """Return what takes the rows; raise UsageError where options exclude each other."""
        from ...console.output_file import OutputFile, checked_path
        from ...statistics.compared import NONE, PREVIOUS, parse_compare
        from ...statistics.derived import RowOrder, require_columns
        from ...statistics.rows import parse_group_by

        by = parse_group_by(self.group_by)
        order = RowOrder.parse(self.sort, self.top)
        compare = parse_compare(self.compare)
        about_rows = {"--group-by": by, "--totals": self.totals, "--sort": self.sort, "--top": self.top}
        about_rows |= {"--compare": compare not in (None, NONE)}
        for option, is_given in about_rows.items():
            if is_given and (raw or self.into):
                other = "--raw" if raw else "--into"
                raise UsageError(f"{option} cannot be used with {other}", hint="it is about the rows shown")
        for option, file_name in (("--plot", self.plot), ("--report", self.report)):
            if raw and file_name:
                raise UsageError(f"{option} cannot be used with --raw", hint="it is about rows")
        if raw and self.into:
            raise UsageError("--into cannot be used with --raw", hint="a table holds rows")
        places = {"--into": self.into, "--to": call.flags.get("to"), "FILE": file}
        given = [option for option, place in places.items() if place]
        if len(given) > 1:
            raise UsageError(f"{given[0]} cannot be used with {given[1]}", hint="export to one of them")
        for option, value in (("--title", self.title), ("--logo", self.logo)):
            if value is not None and not self.report:
                raise UsageError(f"{option}: there is no page", hint="add --report FILE.html")
        names, is_compared = call.settings.names, compare not in (None, NONE)
        columns = asked.columns(names, has_segments=has_segments, is_compared=is_compared)
        order = order.named(names, columns)
        if not (raw or call.printer.query):
            known = (*columns, *map(neutral_name, columns))
            require_columns("--columns", call.printer.columns or (), known)
        output, plot = (OutputFile(name) if name else None for name in (file, self.plot))
        if output:
            check_file(output.path)
        if plot:
            check_plot(plot.path)
        report = checked_path(self.report, force=self.force) if self.report else None
        database = self._database()
        check_differs([*(chosen.path for chosen in (output, plot) if chosen), database, report])
        for chosen in filter(None, (output, plot)):
            chosen.confirm(call, force=self.force)
        results = Results(call, by, self.totals, order, database, output, plot, report, force=self.force)
        results.is_compared = is_compared
        results.compare = compare or (PREVIOUS if report else NONE)
        results.title, results.logo = self.title or "", read_logo(self.logo) if self.logo else None
        return results

    def _database(self) -> Path | None:

        if self.into is None:
            return None
        kind, _, path = self.into.partition(":")
        if kind != "sqlite" or not path:
            raise UsageError(f"--into: {self.into!r} is not sqlite:FILE", hint="as in --into sqlite:ads.db")
        require_folder("--into", Path(path))
        return Path(path)


class Results:
    """Takes the rows of a question."""

    def __init__(
        self,
        call: "Invocation",
        group_by: tuple[str, ...],
        totals: bool,
        order: "RowOrder",
        database: Path | None,
        output: "OutputFile | None",
        plot: "OutputFile | None",
        report: Path | None,
        *,
        force: bool,
    ) -> None:
        self._call, self._by, self._totals, self._force = call, group_by, totals, force
        self._order = order
        self._database, self._output, self._plot, self._report = database, output, plot, report
        self.question: StatsQuery | None = None  # once it is known
        self.compare: str | Range = ""  # a page is compared with the period before, if with no other
        self.is_compared = False  # rows show it
        self.title = ""
        self.logo: Logo | None = None
        self._earlier: StatsQuery | None = None

    def questions_again(self, asked: "ResultContext") -> "list[StatsQuery]":
        """Return what is to be asked again, where rows are stored beside those of another offset."""
        from ...statistics.sqlite_table import StatisticsTable

        if self._database is None:
            return []
        return StatisticsTable(self._database, self._call.account).questions_again(asked)

    def earlier(self, asked: "ResultContext") -> "ResultContext | None":
        """Return the question about the period to compare with, if there is one."""
        from ...statistics.compared import FIRST_YEAR, NONE, earlier_context

        if self.compare == NONE:
            return None
        earlier = earlier_context(asked, self.compare)
        if earlier.question.period.start.year >= FIRST_YEAR:
            return earlier
        if not self.is_compared:
            return None  # a page that nobody asked to compare
        raise UsageError(f"--compare: {earlier.question.days} is before there were statistics")

    def take(
        self,
        asked: "ResultContext",
        answers: "Answers",
        again: "Sequence[tuple[StatsQuery, Answers]]" = (),
        before: "tuple[ResultContext, Answers] | None" = None,
    ) -> None:
        """Show, write or store the rows; `before` are those of the period to compare with."""
        from ...output.text import first_of
        from ...statistics.chart_data import ChartData
        from ...statistics.compared import compared, without_earlier
        from ...statistics.derived import with_derived
        from ...statistics.rows import table_of

        self._warn_of_repeated_posts(asked)
        table = compared(asked, answers, *before) if before else table_of(asked, answers)
        columns = [*map(asked.names.name, asked.question.columns)]
        gathered, table = ChartData(columns, asked.currencies), self._summed(table)
        question = asked.question
        shown = msgspec.structs.replace(question, group_by=self._by)
        draws = self._call.printer.draws and self._call.presentation.format is None
        draws = draws and not (self._database or self._output)
        draws = draws and not (
            question.shown or self._order.is_given or self.is_compared
        )  # lines have sums, in order
        if draws or self._plot or self._report:
            table = gathered.watch(table)
        self._earlier = before[0].question if before else None
        if before and not self.is_compared:
            table = without_earlier(table)
        if self._database is None and not draws:
            metrics, named = question.metrics, question.shown
            table = with_derived(table, metrics, named, asked.names, is_compared=self.is_compared)
            table = self._order.applied(table)
        try:
            if self._database is not None:
                self._store(self._database, asked, table, again)
            elif self._output is not None:
                self._write(self._output, table)
            elif draws:
                self._draw(shown, table, gathered)
            else:
                self._show(asked, table)
        except BrokenPipeError:  # the reader has closed the pipe; pictures and pages are of all rows
            deque(table.rows, 0)
            self._picture(shown, gathered)
            raise
        if asked.unmapped_metrics:
            names = first_of(sorted(asked.unmapped_metrics), MOST_UNSHOWN)
            self._call.messages.warn(f"no column has {names}, which 'stats get --raw' shows")
        self._picture(shown, gathered)

    def _warn_of_repeated_posts(self, asked: "ResultContext") -> None:
        from ...output.text import counted, first_of

        if posts := sorted(asked.repeated_posts):
            named = first_of(posts, MOST_UNSHOWN)
            self._call.messages.warn(
                f"{counted(len(posts), 'post')} promoted in several campaigns ({named}): the service"
                " counts the same numbers in each; --totals and --group-by count them once"
            )

    def report_error(self, error: ReportedError) -> None:
        """Write the page about a run that failed, if one is asked for."""
        if self._report is None:
            return
        from ...console.output_file import write_page
        from .page import page_of_error

        page = page_of_error(error, self.question)
        try:
            write_page(self._call, self._report, page, force=self._force)
        except AdsctlError as other:  # that the run failed is more important
            self._call.messages.warn(other.message)

    def _picture(self, question: "StatsQuery", gathered: "ChartData") -> None:
        """Write the picture and the page, where they are asked for."""
        if self._plot:
            self._write_plot(self._plot, question, gathered)
        if self._report:
            self._write_report(self._report, question, gathered)

    def _write_plot(self, plot: "OutputFile", question: "StatsQuery", gathered: "ChartData") -> None:
        from ...config.atomic_files import replacing
        from ...statistics.plot import format_of, plotted

        picture = plotted(gathered, question.text, format_of(plot.path))
        with replacing(plot.path, may_replace=plot.may_replace, keep_mode=True) as file:
            file.write(picture)
        self._call.messages.say(f"{plot.path}: a picture of the rows")

    def _write_report(self, path: Path, question: "StatsQuery", gathered: "ChartData") -> None:
        from ...console.output_file import write_page
        from .page import StatsPage

        earlier = self._earlier.days if self._earlier else ""
        about = StatsPage(question, gathered, [self._call.account], earlier, self.title, self.logo)
        page = about.made()
        write_page(self._call, path, page, force=self._force)

    def _draw(self, question: "StatsQuery", table: "StatsTable", gathered: "ChartData") -> None:
        from .view import draw_statistics

        deque(table.rows, 0)  # they are gathered as they are read
        printer = self._call.printer
        draw_statistics(printer.stream, gathered, question.text, with_total=self._totals, color=printer.color)

    def _show(self, asked: "ResultContext", table: "StatsTable") -> None:
        from ...statistics.files import as_numbers, as_texts

        printer, columns = self._call.printer, table.columns
        shown: Iterable[dict[str, Any]]
        shown = map(as_numbers if printer.shows_documents else as_texts, table.records())
        if printer.format == "xlsx":
            shown = table.records()  # whose amounts have types
        if printer.is_table:
            from .view import columns_for_people, for_people

            columns = columns_for_people(asked, table, self._by, totals=self._totals)
            shown = (for_people(record, asked.question.granularity) for record in shown)
        if printer.streams or printer.is_table:
            printer.show_records(shown, columns, "entity_id")
        else:
            printer.show([*shown], columns, "entity_id")

    def _summed(self, table: "StatsTable") -> "StatsTable":
        """Add up the rows, as the options ask for."""
        from ...statistics.rows import grouped, with_totals

        table = grouped(table, self._by) if self._by else table
        return with_totals(table) if self._totals else table

    def _write(self, output: "OutputFile", table: "StatsTable") -> None:
        from ...output.text import counted
        from ...statistics.files import write

        csv_safe = bool(self._call.flags.get("csv_safe"))
        written = write(output.path, table, output.may_replace, csv_safe=csv_safe)
        self._call.messages.say(f"{counted(written, 'row')} written to {output.path}")

    def _store(
        self,
        database: Path,
        asked: "ResultContext",
        table: "StatsTable",
        again: "Sequence[tuple[StatsQuery, Answers]]",
    ) -> None:
        from ...output.text import counted
        from ...statistics.rows import table_of
        from ...statistics.sqlite_table import TABLE, StatisticsTable, as_one_day

        days = []
        for question, answers in again:
            hours = table_of(asked._replace(question=question), answers)
            days.append((question, as_one_day(hours, question.period)))
        stored = StatisticsTable(database, self._call.account).store(asked, table, days)
        self._call.messages.say(f"{counted(stored, 'row')} stored in the table {TABLE} of {database}")
