"""The text of a value, as templates and conditions see it."""

from typing import Any

from ...output.text import cell


def text_of(value: Any) -> str:
    """Return a value as text; a list of texts is joined by commas."""
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(cell, value))
    return cell(value)
