"""Results on stdout, in the chosen format."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import tzinfo
from itertools import chain, islice
from typing import IO, Any

from ..api.names import GENERIC, Names, neutral_name
from ..errors import UsageError
from ..spelling import comma_list, suggestion
from . import FORMATS, Presentation, ResultShape, table, table_view
from . import records as writers
from .messages import uses_color
from .queries import Query
from .records import Record, WriteOptions
from .text import cell, listed, safe

LOOKAHEAD_RECORDS = 1000  # buffered before the header is written, to validate undeclared --columns


class Printer:
    """Prints results to a stream as table, tsv, csv, json, jsonl, yaml, ids or none."""

    def __init__(
        self,
        stream: IO[str],
        presentation: Presentation,
        *,
        columns: str | None,
        query: str | None,
        csv_safe: bool,
        say: Callable[[str], None],
        side_effects: Callable[[], str],
        note_shape: Callable[[ResultShape], None],
        open_file: Callable[[], AbstractContextManager[IO[str]]] | None,
        zone: Callable[[], tzinfo | None],
        names: Callable[[], Names] = lambda: GENERIC,
    ) -> None:
        self.stream = stream
        self._names = names  # that records may have on the wire
        self._csv_safe = csv_safe
        self._say = say
        self._side_effects = side_effects  # describes what has already been changed, for errors
        self._note_shape = note_shape  # for who shows the result with others
        self._zone = zone  # of the account, None where it is not known
        self._open_file = open_file or (lambda: nullcontext(stream))  # of the file of --to
        self.format = presentation.format or ("table" if stream.isatty() else "tsv")
        self._format = FORMATS[self.format]
        self.columns = comma_list(columns or "")
        self.query = Query(query) if query else None
        self.noun = ""  # of what is listed, as in "campaigns"
        # Returns the names of other records by their ids, which a table on a terminal shows.
        self.names_of: Callable[[str, Sequence[str]], Mapping[str, str]] | None = None
        self.color = uses_color(stream, presentation.color)
        if self.columns and not self._format.has_columns:
            say(f"--columns has no effect on {self.format}; --query chooses fields there")

    @property
    def streams(self) -> bool:
        """Whether records are written one by one, without holding them all."""
        return self._format.streams and not self.query

    @property
    def is_binary(self) -> bool:
        """Whether the format is of bytes, whose cells have types."""
        return self._format.is_binary

    @property
    def has_columns(self) -> bool:
        """Whether the format shows fields of records."""
        return self._format.has_columns

    @property
    def is_table(self) -> bool:
        """Whether records are shown as a table, of their own columns or of those that --columns names."""
        return self.format == "table" and not self.query

    @property
    def is_for_people(self) -> bool:
        """Whether text may replace the table: without --query and --columns."""
        return self.is_table and not self.columns

    @property
    def draws(self) -> bool:
        """Whether a chart may replace the table: on a terminal."""
        return self.is_for_people and self.stream.isatty()

    @property
    def shows_documents(self) -> bool:
        """Whether the format can hold a whole response, and not only records."""
        return bool(self.query or self._format.document)

    def show(
        self,
        document: Any,
        columns: Sequence[str],
        key: str,
        others: Sequence[str] = (),
        *,
        asked: Sequence[str] = (),
    ) -> None:
        """Print one document: an object, a list of records, or any other JSON value.

        `key` is the field that `ids` prints. `others` are further fields that --columns may name. `asked` are
        the columns that a table shows in any case.
        """
        self._note_shape(ResultShape(tuple(columns), key, tuple(others), tuple(asked)))
        if self.query:
            document = self.query.search(document, self._side_effects())
            if document in ([], None) and (names := self.query.compared_names):
                quoted = listed([f"'{name}'" for name in names])
                self._say(f"--query compares with fields; a text is in single quotes: {quoted}")
            columns = keys_of(document) or columns
            if self.format == "ids" and any(key not in record for record in _records(document) or ()):
                hint = "; ".join(filter(None, (f"as in [].{{{key}: {key}}}", self._side_effects())))
                raise UsageError(f"--query leaves out {key!r}, which -o ids shows", hint=hint)
            if document == [] and not self._format.document:
                self._say_empty("nothing matches --query")
                return  # the columns of the list are not those of the query
        if self._format.document:
            getattr(writers, self._format.document)(self.stream, document)
        elif (records := _records(document)) is not None:
            self.show_records(records, columns, key, others, asked=asked, is_one=isinstance(document, dict))
        elif self.is_binary:
            values = document if isinstance(document, list) else [document]
            self.show_records(({key: value} for value in values), (key,), key)
        else:
            for value in document if isinstance(document, list) else [document]:
                self.stream.write(safe(cell(value)) + "\n")

    def show_records(
        self,
        records: Iterable[Record],
        columns: Sequence[str],
        key: str,
        others: Sequence[str] = (),
        *,
        asked: Sequence[str] = (),
        is_one: bool = False,
    ) -> None:
        """Print records one by one; `is_one` tells a document that is one record from a list."""
        self._note_shape(ResultShape(tuple(columns), key, tuple(others), tuple(asked)))
        declared = (*columns, *others)
        amounts = self._chosen_amounts(declared)
        chosen = self._chosen_columns(declared, amounts)
        # A plain value in place of a record is shown as its id.
        records, lookahead = (record if isinstance(record, dict) else {key: record} for record in records), 1
        if not self._format.document:
            records = self._under_either_name(records, chosen or columns, amounts)
        if chosen and self._format.has_columns:
            if undeclared := set(chosen).difference(declared, amounts):
                records = self._require_columns(undeclared, records, columns, others)
                lookahead = LOOKAHEAD_RECORDS
            columns = chosen
        # An error of the first page or of the columns is raised before the header is written.
        first = list(islice(records, lookahead))
        if not first and self.noun:
            self._say_empty(f"no {self.noun} match")
        records = chain(first, records)
        is_chosen = bool(chosen or self.query)
        if self.format == "table":
            if is_one and self.draws:
                records = [*records]
                columns = [*dict.fromkeys((*columns, *others))]
            if self.names_of and self.is_table and self.stream.isatty():
                typed = {name.lower() for name in self.columns} if chosen else None
                records, columns = table_view.with_names([*records], columns, key, self.names_of, typed)
            hidden = table.write_table(
                self.stream,
                records,
                columns,
                key=key,
                asked=asked,
                is_chosen=is_chosen,
                zone=self._zone,
                color=self.color,
                is_one=is_one,
            )
            if hidden:
                how = "-o json, --columns, or a wider terminal shows them"
                self._say(f"not shown: {', '.join(map(table_view.header, hidden))}; {how}")
        else:
            options = WriteOptions(columns, key, self._csv_safe, self.noun or "results", is_chosen)
            with self._open_file() as stream:
                getattr(writers, self._format.records)(stream, records, options)

    def _say_empty(self, text: str) -> None:
        """Say on a terminal that there is no result; programs see that there is no record."""
        if sys.stderr.isatty():
            self._say(text)

    def _chosen_amounts(self, declared: Sequence[str]) -> Mapping[str, str]:
        """Return the columns of amounts that --columns names in whole units, by these names.

        A table, which shows amounts in whole units anyhow, has none.
        """
        if not self.columns or self.format == "table":
            return {}
        amounts = table_view.amounts(declared)
        return {name: amounts[name] for name in map(str.lower, self.columns) if name in amounts}

    def _chosen_columns(self, declared: Sequence[str], amounts: Mapping[str, str]) -> list[str]:
        """Return the columns of --columns, which may have the headings of a table for names."""
        headings = {table_view.name_head(name): name for name in reversed(declared)}
        headings |= {table_view.header(name): name for name in reversed(declared)}
        headings |= {name: name for name in amounts}
        return [name if name in declared else headings.get(name.lower(), name) for name in self.columns]

    def _under_either_name(
        self, records: Iterable[Record], columns: Sequence[str], amounts: Mapping[str, str]
    ) -> Iterator[Record]:
        """Yield records whose fields have their neutral names, and the names of the columns and amounts."""
        others = [name for name in columns if neutral_name(name) != name]
        for record in records:
            named = {neutral_name(name): value for name, value in record.items()}
            named |= {name: named[neutral_name(name)] for name in others if neutral_name(name) in named}
            for name, column in amounts.items():
                named[name] = table_view.in_units(column, named)
            yield named

    def _require_columns(
        self,
        undeclared: set[str],
        records: Iterable[Record],
        declared: Sequence[str],
        others: Sequence[str],
    ) -> Iterator[Record]:
        """Yield the records; raise UsageError at the end for columns that none of them had.

        Where there was no record, they may still be columns of others; then it is only said.
        """
        names, any_record = dict.fromkeys(declared), False
        for record in records:
            any_record = True
            names |= dict.fromkeys(record)
            yield record
        missing = sorted(undeclared - names.keys())
        if missing and (any_record or declared):
            choices = names if any_record else (*declared, *others)
            problems = "; ".join(
                f"{name!r} is not a known column{suggestion(name, choices)}" for name in missing
            )
            if not any_record:
                self._say(f"--columns: {problems}")
                return
            hint = "; ".join(filter(None, (f"columns: {', '.join(names)}", self._side_effects())))
            raise UsageError(f"--columns: {problems}", hint=hint)


def _records(document: Any) -> Iterator[Record] | None:
    """Return a document's records, or None if it holds plain values."""
    if isinstance(document, dict):
        return iter([document])
    if isinstance(document, list) and all(isinstance(item, dict) for item in document):
        return iter(document)
    return None


def keys_of(document: Any) -> list[str]:
    """List the keys of a document's records, in the order of their first occurrence."""
    records = _records(document)
    return list(dict.fromkeys(key for record in records for key in record)) if records else []
