"""The handlers of the elements in a record of XML: functions over shared variables, which are the fastest."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from ..rows import Row
from .xml_fields import NAMED, ElementFields
from .xml_values import CLOSE, MAX_DEPTH, XML_SPACE, Event, Open, element_value, nested_text, nested_value


class RecordHandlers(NamedTuple):
    """What a parser calls in a record; `begin` comes first, with the row to fill and its attributes."""

    begin: Callable[[Row, Mapping[str, str]], None]
    start: Callable[[str, dict[str, str]], None]
    end: Callable[[str], None]
    text: Callable[[str], None]


def record_handlers(
    fields: ElementFields, on_end: Callable[[], None], on_too_deep: Callable[[], None]
) -> RecordHandlers:
    """Make the handlers that fill a row; `on_end` is called at the end of its record."""
    shared = fields.shared
    row, values = Row(0, {}), cast(dict[str, Any], {})
    sources: dict[str, str] = {}
    depth, is_plain = 0, True
    attributes: dict[str, str] = {}
    events: list[Event] = []  # of the field that is open; only texts, where it is plain
    texts = cast(list[str], events)

    def begin(opened: Row, found: Mapping[str, str]) -> None:
        nonlocal row, values, sources
        row, values, sources = opened, opened.values, {}
        if found:
            fields.set_attributes(values, sources, found)

    def start(tag: str, found: dict[str, str]) -> None:
        nonlocal depth, is_plain, attributes
        depth += 1
        if depth == 1:
            events.clear()
            attributes, is_plain = found, not found
            return
        if depth > MAX_DEPTH:
            on_too_deep()
        events.append(Open(tag, found))
        is_plain = False

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        if depth == 0:
            if is_plain:
                value: Any = "".join(texts).strip(XML_SPACE)
            else:
                tag, value = _field(fields, tag, attributes, events)
            field = fields[tag]
            if not value or (value.__class__ is str and value.isspace()):
                return
            if field in values or field in shared:
                row.problem = fields.add(values, sources, tag, value) or row.problem
            elif field:
                values[field] = value
        elif depth > 0:
            events.append(CLOSE)
        else:
            depth = 0
            on_end()

    return RecordHandlers(begin, start, end, events.append)


def _field(
    fields: ElementFields, tag: str, attributes: Mapping[str, str], events: list[Event]
) -> tuple[str, Any]:
    """Return tag and value of an element that has attributes or children."""
    if name := attributes.get("name"):
        tag = NAMED + name
    if any(isinstance(event, Open) for event in events):
        return tag, nested_text(events) if fields.is_text(tag) else nested_value(iter(events))
    return tag, element_value("".join(cast(list[str], events)), attributes)
