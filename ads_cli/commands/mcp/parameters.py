"""The parameters that an assistant gives: their descriptions, and what it may not give."""

from typing import Any

from ...api.fields import Field
from ...api.spending import PAUSED, STATUS
from ...console.option_words import as_flag
from ...errors import UsageError

# A value that is read from a file, or from the environment.
FILE_MARK = "@"


def require_effect(argument: str, param: Any, value: Any) -> None:
    """Raise UsageError for a false flag that has no negative form: it would be left out."""
    if param.is_flag and not param.secondary_opts and not as_flag(argument, value):
        hint = f"give {STATUS}: {PAUSED}" if param.name == "active" else "leave it out"
        raise UsageError(f"{argument}: false changes nothing", hint=hint)


def require_no_file(argument: str, field: Field | None, value: Any) -> None:
    """Raise UsageError for a nested value that is to be read from a file, or from the environment."""
    if field and field.type.is_nested and isinstance(value, str) and value.lstrip().startswith(FILE_MARK):
        raise UsageError(f"{argument}: a file cannot be named here", hint="give the value as JSON")
