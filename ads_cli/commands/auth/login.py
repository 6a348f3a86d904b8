"""Sign in with a browser: with a PIN, or with a callback to this machine."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from ...auth import CLIENT_SECRET, GRANT, Secret, check_secret
from ...auth.grants import READ_SCOPES, SCOPES
from ...auth.secret_stores import APP_SECRETS, SIGN_IN_SECRETS
from ...client.prepared_request import UserKeys
from ...config.addresses import ADDRESSES, SERVICE_ADDRESSES, check_address
from ...config.atomic_files import ensure_writable
from ...config.profiles import refuse_local, update
from ...config.settings import DEFAULTS, SERVICE_X
from ...console.host import PROCESS
from ...console.invocation import Invocation
from ...console.parameters import choice, flag, option
from ...errors import AccessError, ContentError, RefusedError, StateError, UsageError
from ...output.text import Lines
from ...spelling import as_option, as_variable
from . import refuse_shared, show_sign_in

if TYPE_CHECKING:
    from ...auth.sign_in import GrantSignIn, OAuthToken, SignIn

OpenPage = Callable[[str], None]  # opens an address in a browser, or prints it
OF_OAUTH1 = ("callback", "authenticate", "access", "force_login", "screen_name")  # options of one kind alone
OF_OAUTH2 = ("client_id", "read_only", "port")
ATTEMPTS = 3  # to type a PIN or an address, on a terminal
PORT = 8080  # of the redirect, which is to be registered with the app


def login(
    ctx: typer.Context,
    no_browser: Annotated[bool, flag("Print the address of the page; open no browser")] = False,
    callback: Annotated[
        str | None, option("URL", "Listen on this registered loopback address instead of asking for a PIN")
    ] = None,
    authenticate: Annotated[
        bool, flag("Skip the page for a user who has authorized the app before (with --callback)")
    ] = False,
    access: Annotated[
        Literal["read", "write"] | None, choice("Request a token with these permissions only")
    ] = None,
    force_login: Annotated[bool, flag("Make the page ask for user name and password")] = False,
    screen_name: Annotated[str | None, option("NAME", "The user name that the page suggests")] = None,
    oauth2: Annotated[bool, flag("Sign in by OAuth 2.0 (PKCE) in place of OAuth 1.0a")] = False,
    client_id: Annotated[str | None, option("ID", "The app's OAuth 2.0 client id (with --oauth2)")] = None,
    read_only: Annotated[bool, flag("Ask for tokens that can change nothing (with --oauth2)")] = False,
    port: Annotated[
        int | None,
        option("N", f"The port of the redirect (with --oauth2; by default {PORT})", min=1, max=65535),
    ] = None,
    token_store: Annotated[Literal["keyring", "file"] | None, choice("Where tokens are stored")] = None,
) -> None:
    """Sign in with a browser and a PIN.

    The tokens are stored in the OS keyring, or in a file with --token-store file.

    Missing addresses, consumer key and secret are asked for. Without a terminal, the PIN is read from
    standard input.

    With --oauth2, the page redirects to http://127.0.0.1:8080/callback (another port with --port), which must
    be registered with the app exactly so. With --no-browser, paste the address that the browser ends at. A
    confidential app's secret comes from ADSCTL_CLIENT_SECRET. The service names these tokens for some of its
    routes only. Where it refuses them, sign in without --oauth2. Another sign-in with the same app, on this
    or another machine, ends this one.

    For example: adsctl auth login --profile shop --token-store file
    """
    others = [name for name in (OF_OAUTH1 if oauth2 else OF_OAUTH2) if ctx.params[name]]
    if others:
        raise UsageError(f"{as_option(others[0])} cannot be used {'with' if oauth2 else 'without'} --oauth2")
    if authenticate and not callback:
        raise UsageError("--authenticate requires --callback")
    call = Invocation.of(ctx)
    call.settings.may_create_profile = True
    refuse_local(call.settings.profile)
    refuse_shared(call.settings, "login")
    if token_store:
        call.flags["token_store"] = token_store
    addresses = _addresses(call)  # those that are typed are flags from here on, for the client too
    if call.is_dry_run(f"sign in, and store the tokens of the profile {call.settings.profile}"):
        return
    ensure_writable(call.settings.config_dir, "ADSCTL_CONFIG_DIR")
    call.secrets.store.check()
    call.secrets.replaces_stored = True

    open_page = partial(_open_page, call, open_browser=not no_browser)
    bound_to = tuple(addresses.values())
    if oauth2:
        id = client_id or call.settings.get("client_id")
        opened = None if no_browser else open_page
        signed_in = _sign_in_by_grant(call, bound_to, id, port or PORT, opened, read_only=read_only)
    else:
        of_page = {"authenticate": authenticate, "force_login": force_login, "screen_name": screen_name}
        signed_in = _sign_in_by_keys(call, bound_to, open_page, of_page, callback, access)
    _store(call, addresses, signed_in)
    call.messages.say(signed_in.message)
    for warning in signed_in.warnings:
        call.messages.warn(warning)
    show_sign_in(Invocation.of(ctx))


class SignedIn(NamedTuple):
    """What a sign-in of either kind has brought."""

    secrets: dict[str, Secret]
    message: str
    user: str | None = None
    client_id: str | None = None  # by OAuth 2.0
    warnings: Sequence[str] = ()


def _store(call: Invocation, addresses: dict[str, str], signed_in: SignedIn) -> None:
    """Store a sign-in in place of another one, whichever kind and service that was of."""
    settings, store = call.settings, call.secrets.store
    # Before the profile names the sign-in: it never names one whose secrets are not stored.
    store.put(settings.profile, signed_in.secrets)
    usual = {**SERVICE_ADDRESSES.get(settings.service, {}), "service": DEFAULTS["service"]}
    chosen = {**addresses, "service": settings.service}
    values = {name: None if value == usual.get(name) else value for name, value in chosen.items()}
    values |= {
        "token_store": settings.get("token_store"),
        "user": signed_in.user,
        "client_id": signed_in.client_id,
    }
    update(settings, settings.profile, values)
    # What is left of another sign-in is deleted once nothing needs it any more.
    store.delete(settings.profile, tuple(name for name in SIGN_IN_SECRETS if name not in signed_in.secrets))
    earlier = settings.profile_values(settings.profile).get("token_store")  # as it was before
    if earlier and earlier != settings.get("token_store"):
        try:
            call.secrets.open(str(earlier)).delete(settings.profile, (*APP_SECRETS, *SIGN_IN_SECRETS))
        except StateError as error:
            call.messages.warn(f"the earlier sign-in is still stored ({earlier}): {error.message}")


def _sign_in_by_keys(
    call: Invocation,
    bound_to: tuple[str, ...],
    open_page: OpenPage,
    of_page: dict[str, Any],
    callback: str | None,
    access: str | None,
) -> SignedIn:
    """Sign in by OAuth 1.0a, with the keys of an app; ask for those that are not set.

    The page calls a loopback address back, or shows a PIN.
    """
    from ...auth.sign_in import Listener, SignIn

    app = call.secrets.app() or (
        _ask("Consumer key (not shown): ", "ADSCTL_CONSUMER_KEY", hidden=True),
        _ask("Consumer secret (not shown): ", "ADSCTL_CONSUMER_SECRET", hidden=True),
    )
    sign_in = SignIn(call.client, *app)
    if callback:
        with Listener(callback) as listener:
            request = sign_in.begin(callback, access)
            open_page(sign_in.page_url(request, **of_page))
            token = sign_in.finish(request, listener.wait_for(request.token))
    else:
        request = sign_in.begin(access=access)
        open_page(sign_in.page_url(request, **of_page))
        token = _finish_by_pin(call, sign_in, request)
    keys = UserKeys(*app, token.token, token.secret)
    secrets = {name: Secret(value, bound_to, token.owner) for name, value in keys._asdict().items()}
    message = f"signed in as {token.owner or 'a user without a name'}"
    return SignedIn(secrets, message, user=token.owner or None)


def _sign_in_by_grant(
    call: Invocation,
    bound_to: tuple[str, ...],
    client_id: str | None,
    port: int,
    open_page: OpenPage | None,
    *,
    read_only: bool,
) -> SignedIn:
    """Sign in by OAuth 2.0; where no page is opened, the address that the browser ends at is pasted."""
    from ...auth.sign_in import OAUTH2, GrantSignIn, Listener

    if not client_id:
        hint = "the app's settings in the developer console show it, under OAuth 2.0"
        raise UsageError("--oauth2 requires --client-id ID", hint=hint)
    check_secret(client_id, "--client-id", UsageError)
    secret = call.secrets.client_secret_of(client_id)
    scopes = READ_SCOPES if read_only else SCOPES
    sign_in = GrantSignIn(call.client, client_id, secret, scopes, port)
    if open_page:
        with Listener(sign_in.redirect_uri, OAUTH2) as listener:
            open_page(sign_in.page_url())
            grant = sign_in.finish(listener.wait_for(sign_in.state))
    else:
        grant = sign_in.finish(_pasted_code(call, sign_in))
    of_app = {CLIENT_SECRET: Secret(secret, bound_to)} if secret else {}
    warnings = []
    if missing := [scope for scope in scopes if scope not in grant.scopes]:
        warnings.append(f"not granted: {' '.join(missing)}")
    if not grant.refresh_token:
        warnings.append("the service sent no refresh token: this sign-in ends when its token expires")
    return SignedIn(
        {GRANT: grant.as_secret(bound_to), **of_app},
        f"signed in by OAuth 2.0 with the app {client_id}",
        client_id=grant.client_id,
        warnings=warnings,
    )


def _pasted_code(call: Invocation, sign_in: "GrantSignIn") -> str:
    """Print the page, and return the code of the pasted address. A terminal allows several attempts."""
    _open_page(call, sign_in.page_url(), open_browser=False)
    call.messages.say("the browser then shows an error, since nothing listens there: copy its address")
    for is_last in _attempts():
        call.messages.ask("address:")
        pasted = sys.stdin.readline()
        if not pasted.strip():
            raise UsageError("no address was pasted; nothing was stored")
        try:
            return sign_in.code_of(pasted)
        except (UsageError, ContentError) as error:
            if is_last:
                raise
            call.messages.warn(f"{error.message}; try again")
    raise AssertionError("the last attempt returns or raises")


def _attempts() -> list[bool]:
    """Return whether each attempt to type something is the last; without a terminal there is one."""
    return [*([False] * (ATTEMPTS - 1) if sys.stdin.isatty() else []), True]


def _addresses(call: Invocation) -> dict[str, str]:
    """Return the addresses of the service; ask for those that a sign-in needs."""
    settings = call.settings
    for name, what in (("base_url", "platform API"), ("ads_url", "advertising API")):
        if settings.get(name) is None:
            if name == "base_url":
                call.messages.say(f"which service is it? {SERVICE_X}")
            hint = f"set {as_variable(name)}; {SERVICE_X}"
            address = _ask(f"Address of the {what} (https://...): ", name, hint)
            call.flags[name] = check_address(address, name, UsageError)
    return {name: check_address(*setting) for name in ADDRESSES if (setting := settings.find(name))}


def _ask(prompt: str, name: str, hint: str = "", *, hidden: bool = False) -> str:
    """Ask on the terminal, without echo where it is `hidden`; raise StateError if there is none."""
    if not PROCESS.is_terminal:
        raise StateError(f"{name} is not set, and there is no terminal to ask on", hint=hint or f"set {name}")
    if hidden:
        from getpass import getpass

        typed = check_secret(getpass(prompt, stream=sys.stderr), f"what was typed for {name}", UsageError)
    else:
        print(prompt, end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
    if not typed.strip():
        raise UsageError(f"nothing was typed for {name}; nothing was stored")
    return typed.strip()


def _finish_by_pin(call: Invocation, sign_in: "SignIn", request: "OAuthToken") -> "OAuthToken":
    """Ask for the PIN that the page shows; a terminal allows several attempts."""
    for is_last in _attempts():
        call.messages.ask("PIN:")
        typed = sys.stdin.readline()
        pin = "".join(c for c in typed if c.isalnum())
        if not pin:
            raise UsageError("no PIN was typed; nothing was stored")
        try:
            return sign_in.finish(request, pin)
        except (AccessError, RefusedError) as error:
            if is_last:
                error.hint = "the PIN was not accepted; nothing was stored: run adsctl auth login again"
                raise
            call.messages.warn("the PIN was not accepted; try again")
    raise AssertionError("the last attempt returns or raises")


def _open_page(call: Invocation, page: str, *, open_browser: bool) -> None:
    """Open the page in a browser, or print its address."""
    if open_browser:
        import webbrowser

        if webbrowser.open(page):
            call.messages.say(f"opened in your browser: {page}")
            return
    call.messages.show(Lines(["open this page and authorize the app:", f"  {page}"]))
