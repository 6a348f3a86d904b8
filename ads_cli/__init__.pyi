from .errors import (
    AccessError,
    AdsctlError,
    ContentError,
    GuardError,
    IncompleteError,
    NotConfirmedError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    StateError,
    UnavailableError,
    UsageError,
)
from .library.connection import Connection, connect
from .library.results import Finding, Plan, Progress, PushResult, Record, RejectedRow, Rows

__version__: str

__all__ = [
    "AccessError",
    "AdsctlError",
    "Connection",
    "ContentError",
    "Finding",
    "GuardError",
    "IncompleteError",
    "NotConfirmedError",
    "NotFoundError",
    "Plan",
    "Progress",
    "PushResult",
    "RateLimitedError",
    "Record",
    "RefusedError",
    "RejectedRow",
    "Rows",
    "StateError",
    "UnavailableError",
    "UsageError",
    "connect",
]
