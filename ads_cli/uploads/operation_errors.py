"""Why single operations of a request were refused."""

from typing import Any

Errors = dict[int, list[dict[str, Any]]]  # by the number of the operation


def operation_errors(body: Any, operations: int) -> Errors:
    """Return the errors of refused operations, by number; they come flat, or in a list for each."""
    found: Errors = {}
    entries = body.get("operation_errors") if isinstance(body, dict) else None
    for position, entry in enumerate(entries if isinstance(entries, list) else []):
        for error in entry if isinstance(entry, list) else [entry]:
            if isinstance(error, dict):
                index = position if isinstance(entry, list) else error.get("index", position)
                if isinstance(index, int) and 0 <= index < operations:
                    found.setdefault(index, []).append(error)
    return dict(sorted(found.items()))


def reasons_of(errors: Errors) -> dict[int, str]:
    """Return the reason of each refused operation in a line."""
    return {
        index: "; ".join(
            dict.fromkeys(str(error.get("message") or error.get("code") or "rejected") for error in found)
        )
        for index, found in errors.items()
    }
