"""Sign out, and show who is signed in."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, NamedTuple, TypedDict

import typer

from ...api.accounts import ListAccounts
from ...api.auth import InvalidateBearer, InvalidateToken, IssueBearer
from ...api.endpoint import Request
from ...auth import CLIENT_SECRET, GRANT, Secret, received_secret
from ...auth.grants import read_grant
from ...auth.grants import revoke as revoke_grant
from ...auth.secret_stores import BEARER, SIGN_IN_SECRETS
from ...client.prepared_request import UserKeys
from ...config.addresses import ADDRESSES
from ...config.profiles import refuse_local, update
from ...config.settings import OF_X, SIGN_IN, Setting, Settings
from ...console.invocation import Invocation
from ...console.parameters import flag
from ...console.shown import Result, shows
from ...errors import AccessError, AdsctlError, RateLimitedError, UsageError
from ..runs.options import ShownOptions, with_options

EMULATOR = "the emulator on this machine"
REVOKED_TOKEN = 89  # the API code of a token that is already revoked


def logout(ctx: typer.Context) -> None:
    """Revoke and remove the stored token.

    For example: adsctl auth logout
    """
    call = Invocation.of(ctx)
    secrets, settings = call.secrets, call.settings
    if settings.is_local:
        raise UsageError(
            "the profile local is always signed in", hint="adsctl emulator reset renews its keys and tokens"
        )
    refuse_shared(settings, "logout")
    token = GRANT if settings.client_id else "access_token"  # whatever the environment has
    if not secrets.has_store or secrets.store.get(settings.profile, token) is None:
        raise AccessError(
            "no token is stored for this profile", hint="a token from the environment is not revoked"
        )
    if call.is_dry_run("revoke and remove the stored token"):
        return
    call.secrets.prefers_store = True
    if settings.client_id:
        revoke_grant(read_grant(secrets.stored_grant()), secrets.client_secret(), call.client.call)
    else:
        _invalidate(call, InvalidateToken())
    secrets.store.delete(settings.profile, SIGN_IN_SECRETS)
    if {"user", "client_id"} & settings.profile_values(settings.profile).keys():
        update(settings, settings.profile, {"user": None, "client_id": None})
    others = "".join(f", {name}" for name in settings.users_of_sign_in(settings.profile))
    call.messages.say(f"signed out of profile {settings.profile}{others}")


def refuse_shared(settings: Settings, command: str) -> None:
    """Raise UsageError for a profile that uses the sign-in of another one."""
    if (holder := settings.sign_in_profile) != settings.profile:
        raise UsageError(
            f"the profile {settings.profile} uses the sign-in of {holder}",
            hint=f"adsctl auth {command} --profile {holder}; or give it one of its own: "
            f"adsctl profile set {settings.profile} {SIGN_IN}=",
        )


def _invalidate(call: Invocation, request: Request) -> None:
    """Revoke a token, unless it is revoked already."""
    try:
        call.client.call(request)
    except AccessError as error:
        if error.api_code != REVOKED_TOKEN:
            raise


class StatusRow(NamedTuple):
    """A value that decides who is signed in, and where it comes from."""

    what: str
    value: str | None = None
    origin: str | None = None


class ProfileCheck(TypedDict):
    """Whether the service takes the token of a profile."""

    profile: str
    status: str  # ok, or the code of an error
    message: str
    hint: str | None


STATUS, PROFILES = Result(StatusRow, "what"), Result(ProfileCheck, "profile")


@shows(STATUS, PROFILES)
@with_options(shown=ShownOptions)
def status(
    ctx: typer.Context,
    check: Annotated[bool, flag("Ask the service whether it takes the token; 4 where it does not")] = False,
    every: Annotated[bool, flag("With --check: those of all profiles", "--all")] = False,
    *,
    shown: ShownOptions,
) -> None:
    """Show who is signed in, and where each value comes from.

    Secrets are never shown.

    For example: adsctl auth status -o json
    """
    call = Invocation.of(ctx)
    if every:
        if not check:
            raise UsageError("--all is for --check", hint="adsctl auth status --check --all")
        _check_all(call, shown)
        return
    show_sign_in(call, shown)
    if check:
        _require_accepted(call)
        call.messages.say("the service takes the token")


def show_sign_in(call: Invocation, shown: ShownOptions | None = None) -> None:
    """Show who is signed in, and where each value comes from; raise AccessError where nobody is."""
    settings = call.settings
    call.warn_unknown_keys()
    found = {name: settings.find(name) for name in ("service", *ADDRESSES, "account", "catalog", "user")}
    if settings.is_local and not found["account"]:
        found["account"] = Setting(call.account, EMULATOR)
    rows = [StatusRow("profile", settings.profile, settings.profile_origin)]
    rows += [StatusRow(name, *(setting or ())) for name, setting in found.items()]
    secrets = [*(_grant_rows(call) if settings.uses_grant else _key_rows(call))]
    missing = not all(row.origin for row in secrets)
    rows += secrets
    records = [row._asdict() for row in rows]
    (shown or ShownOptions()).show(call, records, STATUS.columns, "values", STATUS.key)
    for name in settings.overridden():
        call.messages.note(f"{name} in the environment overrides the profile {settings.profile}")
    if missing:
        service = "" if settings.find("ads_url") else f" --service x ({OF_X})"
        raise AccessError("not signed in", hint=f"run: {settings.sign_in_command()}{service}")


def _key_rows(call: Invocation) -> Iterator[StatusRow]:
    """Yield the secrets that sign requests, masked."""
    for name in UserKeys._fields:
        secret = None if call.settings.is_local else call.secrets.find(name)
        origin = EMULATOR if call.settings.is_local else secret.origin if secret else None
        yield StatusRow(name, "***" if origin else None, origin)


def _grant_rows(call: Invocation) -> Iterator[StatusRow]:
    """Yield the parts of a grant of OAuth 2.0: the tokens masked, the rest in clear."""
    origin = f"stored ({call.settings.get('token_store')})"
    yield StatusRow("client_id", call.settings.client_id, f"profile {call.settings.sign_in_profile}")
    if secret := call.secrets.find(CLIENT_SECRET):
        yield StatusRow(CLIENT_SECRET, "***", secret.origin)
    grant = read_grant(call.secrets.stored_grant())
    expires_at = datetime.fromtimestamp(grant.expires_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    yield StatusRow("access_token", "***", origin)
    yield StatusRow("access_token_expires_at", expires_at, origin)
    if grant.refresh_token:
        yield StatusRow("refresh_token", "***", origin)
    yield StatusRow("scopes", " ".join(grant.scopes), origin)


def _require_accepted(call: Invocation) -> None:
    """Ask the service for an account; raise AccessError where it refuses the token."""
    call.client.call(ListAccounts(count=1))


def _check_all(call: Invocation, shown: ShownOptions) -> None:
    """Show for each profile whether the service takes its token; raise the error of a refused one."""
    first = None
    records = list[ProfileCheck]()
    profiles = call.settings.read_config().get("profiles")
    if not profiles:
        raise AccessError(
            f"there is no profile to check in {call.settings.config_file}",
            hint="adsctl auth status --check asks with what the environment has",
        )
    for name in profiles:
        status, message, hint = "ok", "the service takes the token", None
        try:
            _require_accepted(call.with_flags({"profile": name}))
        except AdsctlError as error:
            status, message, hint = error.code, error.message, error.hint or None
            if first is None or (isinstance(error, AccessError) and not isinstance(first, AccessError)):
                first, error.message = error, f"profile {name}: {error.message}"
        records.append({"profile": name, "status": status, "message": message, "hint": hint})
    shown.show(call, records, PROFILES.columns, "profiles", PROFILES.key)
    if first:
        raise first


def token(
    ctx: typer.Context,
    bearer: Annotated[bool, flag("Print the app's bearer token")] = False,
) -> None:
    """Print the token; no other command shows it.

    For example: adsctl auth token
    """
    call = Invocation.of(ctx)
    if bearer:
        print(_bearer_token(call), file=call.out)
    else:
        print(call.client.credentials().access_token, file=call.out)


def _bearer_token(call: Invocation) -> str:
    if token := call.secrets.find(BEARER):
        return token.secret.value
    raise AccessError("no bearer token is stored", hint="adsctl auth bearer issue")


def issue(ctx: typer.Context) -> None:
    """Issue and store the app's bearer token; auth token --bearer prints it.

    For example: adsctl auth bearer issue
    """
    call = Invocation.of(ctx)
    settings = call.settings
    refuse_local(settings.profile)
    app = call.secrets.app()
    if app is None:
        raise AccessError("no consumer key and secret are set", hint="adsctl auth login asks for them")
    if call.is_dry_run(f"send POST {settings.address('platform')}/oauth2/token"):
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
    holder = settings.sign_in_profile
    call.secrets.store.put(holder, {"bearer_token": token})
    chosen, named = settings.get("token_store"), settings.profile_values(holder).get("token_store")
    if not named:
        update(settings, holder, {"token_store": chosen})
    elif named != chosen:  # which has the sign-in of the profile
        call.messages.warn(f"it is found with ADSCTL_TOKEN_STORE={chosen} alone: the profile has {named}")
    call.messages.say("the bearer token is stored; 'adsctl auth token --bearer' prints it")


def revoke(ctx: typer.Context) -> None:
    """Revoke the app's bearer token.

    For example: adsctl auth bearer revoke
    """
    call = Invocation.of(ctx)
    token = _bearer_token(call)
    call.client.trace.add_secrets(token)
    if call.is_dry_run("revoke the bearer token"):
        return
    _invalidate(call, InvalidateBearer(access_token=token))
    call.messages.say("the bearer token is revoked")
    if call.secrets.has_store:
        store, profile = call.secrets.store, call.settings.sign_in_profile
        stored = store.get(profile, BEARER)
        if stored and stored.value == token:  # else it is of the environment, and another one
            store.delete(profile, (BEARER,))
