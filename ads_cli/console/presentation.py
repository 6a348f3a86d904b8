"""How an invocation is shown: flag > environment > profile; and what a table shows of a record."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from ..config.settings import Setting, Settings
from ..errors import AdsctlError, UsageError
from ..output import COLORS, FORMATS, Presentation
from ..spelling import suggestion
from .command_line import CommandLine


def resolve_presentation(settings: Settings) -> Presentation:
    """Resolve and validate the presentation; raise UsageError for an unknown format or color."""
    return _presentation(
        settings,
        _validated(_output_setting(settings), FORMATS, "format"),
        _validated(_color_setting(settings), COLORS, "value"),
    )


def error_presentation(command_line: CommandLine) -> Presentation:
    """Return the presentation of an error: the invocation's, or what can be resolved without raising."""
    if command_line.presentation:
        return command_line.presentation
    settings = Settings(command_line.options)
    output, color = _output_setting(settings), _color_setting(settings)
    return _presentation(settings, output and output.value, color.value if color.value in COLORS else "auto")


def _presentation(settings: Settings, output: str | None, color: str | None) -> Presentation:
    quiet, verbose = (bool(settings.flags.get(name)) for name in ("quiet", "verbose"))
    return Presentation(output, color or "auto", quiet=quiet, verbose=verbose)


def _output_setting(settings: Settings) -> Setting | None:
    # A profile that cannot be read is reported by the command that needs it.
    with suppress(AdsctlError, OSError):
        return settings.find("output")
    return None


def _color_setting(settings: Settings) -> Setting:
    return Setting(str(settings.flags.get("color") or "auto"), "--color")


def _validated(setting: Setting | None, allowed: Collection[str], noun: str) -> str | None:
    if setting is not None and setting.value not in allowed:
        raise UsageError(
            f"{setting.origin}: {setting.value!r} is not a valid {noun}{suggestion(setting.value, allowed)}",
            hint=f"one of {', '.join(allowed)}",
        )
    return setting and setting.value


MONEY = "_local_micro"
HEADERS = {
    "effective_status": "status",
    "scheduled_status": "status",
    "audience_size": "size",
    "list_size": "size",
    "reasons_not_targetable": "why_not",
}
DAY_ONLY = ("created_at", "updated_at")


def header(column: str) -> str:
    """Name a column of a table: `daily_budget_amount_local_micro` is `daily_budget`."""
    name = column.removesuffix(MONEY).removesuffix("_amount") if column.endswith(MONEY) else column
    return HEADERS.get(name, name)


def shown(column: str, record: Mapping[str, Any]) -> Any:
    """Return the value of a column as a table shows it."""
    value = record.get(column)
    if column.endswith(MONEY) and isinstance(value, int):
        from ..api.amounts import as_amount

        currency = str(record.get("currency") or "")
        return f"{as_amount(value, currency)} {currency}".rstrip()
    if column.endswith(("_at", "_time")) and isinstance(value, str) and value.endswith("Z"):
        return _moment(value, column in DAY_ONLY)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, dict) and value.keys() == {"min", "max"}:
        least, most = value["min"], value["max"]
        return f"{least:,} to {most:,}" if isinstance(least, int) and isinstance(most, int) else value
    return value


def _moment(text: str, day_only: bool) -> str:
    """Write `2026-03-01T08:00:00Z` as a day, or as a day and a time of it where that is not its start."""
    day, _, time = text.removesuffix("Z").partition("T")
    return day if day_only or time.startswith("00:00:00") else f"{day} {time[:5]}"
