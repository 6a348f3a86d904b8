"""The file of --report: an earlier page is replaced, nobody else's file is, and it holds no secret."""

import stat

import pytest

from ads_cli.report import START
from tests.conftest import SECRETS, feed
from tests.report.reading import read

CHECK = ("products", "check", "feed.csv", "--report")


@pytest.fixture
def shop(adsctl):
    adsctl.file("feed.csv", feed(3))
    return adsctl


def test_the_page_of_last_night_is_replaced_and_stays_readable_to_whom_it_was(shop):
    said = shop(*CHECK, "feed.html").stderr
    assert said.endswith("feed.html: a page about this run\n")
    path = shop.home / "feed.html"
    path.chmod(0o640)
    shop.file("feed.csv", feed(5))
    shop(*CHECK, "feed.html")
    assert "All 5 products" in read(path).text and stat.S_IMODE(path.stat().st_mode) == 0o640


def test_an_empty_file_is_replaced(shop):
    shop.file("feed.html", "")
    shop(*CHECK, "feed.html")


@pytest.mark.parametrize(
    "content",
    [
        "<!doctype html><html><head><meta name=generator content=adsctl>",
        START.replace("adsctl", "other"),
        "a note\n",
        b"\xff\xfe\x00",
    ],
)
def test_a_file_that_adsctl_did_not_write_needs_force(shop, content):
    path = shop.file("feed.html", content)
    before = path.read_bytes()
    said = shop(*CHECK, "feed.html", code=2).stderr
    assert "--report: feed.html exists and is not a page that adsctl wrote" in said and "--force" in said
    assert path.read_bytes() == before
    shop(*CHECK, "feed.html", "--force")
    assert "All 3 products" in read(path).text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("-", "- is not a file"),
        ("missing/feed.html", "the folder missing does not exist"),
        ("state", "state is a folder"),
        ("feed.csv", "feed.csv is the input file"),
        ("./bad.csv", "bad.csv is named twice, by --failed-out too"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_anything_is_done(shop, service, name, reason):
    (shop.home / "state").mkdir(exist_ok=True)
    words = ("products", "push", "feed.csv", "--failed-out", "bad.csv", "--force", "--report", name)
    assert f"--report: {reason}" in shop(*words, code=2).stderr
    assert service.puts == [] and not (shop.home / "bad.csv").exists()
    assert (shop.home / "feed.csv").read_text() == feed(3)


def test_a_push_that_succeeded_says_that_its_page_could_not_be_written(shop, service):
    (shop.home / "pages").mkdir()
    service.before = lambda put: (shop.home / "pages").rmdir()
    said = shop("products", "push", "feed.csv", "--report", "pages/feed.html", code=2).stderr
    assert "pages/feed.html" in said and len(service.stored) == 3


def test_the_error_of_a_run_counts_more_than_that_of_its_page(shop, service):
    def before(put: int) -> None:
        (shop.home / "pages").rmdir()
        service.fail("PUT * status=400")

    (shop.home / "pages").mkdir()
    service.before = before
    said = shop("products", "push", "feed.csv", "--report", "pages/feed.html", code=6).stderr
    assert "warning: pages/feed.html" in said


def test_the_page_holds_no_secret(shop, service):
    """Neither those that were read, wherever the feed repeats them, nor those of an address."""
    token = shop.env["ADSCTL_ACCESS_TOKEN_SECRET"]
    shop.file("feed.csv", feed(3, title=f"Mug {token}", price="cheap"))
    shop("products", "push", "feed.csv", "--skip-invalid", "--report", "feed.html", code=None)
    shop("products", "check", "feed.csv", "--report", "checked.html", code=3)
    address = "https://user:hunter22@shop.invalid/feed.csv?key=s3cr3t"
    shop("products", "check", address, "--report", "remote.html", "--max-attempts", "1", code=None)
    remote = (shop.home / "remote.html").read_text()
    assert "shop.invalid/feed.csv" in remote and "hunter22" not in remote and "s3cr3t" not in remote
    for text in (remote, (shop.home / "feed.html").read_text()):
        assert token not in text and not any(secret in text for secret in SECRETS.values())
