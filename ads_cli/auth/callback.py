"""A listener for one answer: the browser comes back to a loopback address with the verifier."""

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

PATIENCE = 300.0  # seconds that a person has for the page
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>adsctl</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { min-height: 90vh; display: grid; place-items: center; font: 1.25rem/1.5 system-ui }</style>
<main><p>$words</p></main></html>"""


class Listener:
    """Listens on one path of one loopback port, for one answer, for a limited time."""

    def __init__(self, callback: str) -> None:
        parts = urlsplit(callback)
        if parts.scheme != "http" or not is_loopback(parts.hostname or "") or not parts.port:
            raise UsageError(
                f"--callback: {callback!r} is no loopback address with a port",
                hint="register one with the app, as in http://127.0.0.1:8976/callback",
            )
        self._host, self._port = parts.hostname or "", parts.port
        self._path = parts.path or "/"
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self._token = ""
        self._open = threading.Event()

    def __enter__(self) -> "Listener":
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET

        class Server(HTTPServer):
            address_family = family

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
        """Give the verifier of this request token; raise AccessError where the person said no."""
        self._token = token
        self._open.set()
        try:
            verifier = self._answers.get(timeout=PATIENCE)
        except Empty:
            raise AccessError(f"nobody came back within {PATIENCE:.0f} s; nothing was stored") from None
        if verifier is None:
            raise AccessError("the sign-in was refused; nothing was stored")
        return verifier

    def answer(self, method: str, host: str, target: str) -> tuple[int, str]:
        """RowValidator one request: only our own path, host and request token, and only once."""
        parts = urlsplit(target)
        if method != "GET":
            return 405, "Only GET is answered here."
        if host not in (f"{self._host}:{self._port}", f"[{self._host}]:{self._port}"):
            return 403, "This is not the address that was registered."
        if parts.path != self._path:
            return 404, "There is nothing here."
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self._open.wait(10)
        own = given.get("oauth_token") or given.get("denied") or ""
        if not self._token or not hmac.compare_digest(own.encode(), self._token.encode()):
            return 403, "This answer belongs to another sign-in."
        if "denied" in given:
            self._token = ""
            self._answers.put(None)
            return 200, "You said no. You can close this page."
        if not given.get("oauth_verifier"):
            return 400, "The answer has no verifier."
        self._token = ""  # a second answer finds nothing to answer
        self._answers.put(given["oauth_verifier"])
        return 200, "You are signed in. You can close this page, and go back to the terminal."

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def _reply(self) -> None:
                status, words = listener.answer(self.command, self.headers.get("Host", ""), self.path)
                body = Template(PAGE).substitute(words=words).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Referrer-Policy", "no-referrer")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = _reply

            def log_message(self, *args: Any) -> None:
                """Say nothing: the address holds the verifier."""

        return Handler
