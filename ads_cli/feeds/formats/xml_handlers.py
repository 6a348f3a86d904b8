"""The handlers of the elements in a record of XML: functions over shared variables, which are the fastest."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from .xml_records import (
    CLOSE,
    MAX_DEPTH,
    NAMED,
    ElementFields,
    Event,
    Open,
    element_value,
    nested_text,
    nested_value,
)

OUTSIDE, IN_RECORD, IN_FIELD = range(3)  # depths
MAX_ORDERS = 1000  # in which elements are remembered


class Handlers(NamedTuple):
    """What a parser calls."""

    start: Callable[[str, dict[str, str]], None]
    end: Callable[[str], None]
    text: Callable[[str], None]
    forget_text: Callable[[], None]  # that is outside of records


def record_handlers(
    fields: ElementFields,
    begins_record: Callable[[str], bool],
    end_outside: Callable[[], object],
    end_record: Callable[[dict[str, Any], str], None],
    refuse_depth: Callable[[], None],
) -> Handlers:
    """Make the handlers of a document.

    `begins_record` is called with each tag outside of records, `end_record` with the values of a record and
    their problem.
    """
    distinct: dict[tuple[str, ...], list[str]] = {}  # the fields of tags; none, where two are the same
    tags: list[str] = []  # of the fields of the record that is open
    texts: list[str] = []  # of each of them
    other: dict[int, Any] = {}  # values of those with attributes or children, by their number
    depth, is_nested = OUTSIDE, False
    of_record: dict[str, str] = {}  # attributes
    attributes: dict[str, str] = {}  # of the field that is open
    events: list[Event] = []  # of the field that is open; only texts, where it is plain
    parts = cast(list[str], events)
    clear, join, add_tag, add_text = events.clear, "".join, tags.append, texts.append

    def start(tag: str, found: dict[str, str]) -> None:
        nonlocal depth, is_nested, attributes, of_record
        if depth == IN_RECORD:
            depth = IN_FIELD
            clear()
            attributes = found
        elif depth == OUTSIDE:
            clear()
            if begins_record(tag):
                depth, of_record = IN_RECORD, found
        else:
            depth += 1
            if depth > MAX_DEPTH:
                refuse_depth()
            events.append(Open(tag, found))
            is_nested = True

    def end(tag: str) -> None:
        nonlocal depth, is_nested
        if depth == IN_FIELD:
            depth = IN_RECORD
            if attributes or is_nested:
                is_nested = False
                tag, other[len(tags)] = _field(fields, tag, attributes, events)
                add_tag(tag)
                add_text("")
            else:
                add_tag(tag)
                add_text(join(parts).strip())
        elif depth == IN_RECORD:
            depth = OUTSIDE
            end_record(*values())
        elif depth == OUTSIDE:
            end_outside()
        else:
            depth -= 1
            events.append(CLOSE)

    def values() -> tuple[dict[str, Any], str]:
        found: dict[str, Any]
        problem = ""
        key = tuple(tags)
        names = distinct.get(key)
        if names is None:
            names = distinct[key] = fields.distinct(tags)
            if len(distinct) > MAX_ORDERS:
                distinct.clear()
        if names and not of_record:
            found = dict(zip(names, texts, strict=False))
            if not all(texts):
                found |= {names[number]: value for number, value in other.items()}
                found = {field: value for field, value in found.items() if value}
        else:
            found, problem = _one_by_one(fields, of_record, tags, texts, other)
        tags.clear()
        texts.clear()
        other.clear()
        return found, problem

    return Handlers(start, end, events.append, clear)


def _one_by_one(
    fields: ElementFields,
    of_record: Mapping[str, str],
    tags: list[str],
    texts: list[str],
    other: Mapping[int, Any],
) -> tuple[dict[str, Any], str]:
    """Return the values of a record in which several elements, or attributes, may give a field."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    problem = ""
    fields.set_attributes(values, sources, of_record)
    for number, tag in enumerate(tags):
        value = other.get(number, texts[number])
        if value and fields[tag]:
            problem = fields.add(values, sources, tag, value) or problem
    return values, problem


def _field(
    fields: ElementFields, tag: str, attributes: Mapping[str, str], events: list[Event]
) -> tuple[str, Any]:
    """Return tag and value of an element that has attributes or children."""
    if name := attributes.get("name"):
        tag = NAMED + name
    if any(isinstance(event, Open) for event in events):
        return tag, nested_text(events) if fields.is_text(tag) else nested_value(iter(events))
    return tag, element_value("".join(cast(list[str], events)), attributes)
