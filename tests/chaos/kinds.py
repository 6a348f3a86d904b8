"""The kinds of upload: their files, their requests, and their rows in the service."""

import csv
import io
import json
import sqlite3
from abc import ABC, abstractmethod
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random

from ads_cli.api.users import MAX_OPERATIONS
from ads_cli.audiences.sealing import KEY_FILE, Sealer
from ads_cli.emulator.app import Emulator
from ads_cli.runs.job import Acknowledgement
from tests.conftest import PRODUCT
from tests.emulator_data import audience_user, clear_audience

# The last run of a list whose ledger it relies on; whom that has, and what was acknowledged since.
RELIED_ON = """
SELECT r.id FROM list_logs r JOIN lists l ON l.id = r.list
WHERE l.epoch != '' AND l.epoch = r.previous AND NOT l.links_unknown ORDER BY r.id
"""
KNOWN = "SELECT kind, digest, rest, is_certain FROM people"
ACKNOWLEDGED = """
SELECT removes, kind, digest, rest FROM people_sent JOIN list_requests s ON s.id = request
WHERE log = ? AND acknowledged IS NOT NULL ORDER BY s.id, removes DESC
"""

Rows = list[dict[str, str]]
Keys = tuple[str, ...]  # of the rows in one request


class UploadKind(ABC):
    """A kind of upload."""

    words: tuple[str, ...]  # the command
    options: tuple[str, ...] = ()
    statuses: tuple[str, ...]  # counts of the summary
    methods: tuple[str, ...]  # of the requests
    path_suffix: str
    before: Rows = []  # a file that is sent before, without faults
    state_dir: Path  # of the program
    syncs = False  # the whole file at each start, after a listing that may fail
    size: int  # rows per request
    counts: tuple[int, ...]  # possible numbers of rows in a file

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self._batches: dict[Keys, int] = {}

    def watch(self, rows: Rows) -> None:
        """Expect the requests of these rows from now on."""
        self._batches = self.batches(rows)

    def start(self) -> None:
        """Prepare for another start of the program."""
        self._has_deleted = False

    def judge(self, method: str, body: bytes, acknowledged: list[Acknowledgement]) -> tuple[int, str]:
        """Return how many rows of a request were acknowledged before, and what is wrong with it."""
        keys = self.keys(body)
        number = self._batches.get(keys)
        if number is None:
            return 0, f"a request whose rows are no batch: {keys[:3]}..."
        return len(keys) * any(ack.batch == number for ack in acknowledged), ""

    def is_whole(self, summary: dict[str, int]) -> bool:
        """Tell whether a summary counts every row."""
        return sum(summary[status] for status in self.statuses) == summary["valid"] == summary["rows"]

    @abstractmethod
    def rows(self, random: Random, count: int) -> Rows:
        """Draw the rows of a file; the first column identifies a row."""

    @abstractmethod
    def keys(self, body: bytes) -> Keys:
        """Return the keys of the rows in a request body."""

    @abstractmethod
    def compare(self, rows: Rows) -> tuple[int, int]:
        """Return how many rows are missing or different in the service, and how many it has in excess.

        This reads the store, since a list hides variants.
        """

    def batches(self, rows: Rows) -> dict[Keys, int]:
        """Return the batch number of each request, by its keys."""
        names = [next(iter(row.values())) for row in rows]
        return {tuple(names[at : at + self.size]): n for n, at in enumerate(range(0, len(names), self.size))}


class Products(UploadKind):
    """A product feed; some products are variants, which lists hide."""

    words = ("products", "push")
    statuses = ("created", "updated", "unchanged", "failed")
    methods, path_suffix, size = ("PUT",), "/products", 25
    counts = (1, 24, 25, 26, 260)

    def rows(self, random: Random, count: int) -> Rows:
        def product(number: int) -> dict[str, str]:
            group = {"item_group_id": f"group-{random.randrange(5)}", "size": str(number)}
            title = {"title": f"Mug {random.randrange(10**9)} " + "x" * random.choice((0, 0, 120))}
            return PRODUCT | {"id": f"sku-{number}"} | title | group

        return [product(number) for number in range(count)]

    def keys(self, body: bytes) -> Keys:
        return tuple(product["id"] for product in json.loads(body)["products"])

    def compare(self, rows: Rows) -> tuple[int, int]:
        held = {product["id"]: product for product in self.emulator.data.products()}
        lost = sum(not row.items() <= held.get(row["id"], {}).items() for row in rows)
        return lost, len(held.keys() - {row["id"] for row in rows})


class Synced(Products):
    """A feed that its catalog becomes equal to: of the products there some are as they are in the feed, some
    differ, and some are in no feed.
    """

    words = ("products", "sync")
    options = ("--prune", "--yes", "--max-delete", "100%")
    statuses = ("created", "updated", "unchanged", "deleted", "failed")
    methods = ("PUT", "DELETE")
    counts = (1, 26, 120)
    syncs = True

    def rows(self, random: Random, count: int) -> Rows:
        rows = super().rows(random, count)
        present = random.sample(rows, random.randrange(count + 1))
        changed = [row | {"title": "Cup"} for row in random.sample(present, len(present) // 2)]
        gone = [PRODUCT | {"id": f"gone-{number}"} for number in range(random.choice((0, 1, 60)))]
        self.emulator.data.add_products([*present, *gone])
        self.emulator.data.add_products(changed)
        before = {product["id"]: product for product in self.emulator.data.products()}
        self._differing = {row["id"] for row in rows if not row.items() <= before.get(row["id"], {}).items()}
        self._gone = {before[row["id"]]["product_key"] for row in gone}
        return rows

    def watch(self, rows: Rows) -> None:
        self._ids = ["", *(row["id"] for row in rows)]  # by record number

    def judge(self, method: str, body: bytes, acknowledged: list[Acknowledgement]) -> tuple[int, str]:
        sent, deletes = json.loads(body), method == "DELETE"
        keys = sent["product_keys"] if deletes else [product["id"] for product in sent["products"]]
        written = {self._ids[record] for ack in acknowledged for record in ack.records}
        deleted = {key for ack in acknowledged for key in ack.deleted}
        is_late, self._has_deleted = self._has_deleted and not deletes, self._has_deleted or deletes
        if beyond := {*keys} - (self._gone if deletes else self._differing):
            return 0, f"{method} of what need not change: {beyond}"
        return len((deleted if deletes else written).intersection(keys)), "a write after a deletion" * is_late

    def is_whole(self, summary: dict[str, int]) -> bool:
        written = sum(summary[status] for status in ("created", "updated", "unchanged", "failed"))
        return written + summary["skipped"] == summary["valid"] == summary["rows"]


class Customers(UploadKind):
    """A user list for an audience; some users are repeated, some have two identifiers."""

    audience = "1nmth"
    words = ("audiences", "push")
    # One user per operation, so that short lists need several requests.
    options = ("--audience", audience, "--users-per-operation", "1")
    statuses = ("accepted", "failed")
    methods, path_suffix, size = ("POST",), f"/custom_audiences/{audience}/users", MAX_OPERATIONS
    counts = (1, 2499, 2500, 2501, 7600)

    def __init__(self, emulator: Emulator) -> None:
        super().__init__(emulator)
        clear_audience(emulator, self.audience)

    def rows(self, random: Random, count: int) -> Rows:
        def person(number: int) -> dict[str, str]:
            number -= random.randrange(1, 20) if number >= 20 and random.random() < 0.02 else 0
            email = random.choice((str.lower, str.upper))(f"person{number}@shop.example")
            return {"email": email, "partner_user_id": f"crm-{number}" if number % 3 == 0 else ""}

        return [person(number) for number in range(count)]

    def keys(self, body: bytes) -> Keys:
        return tuple(user["email"][0] for one in json.loads(body) for user in one["params"]["users"])

    def batches(self, rows: Rows) -> dict[Keys, int]:
        return super().batches([{"email": _hashed(row["email"])} for row in rows])

    def compare(self, rows: Rows) -> tuple[int, int]:
        data = self.emulator.data
        lost, people = 0, set()
        for row in rows:
            given = {"email": _hashed(row["email"]), "partner_user_id": row["partner_user_id"]}
            users = {audience_user(self.emulator, self.audience, *one) for one in given.items() if one[1]}
            lost += len(users) > 1 or None in users
            people |= users - {None}
        persons = len({row["email"].lower() for row in rows})
        (held,) = (one["users"] for one in data.audiences() if one["id"] == self.audience)
        return max(lost, persons - len(people)), held - len(people)


def _hashed(email: str) -> str:
    return sha256(email.lower().encode()).hexdigest()


class SyncedCustomers(Customers):
    """A user list that an audience becomes equal to: some people are there already, and some have left."""

    words = ("audiences", "sync")
    options = ("--audience", Customers.audience, "--prune", "--yes", "--max-delete", "100%")
    statuses = ("created", "updated", "deleted", "failed")
    counts = (1, 30, 2000)
    syncs = True

    def rows(self, random: Random, count: int) -> Rows:
        def person(number: int) -> dict[str, str]:
            own_id = f"crm-{number}" if number % 3 == 0 else ""
            return {"email": f"person{number}@shop.example", "partner_user_id": own_id}

        rows = [person(number) for number in range(count)]
        gone = [person(number) for number in range(count, count + random.choice((0, 1, 60)))]
        self.before = [*random.sample(rows, random.randrange(count + 1)), *gone]
        return rows

    def watch(self, rows: Rows) -> None:
        self._wanted = {_hashed(row["email"]) for row in rows} | {row["partner_user_id"] for row in rows}

    def judge(self, method: str, body: bytes, acknowledged: list[Acknowledgement]) -> tuple[int, str]:
        known, repeated = self._known(), 0
        for operation in json.loads(body):
            deletes = operation["operation_type"] == "Delete"
            for user in operation["params"]["users"]:
                values = {value for own in user.values() for value in own}
                if bool(values & self._wanted) == deletes:
                    return 0, f"{operation['operation_type']} of somebody who {'is' if deletes else 'left'}"
                if known is not None:
                    is_gone, is_there = not values & known.keys(), all(map(known.get, values))
                    repeated += is_gone if deletes else is_there
        return repeated, ""

    def _known(self) -> dict[str, bool] | None:
        """Return the identifiers that are known, and which for sure; None where nobody relies on them."""
        path = self.state_dir / "state.db"
        if not path.exists():
            return None
        with closing(sqlite3.connect(path)) as db:
            runs = db.execute(RELIED_ON).fetchall()
            if not runs:
                return None
            known = {(kind, digest): (rest, certain) for kind, digest, rest, certain in db.execute(KNOWN)}
            for removes, kind, digest, rest in db.execute(ACKNOWLEDGED, runs[-1]):
                known.pop((kind, digest), None)
                if not removes:
                    known[kind, digest] = rest, True
        sealer = Sealer((self.state_dir / KEY_FILE).read_bytes())
        return {sealer.open(*key, rest): bool(certain) for key, (rest, certain) in known.items()}

    def is_whole(self, summary: dict[str, int]) -> bool:
        found = sum(summary[status] for status in ("created", "updated", "unchanged", "failed"))
        return summary["valid"] == summary["rows"] <= found


KINDS = (Products, Customers, Synced, SyncedCustomers)


def as_csv(rows: Rows) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
