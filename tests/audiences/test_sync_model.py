"""After each sync with --prune the list has the people of its file, whatever happened before."""

import random
import shutil

import pytest

from ads_cli.audiences.upload import ListMemory, UserUpload
from ads_cli.errors import UnavailableError
from tests.audiences.lists import List, Person
from tests.effort import tries

FAULTS = ("none", "none", "lost answer", "not sent", "killed")
STEPS = 7


def random_person(chance: random.Random, number: int) -> Person:
    """Return somebody with one to six identifiers, some of which several people share."""
    person = {"email": f"u{number}@x.de"}
    if chance.random() < 0.5:
        person["phone"] = f"+4915112345{chance.randrange(4):03}"
    if chance.random() < 0.3:
        person["id"] = f"customer-{chance.randrange(6)}"
    for name in ("handle", "device_id", "platform_id"):
        if chance.random() < 0.2:
            person[name] = f"{chance.randrange(100, 105)}{'' if name == 'platform_id' else 'x'}"
    if chance.random() < 0.2:
        del person["email"]
    return person


def random_people(chance: random.Random, before: list[Person]) -> list[Person]:
    """Return people, often those of the file before with some changes."""
    if before and chance.random() < 0.7:
        chosen = [person for person in before if chance.random() < 0.9]
        numbers = chance.sample(range(12), chance.randrange(3))
    else:
        chosen, numbers = [], chance.sample(range(12), chance.randint(1, 8))
    for number in numbers:
        chosen.insert(chance.randint(0, len(chosen)), random_person(chance, number))
    return [person for person in chosen if person] or [{"email": "u0@x.de"}]


class Faults:
    """Lets the next request, or the end of the next run, fail in some way."""

    def __init__(self, monkeypatch) -> None:
        self.next = "none"
        send, finish = UserUpload.send, ListMemory.finish

        def faulty_send(upload, client, batch):
            fault, self.next = self.next, "none" if self.next != "killed" else "killed"
            if fault == "not sent":
                raise UnavailableError("not reached")
            ack = send(upload, client, batch)
            if fault == "lost answer":
                raise UnavailableError("the answer was lost")
            return ack

        def faulty_finish(upload, journal):
            fault, self.next = self.next, "none"
            if fault == "killed":
                raise UnavailableError("killed before its notes were merged")
            return finish(upload, journal)

        monkeypatch.setattr(UserUpload, "send", faulty_send)
        monkeypatch.setattr(ListMemory, "finish", faulty_finish)


@pytest.mark.parametrize("seed", range(tries(2, 100)))
def test_after_each_sync_the_list_has_the_people_of_its_file(adsctl, monkeypatch, seed):
    chance, members = random.Random(seed), List(adsctl)
    faults = Faults(monkeypatch)
    adsctl.copy_emulator()
    state, snapshot = adsctl.home / "state", adsctl.home / "snapshot"
    unknown: set[bytes] = set()  # whom a restored ledger does not know
    listed: list[Person] = []
    for _ in range(STEPS):
        step = chance.choice(("push", "delete", "sync", "sync", "snapshot", "restore"))
        faults.next = chance.choice(FAULTS) if step in ("push", "delete", "sync") else "none"
        listed = random_people(chance, listed)
        if step == "push":
            members.run("push", "people.csv", people=listed, code=None)
        elif step == "delete":
            members.run("push", "people.csv", "--operation", "delete", people=listed, code=None)
        elif step == "sync":
            members.sync(listed, code=None)
        elif step == "snapshot" and not snapshot.exists():
            shutil.copytree(state, snapshot, ignore=shutil.ignore_patterns("emulator.db*"))
        elif step == "restore" and snapshot.exists():
            unknown |= members.members
            for path in state.iterdir():
                if not path.name.startswith("emulator.db"):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            shutil.copytree(snapshot, state, dirs_exist_ok=True)
        faults.next = "none"
        if step in ("sync", "restore"):
            listed = random_people(chance, listed)
            before = members.members
            members.sync(listed, code=None)
            wanted = members.identifiers(listed)
            assert wanted <= members.members
            if "cannot be relied on" in members.said:  # nobody is deleted, so that it is run once more
                assert before <= members.members
                members.sync(listed)
            assert wanted <= members.members <= wanted | unknown, (step, members.said)
            assert members.sync(listed)["requests"] == 0
