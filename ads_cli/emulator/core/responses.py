"""Answers on their way out: the envelope of the advertising API, its errors, and plain bodies."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from ...api.validation import InvalidError, Problem

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

Headers = tuple[tuple[str, str], ...]
JSON = "application/json;charset=utf-8"


class HttpResponse(NamedTuple):
    """An answer as it goes over the wire."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: Headers = ()

    @property
    def status_line(self) -> str:
        """Write the status with its phrase, as WSGI wants it."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return f"{self.status} Unknown"

    def send(self, start_response: "StartResponse", *, without_body: bool = False) -> list[bytes]:
        """Give the answer to a WSGI server."""
        fixed = [("Content-Type", self.content_type), ("Content-Length", str(len(self.body)))]
        start_response(self.status_line, [*fixed, *self.headers])
        return [] if without_body else [self.body]


class Result(NamedTuple):
    """What a handler found; it travels in the envelope."""

    data: Any
    next_cursor: str | UnsetType | None = UNSET  # null on the last page of a list, absent elsewhere
    total_count: int | UnsetType = UNSET


class ApiError(Exception):
    """The service refuses a request: every error of it goes into one answer."""

    def __init__(
        self,
        status: int,
        code: str | int,
        message: str,
        *,
        parameter: str | None = None,
        headers: Headers = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.errors: list[dict[str, Any]] = [{"code": code, "message": message}]
        if parameter is not None:
            self.errors[0]["parameter"] = parameter

    def plain(self, params: dict[str, Any]) -> HttpResponse:
        """Write the refusal down in the shape of the advertising API."""
        return failed(self.status, self.errors, params, self.headers)


class SignInError(ApiError):
    """A step of signing in is refused; such an answer echoes nothing."""

    def plain(self, params: dict[str, Any]) -> HttpResponse:
        """Write the refusal down in the shape of the sign-in endpoints."""
        return HttpResponse(msgspec.json.encode({"errors": self.errors}), self.status, headers=self.headers)


class Unauthenticated(SignInError):
    """The signature of a request does not hold."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(401, code, message)


def invalid_token() -> Unauthenticated:
    """Refuse a token that is unknown, expired or revoked."""
    return Unauthenticated(89, "Invalid or expired token.")


def not_found(what: str, identifier: str) -> ApiError:
    """Say that nothing has this id."""
    return ApiError(404, "NOT_FOUND", f"{what} {identifier} does not exist")


def invalid(parameter: str, reason: str) -> InvalidError:
    """Say what is wrong with a parameter in view of what is stored."""
    return InvalidError([Problem(parameter, reason)])


def enveloped(answer: Result, params: dict[str, Any], headers: Headers = ()) -> HttpResponse:
    """Put what a handler found into the envelope."""
    body: dict[str, Any] = {"request": {"params": params}, "data": answer.data}
    if answer.next_cursor is not UNSET:
        body["next_cursor"] = answer.next_cursor
    if answer.total_count is not UNSET:
        body["total_count"] = answer.total_count
    return HttpResponse(msgspec.json.encode(body, enc_hook=str), headers=headers)


def failed(
    status: int, errors: list[dict[str, Any]], params: dict[str, Any], headers: Headers = ()
) -> HttpResponse:
    """Write errors down in the shape of the advertising API."""
    body = {"errors": errors, "request": {"params": params}}
    return HttpResponse(msgspec.json.encode(body, enc_hook=str), status, headers=headers)
