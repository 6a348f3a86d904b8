"""A journal that cannot be read stops creations: what it says was created would be created again."""

import json

import pytest

from tests.batches.conftest import ADD, COUNT, SIZE, keyword_file, words
from tests.conftest import feed
from tests.products.stopping import list_jobs

CONVERSIONS = ("conversions", "send", "orders.csv", "--pixel", "o8z6j", "-o", "json")
CAMPAIGN = "name: Autumn\nfunding_instrument_id: 4a1n0\n"


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def line_of(content: bytes, number: int) -> int:
    """The place in the middle of a line."""
    before, line = b"".join(content.splitlines(keepends=True)[:number]), content.splitlines()[number]
    return len(before) + len(line) // 2


DAMAGES = {
    "a flipped bit in its first line": lambda content: flipped(content, line_of(content, 0)),
    "a flipped bit in the checksum": lambda content: flipped(content, 2),
    "a flipped bit in the first byte": lambda content: bytes([content[0] ^ 0x20]) + content[1:],
    "a flipped bit in what was sent": lambda content: flipped(content, line_of(content, 2)),
    "a flipped bit in what was acknowledged": lambda content: flipped(content, line_of(content, 4)),
    "the first half of its first line": lambda content: content[: line_of(content, 0)],
    "nothing": lambda content: b"",
    "zeros": lambda content: bytes(len(content)),
}


def damage(adsctl, how: str) -> str:
    """Damage the only journal; return the id of its job."""
    (path,) = list_jobs(adsctl)
    path.write_bytes(DAMAGES[how](path.read_bytes()))
    return path.stem


@pytest.fixture
def stopped(adsctl, batches, small_batches) -> None:
    """A run that was stopped in its second batch."""
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "status=403")
    adsctl(*ADD, code=4)
    batches.before = lambda number: batches.fail()


@pytest.mark.parametrize("how", DAMAGES)
def test_nothing_is_created_while_a_journal_cannot_be_read(adsctl, batches, stopped, how):
    job = damage(adsctl, how)
    for more in ((), ("--resume",)):
        refused = adsctl(*ADD, *more, code=11).stderr
        assert f"{job}.jsonl is not a readable journal" in refused
        assert f"adsctl jobs show {job}" in refused and f"adsctl jobs discard {job}" in refused
    assert len(batches.sent) == 2
    adsctl("jobs", "clean", "--yes")
    assert list_jobs(adsctl)


def test_no_creation_of_any_kind_goes_to_the_place_that_it_may_belong_to(adsctl, batches, stopped):
    damage(adsctl, "a flipped bit in its first line")
    adsctl.file("one.yaml", CAMPAIGN)
    adsctl.file("orders.csv", "conversion_time,event_id,platform_click_id\n2026-10-01T10:00:00Z,o3f71,a\n")
    for command in (("campaigns", "create", "-f", "one.yaml"), CONVERSIONS):
        assert "is not a readable journal" in adsctl(*command, code=11).stderr
    assert len(batches.sent) == 2


def test_a_journal_that_cannot_be_read_is_listed_shown_and_discarded(adsctl, batches, stopped):
    job = damage(adsctl, "a flipped bit in its first line")
    (listed,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (listed["job"], listed["state"]) == (job, "unreadable")
    shown = json.loads(adsctl("jobs", "show", job, "-o", "json").stdout)
    assert len(shown["ids"]) == SIZE and shown["path"].endswith(f"{job}.jsonl")
    message = adsctl("jobs", "discard", job, code=12).stderr
    assert "whose journal cannot be read (10 created, as far as it can)" in message
    assert "not a readable journal" in adsctl("jobs", "clean", job, "--yes", code=11).stderr
    adsctl("jobs", "discard", job, job, "--yes")
    assert "14 created, 10 failed" in adsctl(*ADD, code=9).stderr


@pytest.mark.parametrize("command", ["show", "discard"])
def test_a_journal_that_cannot_be_read_is_told_once_where_another_job_does_not_exist(
    adsctl, batches, stopped, command
):
    damage(adsctl, "a flipped bit in its first line")
    message = adsctl("jobs", command, "none", "--yes", code=5).stderr
    assert message.count("is not a readable journal") == 1 and "job 'none' does not exist" in message


def test_products_are_pushed_beside_a_journal_that_cannot_be_read(adsctl, batches, stopped):
    """A product that is sent again is the same product."""
    damage(adsctl, "a flipped bit in its first line")
    adsctl.file("feed.csv", feed(3))
    adsctl("products", "push", "feed.csv")


def test_a_journal_that_does_not_name_its_records_is_not_resumed(adsctl, batches, stopped):
    (path,) = list_jobs(adsctl)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'"attempted"' not in line))
    for more in ((), ("--resume",)):
        refused = adsctl(*ADD, *more, code=11).stderr
        assert "does not name the records of batch" in refused and "adsctl jobs discard" in refused
    assert batches.keywords() == words(SIZE)


@pytest.mark.parametrize("at", [-4, -3, -2, -1, 40])
def test_a_killed_run_whose_last_line_is_damaged_sends_nothing_twice(adsctl, batches, small_batches, at):
    """The last line says what was on its way; an answer that was lost leaves a journal as a kill does."""
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "reset-after")
    adsctl(*ADD, code=8)
    (path,) = list_jobs(adsctl)
    content = path.read_bytes()
    start = content.rindex(b"\n", 0, -3) + 1  # of the line before the mark
    place = len(content) + at if at < 0 else start + at
    path.write_bytes(flipped(content, place))
    assert adsctl(*ADD, code=11)
    adsctl(*ADD, "--resume", code=None)
    assert len(batches.sent) == 2
