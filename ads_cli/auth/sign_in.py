"""Sign-ins: the three steps of OAuth 1.0a, the two of OAuth 2.0, and the listener that a page calls back."""

import hmac
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from secrets import token_urlsafe
from string import Template
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from ..api.auth import (
    Authenticate,
    Authorize,
    AuthorizeGrant,
    GetAccessToken,
    GetGrantToken,
    GetRequestToken,
)
from ..api.endpoint import Request
from ..api.parts import request_parts
from ..api.validation import convert
from ..client.client import Client
from ..client.prepared_request import build_request
from ..client.response import Response
from ..config.addresses import SITES, is_same_address
from ..errors import (
    AccessError,
    AdsctlError,
    ContentError,
    RefusedError,
    StateError,
    UnavailableError,
    UsageError,
)
from ..hosts import host_of, is_loopback, listening_address
from ..http.response_body import parse_form
from ..output.text import shortened
from . import received_secret
from .grants import StoredGrant, client_auth

SIGN_IN_TIMEOUT_SECONDS = 300.0
REQUEST_TIMEOUT_SECONDS = 10.0  # for a whole connection, however it drips
POLL_SECONDS = 0.05  # a signal, or the end of the listener, takes at most this long to be noticed
PORT_HINT = "free it, choose another one with --port that is registered with the app, or add --no-browser"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>adsctl</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body { min-height: 90vh; display: grid; place-items: center; font: 1.25rem/1.5 system-ui }</style>
<main><p>$message</p></main></html>"""


class CallbackFields(NamedTuple):
    """What the parameters of a callback are called."""

    sign_in: tuple[str, ...]  # the first that is there names the sign-in
    verifier: str
    refusal: str


OAUTH1 = CallbackFields(("oauth_token", "denied"), "oauth_verifier", "denied")
OAUTH2 = CallbackFields(("state",), "code", "error")
REFUSED_BY_USER = "access_denied"  # the error of OAuth 2.0 that says no more than that


class Authorization(NamedTuple):
    """What came of the page: the verifier, or None with the reason for a refusal."""

    verifier: str | None
    reason: str = ""

    def require(self) -> str:
        """Return the verifier; raise AccessError if the user, or the service, refused."""
        if self.verifier is None:
            reason = f" ({shortened(self.reason)})" if self.reason else ""
            raise AccessError(f"the sign-in was refused{reason}; nothing was stored")
        return self.verifier


def authorization_of(query: str, token: str, fields: CallbackFields) -> Authorization:
    """Read the query of a callback; raise AccessError for another sign-in, ContentError for half of one."""
    params = {name: values[0] for name, values in parse_qs(query).items()}
    received = next((params[name] for name in fields.sign_in if name in params), "")
    if not token or not hmac.compare_digest(received.encode(), token.encode()):
        raise AccessError("This callback belongs to another sign-in.")
    if refusal := params.get(fields.refusal):
        reason = params.get("error_description") or refusal
        is_plain = fields is OAUTH1 or refusal == REFUSED_BY_USER
        return Authorization(None, "" if is_plain else reason)
    if not params.get(fields.verifier):
        raise ContentError("The callback has no verifier.")
    return Authorization(params[fields.verifier])


class CallbackPage(NamedTuple):
    """The response to a request, and the outcome that it brought."""

    status: int
    message: str
    outcome: Authorization | None = None


class Listener:
    """Listens on one path of one loopback port for a single callback."""

    def __init__(self, callback: str, fields: CallbackFields = OAUTH1) -> None:
        self._fields = fields
        try:
            parts = urlsplit(callback)
            self._host, self._port = host_of(parts.netloc), parts.port or 0
        except ValueError:
            self._port = 0
        if not self._port or parts.scheme != "http" or not is_loopback(self._host):
            raise UsageError(
                f"--callback: {callback!r} is not a loopback address with a port",
                hint="register one with the app, for example http://127.0.0.1:8976/callback",
            )
        self._path = parts.path or "/"
        self._outcomes: SimpleQueue[Authorization] = SimpleQueue()
        self._token = ""  # the request token, or the state, of the sign-in that is waited for
        self._is_waiting = threading.Event()
        self._lock = threading.Lock()  # guards the token: connections have threads of their own

    def __enter__(self) -> "Listener":
        address = listening_address(self._host), self._port
        try:
            self._server = _server_class(address[0])(address, self._handler())
        except OSError as error:
            raise StateError(
                f"cannot listen on {self._host}:{self._port}: {error.strerror}",
                hint="" if self._fields is OAUTH1 else PORT_HINT,
            ) from error
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, token: str) -> str:
        """Return the verifier, or the code, of a request token or state. Raise AccessError if refused."""
        self._token = token
        self._is_waiting.set()
        ends_at = time.monotonic() + SIGN_IN_TIMEOUT_SECONDS
        while time.monotonic() < ends_at:
            # Python does not notice a signal that comes right before a wait until that wait ends.
            with suppress(Empty):
                return self._outcomes.get(timeout=POLL_SECONDS).require()
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
        self._is_waiting.wait(REQUEST_TIMEOUT_SECONDS)
        with self._lock:
            try:
                outcome = authorization_of(parts.query, self._token, self._fields)
            except AdsctlError as error:
                return CallbackPage(403 if isinstance(error, AccessError) else 400, error.message)
            self._token = ""  # a second callback is rejected
        if outcome.verifier is None:
            return CallbackPage(200, "You did not authorize the app. You can close this page.", outcome)
        message = "You are signed in. You can close this page and return to the terminal."
        return CallbackPage(200, message, outcome)

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


OUT_OF_BAND = "oob"
CODE_VERIFIER_LENGTH = 64


class OAuthToken(NamedTuple):
    """A request token or access token, its secret and its owner."""

    token: str
    secret: str
    owner: str = ""

    def __repr__(self) -> str:
        return "OAuthToken(***)"


class SignIn:
    """A sign-in to one app."""

    def __init__(self, client: Client, consumer_key: str, consumer_secret: str) -> None:
        self._client = client
        self._app = consumer_key, consumer_secret
        client.trace.add_secrets(consumer_key, consumer_secret)

    def begin(self, callback: str = OUT_OF_BAND, access: str | None = None) -> OAuthToken:
        """Get a request token; raise UnavailableError if the callback is not confirmed."""
        request = convert(GetRequestToken, {"oauth_callback": callback, "platform_auth_access_type": access})
        response = self._exchange(request, "oauth_callback", callback_uri=callback)
        if response.body.get("oauth_callback_confirmed") != "true":
            raise UnavailableError("the service did not confirm the callback, so the sign-in is not safe")
        return self._token(response)

    def page_url(self, token: OAuthToken, *, authenticate: bool = False, **options: Any) -> str:
        """Return the URL of the page to authorize the app; options are `force_login` and `screen_name`."""
        values = {name: value for name, value in options.items() if value}
        request = convert(Authenticate if authenticate else Authorize, {"oauth_token": token.token, **values})
        return self._client.prepare(request).url

    def finish(self, token: OAuthToken, verifier: str) -> OAuthToken:
        """Exchange the request token and its verifier for an access token."""
        self._client.trace.add_secrets(verifier)
        request = GetAccessToken(oauth_token=token.token, oauth_verifier=verifier)
        signer = {"resource_owner_key": token.token, "resource_owner_secret": token.secret}
        return self._token(self._exchange(request, "oauth_token", **signer))

    def _exchange(self, request: Request, in_header: str, **auth: str) -> Response:
        """Send a request, of which the signature already has a field."""
        from ..client.signing import SignedAuth

        parts = request_parts(request)
        del parts.params[in_header]
        prepared = build_request(request.endpoint, parts, self._client.address("platform"))
        return self._client.exchange(prepared, auth=SignedAuth(*self._app, **auth), parse=parse_form)

    def _token(self, response: Response) -> OAuthToken:
        token, secret = (
            received_secret(response.body, f"oauth_{name}") for name in ("token", "token_secret")
        )
        self._client.trace.add_secrets(token, secret)
        name, user = response.body.get("screen_name", ""), response.body.get("user_id", "")
        return OAuthToken(token, secret, " ".join(filter(None, (name and f"@{name}", user and f"({user})"))))


class GrantSignIn:
    """A sign-in by OAuth 2.0: an authorization code with PKCE (RFC 7636)."""

    def __init__(
        self, client: Client, client_id: str, client_secret: str | None, scopes: tuple[str, ...], port: int
    ) -> None:
        from oauthlib.oauth2 import WebApplicationClient

        self._client = client
        self._id, self._secret = client_id, client_secret
        self._scopes = scopes
        oauth = WebApplicationClient(client_id)
        self._code_verifier = oauth.create_code_verifier(CODE_VERIFIER_LENGTH)
        self._challenge = oauth.create_code_challenge(self._code_verifier, "S256")
        self.state = token_urlsafe()
        self.redirect_uri = f"http://127.0.0.1:{port}/callback"
        client.trace.add_secrets(self._code_verifier, client_secret or "")

    def page_url(self) -> str:
        """Return the URL of the page on which the user authorizes the app."""
        request = AuthorizeGrant(
            response_type="code",
            client_id=self._id,
            redirect_uri=self.redirect_uri,
            scope=" ".join(self._scopes),
            state=self.state,
            code_challenge=self._challenge,
            code_challenge_method="S256",
        )
        address = self._client.address("platform")
        site = next((page for api, page in SITES.items() if is_same_address(api, address)), address)
        return site + self._client.prepare(request).url.removeprefix(address)

    def code_of(self, pasted: str) -> str:
        """Return the code of an address that the browser was sent to; raise AdsctlError where it has none."""
        address, _, query = pasted.strip().partition("?")
        if address != self.redirect_uri:
            raise UsageError(
                f"this is not the address that the browser is sent to, which begins with {self.redirect_uri}?"
            )
        return authorization_of(query.partition("#")[0], self.state, OAUTH2).require()

    def finish(self, code: str) -> StoredGrant:
        """Exchange the code for the tokens of a grant."""
        self._client.trace.add_secrets(code)
        request = GetGrantToken(
            grant_type="authorization_code",
            code=code,
            redirect_uri=self.redirect_uri,
            code_verifier=self._code_verifier,
            client_id=None if self._secret else self._id,
        )
        now = time.time()
        try:
            body = self._client.call(request, auth=client_auth(self._id, self._secret)).body
        except AdsctlError as error:
            if isinstance(error, AccessError | RefusedError) or error.may_be_applied:
                error.hint = (
                    "nothing was stored: sign in again; what the page returns works once, for 30 seconds"
                )
            raise
        if str(body.get("token_type", "bearer") if isinstance(body, dict) else "").lower() != "bearer":
            raise UnavailableError("the response has no bearer token")
        grant = StoredGrant(token_urlsafe(12), self._id, self._scopes, "", 0.0, 0.0).with_tokens(body, now)
        self._client.trace.add_secrets(grant.access_token, grant.refresh_token)
        return grant
