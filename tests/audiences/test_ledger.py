"""The ledger of a list: what it holds of people, and what the logs of jobs make of it."""

import json
import os
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.audiences import ledger_file
from ads_cli.audiences import ledger_records as ledgers
from ads_cli.audiences.ledger import Ledger, Trust, stored_ledgers
from ads_cli.audiences.ledger_file import LedgerIndex
from ads_cli.audiences.ledger_log import DamagedLogError, LogFile, LogHeader, read_log
from ads_cli.audiences.ledger_records import (
    HALF,
    KINDS,
    PLAIN_BYTES,
    RECORD_BYTES,
    TAG_BYTES,
    LedgerEntry,
    Sealer,
)
from ads_cli.audiences.operations import Operations
from ads_cli.errors import StateError
from ads_cli.store.epochs import UploadTarget, WriteEpochs
from ads_cli.uploads.journal import NOT_ALONE
from tests.audiences.lists import List, digest, person

PLACE = UploadTarget("https://ads.example", "custom_audience", "1nmth")


@given(key=st.binary(min_size=32, max_size=32), value=st.binary(min_size=32, max_size=32), text=st.text())
def test_an_identifier_comes_back_under_the_key_only(key, value, text):
    sealer, other = Sealer(key), Sealer(bytes(byte ^ 1 for byte in key))
    for kind, plain in ((KINDS["email"], value.hex()), (KINDS["partner_user_id"], text)):
        (sealed,) = sealer.seal(kind, [plain])
        assert sealer.digests(kind, [plain]) == [sealed[0]]
        assert sealer.open(kind, *sealed) == plain
        assert other.digests(kind, [plain]) != [sealed[0]]
    assert sealer.digests(0, [value.hex()]) != sealer.digests(1, [value.hex()])


def test_a_record_comes_back():
    entry = LedgerEntry(os.urandom(16), os.urandom(16), 5, until=4000, uncertain=True, tag=os.urandom(8))
    assert LedgerEntry.decode(entry.encode()) == entry


def test_no_address_and_no_hash_of_one_is_in_the_state_folder(adsctl):
    customers = List(adsctl)
    everybody = [person(n, phone=f"+49151123450{n:02}", id=f"customer-{n}") for n in range(20)]
    customers.sync(everybody)
    customers.sync(everybody[5:])
    values = [value for customer in everybody for value in customer.values()]
    traces = [value.encode() for value in values]
    for value in values:
        whole = sha256(value.encode()).digest()
        traces += [whole[:16], whole[16:], whole.hex().encode()]
    stored = [path for path in (adsctl.home / "state").rglob("*") if path.is_file()]
    assert any(path.parent.name == ledgers.FOLDER for path in stored)
    for path in stored:
        if not path.name.startswith("emulator.db"):  # which is the service
            content = path.read_bytes()
            assert not [value for value in traces if value in content], path
        if "ledger" in str(path):
            assert path.stat().st_mode & 0o077 == 0


def operations(kind: str, *people: int) -> list[Operations]:
    users = ",".join(f'{{"email":["{digest(f"u{n}@x.de")}"]}}' for n in people)
    body = f'{{"operation_type":"{kind}","params":{{"users":[{users}]}}}}'
    return [Operations.single(body.encode(), list(people))]


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    WriteEpochs(tmp_path / "state").begin(PLACE)
    return Ledger(tmp_path / "state", PLACE)


def written(ledger: Ledger, *batches: tuple[str, list[int], bool], rejected: tuple[int, ...] = ()) -> None:
    """Write the log of a job that has ended: what batches do, to whom, and whether they are acknowledged."""
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    log = ledger.log("job", "lock", epoch, epoch)
    for number, (kind, people, is_acknowledged) in enumerate(batches):
        log.note_sent(number, operations(kind, *people), 4000)
        if is_acknowledged:
            log.note_acknowledged(number, operations(kind, *people), rejected)
    log.close()


def known(ledger: Ledger) -> dict[int, bool]:
    """Return whom the ledger has, and whether they are uncertain."""
    opened = ledger.open()
    assert opened.trust is Trust.FULL
    certain = {}
    for number in range(10):
        (sought,) = ledger.sealer.digests(0, [digest(f"u{number}@x.de")])
        position = opened.entries.find(sought)
        if position >= 0:
            certain[number] = opened.entries.entry(position).uncertain
    assert len(opened.entries) == opened.info.identifiers == opened.info.people == len(certain)
    assert opened.info.uncertain == sum(certain.values())
    return certain


def test_what_is_acknowledged_is_certain_and_what_was_only_sent_is_not(ledger):
    written(ledger, ("Update", [1, 2], True), ("Update", [3], False))
    assert known(ledger) == {1: False, 2: False, 3: True}
    written(ledger, ("Delete", [1], True), ("Delete", [2], False), ("Update", [3], True))
    assert known(ledger) == {2: True, 3: False}


def test_whom_the_service_rejects_stays_as_they_were(ledger):
    written(ledger, ("Update", [1], True))
    written(ledger, ("Delete", [1], True), ("Update", [2], True), rejected=())
    assert known(ledger) == {2: False}
    written(ledger, ("Delete", [2], True), rejected=(2,))
    assert known(ledger) == {2: False}


def own_ids(kind: str, *ids: str) -> list[Operations]:
    body = {"operation_type": kind, "params": {"users": [{"partner_user_id": [id_]} for id_ in ids]}}
    return [Operations.single(json.dumps(body).encode(), list(range(len(ids))))]


@pytest.mark.parametrize("is_acknowledged", [True, False])
def test_an_id_of_ones_own_that_is_removed_and_added_again_comes_back(ledger, is_acknowledged):
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    log = ledger.log("job", "lock", epoch, epoch)
    for number, (kind, ids) in enumerate([("Update", "ab"), ("Delete", "ab"), ("Update", "a")]):
        log.note_sent(number, own_ids(kind, *ids), 4000)
        if is_acknowledged:
            log.note_acknowledged(number, own_ids(kind, *ids), ())
    log.close()
    opened = ledger.open()
    records = [opened.entries.entry(at) for at in range(len(opened.entries))]
    values = {opened.value(ledger.sealer, record.kind, record.digest, record.rest) for record in records}
    assert values == ({"a"} if is_acknowledged else {"a", "b"})
    assert len(opened.texts) == len(values)


def test_nothing_is_kept_of_an_id_of_ones_own_that_the_service_rejects(ledger):
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    log = ledger.log("job", "lock", epoch, epoch)
    log.note_sent(0, own_ids("Update", "a", "b"), 4000)
    log.note_acknowledged(0, own_ids("Update", "a", "b"), (1,))
    log.close()
    opened = ledger.open()
    assert (len(opened.entries), len(opened.texts)) == (1, 1)


def test_a_log_that_cannot_be_read_for_now_is_kept(ledger, monkeypatch):
    written(ledger, ("Update", [1], True))
    opened = Path.open

    def open_others(path, *args):
        if path.suffix == ".log":
            raise OSError(24, "Too many open files")
        return opened(path, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", open_others)
        with pytest.raises(StateError, match="Too many open files"):
            ledger.open()
    assert known(ledger) == {1: False}


def test_of_requests_at_the_same_time_nobody_knows_the_order(ledger):
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    log = ledger.log("job", "lock", epoch, epoch)
    log.note_sent(0, operations("Update", 1), 4000)
    log.note_sent(1, operations("Delete", 1), 4000)
    log.note_acknowledged(0, [], ())
    log.note_acknowledged(1, [], ())
    log.close()
    assert known(ledger) == {1: True}


def test_a_log_that_is_cut_off_counts_up_to_there_and_a_damaged_one_is_not_trusted(ledger):
    written(ledger, ("Update", [1], True), ("Update", [2], True))
    (path,) = (ledger.state_dir / ledgers.FOLDER).glob("*.log")
    path.write_bytes(path.read_bytes()[:-3])
    assert known(ledger) == {1: False, 2: True}
    written(ledger, ("Update", [3], True), ("Update", [4], True))
    (path,) = (ledger.state_dir / ledgers.FOLDER).glob("*.log")
    content = bytearray(path.read_bytes())
    content[300] ^= 1
    path.write_bytes(content)
    assert ledger.open().trust is Trust.CHANGED


def test_a_ledger_with_any_byte_changed_is_lost(ledger):
    written(ledger, ("Update", [1, 2, 3], True))
    known(ledger)
    (path,) = (ledger.state_dir / ledgers.FOLDER).glob("[0-9a-f]*")
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert ledger.open().trust is Trust.LOST
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert ledger.open().trust is Trust.LOST


@pytest.mark.parametrize("at_once", [False, True])
def test_two_jobs_that_were_not_alone_do_not_follow_one_another(ledger, at_once):
    written(ledger, ("Update", [1], True))
    assert known(ledger) == {1: False}
    epoch = WriteEpochs(ledger.state_dir).current(PLACE)
    for number, previous in ((2, epoch), (3, "an epoch that the ledger does not know")):
        log = ledger.log("job", "lock", previous, NOT_ALONE)
        log.note_sent(0, operations("Update", number), 4000)
        log.note_acknowledged(0, [], ())
        log.close()
        if not at_once:
            ledger.open()
    opened = ledger.open()
    assert opened.trust is Trust.CHANGED
    uncertain = opened.info.uncertain
    assert (opened.info.identifiers, uncertain) == (3, 1 if at_once else 2)


def test_a_ledger_is_not_trusted_where_something_else_changed_the_list_between_two_killed_jobs(ledger):
    written(ledger, ("Update", [1], True))
    WriteEpochs(ledger.state_dir).begin(PLACE)  # by something else, which has no log
    written(ledger, ("Update", [2], True))
    assert ledger.open().trust is Trust.CHANGED


def test_a_ledger_is_not_trusted_that_lacks_whom_a_log_under_a_lost_key_names(ledger):
    written(ledger, ("Update", [1], True))
    (ledger.state_dir / ledgers.KEY_FILE).unlink()
    assert Ledger(ledger.state_dir, PLACE).open().trust is Trust.CHANGED


def test_who_is_one_person_stays_unknown_until_a_job_has_sent_everybody(ledger):
    written(ledger, ("Update", [1], True))
    assert not ledger.open().info.links_unknown
    epoch = WriteEpochs(ledger.state_dir).begin(PLACE)
    for number in (2, 3):
        written(ledger, ("Update", [number], True))
        assert ledger.open().info.links_unknown
    ledger.close_log(ledger.log("job", "lock", epoch, epoch), sent_all=True)
    assert not ledger.open().info.links_unknown


@pytest.mark.parametrize(
    ("expires_at", "until"), [("2001-06-01T00:00:00Z", 17), ("2099-06-01T00:00:00Z", 300)]
)
def test_nobody_is_remembered_longer_than_the_service_keeps_them(ledger, expires_at, until):
    users = f'[{{"email":["{digest("u1@x.de")}"]}}]'
    body = f'{{"operation_type":"Update","params":{{"expires_at":"{expires_at}","users":{users}}}}}'
    log = ledger.log("job", "lock", "", "")
    log.note_sent(0, [Operations.single(body.encode(), [1])], 300)
    log.close()
    assert ledger.open().entries.entry(0).until == until


def test_a_list_with_the_logs_of_killed_jobs_is_one_and_not_damaged(ledger):
    for numbers in ([1, 2], [3]):
        written(ledger, ("Update", numbers, True))
        written(ledger, ("Update", [4], True))
        (stored,) = stored_ledgers(ledger.state_dir)
        assert (stored.info.upload_target, stored.state) == (PLACE, "current")
        assert stored.info.changed


def test_a_damaged_ledger_is_told_though_the_log_of_a_killed_job_replaces_it(ledger):
    written(ledger, ("Update", [1, 2], True))
    known(ledger)
    (path,) = (ledger.state_dir / ledgers.FOLDER).glob("[0-9a-f]*")
    path.write_bytes(path.read_bytes()[1:])
    written(ledger, ("Update", [3], True))
    opened = ledger.open()
    assert (opened.trust, opened.reason) == (Trust.LOST, f"{path} is damaged")
    assert known(ledger) == {3: False}


def test_a_log_that_cannot_be_written_ends_the_push_before_anything_is_sent(ledger, monkeypatch):
    log = ledger.log("job", "lock", "", "")
    monkeypatch.setattr(os, "write", lambda descriptor, data: 1)
    with pytest.raises(StateError, match="disk is full"):
        log.note_sent(0, operations("Update", 1), 4000)


def test_a_log_with_any_byte_changed_before_its_last_frame_is_damaged_and_not_cut_short(tmp_path):
    header = LogHeader(service="s", kind="k", target="1nmth", key="a", lock="l", previous="", epoch="e")
    log = LogFile.create(tmp_path / "log", header, Sealer(os.urandom(32)))
    for batch in range(3):
        log.note_sent(batch, operations("Update", batch), 4000)
    log.close()
    written = log.path.read_bytes()
    assert len([*read_log(log.path).frames()]) == 3
    last = len(written) // 4 * 3  # within the frame before the last one
    for at in range(last):
        log.path.write_bytes(written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :])
        if damaged := read_log(log.path):
            with pytest.raises(DamagedLogError):
                list(damaged.frames())
    log.path.write_bytes(written[:-5])  # a run that was killed while it wrote
    assert len([*read_log(log.path).frames()]) == 2


@pytest.mark.parametrize("width", [PLAIN_BYTES, RECORD_BYTES])
@pytest.mark.parametrize("most_mapped", [0, 1 << 20])
def test_whole_records_are_found_and_no_bytes_within_others(tmp_path, monkeypatch, width, most_mapped):
    monkeypatch.setattr(ledger_file, "MOST_MAPPED_BYTES", most_mapped)
    random = Random(width)
    digests = sorted({bytes(random.choices(b"\0\1", k=HALF)) for _ in range(250)})
    # Records hold the digests and the tags of others, where these may be taken for their beginning.
    tags = [bytes(random.choices(b"\0\1", k=TAG_BYTES)) for _ in digests]
    entries = [
        LedgerEntry(digest, random.choice(digests), 1, tag=tag)
        for digest, tag in zip(digests, tags, strict=True)
    ]
    data = b"".join(entry.encode()[:width] for entry in entries)
    path = tmp_path / "ledger"
    path.write_bytes(data + b"what follows the records" + digests[-1])
    with path.open("rb") as file:
        opened = ledger_file.open_bytes(file.fileno())
    for bytes_ in (data, opened):
        index = LedgerIndex(bytes_, len(digests), width)
        for records in (index, index.in_order()):
            sought = [*digests, *(random.randbytes(HALF) for _ in range(9))]
            known = dict(zip(digests, range(len(digests)), strict=True))
            positions = [known.get(digest, -1) for digest in sought]
            assert [*map(records.find, sought)] == positions
            places, metas = records.find_all(sought)
            assert [*places] == [at if at >= 0 else len(digests) for at in positions]
            assert metas == [
                entries[at].encode()[2 * HALF : PLAIN_BYTES] if at >= 0 else b"" for at in positions
            ]
