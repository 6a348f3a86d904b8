"""Sign in with a browser: with a PIN, or with a callback to this machine."""

import sys
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ...config.addresses import ADDRESSES, SERVICE_ADDRESSES, check_address
from ...config.settings import DEFAULTS, SERVICE_X
from ...console.invocation import Invocation
from ...errors import AccessError, RefusedError, StateError, UsageError
from ...spelling import as_variable
from . import status

if TYPE_CHECKING:
    from ...auth.sign_in import OAuthToken, SignIn

OpenPage = Callable[["OAuthToken"], None]  # opens the authorize page of a request token
PIN_ATTEMPTS = 3  # on a terminal


class Access(StrEnum):
    """What a token may do."""

    read = "read"
    write = "write"


class TokenStore(StrEnum):
    """Where tokens are stored."""

    keyring = "keyring"
    file = "file"


NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address of the page; open no browser")
]
Callback = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Listen on this registered loopback address instead of asking for a PIN"
    ),
]
Authenticate = Annotated[
    bool,
    typer.Option(
        "--authenticate", help="Skip the page for a user who has authorized the app before (with --callback)"
    ),
]
Permissions = Annotated[Access | None, typer.Option(help="Request a token with these permissions only")]
ForceLogin = Annotated[
    bool, typer.Option("--force-login", help="Make the page ask for user name and password")
]
ScreenName = Annotated[str | None, typer.Option(metavar="NAME", help="The user name that the page suggests")]


def login(
    ctx: typer.Context,
    no_browser: NoBrowser = False,
    callback: Callback = None,
    authenticate: Authenticate = False,
    access: Permissions = None,
    force_login: ForceLogin = False,
    screen_name: ScreenName = None,
    token_store: Annotated[TokenStore | None, typer.Option(help="Where tokens are stored")] = None,
) -> None:
    """Sign in with a browser and a PIN.

    The tokens are stored in the OS keyring, or in a file with --token-store file.

    Missing addresses, consumer key and secret are asked for. Without a terminal, the PIN is read from
    standard input.

    For example: adsctl auth login --profile shop --token-store file
    """
    from ...auth.sign_in import SignIn
    from ...config.atomic_files import ensure_writable
    from ...config.profiles import refuse_local

    if authenticate and not callback:
        raise UsageError("--authenticate requires --callback")
    call = Invocation.of(ctx)
    call.settings.may_create_profile = True
    refuse_local(call.settings.profile)
    if token_store:
        call.flags["token_store"] = token_store.value
    addresses = _addresses(call)
    ensure_writable(call.settings.config_dir, "ADSCTL_CONFIG_DIR")
    call.secrets.store.check()
    app = call.secrets.app() or _ask_for_app()
    sign_in = SignIn(call.client, *app)

    def open_page(request: "OAuthToken") -> None:
        page = sign_in.page_url(
            request, authenticate=authenticate, force_login=force_login, screen_name=screen_name
        )
        _open_page(call, page, open_browser=not no_browser)

    requested = access and access.value
    if callback:
        token = _sign_in_by_callback(sign_in, open_page, callback, requested)
    else:
        token = _sign_in_by_pin(call, sign_in, open_page, requested)
    _store(call, addresses, app, token)
    call.messages.say(f"signed in as {token.owner or 'a user without a name'}")
    status(ctx)


def _store(call: Invocation, addresses: dict[str, str], app: tuple[str, str], token: "OAuthToken") -> None:
    """Store the secrets, bound to the addresses, and update the profile."""
    from ...auth.secret_values import Secret
    from ...config.profiles import update

    kinds = ("consumer_key", "consumer_secret", "access_token", "access_token_secret")
    values = dict(zip(kinds, (*app, token.token, token.secret), strict=True))
    bound_to = tuple(addresses.values())
    profile = call.settings.profile
    call.secrets.store.put(profile, {k: Secret(v, bound_to, token.owner) for k, v in values.items()})
    chosen = {"token_store": call.settings.get("token_store"), "user": token.owner or None}
    if call.settings.service != DEFAULTS["service"]:
        chosen["service"] = call.settings.service
        usual = SERVICE_ADDRESSES.get(call.settings.service, {})
        addresses = {name: address for name, address in addresses.items() if usual.get(name) != address}
    update(call.settings, profile, addresses | chosen)


def _addresses(call: Invocation) -> dict[str, str]:
    """Return the addresses of the service; ask for those that a sign-in needs."""
    settings = call.settings
    for name, what in (("base_url", "platform API"), ("ads_url", "advertising API")):
        if settings.get(name) is None:
            if name == "base_url":
                call.messages.say(f"which service is it? {SERVICE_X}")
            address = _ask(f"Address of the {what} (https://...): ", name)
            call.flags[name] = check_address(address, name, UsageError)
    return {name: check_address(*found) for name in ADDRESSES if (found := settings.find(name))}


def _ask_for_app() -> tuple[str, str]:
    """Ask for the app's consumer key and secret, without echo."""
    names = ("ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET")
    key = _ask("Consumer key (not shown): ", names[0], hidden=True)
    return key, _ask("Consumer secret (not shown): ", names[1], hidden=True)


def _ask(prompt: str, name: str, *, hidden: bool = False) -> str:
    """Ask on the terminal; raise StateError if there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        variable = name if name.isupper() else as_variable(name)
        hint = f"set {variable}" + (f"; {SERVICE_X}" if name in ADDRESSES else "")
        raise StateError(f"{name} is not set, and there is no terminal to ask on", hint=hint)
    if hidden:
        from getpass import getpass

        from ...auth.secret_values import check_secret

        typed = check_secret(getpass(prompt, stream=sys.stderr), f"what was typed for {name}", UsageError)
    else:
        print(prompt, end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
    if not typed.strip():
        raise UsageError(f"nothing was typed for {name}; nothing was stored")
    return typed.strip()


def _sign_in_by_pin(
    call: Invocation, sign_in: "SignIn", open_page: OpenPage, access: str | None
) -> "OAuthToken":
    """Sign in with the PIN that the page shows; a terminal allows several attempts."""
    request = sign_in.begin(access=access)
    open_page(request)
    is_terminal = sys.stdin.isatty()
    for attempts_left in range(PIN_ATTEMPTS - 1, -1, -1):
        call.messages.ask("PIN:")
        typed = sys.stdin.readline()
        pin = "".join(c for c in typed if c.isalnum())
        if not pin:
            raise UsageError("no PIN was typed; nothing was stored")
        try:
            return sign_in.finish(request, pin)
        except (AccessError, RefusedError) as error:
            if not (is_terminal and attempts_left):
                error.hint = "the PIN was not accepted; nothing was stored: run adsctl auth login again"
                raise
            call.messages.warn("the PIN was not accepted; try again")
    raise AssertionError("the last attempt returns or raises")


def _sign_in_by_callback(
    sign_in: "SignIn", open_page: OpenPage, callback: str, access: str | None
) -> "OAuthToken":
    """Sign in by listening on a loopback address for the callback of our own request token."""
    from ...auth.callback import Listener

    with Listener(callback) as listener:
        request = sign_in.begin(callback, access)
        open_page(request)
        return sign_in.finish(request, listener.wait_for(request.token))


def _open_page(call: Invocation, page: str, *, open_browser: bool) -> None:
    """Open the page in a browser, or print its address."""
    if open_browser:
        import webbrowser

        if webbrowser.open(page):
            call.messages.say(f"opened in your browser: {page}")
            return
    call.messages.show(f"open this page and authorize the app:\n  {page}")
