"""Rows of products that several rows of another reader make."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...feeds.row import Row
from ...feeds.rows import Rows
from ...output.text import counted
from .composed_fields import Values
from .kinds import FeedKind, NamePatterns, built_in, column_key
from .kinds.options import OptionNames

TRUE = ("true", "yes", "1")
# As spreadsheets write it that have opened an export.
IN_SPREADSHEETS = {
    "false": ["falsch", "faux", "falso", "onwaar", "fałsz", "falskt", "falsk", "nepravda", "ложь"]
}
MAX_NAMED = 5  # options that are not sent
MAX_REMEMBERED = 1000  # names of options


class Option(NamedTuple):
    """An option or attribute of a product, such as its color."""

    name: str
    values: list[str]
    column: str = ""  # that has the values


class AssembledRows(Rows):
    """The products of an export. Its rows have the columns of the file, and are read by one process."""

    # The required fields that products have, whatever the columns, each with the roles that it is made of.
    COMPOSED: Mapping[str, tuple[str, ...]]
    # Further fields, each with the roles that it is derived from, of which the export must have columns.
    DERIVED: tuple[tuple[str, ...], ...]

    def __init__(self, rows: Rows, kind: FeedKind, rename: Mapping[str, str]) -> None:
        super().__init__(rows.source, rows.roots, rows.known, rename)
        self.has_header = rows.has_header
        self.composed: dict[str, None] = dict.fromkeys(self.COMPOSED)
        self.kind = kind
        self._mapped = {*rename.values(), *kind.columns.values()}
        self._rows = rows  # by their own columns
        self._is_own = NamePatterns(kind.own)
        self._field_of_option = lru_cache(MAX_REMEMBERED)(OptionNames(kind.options).field_of)
        self.chosen: frozenset[str] = frozenset()  # columns of --where: nothing is said of these
        self._left_out: Counter[str] = Counter()
        self._unsent_options: Counter[str] = Counter()

    @abstractmethod
    def _products(self) -> Iterator[Row]:
        """Read the products from the beginning."""

    def _read(self) -> Iterator[Row]:
        self._left_out.clear()
        self._unsent_options.clear()
        for row in self._products():
            self._copy_state()
            yield row
        self._copy_state()
        if self._left_out:
            reasons = ", ".join(f"{count:,} whose {reason}" for reason, count in self._left_out.most_common())
            self.warnings.append(f"{counted(self._left_out.total(), 'product')} left out: {reasons}")
        if names := [*self._unsent_options.items()]:
            examples = ", ".join(
                f"{name!r} of {counted(count, 'product')}" for name, count in names[:MAX_NAMED]
            )
            more = f", and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            noun, verb = ("option", "is") if len(names) == 1 else ("options", "are")
            self.notes.append(
                f"{noun} {examples}{more} {verb} not sent; 'options' in a recipe says which field it is"
            )

    def _copy_state(self) -> None:
        """Take over what the reader found out about the file."""
        self.columns, self.notes = self._rows.columns, [*self._rows.notes]
        self.warnings = [*self._rows.warnings]

    def _rows_read(self) -> Iterator[Row]:
        """Read the rows of the file from the beginning."""
        seen = -1
        for row in self._rows:
            if seen != len(self._rows.columns):
                seen = len(self._rows.columns)
                self._sort_columns(self._rows.columns)
            yield row

    def _sort_columns(self, columns: Sequence[str]) -> None:
        """Find out what each column is for."""
        by_name = {column_key(column): column for column in columns}
        self._columns_by_role = {
            role: [by_name[column_key(name)] for name in names if column_key(name) in by_name]
            for role, names in self.kind.roles.items()
        }
        derived = (
            field
            for field, *roles in self.DERIVED
            if all(map(self._columns_by_role.get, roles))
            and not (self.is_partial and field == "item_group_id")  # the other variants may not be in it
        )
        self.possible = self.kind.options if self._has_options(columns) else ()
        # A color may be missing here. An attribute such as mpn, which few shops have, counts once it is met.
        options = {*self.possible} & {*built_in("export").options}
        composed_fields = (
            field
            for field, roles in self.COMPOSED.items()
            if not self.is_partial or any(map(self._columns_by_role.get, roles))
        )
        self.composed = dict.fromkeys([*composed_fields, *derived, *options])
        self._shared = {column for column in columns if column not in self._is_own}
        self._left_out_columns = {
            column: {name.casefold() for value in values for name in (value, *IN_SPREADSHEETS.get(value, ()))}
            for name, values in self.kind.left_out.items()
            if (column := by_name.get(column_key(name)))
        }
        fields = {
            column: self.named_field(column) or self.kind.field_of(column, self.known) for column in columns
        }
        self._field_by_column = {
            column: field
            for column, field in fields.items()
            if field
            and (field != "id" or field in self._mapped)  # a platform's own number is no id of a feed
        }

    def _has_options(self, columns: Sequence[str]) -> bool:
        """Tell whether there is a column for the name of an option."""
        return any(named for role, named in self._columns_by_role.items() if role.endswith("_name"))

    def columns_of(self, *roles: str) -> list[str]:
        """Return the columns that have roles; they are known from the first row on."""
        return [column for role in roles for column in self._columns_by_role.get(role, [])[:1]]

    @abstractmethod
    def option_columns(self) -> list[str]:
        """Return the columns and fields that tell the variants of a product apart."""

    def _cell(self, row: Row, role: str) -> str:
        for column in self._columns_by_role[role]:
            if value := row.values.get(column):
                return str(value).strip()
        return ""

    def _own_or(self, row: Row, other: Row, role: str) -> str:
        """Return the value of a row that has a role, or else that of another row."""
        return self._cell(row, role) or self._cell(other, role)

    def _assemble(
        self,
        own: Row,
        first: Row,
        composed: Mapping[str, str],
        options: Sequence[Option],
        group: Sequence[Row],
    ) -> Row:
        """Make the row of a product from its own columns, or the first row's where empty, and its fields.

        A column with the name of the field, as some shops add, precedes what is composed.
        """
        values = own.values
        if own is not first:
            values = {name: value for name, value in first.values.items() if name in self._shared} | values
        of_options = self._option_fields(options)
        self.composed.update(dict.fromkeys(of_options))
        composed = {**composed, **of_options}
        fields: Values = {}
        for column, value in values.items():
            if value and (field := self._field_by_column.get(column)):
                fields.setdefault(field, value)
        composed_values = {name: value for name, value in composed.items() if value and name in self.composed}
        values = (
            {name: value for name, value in values.items() if name not in composed} | composed_values | fields
        )
        row = Row(own.line, values, self._problem(own, group), raw=tuple(member.values for member in group))
        row.left_out = not row.problem and (self._is_left_out(own) or self._is_left_out(first))
        if not row.left_out:
            self._unsent_options.update(self._names_unsent(options, of_options))
        return row

    def _problem(self, own: Row, group: Sequence[Row]) -> str:
        """Return why one of the rows of a product could not be read."""
        if own.problem:
            return own.problem
        return next((f"line {row.line} of it {row.problem}" for row in group if row.problem), "")

    def _is_left_out(self, row: Row) -> bool:
        """Tell whether a product is left out, and count why."""
        for column, unwanted in self._left_out_columns.items():
            value = str(row.values.get(column, "")).strip()
            if value.casefold() in unwanted:
                if column not in self.chosen:
                    self._left_out[f"{column} is {value}"] += 1
                return True
        return False

    def _option_fields(self, options: Iterable[Option]) -> Values:
        """Return the fields that options with one value give."""
        fields = ((self._field_of_option(option.name), option.values) for option in options)
        return {field: values[0] for field, values in fields if field and len(values) == 1}

    def _names_unsent(self, options: Iterable[Option], sent: Values) -> set[str]:
        """Return the names of options with a value that is neither sent nor read by what was asked for."""
        return {
            option.name
            for option in options
            if option.name
            and option.values
            and self._field_of_option(option.name) not in sent
            and not self.is_used(option.column)
        }


class GroupedRows(AssembledRows):
    """Products of adjacent rows; one product at a time is in memory."""

    @abstractmethod
    def _variants(self, handle: str, group: Sequence[Row]) -> Iterator[Row]:
        """Make the products of the rows of a handle."""

    def _products(self) -> Iterator[Row]:
        first_lines: dict[int, int] = {}  # by the hash of the handle
        for handle, group in self._groups():
            line = group[0].line
            if not handle:
                column = self.kind.roles["handle"][0]
                yield Row(line, {}, group[0].problem or f"has no {column}", raw=(group[0].values,))
            elif (earlier := first_lines.setdefault(hash(handle), line)) != line:
                message = (
                    f"{handle!r} is also on line {earlier}; sort the file: a product's rows must be together"
                )
                yield Row(line, {}, message, raw=tuple(row.values for row in group))
            else:
                yield from self._variants(handle, group)

    def _groups(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the rows of each handle; a row without one is alone."""
        current = ""
        group: list[Row] = []
        for row in self._rows_read():
            handle = self._cell(row, "handle")
            if group and (not handle or handle != current):
                yield current, group
                group = []
            current = handle
            group.append(row)
        if group:
            yield current, group
