"""The errors that end the program, each with its exit code.

An Interrupted is not an AdsctlError: a signal (128 + its number) ended the program.
"""

import signal

DIFFERENCES_FOUND = 10  # the exit code of a comparison; not an error
SIGNAL_EXIT_CODES = {129: "SIGHUP", 130: "SIGINT", 141: "a broken pipe", 143: "SIGTERM"}

TEMPORARY_HINT = "free some space, or set TMPDIR to a folder on a larger disk"
STATE_HINT = "free space in the state folder or repair it, or set ADSCTL_STATE_DIR to another one"


class ReportedError(BaseException):
    """The reported reason for an exit: what happened and where (message), what to do next (hint)."""

    exit_code = 1
    code = "internal"
    meaning = "a bug in adsctl"  # of the exit code, as `help exit-codes` explains it
    severity = 12  # of the exit code, for a fleet: from what concerns some rows to what concerns every task
    retryable = False
    body: object = None  # of the response
    may_be_applied = False  # the service may have applied the request
    result: object = None  # what a command has given before it failed, for a program that called it

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        http_status: int | None = None,
        api_code: int | str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.http_status = http_status
        self.api_code = api_code

    def __str__(self) -> str:
        return self.message  # which is masked, and says more than when it was raised

    def as_dict(self) -> dict[str, object]:
        """Return the error as `-o json` prints it."""
        return {
            "code": self.code,
            "exit_code": self.exit_code,
            "http_status": self.http_status,
            "api_code": self.api_code,
            "message": self.message,
            "hint": self.hint or None,
            "retryable": self.retryable,
        }


class AdsctlError(ReportedError, Exception):
    """The base of all errors."""


class UsageError(AdsctlError):
    """An option or an argument is wrong."""

    exit_code = 2
    code = "usage"
    meaning = "usage: an option or an argument, a limit broken by one, a file that cannot be opened"
    severity = 10


class ContentError(AdsctlError):
    """The content of a file or standard input is wrong; nothing was sent."""

    exit_code = 3
    code = "content"
    meaning = "the contents of a file, standard input or @FILE are invalid; nothing was sent"
    severity = 4


class AccessError(AdsctlError):
    """Not signed in, or not allowed."""

    exit_code = 4
    code = "access"
    meaning = "not signed in, or not allowed"
    severity = 9


class NotFoundError(AdsctlError):
    """The resource does not exist."""

    exit_code = 5
    code = "not_found"
    meaning = "not found"
    severity = 5


class RefusedError(AdsctlError):
    """The service refused the request."""

    exit_code = 6
    code = "refused"
    meaning = "refused by the service for another reason"
    severity = 6


class RateLimitedError(AdsctlError):
    """The service limits the rate for longer than --max-wait."""

    exit_code = 7
    code = "rate_limited"
    meaning = "rate limited for longer than --max-wait"
    severity = 7
    retryable = True


class UnavailableError(AdsctlError):
    """The service cannot be reached, or its response cannot be read."""

    exit_code = 8
    code = "unavailable"
    meaning = "network, timeout, 5xx or an unreadable response"
    severity = 8
    retryable = True


class IncompleteError(AdsctlError):
    """A push ended with some items rejected."""

    exit_code = 9
    code = "incomplete"
    meaning = "a push ended with some items refused"
    severity = 2


class StateError(AdsctlError):
    """The configuration, a credential or the state folder cannot be used."""

    exit_code = 11
    code = "state"
    meaning = "configuration, credentials or the state folder: no keyring, a locked job, a full disk"
    severity = 11


class NotConfirmedError(AdsctlError):
    """A destructive command was not confirmed, or a limit that guards against accidents was passed."""

    exit_code = 12
    code = "not_confirmed"
    meaning = "not confirmed, on a terminal or by --yes; or refused by a limit or the guard"
    severity = 3


class GuardError(NotConfirmedError):
    """The guard refuses a change, whatever the options are."""

    code = "guard"


class Interrupted(ReportedError):
    """A signal stopped the program."""

    code = "interrupted"

    def __init__(self, signum: int) -> None:
        super().__init__(f"stopped by {signal.Signals(signum).name}")
        self.exit_code = 128 + signum


_KINDS: list[type[AdsctlError]] = [AdsctlError, *AdsctlError.__subclasses__()]
ERRORS = {kind.exit_code: kind for kind in _KINDS}
_MEANINGS = {0: "success", DIFFERENCES_FOUND: "differences found"}
EXIT_CODES = dict(sorted({**_MEANINGS, **{code: kind.meaning for code, kind in ERRORS.items()}}.items()))
