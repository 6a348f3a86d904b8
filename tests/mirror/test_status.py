"""`mirror status` and `mirror tables`."""

import json
from pathlib import Path

import yaml

from ads_cli.mirror.further import tables
from ads_cli.mirror.tables import VERSION

# What each version of the contract has had: a table, and its columns as `type` or `type key`.
VERSIONS = Path(__file__).parent / "versions"


def declared() -> dict[str, dict[str, str]]:
    return {
        name: {column.name: f"{column.type}{' key' if column.is_key else ''}" for column in table.columns}
        for name, table in tables().items()
    }


def test_no_version_drops_or_narrows_what_an_earlier_one_had():
    """A new table or column: raise VERSION, and write `declared()` to versions/VERSION.yaml."""
    now = declared()
    for version in range(1, VERSION + 1):
        before = yaml.safe_load((VERSIONS / f"{version}.yaml").read_text())
        for table, columns in before.items():
            assert columns.items() <= now[table].items(), table
    assert before == now


def test_the_status_asks_nothing_and_tells_until_when_an_account_is_there(mirror, requests):
    mirror.run("--since", "20d")
    requests.clear()
    (account,) = json.loads(mirror.adsctl("mirror", "status", "--into", "sqlite:ads.db", "-o", "json").stdout)
    assert not requests
    assert account.pop("rows") > 100 and account.pop("service").startswith("http")
    assert account == {
        "account": "18ce54d4x5t",
        "timezone": "Europe/Berlin",
        "since": "2026-05-28",
        "until": "2026-06-17",
        "finished_at": "2026-06-17T12:30:00Z",
        "gaps": 0,
        "contract": VERSION,
    }


def test_the_status_of_nothing_makes_no_file(mirror):
    shown = mirror.adsctl("mirror", "status", "--into", "sqlite:none.db")
    assert "nothing was mirrored into sqlite:none.db" in shown.stderr
    assert not (mirror.adsctl.home / "none.db").exists()


def test_the_tables_are_shown_with_each_column(adsctl):
    rows = json.loads(adsctl("mirror", "tables", "-o", "json").stdout)
    shown: dict[str, dict[str, str]] = {}
    for row in rows:
        shown.setdefault(row["table"], {})[row["column"]] = f"{row['type']}{' key' if row['key'] else ''}"
        assert row["about"] and row["source"]
    assert shown == declared()
    few = json.loads(adsctl("mirror", "tables", "--tables", "campaign_report", "-o", "json").stdout)
    assert {row["table"] for row in few} == {"campaign_report"}
