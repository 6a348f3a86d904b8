"""Find the records that a command line names by their ids, or describes by --where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...api.endpoint import Request
from ...api.registry import request_of
from ...client.record_names import label
from ...client.response import not_understood
from ...console.conditions import Conditions, RecordFields
from ...console.invocation import Invocation
from ...output.text import counted, listed, singular

IDS_PER_REQUEST, PAGE_SIZE = 200, 1000


@dataclass
class RecordSearch:
    """Finds the records that are meant in the list of their kind."""

    call: Invocation
    kind: type[Request]
    values: Mapping[str, Any]  # of options, and the account
    ids: Sequence[str]
    where: Sequence[str]

    def __post_init__(self) -> None:
        endpoint = self.kind.endpoint
        self.id_field = str(endpoint.id_field)
        self._group = endpoint.command.split()[:-1]
        # Not `Endpoint.noun`, which names jobs on disk: here, promoted posts are no posts.
        self.noun = endpoint.batch.noun if endpoint.batch else " ".join(self._group).replace("-", " ")
        self.singular = singular(self.noun)

    def id_of(self, request: Request) -> str:
        """Return the id of the record that a request changes."""
        return str(getattr(request, self.id_field))

    def counted(self, count: int) -> str:
        """Count records: `2 line items`."""
        return counted(count, self.singular, self.noun)

    def named(self, ids: Sequence[str]) -> str:
        """Name records, those that were read by their names too: `campaigns Spring (8wku2), 8wku3`."""
        read = self.call.stored.cached
        labels = [label(self.id_field, id, read(self.id_field, id) or {}) for id in ids]
        return f"{self.singular if len(ids) == 1 else self.noun} {listed(labels)}"

    def find(self) -> list[Any]:
        """Return the records that are meant, as the service sends them, in the order of the ids."""
        if not self.where:
            ids = [*dict.fromkeys(self.ids)]
            records = {str(record.get("id")): record for record in self.listed(ids)}
            return [records[id] for id in ids if id in records]
        conditions = Conditions.parse(RecordFields.of(self.kind, self.noun), self.where)
        matching = [record for record in self.listed() if conditions.hold(record)]
        if unknown := conditions.unknown:
            self.call.messages.note(conditions.left_out(self.counted(unknown)))
        return matching

    def listed(self, ids: Sequence[str] | None = None) -> Iterator[Any]:
        """List records by their ids, or all of them."""
        kind: Any = request_of((*self._group, "list"), self.call.settings.service)
        known, own = {*kind.__struct_fields__}, f"{self.id_field}s"
        shared = {name: value for name, value in self.values.items() if name in known and value is not None}
        shared |= {"with_draft": True} if "with_draft" in known else {}
        parts: list[Any] = [None]
        if ids is not None:
            parts = [[*ids[at : at + IDS_PER_REQUEST]] for at in range(0, len(ids), IDS_PER_REQUEST)]
        for part in parts:
            for page in self.call.client.pages(kind(**{**shared, "count": PAGE_SIZE, own: part})):
                if not all(record.get("id") for record in page.records):
                    raise not_understood(f"one of the {self.noun} has no id")
                yield from page.data if isinstance(page.data, list) else [page.data]
