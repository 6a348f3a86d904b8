"""What each column of a list is: an identifier, a parameter, the country, an answer, or not sent."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ContentError, UsageError
from ..feeds.rows import Rows
from ..feeds.transforms import Where
from ..output.text import cell, quoted_word, shell_command
from ..spelling import letters_and_digits, suggestion
from ..validation.report import columns_not_sent
from .consent import (
    CellAnswers,
    Condition,
    answer_as_told,
    asks_for_answer,
    count_answers,
    decide,
    undecided_remark,
)
from .headers import (
    FIELD_BY_HEADER,
    PARTNER_ID,
    Consent,
    consent_told_by,
    find_country_column,
    fold_header,
    is_own_id,
)
from .identifiers import MAX_LENGTH, clean_text, is_identifier
from .operations import PARAMS_FIELDS, ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow, Purpose, pack_rows

Cells = Sequence[Sequence[Any]]  # by column
# Columns of exports of products, folded; of these a list of people has one at most.
OF_PRODUCTS = frozenset(
    ("title", "vendor", "bodyhtml", "variantsku", "variantprice", "imagesrc", "price", "sku", "imagelink")
)


class ColumnRoles(NamedTuple):
    """What the columns of a table, or of some records, are."""

    identifiers: Sequence[str]  # that the endpoint takes
    fields: tuple[str, ...]  # of each column; "" where it is not sent
    country: int | None  # the column that tells the country of national phone numbers
    answers: dict[int, str]  # columns that tell who may be contacted, and are not used
    conditions: list[
        tuple[int | None, Condition]
    ]  # which rows must meet; None for a column that is not there

    def pack(
        self,
        cells: Cells,
        rows: int,
        resolver: ParamsResolver,
        options: PackingOptions,
        problems: ProblemsByRow,
    ) -> PackedRows:
        """Pack rows; those with `problems` are not packed."""
        left_out = self._left_out(cells, rows) - problems.keys()
        if left_out:
            cells = [["" if n in left_out else value for n, value in enumerate(column)] for column in cells]
        columns: dict[str, list[Sequence[Any]]] = {}
        for name, column in zip(self.fields, cells, strict=False):
            if name:
                columns.setdefault(name, []).append(column)
        own = {name: columns.pop(name)[0] for name in PARAMS_FIELDS if name in columns}
        params, params_problems = resolver.resolve(own)
        for row, found in params_problems.items():
            problems.setdefault(row, []).extend(found)
        countries = None if self.country is None or not cells else cells[self.country]
        columns = columns or {self.identifiers[0]: [[""] * rows]}
        told = self.answers if options.with_shapes and cells else {}
        packed = pack_rows(
            columns,
            params,
            options,
            problems,
            countries=countries,
            left_out=left_out,
            answers={name: [answer_as_told(str(value)) for value in cells[at]] for at, name in told.items()},
        )
        if options.purpose is not Purpose.SEND and cells:
            packed.answers = {name: count_answers(cells[at]) for at, name in self.answers.items()}
            for answers in packed.answers.values():
                answers[""] -= len(left_out)
        return packed

    def find_answers(self, cells: Cells, rows: int, unread: Collection[int]) -> dict[str, CellAnswers]:
        """Return what the columns of conditions say, but for rows that are `unread`."""
        columns = {condition.column: _texts(cells, at, rows) for at, condition in self.conditions}
        for texts in columns.values():
            for row in unread:
                texts[row] = ""
        return {name: CellAnswers.of(texts) for name, texts in columns.items()}

    def _left_out(self, cells: Cells, rows: int) -> set[int]:
        """Return the rows that do not meet the conditions."""
        left_out: set[int] = set()
        for at, condition in self.conditions:
            column = _texts(cells, at, rows)
            failing = {text for text in {*column} if not condition.holds(text)}
            left_out.update(row for row, text in enumerate(column) if text in failing)
        return left_out


def _texts(cells: Cells, at: int | None, rows: int) -> list[str]:
    """Return the cells of a column as texts, empty where it is not there."""
    return [cell(value).strip() for value in cells[at]] if at is not None and cells else [""] * rows


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
        return {*self.mapping, *self.ignored, *countries, *(each.column for each in self.conditions)}


class ListColumns:
    """Decides what columns are: first by the options, then by their headers."""

    def __init__(self, options: ColumnOptions, known: Collection[str], identifiers: Sequence[str]) -> None:
        self.options = options
        self.known = known  # fields that are sent
        self.identifiers = identifiers
        self.conditions: Sequence[Condition] = options.conditions  # as they are decided
        self.notices: list[str] = []  # about how they are compared
        # Their columns must be read as a whole before any row is taken.
        self.asking = [
            where
            for where in options.conditions
            if asks_for_answer(where) and where.column != options.country
        ]

    def decide(self, found: Mapping[str, CellAnswers], label: str) -> None:
        """Decide how conditions compare the columns that were read; raise ContentError."""
        self.conditions = [
            decide(where, found[where.column], label) if where in self.asking else where
            for where in self.options.conditions
        ]
        remarks = (undecided_remark(where, found[where.column]) for where in self.asking)
        self.notices = [*filter(None, dict.fromkeys(remarks))]
        self.asking = []

    def field(self, column: str) -> str:
        """Return the field that a column is read as, "" where it is not sent."""
        if column in self.options.ignored:
            return ""
        name = self.options.mapping.get(column) or FIELD_BY_HEADER.get(fold_header(column), "")
        return name if name in self.known else ""

    def fields(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the fields of the columns that are sent."""
        return {column: name for column in columns if (name := self.field(column))}

    def country(self, columns: Sequence[str]) -> str | None:
        """Return the column that tells the country of national phone numbers."""
        if self.options.country:
            return self.options.country
        fields = self.fields(columns)
        if "phone_number" not in fields.values():
            return None
        used = {*fields, *self.options.ignored}
        return find_country_column(column for column in columns if column not in used)

    def consents(self, columns: Sequence[str]) -> dict[str, Consent]:
        """Return the columns that tell who may be contacted, and are not used."""
        used = self.options.used.union(self.fields(columns))
        found = {column: consent_told_by(column) for column in columns if column not in used}
        return {column: consent for column, consent in found.items() if consent}

    def roles(self, columns: Sequence[str]) -> ColumnRoles:
        """Return what columns are, which depends on these columns only."""
        country = self.country(columns)
        return ColumnRoles(
            self.identifiers,
            tuple(map(self.field, columns)),
            columns.index(country) if country in columns else None,
            {columns.index(column): column for column in self.consents(columns)},
            [
                (columns.index(each.column) if each.column in columns else None, each)
                for each in self.conditions
            ],
        )

    def check_header(self, rows: Rows) -> None:
        """Raise ContentError where a table has no column of identifiers, or no header: it is not quoted."""
        self.check_names(rows.columns, rows)
        self.check_options(rows)
        if not {*self.fields(rows.columns).values()} & {*self.identifiers}:
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
            ("--where", [each.column for each in options.conditions]),
        ):
            for name in names:
                if name not in columns:
                    meant = suggestion(name, columns)
                    raise UsageError(f"{option}: {rows.source.label} has no column {name!r}{meant}")
        fields = Counter(self.fields(columns).values())
        for name in PARAMS_FIELDS:
            if fields[name] > 1:
                raise ContentError(
                    f"{rows.source.label}: {fields[name]} columns are read as {name}",
                    hint="keep one of them, and leave out the others with --ignore COLUMN",
                )

    def unused(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that are neither sent nor read."""
        used = {*self.options.used, *self.fields(columns), self.country(columns)}
        return [column for column in columns if column not in used]

    def notes(self, columns: Sequence[str]) -> list[str]:
        """Say how columns were read, and which are not sent."""
        country, consents = self.country(columns), self.consents(columns)
        notes = [
            f"the column {column!r} is read as {name}"
            for column, name in self.fields(columns).items()
            if column != name and column not in self.options.mapping
        ]
        products = [column for column in columns if letters_and_digits(column) in OF_PRODUCTS]
        for column, name in self.fields(columns).items():
            if name == "handle" and column not in self.options.mapping and len(products) > 1:
                notes.append(
                    f"the columns {', '.join(map(repr, products))} are those of products, whose handles are "
                    f"not people: --ignore {shell_command([column])} leaves them out"
                )
        if country and not self.options.country:
            notes.append(f"the column {country!r} is read as the country of national phone numbers")
        unused = [column for column in self.unused(columns) if column not in consents]
        notes += columns_not_sent(unused, {*self.known} - {*self.fields(columns).values()})
        if PARTNER_ID in self.known:
            notes += [
                f"ids of your own are not hashed; to send {column!r} as it is: "
                f"--map {quoted_word(f'{column}={PARTNER_ID}')}"
                for column in unused
                if is_own_id(column)
            ]
        return notes
