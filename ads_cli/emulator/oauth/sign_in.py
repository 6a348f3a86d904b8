"""The steps of signing in that an app takes by itself, and the end of an access token."""

from urllib.parse import urlencode

import msgspec

from ...api.auth import AccessToken, InvalidateToken, RequestToken
from ..core.incoming import FORM
from ..core.responses import Headers, HttpResponse, invalid_token
from ..core.routing import Call, answers
from . import request_tokens

NO_STORE = (("Cache-Control", "no-store"),)


def form(**values: str) -> HttpResponse:
    """Answer key=value pairs, as the steps of signing in do."""
    return HttpResponse(urlencode(values).encode(), content_type=FORM, headers=NO_STORE)


def json(headers: Headers = (), **values: str) -> HttpResponse:
    """Answer an object that stands in no envelope."""
    return HttpResponse(msgspec.json.encode(values), headers=(*NO_STORE, *headers))


@answers(RequestToken)
def request_token(call: Call) -> HttpResponse:
    """Begin a sign-in; signed by the app alone."""
    signer = call.gate.app_of(call.incoming)
    access = call.incoming.parameters.get("platform_auth_access_type", "write")
    callback = signer.given.get("oauth_callback")
    token, secret = request_tokens.create(call.store, signer.app, callback, access)
    return form(oauth_token=token, oauth_token_secret=secret, oauth_callback_confirmed="true")


@answers(AccessToken)
def access_token(call: Call) -> HttpResponse:
    """End a sign-in; signed with the request token."""
    signer = call.gate.sign_in_of(call.incoming)
    verifier = signer.given.get("oauth_verifier", "")
    token, secret, user, screen_name = request_tokens.exchange(call.store, signer.token, verifier)
    return form(oauth_token=token, oauth_token_secret=secret, user_id=user, screen_name=screen_name)


@answers(InvalidateToken, "POST /1.1/oauth/invalidate_token.json")
def invalidate_token(call: Call) -> HttpResponse:
    """Revoke the access token that signs the request."""
    signer = call.gate.signer_of(call.incoming)
    with call.store.writing() as connection:
        revoke = "UPDATE tokens SET revoked = 1 WHERE token = ? AND NOT revoked"
        if connection.execute(revoke, (signer.token,)).rowcount == 0:
            raise invalid_token()
    return json(access_token=signer.token)
