"""Records by their names, and the names of records, as messages have them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..api.endpoint import Request
from ..api.fields import marked_fields
from ..api.names import to_neutral
from ..api.record_names import GROUPS, NAMED_BY, cannot_be_id, noun_of
from ..api.registry import request_of
from ..errors import AdsctlError, NotFoundError, UsageError
from ..output.text import counted, listed, shortened
from ..spelling import as_stored, begins, has_word, suggestion
from .rate_limiter import StoppedError

if TYPE_CHECKING:
    from .client import Client

Record = Mapping[str, Any]  # by neutral names; empty where it could not be read
ACCOUNT = "account_id"
MOST_SINGLE = 10  # names of a kind that are looked up one by one; then all records are listed
MOST_LISTED = 1000  # records whose names a table shows in place of their ids
IDS_PER_REQUEST = 200
POST_TYPES = {"post_id": "PUBLISHED", "scheduled_post_id": "SCHEDULED"}  # they are known by their texts
MOST_SUGGESTED = 1000  # records whose names are compared with one that no record has


def name_of(field: str, record: Record) -> str:
    """Return the name of a record, on one line. It is empty where the record has none."""
    name = record.get(NAMED_BY.get(field, "name"))
    if field in POST_TYPES:
        name = record.get("full_text") or record.get("text")
    return shortened(" ".join(name.split())) if isinstance(name, str) else ""


def label(field: str, id: str, record: Record) -> str:
    """Return the name of a record, then its id: `Spring collection (8wku2)`."""
    name = name_of(field, record)
    return f"{name} ({id})" if name else id


def record_words(field: str, id: str, record: Record) -> str:
    """Return a record in words: `the campaign Spring collection (8wku2)`. Without an id it is a new one."""
    if id:
        return f"the {noun_of(field)} {label(field, id, record)}"
    name = name_of(field, record)
    return f"the new {noun_of(field)} {name}" if name else f"a new {noun_of(field)}"


class RecordNames:
    """Finds records by their names, and the names of records; each is looked up once.

    `place` returns the account or the catalog of the command, by the name of its option. `read` returns a
    record that was read already, or None. `note` keeps the name of a record for commands that send nothing.
    """

    def __init__(
        self,
        client: "Callable[[], Client]",
        service: str,
        place: Callable[[str], str],
        read: Callable[[str, str], Record | None],
        note: Callable[[str, Sequence[Record]], None],
    ) -> None:
        self._client, self._service, self._place, self._read = client, service, place, read
        self._note = note
        self._taken_as_ids: dict[tuple[str, str], None] = {}
        self._ids: dict[tuple[str, str], str] = {}  # by field and name
        self._listed: dict[str, list[Record]] = {}
        self._records: dict[tuple[str, str], Record] = {}

    def id_of(self, field: str, text: str) -> str:
        """Return the id of the record that a text names; the text itself where it may be an id.

        Raise NotFoundError where no record has the name, and UsageError where several have it.
        """
        if not cannot_be_id(text):
            if text not in self._ids.values():
                self._taken_as_ids[field, text] = None
            return text
        if (field, text) not in self._ids:
            self._ids[field, text] = self._only(field, text)
        return self._ids[field, text]

    def ids_of(self, field: str, texts: Sequence[str]) -> list[str]:
        """Return the ids of the records that texts name."""
        return [self.id_of(field, text) for text in texts]

    def _only(self, field: str, name: str) -> str:
        records, noun = self._named(field, name), noun_of(field)
        if len(records) > 1:
            ids = listed([str(record["id"]) for record in records])
            several = counted(len(records), noun)
            raise UsageError(f"{several} are named {name!r}: {ids}", hint="give the id of the one you mean")
        if not records:
            names = [name_of(field, record) for record in self._list(field, limit=MOST_SUGGESTED)]
            longer = next((own for own in names if begins(own, name)), "")
            near = f"; did you mean {longer!r}?" if longer else suggestion(name, names)
            hint = f"adsctl {GROUPS[field]} list shows the names"
            raise NotFoundError(f"there is no {noun} named {name!r}{near}", hint=hint)
        return str(records[0]["id"])

    def not_found_hint(self, message: str, client: "Callable[[], Client]") -> str:
        """Say which record has the name that was taken for the id that a message says does not exist.

        Only the list of its kind is asked; a message that names no id is about the only one. It is asked by a
        client of its own: that of a push that has failed sends nothing more.
        """
        self._client, hints = client, []
        # The account last: a message about what it lacks may name it too.
        taken = sorted(self._taken_as_ids, key=lambda named: named[0] == ACCOUNT)
        named = [(field, text) for field, text in taken if has_word(message, text)]
        is_about_one = sum(field != ACCOUNT for field, _ in taken) <= 1
        for field, text in named[:1] or (taken if is_about_one else ()):
            with suppress(AdsctlError, StoppedError):
                if records := self._named(field, text):
                    ids = listed([str(record["id"]) for record in records])
                    hints.append(f"the {noun_of(field)} named {text!r} has the id {ids}")
        return "; ".join(hints)

    def record(self, field: str, id: str) -> Record:
        """Return a record. It is empty where it cannot be read, or its kind has no names."""
        if field not in GROUPS or not id:
            return {}
        if (record := self._read(field, id)) is not None:
            return record
        if (field, id) not in self._records:
            self._records[field, id] = {}
            with suppress(AdsctlError):
                self.take(field, [self._get(field, id)])
        return self._records[field, id]

    def take(self, field: str, records: Sequence[Record]) -> None:
        """Take in records that were read, so that they are not read again."""
        known = [record for record in records if record.get("id")]
        self._records |= {(field, str(record["id"])): record for record in known}
        if field in GROUPS:
            self._note(field, known)

    def require(self, field: str, id: str) -> None:
        """Raise NotFoundError for a record that does not exist."""
        if not self._records.get((field, id)):
            self.take(field, [self._get(field, id)])
        if not self._records.get((field, id)):
            raise NotFoundError(f"there is no {noun_of(field)} {id}")

    def label(self, field: str, id: str) -> str:
        """Return the name of a record, then its id."""
        return label(field, id, self.record(field, id))

    def words(self, field: str, id: str) -> str:
        """Return a record in words, with its name."""
        return record_words(field, id, self.record(field, id))

    def labels(self, field: str, ids: Sequence[str]) -> list[str]:
        """Return the names and ids of several records; those that were not read yet are listed."""
        if field in GROUPS and len(unread := self._unread(field, ids)) > 1:
            with suppress(AdsctlError):
                self._take_listed(field, unread)
        return [self.label(field, id) for id in ids]

    def names(self, field: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of records by their ids, and the texts of posts.

        What is not read yet is listed, and no record is asked for by itself: what no list shows has no name.
        """
        unread = self._unread(field, ids)
        if (field in GROUPS or field in POST_TYPES) and 0 < len(unread) <= MOST_LISTED:
            with suppress(AdsctlError, StoppedError):
                self._take_listed(field, unread)
        records = {id: self._read(field, id) or self._records.get((field, id), {}) for id in ids}
        return {id: name for id, record in records.items() if (name := name_of(field, record))}

    def _unread(self, field: str, ids: Sequence[str]) -> list[str]:
        return [
            id
            for id in dict.fromkeys(ids)
            if (field, id) not in self._records and self._read(field, id) is None
        ]

    def _take_listed(self, field: str, ids: Sequence[str]) -> None:
        """List records by their ids; all of their kind, where its list cannot be narrowed so."""
        filters: dict[str, Any] = {}
        narrowed = f"{field}s"
        if field in POST_TYPES:
            filters, narrowed = {"post_type": POST_TYPES[field], "timeline_type": "ALL"}, "post_ids"
        if narrowed not in self._request(field, "list").__struct_fields__:
            self.take(field, self._list(field, limit=MOST_LISTED))
            return
        for start in range(0, len(ids), IDS_PER_REQUEST):
            some: dict[str, Any] = {narrowed: [*ids[start : start + IDS_PER_REQUEST]]}
            self.take(field, self._list(field, **filters, **some))

    def _named(self, field: str, name: str) -> list[Record]:
        """Return the records that have a name; those that differ in case where there are no others."""
        kind = self._request(field, "list")
        is_single = "q" in kind.__struct_fields__ and sum(of == field for of, _ in self._ids) < MOST_SINGLE
        if field not in self._listed and not is_single:
            self._listed[field] = self._list(field)
        records = self._listed[field] if field in self._listed else self._list(field, q=as_stored(name))
        wanted, names = as_stored(name), NAMED_BY.get(field, "name")
        stored = [(as_stored(str(record.get(names) or "")), record) for record in records]
        exact = [record for own, record in stored if own == wanted]
        chosen = exact or [record for own, record in stored if own.casefold() == wanted.casefold()]
        self.take(field, chosen)
        return chosen

    def _list(self, field: str, limit: int | None = None, **filters: Any) -> list[Record]:
        kind: Any = self._request(field, "list")
        known = kind.__struct_fields__
        usual = {name: value for name, value in (("with_draft", True), ("count", 1000)) if name in known}
        pages = self._client().pages(kind(**self._path(kind), **usual, **filters), limit)
        records: list[Record] = [
            record for page in pages for record in to_neutral(page.records) if record.get("id")
        ]
        return [record for record in records if record.get("deleted") is not True]

    def _get(self, field: str, id: str) -> Record:
        try:
            kind = self._request(field, "get")
        except KeyError:  # there is a list only
            return next((record for record in self._list(field) if record["id"] == id), {})
        record = self._client().call(kind(**self._path(kind), **{field: id})).neutral_data
        return record if isinstance(record, dict) and record.get("id", id) == id else {}

    def _request(self, field: str, verb: str) -> Any:
        group = "posts" if field in POST_TYPES else GROUPS[field]
        return request_of((*group.split(), verb), self._service)

    def _path(self, kind: type[Request]) -> dict[str, str]:
        return {name: self._place(option) for name, option in marked_fields(kind, "common").items()}
