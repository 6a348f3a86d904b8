"""The app's bearer token, stored because the service limits how often it is issued."""

import typer

from ..console.invocation import Invocation
from ..errors import AccessError, RateLimitedError
from .auth import REVOKED_TOKEN


def issue(ctx: typer.Context) -> None:
    """Issue and store the app's bearer token; auth token --bearer prints it.

    For example: adsctl auth bearer issue
    """
    from ..api.auth import IssueBearer
    from ..auth.secret_values import Secret, received_secret
    from ..config.addresses import ADDRESSES
    from ..config.profiles import refuse_local, update

    call = Invocation.of(ctx)
    settings = call.settings
    refuse_local(settings.profile)
    app = call.secrets.app()
    if app is None:
        raise AccessError("no consumer key and secret are set", hint="adsctl auth login asks for them")
    if call.dry_run:
        call.messages.say(f"dry run: would send POST {settings.address('platform')}/oauth2/token")
        return
    import httpx

    call.client.trace.add_secrets(*app)
    try:
        response = call.client.call(IssueBearer(grant_type="client_credentials"), auth=httpx.BasicAuth(*app))
    except RateLimitedError as error:
        error.hint = (
            "bearer tokens were issued too often; a token stays valid, so reuse it, or wait some minutes"
        )
        raise
    addresses = tuple(value for name in ADDRESSES if (value := settings.get(name)))
    token = Secret(received_secret(response.body, "access_token"), addresses)
    call.secrets.store.put(settings.profile, {"bearer_token": token})
    update(settings, settings.profile, {"token_store": settings.get("token_store")})
    call.messages.say("the bearer token is stored; 'adsctl auth token --bearer' prints it")


def revoke(ctx: typer.Context) -> None:
    """Revoke the app's bearer token.

    For example: adsctl auth bearer revoke
    """
    from ..api.auth import InvalidateBearer
    from ..auth.secret_stores import BEARER

    call = Invocation.of(ctx)
    found = call.secrets.find(BEARER)
    if found is None:
        raise AccessError("no bearer token is stored", hint="adsctl auth bearer issue")
    call.client.trace.add_secrets(found.secret.value)
    if call.dry_run:
        call.messages.say("dry run: would revoke the bearer token")
        return
    try:
        call.client.call(InvalidateBearer(access_token=found.secret.value))
    except AccessError as error:
        if error.api_code != REVOKED_TOKEN:
            raise
    if call.secrets.has_store:
        call.secrets.store.delete(call.settings.profile, (BEARER,))
    call.messages.say("the bearer token is revoked")
