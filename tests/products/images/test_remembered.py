"""What is known of an image is remembered, in a file of its owner, and asked for again only if it changed."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.products.images.image_server import image, status, whole


def test_an_unchanged_image_is_not_sent_again_and_its_problems_are_still_told(shop, images):
    images.files |= {"/small": image(width=9), "/good": image()}
    shop.feed(images.address("/small"), images.address("/good"))
    first = shop.check(code=3)
    images.seen.clear()
    second = shop.check(code=3)
    assert second.findings == first.findings
    assert "looked at 2 images, 2 of them unchanged since an earlier check" in second.said
    assert all(seen.headers.get("If-None-Match") for seen in images.seen) and len(images.seen) == 2


def test_a_changed_image_is_looked_at_again(shop, images):
    images.files["/a"] = image(width=9)
    shop.feed(images.address("/a"))
    shop.check(code=3)
    images.files["/a"] = image(width=900)
    assert shop.check().findings == []
    images.files["/a"] = image(width=8)
    assert "has 8x500" in shop.check(code=3).findings[0][2]


def test_an_image_whose_server_names_no_version_is_fetched_each_time(shop, images):
    images.files["/a"] = image()
    images.faults["/a"] = [whole, whole]
    shop.feed(images.address("/a"))
    shop.check()
    assert "unchanged" not in shop.check().said
    assert "If-None-Match" not in images.seen[1].headers


def test_what_was_not_reached_is_not_remembered(shop, images):
    images.faults["/a"] = [status(404)]
    shop.feed(images.address("/a"))
    shop.check()
    images.files["/a"] = image()
    assert shop.check().findings == []


def test_addresses_are_remembered_as_digests_in_a_file_of_their_owner(shop, images):
    images.files["/a"] = image()
    shop.feed(images.address("/a?signature=hush"))
    shop.check()
    path = shop.adsctl.home / "state" / "images.db"
    assert path.stat().st_mode & 0o777 == 0o600
    stored = b"".join(each.read_bytes() for each in path.parent.glob("images.db*"))
    assert b"hush" not in stored and b"localhost" not in stored


@pytest.mark.parametrize("content", [b"", b"damaged", b"SQLite format 3\0" + bytes(5000)])
def test_a_memory_that_is_damaged_is_no_memory(shop, images, content):
    images.files["/a"] = image()
    shop.feed(images.address("/a"))
    shop.check()
    for path in (shop.adsctl.home / "state").glob("images.db*"):
        path.write_bytes(content)
    assert "unchanged" not in shop.check().said
    assert "1 of them unchanged" in shop.check().said


def test_a_memory_that_another_program_holds_is_kept(shop, images, monkeypatch):
    monkeypatch.setattr("ads_cli.products.images.stores.BUSY_SECONDS", 0.05)
    images.files = {"/a": image(), "/b": image()}
    shop.feed(images.address("/a"), images.address("/b"))
    shop.check()
    shop.feed(images.address("/a"))
    with closing(sqlite3.connect(shop.adsctl.home / "state" / "images.db", isolation_level=None)) as holder:
        holder.execute("PRAGMA journal_mode = DELETE")
        holder.execute("BEGIN EXCLUSIVE")
        assert "unchanged" not in shop.check().said
    shop.feed(images.address("/a"), images.address("/b"))
    assert "2 of them unchanged" in shop.check().said


def test_without_a_state_folder_images_are_looked_at_all_the_same(shop, images):
    images.files["/a"] = image(width=9)
    shop.feed(images.address("/a"))
    shop.adsctl.file("no-folder", "")
    assert len(shop.check(code=3, ADSCTL_STATE_DIR=str(shop.adsctl.home / "no-folder")).findings) == 1


def test_of_many_images_those_checked_last_are_remembered(shop, images, monkeypatch):
    monkeypatch.setattr("ads_cli.products.images.stores.MAX_REMEMBERED", 5)
    images.files = {f"/{n}": image() for n in range(12)}
    shop.feed(*map(images.address, images.files))
    shop.check()
    with closing(sqlite3.connect(shop.adsctl.home / "state" / "images.db")) as database:
        assert database.execute("SELECT count(*) FROM images").fetchone() == (5,)


def test_two_checks_at_once_share_their_memory(shop, images):
    images.files = {f"/{n}": image() for n in range(30)}
    shop.feed(*map(images.address, images.files))
    command = ("products", "check", "feed.jsonl", "--images", "--allow-private", "-o", "json")
    processes = [shop.adsctl.popen(*command) for _ in range(2)]
    for process in processes:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and json.loads(out)["findings"] == []
    assert "30 of them unchanged" in shop.check().said
