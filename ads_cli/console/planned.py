"""Tell what a plan would change, and what that touches. Check later changes against it."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from ..client.prepared_request import PreparedRequest
from ..client.touched import read_touched
from ..config.mandate import PLAN_AGAIN
from ..errors import NotConfirmedError

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.writes import Write
    from ..output.messages import Messages
    from .options import CommandLine

PLANNED = "planned: "  # before a document that a plan tells: a digest of changes, and what they touch


class PlannedWrites:
    """The changes of a command that an assistant runs."""

    def __init__(
        self,
        client: "Client",
        line: "CommandLine",
        messages: "Messages",
        write_of: Callable[[PreparedRequest], "Write"],
    ) -> None:
        self._client, self._line, self._messages, self._write_of = client, line, messages, write_of
        self._digests: set[bytes] = set()  # of the requests that were looked at
        self._has_rows = False  # requests differ from those that were looked at: they have rows, or new ids

    def look(self, requests: Iterable[PreparedRequest]) -> None:
        """Look at requests, which are sent as they are, and at the records that they touch."""
        new = [request for request in requests if _digest(request) not in self._digests]
        self._digests.update(map(_digest, new))
        writes = [
            write for planned in new if (write := self._write_of(planned)).endpoint and write.endpoint.changes
        ]
        touched = [
            planned.as_dict()
            for account in dict.fromkeys(write.account for write in writes)
            for planned in read_touched(
                self._client,
                [operation for write in writes if write.account == account for operation in write.operations],
                account,
            )
        ]
        if writes:
            self._tell_or_require(map(_digest, new), touched)

    def look_at_rows(self, requests: Iterable[PreparedRequest], seen: Iterable[Any]) -> None:
        """Look at a run by its requests without rows, and by what was compared to find out its rows."""
        self._has_rows = True
        encoded = (msgspec.json.encode(row, order="deterministic") for row in seen)
        self._tell_or_require([*map(_digest, requests), *(sha256(row).digest() for row in encoded)], [])

    def require(self, prepared: PreparedRequest) -> None:
        """Raise NotConfirmedError for a request that nobody has looked at; it is about to be sent."""
        if not self._has_rows and _digest(prepared) not in self._digests:
            raise NotConfirmedError(f"{prepared.method} {prepared.url}: is not planned", hint=PLAN_AGAIN)

    def _tell_or_require(self, digests: Iterable[bytes], touched: list[dict[str, Any]]) -> None:
        hashed = sha256(msgspec.json.encode(touched, order="deterministic"))
        for digest in digests:
            hashed.update(digest)
        if self._line.is_plan:
            document = json.dumps({"digest": hashed.hexdigest(), "touched": touched})
            self._messages.show(f"{PLANNED}{document}")
        elif self._line.mandate:
            self._line.mandate.require_planned(hashed.hexdigest())


def _digest(prepared: PreparedRequest) -> bytes:
    digest = sha256(f"{prepared.method} {prepared.url}\n{prepared.content_type}\n".encode())
    for piece in (prepared.body, *prepared.pieces):
        digest.update(piece)
    return digest.digest()
