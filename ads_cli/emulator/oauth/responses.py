"""Responses of the sign-in endpoints, which must not be cached."""

from urllib.parse import urlencode

import msgspec

from ..core.incoming_request import FORM
from ..core.responses import Headers, HttpResponse

NO_STORE = (("Cache-Control", "no-store"),)


def form_response(**values: str) -> HttpResponse:
    """Return key=value pairs."""
    return HttpResponse(urlencode(values).encode(), content_type=FORM, headers=NO_STORE)


def json_response(headers: Headers = (), **values: str) -> HttpResponse:
    """Return a JSON object without an envelope."""
    return HttpResponse(msgspec.json.encode(values), headers=(*NO_STORE, *headers))
