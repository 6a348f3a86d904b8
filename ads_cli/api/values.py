"""Values of declared fields: when two of them mean the same."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

from ..spelling import as_stored, comma_list
from .time import decode_custom

NOTHING: tuple[Any, ...] = (None, "", [])  # values of a field that is not set


def comparable_form(
    annotation: Any,
    *,
    is_text: bool,
    is_comma_list: bool,
    keeps_order: bool,
    text_form: Callable[[str], Any] | None,
) -> Callable[[Any], Any]:
    """Return a function that returns equal values for values of a type that mean the same.

    Values are converted to the type: times are compared whatever their zone, and numbers may be texts. Texts
    are compared as services store them, or by the form that their type declares. A list of plain values may
    be a text, as in a query; their order counts only where `keeps_order`. What is empty is None, and what is
    invalid is compared as it is.
    """

    def text(value: Any) -> Any:
        if value is None:
            return None
        stored = as_stored(value if type(value) is str else str(join_list(value)))
        return (text_form(stored) if text_form else stored) if stored else None

    def form(value: Any) -> Any:
        if is_comma_list and type(value) is str:
            value = comma_list(value)
        if value in NOTHING:
            return None
        with suppress(msgspec.ValidationError):
            plain = as_stored(value) if type(value) is str else msgspec.to_builtins(value, enc_hook=str)
            value = msgspec.convert(plain, annotation, strict=False, dec_hook=decode_custom)
        if type(value) is str:
            return text(value)
        if type(value) is list and not (keeps_order or isinstance(value[0], list | dict | msgspec.Struct)):
            return sorted(map(as_stored, map(str, value)))
        return value

    return text if is_text else form


def join_list(value: Any) -> Any:
    """Join the items of a list by commas, as in a table. Return any other value as it is."""
    return ",".join(map(str, value)) if isinstance(value, list) else value
