"""What models on a mirror add up, as the public dbt package does: the sums of an export, in each database."""

from contextlib import closing

import duckdb
import psycopg
import pytest

from tests.mirror.test_run import ACCOUNT, exported, millionths
from tests.programs import needs

pytestmark = needs("pg_ctlcluster")
ADDRESSES = "Spring: https://shop.example/mugs?utm_source=x&utm_campaign=spring or https://shop.example/sale"

# The present version of each record, as the package finds it: by `updated_at` alone.
LATEST = "SELECT *, row_number() OVER (PARTITION BY id ORDER BY updated_at DESC) AS place FROM {}_history"
RECORDS = ", ".join(
    f"{name} AS (SELECT * FROM ({LATEST.format(name)}) versions WHERE place = 1)"
    for name in ("account", "campaign", "line_item", "promoted_tweet")
)
SUMS = """sum(report.impressions), sum(report.clicks), sum(report.url_clicks),
    sum(report.billed_charge_local_micro) / 1000000.0, count(*), count(account.name), max(campaign.name)"""
DAY = "cast(date_trunc('day', report.date) AS date)"
ACCOUNTS = "LEFT JOIN account ON account.id = report.account_id"
CAMPAIGNS = "LEFT JOIN campaign ON campaign.id = {}.campaign_id"
LINE_ITEMS = "LEFT JOIN line_item ON line_item.id = {}.line_item_id"
POSTS = """LEFT JOIN promoted_tweet ON promoted_tweet.id = report.promoted_tweet_id
    LEFT JOIN tweet ON tweet.id = promoted_tweet.tweet_id"""
MODELS = {
    "CAMPAIGN": f"FROM campaign_report report {CAMPAIGNS.format('report')} {ACCOUNTS}",
    "LINE_ITEM": f"FROM line_item_report report {LINE_ITEMS.format('report')}"
    f" {CAMPAIGNS.format('line_item')} {ACCOUNTS}",
    "PROMOTED_POST": f"FROM promoted_tweet_report report {POSTS}"
    """ LEFT JOIN tweet_url ON tweet_url.tweet_id = promoted_tweet.tweet_id AND tweet_url."index" = 0 """
    f" {LINE_ITEMS.format('promoted_tweet')} {CAMPAIGNS.format('line_item')} {ACCOUNTS}",
}
ADDRESS = """SELECT DISTINCT split_part(expanded_url, '?', 1), split_part(expanded_url, 'utm_campaign=', 2)
FROM promoted_tweet_report report JOIN promoted_tweet_history promoted ON promoted.id = promoted_tweet_id
JOIN tweet_url ON tweet_url.tweet_id = promoted.tweet_id AND "index" = 0 WHERE impressions > 0"""


@pytest.fixture
def filled(mirror, service, noon, postgres, database):
    """The addresses of two databases, mirrored twice: before and after a campaign was renamed."""
    text = "UPDATE records SET data = json_set(data, '$.text', ?) WHERE kind = 'post' AND id LIKE '%001'"
    service.emulator.store.connection.execute(text, (ADDRESSES,))
    into = (postgres.address(database), f"duckdb:{mirror.adsctl.home / 'ads.duckdb'}")
    for address in into:
        mirror.adsctl("mirror", "run", "--into", address, "--since", "40d")
    noon.move_to("2026-06-18T12:30:00Z", tick=False)
    mirror.adsctl("campaigns", "update", "8wku2", "--name", "Renamed")
    for address in into:
        mirror.adsctl("mirror", "run", "--into", address, "--since", "40d")
    return psycopg.connect(postgres.address(database)), duckdb.connect(into[1].removeprefix("duckdb:"))


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_the_sums_of_models_are_those_of_an_export(filled, mirror, service_name):
    for connection in filled:
        with closing(connection) as db:
            for entity, model in MODELS.items():
                id = f"report.{model.split('_report')[0].removeprefix('FROM ')}_id"
                query = f"WITH {RECORDS} SELECT {id}, {DAY}, {SUMS} {model} GROUP BY 1, 2"
                rows = db.execute(query).fetchall()
                numbers = {(row[0], f"{row[1]:%Y-%m-%d}"): tuple(map(millionths, row[2:6])) for row in rows}
                expected = exported(mirror, entity, "41d", ACCOUNT)
                assert {key: values for key, values in numbers.items() if any(values)} == expected
                assert {(row[6], row[7]) for row in rows} == {(1, 1)}  # no join has doubled or lost one
                assert "Renamed" in {row[8] for row in rows} and None not in {row[8] for row in rows}
            addresses = [("https://shop.example/mugs", "spring")] if service_name == "x" else []
            assert db.execute(ADDRESS).fetchall() == addresses  # the other service names none
