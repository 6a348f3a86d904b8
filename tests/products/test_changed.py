"""push --changed sends what differs from what the service last acknowledged, and never too little."""

import json

from tests.conftest import feed
from tests.products.shop import CUP, MUG, feed_with, ids
from tests.products.test_push import SUMMARY


def test_of_a_feed_with_one_changed_row_one_row_is_sent(shop):
    first = shop.push(feed(60))
    assert (first["created"], first["skipped"], shop.requests) == (60, 0, 3)
    assert "nothing is known about this catalog yet: every row is sent" in shop.said
    second = shop.push(feed_with(60, {31: CUP}))
    assert shop.sent == ids(31) and second["requests"] == second["batches"] == second["updated"] == 1
    assert second["skipped"] == 59 and "59 rows not sent" in shop.said
    assert shop.stored("sku-31")["title"] == CUP


def test_an_unchanged_feed_costs_no_request(shop):
    shop.push(feed(60))
    again = shop.push()
    assert (again["requests"], again["skipped"], again["valid"]) == (0, 60, 60)


def test_the_summary_counts_the_skipped_rows(shop):
    assert list(shop.push(feed(3))) == [*SUMMARY[:6], "skipped", *SUMMARY[6:]]
    shop.push()
    table = shop.adsctl("products", "push", "feed.csv", "--changed", "-o", "table").stdout
    assert "skipped             3" in table and "not sent" not in table


def test_new_removed_and_moved_rows_do_not_affect_the_others(shop):
    shop.push(feed(50))
    header, *rows = feed(55).splitlines()
    shop.push("\n".join([header, *reversed(rows[10:])]))
    assert shop.sent == ids(51, 52, 53, 54, 55)
    shop.push(feed(50))
    assert shop.sent == []


def test_the_same_products_in_another_format_are_unchanged(shop):
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


def test_rejected_rows_are_sent_again(shop):
    shop.push(feed(50))
    shop.service.fail("PUT * partial")
    changed = feed_with(50, dict.fromkeys((3, 5, 8, 13), CUP))
    assert shop.push(changed, code=9)["failed"] == 2  # the first and the third of them
    shop.service.fail()
    assert shop.push()["updated"] == 2 and shop.sent == ids(3, 8)


def test_rows_whose_response_was_lost_are_sent_again_even_if_unchanged(shop):
    shop.push(feed(50))
    shop.push(feed_with(50, {3: CUP}), "--max-attempts", "1", code=8, ADSCTL_ADS_URL="http://127.0.0.1:9")
    shop.push(feed(50))
    assert shop.sent == ids(3)


def test_a_dry_run_shows_what_would_be_sent_and_stores_nothing(shop):
    shop.push(feed(60))
    for _ in range(2):
        rehearsed = shop.push(feed_with(60, dict.fromkeys(range(1, 31), CUP)), "--dry-run")
        assert (rehearsed["skipped"], rehearsed["batches"], shop.sent) == (30, 2, [])
        assert "dry run: would send 30 rows in 2 requests" in shop.said
    assert shop.push()["batches"] == 2 and shop.sent == ids(*range(1, 31))


def test_invalid_rows_are_reported_and_written_with_changed_too(shop):
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


def test_verify_finds_products_that_others_changed_or_deleted(shop):
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


def test_verify_does_not_report_hidden_variants_as_missing(shop):
    header, *rows = feed(60, item_group_id="GROUP").splitlines()
    group = [row.replace("GROUP", "mugs" if number < 30 else "cups") for number, row in enumerate(rows)]
    shop.push("\n".join([header, *group]))
    found = shop.push(None, "--verify")
    assert (found["skipped"], found["hidden"], found["missing"]) == (60, 58, 0)
    assert "58 variants hidden by the listing, not compared" in shop.said
    shop.delete(*ids(*range(31, 61)), **shop.elsewhere())  # of that group nothing is shown now
    found = shop.push(None, "--verify")
    assert found["missing"] == found["created"] == 30


def test_verify_needs_changed(shop):
    shop.adsctl.file("feed.csv", feed(3))
    assert "--changed" in shop.adsctl("products", "push", "feed.csv", "--verify", code=2).stderr
    assert shop.service.puts == []
