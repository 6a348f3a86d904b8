"""What lies in the state folder tells of nobody without the key, whatever was sent, killed or forgotten."""

import base64
import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from ads_cli.audiences.upload import ListMemory, UserUpload
from ads_cli.errors import UnavailableError
from ads_cli.feeds.row import RowTransform
from ads_cli.feeds.transforms import Where
from tests.audiences.lists import List, Person
from tests.effort import tries
from tests.stored import stored

EVERYBODY: list[Person] = [
    {"email": f"ana.{number}@shop.example", "phone": f"+49151123450{number:02}", "id": f"customer-{number}"}
    for number in range(20)
]


def traces_of(people: Iterable[Person]) -> set[bytes]:
    """Return what tells of people: values and their SHA-256, also parts of these, in usual encodings."""
    plain = {value.encode() for person in people for value in person.values()}
    hashes = {sha256(value).digest() for value in plain}
    halves = {half for digest in hashes for half in (digest[:16], digest[16:])}
    traces = plain | halves
    for value in plain | hashes | halves:
        traces |= {value.hex().encode(), value.hex().upper().encode()}
        for before in range(3):  # bytes that it may be encoded with
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                traces.add(encode(bytes(before) + value)[before + before // 2 + 1 :].rstrip(b"=")[:-1])
    return traces


def files_with(folder: Path, traces: Iterable[bytes]) -> set[str]:
    """Name the files in which any of some traces is, but for the emulator's, which is the service."""
    files = [path for path in folder.rglob("*") if path.is_file() and "emulator" not in path.name]
    content = {path.name: path.read_bytes() for path in files}
    return {name for name, data in content.items() if any(trace in data for trace in traces)}


@pytest.mark.parametrize("seed", range(tries(2, 40)))
def test_nothing_in_the_state_folder_tells_of_anybody(adsctl, monkeypatch, seed):
    chance, customers, traces = random.Random(seed), List(adsctl), traces_of(EVERYBODY)
    adsctl.copy_emulator()
    send, finish = UserUpload.send, ListMemory.finish

    def fail(*args: object, **options: object) -> None:
        raise UnavailableError("killed")

    for _ in range(6):
        people = chance.sample(EVERYBODY, chance.randint(1, 20))
        fault = chance.choice(("none", "none", "before it is sent", "before the end"))
        monkeypatch.setattr(UserUpload, "send", fail if fault == "before it is sent" else send)
        monkeypatch.setattr(ListMemory, "finish", fail if fault == "before the end" else finish)
        match chance.choice(("push", "delete", "sync", "sync", "forget")):
            case "push":
                customers.run("push", "people.csv", people=people, code=None)
            case "delete":
                customers.run("push", "people.csv", "--operation", "delete", people=people, code=None)
            case "sync":
                customers.sync(people, code=None)
            case "forget":
                adsctl.local("audiences", "forget", "--audience", customers.audience, "-y", code=None)
        assert files_with(adsctl.home / "state", traces) == set()


SEALED = "SELECT digest FROM people UNION SELECT rest FROM people UNION SELECT digest FROM people_sent"


def test_who_is_forgotten_leaves_nothing_even_under_the_key(adsctl, monkeypatch):
    first, second = List(adsctl), List(adsctl, "1nmth")
    first.sync(EVERYBODY)
    second.sync(EVERYBODY[:3])
    with monkeypatch.context() as patch:
        patch.setattr(UserUpload, "send", lambda *args: 1 / 0)
        first.sync(EVERYBODY[1:], code=1)  # its notes are not merged
    everybody = {*stored(adsctl, SEALED)}
    assert len(everybody) >= 3 * 2 * len(EVERYBODY)
    assert files_with(adsctl.home / "state", everybody)
    with closing(sqlite3.connect(adsctl.home / "state" / "state.db")) as reader:
        reader.execute("SELECT * FROM lists").fetchall()  # as long as it is open, the log is no removed file
        adsctl.local("audiences", "forget", "--audience", first.audience, "-y")
        assert (adsctl.home / "state" / "state.db-wal").exists()
        assert not files_with(adsctl.home / "state", everybody - {*stored(adsctl, SEALED)})
    left = {*stored(adsctl, SEALED)}
    assert left and files_with(adsctl.home / "state", everybody - left) == set()


def test_who_is_deleted_from_a_list_leaves_nothing_even_under_the_key(adsctl):
    customers = List(adsctl)
    customers.sync(EVERYBODY)
    before = {*stored(adsctl, SEALED)}
    customers.run("push", "people.csv", "--operation", "delete", people=EVERYBODY[:5])
    gone = before - {*stored(adsctl, SEALED)}
    assert len(gone) == 2 * 3 * 5 and files_with(adsctl.home / "state", gone) == set()


def test_a_condition_on_a_person_is_remembered_by_nothing_that_tells_of_them(adsctl):
    customers = List(adsctl)
    ana = EVERYBODY[0]
    spellings = (("--where", f"email!={ana['email']}"), (f"--where=email!={ana['email']}",))
    for words in (*spellings, ("--where", f"id!={ana['id']}")):
        customers.run("push", "people.csv", *words, people=EVERYBODY[:3])
        assert files_with(adsctl.home / "state", traces_of([ana])) == set()
    customers.write(EVERYBODY[:3], f"{ana['email']}.csv")
    customers.run("sync", f"{ana['email']}.csv")
    assert stored(adsctl, "SELECT count(*) FROM runs WHERE resume LIKE '%***%'") == [4]
    (digest,) = stored(adsctl, "SELECT options ->> 'conversion' FROM runs WHERE resume LIKE '%--where=%'")
    (conditions,) = {RowTransform([Where.parse(f"email!={ana['email']}")]).digest}
    assert digest and digest != conditions
    customers.run("push", "people.csv", "--where", "***", people=EVERYBODY[:3], code=2)


@pytest.mark.parametrize("trouble", [None, "killed"])
def test_a_file_named_after_a_person_is_named_by_nothing_that_is_stored(adsctl, monkeypatch, trouble):
    customers, ana, bea = List(adsctl), EVERYBODY[0], EVERYBODY[1]
    files = [f"{ana['email']}.csv", f"{bea['phone']}.csv", "people.csv"]
    for number, name in enumerate(files):
        customers.write([EVERYBODY[number]], name)
    with monkeypatch.context() as patch:
        if trouble:
            patch.setattr(UserUpload, "send", lambda *args: 1 / 0)
        for words in (("push", files[0]), ("sync", files[1]), ("push", *files)):
            customers.run(*words, code=None)
    if trouble:
        summary = customers.run("push", *files, "--resume")
        assert summary["accepted"] == 3 and "resuming job" in customers.said
    assert files_with(adsctl.home / "state", traces_of(EVERYBODY)) == set()
    names = ["***", "***.csv", "***, ***.csv, people.csv"]
    assert stored(adsctl, "SELECT file FROM runs ORDER BY rowid") == names
