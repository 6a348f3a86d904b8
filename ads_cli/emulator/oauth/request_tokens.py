"""Request tokens: made by an app, answered by a person, and used once."""

import hmac
import time
from typing import NamedTuple

from ..core.responses import SignInError, Unauthenticated, invalid_token
from ..core.store import Store

LIFETIME = 600.0  # seconds
WRONG_TRIES = 5  # that a request token survives
OUT_OF_BAND = "oob"
CALLBACK_REFUSED = 415


class RequestToken(NamedTuple):
    """A sign-in under way, with what is known of the app that began it."""

    token: str
    secret: str
    consumer_key: str
    callback: str
    access: str
    form_token: str
    expires: float
    state: str  # new; then allowed or refused; used once exchanged
    user: str | None
    verifier: str | None
    wrong_tries: int
    app: str | None  # its name; None where it is registered no more
    callbacks: str | None
    sign_in: int | None  # whether who said yes before is not asked again

    @property
    def expired(self) -> bool:
        """Tell whether its time is over."""
        return time.time() >= self.expires

    @property
    def by_pin(self) -> bool:
        """Tell whether the person carries the verifier over, as a PIN."""
        return self.callback == OUT_OF_BAND

    @property
    def callback_allowed(self) -> bool:
        """Tell whether the app may still send people back to where it asked for."""
        return self.by_pin or self.callback in (self.callbacks or "").split("\n")

    @property
    def writes(self) -> bool:
        """Tell whether it asks for more than reading."""
        return self.access == "write"


def create(store: Store, app: str, callback: str | None, access: str) -> tuple[str, str]:
    """Begin a sign-in of an app: give the request token and its secret."""
    import secrets

    if access not in ("read", "write"):
        raise SignInError(400, 38, f"platform_auth_access_type is read or write, not {access!r}")
    if not callback:
        message = "oauth_callback is required: oob for a PIN, or an address registered for the app"
        raise SignInError(403, CALLBACK_REFUSED, message)
    query = "SELECT callbacks FROM apps WHERE consumer_key = ?"
    (callbacks,) = store.connection.execute(query, (app,)).fetchone()
    if callback != OUT_OF_BAND and callback not in callbacks.split("\n"):
        message = f"the callback {callback!r} is not registered for this app; these are: {callbacks}"
        raise SignInError(403, CALLBACK_REFUSED, message.replace("\n", " "))
    token, secret, form_token = (secrets.token_urlsafe(24) for _ in range(3))
    with store.writing() as connection:
        connection.execute(
            "INSERT INTO request_tokens (token, secret, consumer_key, callback, access, form_token, expires)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (token, secret, app, callback, access, form_token, time.time() + LIFETIME),
        )
    return token, secret


def find(store: Store, token: str) -> RequestToken | None:
    """Give a request token, whatever its state."""
    row = store.connection.execute(
        "SELECT request_tokens.*, apps.name, apps.callbacks, apps.sign_in"
        " FROM request_tokens LEFT JOIN apps USING (consumer_key) WHERE token = ?",
        (token,),
    ).fetchone()
    return RequestToken(*row) if row else None


def allow(store: Store, request: RequestToken, user: str) -> str | None:
    """Write down that a person said yes: give the PIN or verifier, or None where it was answered already."""
    import secrets

    verifier = f"{secrets.randbelow(10**7):07}" if request.by_pin else secrets.token_urlsafe(24)
    return verifier if _answer(store, request, "allowed", user, verifier) else None


def refuse(store: Store, request: RequestToken) -> bool:
    """Write down that a person said no; False where it was answered already."""
    return _answer(store, request, "refused", None, None)


def _answer(store: Store, request: RequestToken, state: str, user: str | None, verifier: str | None) -> bool:
    with store.writing() as connection:
        changed = connection.execute(
            "UPDATE request_tokens SET state = ?, user_id = ?, verifier = ?"
            " WHERE token = ? AND state = 'new'",
            (state, user, verifier, request.token),
        )
        return changed.rowcount == 1


def allowed_before(store: Store, request: RequestToken, user: str) -> bool:
    """Tell whether the person gave the app as much before, and it wants nobody asked twice."""
    held = (
        "SELECT 1 FROM tokens WHERE consumer_key = ? AND user_id = ? AND NOT revoked"
        " AND access IN (?, 'write')"
    )
    row = store.connection.execute(held, (request.consumer_key, user, request.access)).fetchone()
    return bool(request.sign_in and row)


def user_named(store: Store, screen_name: str) -> str | None:
    """Find a person by the screen name, in any case."""
    find = "SELECT id FROM users WHERE lower(screen_name) = lower(?)"
    row = store.connection.execute(find, (screen_name,)).fetchone()
    return str(row[0]) if row else None


def screen_name_of(store: Store, user: str) -> str:
    """Give the screen name of a person."""
    (name,) = store.connection.execute("SELECT screen_name FROM users WHERE id = ?", (user,)).fetchone()
    return str(name)


def exchange(store: Store, token: str, verifier: str) -> tuple[str, str, str, str]:
    """End a sign-in: give access token, secret, user id and screen name; each time the tokens are new."""
    with store.writing() as connection:
        request = find(store, token)
        usable = (
            request
            and not request.expired
            and request.state in ("new", "allowed")
            and request.wrong_tries <= WRONG_TRIES
        )
        right = usable and request and _matches(request.verifier, verifier)
        if right and request:
            return _issue(store, request)
        # Nothing is raised in here: that would forget the try.
        connection.execute(
            "UPDATE request_tokens SET wrong_tries = wrong_tries + 1 WHERE token = ?", (token,)
        )
    if usable:
        raise Unauthenticated(32, "Error processing your OAuth request: Invalid oauth_verifier parameter")
    raise invalid_token()


def _matches(verifier: str | None, given: str) -> bool:
    return verifier is not None and hmac.compare_digest(verifier.encode(), given.encode())


def _issue(store: Store, request: RequestToken) -> tuple[str, str, str, str]:
    import secrets

    token, secret = f"{request.user}-{secrets.token_urlsafe(24)}", secrets.token_urlsafe(32)
    run = store.connection.execute
    run("UPDATE request_tokens SET state = 'used', verifier = NULL WHERE token = ?", (request.token,))
    values = (token, secret, request.consumer_key, request.user, request.access)
    run("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, 0)", values)
    user = str(request.user)
    return token, secret, user, screen_name_of(store, user)
