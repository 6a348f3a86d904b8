"""Stories that the model tells in a thousand ways, each told once and plainly."""

from contextlib import closing
from itertools import product

import pytest

from tests.effort import THOROUGH, tries

from .files import Feed, Keys, People
from .mishaps import NOTHING, Mishap
from .shop import ADDRESSES, AUDIENCE, Shop, summary_of

DAY = 86400.0
WINTER, SPRING = Feed(1, 100, 1), Feed(1, 100, 2)
STOP = Mishap("503", 3, lasts=True)  # from the third request on
ONE_BY_ONE = ("--concurrency", 1, "--max-attempts", 1, "-o", "json")
PUSH = ("products", "push", "winter.csv", *ONE_BY_ONE)
PUSH_SPRING = ("products", "push", "spring.csv", *ONE_BY_ONE)
PRODUCTS = "/12/product_catalogs/{product_catalog_id}/products"
RATE_LIMITED, UNAVAILABLE = 7, 8
SPELLINGS = range(len(ADDRESSES) + 1) if THOROUGH else (len(ADDRESSES) - 1, len(ADDRESSES))


@pytest.fixture
def shop():
    with closing(Shop()) as made:
        made.file("winter.csv", WINTER.text)
        made.file("spring.csv", SPRING.text)
        yield made


def stop_winter(shop: Shop, **env: str) -> None:
    """Push until two of four batches are acknowledged."""
    done = shop.adsctl(*PUSH, mishap=STOP, **env)
    assert done.returncode == UNAVAILABLE and summary_of(done)["created"] == 50, done.stderr


def resume_winter(shop: Shop, *options: object, requests: int, **env: str) -> None:
    """Resume, and hold the catalog against the file."""
    done = shop.adsctl(*PUSH, "--resume", *options, **env)
    assert done.returncode == 0, done.stderr
    assert_held(shop, WINTER)
    assert sum(summary_of(done)[status] for status in ("created", "updated", "unchanged")) == WINTER.count
    assert shop.adsctl.changes == requests, done.stderr


def assert_held(shop: Shop, feed: Feed) -> None:
    held = shop.held()[0][shop.catalog]
    wrong = {id: held.get(id) for id, price in feed.valid.items() if held.get(id) != price}
    assert not wrong, f"{len(wrong)} products are not as the file says: {wrong}"


@pytest.mark.parametrize("second", SPELLINGS)
def test_a_push_is_resumed_at_any_spelling_of_its_address_and_sends_the_rest_only(shop, second):
    stop_winter(shop, **shop.access(0))
    catalog = ("--catalog", shop.catalog)
    resume_winter(shop, *catalog, requests=2, **shop.access(second))


def test_a_push_is_resumed_in_another_year_and_after_the_journals_of_others_were_removed(shop):
    stop_winter(shop)
    shop.adsctl.clock += 400 * DAY
    assert shop.adsctl("jobs", "clean").returncode == 0
    resume_winter(shop, requests=2)


OTHERS = ("push", "push without an answer", "delete", "api PUT", "api DELETE")
LATER = ("at once", "jobs clean", "a clock set back", "40 days later")
EVERY = [*product(LATER, OTHERS)]
IN_TURN = [*zip((LATER[0], *LATER, LATER[0]), (*OTHERS, "delete"), strict=True)]


@pytest.mark.parametrize(("later", "other"), EVERY if THOROUGH else IN_TURN)
def test_a_push_is_not_resumed_where_anything_else_may_have_changed_its_catalog(shop, other, later):
    stop_winter(shop)
    shop.adsctl.clock -= 3 * DAY if later == "a clock set back" else 0
    change_products(shop, other)
    if later == "jobs clean":
        assert shop.adsctl("jobs", "clean").returncode == 0
    if later == "40 days later":
        shop.adsctl.clock += 40 * DAY
        shop.file("hotfix.csv", Feed(500, 1).text)
        catalog = shop.catalogs[1]  # pushed to elsewhere, which tidies the journals
        assert shop.adsctl("products", "push", "hotfix.csv", "--catalog", catalog).returncode == 0
    resume_winter(shop, requests=4)


def change_products(shop: Shop, how: str) -> None:
    keys = Keys(1, 20)
    shop.file("keys.csv", keys.text(shop.catalog))
    shop.json_file("PUT.json", {"products": SPRING.products[:20]})
    shop.json_file("DELETE.json", {"product_keys": keys.of(shop.catalog)})
    words, mishap, code = {
        "push": (PUSH_SPRING, NOTHING, 0),
        "push without an answer": (PUSH_SPRING, Mishap("504 and applied", lasts=True), UNAVAILABLE),
        "delete": (("products", "delete", "--from", "keys.csv", "--yes"), NOTHING, 0),
        "api PUT": (("api", "PUT", PRODUCTS, "--input", "PUT.json"), NOTHING, 0),
        "api DELETE": (("api", "DELETE", PRODUCTS, "--input", "DELETE.json"), NOTHING, 0),
    }[how]
    assert shop.adsctl(*words, mishap=mishap).returncode == code


def test_nothing_is_resumed_and_nothing_left_out_from_a_state_folder_that_was_restored(shop):
    stop_winter(shop)
    shop.save_state()
    assert shop.adsctl(*PUSH_SPRING).returncode == 0
    shop.restore_state()
    resume_winter(shop, requests=4)
    assert shop.adsctl(*PUSH, "--changed").returncode == 0
    shop.save_state()
    assert shop.adsctl(*PUSH_SPRING).returncode == 0
    shop.restore_state()
    assert shop.adsctl(*PUSH, "--changed").returncode == 0
    assert_held(shop, WINTER)


@pytest.mark.parametrize("second", SPELLINGS)
def test_what_was_pushed_by_another_spelling_of_the_address_is_not_left_out(shop, second):
    catalog = ("--catalog", shop.catalog)
    assert shop.adsctl(*PUSH, *catalog, "--changed").returncode == 0
    assert shop.adsctl(*PUSH_SPRING, *catalog, **shop.access(second)).returncode == 0
    assert shop.adsctl(*PUSH, *catalog, "--changed").returncode == 0
    assert_held(shop, WINTER)


def test_an_answer_that_is_no_answer_is_neither_success_nor_refusal(shop):
    done = shop.adsctl(*PUSH, mishap=Mishap("no data and applied", 3, lasts=True))
    assert done.returncode == UNAVAILABLE
    assert (summary_of(done)["created"], summary_of(done)["failed"]) == (50, 0)
    resume_winter(shop, requests=2)


DELETE = ("products", "delete", "--from", "keys.csv", "--yes", *ONE_BY_ONE)


def test_keys_that_do_not_exist_are_never_reported_as_deleted(shop):
    shop.file("keys.csv", Keys(1, 60).text(shop.catalog))
    assert shop.adsctl(*DELETE, mishap=Mishap("429", 1, lasts=True)).returncode == RATE_LIMITED
    done = shop.adsctl(*DELETE, "--resume")
    assert done.returncode == 9 and summary_of(done)["deleted"] == 0


@pytest.mark.parametrize("lost", ["504 and applied", "reset and applied", "kill after it is applied"])
def test_what_was_deleted_without_an_answer_counts_as_deleted_by_a_resume(shop, lost):
    assert shop.adsctl(*PUSH).returncode == 0
    shop.file("keys.csv", Keys(1, 60).text(shop.catalog))
    shop.adsctl(*DELETE, mishap=Mishap(lost, 2, lasts=True))
    done = shop.adsctl(*DELETE, "--resume")
    assert done.returncode == 0 and summary_of(done)["deleted"] == 60


LIST = ("audiences", "push", "people.csv", "--audience", AUDIENCE, "--users-per-operation", 1, *ONE_BY_ONE)


@pytest.mark.parametrize("options", [(), ("--skip-invalid",)])
def test_people_whose_membership_ends_before_a_resume_displace_nobody(shop, options):
    people = People(1, 80, removes=False, expires_at=shop.now + DAY)
    shop.file("people.csv", people.text)
    assert shop.adsctl(*LIST, *options, mishap=STOP).returncode == UNAVAILABLE
    shop.adsctl.clock += 2 * DAY
    done = shop.adsctl(*LIST, *options, "--resume")
    assert done.returncode == 9, done.stderr
    members, summary = shop.held()[1], summary_of(done)
    assert members >= {email for email, (_, end) in people.rows.items() if end is None}
    assert summary["accepted"] == len(members) and summary["accepted"] + summary["failed"] == 80


@pytest.mark.parametrize(("before", "after"), [(20, 15), (15, 20), (20, 40), (40, 20)][:: tries(2, 1)])
def test_batches_that_a_new_version_cuts_differently_lose_nobody(shop, before, after):
    people = People(1, 90, removes=False)
    shop.file("people.csv", people.text)
    shop.adsctl.operations_of_a_request = before
    stopped = shop.adsctl(*LIST, mishap=Mishap("503", 2, lasts=True))
    assert stopped.returncode == UNAVAILABLE and summary_of(stopped)["accepted"] == before
    shop.adsctl.operations_of_a_request = after
    done = shop.adsctl(*LIST, "--resume")
    assert done.returncode == 0, done.stderr
    assert shop.held()[1] == people.rows.keys() and summary_of(done)["accepted"] == 90


def test_batches_that_there_are_no_longer_are_not_counted(shop):
    people = People(1, 90, removes=False)
    shop.file("people.csv", people.text)
    shop.adsctl.operations_of_a_request = 15
    stopped = shop.adsctl(*LIST, mishap=Mishap("503", 4, lasts=True))
    assert stopped.returncode == UNAVAILABLE and summary_of(stopped)["accepted"] == 45
    shop.adsctl.operations_of_a_request = 100
    done = shop.adsctl(*LIST, "--resume")
    assert done.returncode == 0 and summary_of(done)["accepted"] == 90 and shop.adsctl.changes == 1
