"""What is created is created once: an answer that is lost is never followed by the same request unasked."""

import fcntl
import json
import os
import random
import threading

import pytest

from ads_cli.commands.runs import sending
from ads_cli.runs import creations
from tests.adsctl import ROOT
from tests.effort import tries
from tests.products.stopping import list_jobs
from tests.records.conftest import ADD, COUNT, SIZE, keyword_file, words
from tests.stored import restore_from_copy, stored

# What a process reads at its start: batches as small as `small_batches` makes them in this one.
SITE = f"""
from msgspec.structs import replace
from ads_cli.api.targeting import AddCriterion
declared = AddCriterion.endpoint
AddCriterion.endpoint = replace(declared, batch=replace(declared.batch, size={SIZE}))
"""


def values_of(done) -> list[str]:
    return [record["targeting_value"] for record in json.loads(done.stdout)]


def error_of(done) -> dict:
    return json.loads(done.stderr.splitlines()[-1])["error"]


def test_a_file_is_sent_in_order_and_shown_as_one_list(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    done = adsctl(*ADD)
    assert values_of(done) == words(COUNT) == batches.keywords()
    assert [len(sent) for sent in batches.sent] == [SIZE, SIZE, COUNT - 2 * SIZE]
    assert "keywords.csv: 24 targeting criteria: 24 created" in done.stderr


@pytest.mark.parametrize("fault", ["reset-after", "garbage", "truncate", "status=500"][: tries(2, 4)])
def test_a_lost_answer_is_told_as_uncertain_and_not_sent_again(adsctl, batches, small_batches, fault):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, fault)
    done = adsctl(*ADD, code=8)
    assert values_of(done) == words(SIZE) and len(batches.sent) == 2
    error = error_of(done)
    assert "lines 12 to 21: 10 targeting criteria may be created" in error["message"]
    assert "--uncertain skip" in error["hint"] and "--resume" in error["hint"]
    refused = adsctl(*ADD, code=11)
    assert "which looks up what a lost answer has created" in refused.stderr and len(batches.sent) == 2


def test_a_single_record_is_told_in_the_singular(adsctl, batches, small_batches):
    keyword_file(adsctl, SIZE + 1)
    batches.fail_batch(1, "reset-after")
    lost = adsctl(*ADD, code=8).stderr
    assert "line 12: 1 targeting criterion may be created" in lost
    assert "--resume looks up whether it exists, and sends again it where it does not" in lost


def test_uncertain_records_that_exist_are_skipped(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "reset-after")
    adsctl(*ADD, code=8)
    done = adsctl(*ADD, "--resume", "--uncertain", "skip")
    assert values_of(done) == words(COUNT)[:SIZE] + words(COUNT)[2 * SIZE :]
    assert "14 created, 10 uncertain" in done.stderr
    assert batches.keywords() == words(COUNT)


def test_uncertain_records_that_do_not_exist_are_sent_again(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "status=500")
    adsctl(*ADD, code=8)
    done = adsctl(*ADD, "--resume", "--uncertain", "resend")
    assert values_of(done) == words(COUNT) == batches.keywords()


@pytest.mark.parametrize("fault", ["status=429", "status=400", "status=403"])
def test_what_was_not_applied_is_resumed_without_a_question(adsctl, batches, small_batches, fault):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, fault)
    adsctl(*ADD, "--max-attempts", "1", code=None)
    batches.before = lambda number: batches.fail()
    done = adsctl(*ADD, "--resume")
    assert values_of(done) == words(COUNT) == batches.keywords()


def test_an_unfinished_file_is_not_begun_again(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "status=403")
    adsctl(*ADD, code=4)
    refused = error_of(adsctl(*ADD, code=11))
    assert "has not ended, and may have created some of its records" in refused["message"]
    (job,) = list_jobs(adsctl)
    assert f"adsctl jobs discard {job}" in refused["hint"] and "--resume" in refused["hint"]
    assert len(batches.sent) == 2
    for more in ((), ("--all",)):
        assert f"would be created again: {job}" in adsctl("jobs", "clean", *more, "--yes").stderr
    assert "adsctl jobs discard" in adsctl("jobs", "clean", job, "--yes", code=2).stderr
    message = adsctl("jobs", "discard", job, code=12).stderr
    assert "24 targeting criteria, of which 10 created: the next run with keywords.csv" in message
    adsctl("jobs", "discard", job, "--yes")
    batches.before = lambda number: batches.fail()
    again = adsctl(*ADD, code=9)  # the emulator takes no keyword of a line item twice
    assert "14 created, 10 failed" in again.stderr


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_nothing_is_created_while_what_was_sent_cannot_be_read(adsctl, batches, small_batches, more):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "status=403")
    adsctl(*ADD, code=4)
    path = adsctl.home / "state" / "state.db"
    path.write_bytes(path.read_bytes()[:50] + bytes(4096))
    assert "is damaged" in adsctl(*ADD, *more, code=11).stderr
    assert len(batches.sent) == 2


def test_a_run_that_begins_and_ends_while_another_one_starts_is_seen(adsctl, batches, monkeypatch):
    real = sending.open_journal

    def after_another_run(*values, **options):
        monkeypatch.setattr(sending, "open_journal", real)
        adsctl(*ADD)
        return real(*values, **options)

    monkeypatch.setattr(sending, "open_journal", after_another_run)
    keyword_file(adsctl, 3)
    assert "something else was sent to" in adsctl(*ADD, code=11).stderr
    assert len(batches.sent) == 1


def test_a_run_that_begins_with_the_same_records_in_another_file_while_one_starts_is_seen(
    adsctl, batches, small_batches, monkeypatch
):
    real = sending.open_journal
    keyword_file(adsctl, COUNT)
    lines = (adsctl.home / "keywords.csv").read_text()
    adsctl.file("again.csv", lines + "\n")
    other = ["again.csv" if word == "keywords.csv" else word for word in ADD]

    def after_another_run(*values, **options):
        monkeypatch.setattr(sending, "open_journal", real)
        batches.fail_batch(1, "status=403")
        adsctl(*other, code=4)
        return real(*values, **options)

    monkeypatch.setattr(sending, "open_journal", after_another_run)
    refused = error_of(adsctl(*ADD, code=11))
    assert "again.csv has not ended" in refused["message"]
    assert len(batches.sent) == 2 and len(list_jobs(adsctl)) == 1


def test_a_run_that_begins_before_another_one_with_the_same_records_has_sent_any_is_refused(
    adsctl, batches, monkeypatch
):
    real = creations.require_no_other_run
    keyword_file(adsctl, 3)
    adsctl.file("again.csv", (adsctl.home / "keywords.csv").read_text() + "\n")
    other = ["again.csv" if word == "keywords.csv" else word for word in ADD]

    def before_another_run(journal, creation):
        real(journal, creation)
        monkeypatch.setattr(creations, "require_no_other_run", real)
        assert "keywords.csv has not ended" in error_of(adsctl(*other, code=11))["message"]

    monkeypatch.setattr(creations, "require_no_other_run", before_another_run)
    assert values_of(adsctl(*ADD)) == words(3)
    assert len(batches.sent) == 1


def test_other_options_do_not_resume_it(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "status=403")
    adsctl(*ADD, code=4)
    refused = adsctl(*ADD, "--resume", "--operator-type", "NE", code=11)
    assert "with its own options and version of adsctl it can be resumed: adsctl targeting" in refused.stderr
    restore_from_copy(adsctl)
    assert "the state folder may be a copy" in adsctl(*ADD, "--resume", code=11).stderr


def test_what_was_created_and_not_shown_is_shown_by_the_next_run_and_sent_by_none(adsctl, batches):
    keyword_file(adsctl, COUNT)
    process = adsctl.popen(*ADD)
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    os.read(process.stdout.fileno(), 1)  # the rest does not fit into the pipe
    process.kill()
    process.communicate()
    refused = error_of(adsctl(*ADD, code=11))
    assert "has not ended" in refused["message"] and "--resume" in refused["hint"]
    assert values_of(adsctl(*ADD, "--resume")) == words(COUNT) == batches.keywords()
    assert len(batches.sent) == 1


def test_a_run_that_has_ended_names_what_it_created(adsctl, batches):
    keyword_file(adsctl, 2)
    ids = [load["id"] for load in json.loads(adsctl(*ADD).stdout)]
    (job,) = list_jobs(adsctl)
    refused = error_of(adsctl(*ADD, "--resume", code=11))
    assert "has ended" in refused["message"] and f"adsctl jobs show {job}" in refused["hint"]
    assert json.loads(adsctl("jobs", "show", job, "-o", "json").stdout)["ids"] == ids
    assert len(batches.sent) == 1
    message = adsctl(*ADD, "-q", code=9).stderr  # also at night
    assert "warning: keywords.csv was sent before" in message and f"(job {job})" in message
    assert "all its targeting criteria are sent again" in message and len(batches.sent) == 2


def test_a_rejected_record_is_left_out_of_what_is_sent_again(adsctl, batches):
    keyword_file(adsctl, 5, wrong=2)
    done = adsctl(*ADD, "--failed-out", "failed.csv", code=9)
    expected = [word for number, word in enumerate(words(5)) if number != 2]
    assert values_of(done) == expected == batches.keywords()
    assert [len(sent) for sent in batches.sent] == [5, 4]
    assert "keywords.csv:4: rejected" in done.stderr and "failed.csv" in done.stderr
    assert (
        (adsctl.home / "failed.csv")
        .read_text()
        .splitlines()[1]
        .startswith("none1,PHRASE_KEYWORD,word 0002,4,")
    )


def test_jobs_show_a_creation(adsctl, batches, small_batches):
    keyword_file(adsctl, COUNT)
    batches.fail_batch(1, "status=403")
    adsctl(*ADD, code=4)
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert {name: job[name] for name in ("action", "state", "rows", "sent", "noun", "file")} == {
        "action": "create",
        "state": "unfinished",
        "rows": COUNT,
        "sent": SIZE,
        "noun": "targeting criteria",
        "file": "keywords.csv",
    }
    assert "--resume" in json.loads(adsctl("jobs", "show", job["job"], "-o", "json").stdout)["resume"]


def killed(adsctl, batches, number: int, after: bool) -> None:
    """Start a run, and kill it while it waits for the answer of a batch."""
    reached, go_on = threading.Event(), threading.Event()

    def before(current: int) -> None:
        batches.fail()
        if current == number:
            reached.set()
            go_on.wait(20)
            if not after:
                batches.fail("POST /12/batch/* status=500")

    batches.before = before
    adsctl.file("sitecustomize.py", SITE)
    process = adsctl.popen(*ADD, PYTHONPATH=f"{adsctl.home}:{ROOT}")
    assert reached.wait(60), process.communicate()
    process.kill()
    process.communicate()
    go_on.set()
    batches.service.settle()
    batches.before = lambda number: batches.fail()


@pytest.mark.parametrize("seed", range(tries(1, 12)))
def test_a_killed_run_creates_nothing_twice_and_loses_nothing(adsctl, batches, small_batches, seed):
    """Once a list would show it, it tells what became of the uncertain batch."""
    chance = random.Random(seed)
    keyword_file(adsctl, COUNT)
    killed(adsctl, batches, chance.randrange(3), after=chance.random() < 0.5)
    stored(adsctl, "UPDATE sends SET at = at - 120")  # somebody waits
    adsctl(*ADD, "--resume")
    assert batches.keywords() == words(COUNT)


def test_a_delete_whose_answer_was_lost_is_sent_again_and_counts(adsctl, batches):
    keyword_file(adsctl, 4)
    ids = "".join(f"{record['id']}\n" for record in json.loads(adsctl(*ADD).stdout))
    adsctl.file("ids.csv", f"id\n{ids}")
    batches.before = lambda number: None
    batches.fail("POST /12/batch/* reset-after times=1")
    done = adsctl("targeting", "delete", "-f", "ids.csv", "--yes", "-o", "json")
    assert "4 deleted" in done.stderr and batches.keywords() == []
