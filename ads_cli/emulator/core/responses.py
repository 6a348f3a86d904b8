"""HTTP responses: the envelope of the advertising API, errors, plain bodies."""

from collections.abc import Collection, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from ...api.names import ENUMS, GENERIC, Names
from ...api.problems import Problem

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

Headers = tuple[tuple[str, str], ...]
JSON = "application/json;charset=utf-8"
RESULTS = "/stats-results/"  # of jobs; they need no signature: each path has a secret of its own


class HttpResponse(NamedTuple):
    """A response as it is sent."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: Headers = ()
    stream: Iterator[bytes] | None = None  # in place of the body, which has no end

    @classmethod
    def json(cls, body: Any, status: int = 200, headers: Headers = ()) -> "HttpResponse":
        """Return a response with a body in JSON."""
        return cls(msgspec.json.encode(body, enc_hook=str), status, headers=headers)

    @property
    def status_line(self) -> str:
        """Return status and reason phrase, the format of WSGI."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return f"{self.status} Unknown"

    def send(
        self, start_response: "StartResponse", *, without_body: bool = False
    ) -> list[bytes] | Iterator[bytes]:
        """Pass the response to a WSGI server."""
        if self.stream:
            start_response(self.status_line, [("Content-Type", self.content_type), *self.headers])
            return self.stream
        content_headers = [("Content-Type", self.content_type), ("Content-Length", str(len(self.body)))]
        start_response(self.status_line, [*content_headers, *self.headers])
        return [] if without_body else [self.body]


class Result(NamedTuple):
    """What a handler returns; it is sent in the envelope."""

    data: Any
    next_cursor: str | UnsetType | None = UNSET  # null on the last page of a list, absent elsewhere
    total_count: int | UnsetType = UNSET
    enums: Collection[str] = ENUMS  # the fields of `data` with values of an enum
    beside: Mapping[str, Any] = {}  # further keys of the envelope


def envelope(result: Result, params: dict[str, Any], names: Names = GENERIC) -> HttpResponse:
    """Wrap a result in the envelope of the advertising API, with the parameters of the request."""
    body: dict[str, Any] = {
        "request": {"params": names.to_wire(params)},
        "data": names.to_wire(result.data, result.enums),
        **result.beside,
    }
    if result.next_cursor is not UNSET:
        body["next_cursor"] = result.next_cursor
    if result.total_count is not UNSET:
        body["total_count"] = result.total_count
    return HttpResponse.json(body)


def error_response(
    status: int, errors: list[dict[str, Any]], params: dict[str, Any], headers: Headers = ()
) -> HttpResponse:
    """Format errors as the advertising API does."""
    return HttpResponse.json({"errors": errors, "request": {"params": params}}, status, headers)


READ_ONLY = "this access token is read-only"
NOT_FOUND = "NOT_FOUND"
# The kinds of records that service x has an error code of its own for where one does not exist, as
# CAMPAIGN_NOT_FOUND. Then the kinds that the code names otherwise.
X_KINDS = {
    *("account", "account_media", "app_event_provider_configuration", "app_event_tag", "audience"),
    *("campaign", "card", "draft_post", "funding_instrument", "library_media", "line_item"),
    *("media_creative", "post", "promotable_user", "promoted_account", "promoted_post", "route"),
    *("scheduled_post", "targeting_criterion", "web_event_tag"),
}
X_KIND_NAMES = {
    **dict.fromkeys(("draft_post", "post", "scheduled_post"), "tweet"),
    "audience": "tailored_audience",
    "library_media": "media",
    "promoted_post": "promoted_tweet",
}
# Those that service x sends with another status than 404: it does not say whether they exist.
X_STATUSES = {"ACCOUNT_NOT_FOUND": 403}


class ApiError(Exception):
    """An error of the advertising API, or with a `body` that is not in its form."""

    def __init__(
        self,
        status: int,
        code: str | int,
        message: str,
        *,
        parameter: str | None = None,
        headers: Headers = (),
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self._body = body
        self.errors: list[dict[str, Any]] = [{"code": code, "message": message}]
        if parameter is not None:
            self.errors[0]["parameter"] = parameter

    def errors_in(self, names: Names) -> list[dict[str, Any]]:
        """Return the errors in the words of a service."""
        return [with_names_of(names, error) for error in self.errors]

    def to_response(self, params: dict[str, Any], names: Names = GENERIC) -> HttpResponse:
        """Format the error in the words of a service, with the parameters of the request."""
        if self._body is not None:
            return HttpResponse.json(self._body, self.status, self.headers)
        return error_response(self.status, self.errors_in(names), names.to_wire(params), self.headers)


class RecordNotFoundError(ApiError):
    """A record of some kind does not exist (404), for which service x has codes of its own."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(404, NOT_FOUND, message)
        self._x_code = f"{X_KIND_NAMES.get(kind, kind).upper()}_NOT_FOUND" if kind in X_KINDS else NOT_FOUND

    def errors_in(self, names: Names) -> list[dict[str, Any]]:
        """Return the error with the code of a service."""
        of_x = {} if names is GENERIC else {"code": self._x_code}
        return [error | of_x for error in super().errors_in(names)]

    def to_response(self, params: dict[str, Any], names: Names = GENERIC) -> HttpResponse:
        """Format the error with the status of a service."""
        response = super().to_response(params, names)
        return response if names is GENERIC else response._replace(status=X_STATUSES.get(self._x_code, 404))


class OperationsError(ApiError):
    """Some operations of a request are refused, so that none is applied: a list of errors for each."""

    def __init__(self, errors: list[list[dict[str, Any]]], request: Any) -> None:
        body = {"errors": [], "operation_errors": errors, "request": request}  # the request as it was sent
        super().__init__(400, "INVALID_PARAMETER", "operations are refused", body=body)


class SignInError(ApiError):
    """An error of a sign-in endpoint; its response has no parameters."""

    def __init__(self, status: int, code: int, message: str, *, headers: Headers = ()) -> None:
        body = {"errors": [{"code": code, "message": message}]}
        super().__init__(status, code, message, headers=headers, body=body)


class ProblemError(ApiError):
    """A refusal of the platform: a list with one problem object (RFC 7807)."""

    def __init__(self, detail: str, status: int = 400, title: str = "Invalid Request") -> None:
        problem = {"type": "about:blank", "title": title, "detail": detail, "status": status}
        super().__init__(status, title, detail, body={"errors": [problem]})


PROBLEM_JSON = "application/problem+json"
PROBLEM_TYPES = "https://platform.example/problems/"


class PlatformError(ApiError):
    """A refusal of the platform as a problem object, whose other `members` say what is wrong."""

    def __init__(
        self,
        detail: str,
        status: int = 400,
        slug: str = "invalid-request",
        *,
        title: str = "Invalid Request",
        headers: Headers = (),
        **members: Any,
    ) -> None:
        body = {"type": f"{PROBLEM_TYPES}{slug}", "title": title, "detail": detail, "status": status}
        super().__init__(status, slug, detail, headers=headers, body=body | members)

    def to_response(self, params: dict[str, Any], names: Names = GENERIC) -> HttpResponse:
        """Format the problem."""
        return super().to_response(params, names)._replace(content_type=PROBLEM_JSON)


def invalid_request(problem: Problem) -> PlatformError:
    """Return the error for a parameter that is not valid."""
    return PlatformError(str(problem), parameter=problem.path)


def refusal(name: str, detail: str, parameter: str, value: str) -> PlatformError:
    """Return an error that the service has a name for, such as `WebhookIdInvalid`."""
    return PlatformError(f"{name}: {detail}", parameter=parameter, value=value)


class UnsupportedTokenError(PlatformError):
    """A request with a token of a kind that its endpoint does not take."""

    def __init__(self, kind: str) -> None:
        words = {
            "bearer": "the token of an app",
            "user1": "OAuth 1.0a",
            "user2": "a user's token of OAuth 2.0",
        }
        detail = f"Authenticating with {words[kind]} is not supported for this endpoint."
        title = "Unsupported Authentication"
        super().__init__(detail, 403, "unsupported-authentication", title=title)


class AuthenticationError(SignInError):
    """A request without valid credentials (401)."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(401, code, message)


def could_not_authenticate() -> AuthenticationError:
    """Return the error for a wrong key or signature; it does not say which part is wrong."""
    return AuthenticationError(32, "Could not authenticate you.")


def bad_authentication_data() -> AuthenticationError:
    """Return the error for a missing or incomplete Authorization header."""
    return AuthenticationError(215, "Bad Authentication data.")


def invalid_token() -> AuthenticationError:
    """Return the error for an unknown, expired or revoked token."""
    return AuthenticationError(89, "Invalid or expired token.")


def not_found(kind: str, identifier: str) -> ApiError:
    """Return the error for an id that no record of some kind has."""
    return RecordNotFoundError(kind, f"the {kind.replace('_', ' ')} {identifier} does not exist")


def with_names_of(names: Names, error: dict[str, Any]) -> dict[str, Any]:
    """Return an error that names fields as a service does, in its message too."""
    words = {"message": names.text(error["message"])}
    return error | words | ({"parameter": names.dotted(error["parameter"])} if "parameter" in error else {})


def invalid_parameter(parameter: str, reason: str) -> ApiError:
    """Return the error for a parameter that conflicts with stored data."""
    return ApiError(400, "INVALID_PARAMETER", f"{parameter}: {reason}", parameter=parameter)
