"""`mirror run`: the account and its numbers in a database, equal to what `stats export` says."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from ads_cli.mirror.contract import REPORTS

ACCOUNT, OTHER = "18ce54d4x5t", "18ce55gze09"
METRICS = ("impressions", "clicks", "url_clicks", "billed_charge_local")
ENTITIES = [(report.name, report.entity, report.key[1]) for report in REPORTS]


def millionths(value: object) -> int:
    return round(float(str(value)) * 10**6)


def exported(mirror, entity: str, since: str, account: str) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return what `stats export` says of each entity and day, without those that have no numbers."""
    words = ("--entity", entity, "--all", "--since", since, "--account", account)
    text = mirror.adsctl("stats", "export", *words, "-o", "csv").stdout
    rows = csv.DictReader(io.StringIO(text))
    numbers = {
        (row["entity_id"], row["start"][:10]): tuple(millionths(row[name] or 0) for name in METRICS)
        for row in rows
    }
    return {key: values for key, values in numbers.items() if any(values)}


def mirrored(mirror, table: str, id_column: str, since: datetime, account: str):
    query = f"""SELECT {id_column}, substr(date, 1, 10), {", ".join(METRICS)} FROM {table}
        WHERE account_id = ? AND date >= ?"""
    rows = mirror.rows(query, account, f"{since:%Y-%m-%d}")
    numbers = {(id, day): tuple(map(millionths, values)) for id, day, *values in rows}
    assert len(numbers) == len(rows)
    return {key: values for key, values in numbers.items() if any(values)}


def require_equal(mirror, since: str = "30d", accounts: tuple[str, ...] = (ACCOUNT,)) -> None:
    """Require the numbers of `stats export`, of each entity and day."""
    days = int(since.removesuffix("d"))
    first = datetime.now() - timedelta(days=days, hours=-2)
    for account in accounts:
        for table, entity, id_column in ENTITIES:
            expected = exported(mirror, entity, since, account)
            assert mirrored(mirror, table, id_column, first, account) == expected, table


def test_the_numbers_are_those_of_an_export(mirror):
    mirror.run("--accounts", f"{ACCOUNT},{OTHER}")
    require_equal(mirror, accounts=(ACCOUNT, OTHER))
    assert mirror.rows("SELECT count(*) FROM campaign_report WHERE impressions > 0")[0][0] > 10


def test_a_second_run_asks_for_the_days_that_may_still_change_and_doubles_nothing(mirror, requests):
    mirror.run("--since", "60d")
    before = mirror.content()
    requests.clear()
    mirror.run("--since", "60d")
    assert mirror.content() == before
    starts = {
        parameters["start_time"][0][:10]
        for line, parameters in requests
        if line.endswith((f"/stats/accounts/{ACCOUNT}", f"/stats/jobs/accounts/{ACCOUNT}"))
        and parameters
        and "start_time" in parameters
    }
    assert len([line for line, _ in requests if line.endswith("/active_entities")]) == 1
    assert min(starts) == "2026-06-03"  # the last 14 days before 17 June, in UTC the evening before


def test_a_day_that_lacks_rows_is_asked_for_again(mirror):
    mirror.run("--since", "40d")
    before = mirror.content()
    mirror.rows("DELETE FROM line_item_report WHERE date = '2026-05-20 00:00:00'")
    some = "campaign_id = '8wku2' AND date BETWEEN '2026-05-15' AND '2026-05-20'"
    mirror.rows(f"DELETE FROM campaign_report WHERE {some}")
    mirror.rows("DELETE FROM mirror_days WHERE date = '2026-05-12 00:00:00'")
    status = mirror.adsctl("mirror", "status", "--into", "sqlite:ads.db", "-o", "json").stdout
    assert [account["gaps"] for account in json.loads(status)] == [1 + 5 + 5]
    mirror.run("--since", "10d")
    assert mirror.content() == before


def test_more_days_are_added_before_those_that_are_there(mirror, requests):
    mirror.run("--since", "30d")
    mirror.run("--since", "60d")
    require_equal(mirror, "60d")


@pytest.mark.parametrize("day", ["2026-10-25", "2026-03-29"])
def test_days_are_those_of_an_export_though_the_clock_was_changed(mirror, noon, day):
    changed = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    for days in (-3, -1, 0, 1, 2, 5):
        noon.move_to(changed + timedelta(days=days), tick=False)
        mirror.run("--since", "20d")
        require_equal(mirror, "20d")
    # Days before those follow each other too: each hour is in one of them.
    rows = mirror.rows("SELECT report, starts_at, ends_at FROM mirror_days ORDER BY 1, 2")
    for (report, _, end), (other, start, _) in pairwise(rows):
        assert report != other or end == start


def test_late_numbers_replace_earlier_ones(mirror, noon):
    noon.move_to("2026-06-17T00:30:00Z", tick=False)  # half an hour after midnight in UTC, and 2:30 in Berlin
    mirror.run()
    spent = "SELECT sum(billed_charge_local_micro) FROM campaign_report WHERE date < '2026-06-17'"
    early = mirror.rows(spent)
    noon.move_to("2026-06-20T12:00:00Z", tick=False)
    mirror.run()
    assert mirror.rows(spent) != early
    require_equal(mirror)


def test_records_keep_their_versions_and_deleted_ones_stay(mirror, noon):
    mirror.run("--tables", "campaign_history,campaign_report")
    noon.move_to("2026-06-18T12:00:00Z", tick=False)
    mirror.adsctl("campaigns", "update", "8wku2", "--name", "Another name")
    mirror.adsctl("campaigns", "delete", "8wkv1", "--yes")
    mirror.run("--tables", "campaign_history,campaign_report")
    versions = "SELECT name, deleted FROM campaign_history WHERE id = ? ORDER BY updated_at"
    assert [name for name, _ in mirror.rows(versions, "8wku2")][1:] == ["Another name"]
    assert [bool(deleted) for _, deleted in mirror.rows(versions, "8wkv1")] == [False, True]
    for table, entity, id_column in ENTITIES[2:3]:
        expected = exported(mirror, entity, "30d", ACCOUNT)
        assert mirrored(mirror, table, id_column, datetime(2026, 5, 19), ACCOUNT) == expected


def test_a_record_that_is_listed_no_longer_is_marked(mirror, noon):
    mirror.run("--tables", "media")
    noon.move_to("2026-06-18T12:00:00Z", tick=False)
    mirror.adsctl("media", "library", "delete", "3_1790412874512007168", "--yes")
    mirror.run("--tables", "media")
    marked = mirror.rows("SELECT media_key FROM media WHERE deleted")
    assert marked == [("3_1790412874512007168",)]


def test_products_are_written_where_they_are_named(mirror, noon):
    feed = "id,title,description,availability,condition,price,link,image_link,brand\n" + "".join(
        f"sku-{n},Mug {n},A mug,in stock,new,9.00 EUR,https://shop.example/{n},https://i.example/{n}.jpg,N\n"
        for n in range(3)
    )
    mirror.adsctl.file("feed.csv", feed)
    mirror.adsctl("products", "push", "feed.csv")
    mirror.run("--tables", "product,product_set")
    noon.move_to("2026-06-18T12:00:00Z", tick=False)
    mirror.adsctl("products", "delete", "sku-1", "--by", "id", "--yes")
    mirror.run("--tables", "product,product_set")
    assert mirror.rows("SELECT id, deleted FROM product ORDER BY id") == [
        ("sku-0", None),
        ("sku-1", 1),
        ("sku-2", None),
    ]


def test_accounts_that_fail_leave_the_others_whole(mirror, service):
    mirror.run("--accounts", f"{ACCOUNT},{OTHER}", "--tables", "campaign_history,campaign_report")
    before = mirror.content()
    service.fail(f"GET /12/accounts/{OTHER}/line_items status=403")
    result = mirror.run("--all-accounts", code=9)
    assert f"{OTHER}: " in result.stderr and f"{OTHER}\t\taccess" in result.stdout
    after = mirror.content()
    assert [row for row in after["campaign_history"] if OTHER in row] == [
        row for row in before["campaign_history"] if OTHER in row
    ]
    assert len(after["line_item_report"]) > 0


def test_a_trigger_that_fails_on_one_table_leaves_all_as_they_were(mirror, noon):
    mirror.run()
    mirror.rows(
        "CREATE TRIGGER no BEFORE INSERT ON line_item_report BEGIN SELECT RAISE(ABORT, 'not today'); END"
    )
    before = mirror.content()
    noon.move_to("2026-06-19T12:00:00Z", tick=False)
    assert "not today" in mirror.run(code=11).stderr
    assert mirror.content() == before
    mirror.rows("DROP TRIGGER no")
    mirror.run()
    require_equal(mirror)


def test_a_database_of_a_later_version_is_not_touched(mirror):
    mirror.run("--tables", "campaign_history")
    mirror.rows("UPDATE mirror_accounts SET contract = 1000")
    before = mirror.content()
    refused = mirror.run("--tables", "campaign_history", code=11).stderr
    assert "later version" in refused and mirror.content() == before


def test_an_account_of_another_service_is_refused(mirror):
    mirror.run("--tables", "campaign_history")
    before = mirror.content()
    refused = mirror.adsctl.local(
        "mirror", "run", "--into", "sqlite:ads.db", "--tables", "campaign_history", code=11
    )
    assert "of another service" in refused.stderr and mirror.content() == before


def test_a_table_of_an_older_contract_gets_the_new_columns(mirror):
    mirror.run("--tables", "campaign_history,campaign_report")
    whole = mirror.content()
    for column in ("video_views_25", "engagements", "currency"):
        mirror.rows(f"ALTER TABLE campaign_report DROP COLUMN {column}")
    mirror.rows("ALTER TABLE campaign_history DROP COLUMN effective_status")
    mirror.rows("ALTER TABLE campaign_history ADD COLUMN note TEXT")
    mirror.rows("UPDATE campaign_history SET note = 'mine'")
    mirror.rows("DELETE FROM mirror_days")  # so that all days are asked for again
    mirror.run("--tables", "campaign_history,campaign_report")
    names = [name for _, name, *_ in mirror.rows("PRAGMA table_info(campaign_report)")]
    assert {"video_views_25", "engagements", "currency"} <= {*names}
    assert len(mirror.content()["campaign_report"]) == len(whole["campaign_report"])
    require = "SELECT count(*) FROM campaign_report WHERE engagements IS NULL OR currency IS NULL"
    assert mirror.rows(require) == [(0,)]


def test_a_file_that_cannot_be_written_is_reported_before_anything_is_asked(mirror, requests):
    mirror.run("--tables", "campaign_history")
    path = mirror.adsctl.home / "ads.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("BEGIN EXCLUSIVE")
        requests.clear()
        refused = mirror.run("--max-wait", "0s", code=11).stderr
        assert "--max-wait" in refused
    assert not [line for line, _ in requests if "stats" in line or "campaigns" in line]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--into", "ads.db"), "begins with none of"),
        (("--into", "sqlite:"), "names no file"),
        (("--into", "sqlite:nowhere/ads.db"), "nowhere"),
        (("--into", "@NOTHING"), "neither NOTHING nor NOTHING_FILE is set"),
        (("--into", "sqlite:ads.db", "--tables", "campains"), "is not a table"),
        (("--into", "sqlite:ads.db", "--accounts", "a", "--all-accounts"), "cannot be used with"),
        (("--into", "sqlite:ads.db", "--since", "soon"), "is not a time"),
    ],
)
def test_options_that_cannot_be_are_refused(mirror, words, message):
    assert message in mirror.adsctl("mirror", "run", *words, code=2).stderr


def test_posts_have_the_addresses_in_their_texts(adsctl):
    local = ("--profile", "local", "--service", "x")
    text = "New mugs: https://shop.example/mugs?utm_source=x and https://shop.example/sale"
    post = json.loads(adsctl(*local, "posts", "create", "--text", text, "-o", "json").stdout)["id_str"]
    adsctl(*local, "promoted", "posts", "create", "--line-item", "9d4c2", "--posts", post, "--yes")
    adsctl(*local, "mirror", "run", "--into", "sqlite:ads.db", "--tables", "tweet,tweet_url")
    with closing(sqlite3.connect(adsctl.home / "ads.db")) as db:
        ((name, created_at),) = db.execute("SELECT full_text, created_at FROM tweet WHERE id = ?", (post,))
        assert name == text and datetime.fromisoformat(created_at)
        urls = db.execute('SELECT "index", expanded_url, indices FROM tweet_url WHERE tweet_id = ?', (post,))
        assert urls.fetchall() == [
            (0, "https://shop.example/mugs?utm_source=x", "[10,48]"),
            (1, "https://shop.example/sale", "[53,78]"),
        ]


def test_what_this_machine_has_done_is_mirrored(mirror):
    mirror.adsctl("campaigns", "update", "8wku2", "--name", "Another name")
    mirror.adsctl.file("campaigns.jsonl", '{"name": "A", "funding_instrument_id": "4a1n0"}\n' * 2)
    mirror.adsctl("campaigns", "create", "-f", "campaigns.jsonl", "--yes")
    mirror.run("--tables", "adsctl_change,adsctl_run")
    changes = mirror.rows("SELECT command, outcome, ids FROM adsctl_change ORDER BY time")
    assert changes[0] == ("adsctl campaigns update 8wku2 --name 'Another name'", "ok", '["8wku2"]')
    assert mirror.rows("SELECT action, row_count, state FROM adsctl_run") == [("create", 2, "ended")]


def test_a_line_item_in_another_currency_has_its_own(mirror, service, noon):
    mirror.run()
    set_currency = "UPDATE records SET data = json_set(data, '$.currency', 'JPY') WHERE id = ?"
    service.emulator.store.connection.execute(set_currency, ("9d4c2",))
    noon.move_to("2026-06-19T12:00:00Z", tick=False)
    mirror.run()
    require_equal(mirror)
    query = "SELECT DISTINCT currency FROM line_item_report WHERE line_item_id = ? AND date > '2026-06-10'"
    assert mirror.rows(query, "9d4c2") == [("JPY",)]
    assert mirror.rows("SELECT currency FROM line_item_history WHERE id = '9d4c2'") == [("JPY",)]


def test_access_that_is_lost_in_the_middle_leaves_the_account_as_it_was(mirror, service, noon):
    mirror.run()
    before = mirror.content()
    noon.move_to("2026-06-19T12:00:00Z", tick=False)
    service.fail(f"GET /12/stats/accounts/{ACCOUNT} status=403")
    mirror.run(code=4)
    assert mirror.content() == before


def test_jobs_that_fail_are_gone_on_with_by_the_same_command(mirror, service, requests):
    words = ("--since", "200d", "--tables", "campaign_report,line_item_report")
    service.fail("GET /stats-results/* status=500")
    failed = mirror.run(*words, "--max-attempts", "1", code=8).stderr
    assert "the same command continues" in failed and "--resume" not in failed
    service.fail()
    requests.clear()
    assert "resumed: " in mirror.run(*words).stderr
    assert not [line for line, _ in requests if line.startswith("POST")]
    assert mirror.rows("SELECT count(*) FROM mirror_days") == [(400,)]


def test_numbers_of_several_accounts_are_asked_for_by_jobs(mirror, requests):
    """The service takes few other requests for statistics of a user."""
    mirror.run("--accounts", f"{ACCOUNT},{OTHER}")
    asked = [line for line, _ in requests if "/12/stats/" in line]
    assert sorted(line for line in asked if "/jobs/" not in line) == [
        f"GET /12/stats/accounts/{account}/active_entities" for account in (ACCOUNT, OTHER)
    ]
    require_equal(mirror, accounts=(ACCOUNT, OTHER))


def test_the_numbers_of_deleted_records_and_renamed_campaigns_stay_those_of_an_export(mirror, noon):
    mirror.run()
    noon.move_to("2026-06-18T12:00:00Z", tick=False)
    mirror.adsctl("line-items", "delete", "9d4c2", "--yes")
    mirror.adsctl("campaigns", "delete", "8wku2", "--yes")
    mirror.adsctl("campaigns", "update", "8wku3", "--name", "Another name")
    for day in ("19", "25"):
        noon.move_to(f"2026-06-{day}T12:00:00Z", tick=False)
        mirror.run()
        require_equal(mirror)
    deleted = mirror.rows("SELECT id FROM line_item_history WHERE deleted AND id = '9d4c2'")
    assert deleted == [("9d4c2",)]
    assert mirror.rows("SELECT sum(impressions) FROM line_item_report WHERE line_item_id = '9d4c2'")[0][0] > 0
