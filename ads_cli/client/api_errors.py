"""The error that a response means, from the error shapes of the service.

The advertising API sends an envelope with `errors`, and with `operation_errors` for batches. The platform API
sends an Error object {code, message}, or a Problem object (RFC 7807) whose `type` ends in a slug below.
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
from ..http.retry import RETRIED_STATUSES
from ..output.text import shortened

# The status that a code means in a response whose own status means success; every other code means 400.
CODES_BY_STATUS = {
    401: "UNAUTHORIZED_ACCESS",
    403: """
        ACCOUNT_LOCKED_OUT ACCOUNT_NOT_FOUND ACTION_NOT_ALLOWED CURRENT_USER_SUSPENDED
        FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT
        GENERIC_TWEET_ERROR MALWARE_STATUS READONLY_CLIENT_APPLICATION TWEET_IS_SPAM
        UNAUTHORIZED_CLIENT_APPLICATION USER_NOT_FOUND
    """,
    404: """
        ACCOUNT_MEDIA_NOT_FOUND APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND APP_EVENT_TAG_NOT_FOUND
        BEHAVIOR_OR_BEHAVIOR_EXPANDED_NOT_FOUND CAMPAIGN_NOT_FOUND CARD_NOT_FOUND FUNDING_INSTRUMENT_NOT_FOUND
        INVALID_APP_ID INVALID_APP_STORE INVALID_IAB_CATEGORY INVALID_ID_ILLEGAL_CHARACTERS
        LINE_ITEM_APP_NOT_FOUND LINE_ITEM_NOT_FOUND MACT_APP_NOT_FOUND MEDIA_CREATIVE_NOT_FOUND
        MEDIA_NOT_FOUND NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION NOT_FOUND PROMOTABLE_USER_NOT_FOUND
        PROMOTED_ACCOUNT_NOT_FOUND PROMOTED_TWEET_NOT_FOUND ROUTE_NOT_FOUND
        TAILORED_AUDIENCE_CHANGE_FILE_NOT_FOUND TAILORED_AUDIENCE_NOT_FOUND
        TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND TARGETING_CRITERION_NOT_FOUND
        TWEET_NOT_FOUND WEB_EVENT_TAG_NOT_FOUND
    """,
    408: "CANCELLED_REQUEST",
    423: "LOCK_ACQUISITION_TIMEOUT",
    429: "TOO_MANY_REQUESTS TWEET_RATE_LIMIT_EXCEEDED",
    500: "INTERNAL_ERROR",
    503: "SERVICE_UNAVAILABLE OVER_CAPACITY",
}
STATUSES = {code: status for status, codes in CODES_BY_STATUS.items() for code in codes.split()}

_BUSY = "the service is busy; try again later"
_MEDIA = "adsctl media library list shows the media that can be used"
_DELETED = (
    "check the id, and that it is of this account (--account); a deleted record is shown only with "
    "--with-deleted, where the command has it"
)
# By the parameter that an error names: the command that shows what it may be.
PARAMETER_HINTS = {
    "campaign_id": "adsctl campaigns list shows those of the account",
    "funding_instrument_id": "adsctl funding-instruments list shows those of the account",
    "line_item_id": "adsctl line-items list shows those of the account",
    "targeting_value": "adsctl targeting search finds the values",
}
# By code.
HINTS = {
    **dict.fromkeys((code for code in CODES_BY_STATUS[404].split() if code.endswith("NOT_FOUND")), _DELETED),
    "ACCOUNT_LOCKED_OUT": "sign in at the service's own page and unlock the user",
    "ACCOUNT_MEDIA_NOT_FOUND": "adsctl media account list shows the media of the account",
    "ACCOUNT_NOT_FOUND": "the account does not exist, or is not shared with the user: adsctl accounts list",
    "ACTION_NOT_ALLOWED": "the user's role in this account does not allow this; ask its administrator",
    "CANCELLED_REQUEST": "the service gave up on the request; ask for less at once, or raise --max-attempts",
    "CARD_NOT_FOUND": "adsctl cards list --with-deleted shows the cards of the account",
    "CURRENT_USER_SUSPENDED": "the service suspended the user; sign in as another: adsctl auth login",
    "DUPLICATE_TWEET": "the same text was posted shortly before; change it",
    "EXCLUSIVE_PARAMETERS": "leave out one of the named parameters",
    "FEATURE_NOT_AVAILABLE": "the account has not been given this feature: adsctl accounts features list",
    "FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED": "this account may not use that funding instrument",
    "FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT": "lower the budget, or raise the credit limit",
    "GENERIC_TWEET_ERROR": "the service does not accept this post and gives no reason; change its text",
    "INCLUSIVE_PARAMETERS": "add the parameter that the named one needs",
    "INTERNAL_ERROR": "the service failed; try again later",
    "INVALID_MEDIA": _MEDIA,
    "INVALID_MEDIA_ID": _MEDIA,
    "INVALID_TIME_WINDOW": "the end must be after the start, and within the longest period that is allowed",
    "LOCK_ACQUISITION_TIMEOUT": "another request changes the same object; try again later",
    "MALWARE_STATUS": "the service takes an address in this post for malware; change or remove it",
    "MEDIA_NOT_FOUND": _MEDIA,
    "OVER_CAPACITY": _BUSY,
    "READONLY_CLIENT_APPLICATION": "give the app write access in its settings, then: adsctl auth login",
    "REQUEST_TOO_COMPLEX": "ask for less at once: fewer ids, or a shorter period",
    "ROUTE_NOT_FOUND": "the service has no such path; --service and the addresses of the profile must fit",
    "SCHEDULED_TWEET_LIMIT_EXCEEDED": "delete scheduled posts, or wait until some were posted",
    "SERVICE_UNAVAILABLE": _BUSY,
    "TAILORED_AUDIENCE_NOT_FOUND": "check --audience: it must belong to the account, or be shared with it",
    "TOO_MANY_CAMPAIGNS": "the account has as many campaigns as it may have; delete or end some",
    "TOO_MANY_LINE_ITEMS": "there are as many line items as there may be; delete or end some",
    "TOO_MANY_REQUESTS": "wait for the next window, or raise --max-wait",
    "TWEET_IS_SPAM": "the service takes this post for spam; change its text",
    "TWEET_RATE_LIMIT_EXCEEDED": "the user has posted as much as is allowed; try again in some hours",
    "UNAUTHORIZED_CLIENT_APPLICATION": "the app needs approval for the advertising API, or this part of it",
    "USER_NOT_FOUND": "the user does not exist, or may not be used by this account",
}  # fmt: skip
# What the message of an error about webhooks may name.
WEBHOOK_HINTS = {
    "CrcValidationFailed": "the address must answer the service's challenge (crc_token) within 10 seconds",
    "DuplicateSubscriptionFailed": "nothing is to be done: the activities of the user are delivered already",
    "DuplicateUrlFailed": "this address is registered already; each one can have one webhook",
    "QueryParamInvalid": "two minutes in UTC, at most 2 hours apart: the first 31 minutes to 24 hours ago",
    "ReplayConflictError": "a replay of this webhook is running; try again once its last message has come",
    "SubscriptionLimitExceeded": "the app has as many subscriptions as it may have; end one",
    "SubscriptionNotFound": "adsctl webhooks account-activity list shows whose activities are delivered",
    "UrlValidationFailed": "the address must be https, have no port, and be reachable for the service",
    "WebhookIdInvalid": "adsctl webhooks list shows the webhooks of the app",
    "WebhookLimitExceeded": "the app has as many webhooks as it may have; delete one: adsctl webhooks list",
}

TOO_FREQUENT = 99  # with status 403: bearer tokens were requested too often

NOT_FOUND = "resource-not-found"
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
    NOT_FOUND: "check the id",
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
    """Whether errors beside `data` only name what is missing in it, as problems or by a record's id."""
    errors = body["errors"]
    if not isinstance(errors, list) or not isinstance(body.get("data"), dict | list):
        return False
    is_of_record = [isinstance(error, dict) and "subscription_id" in error for error in errors]
    return all(is_of_record) or (bool(body["data"]) and all(map(_is_of_part, errors)))


def _is_of_part(error: Any) -> bool:
    return is_problem(error) or (isinstance(error, dict) and "subscription_id" in error)


def error_of(status: int, body: Any, *, unreadable: str = "") -> AdsctlError:
    """Return the error that a response means; `unreadable` describes a body that is not JSON."""
    details = ErrorDetails(unreadable) if unreadable else error_details(body)
    meaning = _meaning(details.code, body) if 200 <= status < 300 else status
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
    message = f"{message} (status {status})"
    error = error_type(message, hint=hint, http_status=status, api_code=details.code)
    error.body = body
    return error


def _meaning(code: int | str | None, body: Any) -> int:
    """Return the status that an error means in a response whose own status means success."""
    entries = errors_of(body) if isinstance(body, dict) else []
    if entries and all(slug_of(entry.get("type")) == NOT_FOUND for entry in entries):
        return 404
    return STATUSES.get(str(code), 400)


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
    if not entries and isinstance(reason := body.get("error"), str):  # of OAuth 2.0 (RFC 6749, 5.2)
        entries = [{"code": reason, "message": body.get("error_description")}]
    if not entries:
        return ErrorDetails("the service gave no reason")
    code = next((entry["code"] for entry in entries if isinstance(entry.get("code"), int | str)), None)
    message = "; ".join(dict.fromkeys(map(_message, entries)))
    slugs = (slug_of(entry["type"]) for entry in entries if is_problem(entry))
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
    errors: list[dict[str, Any]] = []
    pending = [body.get("errors"), body.get("operation_errors")]
    while pending:
        entry = pending.pop(0)
        if isinstance(entry, list):
            pending[:0] = entry
        elif isinstance(entry, dict):
            errors.append(entry)
        elif isinstance(entry, str):
            errors.append({"message": entry})
    return errors


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


def slug_of(type_: object) -> str:
    """Return the end of the type of a problem, which tells it from others."""
    return str(type_).rstrip("/").rsplit("/", 1)[-1]


def _named_hint(message: str) -> str:
    """Return the hint of a failure that a message names."""
    return next((hint for name, hint in WEBHOOK_HINTS.items() if name in message), "")


def _problem(body: dict[str, Any]) -> ErrorDetails:
    """Describe a Problem object: title, detail, then its other members."""
    slug = slug_of(body["type"])
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
