"""Request tokens: created by an app, authorized by a user, and exchanged once for an access token."""

import hmac
import time
from typing import NamedTuple
from urllib.parse import urlencode

from ...api.auth import GetAccessToken, GetRequestToken, InvalidateToken
from ..core.handlers import RequestContext, raw_handler
from ..core.request import FORM
from ..core.responses import AuthenticationError, Headers, HttpResponse, SignInError, invalid_token
from ..storage import Store, screen_name

NO_STORE = (("Cache-Control", "no-store"),)


def form_response(**values: str) -> HttpResponse:
    """Return key=value pairs."""
    return HttpResponse(urlencode(values).encode(), content_type=FORM, headers=NO_STORE)


def json_response(headers: Headers = (), **values: str) -> HttpResponse:
    """Return a JSON object without an envelope."""
    return HttpResponse.json(values, headers=(*NO_STORE, *headers))


LIFETIME_SECONDS = 600.0
MAX_WRONG_VERIFIERS = 5
OUT_OF_BAND = "oob"
CALLBACK_REFUSED = 415


class RequestToken(NamedTuple):
    """A sign-in in progress, with the app that started it."""

    token: str
    secret: str
    consumer_key: str
    callback: str
    access: str
    form_token: str
    expires: float
    state: str  # new, allowed, refused, used (exchanged)
    user: str | None
    verifier: str | None
    wrong_tries: int
    app: str | None  # name; None if the app is no longer registered
    callbacks: str | None
    sign_in: int | None  # whether earlier authorizations are reused

    @property
    def is_expired(self) -> bool:
        """Return whether the lifetime is over."""
        return time.time() >= self.expires

    @property
    def uses_pin(self) -> bool:
        """Return whether the user copies the verifier to the app as a PIN."""
        return self.callback == OUT_OF_BAND

    @property
    def is_callback_registered(self) -> bool:
        """Return whether the callback is still registered for the app."""
        return self.uses_pin or self.callback in (self.callbacks or "").split("\n")


def create(store: Store, app: str, callback: str | None, access: str) -> tuple[str, str]:
    """Create a request token for an app; return it with its secret."""
    import secrets

    if not callback:
        message = "oauth_callback is required: oob for a PIN, or a callback registered for this app"
        raise SignInError(403, CALLBACK_REFUSED, message)
    callbacks: str = store.value("SELECT callbacks FROM apps WHERE consumer_key = ?", app)
    if callback != OUT_OF_BAND and callback not in callbacks.split("\n"):
        registered = callbacks.replace("\n", " ")
        message = f"the callback {callback!r} is not registered for this app; registered: {registered}"
        raise SignInError(403, CALLBACK_REFUSED, message)
    token, secret, form_token = (secrets.token_urlsafe(24) for _ in range(3))
    values = {"consumer_key": app, "callback": callback, "access": access}
    expires = time.time() + LIFETIME_SECONDS
    with store.transaction():
        store.insert(
            "request_tokens", token=token, secret=secret, form_token=form_token, expires=expires, **values
        )
    return token, secret


def find(store: Store, token: str) -> RequestToken | None:
    """Return a request token in any state, or None."""
    row = store.row(
        "SELECT request_tokens.*, apps.name, apps.callbacks, apps.sign_in"
        " FROM request_tokens LEFT JOIN apps USING (consumer_key) WHERE token = ?",
        token,
    )
    return RequestToken(*row) if row else None


def allow(store: Store, request: RequestToken, user: str) -> str | None:
    """Authorize the app: return the verifier (or PIN), or None if the user has already decided."""
    import secrets

    verifier = f"{secrets.randbelow(10**7):07}" if request.uses_pin else secrets.token_urlsafe(24)
    return verifier if _decide(store, request, "allowed", user, verifier) else None


def refuse(store: Store, request: RequestToken) -> bool:
    """Refuse the app; return False if the user has already decided."""
    return _decide(store, request, "refused", None, None)


def _decide(store: Store, request: RequestToken, state: str, user: str | None, verifier: str | None) -> bool:
    with store.transaction() as connection:
        updated = connection.execute(
            "UPDATE request_tokens SET state = ?, user_id = ?, verifier = ?"
            " WHERE token = ? AND state = 'new'",
            (state, user, verifier, request.token),
        )
        return updated.rowcount == 1


def was_allowed_before(store: Store, request: RequestToken, user: str) -> bool:
    """Return whether the app reuses authorizations and has one of this user that covers the request."""
    query = (
        "SELECT 1 FROM tokens WHERE consumer_key = ? AND user_id = ? AND NOT revoked"
        " AND access IN (?, 'write')"
    )
    return bool(request.sign_in and store.row(query, request.consumer_key, user, request.access))


def exchange(store: Store, token: str, verifier: str) -> dict[str, str]:
    """Exchange a request token for a new access token; return it under the names of the response."""
    with store.transaction() as connection:
        request = find(store, token)
        usable = (
            request
            and not request.is_expired
            and request.state in ("new", "allowed")
            and request.wrong_tries <= MAX_WRONG_VERIFIERS
        )
        if usable and request and _matches(request.verifier, verifier):
            return _issue(store, request)
        # No exception inside the transaction: it would roll back the counter.
        connection.execute(
            "UPDATE request_tokens SET wrong_tries = wrong_tries + 1 WHERE token = ?", (token,)
        )
    if usable:
        message = "Error processing your OAuth request: Invalid oauth_verifier parameter"
        raise AuthenticationError(32, message)
    raise invalid_token()


def _matches(expected: str | None, verifier: str) -> bool:
    return expected is not None and hmac.compare_digest(expected.encode(), verifier.encode())


def _issue(store: Store, request: RequestToken) -> dict[str, str]:
    import secrets

    user = str(request.user)
    token, secret = f"{user}-{secrets.token_urlsafe(24)}", secrets.token_urlsafe(32)
    used = "UPDATE request_tokens SET state = 'used', verifier = NULL WHERE token = ?"
    store.connection.execute(used, (request.token,))
    granted = {"consumer_key": request.consumer_key, "user_id": user, "access": request.access}
    store.insert("tokens", token=token, secret=secret, **granted)
    key = {"oauth_token": token, "oauth_token_secret": secret}
    return key | {"user_id": user, "screen_name": screen_name(store, user) or ""}


ACCESS = ("read", "write")
INVALID = 38  # the code of a missing or invalid parameter


@raw_handler(GetRequestToken)
def _request_token(context: RequestContext) -> HttpResponse:
    """Start a sign-in: issue a request token. The app signs without a token."""
    signer = context.authenticator.authenticate_app(context.incoming)
    access = _access_asked_for(context)
    callback = signer.oauth_params.get("oauth_callback")
    token, secret = create(context.store, signer.app, callback, access)
    return form_response(oauth_token=token, oauth_token_secret=secret, oauth_callback_confirmed="true")


def _access_asked_for(context: RequestContext) -> str:
    """Return the access that the app asks for, write by default; raise SignInError for other parameters."""
    name = context.names.name("platform_auth_access_type")
    params = {
        key: value for key, value in context.incoming.parameters.items() if not key.startswith("oauth_")
    }
    access = params.pop(name, "write")
    if params:
        raise SignInError(400, INVALID, f"{next(iter(params))} is not a known parameter")
    if access not in ACCESS:
        raise SignInError(400, INVALID, f"{name} is read or write, not {access!r}")
    return access


@raw_handler(GetAccessToken)
def _access_token(context: RequestContext) -> HttpResponse:
    """Complete a sign-in: exchange the request token, which signs, for an access token."""
    signer = context.authenticator.authenticate_request_token(context.incoming)
    verifier = signer.oauth_params.get("oauth_verifier", "")
    return form_response(**exchange(context.store, signer.token, verifier))


@raw_handler(InvalidateToken, "POST /1.1/oauth/invalidate_token.json")
def _invalidate_token(context: RequestContext) -> HttpResponse:
    signer = context.authenticator.authenticate_user(context.incoming)
    with context.store.transaction() as connection:
        revoke = "UPDATE tokens SET revoked = 1 WHERE token = ? AND NOT revoked"
        if connection.execute(revoke, (signer.token,)).rowcount == 0:
            raise invalid_token()
    return json_response(access_token=signer.token)
