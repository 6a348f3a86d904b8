"""Sign in, sign out, and see who is signed in."""

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from ..errors import AccessError, RefusedError, StateError, UsageError
from ..invocation import Invocation
from ..settings import ADDRESSES

TRIES = 3  # at typing a PIN, on a terminal
USER_KINDS = ("access_token", "access_token_secret")


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
    """
    from ..auth.signin import SignIn
    from ..auth.store import Secret
    from ..profiles import refuse_local, update

    if authenticate and not callback:
        raise UsageError("--authenticate needs --callback")
    call = Invocation.of(ctx)
    settings = call.settings
    settings.may_be_new = True
    refuse_local(settings.profile)
    if token_store:
        call.flags["token_store"] = token_store.value
    values = _addresses(call)
    call.secrets.store.prove()
    app = call.secrets.app() or _ask_for_app()
    signin = SignIn(call.client, *app)
    shown: dict[str, Any] = {
        "force_login": force_login,
        "screen_name": screen_name,
        "authenticate": authenticate,
    }
    if callback:
        shown["authenticate"] = authenticate
        token = _by_callback(call, signin, callback, access, shown, open_browser=not no_browser)
    else:
        token = _by_pin(call, signin, access, shown, open_browser=not no_browser)
    addresses = tuple(values.values())
    kinds = dict(zip(("consumer_key", "consumer_secret"), app, strict=True))
    kinds |= {"access_token": token.token, "access_token_secret": token.secret}
    secrets = {kind: Secret(value, addresses, token.owner) for kind, value in kinds.items()}
    call.secrets.store.put(settings.profile, secrets)
    chosen = settings.get("token_store")
    update(settings, settings.profile, values | {"token_store": chosen, "user": token.owner or None})
    call.messages.say(f"signed in as {token.owner or 'a user without a name'}, profile {settings.profile}")


def logout(ctx: typer.Context) -> None:
    """Revoke the stored token, and remove it."""
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
    """
    from ..auth.credentials import Credentials

    call = Invocation.of(ctx)
    settings = call.settings
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
    """Print the token; nothing else ever does."""
    call = Invocation.of(ctx)
    if bearer:
        found = call.secrets.find("bearer_token")
        if found is None:
            raise AccessError("no bearer token is stored", hint="adsctl auth bearer issue")
        print(found.secret.value)
    else:
        print(call.client.credentials().access_token)


def _addresses(call: Invocation) -> dict[str, Any]:
    """Give the addresses of the service; ask for those that a sign-in cannot do without."""
    from ..settings import check_address

    settings = call.settings
    for name, what in (("base_url", "platform API"), ("ads_url", "advertising API")):
        if settings.get(name) is None:
            asked = _ask(f"Address of the {what} (https://...): ", name)
            call.flags[name] = check_address(asked, name)
    return {name: settings.get(name) for name in ADDRESSES if settings.get(name)}


def _ask_for_app() -> tuple[str, str]:
    """Ask for the app's consumer key and secret, without showing what is typed."""
    names = ("ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET")
    key = _ask("Consumer key (not shown): ", names[0], hidden=True)
    return key, _ask("Consumer secret (not shown): ", names[1], hidden=True)


def _ask(prompt: str, name: str, *, hidden: bool = False) -> str:
    """Ask on the terminal; raise StateError where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        variable = name if name.isupper() else f"ADSCTL_{name.upper()}"
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


def _by_pin(call: Invocation, signin: Any, access: Any, shown: dict[str, Any], *, open_browser: bool) -> Any:
    """Sign in with a PIN that the page shows; a wrong one may be typed again on a terminal."""
    request = signin.begin(access=access and access.value)
    _send_to(call, signin.page(request, **shown), open_browser)
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


def _by_callback(
    call: Invocation, signin: Any, callback: str, access: Any, shown: dict[str, Any], *, open_browser: bool
) -> Any:
    """Sign in by listening on a loopback address for the answer to our own request token."""
    from ..auth.callback import Listener

    with Listener(callback) as listener:
        request = signin.begin(callback, access and access.value)
        _send_to(call, signin.page(request, **shown), open_browser)
        return signin.finish(request, listener.wait_for(request.token))


def _send_to(call: Invocation, page: str, open_browser: bool) -> None:
    """Open the page in a browser, or say where it is."""
    if open_browser:
        import webbrowser

        if webbrowser.open(page):
            call.messages.say(f"your browser shows {page}")
            return
    print(f"open this page, and say yes there:\n  {page}", file=sys.stderr, flush=True)
