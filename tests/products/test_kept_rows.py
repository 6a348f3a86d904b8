"""What is sent is what was validated: rows that are kept until they are sent, in memory or on disk."""

import json
import tempfile

import pytest

import ads_cli.validation
from ads_cli.feeds.formats.xml import XmlRows
from tests.conftest import PRODUCT

ROWS = 300


@pytest.fixture
def readings(monkeypatch) -> list[None]:
    """Grow by one for each time that a feed of XML is read."""
    found: list[None] = []
    read = XmlRows._read

    def counted(self: XmlRows):
        found.append(None)
        return read(self)

    monkeypatch.setattr(XmlRows, "_read", counted)
    return found


def xml(ids: list[str]) -> str:
    fields = "".join(f"<{name}>{value}</{name}>" for name, value in PRODUCT.items() if name != "id")
    return f"<products>{''.join(f'<item><id>{id}</id>{fields}</item>' for id in ids)}</products>"


def pushed(shop, *words: str, code: int = 0) -> dict:
    done = shop.adsctl("products", "push", "feed.xml", "-o", "json", *words, code=code)
    return json.loads(done.stdout)


def readings_of_a_check(shop, readings: list[None]) -> int:
    shop.adsctl("products", "check", "feed.xml")
    found = len(readings)
    readings.clear()
    return found


IDS = [f"sku-{number}" for number in range(ROWS)]


@pytest.mark.parametrize("bytes_in_memory", [0, 10_000, 10**9])
def test_a_feed_is_read_once_and_sent_in_its_order(shop, readings, monkeypatch, bytes_in_memory):
    monkeypatch.setattr(ads_cli.validation, "MAX_BYTES_IN_MEMORY", bytes_in_memory)
    shop.adsctl.file("feed.xml", xml(IDS))
    once = readings_of_a_check(shop, readings)
    assert pushed(shop, "--concurrency", "1")["created"] == ROWS
    assert [id for put in shop.service.puts for id in put] == IDS
    assert len(readings) == once


class FullDisk(tempfile.SpooledTemporaryFile):
    def write(self, data: bytes) -> int:
        raise OSError(28, "No space left on device")


def test_a_feed_that_finds_no_space_is_read_again(shop, readings, monkeypatch):
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", FullDisk)
    shop.adsctl.file("feed.xml", xml(IDS))
    once = readings_of_a_check(shop, readings)
    assert pushed(shop)["created"] == ROWS
    assert sorted(id for put in shop.service.puts for id in put) == sorted(IDS)
    assert len(readings) == once + 1


def test_rows_that_are_not_sent_are_not_kept_either(shop):
    shop.adsctl.file("feed.xml", xml([*IDS, IDS[0], IDS[1]]))
    summary = pushed(shop, "--skip-invalid", code=9)
    assert (summary["created"], summary["invalid"]) == (ROWS - 2, 4)
    assert sorted(id for put in shop.service.puts for id in put) == sorted(IDS[2:])


def test_a_feed_is_read_once_and_compared(shop, readings):
    shop.adsctl.file("feed.xml", xml(IDS))
    once = readings_of_a_check(shop, readings)
    shop.adsctl("products", "diff", "feed.xml", "-o", "none", code=10)
    assert len(readings) == once


@pytest.mark.parametrize("command", ["diff", "sync"])
def test_a_comparison_that_finds_no_space_ends_before_anything_is_sent(shop, monkeypatch, command):
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", FullDisk)
    shop.adsctl.file("feed.xml", xml(IDS))
    done = shop.adsctl("products", command, "feed.xml", code=11)
    assert "the rows cannot be kept in a temporary file" in done.stderr
    assert "set TMPDIR to a folder on a larger disk" in done.stderr
    assert shop.service.puts == []


@pytest.mark.parametrize("bytes_in_memory", [0, 10**9])
def test_rows_that_have_changed_are_kept_too(shop, readings, monkeypatch, bytes_in_memory):
    monkeypatch.setattr(ads_cli.validation, "MAX_BYTES_IN_MEMORY", bytes_in_memory)
    shop.adsctl.file("feed.xml", xml(IDS))
    once = readings_of_a_check(shop, readings)
    pushed(shop, "--changed")
    shop.adsctl.file("feed.xml", xml([*IDS, "sku-new"]))
    readings.clear()
    assert pushed(shop, "--changed")["created"] == 1
    assert shop.service.puts[-1] == ["sku-new"] and len(readings) == once
