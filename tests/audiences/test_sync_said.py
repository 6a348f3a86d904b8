"""What audiences sync and diff say, and what they remember and when they end."""

import json
import time

import pytest
import time_machine

from ads_cli.audiences.sync_plan import ListSyncPlan
from ads_cli.audiences.upload import UserUpload
from ads_cli.errors import UnavailableError
from ads_cli.runs.job import GROUP_VARIABLE
from ads_cli.store.epochs import UploadTarget, WriteEpochs
from tests.audiences.lists import List, people


@pytest.fixture
def customers(adsctl) -> List:
    return List(adsctl)


@pytest.mark.parametrize(("minutes", "is_said"), [(0, True), (5 * 60 + 50, True), (6 * 60 + 10, False)])
def test_a_list_that_was_changed_in_the_last_hours_is_noted_before_it_is_changed_again(
    customers, minutes, is_said
):
    with time_machine.travel(time.time() - 60 * minutes, tick=True):
        customers.sync(people(1))
        assert "ago, and" not in customers.said
    customers.sync(people(1))
    assert "ago, and" not in customers.said  # nothing is changed
    customers.sync(people(1, 2))
    (line_said,) = [line for line in customers.said.splitlines() if "ago, and" in line] or [""]
    assert line_said.startswith(f"warning: Spring buyers 2026 ({customers.audience}) was changed ") is is_said
    assert ("the service takes 6 to 8 hours for a change" in line_said) is is_said
    customers.sync(people(1, 2, 3), "-q")
    assert not customers.said


def test_a_dry_run_warns_that_more_would_be_deleted_than_may_be(customers):
    customers.sync(people(*range(20)))
    words = ("sync", "people.csv", "--prune", "--dry-run", "-q")
    customers.run(*words, people=people(*range(3, 20)))
    assert "warning: 3 of 20 acknowledged people are not in the file" in customers.said
    customers.run(*words, people=people(*range(2, 20)))
    assert "not in the file" not in customers.said


def test_only_a_file_that_was_sent_whole_counts_for_min_rows(customers, monkeypatch):
    def fail(*args, **options):
        raise UnavailableError("gone")

    customers.sync(people(*range(10)))
    with monkeypatch.context() as patch:
        patch.setattr(UserUpload, "send", fail)
        customers.run("sync", "people.csv", people=people(*range(20, 25)), code=8)
    customers.run("sync", "people.csv", "--dry-run")
    customers.run("sync", "people.csv", "--min-rows", "90%", code=12)
    assert "of the 10 of its last push" in customers.said
    customers.run("sync", "people.csv")
    customers.run("sync", "people.csv", "--min-rows", "90%")


@pytest.mark.parametrize("names", [("part-*.csv",), ("part-1.csv",), ("customers-of-today.csv",)])
def test_min_rows_compares_with_the_last_sync_that_pruned_whatever_files_it_had(customers, names):
    customers.write(people(*range(10)), "part-1.csv")
    customers.write(people(*range(10, 20)), "part-2.csv")
    sync = ("audiences", "sync", "--audience", customers.audience, "--prune", "--max-delete", "100%", "-y")
    customers.adsctl.local(*sync, "part-*.csv")
    customers.write(people(*range(10)), "customers-of-today.csv")
    (customers.adsctl.home / "part-2.csv").unlink()  # it was not exported tonight
    refused = customers.adsctl.local(*sync, *names, "--min-rows", "90%", code=12)
    assert "has 10 rows, 50 % of the 20 of the last sync with --prune" in refused.stderr
    assert customers.equals(people(*range(20)))
    customers.adsctl.local(*sync, *names, "--min-rows", "50%")
    assert customers.equals(people(*range(10)))


@pytest.mark.parametrize(("words", "code"), [(["--prune"], 11), ([], 0)])
def test_in_a_fleet_only_a_sync_that_prunes_ends_where_something_else_changes_the_list_meanwhile(
    customers, monkeypatch, words, code
):
    customers.sync(people(1, 2))
    monkeypatch.setitem(customers.adsctl.env, GROUP_VARIABLE, "a-fleet")
    (ledger,) = json.loads(customers.adsctl.local("audiences", "remembered", "-o", "json").stdout)
    place = UploadTarget(ledger["service"], "custom_audience", customers.audience)
    compare = ListSyncPlan.compare

    def compared(plan):
        WriteEpochs(customers.adsctl.home / "state").begin(place)
        return compare(plan)

    monkeypatch.setattr(ListSyncPlan, "compare", compared)
    words = ("sync", "people.csv", "--max-delete", "100%", *words)
    customers.run(*words, people=people(2, 3), code=code)
    assert customers.equals(people(1, 2) if code else people(1, 2, 3))


def test_a_diff_ends_with_10_where_a_sync_with_the_same_options_would_change_the_list(customers):
    customers.sync(people(1, 2))
    assert customers.run("diff", "people.csv", people=people(1))["missing"] == 1
    assert customers.run("diff", "people.csv", "--prune", code=10)["deleted"] == 1
    said = customers.adsctl("audiences", "diff", "--help").stdout
    assert "Ends with 10 if a sync with the same options would change the audience" in " ".join(said.split())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["sync", "--skip-invalid"], 9),
        (["diff", "--skip-invalid"], 9),
        (["sync"], 3),
        (["diff"], 3),
        (["check"], 3),
        (["hash", "--skip-invalid"], 9),
        (["push", "--skip-invalid"], 9),
    ],
)
def test_it_is_said_that_the_file_of_rejected_rows_holds_people_in_clear(customers, words, code):
    customers.adsctl.file("people.csv", "email\nu1@x.de\nann at x.de\n")
    command, *options = words
    to = ("--audience", customers.audience) if command in ("sync", "diff", "push") else ()
    line = ("audiences", command, "people.csv", *to, *options, "-y")
    said = "failed.csv contains people as you gave them; others can read it too (mode 0644)"
    done = customers.adsctl.local(*line, "--failed-out", "failed.csv", code=code)
    assert done.stderr.count(said) == 1
    assert (customers.adsctl.home / "failed.csv").read_text().splitlines()[1].startswith("ann at x.de,")
    assert (customers.adsctl.home / "failed.csv").stat().st_mode & 0o777 == 0o644
    assert said not in customers.adsctl.local(*line, code=code).stderr
    (customers.adsctl.home / "failed.csv").chmod(0o600)
    done = customers.adsctl.local(*line, "--failed-out", "failed.csv", code=code)
    assert "only you can read it (mode 0600)" in done.stderr
