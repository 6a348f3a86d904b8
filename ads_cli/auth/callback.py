"""A local HTTP server for the callback of a sign-in, which brings the verifier."""

import hmac
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Empty, SimpleQueue
from string import Template
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..errors import AccessError, StateError, UsageError
from ..loopback import is_loopback

SIGN_IN_TIMEOUT_SECONDS = 300.0
REQUEST_TIMEOUT_SECONDS = 10.0
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>adsctl</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { min-height: 90vh; display: grid; place-items: center; font: 1.25rem/1.5 system-ui }</style>
<main><p>$message</p></main></html>"""


class Listener:
    """Listens on one path of one loopback port for a single callback."""

    def __init__(self, callback: str) -> None:
        parts = urlsplit(callback)
        if parts.scheme != "http" or not is_loopback(parts.hostname or "") or not parts.port:
            raise UsageError(
                f"--callback: {callback!r} is not a loopback address with a port",
                hint="register one with the app, for example http://127.0.0.1:8976/callback",
            )
        self._host, self._port = parts.hostname or "", parts.port
        self._path = parts.path or "/"
        self._verifiers: SimpleQueue[str | None] = SimpleQueue()  # None: the user refused
        self._token = ""  # the request token that is waited for
        self._is_waiting = threading.Event()

    def __enter__(self) -> "Listener":
        is_ipv6 = ":" in self._host

        class Server(HTTPServer):
            address_family = socket.AF_INET6 if is_ipv6 else socket.AF_INET

        try:
            self._server = Server((self._host, self._port), self._handler())
        except OSError as error:
            raise StateError(f"cannot listen on {self._host}:{self._port}: {error.strerror}") from error
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, token: str) -> str:
        """Return the verifier of a request token; raise AccessError if the user did not authorize it."""
        self._token = token
        self._is_waiting.set()
        try:
            verifier = self._verifiers.get(timeout=SIGN_IN_TIMEOUT_SECONDS)
        except Empty:
            raise AccessError(
                f"the sign-in was not completed within {SIGN_IN_TIMEOUT_SECONDS:.0f} s; nothing was stored"
            ) from None
        if verifier is None:
            raise AccessError("the sign-in was refused; nothing was stored")
        return verifier

    def handle(self, method: str, host: str, target: str) -> tuple[int, str]:
        """Return status and message for a request; accept one callback, for our host, path and token."""
        parts = urlsplit(target)
        if method != "GET":
            return 405, "Only GET is supported here."
        if host not in (f"{self._host}:{self._port}", f"[{self._host}]:{self._port}"):
            return 403, "This is not the address that was registered."
        if parts.path != self._path:
            return 404, "There is no page at this address."
        params = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self._is_waiting.wait(REQUEST_TIMEOUT_SECONDS)
        token = params.get("oauth_token") or params.get("denied") or ""
        if not self._token or not hmac.compare_digest(token.encode(), self._token.encode()):
            return 403, "This callback belongs to another sign-in."
        if "denied" in params:
            self._token = ""
            self._verifiers.put(None)
            return 200, "You did not authorize the app. You can close this page."
        if not params.get("oauth_verifier"):
            return 400, "The callback has no verifier."
        self._token = ""  # a second callback is rejected
        self._verifiers.put(params["oauth_verifier"])
        return 200, "You are signed in. You can close this page and return to the terminal."

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            timeout = REQUEST_TIMEOUT_SECONDS

            def _respond(self) -> None:
                status, message = listener.handle(self.command, self.headers.get("Host", ""), self.path)
                body = Template(PAGE).substitute(message=message).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Referrer-Policy", "no-referrer")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = _respond

            def log_message(self, *args: Any) -> None:
                """Log nothing: the URL contains the verifier."""

        return Handler
