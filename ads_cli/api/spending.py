"""What begins to spend money: it is created paused, unless it is told otherwise."""

from typing import Any

from .endpoint import Request
from .fields import Field, fields_of

ACTIVE, PAUSED = "ACTIVE", "PAUSED"


def status_field(kind: type[Request]) -> Field | None:
    """Return the field that says whether a record may spend; None where a request has none."""
    if kind.endpoint.method not in ("POST", "PUT"):
        return None
    return next((field for field in fields_of(kind) if field.type.extra("spends")), None)


def paused_unless_told(kind: type[Request]) -> dict[str, Any]:
    """Return the status of a new record that nothing else gives one."""
    field = status_field(kind)
    return {field.name: PAUSED} if field and kind.endpoint.method == "POST" else {}


def is_active(request: Request) -> bool:
    """Whether a request asks for a record that may spend at once."""
    field = status_field(type(request))
    return field is not None and getattr(request, field.name) == ACTIVE
