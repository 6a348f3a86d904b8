"""What modules that the invocation uses need of it; importing that would be a cycle."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.record_names import RecordNames
    from ..client.spending import StoredRecords
    from ..config.settings import Settings
    from ..output.messages import Messages
    from ..output.printer import Printer
    from .options import CommandLine


class Caller(Protocol):
    """The part of `Invocation` that they use."""

    flags: dict[str, Any]
    settings: "Settings"
    parsed: "CommandLine"

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
    def messages(self) -> "Messages":
        """Messages on stderr."""

    @property
    def printer(self) -> "Printer":
        """What writes results."""

    @property
    def records(self) -> "RecordNames":
        """The names of records."""

    @property
    def dry_run(self) -> bool:
        """Whether nothing is sent that changes anything."""

    @property
    def chosen_account(self) -> str | None:
        """The id of the account that was named."""

    def stored_of(self, account: str) -> "StoredRecords":
        """Return the records of an account."""

    def with_flags(self, flags: Mapping[str, Any]) -> "Caller":
        """Return the same invocation with other common options."""
