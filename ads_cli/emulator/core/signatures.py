"""OAuth 1.0a as the service checks it: HMAC-SHA1 over the address as it was sent."""

import threading
import time
from types import SimpleNamespace
from typing import Any, NamedTuple

from .incoming import Incoming
from .responses import Unauthenticated, invalid_token
from .store import Store

READ_ONLY = "this access token was given for reading only"
CLOCK_SECONDS = 300  # how far the clocks of client and service may be apart
NEEDED = ("oauth_consumer_key", "oauth_nonce", "oauth_signature", "oauth_timestamp")
# What may stand beside the header, in the query or a form.
ELSEWHERE = ("oauth_token", "oauth_callback", "oauth_verifier")


class Identity(NamedTuple):
    """The two secrets that a request has to be signed with, and who signs with them."""

    user: str
    consumer_secret: str
    token_secret: str
    revoked: bool
    access: str = "write"


class Signer(NamedTuple):
    """Who signed a request: the app, and mostly a token; `given` holds all that OAuth was told."""

    app: str
    token: str
    user: str
    access: str
    given: dict[str, str]


# An app's secret, with the secret of a token of its own; a token that it does not have is null.
ACCESS_TOKEN = """SELECT user_id, consumer_secret, secret, revoked, access FROM apps LEFT JOIN tokens
    ON tokens.consumer_key = apps.consumer_key AND token = :token WHERE apps.consumer_key = :app"""
REQUEST_TOKEN = """SELECT user_id, consumer_secret, secret, 0, access FROM apps LEFT JOIN request_tokens
    ON request_tokens.consumer_key = apps.consumer_key AND token = :token WHERE apps.consumer_key = :app"""
NO_TOKEN = "SELECT '', consumer_secret, '', 0 FROM apps WHERE consumer_key = :app"


class Authenticator:
    """Let through what is signed with a known key and token, now, and for the first time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: dict[tuple[str, str, str, int], float] = {}
        self._swept = time.time()
        self._lock = threading.Lock()

    def signer_of(self, incoming: Incoming) -> Signer:
        """Name the user whose access token signed a request, or refuse it."""
        return self._admit(incoming, ACCESS_TOKEN)

    def sign_in_of(self, incoming: Incoming) -> Signer:
        """Name the request token that signed a request, or refuse it; its state is not looked at."""
        return self._admit(incoming, REQUEST_TOKEN)

    def app_of(self, incoming: Incoming) -> Signer:
        """Name the app that signed a request by itself, or refuse it."""
        return self._admit(incoming, NO_TOKEN)

    def _admit(self, incoming: Incoming, known: str) -> Signer:
        given = _header(incoming, with_token=known is not NO_TOKEN)
        timestamp = _timestamp(given["oauth_timestamp"])
        app, token = given["oauth_consumer_key"], given.get("oauth_token", "")
        identity = self._identity(known, app, token)
        if not _verified(incoming, given["oauth_signature"], identity):
            raise could_not_authenticate()
        if not self._first_use((app, token, given["oauth_nonce"], timestamp)):
            raise could_not_authenticate()
        return Signer(app, token, identity.user, identity.access, given)

    def _identity(self, known: str, consumer_key: str, token: str) -> Identity:
        row = self._store.connection.execute(known, {"app": consumer_key, "token": token}).fetchone()
        if row is None:
            raise could_not_authenticate()
        identity = Identity(*row)
        if identity.token_secret is None or identity.revoked:
            raise invalid_token()
        return identity

    def _first_use(self, use: tuple[str, str, str, int]) -> bool:
        """Remember a nonce for as long as its timestamp would be accepted."""
        now = time.time()
        with self._lock:
            if now >= self._swept + CLOCK_SECONDS:
                self._seen = {key: end for key, end in self._seen.items() if end >= now}
                self._swept = now
            if use in self._seen:
                return False
            self._seen[use] = use[3] + CLOCK_SECONDS
            return True


def could_not_authenticate() -> Unauthenticated:
    """Refuse a signature, without saying what is wrong with it."""
    return Unauthenticated(32, "Could not authenticate you.")


def _header(incoming: Incoming, *, with_token: bool) -> dict[str, str]:
    """Read the Authorization header; all that a signature needs has to be in it."""
    from oauthlib.oauth1.rfc5849 import utils

    try:
        pairs = utils.parse_authorization_header(incoming.authorization)
    except ValueError:
        pairs = []
    given = {name: utils.unescape(value) for name, value in pairs}
    if given:
        beside = incoming.parameters
        given = {name: beside[name] for name in ELSEWHERE if name in beside} | given
    complete = (
        all(given.get(name) for name in NEEDED)
        and bool(given.get("oauth_token")) is with_token
        and given.get("oauth_signature_method") == "HMAC-SHA1"
        and given.get("oauth_version", "1.0") == "1.0"
        and given["oauth_nonce"].isascii()
    )
    if not complete:
        raise Unauthenticated(215, "Bad Authentication data.")
    return given


def _timestamp(text: str) -> int:
    """Read a timestamp, which has to be near our own."""
    if (
        text.isascii()
        and text.isdecimal()
        and len(text) < 12
        and abs(int(text) - time.time()) <= CLOCK_SECONDS
    ):
        return int(text)
    raise Unauthenticated(135, "Timestamp out of bounds.")


def _verified(incoming: Incoming, signature: str, identity: Identity) -> bool:
    """Compute the signature again, by oauthlib, and compare."""
    from oauthlib.oauth1.rfc5849 import signature as rfc5849

    try:
        params = rfc5849.collect_parameters(
            uri_query=incoming.query,
            body=incoming.form,
            headers={"Authorization": incoming.authorization},
        )
        signed: Any = SimpleNamespace(
            http_method=incoming.method, uri=incoming.url, params=params, signature=signature
        )
        return bool(rfc5849.verify_hmac_sha1(signed, identity.consumer_secret, identity.token_secret))
    except ValueError:  # an address or a query that cannot be signed
        return False
