"""The app's bearer token: cached, since the service refuses to be asked often."""

import typer

from ..console.invocation import Invocation
from ..errors import AccessError, RateLimitedError


def issue(ctx: typer.Context) -> None:
    """Ask for the app's bearer token, and keep it; auth token --bearer prints it.

    For example: adsctl auth bearer issue
    """
    from ..api.auth import IssueBearer
    from ..auth.secret_stores import Secret
    from ..config.profiles import refuse_local, update
    from ..config.settings import ADDRESSES

    call = Invocation.of(ctx)
    settings = call.settings
    refuse_local(settings.profile)
    app = call.secrets.app()
    if app is None:
        raise AccessError("no consumer key and secret are known", hint="adsctl auth login asks for them")
    if call.dry_run:
        call.messages.say(f"nothing is sent: POST {settings.address('platform')}/oauth2/token")
        return
    import httpx

    call.client.trace.add_secrets(*app)
    try:
        answer = call.client.call(IssueBearer(grant_type="client_credentials"), auth=httpx.BasicAuth(*app))
    except RateLimitedError as error:
        error.hint = "a bearer token was asked for too often; it stays valid, so keep it: wait some minutes"
        raise
    addresses = tuple(value for name in ADDRESSES if (value := settings.get(name)))
    token = Secret(answer.body["access_token"], addresses)
    call.secrets.store.put(settings.profile, {"bearer_token": token})
    update(settings, settings.profile, {"token_store": settings.get("token_store")})
    call.messages.say("the bearer token is kept; 'adsctl auth token --bearer' prints it")


def revoke(ctx: typer.Context) -> None:
    """Revoke the app's bearer token; the next one is another.

    For example: adsctl auth bearer revoke
    """
    from ..api.auth import InvalidateBearer
    from ..auth.secret_stores import BEARER

    call = Invocation.of(ctx)
    found = call.secrets.find(BEARER)
    if found is None:
        raise AccessError("no bearer token is known", hint="adsctl auth bearer issue")
    call.client.trace.add_secrets(found.secret.value)
    if call.dry_run:
        call.messages.say("nothing is sent: the bearer token would be revoked")
        return
    try:
        call.client.call(InvalidateBearer(access_token=found.secret.value))
    except AccessError as error:
        if error.api_code != 89:  # revoked already is as good
            raise
    if call.secrets.has_store:
        call.secrets.store.drop(call.settings.profile, (BEARER,))
    call.messages.say("the bearer token is revoked")
