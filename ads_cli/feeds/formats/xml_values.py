"""The value of an element of XML: its text, an address in an attribute, or what is nested in it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

MAX_DEPTH = 100  # of elements in each other
ADDRESSES = ("href", "url")  # attributes of an element without text: Atom's link, an enclosure
OTHER_LINKS = ("self", "enclosure", "related", "via", "next", "edit")  # Atom's links that are not the product


class Open(NamedTuple):
    """The start of a nested element, among the texts of a field."""

    tag: str
    attributes: Mapping[str, str]


class Close(NamedTuple):
    """The end of a nested element."""


CLOSE = Close()
Event = str | Open | Close


def local_name(tag: str) -> str:
    """Return a name without its prefix: `g:id` and `id` are the same."""
    return tag.rpartition(":")[2]


def element_value(text: str, attributes: Mapping[str, str]) -> str:
    """Return the value of an element with attributes and without children; "" where it has none."""
    if attributes.get("xml:space") == "preserve":
        return "" if text.isspace() else text
    if text := text.strip():
        return text
    if attributes.get("rel") in OTHER_LINKS:
        return ""
    return next((found for name in ADDRESSES if (found := attributes.get(name))), "")


def nested_text(events: Sequence[Event]) -> str:
    """Return the text of an element with children: as it flows, or a word of each child where it has none."""
    depth, is_mixed = 0, False
    for event in events:
        if isinstance(event, str):
            is_mixed = is_mixed or (depth == 0 and not event.isspace())
        else:
            depth += 1 if isinstance(event, Open) else -1
    texts = [event for event in events if isinstance(event, str)]
    if is_mixed:
        return "".join(texts).strip()
    return " ".join(text for each in texts if (text := each.strip()))


def nested_value(events: Iterator[Event]) -> Any:
    """Return the children of an element by name, each with its own; the text where it has none."""
    children: dict[str, Any] = {}
    texts: list[str] = []
    for event in events:
        if isinstance(event, str):
            texts.append(event)
        elif isinstance(event, Open):
            value = nested_value(events) or element_value("", event.attributes)
            if value:
                add_value(children, event.attributes.get("name") or local_name(event.tag), value)
        else:
            break
    return children or "".join(texts).strip()


def add_value(values: dict[str, Any], name: str, value: Any) -> None:
    """Set a value; one of several with the same name is an item of a list."""
    before = values.get(name)
    if before is None:
        values[name] = value
    elif isinstance(before, list):
        before.append(value)
    else:
        values[name] = [before, value]
