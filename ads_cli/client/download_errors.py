"""What the answers of a file server mean."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from ..errors import AccessError, NotFoundError, RefusedError, UnavailableError, UsageError
from ..loopback import is_loopback
from .retry import RETRIED_STATUSES, FailedAttempt

# The part that was asked for does not exist any more, or the server does not trust a first message.
RETRIED_OF_FILES = RETRIED_STATUSES | {416, 425}


def check_encrypted(url: str, label: str) -> None:
    """Raise UsageError for plain http to another machine: anybody on the way could change the feed."""
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UsageError(f"{label} is not https", hint="http is allowed for loopback addresses only")


def status_error(label: str, status: int, headers: Mapping[str, str], *, signed_in: bool) -> Exception:
    """Return the error of a status, or FailedAttempt if another attempt may succeed."""
    told = f"{label}: the server answered with status {status}"
    if status in RETRIED_OF_FILES:
        return FailedAttempt(UnavailableError(told, http_status=status), headers)
    if status in (401, 403):
        meaning = "it asks for a user name and password" if status == 401 else "it does not allow this"
        hint = "put them into ~/.netrc: machine HOST login USER password PASSWORD"
        if signed_in:
            meaning, hint = "it does not accept the user name and password", "check them"
        return AccessError(f"{told}: {meaning}", hint=hint, http_status=status)
    if status in (404, 410):
        return NotFoundError(f"{told}: there is no such file", hint="check the address", http_status=status)
    if status < 400:
        return UnavailableError(f"{told}, which does not send a file", http_status=status)
    return RefusedError(told, http_status=status)
