"""After a power failure at any moment nothing that was counted is lost, and the next run makes all right."""

import json
import os
import re
from contextlib import closing
from random import Random

import pytest

from tests.model.files import Feed, Keys, People
from tests.model.mishaps import Mishap
from tests.model.shop import AUDIENCE, Shop, summary_of
from tests.products.stopping import acknowledgements

from .recording import Restarted, crashes, record

# `make chaos` sets CRASHES to a number that takes them all.
CRASHES = int(os.environ.get("CRASHES", "2"))

WINTER, SPRING = Feed(1, 60, 1), Feed(1, 60, 2)
KEYS = Keys(1, 60)
PUSH = ("products", "push")
ONE_BY_ONE = ("--concurrency", 1, "-o", "json")
ONCE = ("--max-attempts", 1)
UNAVAILABLE = Mishap("503", 3, lasts=True)  # from the third request on


@pytest.fixture
def shop():
    with closing(Shop()) as found:
        found.file("first.csv", Feed(70, 5).text)
        found.file("winter.csv", WINTER.text)
        found.file("spring.csv", SPRING.text)
        found.file("keys.csv", KEYS.text(found.catalog))
        found.adsctl(*PUSH, "first.csv", "--changed")  # the folders exist
        yield found


def each_crash(shop, points):
    """Yield the machine after each power failure, or after some, chosen by a seed."""
    found = list(crashes(points))
    for point, tree, applied in Random(len(found)).sample(found, min(len(found), CRASHES)):
        with closing(Restarted(shop, tree, applied)) as restarted:
            yield point, restarted


def assert_held(shop, feed: Feed) -> None:
    held = shop.held()[0][shop.catalog]
    wrong = {id: held.get(id) for id, price in feed.valid.items() if held.get(id) != price}
    assert not wrong, f"{len(wrong)} products are not as the file says: {wrong}"


def acknowledged(shop) -> list[dict[str, int]]:
    return [ack.counts for ack in acknowledgements(shop)]


def test_what_was_counted_survives_and_a_resume_sends_the_rest(shop):
    earlier = sum(sum(counts.values()) for counts in acknowledged(shop))
    for point, restarted in each_crash(shop, record(shop, *PUSH, "winter.csv", *ONE_BY_ONE)):
        safe = acknowledged(restarted)
        assert sum(sum(counts.values()) for counts in safe) - earlier >= point.counted, point.after
        done = restarted.run(*PUSH, "winter.csv", "--resume", *ONE_BY_ONE)
        assert done.returncode == 0, done.stderr
        assert_held(restarted, WINTER)
        summary = summary_of(done)
        assert summary["created"] + summary["updated"] + summary["unchanged"] == WINTER.count


OTHERS = {
    "push": (*PUSH, "spring.csv", *ONE_BY_ONE),
    "push --changed": (*PUSH, "spring.csv", "--changed", *ONE_BY_ONE),
    "delete": ("products", "delete", "--from", "keys.csv", "--yes", *ONE_BY_ONE),
    "api PUT": ("api", "PUT", "/12/product_catalogs/{product_catalog_id}/products", "--input", "body.json"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_another_command_may_have_changed_is_sent_again(shop, other):
    """Winter is remembered, and half of it is acknowledged by a push that did not end."""
    shop.file("body.json", json.dumps({"products": SPRING.products[:25]}))
    assert shop.adsctl(*PUSH, "winter.csv", "--changed").returncode == 0
    for _, restarted in each_crash(shop, record(shop, *OTHERS[other])):
        done = restarted.run(*PUSH, "winter.csv", "--changed", *ONE_BY_ONE)
        assert done.returncode == 0, done.stderr
        assert_held(restarted, WINTER)


@pytest.mark.parametrize("other", OTHERS)
def test_a_push_that_another_command_may_have_overwritten_is_not_resumed(shop, other):
    shop.file("body.json", json.dumps({"products": SPRING.products[:25]}))
    stopped = shop.adsctl(*PUSH, "winter.csv", *ONE_BY_ONE, *ONCE, mishap=UNAVAILABLE)
    assert stopped.returncode == 8 and len(acknowledged(shop)) == 1 + 2
    for _, restarted in each_crash(shop, record(shop, *OTHERS[other])):
        done = restarted.run(*PUSH, "winter.csv", "--resume", *ONE_BY_ONE)
        assert done.returncode == 0, done.stderr
        assert_held(restarted, WINTER)


def test_a_resumed_delete_counts_what_an_unanswered_request_has_deleted(shop):
    assert shop.adsctl(*PUSH, "winter.csv").returncode == 0
    delete = OTHERS["delete"]
    for point, restarted in each_crash(shop, record(shop, *delete)):
        done = restarted.run(*delete, "--resume")
        held = restarted.held()[0][shop.catalog]
        assert not held.keys() & WINTER.valid.keys()
        if point.answered < 3 and "resuming" in done.stderr:
            assert summary_of(done)["deleted"] == KEYS.count, (point.after, done.stdout, done.stderr)


def test_a_resumed_sync_makes_the_catalog_equal_and_counts_what_an_unanswered_request_has_deleted(shop):
    assert shop.adsctl(*PUSH, "spring.csv").returncode == 0
    sync = ("products", "sync", "winter.csv", "--prune", "--yes", "--max-delete", "100%", *ONE_BY_ONE)
    for point, restarted in each_crash(shop, record(shop, *sync)):
        done = restarted.run(*sync, "--resume")
        assert done.returncode == 0, done.stderr
        assert restarted.held()[0][shop.catalog] == WINTER.valid
        summary = summary_of(done)
        written = sum(summary[status] for status in ("created", "updated", "unchanged", "skipped"))
        assert written == WINTER.count and not summary["failed"]
        if point.answered < 4 and "resuming" in done.stderr:
            assert summary["deleted"] == 5, (point.after, done.stdout, done.stderr)
        assert restarted.run(*PUSH, "winter.csv", "--changed").returncode == 0
        assert restarted.adsctl.changes == 0


def test_people_whom_another_list_may_have_removed_are_added_by_a_resume(shop):
    added, removed = People(0, 60, removes=False), People(0, 50, removes=False)
    shop.file("added.csv", added.text)
    shop.file("removed.csv", removed.text.replace("Update", "Delete"))
    push = ("audiences", "push", "--audience", AUDIENCE, "--users-per-operation", 1, *ONE_BY_ONE)
    shop.adsctl(*push, "added.csv", *ONCE, mishap=UNAVAILABLE)
    for _, restarted in each_crash(shop, record(shop, *push, "removed.csv")):
        done = restarted.run(*push, "added.csv", "--resume")
        assert done.returncode == 0, done.stderr
        assert restarted.held()[1] >= added.rows.keys()


def test_a_profile_is_as_before_or_as_it_was_set_and_stays_once_it_is_set(shop):
    words = ("profile", "set", "second", "ads_url=https://second.example", "catalog=7")
    (shop.home / "config" / "config.yaml").write_text(
        "profiles: {second: {ads_url: 'https://first.example'}}"
    )
    points = record(shop, *words)
    for point, restarted in each_crash(shop, points):
        done = restarted.run("profile", "show", "second", "-o", "json")
        shown = {one["setting"]: one["value"] for one in json.loads(done.stdout)}
        assert shown["ads_url"] in ("https://first.example", "https://second.example")
        if point.after == "end":
            assert shown["ads_url"] == "https://second.example"


def test_records_are_created_once_where_a_person_looks_whether_the_uncertain_ones_exist(shop):
    """A run that is not known has created nothing, or everything."""
    names = [f"Campaign {number:03}" for number in range(100)]
    shop.file("campaigns.csv", "name,funding_instrument_id\n" + "".join(f"{name},4a1n0\n" for name in names))
    create = ("campaigns", "create", "-f", "campaigns.csv", "-o", "json")
    for point, restarted in each_crash(shop, record(shop, *create)):
        done = restarted.run(*create, "--resume", "--max-wait", "1")  # which does not wait for lists
        if done.returncode == 12:
            told = restarted.run(*create).stderr
            assert "may have created" in told, told
            first = int(re.search(r"line (\d+)", done.stderr)[1])
            answer = "skip" if names[first - 2] in restarted.campaigns() else "resend"
            done = restarted.run(*create, "--resume", "--uncertain", answer)
        elif done.returncode == 11 and not restarted.campaigns():
            done = restarted.run(*create)
        assert restarted.campaigns() == names, (point.after, done.stderr)


SENT = {
    "update": ("campaigns", "update", "8wku2", "--name", "Spring"),
    "push": (*PUSH, "winter.csv", *ONE_BY_ONE),
    "api PUT": ("api", "PUT", "/12/accounts/{account_id}/campaigns/8wku2", "-f", "name=Spring"),
}


@pytest.mark.parametrize("command", SENT)
def test_what_was_sent_is_in_the_log_of_changes_after_a_power_failure(shop, command):
    def logged(restarted: Shop) -> int:
        return len(json.loads(restarted.adsctl("changes", "list", "-o", "json").stdout))

    earlier = logged(shop)
    points = [point for point in record(shop, *SENT[command]) if point.started]
    assert points
    for _, restarted in each_crash(shop, points):
        assert logged(restarted) > earlier
