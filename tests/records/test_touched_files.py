"""A file that is touched after a kill: its records are known by their content, not by its bytes."""

import gzip
import json

import pytest

from tests.conftest import feed
from tests.products.stopping import list_jobs
from tests.records.conftest import ADD, COUNT, SIZE, keyword_file, words
from tests.stored import restore_from_copy, stored


def stopped(adsctl, batches, fault: str = "status=403") -> None:
    """Create the first batch of a file, and fail in the second."""
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, fault)
    adsctl(*ADD, code=None)
    batches.before = lambda number: batches.fail()


def lines(adsctl) -> list[str]:
    return (adsctl.home / "keywords.csv").read_text().splitlines()


def as_json(adsctl) -> None:
    header, *rows = (line.split(",") for line in lines(adsctl))
    adsctl.file("words.json", json.dumps([dict(zip(header, row, strict=True)) for row in rows]))


def with_line(adsctl, number: int, old: str, new: str) -> None:
    changed = lines(adsctl)
    changed[number] = changed[number].replace(old, new)
    adsctl.file("keywords.csv", "\n".join(changed))


TOUCHED = {
    "a later line corrected": lambda adsctl: with_line(adsctl, COUNT, "word 0023", "word 9999"),
    "a blank line": lambda adsctl: adsctl.file(
        "keywords.csv", "\n".join([*lines(adsctl)[:3], "", *lines(adsctl)[3:], "", ""])
    ),
    "line feeds of Windows": lambda adsctl: adsctl.file("keywords.csv", "\r\n".join(lines(adsctl))),
    "a byte order mark": lambda adsctl: adsctl.file("keywords.csv", "\ufeff" + "\n".join(lines(adsctl))),
    "another encoding": lambda adsctl: adsctl.file("keywords.csv", "\n".join(lines(adsctl)).encode("utf-16")),
    "columns in another order": lambda adsctl: adsctl.file(
        "keywords.csv", "\n".join(",".join(line.split(",")[::-1]) for line in lines(adsctl))
    ),
    "reversed": lambda adsctl: adsctl.file(
        "keywords.csv", "\n".join([lines(adsctl)[0], *lines(adsctl)[:0:-1]])
    ),
    "records that follow": lambda adsctl: adsctl.file(
        "keywords.csv", "\n".join([*lines(adsctl), "9d4c1,PHRASE_KEYWORD,word 0500"])
    ),
    "created records taken out": lambda adsctl: adsctl.file(
        "keywords.csv", "\n".join([lines(adsctl)[0], *lines(adsctl)[SIZE + 1 :]])
    ),
    "later records taken out": lambda adsctl: adsctl.file("keywords.csv", "\n".join(lines(adsctl)[:-4])),
}
EXPECTED = {
    "a later line corrected": {*words(COUNT - 1), "word 9999"},
    "records that follow": {*words(COUNT), "word 0500"},
    "later records taken out": {*words(COUNT - 4)},
}


@pytest.mark.parametrize("touched", TOUCHED)
def test_a_touched_file_is_not_begun_again_and_is_resumed(adsctl, batches, small_batches, touched):
    stopped(adsctl, batches)
    TOUCHED[touched](adsctl)
    refused = adsctl(*ADD, code=11).stderr
    assert "has not ended, and may have created some of its records" in refused and "--resume" in refused
    assert len(batches.sent) == 2
    adsctl(*ADD, "--resume")
    created = batches.keywords()
    assert len(created) == len(set(created))
    assert set(created) == EXPECTED.get(touched, {*words(COUNT)})
    adsctl(*ADD, "--resume", code=11)


RENAMED = {
    "words.csv": lambda adsctl: (adsctl.home / "keywords.csv").rename(adsctl.home / "words.csv"),
    "words.csv.gz": lambda adsctl: adsctl.file(
        "words.csv.gz", gzip.compress((adsctl.home / "keywords.csv").read_bytes())
    ),
    "words.json": as_json,
}


@pytest.mark.parametrize("name", RENAMED)
def test_a_file_of_another_name_with_the_same_records_is_not_begun_again(
    adsctl, batches, small_batches, name
):
    stopped(adsctl, batches)
    RENAMED[name](adsctl)
    add = ("targeting", "add", "-f", name, "-o", "json")
    assert "resume it: add --resume" in adsctl(*add, code=11).stderr
    adsctl(*add, "--resume")
    assert batches.keywords() == words(COUNT)


def test_standard_input_is_known_by_its_records_only(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    add = ("targeting", "add", "-f", "-", "--format", "csv", "-o", "json")
    batches.fail_batch(1, "status=403")
    adsctl(*add, input="\n".join(lines(adsctl)), code=4)
    batches.before = lambda number: batches.fail()
    other = "line_item_id,targeting_type,targeting_value\n9d4c1,PHRASE_KEYWORD,word 0700\n"
    adsctl(*add, input=other)
    adsctl(*add, input="\r\n".join(lines(adsctl)), code=11)
    adsctl(*add, "--resume", input="\r\n".join(lines(adsctl)))
    assert batches.keywords() == [*words(SIZE), "word 0700", *words(COUNT)[SIZE:]]


def test_a_record_that_was_created_and_then_changed_is_told_and_not_created(adsctl, batches, small_batches):
    stopped(adsctl, batches)
    with_line(adsctl, 5, "word 0004", "word 9999")
    adsctl(*ADD, code=11)
    refused = adsctl(*ADD, "--resume", code=11).stderr
    assert "keywords.csv: line 6: an earlier run has sent other targeting criteria" in refused
    assert "1 that it has created, or may have, are no longer in the file" in refused
    assert "put them back as they were" in refused and len(batches.sent) == 2
    with_line(adsctl, 5, "word 9999", "word 0004")
    adsctl(*ADD, "--resume")
    assert batches.keywords() == words(COUNT)


def test_equal_records_are_created_as_often_as_they_stand_in_the_file(adsctl, batches):
    """The service of this test takes equal records: campaigns of one name."""
    names = ["Same"] * 60 + ["Other"] * 10 + ["Same"] * 30
    adsctl.file("campaigns.csv", "name,funding_instrument_id\n" + "".join(f"{n},4a1n0\n" for n in names))
    create = ("campaigns", "create", "-f", "campaigns.csv", "-o", "json")
    batches.fail_batch(1, "status=403")
    adsctl(*create, code=4)
    batches.before = lambda number: batches.fail()
    adsctl.file("campaigns.csv", "name,funding_instrument_id\r\n" + "".join(f"{n},4a1n0\r\n" for n in names))
    created = json.loads(adsctl(*create, "--resume").stdout)
    assert sorted(campaign["name"] for campaign in created) == sorted(names)
    assert len({campaign["id"] for campaign in created}) == len(names)


def test_a_rejected_record_that_is_corrected_is_created_by_the_run_that_resumes(
    adsctl, batches, small_batches
):
    keyword_file(adsctl, COUNT, wrong=2)
    batches.fail_batch(2, "status=403")  # after a request without the wrong one
    adsctl(*ADD, code=4)
    batches.before = lambda number: batches.fail()
    with_line(adsctl, 3, "none1", "9d4c1")
    done = adsctl(*ADD, "--resume")
    assert sorted(batches.keywords()) == words(COUNT) and "24 created" in done.stderr


@pytest.mark.parametrize("decided", ["skip", "resend", "looked up"])
def test_uncertain_records_of_a_touched_file(adsctl, batches, small_batches, decided):
    stopped(adsctl, batches, "status=500" if decided == "resend" else "reset-after")
    TOUCHED["reversed"](adsctl)
    if decided == "looked up":
        adsctl(*ADD, "--resume")
    else:
        adsctl(*ADD, "--resume", "--uncertain", decided)
    assert sorted(batches.keywords()) == words(COUNT)


def test_two_runs_that_are_unfinished_are_resumed_one_by_one(adsctl, batches, small_batches):
    stopped(adsctl, batches)
    rows = [lines(adsctl)[0], *(f"9d4c1,PHRASE_KEYWORD,word {n}" for n in range(2000, 2024))]
    adsctl.file("more.csv", "\n".join(rows))
    more = ("targeting", "add", "-f", "more.csv", "-o", "json")
    batches.fail_batch(3, "status=403")
    adsctl(*more, code=4)
    batches.before = lambda number: batches.fail()
    adsctl.file("keywords.csv", "\n".join([*lines(adsctl), *rows[1:]]))
    assert "with more.csv has not ended" in adsctl(*ADD, "--resume", code=11).stderr
    adsctl(*more, "--resume")
    keyword_file(adsctl, COUNT)
    adsctl(*ADD, "--resume")
    assert len(batches.keywords()) == 2 * COUNT == len({*batches.keywords()})


def test_a_discarded_run_says_what_is_given_up(adsctl, batches, small_batches):
    stopped(adsctl, batches, "reset-after")
    (job,) = list_jobs(adsctl)
    message = adsctl("jobs", "discard", job, "--yes").stderr
    assert "24 targeting criteria, of which 10 created, 10 uncertain" in message
    assert list_jobs(adsctl) == [job]
    shown = json.loads(adsctl("jobs", "show", job, "-o", "json").stdout)
    assert (shown["state"], shown["counts"], len(shown["ids"])) == (
        "discarded",
        {"created": 10, "failed": 0},
        10,
    )
    assert "no unfinished run with this file" in adsctl(*ADD, "--resume", code=11).stderr
    ended = adsctl(*ADD, code=9)
    assert "was sent before, at least in part, at" in ended.stderr and f"(job {job})" in ended.stderr
    assert "4 created, 20 failed" in ended.stderr
    for name in list_jobs(adsctl):
        assert "has ended" in adsctl("jobs", "discard", name, "--yes", code=2).stderr
    adsctl("jobs", "clean")
    assert list_jobs(adsctl) == []


def test_a_file_that_is_touched_after_a_finished_run_is_sent_with_a_warning(adsctl, batches):
    keyword_file(adsctl, 3)
    adsctl(*ADD)
    TOUCHED["line feeds of Windows"](adsctl)
    assert "keywords.csv was sent before" in adsctl(*ADD, "-q", code=9).stderr


def test_an_old_run_that_cannot_be_resumed_still_stops_the_next(adsctl, batches, small_batches):
    stopped(adsctl, batches)
    restore_from_copy(adsctl)
    adsctl("jobs", "clean")
    stored(adsctl, "UPDATE runs SET used = 0")
    adsctl("products", "push", adsctl.file("feed.csv", feed(1)))  # which removes jobs that are old
    TOUCHED["line feeds of Windows"](adsctl)
    adsctl(*ADD, code=11)
    assert "the state folder may be a copy" in adsctl(*ADD, "--resume", code=11).stderr
    assert len(batches.sent) == 2
