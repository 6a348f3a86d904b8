"""Compare a file of campaigns with an account: who is who, and what differs."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..api.spending import PAUSED, STATUS
from ..api.validation import check
from ..spelling import as_stored
from .account import not_shown
from .campaign_file import CampaignFile
from .kinds import CAMPAIGN, LINE_ITEM
from .matching import (
    Matches,
    attempt_mark,
    mark_of,
    match_key_of_stored,
    match_keys_of_entry,
    replacement_mark,
)
from .memory import ApplyMemory, Mark
from .model import (
    FUNDING,
    Entry,
    FileField,
    Stored,
    creation_values,
    each_entry,
    file_fields,
    label_of,
    shown_value,
)
from .plan import PLACEHOLDER_ID, ROOT, CampaignPlan, Change
from .validation import is_valid_update, note_declared, note_too_precise, note_unlike


class Comparison:
    """Finds out which records of a file are which of the account, and what differs.

    It is for one `run`, or one `match_campaigns`. The file still has the id of a record that was replaced
    (`--replace`). That id is obsolete, and the memory has the record that was created in its place.
    """

    def __init__(
        self,
        file: CampaignFile,
        campaigns: Sequence[Stored],
        memory: ApplyMemory,
        *,
        uncovered: Collection[str] = (),
        currencies: Mapping[str, str] | None = None,
        prune: bool = False,
        replace: bool = False,
        is_copy: bool = False,
    ) -> None:
        self._file, self._memory = file, memory
        self._campaigns = campaigns
        self._uncovered = uncovered  # ids of campaigns that are not pruned: the file is not about them
        self._prune, self._replace, self._is_copy = prune, replace, is_copy
        self._currencies = currencies or {}  # by the id of what pays
        self._currencies_of_new: dict[Entry, str] = {}
        self._by_id = {stored.id: stored for top in campaigns for stored in (top, *_each_below(top))}
        self._ids_obsolete: set[Entry] = set()  # whose ids are those of records that were replaced
        self._has_replaced = any(mark.is_replacement for mark in (*memory.ids, *memory.lost))
        self._still_present: dict[Entry, Stored] = {}  # what was replaced, and is still there
        self.plan = CampaignPlan(campaigns)

    def run(self) -> CampaignPlan:
        """Compare; what is wrong is noted in the file."""
        file = self._file
        self._siblings(file.campaigns, self._campaigns, None, ROOT, "campaigns", file.may_prune)
        return self.plan

    def match_campaigns(self) -> dict[Entry, Stored]:
        """Find the campaigns of the file; what is wrong is not noted."""
        problems = [*self._file.problems]
        matches = self._matches(self._file.campaigns, self._campaigns, ROOT)
        self._file.problems[:] = problems
        return matches

    def _siblings(
        self,
        entries: Sequence[Entry],
        stored: Sequence[Stored],
        parent: Entry | None,
        parent_id: str,
        path: str,
        may_prune: bool = True,
    ) -> None:
        """Compare the records of one list."""
        matches = self._matches(entries, stored, parent_id)
        self.plan.matched |= matches
        covered = [record for record in stored if parent or record.id not in self._uncovered]
        self.plan.listed += len(covered)
        replaced = {entry: self._still_present[entry] for entry in entries if entry in self._still_present}
        for entry in entries:
            if entry in replaced:
                self._note_deletion(replaced[entry], entry.path, entry)
            if match := matches.get(entry):
                self._compare(entry, match, parent, parent_id)
            elif self._id(entry) is None:
                self._create(entry, parent, parent_id)
        kept = {*matches.values(), *replaced.values()}
        for record in covered if may_prune else ():
            if record in kept:
                continue
            if self._prune:
                self.plan.listed += sum(1 for _ in _each_below(record))  # they are deleted with it
                self._note_deletion(record, path)
            else:
                self.plan.staying.append(record)

    def _matches(
        self, entries: Sequence[Entry], stored: Sequence[Stored], parent_id: str
    ) -> dict[Entry, Stored]:
        """Find out which entry is which record: by id, by what is remembered, by name or content."""
        by_id = {record.id: record for record in stored}
        matches = Matches(self._file)
        for entry in entries:
            if replacement := self._replacement(entry, by_id, parent_id):
                matches.add(entry, replacement)
            elif (id := self._id(entry)) is not None:
                record = by_id.get(id)
                if record and record.kind is entry.kind:
                    matches.add(entry, record)
                else:
                    self._note_unlisted(entry, id, parent_id)
                    self._file.note(entry, self._no_such_id(entry, parent_id), "id")
        rest = [entry for entry in entries if self._id(entry) is None and entry not in matches.stored]
        for entry in rest:
            mark = mark_of(entry, parent_id)
            record = by_id.get(self._memory.ids.get(mark, "")) if mark else None
            if mark and record and record.kind is entry.kind and matches.is_free(record):
                self._require_own(entry, record, mark)
                matches.add(entry, record)
        alike: dict[Any, list[Stored]] = {}
        for record in filter(matches.is_free, stored):
            alike.setdefault(match_key_of_stored(record), []).append(record)
        for entry in rest:
            if entry not in matches.stored:
                candidates = [record for key in match_keys_of_entry(entry) for record in alike.get(key, ())]
                self._match_alike(entry, [*filter(matches.is_free, candidates)], parent_id, matches)
        for entry, record in matches.stored.items():
            if mark := mark_of(entry, parent_id):
                self.plan.ids[mark] = record.id
            if attempt := attempt_mark(entry, parent_id):
                self.plan.found.add(attempt)
            if entry in self._ids_obsolete:
                self.plan.ids[replacement_mark(entry, parent_id)] = record.id
        return matches.stored

    def _require_own(self, entry: Entry, stored: Stored, mark: Mark) -> None:
        """Note a key under which another file has a record of another name."""
        if as_stored(entry.name or "") == as_stored(stored.name or ""):
            return
        if file := self._memory.other_file(mark, self._file.identity):
            noun, name = entry.kind.noun, f" {stored.name!r}" if stored.name else ""
            whose = f"{entry.key!r} is the key of {noun} {stored.id}{name}"
            text = f"{whose} in {file}: write another key, or the id"
            self._file.note(entry, text, "key")

    def _match_alike(
        self, entry: Entry, candidates: Sequence[Stored], parent_id: str, matches: Matches
    ) -> None:
        """Choose of the free records with the name or content of an entry the one that it is, if any."""
        mark = mark_of(entry, parent_id)
        is_lost = mark in self._memory.lost
        if not candidates or (self._is_copy and entry.kind is CAMPAIGN and not is_lost):
            return
        if len(candidates) > 1 and entry.kind.is_named and not is_lost:
            ids = ", ".join(candidate.id for candidate in candidates)
            text = f"several records have this name: {ids}; write the id of the one that is meant"
            self._file.note(entry, text)
            matches.stored[entry] = candidates[0]  # so that nothing else is noted of it
        elif len(candidates) > 1:
            matches.add(
                entry, min(candidates, key=lambda candidate: len(self._differences(entry, candidate)))
            )
        else:
            matches.add(entry, candidates[0])

    def _id(self, entry: Entry) -> str | None:
        """Return the id that an entry has, unless it is that of a record that was replaced."""
        return None if entry in self._ids_obsolete else entry.id

    def _replacement(self, entry: Entry, by_id: Mapping[str, Stored], parent_id: str) -> Stored | None:
        """Find what was created in place of a record; of one that is gone, the id counts no more."""
        memory, id = self._memory, self._id(entry)
        if id is None or not self._has_replaced:
            return None
        mark = replacement_mark(entry, parent_id)
        if not (mark in memory.ids or mark in memory.lost):
            return None
        replacement = by_id.get(memory.ids.get(mark, ""))
        if id not in by_id:
            if replacement or mark in memory.lost or not memory.ids[mark]:
                self._note_obsolete_ids(entry)
            return replacement
        if not self._replace:
            return None
        if not replacement and mark in memory.lost:
            keys = match_keys_of_entry(entry)
            same = (
                candidate
                for candidate in by_id.values()
                if candidate.id != id and match_key_of_stored(candidate) in keys
            )
            can_become = (
                candidate
                for candidate in same
                if not self._unchangeable(entry, self._differences(entry, candidate))
            )
            replacement = next(can_become, None)
        if replacement:
            self._still_present[entry] = by_id[id]
            self._note_obsolete_ids(entry)
        return replacement

    def _note_obsolete_ids(self, entry: Entry) -> None:
        self._ids_obsolete.update(each_entry([entry]))

    @staticmethod
    def _unchangeable(entry: Entry, names: Iterable[str]) -> list[str]:
        """Return those of some fields of an entry that no update can change."""
        fields = file_fields(entry.kind)
        return [name for name in names if not fields[name].in_update]

    def _note_unlisted(self, entry: Entry, id: str, parent_id: str) -> None:
        """Note an id that no list has: of what was created, or that the file names."""
        if id not in self._by_id:
            self.plan.unlisted.append((entry, id, parent_id))

    def _no_such_id(self, entry: Entry, parent_id: str) -> str:
        noun = entry.kind.noun
        other = self._by_id.get(entry.id or "")
        if other and other.kind is not entry.kind:
            return f"{entry.id} is a {other.kind.noun}, not a {noun}"
        if other and other.parent:
            return f"the {noun} {entry.id} belongs to {other.parent.kind.noun} {other.parent.id}"
        account = self._file.account or "the account"
        where = f"{parent_id} has" if parent_id not in (ROOT, PLACEHOLDER_ID) else f"{account} has"
        why = "it was deleted, or is of another account or kind; without id it is created"
        return f"{where} no {noun} {entry.id}: {why}"

    def _differences(self, entry: Entry, stored: Stored) -> dict[str, Any]:
        """Return the values of an entry that the account has not, by field."""
        fields = file_fields(entry.kind)
        differences = {}
        for name, value in entry.values.items():
            if name not in stored.fields:
                if stored.is_shown(name):
                    differences[name] = value  # whatever the account has, it is not known to be equal
                else:
                    self.plan.not_compared.add(fields[name].key)
                continue
            there = stored.fields[name]
            if name == "name" and self._memory.names.get(stored.id) == [value, there]:
                continue  # the service stores it so
            if value != there and fields[name].comparable(value) != fields[name].comparable(there):
                differences[name] = value
        return differences

    def _compare(self, entry: Entry, stored: Stored, parent: Entry | None, parent_id: str) -> None:
        """Note what differs of a record, and of those below it."""
        fields = file_fields(entry.kind)
        differing = self._differences(entry, stored)
        fixed = self._unchangeable(entry, differing)
        if unknown := [name for name in fixed if name not in stored.fields]:
            raise not_shown(stored.kind, stored.id, unknown)
        if fixed and self._replace:
            self._note_obsolete_ids(entry)
            self._note_deletion(stored, entry.path, entry)
            self._create(entry, parent, parent_id)
            return
        for name in fixed:
            noun = entry.kind.noun
            self._file.note(
                entry,
                f"cannot be changed: the {noun} {stored.id} has {_words(fields[name], stored)}; "
                "--replace deletes it and creates another",
                name,
            )
        changing = {name: value for name, value in differing.items() if name not in fixed}
        if changing and is_valid_update(self._file, entry, stored, changing):
            label = entry.key or label_of(entry.kind, stored.fields)
            about = ("update", entry.kind, entry.path, label, entry.name or stored.name)
            self.plan.changes.append(Change(*about, entry, stored, changing, currency=stored.currency))
        for key, entries in entry.below.items():
            self._siblings(entries, stored.below.get(key, ()), entry, stored.id, f"{entry.path}.{key}")

    def _create(self, entry: Entry, parent: Entry | None, parent_id: str) -> None:
        """Note a record that is new, and those below it."""
        if entry.kind.is_named and not entry.name and "name" not in entry.invalid:
            self._file.note(entry, "is required: by its name a new record is found again", "name")
        values = {name: value for name, value in entry.values.items() if value is not None}
        if entry in self._ids_obsolete:
            fields = file_fields(entry.kind)
            values = {
                name: held for name, held in values.items() if not fields[name].is_made_by_service(held)
            }
        status = {STATUS: PAUSED} if STATUS in file_fields(entry.kind) else {}
        sent = {"account_id": "-", **status, **creation_values(entry.kind, [values], PLACEHOLDER_ID)}
        note_declared(self._file, entry, check(entry.kind.create, sent)[1])
        if entry.kind is LINE_ITEM and parent:
            there = self.plan.matched.get(parent)
            siblings = [stored.fields for stored in (there.below.get("line_items", ()) if there else ())]
            siblings += [other.values for other in parent.below["line_items"]]
            campaign = f"{there.name} ({there.id})" if there else str(parent.name)
            note_unlike(self._file, entry, siblings, campaign)
        if attempt := attempt_mark(entry, parent_id):
            if created_id := self._memory.ids.get(attempt):
                self._note_unlisted(entry, created_id, parent_id)
            if attempt in self._memory.lost:
                self.plan.lost.append(attempt)
        currency = self._currencies_of_new[entry] = self._currency(entry, parent)
        note_too_precise(self._file, entry, values, currency)
        self.plan.changes.append(
            Change(
                "create",
                entry.kind,
                entry.path,
                entry.key or (entry.post.label if entry.post else label_of(entry.kind, entry.values)),
                entry.name,
                entry,
                None,
                values,
                parent,
                parent_id,
                replaces=entry.id or "",
                currency=currency,
            )
        )
        for entries in entry.below.values():
            for inner in entries:
                if (id := self._id(inner)) is not None:
                    self._note_unlisted(inner, id, PLACEHOLDER_ID)
                    self._file.note(inner, self._no_such_id(inner, PLACEHOLDER_ID), "id")
                self._create(inner, entry, PLACEHOLDER_ID)

    def _currency(self, entry: Entry, parent: Entry | None) -> str:
        """Return the currency of a new record, that of what pays for its campaign, or "" if unknown."""
        if parent is None:
            return self._currencies.get(str(entry.values.get(FUNDING)), "")
        if parent in self._currencies_of_new:
            return self._currencies_of_new[parent]
        above = self.plan.matched.get(parent)
        return above.currency if above else ""

    def _note_deletion(self, stored: Stored, path: str, replaced_by: Entry | None = None) -> None:
        """Note a record that is deleted, and before it those below it."""
        for key, below in stored.below.items():
            for inner in below:
                self._note_deletion(inner, f"{path}.{key}" if replaced_by else path, replaced_by)
        self.plan.changes.append(
            Change(
                "delete",
                stored.kind,
                path,
                label_of(stored.kind, stored.fields),
                stored.name,
                None,
                stored,
                replaced_by=replaced_by,
                currency=stored.currency,
            )
        )


def _words(field: FileField, stored: Stored) -> str:
    shown = shown_value(field, stored.fields.get(field.name), stored.currency)
    return ", ".join(shown) if isinstance(shown, list) else str(shown)


def _each_below(stored: Stored) -> Iterator[Stored]:
    for records in stored.below.values():
        for inner in records:
            yield inner
            yield from _each_below(inner)
