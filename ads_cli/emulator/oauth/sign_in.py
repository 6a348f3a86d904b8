"""The sign-in steps of an app, and the revocation of access tokens."""

from ...api.auth import GetAccessToken, GetRequestToken, InvalidateToken
from ..core.errors import SignInError, invalid_token
from ..core.handlers import RequestContext, raw_handler
from ..core.responses import HttpResponse
from . import request_tokens
from .responses import form_response, json_response

ACCESS = ("read", "write")
INVALID = 38  # the code of a missing or invalid parameter


@raw_handler(GetRequestToken)
def request_token(context: RequestContext) -> HttpResponse:
    """Start a sign-in: issue a request token. The app signs without a token."""
    signer = context.authenticator.authenticate_app(context.incoming)
    access = _access_asked_for(context)
    callback = signer.oauth_params.get("oauth_callback")
    token, secret = request_tokens.create(context.store, signer.app, callback, access)
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
def access_token(context: RequestContext) -> HttpResponse:
    """Complete a sign-in: exchange the request token, which signs, for an access token."""
    signer = context.authenticator.authenticate_request_token(context.incoming)
    verifier = signer.oauth_params.get("oauth_verifier", "")
    issued = request_tokens.exchange(context.store, signer.token, verifier)
    return form_response(**issued._asdict())


@raw_handler(InvalidateToken, "POST /1.1/oauth/invalidate_token.json")
def invalidate_token(context: RequestContext) -> HttpResponse:
    """Revoke the access token that signs the request."""
    signer = context.authenticator.authenticate_user(context.incoming)
    with context.store.transaction() as connection:
        revoke = "UPDATE tokens SET revoked = 1 WHERE token = ? AND NOT revoked"
        if connection.execute(revoke, (signer.token,)).rowcount == 0:
            raise invalid_token()
    return json_response(access_token=signer.token)
