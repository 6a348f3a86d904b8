"""Errors that the emulator responds with."""

from typing import Any

import msgspec

from .responses import Headers, HttpResponse, error_response

READ_ONLY = "this access token is read-only"


class ApiError(Exception):
    """An error of the advertising API."""

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

    def to_response(self, params: dict[str, Any]) -> HttpResponse:
        """Format the error, with the parameters of the request."""
        return error_response(self.status, self.errors, params, self.headers)


class SignInError(ApiError):
    """An error of a sign-in endpoint; its response has no parameters."""

    def to_response(self, params: dict[str, Any]) -> HttpResponse:
        """Format the error as the sign-in endpoints do."""
        return HttpResponse(msgspec.json.encode({"errors": self.errors}), self.status, headers=self.headers)


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


def read_only_token() -> ApiError:
    """Return the error for a write request with a read-only access token."""
    return ApiError(403, "FORBIDDEN", READ_ONLY)


def not_found(resource: str, identifier: str) -> ApiError:
    """Return the error for an id that does not exist."""
    return ApiError(404, "NOT_FOUND", f"{resource} {identifier} does not exist")


def invalid_parameter(parameter: str, reason: str) -> ApiError:
    """Return the error for a parameter that conflicts with stored data."""
    return ApiError(400, "INVALID_PARAMETER", f"{parameter}: {reason}", parameter=parameter)
