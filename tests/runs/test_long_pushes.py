"""Pushes that take hours: what they say, and how they end."""

import itertools
import json
import signal
import time
from datetime import datetime, timedelta

import pexpect
import pytest
from msgspec.structs import replace

from ads_cli.api.products import PutProducts
from ads_cli.api.rates import AUDIENCE_USERS
from ads_cli.api.users import MAX_OPERATIONS, UpdateAudienceUsers
from ads_cli.client.rate_limiter import Wait
from ads_cli.client.shared_window import SharedWindow
from ads_cli.console import progress as progress_module
from ads_cli.console.progress import ProgressReport, progress
from ads_cli.output.messages import Messages
from tests.conftest import feed
from tests.stored import damage_table

RATE = PutProducts.endpoint.rates["x"]
ESTIMATE = "about 16 min at this service's limits"


@pytest.fixture
def long_feed(adsctl):
    """A feed of 640 requests, which one window does not hold."""
    adsctl.file("feed.csv", feed(16_000))


def use_up_the_window(adsctl, address: str) -> None:
    """Leave the window as a process does that has sent all that it may."""
    window = SharedWindow(
        adsctl.home / "state/caches/pace", f"{address} {adsctl.env['ADSCTL_ACCESS_TOKEN']}", RATE
    )
    assert [window.acquire().delay for _ in range(RATE.requests)] == [0.0] * RATE.requests


@pytest.fixture
def small_window(monkeypatch) -> int:
    """Make a window 24 requests long, in this process; return how many rows take 16 minutes."""
    monkeypatch.setitem(PutProducts.endpoint.rates, "x", replace(RATE, requests=24))
    return 640


def test_check_and_a_dry_run_estimate_how_long_a_push_takes(adsctl, small_window):
    adsctl.file("feed.csv", feed(small_window))
    assert ESTIMATE in adsctl("products", "check", "feed.csv", "--service", "x").stderr
    words = ("products", "push", "feed.csv", "--dry-run", "--catalog", "1")
    assert ESTIMATE in adsctl.local(*words, "--service", "x").stderr
    for said in (adsctl("products", "check", "feed.csv"), adsctl.local(*words)):
        assert "limits" not in said.stderr


def test_check_estimates_how_long_a_push_of_people_takes(adsctl, monkeypatch):
    monkeypatch.setitem(UpdateAudienceUsers.endpoint.rates, "x", replace(AUDIENCE_USERS, requests=2))
    user = {"email": ["0" * 64]}
    operations = [
        {"operation_type": verb, "params": {"users": [user]}}
        for verb in ("Update", "Delete") * (3 * MAX_OPERATIONS // 2)
    ]
    adsctl.file("people.json", json.dumps(operations))
    said = adsctl("audiences", "check", "people.json", "--service", "x").stderr
    assert "about 2 min at this service's limits" in said and "--changed" not in said
    adsctl.file("people.json", json.dumps(operations[: 2 * MAX_OPERATIONS]))
    assert "limits" not in adsctl("audiences", "check", "people.json", "--service", "x").stderr


def test_the_estimate_says_how_long_the_changed_rows_take(adsctl, small_window):
    adsctl.file("feed.csv", feed(small_window))
    catalog = ("--catalog", adsctl.local("catalog", "list", "-o", "ids").stdout.strip())
    adsctl.local("products", "push", "feed.csv", "--changed", *catalog)
    header, *rows = feed(small_window).splitlines()
    rows[:75] = (row.replace("12.50 EUR", "11.50 EUR") for row in rows[:75])
    adsctl.file("feed.csv", "\n".join([header, *rows]))
    for command in (("check", "feed.csv"), ("push", "feed.csv", "--dry-run")):
        said = adsctl.local("products", *command, *catalog, "--service", "x").stderr
        assert f"{ESTIMATE}; with --changed about 2 min" in said
    damage_table(adsctl, "products")
    said = adsctl.local("products", "check", "feed.csv", *catalog, "--service", "x").stderr
    assert ESTIMATE in said and "--changed" not in said


def test_a_push_that_fits_into_one_window_has_no_estimate(adsctl):
    adsctl.file("feed.csv", feed(1000))
    assert "limits" not in adsctl("products", "check", "feed.csv", "--service", "x").stderr


def test_progress_says_what_it_waits_for_until_when_and_the_time_left():
    report = ProgressReport("Pushing products", 100_000, lambda rows, delay: 5340.0, say=print)
    report(15_000)
    until = time.time() + 840
    report.on_wait(Wait("the limit is 600 requests in 15 min", 840.0, until))
    clock = time.strftime("%H:%M:%S", time.localtime(until))
    assert report.line == (
        "Pushing products: 15,000 of 100,000 rows, about 1 h 29 min left; "
        f"waiting until {clock}: the limit is 600 requests in 15 min"
    )
    report.on_wait(Wait("over", 0.0, time.time() - 1))
    assert report.line == "Pushing products: 15,000 of 100,000 rows, about 1 h 29 min left"


def test_a_wait_may_end_while_it_is_told(monkeypatch):
    report = ProgressReport("Pushing products", 10, lambda rows, delay: 0.0, say=print)
    report.on_wait(Wait("the limit is 600 requests in 15 min", 5.0, 105.0))
    for asked in range(5):
        moments = itertools.chain([104.0] * asked, itertools.repeat(106.0))
        monkeypatch.setattr(progress_module.time, "time", moments.__next__)
        assert report.line.startswith("Pushing products: 0 of 10 rows")


def test_lines_are_written_while_a_push_waits(monkeypatch, capsys):
    monkeypatch.setattr(progress_module, "LINE_INTERVAL_SECONDS", 0.01)
    presentation = type("Presentation", (), {"quiet": False, "verbose": False, "color": "never"})
    with progress(Messages(presentation), "Pushing products", 10) as report:
        report(3)
        deadline = time.monotonic() + 30
        while (said := capsys.readouterr().err).count("Pushing products: 3 of 10 rows") < 1:
            assert time.monotonic() < deadline, said


def test_the_bar_on_a_terminal_says_until_when_it_waits_and_the_time_left(remote, long_feed):
    use_up_the_window(remote, remote.env["ADSCTL_ADS_URL"])
    words = ("products", "push", "feed.csv", "--catalog", "1", "--service", "x")
    child = remote.terminal(*words, width=120, NO_COLOR="1")
    # Left are this window and the whole of the next, which does not hold 640 requests.
    child.expect(r"Pushing products, waiting until (\d\d:\d\d:\d\d) .* 0/16000 .*?(2[89]|30) min left")
    until = datetime.strptime(child.match[1], "%H:%M:%S")
    now = datetime.strptime(time.strftime("%H:%M:%S"), "%H:%M:%S")
    assert timedelta(minutes=13) < (until - now) % timedelta(days=1) <= timedelta(minutes=15)
    child.sendintr()
    child.expect("resume with: adsctl products push feed.csv")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130


def test_ctrl_c_ends_a_wait_for_the_next_window_at_once_and_says_how_to_resume(remote):
    remote.file("feed.csv", feed(100))
    use_up_the_window(remote, remote.env["ADSCTL_ADS_URL"])
    running = remote.popen("products", "push", "feed.csv", "--catalog", "1", "--service", "x")
    said = b""
    while b"waiting until" not in said:
        line = running.stderr.readline()
        assert line, said
        said += line
    assert b"100 rows" in said and b"the limit is 600 requests in 15 min" in said
    sent = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, rest = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"resume with: adsctl products push feed.csv --catalog 1 --service x --resume" in rest
    assert time.monotonic() - sent < 30
