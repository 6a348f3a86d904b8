"""The error that a response means, from the error shapes of the service.

The advertising API sends an envelope with `errors` (and, for batches, `operation_errors`); the platform
API an Error object {code, message} or a Problem object (RFC 7807) whose `type` ends in a slug below.
"""

from typing import Any

import msgspec

from ..errors import (
    AccessError,
    AdsctlError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    UnavailableError,
)
from ..output.text import shortened
from .error_codes import HINTS, PARAMETER_HINTS, STATUSES, WEBHOOK_FAILURES
from .retry import RETRIED_STATUSES

TOO_FREQUENT = 99  # with status 403: bearer tokens were requested too often

# What the user can do about each problem.
PROBLEM_HINTS = {
    "client-disconnected": "adsctl closed the connection",
    "client-forbidden": "the app is not allowed to do this; check what it is enrolled for",
    "conflict": "a similar operation is running; retry when it has ended",
    "disallowed-resource": "this resource cannot be used here",
    "duplicate-rules": "the same rule already exists",
    "field-hydration-failure": "a part of the response is missing; try again later",
    "field-unauthorized": "you are not allowed to see this field",
    "internal-error": "the service failed; try again later",
    "invalid-request": "correct the named parameters",
    "invalid-rules": "correct the rules",
    "noncompliant-rules": "the rules violate the service's terms",
    "not-authorized-for-field": "you are not allowed to see this field",
    "not-authorized-for-resource": "you are not allowed to see this resource",
    "operational-disconnect": "the service closed the connection; retry",
    "resource-not-found": "check the id",
    "resource-unavailable": "the resource is currently unavailable",
    "rule-cap": "the maximum number of rules is reached",
    "streaming-connection": "close another stream first",
    "unsupported-authentication": "this endpoint needs another kind of authentication",
    "usage-capped": "the quota of this period is used up",
}
STANDARD_MEMBERS = ("type", "title", "detail", "status", "errors")  # of a Problem object


class ErrorDetails(msgspec.Struct, frozen=True):
    """The message and code of the service, and a hint."""

    message: str
    code: int | str | None = None
    hint: str = ""


def is_partial(body: dict[str, Any]) -> bool:
    """Whether Problem objects beside `data` tell only what is missing in it."""
    errors = body["errors"]
    return bool(body.get("data")) and isinstance(errors, list) and all(map(is_problem, errors))


def error_of(status: int, body: Any, *, unreadable: str = "") -> AdsctlError:
    """Return the error that a response means; `unreadable` describes a body that is not JSON."""
    error = _error_for(status, ErrorDetails(unreadable) if unreadable else error_details(body))
    error.body = body
    return error


def _error_for(status: int, details: ErrorDetails) -> AdsctlError:
    """Choose the exception for a status, or for the error code in a response whose status means success."""
    meaning = STATUSES.get(str(details.code), 400) if 200 <= status < 300 else status
    error_type: type[AdsctlError] = RefusedError
    if meaning in (401, 403):
        error_type = RateLimitedError if details.code == TOO_FREQUENT else AccessError
    elif meaning == 404:
        error_type = NotFoundError
    elif meaning == 429:
        error_type = RateLimitedError
    elif meaning >= 500 or meaning < 400 or meaning in RETRIED_STATUSES:
        error_type = UnavailableError
    message, hint = details.message, details.hint
    if 300 <= status < 400:
        message = "the service redirects to another address; credentials are not sent there"
        hint = "set the final address in the profile or the environment"
    return error_type(f"{message} (status {status})", hint=hint, http_status=status, api_code=details.code)


def error_details(body: Any) -> ErrorDetails:
    """Describe the error in the body of a response, shortened to fit a terminal."""
    details = _details(body)
    return msgspec.structs.replace(details, message=shortened(details.message))


def _details(body: Any) -> ErrorDetails:
    if not isinstance(body, dict):
        return ErrorDetails(f"the service responded {str(body)[:200]!r}")
    if is_problem(body):
        return _problem(body)
    entries = list(errors_of(body))
    if not entries and "message" in body:
        entries = [body]
    if not entries:
        return ErrorDetails("the service gave no reason")
    code = next((entry["code"] for entry in entries if isinstance(entry.get("code"), int | str)), None)
    message = "; ".join(dict.fromkeys(map(_message, entries)))
    slugs = (_slug(entry["type"]) for entry in entries if is_problem(entry))
    parameters = (str(entry.get("parameter")) for entry in entries)
    hints = (
        HINTS.get(str(code)),
        *map(PROBLEM_HINTS.get, slugs),
        _named_hint(message),
        *map(PARAMETER_HINTS.get, parameters),
    )
    return ErrorDetails(message, code, next(filter(None, hints), ""))


def errors_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """List the entries of `errors` and `operation_errors`, which may be flat or nested per operation."""
    found: list[dict[str, Any]] = []
    pending = [body.get("errors"), body.get("operation_errors")]
    while pending:
        entry = pending.pop(0)
        if isinstance(entry, list):
            pending[:0] = entry
        elif isinstance(entry, dict):
            found.append(entry)
        elif isinstance(entry, str):
            found.append({"message": entry})
    return found


def _message(entry: dict[str, Any]) -> str:
    message = str(entry.get("message") or entry.get("detail") or entry.get("code") or "no reason given")
    if isinstance(details := entry.get("details"), str) and details not in message:
        message = f"{message} ({details})"
    if isinstance(code := entry.get("code"), int | str) and str(code) not in message:
        message = f"{message} [{code}]"
    if isinstance(parameter := entry.get("parameter"), str) and parameter not in message:
        message = f"{parameter}: {message}"
    if isinstance(index := entry.get("index"), int):
        message = f"item {index}: {message}"
    return message


def is_problem(value: Any) -> bool:
    """Whether a value is a Problem object."""
    return isinstance(value, dict) and "title" in value and "type" in value


def _slug(type_: object) -> str:
    return str(type_).rstrip("/").rsplit("/", 1)[-1]


def _named_hint(message: str) -> str:
    """Return the hint of a failure that a message names."""
    return next((HINTS[name] for name in WEBHOOK_FAILURES if name in message), "")


def _problem(body: dict[str, Any]) -> ErrorDetails:
    """Describe a Problem object: title, detail, then its other members."""
    slug = _slug(body["type"])
    message = ": ".join(str(body[name]) for name in ("title", "detail") if body.get(name))
    extras = [f"{name} {_as_text(value)}" for name, value in body.items() if name not in STANDARD_MEMBERS]
    for entry in errors_of(body):
        parameters = entry.get("parameters")
        pairs = parameters.items() if isinstance(parameters, dict) else ()
        listed = ", ".join(f"{name}={_as_text(value)}" for name, value in pairs)
        extras.append(str(entry.get("message", "")) + (f" ({listed})" if listed else ""))
    if extras:
        message += f" ({'; '.join(extras)})"
    hint = _named_hint(message) or PROBLEM_HINTS.get(slug, "")
    return ErrorDetails(message, slug if slug in PROBLEM_HINTS else None, hint)


def _as_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
