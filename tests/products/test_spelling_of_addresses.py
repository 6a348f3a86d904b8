"""One service is one place, however its address is spelled."""

import json
import signal

import pytest

from tests.conftest import SECRETS, feed
from tests.products.stopping import acknowledged, stop_at

ADDRESSES = ("ADSCTL_BASE_URL", "ADSCTL_ADS_URL", "ADSCTL_ADS_SANDBOX_URL")


@pytest.fixture(params=["a served emulator", "any service"])
def spellings(adsctl, service, request) -> list[dict[str, str]]:
    """The variables that spell the address of the service in several ways."""
    port = adsctl.env["ADSCTL_ADS_URL"].rpartition(":")[2]
    if request.param == "any service":  # which an emulator of its own variable is not
        adsctl.env.pop("ADSCTL_EMULATOR")
    hosts = ("http://127.0.0.1", "HTTP://LOCALHOST", "http://Localhost")
    ways = [f"{host}:{port}{end}" for host in hosts for end in ("", "/")]
    return [dict.fromkeys(ADDRESSES, way) for way in ways]


def test_changed_sends_nothing_again_under_another_spelling(shop, spellings):
    shop.push(feed(50), **spellings[0])
    for spelling in spellings[1:]:
        assert shop.push(**spelling)["skipped"] == 50


def test_changed_sends_what_was_overwritten_under_another_spelling(shop, spellings):
    shop.push(feed(50), **spellings[0])
    shop.push(feed(50, title="Other"), changed=False, **spellings[1])
    summary = shop.push(feed(50), **spellings[0])
    assert summary["skipped"] == 0 and summary["updated"] == 50


def test_resume_continues_under_another_spelling(adsctl, service, spellings):
    adsctl.file("feed.csv", feed(100))
    adsctl.env |= spellings[0]
    stop_at(adsctl, service, 2, signal.SIGKILL, "--concurrency", "1")
    assert len(acknowledged(adsctl)) == 2
    done = adsctl("products", "push", "feed.csv", "--resume", "-o", "json", **spellings[3])
    assert json.loads(done.stdout)["requests"] == 2


def test_a_stored_secret_is_sent_to_any_spelling_of_its_address_and_nowhere_else(adsctl, service, spellings):
    names = tuple(name.removeprefix("ADSCTL_").lower() for name in SECRETS)
    bound_to = sorted(set(spellings[0].values()))
    stored = {name: json.dumps([adsctl.env.pop(f"ADSCTL_{name.upper()}"), bound_to, ""]) for name in names}
    (adsctl.home / "config").mkdir()
    adsctl.file("config/secrets.json", json.dumps({"default": stored})).chmod(0o600)
    adsctl.env["ADSCTL_TOKEN_STORE"] = "file"
    for spelling in spellings:
        adsctl("accounts", "list", **spelling)
    for other in ("http://localhost:1", "https://ads.example"):
        assert "was not issued for" in adsctl("accounts", "list", code=4, ADSCTL_ADS_URL=other).stderr
