"""Merge what runs have noted of the people of a list into what is known of them.

The service keeps somebody under all identifiers that were ever sent together, and removes somebody by any of
them. So identifiers that were sent together have one person, and persons who meet in an identifier become
one. Where one identifier is removed, the others are uncertain until they are acknowledged again.

The numbers of requests are the clock: a later request has a greater one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ..store import as_json

if TYPE_CHECKING:
    import sqlite3

BEFORE = 0  # when what is known already was written
REMOVES_LATER = 2  # in place of 1: until then somebody is on the list, and nobody knows how long that is

# What requests have said of each identifier, in their order, with the person of what is known already.
EVENTS = """
SELECT n.digest, s.id, s.acknowledged, n.removes, n.person, n.rest, n.kind, n.until, p.person
FROM list_requests s CROSS JOIN people_sent n ON n.request = s.id
LEFT JOIN people p ON p.list = :list AND p.digest = n.digest
WHERE s.log IN (SELECT value FROM json_each(:runs))
ORDER BY n.digest, s.id, n.removes
"""
SCRATCH = (
    "DROP TABLE IF EXISTS temp.outcomes",
    "DROP TABLE IF EXISTS temp.persons",
    # What becomes of each identifier, by the last request that names it.
    "CREATE TEMP TABLE outcomes (digest BLOB PRIMARY KEY, step INTEGER, is_removed INTEGER,"
    " is_certain INTEGER, person INTEGER, rest BLOB, kind INTEGER, until INTEGER) WITHOUT ROWID",
    # The persons who were joined or removed: who they are now, and when they were removed last.
    "CREATE TEMP TABLE persons (person INTEGER PRIMARY KEY, name INTEGER, removal INTEGER)",
)
SETTLE = (
    # By the index, since few persons are joined or removed, of many.
    "UPDATE people INDEXED BY people_by_person SET (person, is_certain) ="
    " (SELECT name, is_certain AND removal = 0 FROM temp.persons m WHERE m.person = people.person)"
    " WHERE list = :list AND person IS NOT NULL AND person IN (SELECT person FROM temp.persons)",
    "DELETE FROM people WHERE list = :list AND digest IN (SELECT digest FROM outcomes WHERE is_removed)",
    "REPLACE INTO people SELECT :list, digest, rest, kind, until,"
    " is_certain AND coalesce(removal, 0) <= step, coalesce(name, o.person)"
    " FROM outcomes o LEFT JOIN temp.persons m ON m.person = o.person WHERE NOT is_removed ORDER BY digest",
)


def find_outcomes(db: "sqlite3.Connection", list_id: int, runs: Collection[int]) -> None:
    """Find what becomes of the identifiers that runs have noted, into temporary tables."""
    persons = Persons()
    for statement in SCRATCH:
        db.execute(statement)
    events = db.execute(EVENTS, {"list": list_id, "runs": as_json([*runs])})
    outcomes = (
        outcome_of(digest, map(Event._make, own), persons) for digest, own in groupby(events, itemgetter(0))
    )
    db.executemany(f"INSERT INTO outcomes VALUES ({', '.join('?' * len(Outcome._fields))})", outcomes)
    db.executemany("INSERT INTO temp.persons VALUES (?, ?, ?)", persons.settled())


def doubt_before_removals(db: "sqlite3.Connection", runs: Collection[int]) -> bool:
    """Tell whether runs may have removed anybody; what they sent before that becomes uncertain.

    So it is where nobody knows whom the service keeps together: any removal may have taken anybody along.
    """
    query = (
        "SELECT max(coalesce(acknowledged, id)) FROM list_requests s"
        " WHERE log IN (SELECT value FROM json_each(?))"
        " AND EXISTS (SELECT 1 FROM people_sent WHERE request = s.id AND removes)"
    )
    ((step,),) = db.execute(query, (as_json([*runs]),))
    db.execute("UPDATE temp.outcomes SET is_certain = 0 WHERE step < ?", (step,))
    return step is not None


def settle_outcomes(db: "sqlite3.Connection", list_id: int, *, is_known: bool) -> None:
    """Write what was found; what is not `is_known` to be current becomes uncertain."""
    if not is_known:
        db.execute("UPDATE people SET is_certain = 0 WHERE list = ? AND is_certain", (list_id,))
    for statement in SETTLE:
        db.execute(statement, {"list": list_id})


class Event(NamedTuple):
    """What a request says of an identifier."""

    digest: bytes
    step: int  # the number of the request
    acknowledged: int | None  # the number of the last request that was sent before its answer
    removes: int  # 0, 1 or REMOVES_LATER
    person: int | None
    rest: bytes
    kind: int
    until: int
    known_person: int | None  # before all these requests


class Outcome(NamedTuple):
    """What becomes of an identifier."""

    digest: bytes
    step: int
    is_removed: bool
    is_certain: bool
    person: int | None
    rest: bytes
    kind: int
    until: int


def outcome_of(digest: bytes, events: Iterable[Event], persons: "Persons") -> Outcome:
    """Return what becomes of an identifier by some events, and note of whom it was and who was removed."""
    last: Event | None = None
    person, earlier = None, set[int]()  # who may have it now, and who may have had it
    is_certain = is_removed = False
    for event in events:
        if last is None and event.known_person is not None:
            person = event.known_person
            earlier.add(person)
        # Of requests that do the opposite at the same time, nobody knows the order.
        is_after = not last or last.removes == event.removes or (last.acknowledged or event.step) < event.step
        is_certain = event.acknowledged is not None and is_after and event.removes != REMOVES_LATER
        is_removed = bool(event.removes) and is_certain
        if event.person is not None:
            earlier.add(event.person)
        if event.removes:
            for former in earlier:
                persons.remove(former, event.step)
            person = None if is_removed else person
        elif event.person is not None:
            if person is not None:
                persons.join(person, event.person, event.step)
            person = event.person
        last = event
    assert last
    return Outcome(digest, last.step, is_removed, is_certain, person, last.rest, last.kind, last.until)


class Persons:
    """Who may be one person, since which step, and when that person was removed last.

    Two who were joined stay so: the service may have had a person without the identifier that was removed.

    A union-find with union by size. A root stands for a set of persons. Its name is the latest of the set,
    which all their identifiers get. Parents keep the step of their union, since a removal counts only for
    those who were in the set before.
    """

    def __init__(self) -> None:
        self._joins: dict[tuple[int, int], int] = {}  # the first step, by an earlier person and a later one
        self._removals: dict[int, int] = {}  # the last step, by person, and then by root
        self._parents: dict[int, tuple[int, int]] = {}  # and the step from which on both are one
        self._names: dict[int, int] = {}  # the latest person of those who are one, by root

    def join(self, earlier: int, later: int, step: int) -> None:
        """Note that two are one person."""
        if earlier != later:
            # Identifiers come in the order of their digests, and not of the requests.
            self._joins[earlier, later] = min(step, self._joins.get((earlier, later), step))

    def remove(self, person: int, step: int) -> None:
        """Note that somebody is removed by an identifier."""
        self._removals[person] = max(self._removals.get(person, BEFORE), step)

    def settled(self) -> Iterator[tuple[int, int, int]]:
        """Yield all who were joined or removed, with who they are and the step of their last removal."""
        touched = {*chain.from_iterable(self._joins), *self._removals}
        # In the order of steps: a removal is of those who were one before its step.
        events = [(step, False, person, person) for person, step in self._removals.items()]
        events += [(step, True, *pair) for pair, step in self._joins.items()]
        self._removals = {}
        sizes = Counter[int]()  # of those who are one, by root, but for one
        for step, is_join, earlier, later in sorted(events):
            earlier, later = self._root(earlier), self._root(later)
            if not is_join:
                self._removals[earlier] = step
            elif earlier != later:
                name = self._names.get(later, later)
                child, root = sorted((earlier, later), key=sizes.__getitem__)
                self._parents[child] = root, step
                self._names[root] = name
                sizes[root] += sizes[child] + 1
        return ((person, *self._find(person)) for person in touched)

    def _find(self, person: int) -> tuple[int, int]:
        removal = self._removals.get(person, BEFORE)
        while person in self._parents:
            person, joined = self._parents[person]
            if (step := self._removals.get(person, BEFORE)) > joined:
                removal = max(removal, step)
        return self._names.get(person, person), removal

    def _root(self, person: int) -> int:
        while person in self._parents:
            person = self._parents[person][0]
        return person
