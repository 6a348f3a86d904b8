"""Read a file of campaigns: every mistake is reported at once, with its line and path."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ..api.amounts import amount_names, in_micros
from ..api.names import to_neutral, with_neutral_keys
from ..api.problems import explain
from ..config.strict_yaml import LinedBuilder, LinedMapping, fast_loader, load, load_plain
from ..errors import ContentError, UsageError
from ..media.references import FILE_NAMES_IN_DOCUMENTS
from ..spelling import comma_list, suggestion
from .campaign_file import CampaignFile
from .kinds import LISTS, OPERATOR, POST, TARGETING, TYPE, VALUE, Kind, kinds_in
from .loops import LOOP_KEYS, fill, turns
from .model import (
    KEYS,
    MAX_RECORDS,
    OPERATOR_WORDS,
    Entry,
    FileField,
    FileProblem,
    fields_by_key,
    file_fields,
)
from .new_posts import NEW_POST, read_post

WORKBOOK_MAGIC = b"PK\x03\x04"
MAX_MIB = 64  # of a file of campaigns
RECORD_KEYS = frozenset(("id", "key", "for"))  # that any record may have, beside its fields
OPERATORS = {words.strip(): name for name, words in OPERATOR_WORDS.items()}


def parse_file(content: bytes, label: str, folder: Path) -> CampaignFile:
    """Read a file of campaigns. Raise ContentError if it is neither YAML nor JSON nor a workbook.

    `folder` is where the names of other files start from. Mistakes are noted in `problems`.
    """
    if content.startswith(WORKBOOK_MAGIC):
        import json

        from .workbook import read_workbook

        records, problems = read_workbook(content, label)
        parsed = file_of(records, label, folder, json.dumps(records, ensure_ascii=False).encode())
        parsed.problems += problems
        return parsed

    def lined() -> CampaignFile:
        document = load(content, label, LinedBuilder, fast_loader())
        if not isinstance(document, LinedMapping):
            raise ContentError(
                f"{label}: must be a mapping with campaigns, as 'adsctl campaigns pull --example' shows"
            )
        return file_of(document, label, folder, content)

    if plain := load_plain(content):
        with suppress(_NeedsLinesError):
            return file_of(plain, label, folder, content, lined)
    return lined()


def reads_other_files(content: bytes, label: str) -> bool:
    """Tell whether a file of campaigns has loops, or names files of media or cards. Raise ContentError."""
    if content.startswith(WORKBOOK_MAGIC):
        content = parse_file(content, label, Path()).content  # which is JSON
    waiting = [load_plain(content) or load(content, label, LinedBuilder, fast_loader())]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "for" in value or not FILE_NAMES_IN_DOCUMENTS.keys().isdisjoint(value):
                return True
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return False


class _NeedsLinesError(Exception):
    """A document without lines has a mistake, or reads other files, which is done once."""


def file_of(
    document: dict[str, Any],
    label: str,
    folder: Path,
    content: bytes = b"",
    lined: Callable[[], CampaignFile] | None = None,
) -> CampaignFile:
    """Make what a document says; where it has no lines, `lined` makes the same with them."""
    file = CampaignFile(label, content=content, lined=lined)
    reader = _Reader(file, folder)
    for key in document:
        if key not in KEYS:
            reader.note(document, "", f"{key!r} is not a key of the file{suggestion(key, KEYS)}", key)
    file.account = reader.text(document, "account")
    file.q = reader.text(document, "q")
    scope = reader.text(document, "scope")
    if scope not in (None, "account"):
        reader.note(document, "scope", f"must be account, not {scope!r}", "scope")
    file.is_whole = scope == "account"
    if "campaigns" in document:
        file.campaigns = reader.entries("campaigns", document["campaigns"], document, "campaigns", {})
    else:
        reader.note(document, "campaigns", "is required")
    file.note_repeated()
    return file


class _Reader:
    """Makes entries of the mappings of a file.

    Call `_require_lines` before anything that reads another file.
    """

    def __init__(self, file: CampaignFile, folder: Path) -> None:
        self._file, self._folder, self._count = file, folder, 0

    def note(self, at: dict[str, Any], path: str, text: str, key: str = "") -> None:
        """Note a mistake in a mapping, or at one of its keys."""
        self._require_lines()
        line = at.lines.get(key, at.line) if isinstance(at, LinedMapping) else 1
        self._file.problems.append(FileProblem(line, path, text))

    def _require_lines(self) -> None:
        if self._file.lined:
            raise _NeedsLinesError

    def text(self, document: dict[str, Any], key: str) -> str | None:
        """Return a text of the document; None where it has none."""
        if key not in document:
            return None
        value = document[key]
        if not (isinstance(value, str) and value):
            self.note(document, key, "must be a text" if value else "is empty; remove the line", key)
            return None
        return value

    def entries(
        self, list_name: str, records: Any, at: dict[str, Any], path: str, values: Mapping[str, str]
    ) -> list[Entry]:
        """Read a list of records; `values` stand for the placeholders of loops around it."""
        if not isinstance(records, list):
            # Nothing after the key may be the end of a file that was cut off, and no list at all.
            empty = "is empty; write [] where all shall be deleted, or remove the line"
            self.note(at, path, "must be a list" if records else empty, list_name)
            return []
        entries: list[Entry] = []
        for number, record in enumerate(records):
            where = f"{path}[{number}]"
            if not isinstance(record, dict):
                self.note(at, where, f"must be a mapping of fields, not {record!r:.60}", list_name)
                continue
            for turn in self._looped(record, where, values):
                entry = self._entry(list_name, record, where, turn)
                if entry:
                    entry.is_looped = bool(turn)
                    entries.append(entry)
                self._count += 1
                if self._count > MAX_RECORDS:
                    raise ContentError(f"{self._file.label}: more than {MAX_RECORDS:,} records")
        return entries

    def _looped(
        self, record: dict[str, Any], path: str, values: Mapping[str, str]
    ) -> Iterator[Mapping[str, str]]:
        """Yield the values of each turn of a loop; those around it where there is none."""
        if "for" not in record:
            yield values
            return
        self._require_lines()
        loop = record["for"]
        keys = [key for key in LOOP_KEYS if isinstance(loop, dict) and key in loop]
        if not isinstance(loop, dict) or len(keys) != 1 or len(loop) != 1:
            self.note(record, f"{path}.for", f"must be a mapping with one of {', '.join(LOOP_KEYS)}", "for")
            return
        key, names = keys[0], loop[keys[0]]
        names = names if isinstance(names, list) else [names]
        mistakes: list[str] = []
        if values:
            names = fill(names, values, mistakes.append)
        for text in mistakes:
            self.note(loop, f"{path}.for.{key}", text, key)
        if mistakes:
            return
        if not names or not all(isinstance(item, str) and item for item in names):
            self.note(loop, f"{path}.for.{key}", "must be a text, or a list of texts", key)
            return
        try:
            for turn in turns(key, names, self._folder):
                yield {**values, **turn}
        except (ContentError, UsageError) as error:
            self.note(loop, f"{path}.for.{key}", error.message, key)

    def _entry(
        self, list_name: str, record: dict[str, Any], path: str, values: Mapping[str, str]
    ) -> Entry | None:
        """Read a record. Note it and return None if its kind is unclear."""
        filled = with_neutral_keys(self._filled(record, path, values) if values else record)
        kind = self._kind(list_name, record, filled, path)
        if kind is None:
            return None
        entry = Entry(kind, path)
        if isinstance(record, LinedMapping):
            entry.line, entry.column, entry.is_flow = record.line, record.column, record.is_flow
            entry.lines = {name: line for name, line in record.lines.items() if name == "id"}
        entry.id = self._label(record, filled, path, "id")
        entry.own_key = self._label(record, filled, path, "key")
        for key in RECORD_KEYS.intersection(filled):
            del filled[key]
        if kind is TARGETING:
            criterion = self._criterion(record, filled, path)
            if criterion is None:
                return None
            filled = criterion
        if kind is POST and NEW_POST & filled.keys():
            return self._with_new_post(entry, record, filled)
        lists = {key: filled.pop(key) for key in kind.below if key in filled}
        self._read_fields(entry, record, filled)
        for key, records in lists.items():
            entry.below[key] = self.entries(key, records, record, f"{path}.{key}", values)
        return entry

    def _filled(self, record: dict[str, Any], path: str, values: Mapping[str, str]) -> dict[str, Any]:
        """Fill placeholders into the own fields of a record, not into the records below it."""
        filled = {}
        for key, value in record.items():
            mistakes: list[str] = []
            filled[key] = value if key == "for" or key in LISTS else fill(value, values, mistakes.append)
            for text in mistakes:
                self.note(record, f"{path}.{key}", text, key)
        return filled

    def _kind(
        self, list_name: str, record: dict[str, Any], filled: Mapping[str, Any], path: str
    ) -> Kind | None:
        """Find out of which kind a record is: of several, the one whose field it has."""
        kinds = kinds_in(list_name)
        if len(kinds) == 1:
            return kinds[0]
        if NEW_POST & filled.keys():
            return POST
        of = [kind for kind in kinds if fields_by_key(kind).keys() & filled.keys()]
        if len(of) == 1:
            return of[0]
        marks = ", ".join(file_fields(kind)[kind.own_fields[0]].key for kind in kinds)
        self.note(record, path, f"must have one of {marks}")
        return None

    def _label(self, record: dict[str, Any], filled: Mapping[str, Any], path: str, key: str) -> str | None:
        value = filled.get(key)
        if value is None or (isinstance(value, str) and value):
            return value
        self.note(record, f"{path}.{key}", "must be a text", key)
        return None

    def _criterion(self, record: dict[str, Any], filled: dict[str, Any], path: str) -> dict[str, Any] | None:
        """Read `EXCLUDE BROAD_KEYWORD: plastic` as the fields of a criterion."""
        if TYPE in filled:
            return filled
        if len(filled) != 1:
            self.note(record, path, "must be one type with its value, as in 'LOCATION: Germany'")
            return None
        ((mark, value),) = filled.items()
        operator, _, type_ = mark.rpartition(" ")
        if operator not in OPERATORS:
            one_of = ", ".join(filter(None, OPERATORS))
            self.note(record, f"{path}.{mark}", f"must begin with the type, or with {one_of}", mark)
        if isinstance(record, LinedMapping):
            line = record.lines.get(mark, record.line)
            record.lines = {TYPE: line, VALUE: line, **record.lines}
        return {TYPE: type_, OPERATOR: OPERATORS.get(operator, "EQ"), VALUE: value}

    def _with_new_post(self, entry: Entry, record: dict[str, Any], filled: dict[str, Any]) -> Entry | None:
        """Read the post of a new ad. Return None if it cannot be one, and note why."""

        def note(key: str, text: str) -> None:
            self.note(record, f"{entry.path}.{key}", text, key)

        self._require_lines()
        entry.post = read_post({**filled, "id": entry.id}, self._folder, note)
        if entry.post is None:
            return None
        entry.id = None
        entry.values["post_id"] = entry.post.stand_in
        return entry

    def _read_fields(self, entry: Entry, record: dict[str, Any], filled: dict[str, Any]) -> None:
        fields = fields_by_key(entry.kind)
        seen: dict[str, str] = {}
        for key, raw in filled.items():
            if not (field := fields.get(key)):
                listed = {field.key for field in fields.values()} | {"id", "key", *entry.kind.below}
                noun = entry.kind.noun
                text = f"is not a field of {'an' if noun[0] in 'ai' else 'a'} {noun}{suggestion(key, listed)}"
                self.note(record, f"{entry.path}.{key}", text, key)
            elif (first := seen.setdefault(field.name, key)) != key:
                self.note(record, f"{entry.path}.{key}", f"cannot be used with {first}", key)
            else:
                if isinstance(record, LinedMapping):
                    entry.lines[field.name] = record.lines.get(key, record.line)
                if raw is None:
                    entry.values[field.name] = None
                else:
                    self._read_field(entry, record, field, key, raw)

    def _read_field(self, entry: Entry, record: dict[str, Any], field: FileField, key: str, raw: Any) -> None:
        """Convert a value by its declared type. An invalid one is kept, since the account may have it too."""
        if field.is_enum:
            raw = to_neutral({field.name: raw})[field.name]
        if field.is_money and key in amount_names(field.name):
            converted = in_micros(entry.kind.create, {key: raw})
            if converted.problems:
                self.note(record, f"{entry.path}.{key}", converted.problems[0].message, key)
                return
            raw = converted.values[field.name]
        if field.type.is_comma_list and isinstance(raw, str):
            raw = comma_list(raw)
        try:
            entry.values[field.name] = field.typed(raw)
        except msgspec.ValidationError as error:
            entry.values[field.name] = raw
            reason = explain(field.type, raw, False, error)
            entry.invalid[field.name] = reason
            is_definite = not field.type.choices and not (field.type.base is list and field.type.item.choices)
            if is_definite or not entry.id:
                self.note(record, f"{entry.path}.{key}", reason, key)
