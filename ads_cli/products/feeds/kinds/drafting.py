"""Draft a mapping file from what a feed has, for somebody to complete."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ....feeds.rows import Rows
from ....output.text import as_flow_yaml, first_of, safe, shell_command
from ....spelling import closest
from .reading import Choices

MAX_VALUES = 20  # of a field that are listed
SAMPLE_CHARACTERS = 40
MAX_COMPARED = 200  # columns that may be misspelled fields; comparing takes long
HEADER = """\
# How adsctl reads {label}. Correct it, and use it with --mapping, or name it in a profile:
#   {command}
"""


class MappingDraft:
    """What a mapping file can say of a feed; `add` takes each of its rows."""

    def __init__(self, known: Sequence[str], required: Collection[str], choices: Choices) -> None:
        self._known, self._required, self._choices = known, required, choices
        self._filled: set[str] = set()
        self._samples: dict[str, str] = {}  # by column or field
        self._unknown_values: dict[str, dict[str, None]] = {}  # by field, in the order they are found

    def add(self, values: dict[str, Any]) -> None:
        """Note which fields a row has, and values that are not those of their field."""
        self._filled.update(values)
        for name in values.keys() - self._samples.keys():
            self._samples[name] = str(values[name])
        for field, allowed in self._choices.items():
            if (value := values.get(field)) is not None and value not in allowed:
                found = self._unknown_values.setdefault(field, {})
                if len(found) <= MAX_VALUES:  # one more shows that there are more
                    found[str(value)] = None

    def write(self, rows: Rows, like: str, path: str) -> str:
        """Return the text of the file."""
        columns, ignored = self._unknown_columns(rows)
        found = {*self._filled, *columns.values()}
        missing = [field for field in self._known if field in self._required and field not in found]
        return "".join(
            [
                HEADER.format(
                    label=safe(rows.source.label),
                    command=shell_command(["adsctl", "profile", "set", "PROFILE", f"mapping={path}"]),
                ),
                *([f"like: {like}\n"] if like else []),
                *_block("columns", (f"{as_flow_yaml(name)}: {field}" for name, field in columns.items())),
                *_block(
                    "ignored", map(self._sampled, ignored), "not sent; to send one, write it below columns"
                ),
                *self._values(),
                *_block(
                    "default",
                    (f"# {field}: A VALUE" for field in missing),
                    "required, and not in the feed; {COLUMN} stands for a value of the row",
                ),
            ]
        )

    def _unknown_columns(self, rows: Rows) -> tuple[dict[str, str], list[str]]:
        """Return the columns that seem to be meant as fields, and all others that are not sent."""
        columns: dict[str, str] = {}
        ignored: list[str] = []
        free = [field for field in self._known if field not in rows.fields and field not in self._filled]
        for column, field in zip(rows.columns, rows.fields, strict=True):
            if field in self._known or column in rows.unsent:
                continue
            if meant := closest(column, free) if len(ignored) < MAX_COMPARED else None:
                columns[column] = meant
                free.remove(meant)
            else:
                ignored.append(column)
        return columns, ignored

    def _sampled(self, column: str) -> str:
        sample = self._samples.get(column, "")
        as_in = f"  # as in {as_flow_yaml(sample[:SAMPLE_CHARACTERS])}" if sample else ""
        return f"- {as_flow_yaml(column)}{as_in}"

    def _values(self) -> Iterator[str]:
        """List values that no field has, below the first value that the field has."""
        if not self._unknown_values:
            return
        yield "values:  # write each below the value that it means\n"
        for field, found in self._unknown_values.items():
            yield f"  {field}:\n"
            for number, allowed in enumerate(self._choices[field]):
                others = f"  # not understood: {first_of([*found], MAX_VALUES, as_flow_yaml)}"
                yield f"    {as_flow_yaml(allowed)}: []{'' if number else others}\n"


def _block(key: str, lines: Iterable[str], comment: str = "") -> list[str]:
    """Return a key with its lines, or nothing."""
    lines = [f"  {line}\n" for line in lines]
    is_empty = all(line.lstrip().startswith("#") for line in lines)
    first = f"{'# ' if is_empty else ''}{key}:" + (f"  # {comment}" if comment else "")
    return [f"{first}\n", *lines] if lines else []
