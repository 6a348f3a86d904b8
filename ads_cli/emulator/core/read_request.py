"""Turn what was received into a declared request, and its problems into errors."""

from collections.abc import Callable
from typing import Any, TypeVar

from ...api.endpoint import Endpoint, Request
from ...api.names import Names
from ...api.parts import with_removed, without_removed
from ...api.problems import InvalidError, Problem
from ...api.validation import convert
from .errors import in_words_of
from .handlers import RequestContext
from .params import echoed_params, read_params, record_fields_only, value_or_default

# Codes of problems, by the beginning of their messages.
CODES = {
    "is required": "MISSING_PARAMETER",
    "cannot be used with": "EXCLUSIVE_PARAMETERS",
    "": "INVALID_PARAMETER",
}
T = TypeVar("T")


def read_request(context: RequestContext, endpoint: Endpoint, request_type: type[Request]) -> Request:
    """Read and validate the parameters, and apply the rate limit of total counts; raise InvalidError."""
    request = tolerantly(context, lambda unknown: _read(context, endpoint, request_type, unknown))
    context.echoed = echoed_params(request, endpoint)
    if value_or_default(request, "with_total_count"):
        context.rate_headers = context.rate_limits.consume_total_count(context.user)
    return request


def tolerantly(context: RequestContext, read: Callable[[list[str] | None], T]) -> T:
    """Read what is valid, or unless the emulator is strict, what is without its unknown parameters.

    `read` is given a list for their names where they are to be left out, and else None.
    """
    try:
        return read(None)
    except InvalidError:
        if context.is_strict:
            raise
        return read(context.unknown)


def _read(
    context: RequestContext, endpoint: Endpoint, request_type: type[Request], unknown: list[str] | None
) -> Request:
    is_x = context.service == "x"
    params = read_params(
        context.incoming,
        endpoint,
        request_type,
        context.path_params,
        context.names,
        takes_form=is_x,
        # The SDK of service x sends loaded records back.
        ignored=record_fields_only(endpoint, request_type) if is_x else (),
        unknown=unknown,
    )
    removed: list[str] = []
    if is_x:
        params, removed = without_removed(request_type, params)
    request = convert(request_type, params, strict=endpoint.params_in == "json")
    return with_removed(request, removed)


def error_of(problem: Problem, names: Names) -> dict[str, Any]:
    """Format a problem as an error of the advertising API."""
    code = next(code for beginning, code in CODES.items() if problem.message.startswith(beginning))
    return in_words_of(names, {"code": code, "message": str(problem), "parameter": problem.path})
