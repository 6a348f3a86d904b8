"""The exception tree, with the exit code of each error.

AdsctlError               a bug in adsctl
├── UsageError            an option, an argument or a limit broken by one
├── ContentError          the contents of a file or of standard input
├── AccessError           not signed in, or not allowed
├── NotFoundError         no such resource
├── RefusedError          refused by the service for another reason
├── RateLimitedError      rate limited for longer than --max-wait
├── UnavailableError      network, timeout, 5xx or an unreadable response
├── IncompleteError       a push ended with some items refused
├── StateError            configuration, credentials or the state folder
└── NotConfirmedError     a destructive command without confirmation
    └── GuardError        a limit of the guard

Interrupted is outside the tree: a signal (128 + its number), not an error.
"""

import signal

# The exit codes, as `help exit-codes` explains them.
EXIT_CODES = {
    0: "success",
    1: "a bug in adsctl",
    2: "usage: an option or an argument, a limit broken by one, a file that cannot be opened",
    3: "the contents of a file, standard input or @FILE are invalid; nothing was sent",
    4: "not signed in, or not allowed",
    5: "not found",
    6: "refused by the service for another reason",
    7: "rate limited for longer than --max-wait",
    8: "network, timeout, 5xx or an unreadable response",
    9: "a push ended with some items refused",
    10: "differences found",
    11: "configuration, credentials or the state folder: no keyring, a locked job, a full disk",
    12: "not confirmed, on a terminal or by --yes; or refused by a limit or the guard",
}
SIGNAL_EXIT_CODES = {129: "SIGHUP", 130: "SIGINT", 141: "a broken pipe", 143: "SIGTERM"}

TEMPORARY_HINT = "free some space, or set TMPDIR to a folder on a larger disk"
STATE_HINT = "free space in the state folder or repair it, or set ADSCTL_STATE_DIR to another one"


class ReportedError(BaseException):
    """The reported reason for an exit: what happened and where (message), what to do next (hint)."""

    exit_code = 1
    code = "internal"
    retryable = False
    body: object = None  # of the response
    may_be_applied = False  # the service may have applied the request

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


class ContentError(AdsctlError):
    """The content of a file or standard input is wrong; nothing was sent."""

    exit_code = 3
    code = "content"


class AccessError(AdsctlError):
    """Not signed in, or not allowed."""

    exit_code = 4
    code = "access"


class NotFoundError(AdsctlError):
    """The resource does not exist."""

    exit_code = 5
    code = "not_found"


class RefusedError(AdsctlError):
    """The service refused the request."""

    exit_code = 6
    code = "refused"


class RateLimitedError(AdsctlError):
    """The service limits the rate for longer than --max-wait."""

    exit_code = 7
    code = "rate_limited"
    retryable = True


class UnavailableError(AdsctlError):
    """The service cannot be reached, or its response cannot be read."""

    exit_code = 8
    code = "unavailable"
    retryable = True


class IncompleteError(AdsctlError):
    """A push ended with some items rejected."""

    exit_code = 9
    code = "incomplete"


class StateError(AdsctlError):
    """The configuration, a credential or the state folder cannot be used."""

    exit_code = 11
    code = "state"


class NotConfirmedError(AdsctlError):
    """A destructive command was not confirmed, or a limit that guards against accidents was passed."""

    exit_code = 12
    code = "not_confirmed"


class GuardError(NotConfirmedError):
    """The guard refuses a change, whatever the options are."""

    code = "guard"


class Interrupted(ReportedError):
    """A signal stopped the program."""

    code = "interrupted"

    def __init__(self, signum: int) -> None:
        super().__init__(f"stopped by {signal.Signals(signum).name}")
        self.exit_code = 128 + signum
