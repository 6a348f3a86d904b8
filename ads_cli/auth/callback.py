"""A local HTTP server for the callback of a sign-in, which brings the verifier."""

import hmac
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from string import Template
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from ..errors import AccessError, StateError, UsageError
from ..hosts import is_loopback, listening_address

SIGN_IN_TIMEOUT_SECONDS = 300.0
REQUEST_TIMEOUT_SECONDS = 10.0  # for a whole connection, however it drips
POLL_SECONDS = 0.05  # a signal, or the end of the listener, takes at most this long to be noticed
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>adsctl</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { min-height: 90vh; display: grid; place-items: center; font: 1.25rem/1.5 system-ui }</style>
<main><p>$message</p></main></html>"""


class Authorization(NamedTuple):
    """What the user decided: the verifier, or None for a refusal."""

    verifier: str | None


class CallbackPage(NamedTuple):
    """The response to a request, and the outcome that it brought."""

    status: int
    message: str
    outcome: Authorization | None = None


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
        self._outcomes: SimpleQueue[Authorization] = SimpleQueue()
        self._token = ""  # the request token that is waited for
        self._is_waiting = threading.Event()
        self._lock = threading.Lock()  # guards the token: connections have threads of their own

    def __enter__(self) -> "Listener":
        address = listening_address(self._host), self._port
        try:
            self._server = _server_class(address[0])(address, self._handler())
        except OSError as error:
            raise StateError(f"cannot listen on {self._host}:{self._port}: {error.strerror}") from error
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, token: str) -> str:
        """Return the verifier of a request token; raise AccessError if the user did not authorize it."""
        self._token = token
        self._is_waiting.set()
        ends_at = time.monotonic() + SIGN_IN_TIMEOUT_SECONDS
        while time.monotonic() < ends_at:
            # Python does not notice a signal that comes right before a wait until that wait ends.
            with suppress(Empty):
                verifier = self._outcomes.get(timeout=POLL_SECONDS).verifier
                if verifier is None:
                    raise AccessError("the sign-in was refused; nothing was stored")
                return verifier
        raise AccessError(
            f"the sign-in was not completed within {SIGN_IN_TIMEOUT_SECONDS:.0f} s; nothing was stored"
        )

    def handle(self, method: str, host: str, target: str) -> CallbackPage:
        """Respond to a request; accept one callback, for our host, path and token."""
        parts = urlsplit(target)
        if method != "GET":
            return CallbackPage(405, "Only GET is supported here.")
        if host not in (f"{self._host}:{self._port}", f"[{self._host}]:{self._port}"):
            return CallbackPage(403, "This is not the address that was registered.")
        if parts.path != self._path:
            return CallbackPage(404, "There is no page at this address.")
        params = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self._is_waiting.wait(REQUEST_TIMEOUT_SECONDS)
        with self._lock:
            token = params.get("oauth_token") or params.get("denied") or ""
            if not self._token or not hmac.compare_digest(token.encode(), self._token.encode()):
                return CallbackPage(403, "This callback belongs to another sign-in.")
            is_denied, verifier = "denied" in params, params.get("oauth_verifier")
            if not is_denied and not verifier:
                return CallbackPage(400, "The callback has no verifier.")
            self._token = ""  # a second callback is rejected
        if is_denied:
            return CallbackPage(
                200, "You did not authorize the app. You can close this page.", Authorization(None)
            )
        message = "You are signed in. You can close this page and return to the terminal."
        return CallbackPage(200, message, Authorization(verifier))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                super().setup()
                self._deadline = threading.Timer(REQUEST_TIMEOUT_SECONDS, self._hang_up)
                self._deadline.daemon = True
                self._deadline.start()

            def finish(self) -> None:
                self._deadline.cancel()
                super().finish()

            def _hang_up(self) -> None:
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)

            def _respond(self) -> None:
                page = listener.handle(self.command, self.headers.get("Host", ""), self.path)
                try:
                    self._send(page)
                finally:
                    if page.outcome:  # the program may end as soon as it has the outcome
                        listener._outcomes.put(page.outcome)

            def _send(self, page: CallbackPage) -> None:
                body = Template(PAGE).substitute(message=page.message).encode()
                self.send_response(page.status)
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


def _server_class(address: str) -> type[ThreadingHTTPServer]:
    """Return a server with a thread for each connection, so that none holds up another, or the end."""

    class CallbackServer(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *args: Any) -> None:
            """Say nothing of connections that are broken off."""

    return CallbackServer
