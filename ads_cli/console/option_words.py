"""Write the values that a program gives a command as the words of its command line."""

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any

from ..errors import UsageError
from ..spelling import as_name
from .options import NESTED_METAVAR


def argument_names(param: Any) -> Iterator[str]:
    """Yield the names that a parameter has for a program: of its options, or of its metavar."""
    if param.param_type_name == "argument":  # the metavar of an option is the type of its values
        yield param.metavar.strip("[].").lower()
        yield str(param.name)
    else:
        long_names = [option for option in param.opts if option.startswith("--")]
        yield from map(as_name, long_names or param.opts)


def option_words(argument: str, param: Any, value: Any) -> list[str]:
    """Write the value of an option as words, each of which is never taken for another option."""
    option = max(param.opts, key=len)
    if param.is_flag:
        if as_flag(argument, value):
            return [option]
        return [max(param.secondary_opts, key=len)] if param.secondary_opts else []
    start = f"{option}=" if option.startswith("--") else option
    if param.multiple and isinstance(value, list | tuple):
        return [start + text_of(argument, item) for item in value]
    if param.metavar == NESTED_METAVAR and not isinstance(value, str):
        return [start + json.dumps(value)]
    return [start + text_of(argument, value)]


def as_flag(argument: str, value: Any) -> bool:
    """Return what a flag is set to; raise UsageError where that is neither true nor false."""
    if value not in (True, False, "true", "false"):
        raise UsageError(f"{argument}: must be true or false")
    return value in (True, "true")


def text_of(argument: str, value: Any) -> str:
    """Write a value as text, a list with commas; raise UsageError for one that no option takes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple) and not any(isinstance(item, list | tuple) for item in value):
        words = [text_of(argument, item) for item in value]
        if wrong := next((word for word in words if "," in word), None):
            raise UsageError(f"{argument}: {wrong[:100]!r} has a comma, which would part it in two")
        return ",".join(words)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return text_of(argument, value.value)
    if not isinstance(value, str | int | float | Decimal | PurePath):
        raise UsageError(f"{argument}: must be text, a number, true, false or a list of these")
    text = str(value)
    if "\0" in text or (any(0xD800 <= ord(sign) <= 0xDFFF for sign in text) and isinstance(value, str)):
        raise UsageError(f"{argument}: is not text")
    return text
