"""Verify OAuth 1.0a signatures (HMAC-SHA1)."""

import threading
import time
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...api.endpoint import Endpoint, Token
from ..storage import Store
from .request import IncomingRequest
from .responses import (
    READ_ONLY,
    ApiError,
    AuthenticationError,
    UnsupportedTokenError,
    bad_authentication_data,
    could_not_authenticate,
    invalid_token,
)

MAX_CLOCK_SKEW_SECONDS = 300
REQUIRED = ("oauth_consumer_key", "oauth_nonce", "oauth_signature", "oauth_timestamp")
# These are also accepted in the query or a form.
ACCEPTED_AS_PARAMETERS = ("oauth_token", "oauth_callback", "oauth_verifier")


# Where tokens of OAuth 2.0 hold: the advertising interface, and version 2 of the platform.
GRANT_VERSIONS = ("/12/", "/11/", "/2/")
# The scopes that they need, by the beginnings of paths; elsewhere those of the advertising interface.
SCOPES = {
    "/2/media/": ("media.write",),
    "/2/activity/": (),  # which depend on the kind of events
    "/2/account_activity/": ("users.read", "tweet.read", "dm.read", "dm.write"),
}


def has_bearer_token(incoming: IncomingRequest) -> bool:
    """Whether a request has a token of OAuth 2.0 in place of a signature."""
    return incoming.authorization.partition(" ")[0].lower() == "bearer"


def bearer_token(store: Store, app: str) -> str:
    """Return the token of an app; a new one only if none is valid."""
    import secrets

    with store.transaction():
        find = "SELECT token FROM bearer_tokens WHERE consumer_key = ? AND NOT revoked"
        token: str | None = store.value(find, app)
        if token is None:
            token = secrets.token_urlsafe(64)
            store.insert("bearer_tokens", token=token, consumer_key=app)
    return token


class SigningKeys(NamedTuple):
    """The secrets that sign a request, and the user they belong to."""

    user: str
    consumer_secret: str
    token_secret: str
    revoked: bool
    access: str = "write"


class Signer(NamedTuple):
    """Who signed a request: an app, usually with a token of a user."""

    app: str
    token: str
    user: str
    access: str
    oauth_params: dict[str, str]
    scopes: frozenset[str] | None = None  # of a token of OAuth 2.0; None if no scope limits the request


# The token columns are null if the app has no such token.
ACCESS_TOKEN = """SELECT user_id, consumer_secret, secret, revoked, access FROM apps LEFT JOIN tokens
    ON tokens.consumer_key = apps.consumer_key AND token = :token WHERE apps.consumer_key = :app"""
REQUEST_TOKEN = """SELECT user_id, consumer_secret, secret, 0, access FROM apps LEFT JOIN request_tokens
    ON request_tokens.consumer_key = apps.consumer_key AND token = :token WHERE apps.consumer_key = :app"""
NO_TOKEN = "SELECT '', consumer_secret, '', 0 FROM apps WHERE consumer_key = :app"


class Authenticator:
    """Authenticate requests: known key and token, valid signature, current timestamp, unused nonce."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._nonces: dict[tuple[str, str, str, int], float] = {}  # use -> expiry (Unix seconds)
        self._last_sweep = time.time()
        self._lock = threading.Lock()

    def authenticate(self, incoming: IncomingRequest, endpoint: Endpoint) -> Signer:
        """Return the app or the user whose token a request has, if its endpoint takes such tokens."""
        is_grant = has_bearer_token(incoming)
        if is_grant and (app := self.app_of(incoming)):
            token: Token = "bearer"
            signer = Signer(app, "", "", "write", {})
        else:
            token = "user2" if is_grant else "user1"
            signer = self.authenticate_user(incoming, writes=endpoint.changes)
        if token not in endpoint.tokens:
            raise UnsupportedTokenError(token)
        return signer

    def app_of(self, incoming: IncomingRequest) -> str | None:
        """Return the app whose token a request has; None if it has another one."""
        query = "SELECT consumer_key FROM bearer_tokens WHERE token = ? AND NOT revoked"
        app: str | None = self._store.value(query, incoming.authorization.partition(" ")[2].strip())
        return app

    def authenticate_user(self, incoming: IncomingRequest, *, writes: bool = False) -> Signer:
        """Return who signed a request with an access token; `writes` requires write access."""
        if has_bearer_token(incoming):
            return self._authenticate_grant(incoming, writes=writes)
        signer = self._authenticate(incoming, ACCESS_TOKEN)
        if writes and signer.access == "read":
            raise ApiError(403, "FORBIDDEN", READ_ONLY)
        return signer

    def authenticate_request_token(self, incoming: IncomingRequest) -> Signer:
        """Return who signed a request with a request token, whatever the state of that token."""
        return self._authenticate(incoming, REQUEST_TOKEN)

    def authenticate_app(self, incoming: IncomingRequest) -> Signer:
        """Return the app that signed a request without a token."""
        return self._authenticate(incoming, NO_TOKEN)

    def _authenticate_grant(self, incoming: IncomingRequest, *, writes: bool) -> Signer:
        """Return whose token of OAuth 2.0 a request has; raise ApiError unless it is valid here."""
        token = incoming.authorization.partition(" ")[2].strip()
        query = "SELECT user_id, scopes, expires FROM oauth2_tokens WHERE token = ? AND NOT is_refresh"
        row = self._store.row(query, token)
        if row is None or time.time() >= row[2]:
            raise invalid_token()
        user, scopes, _ = row
        if not incoming.path.startswith(GRANT_VERSIONS):
            raise ApiError(
                403, "FORBIDDEN", "this route takes no tokens of OAuth 2.0; it asks for OAuth 1.0a"
            )
        of_ads = ("ads.write" if writes else "ads.read",)
        needed = next((needed for path, needed in SCOPES.items() if incoming.path.startswith(path)), of_ads)
        if missing := [scope for scope in needed if scope not in scopes.split()]:
            raise ApiError(403, "FORBIDDEN", f"the access token has no scope {', '.join(missing)}")
        # The app of OAuth 2.0 belongs to the same developer as that of OAuth 1.0a, which has the webhooks.
        app = self._store.setting("consumer_key")
        return Signer(app, token, user, "write" if writes else "read", {}, frozenset(scopes.split()))

    @property
    def nonce_count(self) -> int:
        """Return the number of nonces that are remembered."""
        return len(self._nonces)

    def _authenticate(self, incoming: IncomingRequest, keys_query: str) -> Signer:
        params = _oauth_params(incoming, with_token=keys_query is not NO_TOKEN)
        timestamp = _parse_timestamp(params["oauth_timestamp"])
        app, token = params["oauth_consumer_key"], params.get("oauth_token", "")
        keys = self._find_keys(keys_query, app, token)
        if not is_signature_valid(incoming, params["oauth_signature"], keys):
            raise could_not_authenticate()
        if not self._is_first_use((app, token, params["oauth_nonce"], timestamp)):
            raise could_not_authenticate()
        return Signer(app, token, keys.user, keys.access, params)

    def _find_keys(self, query: str, app: str, token: str) -> SigningKeys:
        row = self._store.connection.execute(query, {"app": app, "token": token}).fetchone()
        if row is None:
            raise could_not_authenticate()
        keys = SigningKeys(*row)
        if keys.token_secret is None or keys.revoked:
            raise invalid_token()
        return keys

    def _is_first_use(self, use: tuple[str, str, str, int]) -> bool:
        """Remember a nonce for as long as its timestamp would be accepted; return False if it is known."""
        now = time.time()
        with self._lock:
            if now >= self._last_sweep + MAX_CLOCK_SKEW_SECONDS:
                self._nonces = {key: expiry for key, expiry in self._nonces.items() if expiry >= now}
                self._last_sweep = now
            if use in self._nonces:
                return False
            self._nonces[use] = use[3] + MAX_CLOCK_SKEW_SECONDS
            return True


def _oauth_params(incoming: IncomingRequest, *, with_token: bool) -> dict[str, str]:
    """Parse the Authorization header, and check that nothing is missing."""
    from urllib.request import parse_http_list

    from oauthlib.oauth1.rfc5849 import utils

    try:
        pairs = utils.parse_authorization_header(incoming.authorization)
    except ValueError:
        pairs = []
    params = {name: utils.unescape(value) for name, value in pairs}
    if params:
        others = incoming.parameters
        sent = parse_http_list(incoming.authorization.partition(" ")[2])  # `pairs` has each name once
        names = [*(part.partition("=")[0] for part in sent), *(name for name, _ in incoming.parameter_pairs)]
        oauth_names = [name for name in names if name.startswith("oauth_")]
        if len(oauth_names) > len({*oauth_names}):  # RFC 5849, 3.1
            raise bad_authentication_data()
        params = {name: others[name] for name in ACCEPTED_AS_PARAMETERS if name in others} | params
    complete = (
        all(params.get(name) for name in REQUIRED)
        and bool(params.get("oauth_token")) is with_token
        and params.get("oauth_signature_method") == "HMAC-SHA1"
        and params.get("oauth_version", "1.0") == "1.0"
        and params["oauth_nonce"].isascii()
    )
    if not complete:
        raise bad_authentication_data()
    return params


def _parse_timestamp(text: str) -> int:
    """Parse a timestamp, and check that it is close to the current time."""
    if (
        text.isascii()
        and text.isdecimal()
        and len(text) < 12
        and abs(int(text) - time.time()) <= MAX_CLOCK_SKEW_SECONDS
    ):
        return int(text)
    raise AuthenticationError(135, "Timestamp out of bounds.")


def is_signature_valid(incoming: IncomingRequest, signature: str, keys: SigningKeys) -> bool:
    """Compute the signature of a request, and compare it with the one that was sent."""
    from oauthlib.oauth1.rfc5849 import signature as rfc5849

    try:
        params = rfc5849.collect_parameters(
            uri_query=incoming.query,
            body=incoming.form,
            headers={"Authorization": incoming.authorization},
        )
        request: Any = SimpleNamespace(
            http_method=incoming.method, uri=incoming.url, params=params, signature=signature
        )
        return bool(rfc5849.verify_hmac_sha1(request, keys.consumer_secret, keys.token_secret))
    except ValueError:  # a URL or query that cannot be normalized
        return False
