"""A catalog into which the service itself imports feeds: what these change is not known, and that is said."""

import pytest

from tests.conftest import feed
from tests.feeds.locations.file_server import serving

SCHEDULE = (
    "--feed-format",
    "CSV",
    "--frequency",
    "DAILY",
    "--start-time",
    "03:10",
    "--time-zone",
    "Europe/Berlin",
)
SAID = "note: the service itself imports feeds into this catalog, and what they change is not known here: "


@pytest.fixture
def service_name() -> str:
    return "x"


@pytest.fixture
def schedule(adsctl, service):
    def create() -> None:
        address = "https://shop:hush-hush@shop.example/feed.csv?key=4711-0815"
        adsctl("catalog", "feeds", "create", "--feed-url", address, *SCHEDULE)

    adsctl.file("feed.csv", feed(3))
    return create


def push(adsctl, *words: str) -> str:
    return adsctl("products", "push", "feed.csv", *words).stderr


def test_a_push_of_changes_names_the_scheduled_feeds_of_the_service(adsctl, schedule, service):
    assert SAID not in push(adsctl, "--changed")
    schedule()
    for words in (("--changed",), ("--changed", "--dry-run"), ("--changed", "--verify")):
        said = push(adsctl, *words)
        assert said.count(SAID) == 1 and "shop.example/feed.csv" in said
        assert "hush" not in said and "4711" not in said
    assert SAID not in push(adsctl)


def test_a_comparison_names_them(adsctl, schedule, service):
    push(adsctl)
    assert SAID not in adsctl("products", "diff", "feed.csv").stderr
    schedule()
    for command in ("diff", "sync"):
        assert adsctl("products", command, "feed.csv").stderr.count(SAID) == 1


def test_an_unchanged_feed_names_them_too(adsctl, schedule, service):
    schedule()
    with serving() as shop:
        shop.content = feed(3).encode()
        words = ("products", "push", shop.address("/feed.csv"), "--changed")
        adsctl(*words)
        done = adsctl(*words)
    assert "is unchanged since a push that succeeded" in done.stderr and SAID in done.stderr


@pytest.mark.parametrize("fault", ["status=403", "status=404", "status=503", "truncate"])
def test_a_listing_of_them_that_fails_is_passed_over_after_one_request(adsctl, schedule, service, fault):
    schedule()
    service.fail(f"GET */scheduled_feeds {fault} times=1")
    said = push(adsctl, "--changed", "--verbose")
    assert SAID not in said and "retrying" not in said and len(service.stored) == 3
    assert SAID in push(adsctl, "--changed")


def test_the_generic_service_is_not_asked(adsctl, schedule, service):
    schedule()
    service.emulator.service = "generic"
    done = adsctl("products", "push", "feed.csv", "--changed", "--debug", ADSCTL_SERVICE="generic")
    assert SAID not in done.stderr and "scheduled_feeds" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("DAILY", "--repeat", "MONDAY"), "--repeat: is not for frequency DAILY"),
        (("HOURLY",), "--repeat: must be one of 1, 2, 3, 4, 6, 8, 12"),
        (("HOURLY", "--repeat", "MONDAY"), "--repeat: must be one of 1, 2, 3, 4, 6, 8, 12"),
        (("WEEKLY",), "--repeat: must be a day"),
        (("WEEKLY", "--repeat", "3"), "--repeat: must be a day"),
    ],
)
def test_a_schedule_repeats_as_its_frequency_needs(adsctl, words, message):
    changed = ("catalog", "feeds", "update", "2qr94ocg7biz7bvp", "--frequency", *words)
    assert message in adsctl.local(*changed, code=2).stderr
