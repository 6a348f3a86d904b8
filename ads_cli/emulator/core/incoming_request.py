"""An HTTP request as received, before it is routed."""

from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, quote

from .errors import ApiError

MAX_BODY_BYTES = 8_000_000  # the largest body that the specification allows has 5,000,000
FORM = "application/x-www-form-urlencoded"


class IncomingRequest:
    """An HTTP request, read from a WSGI environment."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self._environ = environ
        self.method: str = environ["REQUEST_METHOD"]
        uri: str = environ.get("REQUEST_URI") or _request_uri(environ)
        self.path, _, self.query = uri.partition("?")
        host = environ.get("HTTP_HOST") or environ["SERVER_NAME"]
        self.origin = f"{environ['wsgi.url_scheme']}://{host}"
        # As the client sent and signed it, before any decoding.
        self.url = self.origin + uri
        self.authorization: str = environ.get("HTTP_AUTHORIZATION", "")
        self.content_type: str = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        self.user_agent: str = environ.get("HTTP_USER_AGENT", "")
        # Sec-Fetch-Site, which browsers send with a form; "" from other clients.
        self.fetch_site: str = environ.get("HTTP_SEC_FETCH_SITE", "")
        # Time-out of a client in the same process; None if the client has a socket.
        self.timeout_seconds: float | None = environ.get("ads_cli.timeout")

    @cached_property
    def body(self) -> bytes:
        """Read the whole body, once."""
        length = int(self._environ.get("CONTENT_LENGTH") or 0)
        if length > MAX_BODY_BYTES:
            raise ApiError(413, "PAYLOAD_TOO_LARGE", f"a body has at most {MAX_BODY_BYTES:,} bytes")
        body: bytes = self._environ["wsgi.input"].read(length)
        return body

    @cached_property
    def form(self) -> str:
        """Return a form body as sent, which the signature covers; "" for other bodies."""
        return self.body.decode("latin-1") if self.content_type == FORM else ""

    @cached_property
    def parameter_pairs(self) -> list[tuple[str, str]]:
        """Return the parameters of query and form, each as often as it was sent."""
        return parse_qsl(f"{self.query}&{self.form}", keep_blank_values=True)

    @cached_property
    def parameters(self) -> dict[str, str]:
        """Return the parameters of query and form; sign-in endpoints accept them in either."""
        return dict(self.parameter_pairs)


def _request_uri(environ: dict[str, Any]) -> str:
    """Rebuild path and query for servers that do not pass REQUEST_URI."""
    path = quote(environ.get("PATH_INFO", "").encode("latin-1"))
    query = environ.get("QUERY_STRING")
    return f"{path}?{query}" if query else path
