"""Results on stdout, in the format that was asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import IO, Any

from ..errors import UsageError
from ..output.presentation import FORMATS
from .messages import uses_color
from .records import Record, write_csv, write_ids, write_jsonl, write_table, write_tsv
from .text import as_json, as_yaml, cell, safe

STREAMS = ("tsv", "csv", "jsonl", "ids")
TABLES = ("table", "tsv", "csv")
AHEAD = 1000  # records that are looked at before the first is written, where a column is not known


class Printer:
    """Prints results to `stream` as table, tsv, csv, json, jsonl, yaml, ids or not at all."""

    def __init__(
        self,
        stream: IO[str],
        *,
        output: str | None = None,
        columns: str | None = None,
        query: str | None = None,
        csv_safe: bool = False,
        color: str = "auto",
        say: Callable[[str], None] = lambda text: None,
        aftermath: Callable[[], str] = str,
    ) -> None:
        self.stream = stream
        self._csv_safe = csv_safe
        self._say = say
        self._aftermath = aftermath  # tells what has happened where a result cannot be shown
        self.format = output or ("table" if stream.isatty() else "tsv")
        if self.format not in FORMATS:
            from ..suggestions import suggestion

            raise UsageError(
                f"--output: {self.format!r} is no format{suggestion(self.format, FORMATS)}",
                hint=f"formats: {', '.join(FORMATS)}",
            )
        self.columns = [name.strip() for name in columns.split(",") if name.strip()] if columns else None
        self.query: Any = query and _compiled(query)
        self.color = uses_color(stream, color)

    @property
    def streams(self) -> bool:
        """Tell whether records can be written as they come, without holding them all."""
        return self.format in STREAMS and not self.query

    @property
    def draws(self) -> bool:
        """Tell whether a picture may stand for the table: on a terminal, where no columns are asked for."""
        return self.format == "table" and self.stream.isatty() and not self.query and not self.columns

    @property
    def shows_documents(self) -> bool:
        """Tell whether a whole response has a place in the output; a table has rows for its data alone."""
        return bool(self.query) or self.format not in (*TABLES, "ids")

    def show(self, document: Any, columns: Sequence[str], key: str, others: Sequence[str] = ()) -> None:
        """Print one document: an object, a list of records, or any other JSON value.

        `others` are fields that records may have and that are no columns unless they are asked for.
        """
        if self.query:
            document = self._queried(document)
            columns = keys_of(document) or columns
            if self.format == "ids" and any(key not in record for record in _records(document) or ()):
                hint = "; ".join(filter(None, (f"as in [].{{{key}: {key}}}", self._aftermath())))
                raise UsageError(f"--query leaves out {key!r}, which -o ids shows", hint=hint)
        if self.format == "none":
            return
        if self.format == "json":
            self.stream.write(as_json(document, indent=2) + "\n")
        elif self.format == "yaml":
            self.stream.write(as_yaml(document))
        elif self.format == "jsonl":
            write_jsonl(self.stream, document if isinstance(document, list) else [document])
        elif (records := _records(document)) is not None:
            self.show_records(records, columns, key, others)
        else:
            for value in document if isinstance(document, list) else [document]:
                self.stream.write(safe(cell(value)) + "\n")

    def _queried(self, document: Any) -> Any:
        """Apply the query; what it cannot make of this very document is seen only now."""
        from jmespath.exceptions import JMESPathError

        try:
            return self.query.search(document)
        except JMESPathError as error:
            raise UsageError(f"--query: {error}", hint=self._aftermath()) from None

    def show_records(
        self, records: Iterable[Record], columns: Sequence[str], key: str, others: Sequence[str] = ()
    ) -> None:
        """Print records one by one, as they come."""
        # What should be a record and is a plain value stands where its id would.
        records, ahead = (one if isinstance(one, dict) else {key: one} for one in records), 1
        if self.columns and self.format in TABLES:
            if strange := set(self.columns).difference(columns, others):
                records, ahead = self._having(strange, records, columns), AHEAD
            columns = self.columns
        # What is wrong with the first page, or with the columns, is told before a header is written.
        records = chain(list(islice(records, ahead)), records)
        if self.format == "tsv":
            write_tsv(self.stream, records, columns)
        elif self.format == "csv":
            write_csv(self.stream, records, columns, without_formulas=self._csv_safe)
        elif self.format == "jsonl":
            write_jsonl(self.stream, records)
        elif self.format == "ids":
            write_ids(self.stream, records, key)
        elif self.format == "table":
            hidden = write_table(self.stream, records, columns, color=self.color)
            if hidden:
                self._say(f"no room for {', '.join(hidden)}: --columns chooses, -o json shows all")
        else:
            self.show(list(records), columns, key)

    def _having(self, strange: set[str], records: Iterable[Record], known: Sequence[str]) -> Iterator[Record]:
        """Pass records on; at their end, refuse columns that none of them had."""
        names, any_record = dict.fromkeys(known), False
        for record in records:
            any_record = True
            names |= dict.fromkeys(record)
            yield record
        missing = sorted(strange - names.keys())
        if missing and any_record:
            from ..suggestions import suggestion

            told = "; ".join(f"{name!r} is no column{suggestion(name, names)}" for name in missing)
            hint = "; ".join(filter(None, (f"columns: {', '.join(names)}", self._aftermath())))
            raise UsageError(f"--columns: {told}", hint=hint)


def _records(document: Any) -> Iterator[Record] | None:
    """See a document as records; None where it is made of plain values."""
    if isinstance(document, dict):
        return iter([document])
    if isinstance(document, list) and all(isinstance(item, dict) for item in document):
        return iter(document)
    return None


def keys_of(document: Any) -> list[str]:
    """List the keys of the records in a document, in the order they are first seen."""
    records = _records(document)
    return list(dict.fromkeys(key for record in records for key in record)) if records else []


def _compiled(expression: str) -> Any:
    import jmespath
    from jmespath.exceptions import JMESPathError

    with suppress(JMESPathError):
        return jmespath.compile(expression)
    raise UsageError(
        f"--query: {expression!r} is not a JMESPath expression", hint="as in '[].id' or 'data[0].name'"
    )
