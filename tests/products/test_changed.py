"""push --changed sends what differs from what the service last acknowledged, and never too little."""

import json
import signal
from pathlib import Path

import pytest

from ads_cli.bulk.packed import RECORD
from ads_cli.emulator import faults
from tests.conftest import Inside, feed
from tests.products.stopping import stop_at
from tests.products.test_push import SUMMARY

ROWS, BATCHES = 400, 16
MUG, CUP = "Enamel mug", "Enamel cup"


def feed_with(rows: int, titles: dict[int, str], **changes: str) -> str:
    """Write a feed in which some rows, numbered from 1, have titles of their own."""
    lines = feed(rows, **changes).splitlines()
    for number, title in titles.items():
        assert MUG in lines[number]
        lines[number] = lines[number].replace(MUG, title)
    return "\n".join(lines) + "\n"


class Shop:
    """Somebody who pushes one feed again and again, and a look at what the service was sent."""

    def __init__(self, adsctl: Inside, service) -> None:
        self.adsctl, self.service = adsctl, service

    def push(self, content: str | None = None, *words: object, changed: bool = True, code: int = 0, **env):
        """Push; give the summary, and in `sent` the ids that went out and in `said` what was told."""
        if content is not None:
            self.adsctl.file("feed.csv", content)
        before = len(self.service.puts)
        options = ["--changed"] * changed + ["-o", "json", *words]
        done = self.adsctl("products", "push", "feed.csv", *options, code=code, **env)
        summary = json.loads(done.stdout)
        self.requests = len(self.service.puts) - before
        self.sent = sorted(
            (id for put in self.service.puts[before:] for id in put), key=lambda id: (len(id), id)
        )
        self.said = done.stderr
        return summary

    @property
    def memory(self) -> Path:
        """Find the only file that remembers a catalog."""
        (path,) = (self.adsctl.home / "state" / "acknowledged").glob("[0-9a-f]*")
        return path

    def elsewhere(self) -> dict[str, str]:
        """Be on another machine, whose state folder is another one."""
        return {"ADSCTL_STATE_DIR": str(self.adsctl.home / "elsewhere")}

    def keys(self, *ids: str) -> list[str]:
        rows = self.service.emulator._store.connection.execute("SELECT id, product_key FROM products")
        keys = dict(rows.fetchall())
        return [keys[id] for id in ids]

    def delete(self, *ids: str, **env: str) -> None:
        self.adsctl("products", "delete", *self.keys(*ids), "--yes", **env)

    def stored(self, id: str) -> dict:
        query = "SELECT data FROM products WHERE id = ?"
        (data,) = self.service.emulator._store.connection.execute(query, (id,)).fetchone()
        return json.loads(data)


def ids(*numbers: int) -> list[str]:
    return [f"sku-{number}" for number in numbers]


@pytest.fixture
def shop(inside, service) -> Shop:
    return Shop(inside, service)


def test_of_a_feed_with_one_changed_row_one_row_is_sent(shop):
    first = shop.push(feed(60))
    assert (first["created"], first["skipped"], shop.requests) == (60, 0, 3)
    assert "nothing is remembered of this catalog yet: every row is sent" in shop.said
    second = shop.push(feed_with(60, {31: CUP}))
    assert shop.sent == ids(31) and second["requests"] == second["batches"] == second["updated"] == 1
    assert second["skipped"] == 59 and "59 rows left out" in shop.said
    assert shop.stored("sku-31")["title"] == CUP


def test_an_unchanged_feed_costs_no_request(shop):
    shop.push(feed(60))
    again = shop.push()
    assert (again["requests"], again["skipped"], again["valid"]) == (0, 60, 60)


def test_the_summary_tells_how_many_rows_were_left_out(shop):
    assert list(shop.push(feed(3))) == [*SUMMARY[:5], "skipped", *SUMMARY[5:]]
    shop.push()
    table = shop.adsctl("products", "push", "feed.csv", "--changed", "-o", "table").stdout
    assert "skipped             3" in table and "not sent" not in table


def test_rows_that_are_new_or_gone_or_moved_do_not_disturb_the_others(shop):
    shop.push(feed(50))
    header, *rows = feed(55).splitlines()
    shop.push("\n".join([header, *reversed(rows[10:])]))
    assert shop.sent == ids(51, 52, 53, 54, 55)
    shop.push(feed(50))
    assert shop.sent == []


def test_the_form_of_the_feed_does_not_matter(shop):
    shop.push(feed(30))
    header, *rows = [line.split(",") for line in feed(30).splitlines()]
    records = [dict(zip(header, [cell.strip('"') for cell in row], strict=False)) for row in rows]
    assert all("A mug" in record["description"] for record in records)
    shop.adsctl("products", "pull", "pulled.jsonl")
    pulled = [json.loads(line) for line in (shop.adsctl.home / "pulled.jsonl").read_text().splitlines()]
    for product in pulled:
        del product["product_key"]
    shop.adsctl.file("feed.json", json.dumps(pulled))
    done = shop.adsctl("products", "push", "feed.json", "--changed", "-o", "json")
    assert json.loads(done.stdout)["skipped"] == 30


def test_a_change_and_its_reverse_are_both_sent(shop):
    for titles in ({}, {7: CUP}, {}, {7: CUP}):
        shop.push(feed_with(40, titles))
        assert shop.stored("sku-7")["title"] == titles.get(7, MUG)
    assert shop.sent == ids(7)


def test_refused_rows_are_sent_again(shop):
    shop.push(feed(50))
    shop.service.emulator._faults = [faults.parse("PUT * partial")]
    changed = feed_with(50, dict.fromkeys((3, 5, 8, 13), CUP))
    assert shop.push(changed, code=9)["failed"] == 2  # the first and the third of them
    shop.service.emulator._faults = []
    assert shop.push()["updated"] == 2 and shop.sent == ids(3, 8)


def test_rows_whose_answer_never_came_are_sent_again_even_as_they_were(shop):
    shop.push(feed(50))
    shop.push(feed_with(50, {3: CUP}), "--max-attempts", "1", code=8, ADSCTL_ADS_URL="http://127.0.0.1:9")
    shop.push(feed(50))
    assert shop.sent == ids(3)


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (flipped, "is damaged"),
        (lambda content: content[:-1], "is damaged"),
        (lambda content: content[:500], "is damaged"),
        (lambda content: content[:20], "is damaged"),
        (lambda content: b"", "is damaged"),
        (lambda content: b"\xff" * 5000, "is damaged"),
        (lambda content: content.replace(b'"version":1', b'"version":2', 1), "another version"),
    ],
)
def test_a_memory_that_cannot_be_trusted_sends_everything_and_says_so(shop, spoil, told):
    shop.push(feed(50))
    shop.memory.write_bytes(spoil(shop.memory.read_bytes()))
    assert shop.push()["unchanged"] == 50
    assert told in shop.said and "every row is sent" in shop.said
    assert shop.push()["skipped"] == 50


def test_the_memory_of_another_catalog_is_not_believed(shop):
    shop.push(feed(50))
    content, path = shop.memory.read_bytes(), shop.memory
    path.unlink()
    shop.push(None, "--catalog", "1234", code=5)
    shop.memory.write_bytes(content)
    shop.push(None, "--catalog", "1234", code=5)
    assert "is of another catalog or service: every row is sent" in shop.said


def test_the_memory_is_for_its_owner_only(shop):
    shop.push(feed(5))
    assert shop.memory.stat().st_mode & 0o777 == 0o600
    assert shop.memory.parent.stat().st_mode & 0o777 == 0o700
    assert len(shop.memory.read_bytes()) < 5 * RECORD + 200


@pytest.mark.parametrize("put", [0, 1, 7, 15])
def test_a_killed_push_goes_on_with_what_was_not_acknowledged_and_is_remembered_whole(shop, put):
    shop.push(feed(ROWS + 50))
    changed = feed(ROWS, title=CUP) + "".join(feed(ROWS + 50).splitlines(keepends=True)[ROWS + 1 :])
    shop.adsctl.file("feed.csv", changed)
    shop.service.puts.clear()
    stop_at(shop.adsctl, shop.service, put, signal.SIGKILL, "--changed", "--concurrency", "1")
    resumed = shop.push(None, "--resume")
    assert f"going on with job {resumed['job']}: {put} of {BATCHES} batches" in shop.said
    assert shop.requests == BATCHES - put and resumed["skipped"] == 50
    assert resumed["updated"] + resumed["unchanged"] == ROWS
    assert shop.push()["skipped"] == ROWS + 50


def test_what_a_killed_push_may_have_changed_is_sent_again_when_the_feed_has_changed_back(shop):
    shop.push(feed(ROWS))
    shop.adsctl.file("feed.csv", feed(ROWS, title=CUP))
    stop_at(shop.adsctl, shop.service, 3 + BATCHES, signal.SIGKILL, "--changed", "--concurrency", "1")
    assert shop.push(feed(ROWS))["skipped"] == 0
    assert shop.stored("sku-1")["title"] == MUG


def test_a_push_that_stops_early_remembers_nothing_of_its_rows(shop):
    shop.service.emulator._faults = [faults.parse("PUT * partial")]
    shop.push(feed(100), "--max-errors", "1", "--concurrency", "1", code=9)
    shop.service.emulator._faults = []
    assert shop.push()["skipped"] == 0 and shop.push()["skipped"] == 100


def test_a_job_is_not_resumed_where_others_have_pushed_since(shop):
    shop.push(feed(ROWS))
    shop.adsctl.file("feed.csv", feed(ROWS, title=CUP))
    stop_at(shop.adsctl, shop.service, 3 + BATCHES, signal.SIGKILL, "--changed", "--concurrency", "1")
    shop.adsctl.file("hotfix.csv", feed(30, title="Hot"))
    shop.adsctl("products", "push", "hotfix.csv")
    shop.push(None, "--resume")
    assert "something else was sent there since" in shop.said
    assert {shop.stored(id)["title"] for id in ids(*range(1, ROWS))} == {CUP}
    assert shop.push()["skipped"] == ROWS


def test_what_is_deleted_is_created_again(shop):
    shop.push(feed(50))
    shop.delete("sku-4", "sku-5")
    assert "sku-4" not in shop.service.stored
    assert shop.push()["created"] == 2 and shop.sent == ids(4, 5)
    assert {"sku-4", "sku-5"} <= set(shop.service.stored)
    assert shop.push()["skipped"] == 50


def test_a_push_of_every_row_is_remembered_where_there_is_a_memory(shop):
    shop.push(feed(50), changed=False)
    assert not (shop.adsctl.home / "state" / "acknowledged").exists()
    shop.push()
    shop.adsctl.file("hotfix.csv", feed(2, title=CUP))
    shop.adsctl("products", "push", "hotfix.csv")
    assert shop.stored("sku-2")["title"] == CUP
    assert shop.push()["skipped"] == 48 and shop.sent == ids(1, 2) and shop.stored("sku-2")["title"] == MUG


def test_a_request_of_your_own_that_changes_products_makes_the_memory_void(shop):
    shop.push(feed(30))
    path = "/12/product_catalogs/{product_catalog_id}/products"
    shop.adsctl("api", "GET", path)
    assert shop.push()["skipped"] == 30
    keys = shop.adsctl.file("body.json", json.dumps({"product_keys": shop.keys("sku-9")}))
    shop.adsctl("api", "DELETE", path, "--input", keys)
    assert shop.push()["created"] == 1


def test_a_catalog_that_takes_the_place_of_another_is_filled(shop):
    shop.push(feed(30))
    old = shop.adsctl.env.pop("ADSCTL_CATALOG")
    shop.adsctl("catalog", "rename", old, "--name", "Winter")
    assert shop.push()["skipped"] == 30
    shop.adsctl("catalog", "delete", old, "--yes")
    assert not list((shop.adsctl.home / "state" / "acknowledged").glob("[0-9a-f]*"))
    shop.adsctl("catalog", "create", "--name", "New")
    assert shop.push()["created"] == 30


def test_profiles_of_one_catalog_share_what_is_known_of_it(shop):
    shop.push(feed(30))
    address = shop.adsctl.env["ADSCTL_ADS_URL"]
    shop.adsctl(
        "profile", "set", "other", f"ads_url={address}", "catalog=" + shop.adsctl.env["ADSCTL_CATALOG"]
    )
    assert shop.push(None, "--dry-run", ADSCTL_PROFILE="other")["skipped"] == 30


def test_a_reset_of_the_emulator_makes_everything_go_again(inside):
    inside.file("feed.csv", feed(30))
    words = ("products", "push", "feed.csv", "--changed", "-o", "json")
    assert json.loads(inside.local(*words).stdout)["created"] == 30
    assert json.loads(inside.local(*words).stdout)["skipped"] == 30
    inside("emulator", "reset", "--yes")
    assert not list((inside.home / "state" / "acknowledged").glob("[0-9a-f]*"))
    assert json.loads(inside.local(*words).stdout)["created"] == 30


def test_a_dry_run_tells_what_would_be_sent_and_remembers_nothing(shop):
    shop.push(feed(60))
    for _ in range(2):
        rehearsed = shop.push(feed_with(60, dict.fromkeys(range(1, 31), CUP)), "--dry-run")
        assert (rehearsed["skipped"], rehearsed["batches"], shop.sent) == (30, 2, [])
        assert "nothing is sent: 2 requests" in shop.said
    assert shop.push()["batches"] == 2 and shop.sent == ids(*range(1, 31))


def test_a_dry_run_that_does_not_know_the_catalog_asks_for_it(shop):
    shop.adsctl.file("feed.csv", feed(3))
    del shop.adsctl.env["ADSCTL_CATALOG"]
    said = shop.adsctl("products", "push", "feed.csv", "--changed", "--dry-run", code=2).stderr
    assert "--catalog" in said


def test_invalid_rows_are_told_and_written_as_ever(shop):
    shop.push(feed(40))
    header, *rows = feed_with(40, {2: CUP}).splitlines()
    rows[9] = rows[9].replace("12.50 EUR", "cheap")
    rows.append(rows[19])  # the id of row 20 stands there twice now
    summary = shop.push("\n".join([header, *rows]), "--skip-invalid", "--failed-out", "failed.csv", code=9)
    assert (summary["invalid"], summary["skipped"], summary["updated"]) == (3, 37, 1) and shop.sent == ids(2)
    refused = (shop.adsctl.home / "failed.csv").read_text()
    assert [refused.count(f'"{id}"') or refused.count(f"\n{id},") for id in ids(10, 20)] == [1, 2]
    shop.adsctl.file("feed.csv", "\n".join([header, *rows]))
    assert "cheap" in shop.adsctl("products", "push", "feed.csv", "--changed", code=3).stderr


def test_two_pushes_at_once_leave_nothing_behind_that_may_be_wrong(shop):
    shop.push(feed(100))
    at_work, done = [], []

    def before(put: int) -> None:
        if not at_work:
            at_work.append(put)
            shop.adsctl.file("other.csv", feed(60, title="Hot"))
            command = shop.adsctl.popen("products", "push", "other.csv", "--changed")
            done.append(command.communicate(timeout=60)[1].decode())

    shop.service.before = before
    shop.push(feed(100, title=CUP), "--concurrency", "1")
    assert "are not remembered" in shop.said and "are not remembered" in done[0]
    assert shop.push()["skipped"] == 0
    assert {shop.stored(id)["title"] for id in ids(*range(1, 101))} == {CUP}
    assert shop.push()["skipped"] == 100


def test_a_delete_while_a_push_is_at_work_leaves_nothing_behind_that_may_be_wrong(shop):
    shop.push(feed(100))
    at_work = []

    def before(put: int) -> None:
        if not at_work:
            at_work.append(put)
            words = ("products", "delete", *shop.keys("sku-1"), "--yes")
            assert shop.adsctl.popen(*words).wait(60) == 0

    shop.service.before = before
    shop.push(feed_with(100, {99: CUP}))
    assert "are not remembered" in shop.said
    assert shop.push()["created"] == 1


def test_verify_finds_what_others_have_changed_and_deleted(shop):
    shop.push(feed(250))
    shop.adsctl.file("theirs.csv", feed(3, title=CUP))
    shop.adsctl("products", "push", "theirs.csv", **shop.elsewhere())
    shop.delete("sku-100", "sku-200", **shop.elsewhere())
    assert shop.push()["skipped"] == 250  # nobody has told us
    rehearsed = shop.push(None, "--verify", "--dry-run")
    assert (rehearsed["skipped"], rehearsed["batches"], shop.sent) == (245, 1, [])
    found = shop.push(None, "--verify")
    assert shop.sent == ids(1, 2, 3, 100, 200) and (found["differing"], found["missing"]) == (3, 2)
    assert "245 the same, 3 differing, 2 missing" in shop.said
    assert (found["created"], found["updated"], found["skipped"]) == (2, 3, 245)
    assert shop.push(None, "--verify")["skipped"] == 250


def test_verify_does_not_miss_variants_that_the_list_hides(shop):
    header, *rows = feed(60, item_group_id="GROUP").splitlines()
    group = [row.replace("GROUP", "mugs" if number < 30 else "cups") for number, row in enumerate(rows)]
    shop.push("\n".join([header, *group]))
    found = shop.push(None, "--verify")
    assert (found["skipped"], found["hidden"], found["missing"]) == (60, 58, 0)
    assert "58 variants that the list hides not compared" in shop.said
    shop.delete(*ids(*range(31, 61)), **shop.elsewhere())  # of that group nothing is shown now
    found = shop.push(None, "--verify")
    assert found["missing"] == found["created"] == 30


def test_verify_without_changed_is_no_command(shop):
    shop.adsctl.file("feed.csv", feed(3))
    assert "--changed" in shop.adsctl("products", "push", "feed.csv", "--verify", code=2).stderr
    assert shop.service.puts == []
