"""Make the client of an invocation, and find the catalog that it works in."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..api.rates import Rate
from ..client.client import Client
from ..client.prepared_request import Credentials, UserKeys
from ..client.rate_limiter import Wait
from ..config.settings import Settings
from ..errors import UnavailableError, UsageError
from ..http.trace import Trace
from ..output.messages import Messages

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from ..client.shared_window import SharedWindow
    from ..emulator.app import Emulator


def make_client(
    settings: Settings,
    messages: Messages,
    trace: Trace,
    *,
    credentials: Callable[[], Credentials],
    emulator: "Emulator | None",
    service: Callable[[], str],
    write_guard: Callable[["PreparedRequest"], AbstractContextManager[None]],
    on_write: Callable[["PreparedRequest"], AbstractContextManager[Callable[["Response"], None]]],
    concurrency: int,
) -> Client:
    """Make a client of the service, or of the emulator in this process."""
    credentials = cache((lambda: UserKeys(*emulator.credentials)) if emulator else credentials)

    def shared_window(rate: Rate) -> "SharedWindow":
        """Make the window of a rate, in the allowance of a fleet if this process is part of one."""
        from ..client.shared_window import VARIABLE, Allowance, SharedWindow, account_scope, token_scope

        allowance_folder = settings.environ.get(VARIABLE)
        allowance = Allowance(Path(allowance_folder)) if allowance_folder else None
        folder = (allowance or Allowance.of_machine(settings.state_dir)).folder
        holder = rate.account or credentials().holder
        scope = account_scope(rate.account) if rate.account else token_scope(holder)
        share = partial(allowance.share, scope) if allowance else None
        return SharedWindow(folder, f"{service()} {holder}", rate, share=share)

    return Client(
        address=cache(settings.address),
        credentials=credentials,
        app=emulator,
        timeout=settings.seconds("timeout", may_be_zero=False),
        max_attempts=settings.max_attempts,
        max_wait=settings.seconds("max_wait"),
        concurrency=concurrency,
        trace=trace,
        on_retry=lambda message: messages.detail(trace.mask(message)),
        on_wait=partial(_report_wait, messages),
        on_warning=messages.note,
        write_guard=write_guard,
        on_write=on_write,
        sign_in_hint=settings.sign_in_hint,
        service=settings.service,
        names=settings.names,
        shared_window=shared_window,
    )


def _report_wait(messages: Messages, wait: Wait) -> None:
    from .progress import wait_text

    messages.say(wait_text(wait))


def find_only_catalog(client: Client, messages: Messages) -> str:
    """Return the id of the user's catalog; raise UsageError if there is none, or more than one."""
    from ..api.catalog import ListCatalogs

    catalogs = client.call(ListCatalogs()).records
    if not all(type(catalog.get("id")) in (str, int) and catalog["id"] for catalog in catalogs):
        raise UnavailableError("the response lists a product catalog without an id")
    listed = ", ".join(f"{catalog['id']} ({catalog.get('name')})" for catalog in catalogs)
    if len(catalogs) == 1:
        messages.detail(f"catalog {listed}")
        return str(catalogs[0]["id"])
    if not catalogs:
        raise UsageError("there is no product catalog yet", hint="adsctl catalog create --name 'My shop'")
    raise UsageError(f"there are several product catalogs: {listed}", hint="choose one with --catalog")
