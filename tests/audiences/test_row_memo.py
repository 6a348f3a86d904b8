"""What a sync knows of rows from the last one: it saves time, and changes nothing else."""

import os
import random
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.audiences import ledger_file, list_packer, memo_file, row_memo, row_shapes
from ads_cli.audiences.ledger import MEMO
from ads_cli.audiences.ledger_records import FOLDER, month_of
from ads_cli.audiences.row_shapes import ROW_BYTES, RowHash
from ads_cli.audiences.upload import RecordedUpload
from tests.audiences.lists import FIELDS, List, people, person
from tests.effort import tries

HEADER = ("email", "second", "phone", "handle", "device", "id", "newsletter", "town")
MAPPING = ("--map", "second=email", "--map", "device=device_id")


NO_OTHERS = b"," * (len(FIELDS) - 1)


def row(number: int) -> bytes:
    """Return the row of somebody with an address only."""
    return f"u{number}@x.de".encode() + NO_OTHERS


@pytest.fixture
def customers(adsctl) -> List:
    return List(adsctl)


@pytest.fixture
def read(monkeypatch) -> list[bytes]:
    """Note the rows that are packed."""
    found: list[bytes] = []
    pack = list_packer.pack_block

    def noting(layout, block, options):
        found.extend(line for line in block.data.splitlines() if line)
        return pack(layout, block, options)

    monkeypatch.setattr(list_packer, "pack_block", noting)
    return found


def memo_of(customers: List):
    (path,) = (customers.adsctl.home / "state" / FOLDER).glob(f"*{MEMO}")
    return path


def counts(summary: dict) -> dict:
    return {name: count for name, count in summary.items() if name not in ("job", "seconds", "retries")}


def test_only_rows_that_are_new_are_read_again(customers, read):
    customers.sync(people(*range(60)))
    read.clear()
    done = customers.sync(people(*range(100, 103), *range(30), 77, *range(31, 59)))
    assert (done["created"], done["deleted"], done["unchanged"]) == (4, 2, 58)
    assert sorted(read) == sorted(row(n) for n in (100, 101, 102, 77))
    assert customers.equals(people(*range(100, 103), *range(30), 77, *range(31, 59)))
    read.clear()
    customers.sync(people(*range(100, 103), *range(30), 77, *range(31, 59)))
    assert not read


def test_a_row_with_a_finding_is_read_each_time(customers, read):
    rows = [*people(1, 2), {"email": "no address"}, *people(3)]
    for _ in range(2):
        read.clear()
        done = customers.run("sync", "people.csv", "--prune", "--skip-invalid", people=rows, code=9)
        assert (done["rows"], done["invalid"]) == (4, 1) and "people.csv:4" in customers.said
    assert read == [b"no address" + NO_OTHERS]


def test_a_doubt_is_told_each_time(customers, read):
    rows = [person(1, phone="09 1234 5678"), *people(*range(2, 20))]
    for _ in range(3):
        read.clear()
        customers.run("sync", "people.csv", "--region", "CL", people=rows)
        assert "people.csv:2: phone_number" in customers.said
    assert len(read) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--ignore", "phone"),
        ("--region", "AT"),
        ("--keep-partial",),
        ("--where", "town=Ulm"),
        ("--map", "town=partner_user_id"),
    ],
)
def test_other_options_read_all_rows_again(adsctl, read, words):
    rows = [f"u{n}@x.de,030 1234{n:04},{'Ulm' if n % 2 else 'Bonn'}" for n in range(20)]
    adsctl.file("people.csv", "\n".join(["email,phone,town", *rows]) + "\n")
    sync = ("audiences", "sync", "people.csv", "--audience", "1nmv2", "--prune", "-y", "--max-delete", "100%")
    adsctl.local(*sync, "--region", "DE")
    read.clear()
    adsctl.local(*sync, "--region", "DE")
    assert not read
    adsctl.local(*sync, "--region", "DE", *words, code=None)
    assert {*read} >= {row.encode() for row in rows}


def test_a_memo_counts_for_one_ledger_and_one_key_only(customers, read):
    customers.sync(people(*range(9)))
    path, ledger = memo_of(customers), memo_of(customers).with_suffix("")
    before = path.read_bytes(), ledger.read_bytes()
    customers.sync(people(*range(1, 10)))
    path.write_bytes(before[0])  # of an earlier ledger
    read.clear()
    done = customers.sync(people(*range(2, 11)))
    assert len(read) >= 9 and (done["created"], done["deleted"]) == (1, 1)
    for damage in (lambda data: data[:-1], lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], bytes):
        path.write_bytes(damage(path.read_bytes()) if damage is not bytes else b"")
        read.clear()
        assert customers.sync(people(*range(2, 11)))["requests"] == 0 and len(read) >= 9
    customers.run("push", "people.csv", people=people(20))
    read.clear()
    assert customers.sync(people(*range(2, 11)))["deleted"] == 1 and len(read) >= 9
    assert customers.equals(people(*range(2, 11)))


def test_people_are_sent_again_before_the_service_forgets_them_though_their_rows_are_known(
    customers, monkeypatch
):
    customers.sync(people(1, 2))
    assert customers.sync(people(1, 2))["requests"] == 0
    later = "ads_cli.audiences.ledger.month_of"
    monkeypatch.setattr(later, lambda moment: month_of(moment) + 12)
    assert customers.sync(people(1, 2))["updated"] == 2


def test_one_whom_two_known_rows_have_stays_with_one_of_them(customers):
    customers.sync([*people(1, 2, 3), person(4), person(4), person(4)])
    assert customers.sync([*people(1, 2, 3), person(4), person(4)])["deleted"] == 0
    assert customers.sync([*people(1, 2, 3), person(4)])["deleted"] == 0
    assert customers.sync(people(1, 2, 3))["deleted"] == 1 and customers.equals(people(1, 2, 3))


def test_one_whom_a_second_row_has_later_stays_with_one_of_them(customers):
    customers.sync(people(1, 2, 3, 4))
    assert customers.sync(people(1, 2, 3, 4, 4))["requests"] == 0
    assert customers.sync(people(1, 2, 3, 4))["deleted"] == 0 and customers.equals(people(1, 2, 3, 4))
    assert customers.sync(people(1, 2, 3))["deleted"] == 1 and customers.equals(people(1, 2, 3))


def test_one_whom_very_many_known_rows_have_stays_until_the_last_of_them_leaves(customers):
    for rows in (row_memo.MANY + 3, row_memo.MANY + 2, 3, 2, 1, 0):
        found = [*people(1, 2, 3), *[person(4)] * rows]
        customers.sync(found)
        assert customers.equals(found)


@given(numbers=st.lists(st.integers(0, 2**48 - 1) | st.integers(0, 300)), most=st.integers(1, 60))
def test_ids_are_sorted_in_parts_as_they_are_at_once(numbers, most):
    ids = [number.to_bytes(6) for number in numbers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_memo, "MOST_SORTED_BYTES", most)
        assert [*row_memo._sorted_ids(b"".join(ids))] == sorted(ids)


def test_one_of_a_known_row_who_was_kept_together_with_one_who_leaves_is_sent_again(customers):
    together = [person(1, phone="+4915112345001"), person(2, phone="+4915112345001"), *people(3)]
    customers.sync(together)
    apart = [*people(1, 2, 3), {"phone": "+4915112345001"}]  # the service has three of them as one
    customers.sync(apart)
    assert customers.sync(apart)["requests"] == 0
    done = customers.sync([each for each in apart if each != person(2)])
    assert (done["deleted"], done["updated"]) == (1, 2)
    assert customers.equals([each for each in apart if each != person(2)])


def test_quoted_cells_that_go_on_in_the_next_line_are_read_as_they_are(adsctl, read):
    customers = List(adsctl)

    def sync(*rows: str) -> dict:
        adsctl.file("people.csv", "\n".join(["email,note", *rows]) + "\n")
        words = ("--prune", "--max-delete", "100%")
        return customers.run("sync", "people.csv", *words)

    quoted = [f'u{n}@x.de,"a, b"' for n in range(8)]
    sync(*quoted)
    read.clear()
    assert sync(*quoted)["requests"] == 0 and not read
    done = sync(*quoted[:3], 'u20@x.de,"a', 'u3@x.de,b"', 'u21@x.de,a"b', *quoted[4:])
    assert done["invalid"] == 0 and customers.equals(people(20, 21, *(n for n in range(8) if n != 3)))


def test_without_rejections_only_a_complete_sync_is_remembered(customers, monkeypatch):
    customers.sync(people(1, 2))
    before = memo_of(customers).read_bytes()
    monkeypatch.setattr(RecordedUpload, "finish", lambda *args, **options: 1 / 0)
    customers.sync(people(2, 3), code=1)
    assert memo_of(customers).read_bytes() == before
    customers.adsctl.local("audiences", "forget", "--audience", customers.audience, "-y")
    assert not [*(customers.adsctl.home / "state" / FOLDER).glob(f"*{MEMO}")]


rows = st.lists(st.integers(0, 30), max_size=60)


@given(new=rows, old=rows, at=st.integers(0, 5))
def test_common_runs_are_equal_rows_in_order(new, old, at):
    encoded = [b"".join(number.to_bytes(ROW_BYTES) for number in numbers) for numbers in (new, old)]
    done = (0, at)
    for i, j, length in row_shapes.common_runs(*encoded, at):
        assert i >= done[0] and j >= done[1] and length
        assert new[i : i + length] == old[j : j + length]
        done = i + length, j + length


def test_rows_are_found_again_behind_others_that_were_inserted_removed_or_replaced():
    old = b"".join(number.to_bytes(ROW_BYTES) for number in range(9000))
    numbers = [*range(1, 40), *range(10**6, 10**6 + 100), *range(40, 500), *range(3000, 8000), -1 % 2**40]
    numbers[20] = 10**7
    new = b"".join(number.to_bytes(ROW_BYTES) for number in numbers)
    known = sum(length for _, _, length in row_shapes.common_runs(new, old, 0))
    assert known > len(numbers) - 100 - 2 - 100


@given(lines=st.lists(st.text("abc@.1", min_size=9, max_size=40), unique=True, min_size=2, max_size=20))
def test_a_row_hash_tells_rows_and_readings_apart(lines):
    encoded = [line.encode() for line in lines]
    ways = ((1, 2), (1, 3), (2, 2))
    hashes = [RowHash.of_key(bytes([key]) * 32, bytes([how]) * ROW_BYTES) for key, how in ways]
    found = [hashed.rows(b"", encoded) for hashed in hashes]
    assert len({*found}) == 3
    for one in found:
        assert len({one[at : at + ROW_BYTES] for at in range(0, len(one), ROW_BYTES)}) == len(lines)


@pytest.mark.parametrize("after", range(0, 30, 3))
def test_rows_differ_that_differ_in_a_digit(after):
    lines = [f",,customer-{number:06}{',' * after}".encode() for number in range(3000)]
    hashed = RowHash.of_key(os.urandom(32), bytes(ROW_BYTES)).rows(b"", lines)
    assert len({hashed[at : at + ROW_BYTES] for at in range(0, len(hashed), ROW_BYTES)}) == len(lines)


@pytest.mark.parametrize("name", ["__init__", "add", "store"])
def test_a_memo_that_cannot_be_written_ends_no_sync(customers, monkeypatch, name):
    def fail(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(row_memo.MemoWriter, name, fail)
        customers.sync(people(1, 2, 3))
    customers.sync(people(2, 3, 4))
    assert customers.equals(people(2, 3, 4))


def test_a_memo_that_a_sync_replaces_while_a_diff_reads_it_is_read_to_its_end(customers, monkeypatch):
    customers.sync(people(1, 2, 3))
    read = row_memo.read_memo

    def read_and_replace(path, key):
        stored = read(path, key)
        other = path.with_suffix(".other")
        other.write_bytes(b"the memo of another sync")
        other.replace(path)
        return stored

    monkeypatch.setattr(row_memo, "read_memo", read_and_replace)
    assert customers.run("diff", "people.csv")["unchanged"] == 3


def test_no_two_segments_have_the_same_mask():
    seal, rows = memo_file._Seal(os.urandom(32), os.urandom(16)), memo_file.KnownRows(b"a row...", b"\0", b"")
    assert seal.seal(rows) != seal.seal(rows)


def test_lines_with_zeros_are_not_known_again():
    hashed = RowHash.of_key(os.urandom(32), bytes(ROW_BYTES))
    for text, is_known in ((b"a@x.de\nb@x.de", True), (b"a@x.de\n\0b@x.de", False)):
        assert bool(hashed.rows(text, text.split(b"\n"))) == is_known


def random_row(chance: random.Random) -> str:
    """Return a row of somebody with one to six identifiers, some shared, some invalid."""
    n = chance.randrange(40)
    cells = [
        f"u{n}@x.de" if chance.random() < 0.8 else "",
        f"w{chance.randrange(9)}@x.de" if chance.random() < 0.2 else "",
        f"+4915112345{chance.randrange(20):03}" if chance.random() < 0.4 else "",
        f"@h{n}" if chance.random() < 0.2 else "",
        f"abcd-{n}" if chance.random() < 0.2 else "",
        f"crm-{chance.randrange(15)}" if chance.random() < 0.3 else "",
        chance.choice(("yes", "no", "", "maybe")),
        chance.choice(("Ulm", "Bonn", "n/a")),
    ]
    if chance.random() < 0.04:
        cells[0] = chance.choice(("no address", "n/a", "a@x.de;b@x.de", " U3@X.de "))
    return ",".join(cells)


@pytest.mark.parametrize("seed", range(tries(4, 60)))
def test_a_sync_that_knows_rows_counts_and_sends_what_one_does_that_reads_them(
    adsctl, monkeypatch, seed, tmp_path
):
    if seed % 2:  # as a large ledger, which is not mapped
        monkeypatch.setattr(ledger_file, "MOST_MAPPED_BYTES", 0)
        monkeypatch.setattr(ledger_file, "AHEAD_BYTES", 200)
    chance, customers = random.Random(seed), List(adsctl)
    adsctl.copy_emulator()
    rows = [random_row(chance) for _ in range(25)]
    options = chance.choice(((), ("--where", "town!=Bonn"), ("--keep-partial",)))
    words = ("--skip-invalid", *MAPPING, *options, "--prune", "--max-delete", "100%")
    for _ in range(5):
        adsctl.file("people.csv", "\n".join([",".join(HEADER), *rows]) + "\n")
        plan = ("sync", "people.csv", *words, "--dry-run")
        with_memo = counts(customers.run(*plan, code=None)), customers.said
        memos = [*(adsctl.home / "state" / FOLDER).glob(f"*{MEMO}")]
        for memo in memos:
            shutil.move(memo, tmp_path / memo.name)
        assert with_memo == (counts(customers.run(*plan, code=None)), customers.said)
        for memo in memos:
            shutil.move(tmp_path / memo.name, memo)
        customers.run("sync", "people.csv", *words, code=None)
        after = counts(customers.run("diff", "people.csv", *words[:-2], code=None))
        assert after, customers.said
        assert not (after["created"] or after["deleted"])
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(rows))
            change = chance.choice(("replace", "insert", "remove", "repeat", "move"))
            if change == "remove":
                del rows[at]
            else:
                moved = rows[at] if change in ("repeat", "move") else random_row(chance)
                rows[at : at + (change in ("replace", "move"))] = [moved] * (change != "move")
                if change == "move":
                    rows.append(moved)
