"""What a check finds, and the error of one that has failed."""

from functools import partial
from typing import Literal, NamedTuple

from ...errors import STATE_HINT, AdsctlError, StateError


class Diagnosis(NamedTuple):
    """What a check found; it raises AdsctlError where something does not work."""

    status: Literal["ok", "warning"]
    message: str
    hint: str = ""


ok = partial(Diagnosis, "ok")  # as it should be
warning = partial(Diagnosis, "warning")  # works, and perhaps not as somebody thinks
UNKNOWN = warning("not known, as an earlier check failed")


def as_error(error: Exception, about: str) -> AdsctlError:
    """Return the error of a check that has failed, in a foreseen way or not."""
    if isinstance(error, AdsctlError):
        return error
    if isinstance(error, OSError):
        return StateError(f"{error.filename or about}: {error.strerror or error}", hint=STATE_HINT)
    return AdsctlError(
        f"{type(error).__name__}: {error}", hint="this is a bug in adsctl: report it with this message"
    )
