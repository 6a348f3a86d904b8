"""Sign in with a browser: by a PIN, or by a callback to this machine."""

import sys
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ..config.settings import ADDRESSES
from ..console.invocation import Invocation
from ..errors import AccessError, RefusedError, StateError, UsageError
from ..spelling import as_variable
from .auth import status

if TYPE_CHECKING:
    from ..auth.sign_in import SignIn, Token

Send = Callable[["Token"], None]  # a person to the page of a request token
TRIES = 3  # at typing a PIN, on a terminal


class Access(StrEnum):
    """What a token may do."""

    read = "read"
    write = "write"


class TokenStore(StrEnum):
    """Where tokens are kept."""

    keyring = "keyring"
    file = "file"


def login(
    ctx: typer.Context,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address of the page")] = False,
    callback: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Listen on this registered loopback address, without a PIN"),
    ] = None,
    authenticate: Annotated[
        bool, typer.Option("--authenticate", help="Do not ask again who said yes before (with --callback)")
    ] = False,
    access: Annotated[Access | None, typer.Option(help="Ask for less than the app may do")] = None,
    force_login: Annotated[bool, typer.Option("--force-login", help="Have the page ask who you are")] = False,
    screen_name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The name the page suggests")
    ] = None,
    token_store: Annotated[TokenStore | None, typer.Option(help="Where tokens are kept")] = None,
) -> None:
    """Sign in with a browser and a PIN.

    The tokens are kept in the OS keyring, or in a file with --token-store file.

    What is missing is asked for: addresses, consumer key and secret. Where there is no terminal, the
    PIN is read from standard input.

    For example: adsctl auth login --profile shop --token-store file
    """
    from ..auth.sign_in import SignIn
    from ..config.atomic_files import ensure_writable
    from ..config.profiles import refuse_local

    if authenticate and not callback:
        raise UsageError("--authenticate needs --callback")
    call = Invocation.of(ctx)
    call.settings.may_be_new = True
    refuse_local(call.settings.profile)
    if token_store:
        call.flags["token_store"] = token_store.value
    addresses = _addresses(call)
    ensure_writable(call.settings.config_dir, "ADSCTL_CONFIG_DIR")
    call.secrets.store.prove()
    app = call.secrets.app() or _ask_for_app()
    signin = SignIn(call.client, *app)

    def send(request: "Token") -> None:
        page = signin.page(
            request, authenticate=authenticate, force_login=force_login, screen_name=screen_name
        )
        _send_to(call, page, open_browser=not no_browser)

    wanted = access and access.value
    token = _by_callback(signin, send, callback, wanted) if callback else _by_pin(call, signin, send, wanted)
    _keep(call, addresses, app, token)
    call.messages.say(f"signed in as {token.owner or 'a user without a name'}")
    status(ctx)


def _keep(call: Invocation, addresses: dict[str, str], app: tuple[str, str], token: "Token") -> None:
    """Store the secrets, bound to the addresses, and write the profile."""
    from ..auth.secret_stores import Secret
    from ..config.profiles import update

    kinds = ("consumer_key", "consumer_secret", "access_token", "access_token_secret")
    values = dict(zip(kinds, (*app, token.token, token.secret), strict=True))
    bound_to = tuple(addresses.values())
    profile = call.settings.profile
    call.secrets.store.put(profile, {k: Secret(v, bound_to, token.owner) for k, v in values.items()})
    chosen = {"token_store": call.settings.get("token_store"), "user": token.owner or None}
    update(call.settings, profile, addresses | chosen)


def _addresses(call: Invocation) -> dict[str, str]:
    """Give the addresses of the service; ask for those that a sign-in cannot do without."""
    from ..config.settings import check_address

    settings = call.settings
    for name, what in (("base_url", "platform API"), ("ads_url", "advertising API")):
        if settings.get(name) is None:
            asked = _ask(f"Address of the {what} (https://...): ", name)
            call.flags[name] = check_address(asked, name)
    return {name: address for name in ADDRESSES if (address := settings.get(name))}


def _ask_for_app() -> tuple[str, str]:
    """Ask for the app's consumer key and secret, without showing what is typed."""
    names = ("ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET")
    key = _ask("Consumer key (not shown): ", names[0], hidden=True)
    return key, _ask("Consumer secret (not shown): ", names[1], hidden=True)


def _ask(prompt: str, name: str, *, hidden: bool = False) -> str:
    """Ask on the terminal; raise StateError where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        variable = name if name.isupper() else as_variable(name)
        raise StateError(f"{name} is not known, and there is no terminal to ask on", hint=f"set {variable}")
    if hidden:
        from getpass import getpass

        answer = getpass(prompt, stream=sys.stderr)
    else:
        print(prompt, end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
    if not answer.strip():
        raise UsageError(f"no {name} was typed")
    return answer.strip()


def _by_pin(call: Invocation, signin: "SignIn", send: Send, access: str | None) -> "Token":
    """Sign in with a PIN that the page shows; a wrong one may be typed again on a terminal."""
    request = signin.begin(access=access)
    send(request)
    terminal = sys.stdin.isatty()
    for left in range(TRIES - 1, -1, -1):
        print("PIN: ", end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
        pin = "".join(c for c in typed if c.isalnum())
        if not pin:
            raise UsageError("no PIN was typed; nothing was stored")
        try:
            return signin.finish(request, pin)
        except (AccessError, RefusedError) as error:
            if not (terminal and left):
                error.hint = "the PIN was not accepted; nothing was stored: run adsctl auth login again"
                raise
            call.messages.warn("this PIN was not accepted; look again")
    raise AssertionError("the last try returns or raises")


def _by_callback(signin: "SignIn", send: Send, callback: str, access: str | None) -> "Token":
    """Sign in by listening on a loopback address for the answer to our own request token."""
    from ..auth.callback import Listener

    with Listener(callback) as listener:
        request = signin.begin(callback, access)
        send(request)
        return signin.finish(request, listener.wait_for(request.token))


def _send_to(call: Invocation, page: str, *, open_browser: bool) -> None:
    """Open the page in a browser, or say where it is."""
    if open_browser:
        import webbrowser

        if webbrowser.open(page):
            call.messages.say(f"your browser shows {page}")
            return
    print(f"open this page, and say yes there:\n  {page}", file=sys.stderr, flush=True)
