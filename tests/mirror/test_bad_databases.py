"""Databases that cannot be written: the error says why, and what was there is not lost."""

import sqlite3
from contextlib import closing

import pytest

from ads_cli.mirror.sqlite import SqliteFile

TABLES = ("--tables", "campaign_history,campaign_report")


def limited(monkeypatch, pragma: str) -> None:
    """Open files of SQLite with a pragma, such as one that makes the disk full."""
    opened = SqliteFile._open

    def open_limited(self):
        db = opened(self)
        db.execute(f"PRAGMA {pragma}")
        return db

    monkeypatch.setattr(SqliteFile, "_open", open_limited)


def test_a_full_disk_leaves_what_was_there(mirror, monkeypatch, noon):
    mirror.run(*TABLES)
    before = mirror.content()
    pages = mirror.rows("PRAGMA page_count")[0][0]
    noon.move_to("2026-07-30T12:00:00Z", tick=False)
    limited(monkeypatch, f"max_page_count = {pages}")
    refused = mirror.run(*TABLES, "--since", "60d", code=11).stderr
    assert "full" in refused and "free space" in refused
    assert mirror.content() == before


def test_a_file_that_is_read_only_is_refused_before_anything_is_asked(mirror, monkeypatch, requests):
    mirror.run(*TABLES)
    before = mirror.content()
    limited(monkeypatch, "query_only = 1")
    requests.clear()
    refused = mirror.run(*TABLES, code=11).stderr
    assert "attempt to write a readonly database" in refused and "make the file" in refused
    assert mirror.content() == before
    assert not [line for line, _ in requests if "campaigns" in line or "stats" in line]


def test_a_table_of_that_name_that_is_somebody_elses_is_refused_and_stays(mirror):
    mirror.rows("CREATE TABLE campaign_report (campaign TEXT, clicks INTEGER)")
    mirror.rows("INSERT INTO campaign_report VALUES ('mine', 7)")
    refused = mirror.run(*TABLES, code=11).stderr
    assert "table campaign_report that adsctl did not make" in refused and "rename that table" in refused
    assert mirror.content() == {"campaign_report": [("mine", 7)]}


def test_a_file_that_is_replaced_while_the_service_is_asked_is_not_written_in_part(mirror, service):
    mirror.run(*TABLES)
    path, respond = mirror.adsctl.home / "ads.db", service.answer

    def answer(environ, start_response):
        if "/campaigns" in environ["PATH_INFO"] and path.exists():
            path.unlink()
        return respond(environ, start_response)

    service.answer = answer
    refused = mirror.run(*TABLES, code=11).stderr
    assert "changed" in refused and "run it again" in refused
    service.answer = respond
    mirror.run(*TABLES)
    assert mirror.rows("SELECT count(*) FROM mirror_days") == [(30,)]


def test_a_view_over_the_tables_stays(mirror):
    mirror.run(*TABLES)
    mirror.rows("CREATE VIEW mine AS SELECT * FROM campaign_report")
    mirror.run(*TABLES)
    assert mirror.rows("SELECT count(*) FROM mine") == mirror.rows("SELECT count(*) FROM campaign_report")


def test_a_reader_is_not_in_the_way(mirror):
    mirror.run(*TABLES)
    with closing(sqlite3.connect(mirror.adsctl.home / "ads.db", isolation_level=None)) as db:
        reading = db.execute("SELECT * FROM campaign_report")
        reading.fetchone()
        refused = mirror.run(*TABLES, "--max-wait", "0s", code=11).stderr
        assert "another program" in refused
        reading.close()
        mirror.run(*TABLES)


def test_two_accounts_of_one_id_under_two_services_are_not_mixed(mirror):
    mirror.run(*TABLES)
    before = mirror.content()
    refused = mirror.adsctl.local("mirror", "run", "--into", "sqlite:ads.db", *TABLES, code=11).stderr
    assert "18ce54d4x5t of another service" in refused
    assert mirror.content() == before


def test_other_accounts_of_another_service_are_not_mixed_in_either(mirror):
    mirror.run(*TABLES)
    before = mirror.content()
    words = ("--into", "sqlite:ads.db", "--accounts", "18ce55gze09", *TABLES)
    refused = mirror.adsctl.local("mirror", "run", *words, code=11)
    assert "18ce54d4x5t of another service" in refused.stderr
    assert mirror.content() == before


def test_a_later_version_with_wider_types_is_told_from_a_table_of_somebody_else(mirror):
    mirror.run(*TABLES)
    mirror.rows("DROP TABLE campaign_report")
    mirror.rows("CREATE TABLE campaign_report (account_id TEXT, campaign_id TEXT, clicks NUMERIC)")
    assert "did not make" in mirror.run(*TABLES, code=11).stderr
    mirror.rows("UPDATE mirror_accounts SET contract = contract + 1")
    refused = mirror.run(*TABLES, code=11).stderr
    assert "later version of adsctl" in refused and "did not make" not in refused


@pytest.mark.parametrize("address", ["postgresql://ads:hunter2@db.example/ads", "postgres://:hunter2@h/d"])
def test_a_password_in_an_address_is_warned_of_and_shown_nowhere(mirror, address, tmp_path):
    log = tmp_path / "log.jsonl"
    result = mirror.adsctl("mirror", "run", "--into", address, "--log-file", log, "--debug", code=None)
    assert result.returncode != 0
    assert "the password in" in result.stderr and "@NAME" in result.stderr
    shown = result.stderr + result.stdout + (log.read_text() if log.exists() else "")
    assert "hunter2" not in shown
    listed = mirror.adsctl("mirror", "run", "--into", "@MIRROR", code=None, MIRROR=address)
    assert "the password in" not in listed.stderr and "hunter2" not in listed.stderr


def test_an_address_is_read_from_a_variable_or_the_file_that_it_names(mirror):
    mirror.adsctl("mirror", "run", "--into", "@MIRROR", *TABLES, MIRROR="sqlite:ads.db")
    secret = mirror.adsctl.file("address", "sqlite:ads.db\n")
    mirror.adsctl("mirror", "run", "--into", "@MIRROR", *TABLES, MIRROR_FILE=str(secret))
    assert mirror.rows("SELECT count(*) FROM mirror_accounts") == [(1,)]


def test_a_fleet_refuses_a_password_in_an_address(mirror):
    mirror.adsctl.file(
        "fleet.yaml", "tasks:\n- {name: a, run: mirror run --into postgresql://u:hunter2@h/d}\n"
    )
    refused = mirror.adsctl("fleet", "check", "fleet.yaml", code=None)
    assert refused.returncode and "holds a password" in refused.stderr and "hunter2" not in refused.stderr
