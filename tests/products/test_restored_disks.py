"""A state folder of a disk that was restored from a snapshot, which keeps inodes and change times."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ads_cli.store import database, file_identity
from tests.conftest import PRODUCT, feed
from tests.products.shop import feed_with, ids

V1, V2 = feed(60), feed(60, price="99.00 EUR")
OLD, NEW = "12.50 EUR", "99.00 EUR"


def snapshot(shop) -> None:
    shutil.copytree(shop.adsctl.home / "state", shop.adsctl.home / "snapshot")


def restore(shop) -> None:
    """Restore the files from a copy, as a backup does."""
    shutil.rmtree(shop.adsctl.home / "state")
    shutil.copytree(shop.adsctl.home / "snapshot", shop.adsctl.home / "state")


def restart(monkeypatch, tmp_path) -> None:
    """Start the machine again."""
    (tmp_path / "boot").write_text("another boot")
    monkeypatch.setattr(file_identity, "BOOT_ID", tmp_path / "boot")


def restore_disk(shop, monkeypatch, tmp_path) -> None:
    """Restore the disk from a snapshot of its volume, which keeps what identifies files, and start again."""
    state, saved = shop.adsctl.home / "state", shop.adsctl.home / "snapshot"
    for path in filter(Path.is_file, saved.rglob("*")):
        (state / path.relative_to(saved)).write_bytes(path.read_bytes())
    monkeypatch.setattr(database, "file_identity", mark_of(state, database.file_identity))
    restart(monkeypatch, tmp_path)


def mark_of(state: Path, identify: Callable[[Path], str]) -> Callable[[Path], str]:
    """Identify files as the snapshot of a volume does, in which the mark is the file that it was."""
    with closing(sqlite3.connect(state / database.FILE)) as db:
        ((identity,),) = db.execute("SELECT identity FROM mark")
    return lambda path: identity if path.name != database.FILE and path.exists() else identify(path)


def test_a_backup_that_is_copied_onto_the_file_is_not_trusted(shop):
    shop.push(V1)
    snapshot(shop)
    shop.push(V2)
    state, saved = shop.adsctl.home / "state", shop.adsctl.home / "snapshot"
    (state / database.FILE).write_bytes((saved / database.FILE).read_bytes())
    shop.push(V1)
    assert prices(shop) == {OLD}


def prices(shop) -> set[str]:
    return {product["price"] for product in shop.service.emulator.data.products()}


def test_what_a_restored_disk_remembers_is_not_trusted(shop, monkeypatch, tmp_path):
    shop.push(V1)
    snapshot(shop)
    shop.push(V2)
    restore_disk(shop, monkeypatch, tmp_path)
    summary = shop.push(V1)
    assert prices(shop) == {OLD} and summary["differing"] == 60
    assert "may be that of a restored disk" in shop.said
    assert shop.push()["skipped"] == 60 and "restored" not in shop.said


@pytest.mark.parametrize("how", ["api", "delete"])
def test_what_a_restored_disk_remembers_is_not_trusted_after_a_write_that_is_no_push(
    shop, monkeypatch, tmp_path, how
):
    shop.push(V1)
    snapshot(shop)
    keys = shop.keys("sku-59", "sku-60")
    if how == "delete":
        shop.delete("sku-59", "sku-60")
    else:
        path = f"/12/product_catalogs/{shop.service.emulator.catalog}/products"
        shop.adsctl.file("keys.json", json.dumps({"product_keys": keys}))
        shop.adsctl("api", "DELETE", path, "--input", "keys.json", "--yes")
    restore_disk(shop, monkeypatch, tmp_path)
    shop.push()
    assert shop.sent == ids(59, 60) and "may be that of a restored disk" in shop.said


def test_after_a_restart_the_catalog_is_listed_once(shop, monkeypatch, tmp_path):
    shop.push(V1)
    restart(monkeypatch, tmp_path)
    lists = shop.service.lists
    assert shop.push(feed_with(60, {7: "Enamel cup"}))["skipped"] == 59 and shop.sent == ids(7)
    assert shop.service.lists > lists and "may be that of a restored disk" in shop.said
    lists = shop.service.lists
    assert shop.push()["skipped"] == 60
    assert shop.service.lists == lists and "restored" not in shop.said


def test_hidden_variants_are_sent_where_nothing_is_confirmed(shop, monkeypatch, tmp_path):
    shop.push(feed(5, item_group_id="mugs"))
    restart(monkeypatch, tmp_path)
    assert shop.push()["skipped"] == 1 and shop.sent == ids(2, 3, 4, 5)
    assert shop.push()["skipped"] == 5


@pytest.mark.parametrize("how", ["push", "delete", "sync"])
def test_nothing_that_was_not_confirmed_is_carried_over(shop, how):
    shop.push(V1)
    snapshot(shop)
    shop.push(V2)
    restore(shop)
    shop.adsctl.file("one.csv", feed(1))
    if how == "delete":
        shop.delete("sku-60")
    else:
        shop.adsctl("products", how, "one.csv")
    shop.push(V1)
    assert prices(shop) == {OLD}


def test_a_sync_sends_hidden_variants_where_nothing_is_confirmed(shop, monkeypatch, tmp_path):
    rows = [PRODUCT | {"id": f"sku-{n}", "item_group_id": "mugs"} for n in range(3)]
    shop.adsctl.file("feed.jsonl", "\n".join(map(json.dumps, rows)))
    sync = ("products", "sync", "feed.jsonl", "-o", "json")
    shop.adsctl(*sync)
    snapshot(shop)
    shop.service.emulator.data.add_products([row | {"title": "Cup"} for row in rows])
    shop.adsctl("products", "push", "feed.jsonl", "--changed")
    restore(shop)
    restart(monkeypatch, tmp_path)
    shop.adsctl(*sync)
    assert {product["title"] for product in shop.service.emulator.data.products()} == {PRODUCT["title"]}
