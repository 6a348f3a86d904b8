"""Grants of OAuth 2.0: the tokens of a sign-in, renewed by one process at a time.

The refresh token rotates: each works once, and only the newest. So a new one is stored before it or its
access token is used. The store is written before the request too, so that it does not fail after it. Where
the response to a refresh was lost, the stored token may still work, and is tried once more.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import msgspec

from ..api.auth import GetGrantToken, RevokeGrantToken
from ..api.endpoint import Request
from ..errors import AccessError, AdsctlError, NotFoundError, RefusedError, StateError
from ..masking import Mask
from ..stored_times import is_believable
from . import GRANT, MAX_GRANT_LENGTH, MAX_SECRET_LENGTH, Secret, check_secret, received_secret
from .secret_stores import SecretStore

if TYPE_CHECKING:
    import httpx

    from ..client.response import Response

READ_SCOPES = ("ads.read", "users.read", "offline.access")
SCOPES = (*READ_SCOPES, "ads.write", "media.write", "tweet.read")
USUAL_LIFETIME_SECONDS = 7200.0  # of an access token, where the service does not say
MAX_LIFETIME_SECONDS = 3_650 * 86_400.0  # that is believed
RENEWED_BEFORE_SECONDS = 30.0  # it expires: a request takes a while
LOCK_TIMEOUT_SECONDS = 120.0  # another process may wait for the service
REFRESH_ATTEMPTS = 2  # one more after a lost response


class Send(Protocol):
    """Sends a declared request: that of a client."""

    def __call__(self, request: Request, *, auth: "httpx.Auth") -> "Response":
        """Return the response; raise AdsctlError."""


class StoredGrant(msgspec.Struct, frozen=True):
    """What is stored of a grant, as one secret: a part of it alone is of no use."""

    id: str  # of this sign-in
    client_id: str
    scopes: tuple[str, ...]
    access_token: str
    expires_at: float  # Unix seconds
    received_at: float  # Unix seconds
    refresh_token: str = ""
    is_refreshing: bool = False  # the refresh token was sent, and its response is not stored

    def __repr__(self) -> str:
        return "StoredGrant(***)"

    @property
    def is_expired(self) -> bool:
        """Whether the access token is to be renewed."""
        is_over = time.time() >= self.expires_at - RENEWED_BEFORE_SECONDS
        return is_over or not is_believable(self.received_at)

    @property
    def is_read_only(self) -> bool:
        """Whether it may change nothing."""
        return "ads.write" not in self.scopes

    def with_tokens(self, body: object, now: float) -> "StoredGrant":
        """Return the grant with the tokens of a response, received at `now` (Unix seconds).

        It can be stored: a refresh has used up the old refresh token.
        """
        answer: dict[str, Any] = body if isinstance(body, dict) else {}
        lifetime: Any = answer.get("expires_in")
        is_stated = type(lifetime) in (int, float) and 0 < lifetime <= MAX_LIFETIME_SECONDS
        has_newer = answer.get("refresh_token") is not None
        return msgspec.structs.replace(
            self,
            access_token=received_secret(body, "access_token"),
            refresh_token=received_secret(body, "refresh_token") if has_newer else self.refresh_token,
            expires_at=now + (lifetime if is_stated else USUAL_LIFETIME_SECONDS),
            received_at=now,
            scopes=_scopes_in(answer.get("scope")) or self.scopes,
            is_refreshing=False,
        )

    def as_secret(self, addresses: tuple[str, ...]) -> Secret:
        """Return what is stored, bound to the addresses that it was issued for."""
        value = msgspec.json.encode(self).decode()
        return Secret(check_secret(value, "the sign-in", max_length=MAX_GRANT_LENGTH), addresses)


def _scopes_in(scope: object) -> tuple[str, ...]:
    """Return the scopes of a response; none where it has none that can be stored."""
    if not isinstance(scope, str) or len(scope) > MAX_SECRET_LENGTH or not scope.isascii():
        return ()
    scopes = tuple(scope.split())
    return scopes if all(map(str.isprintable, scopes)) else ()


def read_grant(secret: Secret) -> StoredGrant:
    """Read what is stored of a grant."""
    try:
        return msgspec.json.decode(secret.value, type=StoredGrant)
    except msgspec.DecodeError:
        raise StateError(
            "the stored sign-in cannot be read", hint="adsctl auth login stores a new one"
        ) from None


def client_auth(client_id: str, client_secret: str | None) -> "httpx.Auth":
    """Authenticate an app by HTTP Basic if it has a secret, or else by its id in the body."""
    import httpx

    if client_secret is None:
        return httpx.Auth()
    return httpx.BasicAuth(quote(client_id, safe=""), quote(client_secret, safe=""))  # RFC 6749, 2.3.1


def revoke(grant: StoredGrant, client_secret: str | None, send: Send) -> None:
    """End a grant; one that the service no longer knows has ended."""
    for token in filter(None, (grant.refresh_token, grant.access_token)):
        client_id = None if client_secret else grant.client_id
        try:
            send(
                RevokeGrantToken(token=token, client_id=client_id),
                auth=client_auth(grant.client_id, client_secret),
            )
        except RefusedError as error:
            if error.api_code not in ("invalid_token", "invalid_grant"):
                raise


class RenewedGrant:
    """The grant of a profile, as all processes that use its store share it. Thread-safe."""

    def __init__(
        self,
        store: SecretStore,
        profile: str,
        find: Callable[[], Secret],
        client_secret: Callable[[], str | None],
        send: Send | None,
        mask: Mask,
        sign_in: Callable[[StoredGrant], str],
    ) -> None:
        self._store = store
        self._profile = profile
        self._find = find  # reads the store, not from a cache; raises AccessError where nothing is stored
        self._client_secret = client_secret
        self._send = send
        self._mask = mask  # learns every token
        self._sign_in = sign_in  # the command that makes another grant
        self._lock = threading.Lock()
        self._current, _ = self._read()
        self.holder = f"{self._current.client_id} {self._current.id}"

    @property
    def access_token(self) -> str:
        """The access token; an expired one is renewed first."""
        if self._current.is_expired:
            self._renew(lambda stored: not stored.is_expired)
        return self._current.access_token

    def renew(self, rejected: str) -> str:
        """Return another access token than the one that the service rejected."""
        if self._current.access_token == rejected:
            self._renew(lambda stored: stored.access_token != rejected and not stored.is_expired)
        return self._current.access_token

    def _renew(self, is_usable: Callable[[StoredGrant], bool]) -> None:
        """Take the stored tokens where another process has renewed them, or renew them."""
        from ..config.file_locks import locked

        with self._lock, locked(self._store.lock_path(self._profile), LOCK_TIMEOUT_SECONDS):
            stored, addresses = self._read()
            if not is_usable(stored):
                if not stored.refresh_token:
                    raise self._ended(stored, "the sign-in has expired, and has no refresh token")
                started = msgspec.structs.replace(stored, is_refreshing=True)
                self._write(started, addresses)
                now = time.time()
                try:
                    # As it was before this attempt: is_refreshing tells of an earlier one.
                    answer = self._refresh(stored)
                except AdsctlError as error:
                    if not error.may_be_applied:
                        with suppress(StateError):  # the first error says more
                            self._write(stored, addresses)
                    error.may_be_applied = False  # to what is asked for after it
                    raise
                stored = started.with_tokens(answer, now)
                self._write(stored, addresses)
            self._current = stored

    def _refresh(self, stored: StoredGrant) -> object:
        """Return the response to a refresh. Ask again if a response was lost.

        The may_be_applied of an error is that of all attempts.
        """
        assert self._send, "made without what sends"
        client_secret = self._client_secret()
        request = GetGrantToken(
            grant_type="refresh_token",
            refresh_token=stored.refresh_token,
            client_id=None if client_secret else stored.client_id,
        )
        is_lost = stored.is_refreshing
        for attempt in range(1, REFRESH_ATTEMPTS + 1):
            try:
                auth = client_auth(stored.client_id, client_secret)
                return self._send(request, auth=auth).body
            except (AccessError, NotFoundError, RefusedError) as error:
                lost = ", after the answer to a refresh was lost" if is_lost else ""
                ended = self._ended(
                    stored, f"the service refuses the refresh token{lost}: {error.message}", error
                )
                ended.may_be_applied = attempt > 1
                raise ended from None
            except AdsctlError as error:
                error.message = f"the sign-in could not be renewed: {error.message}"
                if not error.may_be_applied or attempt == REFRESH_ATTEMPTS:
                    error.may_be_applied = error.may_be_applied or attempt > 1
                    raise
                is_lost = True
        raise AssertionError("the last attempt returns or raises")

    def _ended(self, stored: StoredGrant, message: str, error: AdsctlError | None = None) -> AccessError:
        return AccessError(
            message,
            hint=f"run: {self._sign_in(stored)}",
            http_status=error.http_status if error else None,
            api_code=error.api_code if error else None,
        )

    def _read(self) -> tuple[StoredGrant, tuple[str, ...]]:
        secret = self._find()
        stored = read_grant(secret)
        self._mask.add(stored.access_token, stored.refresh_token)
        return stored, secret.addresses

    def _write(self, grant: StoredGrant, addresses: tuple[str, ...]) -> None:
        self._mask.add(grant.access_token, grant.refresh_token)
        self._store.put(self._profile, {GRANT: grant.as_secret(addresses)})
