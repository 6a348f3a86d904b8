"""Sign out, and see who is signed in."""

from typing import Annotated

import typer

from ..config.settings import ADDRESSES
from ..console.invocation import Invocation
from ..errors import AccessError, UsageError

USER_KINDS = ("access_token", "access_token_secret")


def logout(ctx: typer.Context) -> None:
    """Revoke the stored token, and remove it.

    For example: adsctl auth logout
    """
    from ..api.auth import InvalidateToken

    call = Invocation.of(ctx)
    secrets, settings = call.secrets, call.settings
    if settings.is_local:
        raise UsageError("the profile local is always signed in", hint="adsctl emulator reset begins anew")
    if not secrets.has_store or secrets.store.get(settings.profile, "access_token") is None:
        raise AccessError(
            "no token is stored for this profile", hint="a token of the environment is not ours to revoke"
        )
    if call.dry_run:
        call.messages.say("nothing is sent: the stored token would be revoked and removed")
        return
    call.secrets.prefers_store = True
    try:
        call.client.call(InvalidateToken())
    except AccessError as error:
        if error.api_code != 89:  # revoked already is as good
            raise
    secrets.store.drop(settings.profile, USER_KINDS)
    call.messages.say(f"signed out of profile {settings.profile}")


def status(ctx: typer.Context) -> None:
    """Say who is signed in, and where.

    Each value is shown with where it comes from; a secret is never shown.

    For example: adsctl auth status -o json
    """
    from ..client.credentials import Credentials

    call = Invocation.of(ctx)
    settings = call.settings
    call.warn_of_strange_settings()
    rows: list[tuple[str, str | None, str | None]] = []
    rows.append(("profile", settings.profile, settings.profile_origin))
    for name in (*ADDRESSES, "account", "catalog", "user"):
        found = settings.find(name)
        rows.append((name, *found) if found else (name, None, None))
    missing = False
    for name in Credentials._fields:
        secret = None if settings.is_local else call.secrets.find(name)
        origin = "the emulator on this machine" if settings.is_local else secret and secret.origin
        rows.append((name, "***" if origin else None, origin))
        missing = missing or not origin
    columns = ("what", "value", "origin")
    call.printer.show([dict(zip(columns, row, strict=True)) for row in rows], columns, "what")
    for name in settings.shadowed():
        call.messages.warn(f"{name} of the environment outranks the profile {settings.profile}")
    if missing:
        raise AccessError("not signed in", hint=f"run: adsctl auth login --profile {settings.profile}")


def token(
    ctx: typer.Context,
    bearer: Annotated[bool, typer.Option("--bearer", help="The app's bearer token")] = False,
) -> None:
    """Print the token; nothing else ever does.

    For example: adsctl auth token
    """
    call = Invocation.of(ctx)
    if bearer:
        found = call.secrets.find("bearer_token")
        if found is None:
            raise AccessError("no bearer token is stored", hint="adsctl auth bearer issue")
        print(found.secret.value)
    else:
        print(call.client.credentials().access_token)
