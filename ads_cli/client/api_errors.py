"""The service's own words for what went wrong, out of each shape that it uses for them.

The advertising API answers an envelope with `errors` (and, for batches, `operation_errors`); the
platform API an Error object {code, message} or a Problem object (RFC 7807) whose `type` names one
of the kinds below.
"""

from typing import Any, NamedTuple

from ..output.text import shortened

# What each kind of problem means for the person at the keyboard.
PROBLEMS = {
    "client-disconnected": "the connection was closed by this side",
    "client-forbidden": "the app may not do this; check what it is enrolled for",
    "conflict": "something of the kind is under way already; try again when it has ended",
    "disallowed-resource": "this resource may not be used here",
    "duplicate-rules": "the same rule is there already",
    "invalid-request": "correct the named parameters",
    "invalid-rules": "correct the rules",
    "noncompliant-rules": "the rules break the service's terms",
    "not-authorized-for-field": "you may not see this field",
    "not-authorized-for-resource": "you may not see this resource",
    "operational-disconnect": "the service closed the connection; try again",
    "resource-not-found": "check the id",
    "resource-unavailable": "the resource cannot be had at the moment",
    "rule-cap": "no more rules are allowed",
    "streaming-connection": "close another stream first",
    "unsupported-authentication": "this needs another kind of sign-in",
    "usage-capped": "the allowance of this period is used up",
}
BASIC = ("type", "title", "detail", "status", "errors")


class Said(NamedTuple):
    """What the service said: words, its own code, and what to do."""

    message: str
    code: int | str | None = None
    hint: str = ""


def said(body: Any) -> Said:
    """Put the error in an answer's body into words, and not too many of them."""
    words = _said(body)
    return words._replace(message=shortened(words.message))


def _said(body: Any) -> Said:
    if not isinstance(body, dict):
        return Said(f"the service said {str(body)[:200]!r}")
    if "title" in body and "type" in body:
        return _problem(body)
    entries = list(errors_of(body))
    if not entries and "message" in body:
        entries = [body]
    if not entries:
        return Said("the service gave no reason")
    code = next((entry["code"] for entry in entries if isinstance(entry.get("code"), int | str)), None)
    return Said("; ".join(dict.fromkeys(map(_error, entries))), code)


def errors_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """List the entries of `errors` and `operation_errors`, which may be flat or a list an operation."""
    found: list[dict[str, Any]] = []
    waiting = [body.get("errors"), body.get("operation_errors")]
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, list):
            waiting[:0] = entry
        elif isinstance(entry, dict):
            found.append(entry)
        elif isinstance(entry, str):
            found.append({"message": entry})
    return found


def _error(entry: dict[str, Any]) -> str:
    words = str(entry.get("message") or entry.get("detail") or entry.get("code") or "no reason given")
    if isinstance(code := entry.get("code"), int | str) and str(code) not in words:
        words = f"{words} [{code}]"
    if isinstance(parameter := entry.get("parameter"), str) and parameter not in words:
        words = f"{parameter}: {words}"
    if isinstance(index := entry.get("index"), int):
        words = f"item {index}: {words}"
    return words


def _problem(body: dict[str, Any]) -> Said:
    """Tell a Problem: title, detail, then whatever its kind carries beside them."""
    slug = str(body["type"]).rstrip("/").rsplit("/", 1)[-1]
    words = ": ".join(str(body[name]) for name in ("title", "detail") if body.get(name))
    extras = [f"{name} {_plain(value)}" for name, value in body.items() if name not in BASIC]
    for entry in errors_of(body):
        parameters = entry.get("parameters")
        named = (
            ", ".join(f"{k}={_plain(v)}" for k, v in parameters.items())
            if isinstance(parameters, dict)
            else ""
        )
        extras.append(str(entry.get("message", "")) + (f" ({named})" if named else ""))
    if extras:
        words += f" ({'; '.join(extras)})"
    return Said(words, slug if slug in PROBLEMS else None, PROBLEMS.get(slug, ""))


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
