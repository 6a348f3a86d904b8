"""The time zone in which a person reads and writes times: that of the account."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from ..errors import AdsctlError, UnavailableError

if TYPE_CHECKING:
    from ..client.client import Client
    from ..config.settings import Settings
    from ..output.printer import Printer

KIND = "time zones"  # of notes
QUICKLY = {"max_attempts": "1", "timeout": "5s"}  # nobody waits for a time zone


class Caller(Protocol):
    """What is needed of the invocation; importing that would be a cycle."""

    settings: "Settings"

    @property
    def account(self) -> str:
        """The id of the account."""

    @property
    def service(self) -> str:
        """The identity of the service."""

    @property
    def client(self) -> "Client":
        """The client."""

    @property
    def printer(self) -> "Printer":
        """What writes results."""

    def with_flags(self, flags: Mapping[str, Any]) -> "Caller":
        """Return the same invocation with other common options."""


class Zone(NamedTuple):
    """A time zone, and whose it is."""

    info: tzinfo
    words: str


def account_zone(call: Caller) -> Zone:
    """Return the zone of the account, which is remembered; that of this machine where it cannot be read."""
    with suppress(AdsctlError, KeyError, ValueError):  # the last two: there is no such zone
        name = _noted_zone(call) or _asked_zone(call)
        return Zone(ZoneInfo(name), f"{name}, the time zone of the account")
    local = datetime.now().astimezone().tzinfo
    assert local
    return Zone(local, f"{datetime.now(local):%Z}, the time zone of this machine")


def zone_for(call: Caller) -> tzinfo | None:
    """Return the time zone of the account, in which a table shows times; None if it is not known.

    It is asked for once, by a terminal only: a script sends no request that it did not ask for.
    """
    with suppress(AdsctlError, OSError, KeyError, ValueError):  # the last two: there is no such zone
        name = _noted_zone(call) or (_asked_zone(call) if call.printer.stream.isatty() else None)
        return ZoneInfo(name) if name else None
    return None


def account_with_zone(call: Caller) -> dict[str, Any]:
    """Ask for the account, and note its time zone; raise UnavailableError without a zone."""
    from ..api.accounts import GetAccount
    from ..store.notes import Notes

    account = call.client.call(GetAccount(account_id=call.account)).neutral_data
    if not isinstance(account, dict) or not isinstance(zone := account.get("timezone"), str):
        raise UnavailableError("the account has no time zone")
    if _noted_zone(call) != zone:
        Notes(call.settings.state_dir, KIND).put(_key(call), zone)
    return account


def _noted_zone(call: Caller) -> str | None:
    from ..store.notes import Notes

    return Notes(call.settings.state_dir, KIND).find(_key(call), str)


def _asked_zone(call: Caller) -> str:
    return str(account_with_zone(call.with_flags(QUICKLY))["timezone"])


def _key(call: Caller) -> str:
    return f"{call.service} {call.account}"
