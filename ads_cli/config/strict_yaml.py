"""Strict YAML: scalars stay text, and repeated keys, anchors, aliases, tags and deep nesting are refused.

`00123`, `no` and `12:30` are neither numbers nor booleans. Plain `null`, `~` and nothing are None. The values
of a repeated key contradict each other. Anchors, aliases, tags and nesting could expand a small document to a
large value.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import yaml
from yaml import events as ev

from ..errors import ContentError, UsageError
from .atomic_files import read_whole

MAX_DEPTH = 64
MAX_MAPPING_MIB = 16
NULLS = ("", "null", "Null", "NULL", "~")
_UNREAD = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff-\uffff"  # characters that a line must not have
_WORD = r"[A-Za-z0-9_./+()&-]"
_COMMENT = rf"#[^{_UNREAD}]*"
# A line as programs write YAML: a key with a value, which is plain, quoted, or a list of plain ones.
PLAIN_LINE = re.compile(
    r"((?> *))(- )?([A-Za-z_](?>[A-Za-z0-9_]*)(?> [A-Za-z0-9_]+)*):"
    rf"(?:(?> +)(?:([A-Za-z0-9_](?>{_WORD}*)(?> {_WORD}+)*|(?>[0-9]+-)[0-9T:Z-]*[0-9Z])"
    rf'|"((?>(?>[^"\\{_UNREAD}]+)|\\["\\bfnrt]|\\u[0-9a-cef][0-9a-f]{{3}})*)"'
    rf"|\[((?>(?:[A-Za-z0-9_](?>{_WORD}*)(?:, |(?=\])))*))\]))?"
    rf"(?> *)(?:(?<= ){_COMMENT})?"
)
BLANK_LINE = re.compile(rf"(?> *)(?:{_COMMENT})?")


class UnsupportedYamlError(yaml.MarkedYAMLError):
    """YAML that is valid and not read; it has a `problem` and a `problem_mark`."""

    def __init__(self, event: Any, problem: str) -> None:
        super().__init__(None, None, problem, event.start_mark)


class ValueBuilder:
    """Build values from the events of a YAML parser, and note a repeated key: a feed reports it by row."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self.repeated_key: str | None = None  # the last one found

    def build(self, event: Any, depth: int = 0) -> Any:
        """Build the value that begins with `event`; raise UnsupportedYamlError for YAML that is not read."""
        check_event(event)
        if depth > MAX_DEPTH:
            raise UnsupportedYamlError(event, f"nested more than {MAX_DEPTH} deep")
        if isinstance(event, ev.ScalarEvent):
            return None if event.implicit[0] and event.value in NULLS else event.value
        events = self._events
        if isinstance(event, ev.SequenceStartEvent):
            items = []
            while not isinstance(event := next(events), ev.SequenceEndEvent):
                items.append(self.build(event, depth + 1))
            return items
        return self._mapping(event, depth)

    def _mapping(self, start: Any, depth: int) -> dict[str, Any]:
        events, values = self._events, self._new_mapping(start)
        while not isinstance(key := next(events), ev.MappingEndEvent):
            check_event(key)
            if not isinstance(key, ev.ScalarEvent):
                raise UnsupportedYamlError(key, "a key must be text")
            self._note_key(values, key)
            values[key.value] = self.build(next(events), depth + 1)
        return values

    def _new_mapping(self, start: Any) -> dict[str, Any]:
        return {}

    def _note_key(self, values: dict[str, Any], key: Any) -> None:
        if key.value in values:
            self.repeated_key = key.value


class UniqueKeyBuilder(ValueBuilder):
    """Refuses a repeated key."""

    def _note_key(self, values: dict[str, Any], key: Any) -> None:
        if key.value in values:
            raise UnsupportedYamlError(key, f"the key {key.value!r} is repeated")


class LinedMapping(dict[str, Any]):
    """A mapping that remembers where it begins, and the lines of its keys."""

    line, column, is_flow = 1, 0, False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.lines: dict[str, int] = {}


class LinedBuilder(UniqueKeyBuilder):
    """Builds mappings that remember their lines."""

    def _new_mapping(self, start: Any) -> LinedMapping:
        values = LinedMapping()
        values.line, values.column = start.start_mark.line + 1, start.start_mark.column
        values.is_flow = bool(start.flow_style)
        return values

    def _note_key(self, values: dict[str, Any], key: Any) -> None:
        super()._note_key(values, key)
        assert isinstance(values, LinedMapping)
        values.lines[key.value] = key.start_mark.line + 1


PROBLEMS = {  # by what the parser says
    r"'\t'": "a tab, where YAML is indented by spaces",
    "<stream end>": "it ends where a value, a bracket or a quote is still open",
}


def load(
    document: str | bytes,
    name: str,
    builder: type[ValueBuilder] = UniqueKeyBuilder,
    loader: Any = yaml.SafeLoader,
) -> Any:
    """Read one YAML or JSON document, None where it is empty.

    Raises ContentError, with `name` and the line, if it is not valid.
    """
    try:
        events = yaml.parse(document, Loader=loader)
        next(events)  # the start of the stream
        if isinstance(next(events), ev.StreamEndEvent):
            return None
        value = builder(events).build(next(events))
        next(events)  # the end of the document
        if not isinstance(event := next(events), ev.StreamEndEvent):
            raise UnsupportedYamlError(event, "a second document")
        return value
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        explanations = (words for sign, words in PROBLEMS.items() if sign in str(error.problem))
        problem = next(explanations, error.problem)
        raise ContentError(f"{name}{position}: neither YAML nor JSON: {problem}") from None
    except yaml.YAMLError as error:
        raise ContentError(f"{name}: neither YAML nor JSON: {error}") from None


def load_plain(content: bytes) -> dict[str, Any] | None:
    """Read JSON, or YAML as programs write it, faster than `load`. None where only `load` can tell.

    Lines are not known then.
    """
    with suppress(ValueError, RecursionError):
        text = content.decode("utf-8-sig")
        if not text.startswith("{"):
            return _load_lines(text)
        if "\\ud" not in text and "\\uD" not in text:  # which may be half a character
            values: dict[str, Any] = json.loads(
                text, object_pairs_hook=_texts, parse_int=str, parse_float=str, parse_constant=_refuse
            )
            return values
    return None


def _texts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON a mapping whose scalars are texts; raise ValueError for a repeated key."""
    mapping = {
        key: value if value.__class__ is str or value is None else _text(value) for key, value in pairs
    }
    if len(mapping) != len(pairs):
        raise ValueError
    return mapping


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return [*map(_text, value)] if isinstance(value, list) else value


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


# Where a line begins, whether with the dash of a record, its key and value.
PlainLine = tuple[int, bool, str, Any]


class _OpenList(NamedTuple):
    """A list of records that more lines may belong to."""

    indent: int  # of its dashes
    records: list[Any]
    mapping: dict[str, Any]  # that the list is in
    column: int  # where the keys of that mapping begin


LIST_FOLLOWS = object()  # the value of a key whose list is on the next lines


def _load_lines(text: str) -> dict[str, Any] | None:
    """Read mappings and lists of mappings, a key on each line; raise ValueError for anything else.

    A line belongs to the mapping `here`, whose keys begin at `column`; `lists` are those around it, the
    innermost last. A record ends where a line is indented less.
    """
    root: dict[str, Any] = {}
    here, column = root, 0
    lists: list[_OpenList] = []
    waiting: str | None = None  # a key whose list begins with the next line
    by_line: dict[str, PlainLine | None] = {}  # most lines are there often
    for line in text.split("\n"):
        try:
            parsed = by_line[line]
        except KeyError:
            parsed = by_line[line] = _plain_line(line)
        if parsed is None:
            continue
        indent, begins_record, key, value = parsed
        if begins_record:
            if waiting is not None:
                if indent < column:
                    raise ValueError
                lists.append(_OpenList(indent, [], here, column))
                here[waiting], waiting = lists[-1].records, None
            while lists and lists[-1].indent > indent:
                lists.pop()
            if not lists or lists[-1].indent != indent:
                raise ValueError
            here, column = {}, indent + 2
            lists[-1].records.append(here)
        else:
            while indent < column and lists:
                here, column = lists[-1].mapping, lists.pop().column
            if indent != column or waiting is not None:
                raise ValueError
        if key in here:
            raise ValueError
        here[key] = [*value] if value.__class__ is list else value
        if value is LIST_FOLLOWS:
            waiting = key
    return root if root and waiting is None else None


def _plain_line(line: str) -> PlainLine | None:
    """Read a line; None for one without a key, ValueError for one that is read in another way."""
    match: Any = PLAIN_LINE.fullmatch(line)
    if not match:
        if BLANK_LINE.fullmatch(line):
            return None
        raise ValueError
    indent, dash, key, value, quoted, values = match.groups()
    if value in NULLS:
        value = None
    elif quoted is not None:
        value = json.loads(f'"{quoted}"') if "\\" in quoted else quoted
    elif values is not None:
        value = [None if part in NULLS else part for part in values.split(", ")] if values else []
    elif value is None:
        value = LIST_FOLLOWS
    return len(indent), bool(dash), key, value


def load_mapping(option: str, path: str, holds: str) -> dict[str, Any]:
    """Read the mapping in a file that an option names; `holds` says of what it is one.

    Raises UsageError where it cannot be read, and ContentError where it is no such document.
    """
    try:
        text = read_whole(path, MAX_MAPPING_MIB, option).decode()
    except UnicodeDecodeError:
        raise UsageError(f"{option}: {path} cannot be read: not UTF-8") from None
    document = load(text, path) or {}
    if not isinstance(document, dict):
        raise ContentError(f"{path}: must be a mapping {holds}")
    return document


def fast_loader() -> Any:
    """Return libyaml's loader: the one in Python scans a long text again with each part that it reads."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def first_value(document: Any) -> Any:
    """Return the event that begins the only document of a stream; None of an empty one."""
    for event in yaml.parse(document, Loader=fast_loader()):
        if not isinstance(event, ev.StreamStartEvent | ev.DocumentStartEvent):
            return None if isinstance(event, ev.StreamEndEvent) else event
    return None


def check_event(event: Any) -> None:
    """Raise UnsupportedYamlError for an anchor, an alias or a tag."""
    if getattr(event, "anchor", None) is not None:  # an alias has one too
        raise UnsupportedYamlError(event, "anchors and aliases are not read; write the value out")
    tag = getattr(event, "tag", None)
    if tag is not None and tag != "!":
        raise UnsupportedYamlError(event, f"the tag {tag} is not read; write a plain value")
