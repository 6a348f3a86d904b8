"""What each column of a list is: an identifier, a parameter, the country, an answer or unsent."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ContentError, UsageError
from ..feeds.rows import Rows
from ..feeds.spreadsheet_cells import read_cell
from ..feeds.transforms import Where
from ..output.text import cell, quoted_word, shell_command
from ..spelling import letters_and_digits, suggestion
from ..validation.report import columns_not_sent
from .consent import (
    CellAnswers,
    Condition,
    asks_for_answer,
    compared_by,
    consent_of_answers,
    count_answers,
    shown_answer,
    tells_by_itself,
    undecided_remark,
)
from .headers import (
    FIELD_BY_HEADER,
    PARTNER_ID,
    Consent,
    consent_of_column,
    find_country_columns,
    fold_header,
    is_own_id,
    is_status,
)
from .identifiers import MAX_LENGTH, clean_text, is_identifier, is_placeholder
from .operations import PARAMS_FIELDS, ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow, pack_rows

Cells = Sequence[Sequence[Any]]  # by column
# Columns of exports of products, folded; of these a list of people has one at most.
OF_PRODUCTS = frozenset(
    ("title", "vendor", "bodyhtml", "variantsku", "variantprice", "imagesrc", "price", "sku", "imagelink")
)

FIRST_CELLS, MOST_STATUSES = 64, 16  # a column with more texts among its first cells is no status


class ColumnRoles(NamedTuple):
    """How the columns of a table, or of some records, are packed."""

    identifiers: Sequence[str]  # that the endpoint takes
    fields: tuple[str, ...]  # of each column; "" where it is not sent
    countries: tuple[int, ...]  # columns that tell the country of national phone numbers, the best first
    consents: dict[int, str]  # columns that tell who may be contacted, and are not used
    others: dict[int, str]  # further columns that are not used, whose cells may tell it
    # Which rows must meet, with their column; None for one that is not there.
    conditions: list[tuple[int | None, Condition]]
    # Those that conditions ask for yes or no, before it is decided how they are compared.
    undecided: dict[str, int | None]

    def pack(
        self,
        cells: Cells,
        rows: int,
        resolver: ParamsResolver,
        options: PackingOptions,
        problems: ProblemsByRow,
    ) -> PackedRows:
        """Pack rows but for those that have problems already, or do not meet the conditions.

        As long as a condition is undecided none is packed, since people who refused would be: only what these
        columns say is found, but in rows with problems.
        """
        if self.undecided:
            return PackedRows(asked=self._ask(cells, rows, problems.keys()))
        left_out = self._left_out(cells, rows) - problems.keys()
        packed_cells = cells
        if left_out:
            packed_cells = [
                ["" if row in left_out else value for row, value in enumerate(column)] for column in cells
            ]
        columns: dict[str, list[Sequence[Any]]] = {}
        for name, column in zip(self.fields, packed_cells, strict=False):
            if name:
                columns.setdefault(name, []).append(column)
        # `ListColumns.check_options` refuses two columns of one parameter.
        own = {name: columns.pop(name)[0] for name in PARAMS_FIELDS if name in columns}
        params, params_problems = resolver.resolve(own)
        all_problems = {
            row: [*problems.get(row, ()), *params_problems.get(row, ())]
            for row in (*problems, *params_problems)
        }
        no_identifiers = {self.identifiers[0]: [[""] * rows]}  # records that have none
        return pack_rows(
            columns or no_identifiers,
            params,
            options,
            all_problems,
            countries=self._countries(packed_cells),
            left_out=left_out,
            identifiers=self.identifiers,
        )

    def _ask(self, cells: Cells, rows: int, unread: Collection[int]) -> dict[str, CellAnswers]:
        """Return what undecided columns say."""
        columns = {name: _stripped_texts(cells, at, rows) for name, at in self.undecided.items()}
        for texts in columns.values():
            for row in unread:
                texts[row] = ""
        return {name: CellAnswers.of(texts) for name, texts in columns.items()}

    def count_answers(
        self, cells: Cells, options: PackingOptions, uncounted: Collection[int]
    ) -> dict[str, Counter[str]]:
        """Count the answers of consent in rows, but for those that are left out or blank.

        Sending needs none, since validating counts them.
        """
        if options.sends or not cells:
            return {}
        answers: dict[str, Counter[str]] = {}
        for at, name in self._consents_in(cells).items():
            texts = _texts(cells[at])
            answers[name] = count_answers(texts)
            answers[name].subtract(shown_answer(texts[row]) for row in uncounted)
        return answers

    def _consents_in(self, cells: Cells) -> dict[int, str]:
        """Return the columns that tell who may be contacted, by their headers, or may by these cells."""
        return self.consents | {at: name for at, name in self.others.items() if _may_tell(name, cells[at])}

    def _countries(self, cells: Cells) -> list[str] | None:
        """Return the country of each row, by the first column that is filled; None without a column."""
        if not (self.countries and cells):
            return None
        columns = [_texts(cells[at]) for at in self.countries]
        absent = {text for column in columns for text in {*column} if is_placeholder(text)}
        rows = zip(*columns, strict=True)
        return [next((text for text in texts if text not in absent), "") for texts in rows]

    def _left_out(self, cells: Cells, rows: int) -> set[int]:
        """Return the rows that do not meet the conditions."""
        left_out: set[int] = set()
        for at, condition in self.conditions:
            column = _stripped_texts(cells, at, rows)
            failing = {text for text in {*column} if not condition.holds(text)}
            left_out.update(row for row, text in enumerate(column) if text in failing)
        return left_out


def _may_tell(header: str, column: Sequence[Any]) -> bool:
    """Tell whether a column has few texts, as that of a status, of which one or the header is known."""
    if len(_distinct(column[:FIRST_CELLS])) > MOST_STATUSES:
        return False
    if is_status(header):
        return True
    texts = [*map(read_cell, _distinct(column))]
    return len(texts) <= FIRST_CELLS and any(tells_by_itself(text) is not None for text in texts)


def _distinct(column: Sequence[Any]) -> Collection[str]:
    """Return the different texts among cells, of which most columns have only such."""
    try:
        return [value for value in {*column} if type(value) is str]
    except TypeError:  # a list of a record
        return {value for value in column if type(value) is str}


def _texts(column: Sequence[Any]) -> list[str]:
    """Return cells as the texts that conditions compare, as `yes` for `="yes"`."""
    texts = [value if type(value) is str else cell(value) for value in column]
    if signs := {text for text in {*texts} if text.lstrip()[:1] in ("=", "'")}:
        return [read_cell(text.strip()) if text in signs else text for text in texts]
    return texts


def _stripped_texts(cells: Cells, at: int | None, rows: int) -> list[str]:
    """Return the texts of a column, empty where it is not there."""
    return [text.strip() for text in _texts(cells[at])] if at is not None and cells else [""] * rows


class ColumnOptions(NamedTuple):
    """What the command line says about columns."""

    mapping: Mapping[str, str] = {}  # fields by column
    ignored: Collection[str] = ()
    country: str | None = None  # the column of countries
    conditions: Sequence[Where] = ()  # which hold for the people to be sent

    @property
    def used(self) -> set[str]:
        """Name the columns that options name."""
        countries = {self.country} if self.country else set()
        return {*self.mapping, *self.ignored, *countries, *(where.column for where in self.conditions)}


class ColumnUses(NamedTuple):
    """What the columns of a table, or of some records, are used for."""

    fields: dict[str, str]  # of each column that is sent
    countries: list[str]  # the columns that tell the country of national phone numbers, the best first
    unused: list[str]  # neither sent nor read, and no option names them
    consents: dict[str, Consent]  # those of them that tell who may be contacted


class ListColumns:
    """Decides what columns are: first by the options, then by their headers.

    How conditions compare columns that they ask for yes or no depends on all cells of these. Until `decide`
    has got these, no row is packed.
    """

    def __init__(self, options: ColumnOptions, identifiers: Sequence[str]) -> None:
        self.options = options
        self.known = (*identifiers, *PARAMS_FIELDS)  # fields that are sent
        self.identifiers = identifiers
        self.notices: list[str] = []  # about how conditions compare
        self.undecided = [
            where
            for where in options.conditions
            if asks_for_answer(where) and where.column != options.country
        ]
        self._conditions: Sequence[Condition] = options.conditions  # final where none is undecided

    def decide(self, answers: Mapping[str, CellAnswers], label: str) -> None:
        """Decide how conditions compare, by what the undecided columns say; raise ContentError."""
        self._conditions = [
            compared_by(where, answers[where.column], label) if where in self.undecided else where
            for where in self.options.conditions
        ]
        remarks = (undecided_remark(where, answers[where.column]) for where in self.undecided)
        self.notices = [*filter(None, dict.fromkeys(remarks))]
        self.undecided = []

    def roles(self, columns: Sequence[str]) -> ColumnRoles:
        """Return how columns are packed."""
        uses = self.uses(columns)
        return ColumnRoles(
            self.identifiers,
            tuple(uses.fields.get(column, "") for column in columns),
            tuple(map(columns.index, uses.countries)),
            {columns.index(column): column for column in uses.consents},
            {columns.index(column): column for column in uses.unused if column not in uses.consents},
            [(_position(condition.column, columns), condition) for condition in self._conditions],
            {where.column: _position(where.column, columns) for where in self.undecided},
        )

    def uses(self, columns: Sequence[str]) -> ColumnUses:
        """Return what columns are used for."""
        options = self.options
        fields = {column: name for column in columns if (name := self._field(column))}
        countries = [options.country] if options.country and options.country in columns else []
        if not options.country and "phone_number" in fields.values():
            others = (column for column in columns if column not in fields and column not in options.ignored)
            countries = find_country_columns(others)
        used = {*options.used, *fields, *countries}
        unused = [column for column in columns if column not in used]
        consents = {column: consent for column in unused if (consent := consent_of_column(column))}
        return ColumnUses(fields, countries, unused, consents)

    def consents(self, columns: Sequence[str], answers: Mapping[str, Counter[str]]) -> dict[str, Consent]:
        """Return which columns that are not used tell who may be contacted, by their headers or answers."""
        uses = self.uses(columns)
        kinds = {
            column: uses.consents.get(column) or consent_of_answers(column, answers[column])
            for column in uses.unused
            if column in answers
        }
        return {column: kind for column, kind in kinds.items() if kind}

    def _field(self, column: str) -> str:
        """Return the field that a column is read as, "" where it is not sent."""
        if column in self.options.ignored:
            return ""
        name = self.options.mapping.get(column) or FIELD_BY_HEADER.get(fold_header(column), "")
        return name if name in self.known else ""

    def check_header(self, rows: Rows) -> None:
        """Raise ContentError if a table has no column of identifiers, or no header."""
        self.check_names(rows.columns, rows)
        self.check_options(rows)
        if not {*self.uses(rows.columns).fields.values()} & {*self.identifiers}:
            # Without a header the first line is a person, so it is not quoted.
            raise ContentError(
                f"{rows.source.label}: the first line names no identifier",
                hint=f"columns: {', '.join(self.identifiers)}; or --map 'Your column=email'",
            )

    def check_names(self, columns: Sequence[str], rows: Rows) -> None:
        """Raise ContentError where the name of a column is personal: messages quote names."""
        if any(is_identifier(clean_text(column[:MAX_LENGTH]).lower()) for column in columns):
            raise ContentError(
                f"{rows.source.label}: the first line is a person, and not the names of columns",
                hint=f"put a line above it, with a name for each column: {', '.join(self.identifiers)}",
            )

    def check_options(self, rows: Rows) -> None:
        """Raise UsageError where an option names a column that does not exist.

        Two columns of the same parameter are a ContentError.
        """
        options, columns = self.options, rows.columns
        country = [options.country] if options.country else []
        for option, names in (
            ("--map", options.mapping),
            ("--ignore", options.ignored),
            ("--region-column", country),
            ("--where", [where.column for where in options.conditions]),
        ):
            for name in names:
                if name not in columns:
                    correction = suggestion(name, columns)
                    raise UsageError(f"{option}: {rows.source.label} has no column {name!r}{correction}")
        fields = Counter(self.uses(columns).fields.values())
        for name in PARAMS_FIELDS:
            if fields[name] > 1:
                raise ContentError(
                    f"{rows.source.label}: {fields[name]} columns are read as {name}",
                    hint="keep one of them, and leave out the others with --ignore COLUMN",
                )

    def notes(self, columns: Sequence[str], consents: Collection[str] = ()) -> list[str]:
        """Say how columns were read, and which are not sent. Those that `consents` tell of are left out."""
        uses = self.uses(columns)
        notes = [
            f"the column {column!r} is read as {name}"
            for column, name in uses.fields.items()
            if column != name and column not in self.options.mapping
        ]
        products = [column for column in columns if letters_and_digits(column) in OF_PRODUCTS]
        for column, name in uses.fields.items():
            if name == "handle" and column not in self.options.mapping and len(products) > 1:
                notes.append(
                    f"the columns {', '.join(map(repr, products))} are those of products, whose handles are "
                    f"not people: --ignore {shell_command([column])} leaves them out"
                )
        if uses.countries and not self.options.country:
            is_one = len(uses.countries) == 1
            notes.append(
                f"the column{'' if is_one else 's'} {', '.join(map(repr, uses.countries))}"
                f" {'is' if is_one else 'are'} read as the country of national phone numbers"
                f"{'' if is_one else ', of each row the first that is filled'}"
            )
        unused = [column for column in uses.unused if column not in {*uses.consents, *consents}]
        notes += columns_not_sent(unused, {*self.known} - {*uses.fields.values()})
        if PARTNER_ID in self.known:
            notes += [
                f"ids of your own are not hashed; to send {column!r} as it is: "
                f"--map {quoted_word(f'{column}={PARTNER_ID}')}"
                for column in unused
                if is_own_id(column)
            ]
        return notes


def _position(column: str | None, columns: Sequence[str]) -> int | None:
    """Return where a column is among others; None where it is not there."""
    return columns.index(column) if column in columns else None
