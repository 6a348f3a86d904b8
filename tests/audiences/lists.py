"""A list of people in the emulator, compared with files as its members are stored."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256

from ads_cli.emulator.storage.audience_user_table import identifier_hash
from tests.adsctl import Adsctl

Person = dict[str, str]
EMPTY = "1nmv2"  # an audience of nobody
FIELDS = {"email": "email", "phone": "phone_number", "id": "partner_user_id"}
FIELDS |= {name: name for name in ("handle", "device_id", "platform_id")}


class List:
    """An audience, and the file that it is to equal."""

    def __init__(self, adsctl: Adsctl, audience: str = EMPTY) -> None:
        self.adsctl, self.audience = adsctl, audience
        self.said = ""

    def write(self, people: Iterable[Person], name: str = "people.csv") -> None:
        """Write a file of people."""
        self.adsctl.file(name, as_csv(people))

    def run(self, *words: str, code: int | None = 0, people: Iterable[Person] | None = None) -> dict:
        """Run a command with the list as JSON; return its summary."""
        if people is not None:
            self.write(people)
        has_ids = "id" in (self.adsctl.home / words[1]).read_text().splitlines()[0].split(",")
        mapping = ("--map", "id=partner_user_id") if has_ids else ()
        options = ("--audience", self.audience, *mapping, "-o", "json", "-y")
        done = self.adsctl.local("audiences", *words, *options, code=code)
        self.said = done.stderr
        return json.loads(done.stdout) if done.stdout else {}

    def sync(self, people: Iterable[Person], *words: str, code: int | None = 0) -> dict:
        """Make the list equal to people."""
        return self.run(
            "sync", "people.csv", "--prune", "--max-delete", "100%", *words, code=code, people=people
        )

    @property
    def members(self) -> set[bytes]:
        """Return the identifiers on the list."""
        with closing(sqlite3.connect(self.adsctl.home / "state" / "emulator.db")) as database:
            query = "SELECT identifier FROM audience_users WHERE audience = ?"
            return {row[0] for row in database.execute(query, (self.audience,))}

    def identifiers(self, people: Iterable[Person]) -> set[bytes]:
        """Return the identifiers that a list of people has."""
        return {
            identifier_hash(self.audience, FIELDS[column], value if column == "id" else digest(value))
            for person in people
            for column, value in person.items()
            if value
        }

    def equals(self, people: Iterable[Person]) -> bool:
        """Tell whether exactly these people are on the list."""
        return self.members == self.identifiers(people)


def as_csv(people: Iterable[Person]) -> str:
    rows = [",".join(person.get(column, "") for column in FIELDS) for person in people]
    return "\n".join([",".join(FIELDS), *rows]) + "\n"


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def person(number: int, **others: str) -> Person:
    return {"email": f"u{number}@x.de"} | others


def people(*numbers: int) -> list[Person]:
    return [*map(person, numbers)]
