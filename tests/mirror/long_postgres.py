"""A mirror in PostgreSQL as people run it: secrets, rights, locks, and servers that go away."""

import threading
from collections.abc import Callable
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path

import psycopg
import pytest

from ads_cli.errors import StateError
from ads_cli.mirror import destination as destinations
from ads_cli.mirror.destination import Destination, Surroundings, open_destination
from ads_cli.mirror.further import tables
from ads_cli.mirror.postgresql import PostgresSchema
from ads_cli.mirror.tables import SYNCED, Table
from tests.adsctl import Adsctl
from tests.mirror.postgres_server import PASSWORD, PostgresServer
from tests.mirror.test_destinations import DAY, REPORT, report_row, writing
from tests.programs import needs

pytestmark = needs("pg_ctlcluster")
NUMBERS = count()
RUN = ("mirror", "run", "--since", "9d", "--into")


@pytest.fixture
def open_it(postgres, database, tmp_path) -> Callable[..., Destination]:
    def opened(wait_seconds: float = 60.0, say: Callable[[str], None] = print) -> Destination:
        surroundings = Surroundings(state_dir=tmp_path, wait_seconds=wait_seconds, say=say)
        return open_destination(postgres.address(database), surroundings)

    return opened


def new_user(postgres: PostgresServer, database: str, *statements: str) -> str:
    """Make a user, and return the address by which the socket lets them in."""
    user = f"user{next(NUMBERS)}"
    postgres.rows(f"CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}'")
    for statement in statements:
        postgres.rows(statement.format(user=user), database)
    return postgres.address(database, user)


def everything(adsctl: Adsctl, into: str) -> dict[str, list[tuple]]:
    """Return the rows of all tables of a mirror, without when they were written."""
    surroundings = Surroundings(state_dir=adsctl.home / "state", wait_seconds=60.0)

    def comparable(table: Table, row: tuple) -> tuple:
        cells = zip(table.columns, row, strict=True)
        return tuple(
            Decimal(str(value)).normalize()
            if column.type == "numeric" and value is not None
            else value  # SQLite has REAL
            for column, value in cells
            if column.name not in TIMES
        )

    with closing(open_destination(into, surroundings)) as destination:
        return {
            name: sorted(
                (comparable(table, row) for row in destination.select(table) if is_final(table, row)),
                key=repr,
            )
            for name, table in tables().items()
        }


def is_final(table: Table, row: tuple) -> bool:
    """Tell whether a row stays as it is: what is charged changes for three days."""
    return not table.entity or row[table.names.index("date")] < datetime.now() - timedelta(days=5)


TIMES = (SYNCED, "asked_at", "finished_at")


def test_every_database_has_the_same_rows_and_another_run_changes_none(
    adsctl, postgres, database, monkeypatch
):
    monkeypatch.chdir(adsctl.home)
    addresses = ["sqlite:ads.db", "duckdb:ads.duckdb", "warehouse", postgres.address(database)]
    for into in addresses:
        adsctl.local(*RUN, into)
    first, *others = (everything(adsctl, into) for into in addresses)
    assert first["campaign_report"] and first["campaign_history"]
    for other in others:
        for name in first:
            for row, expected in zip(other[name], first[name], strict=True):
                assert row == expected, name
    for into in addresses:
        adsctl.local(*RUN, into)
        assert {name: len(rows) for name, rows in everything(adsctl, into).items()} == {
            name: len(rows) for name, rows in first.items()
        }


def test_a_schema_of_the_address_is_made_and_used(adsctl, postgres, database):
    adsctl.local(*RUN, f"{postgres.address(database)}&schema=twitter%20ads")
    query = 'SELECT count(*) > 0 FROM "twitter ads".campaign_history'
    assert postgres.rows(query, database) == [(True,)]
    query = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
    assert postgres.rows(query, database) == [(0,)]


def test_the_password_is_read_from_the_environment_and_its_file(adsctl, postgres, database):
    into = postgres.port_address(database)
    refused = adsctl.local(*RUN, into, code=11)
    assert "no password supplied" in refused.stderr and "PGPASSWORD" in refused.stderr
    refused = adsctl.local(*RUN, into, code=11, PGPASSWORD="another-s3cret")
    assert "password authentication failed" in refused.stderr and "another-s3cret" not in refused.stderr
    adsctl.local(*RUN, into, PGPASSWORD=PASSWORD)
    entry = f"*:{postgres.port}:*:*:{PASSWORD}\n"
    file = Path(adsctl.home, ".pgpass")
    file.write_text(entry)
    file.chmod(0o600)
    adsctl.local("mirror", "status", "--into", into)


def test_a_password_in_an_address_is_warned_of_and_shown_nowhere(adsctl, postgres, database):
    typed = postgres.port_address(database).replace("@", f":{PASSWORD}@")
    in_query = f"{postgres.port_address(database)}?password={PASSWORD}"
    for into in (typed, in_query):
        done = adsctl.local("--debug", *RUN, into)
        assert "shows in the list of processes" in done.stderr and "@NAME" in done.stderr
        assert PASSWORD not in done.stderr + done.stdout
        wrong = into.replace(database, "missing")
        refused = adsctl.local("--debug", *RUN, wrong, code=11)
        assert 'database "missing" does not exist' in refused.stderr and PASSWORD not in refused.stderr
    done = adsctl.local(*RUN, "@MIRROR", MIRROR=typed)
    assert "list of processes" not in done.stderr
    for path in adsctl.home.rglob("*"):
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path


def test_a_fleet_refuses_a_password_and_mirrors_by_a_variable(adsctl, postgres, database):
    typed = postgres.port_address(database).replace("@", f":{PASSWORD}@")
    for into in (typed, f"{postgres.port_address(database)}?password={PASSWORD}"):
        adsctl.file("fleet.yaml", f"tasks: [{{name: a, profile: local, run: 'mirror run --into {into}'}}]\n")
        refused = adsctl("fleet", "run", "fleet.yaml", code=3)
        assert "holds a password" in refused.stderr and PASSWORD not in refused.stderr
    adsctl.file("fleet.yaml", "tasks: [{name: a, profile: local, run: 'mirror run --into @MIRROR'}]\n")
    adsctl("fleet", "run", "fleet.yaml", "--yes", MIRROR=typed)
    assert postgres.rows("SELECT count(*) FROM mirror_accounts", database) == [(1,)]


def test_a_user_who_may_not_create_tables_is_told_what_to_grant(adsctl, postgres, database):
    into = new_user(postgres, database)
    refused = adsctl.local(*RUN, into, code=11)
    assert (
        "permission denied for schema public" in refused.stderr
        and "grant the user USAGE and CREATE" in refused.stderr
    )
    refused = adsctl.local(*RUN, f"{into}&schema=ads", code=11)
    assert "permission denied for database" in refused.stderr


def test_a_user_who_may_only_write_needs_no_right_to_create(adsctl, postgres, database):
    adsctl.local(*RUN, f"{postgres.address(database)}&schema=ads")
    grants = ("GRANT USAGE ON SCHEMA ads TO {user}", "GRANT ALL ON ALL TABLES IN SCHEMA ads TO {user}")
    adsctl.local(*RUN, f"{new_user(postgres, database, *grants)}&schema=ads")


def test_a_read_only_database_is_refused(adsctl, postgres, database):
    only = "ALTER ROLE {user} SET default_transaction_read_only = on"
    refused = adsctl.local(*RUN, new_user(postgres, database, only), code=11)
    assert "read-only transaction" in refused.stderr and "may be written" in refused.stderr


def test_a_full_disk_leaves_all_as_it_was(adsctl, postgres, database):
    into = postgres.address(database)
    adsctl.local(*RUN, into)
    before = everything(adsctl, into)
    postgres.rows(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;"
        "CREATE TRIGGER full_disk BEFORE INSERT ON line_item_report"
        " FOR EACH STATEMENT EXECUTE FUNCTION full_disk()",
        database,
    )
    refused = adsctl.local(*RUN, into, code=11)
    assert "could not extend file" in refused.stderr and "nothing was changed" in refused.stderr
    assert everything(adsctl, into) == before


def test_a_database_of_a_later_version_is_refused(adsctl, postgres, database):
    adsctl.local(*RUN, postgres.address(database))
    postgres.rows("UPDATE mirror_accounts SET contract = contract + 1", database)
    assert "later version" in adsctl.local(*RUN, postgres.address(database), code=11).stderr


def test_a_server_that_ends_the_session_in_the_middle_leaves_all_as_it_was(postgres, database, open_it):
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("1", DAY, 5)])

    def rows():
        yield report_row("1", DAY, 6)
        postgres.rows(END_SESSIONS)

    with pytest.raises(StateError) as refused, writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, rows())
    assert "nothing was changed" in refused.value.hint
    assert postgres.rows("SELECT impressions FROM campaign_report", database) == [(5,)]


END_SESSIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adsctl mirror'"
)


def test_a_session_that_ended_while_jobs_were_waited_for_is_begun_again_with_its_lock(postgres, open_it):
    with closing(open_it()) as destination, destination.locked("a1"):
        postgres.rows(END_SESSIONS)
        destination.begin()
        destination.ensure_tables([REPORT])
        destination.commit()
        other = open_it(0.2)
        with pytest.raises(StateError, match="locked by another process"), other.locked("a1"):
            pass


@contextmanager
def locked_by_somebody(postgres: PostgresServer, database: str):
    with psycopg.connect(postgres.address(database)) as connection:
        connection.execute("LOCK TABLE campaign_report IN ACCESS EXCLUSIVE MODE")
        yield connection


def test_a_lock_of_somebody_else_is_waited_for_with_a_message_and_not_for_ever(
    postgres, database, open_it, monkeypatch
):
    monkeypatch.setattr("ads_cli.mirror.postgresql.ANNOUNCE_SECONDS", 0.1)
    assert destinations.ANNOUNCE_SECONDS == 5.0
    with writing(open_it(), REPORT):
        pass
    said: list[str] = []
    with locked_by_somebody(postgres, database) as somebody:
        with pytest.raises(StateError) as refused, writing(open_it(0.3, said.append), REPORT) as destination:
            destination.replace(REPORT, [report_row("1", DAY, 5)])
        assert refused.value.exit_code == 11 and "pg_stat_activity" in refused.value.hint
        assert "another session has locked campaign_report" in said[0]

        def release(text: str) -> None:
            said.append(text)
            threading.Thread(target=somebody.rollback).start()

        with writing(open_it(60.0, release), REPORT) as destination:
            destination.replace(REPORT, [report_row("1", DAY, 6)])
    assert postgres.rows("SELECT impressions FROM campaign_report", database) == [(6,)]


def test_a_reader_waits_for_a_lock_of_somebody_else_with_a_message_and_not_for_ever(
    postgres, database, open_it, monkeypatch
):
    monkeypatch.setattr("ads_cli.mirror.postgresql.ANNOUNCE_SECONDS", 0.1)
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("1", DAY, 5)])
    said: list[str] = []
    with locked_by_somebody(postgres, database) as somebody:
        for read in (lambda it: it.select(REPORT), lambda it: it.day_counts(REPORT, "a1")):
            with closing(open_it(0.3, said.append)) as destination, pytest.raises(StateError) as refused:
                read(destination)
            assert refused.value.exit_code == 11 and "pg_stat_activity" in refused.value.hint
            assert "another session has locked campaign_report" in said.pop()

        def release(text: str) -> None:
            threading.Thread(target=somebody.rollback).start()

        with closing(open_it(60.0, release)) as destination:
            assert len(destination.select(REPORT)) == 1


def test_a_user_who_may_not_look_into_the_schema_is_told_so(adsctl, postgres, database):
    whole = f"{postgres.address(database)}&schema=ads"
    adsctl.local(*RUN, whole)
    closed = f"{new_user(postgres, database)}&schema=ads"
    for words in (("mirror", "status", "--into"), ("stats", "get", "--active", "--since", "3d", "--from")):
        refused = adsctl.local(*words, closed, code=11).stderr
        assert "permission denied for schema ads" in refused and "grant the user USAGE" in refused


def test_a_user_who_may_only_read_reads(adsctl, postgres, database):
    adsctl.local(*RUN, f"{postgres.address(database)}&schema=ads")
    grants = ("GRANT USAGE ON SCHEMA ads TO {user}", "GRANT SELECT ON ALL TABLES IN SCHEMA ads TO {user}")
    reader = f"{new_user(postgres, database, *grants)}&schema=ads"
    adsctl.local("stats", "get", "--active", "--since", "3d", "--from", reader)
    refused = adsctl.local(*RUN, reader, code=11).stderr
    assert "permission denied for table" in refused and "INSERT" in refused


def test_a_user_who_does_not_own_a_table_cannot_add_columns_and_is_told_so(adsctl, postgres, database):
    adsctl.local(*RUN, postgres.address(database))
    postgres.rows("ALTER TABLE campaign_report DROP COLUMN video_views_25", database)
    granted = "GRANT ALL ON ALL TABLES IN SCHEMA public TO {user}"
    refused = adsctl.local(*RUN, new_user(postgres, database, granted), code=11).stderr
    assert "must be owner" in refused and "only the owner of a table adds columns" in refused


def test_a_database_without_the_letters_of_a_name_is_refused_in_words(adsctl, postgres, database):
    narrow = f"{database}narrow"
    postgres.rows(f"CREATE DATABASE {narrow} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    adsctl.local("campaigns", "update", "8wku2", "--name", "Frühling 🌷")
    refused = adsctl.local(*RUN, postgres.address(narrow), code=11).stderr
    assert "no equivalent in encoding" in refused and "whose encoding is UTF8" in refused
    assert postgres.rows("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", narrow) == [(0,)]


def test_a_server_that_is_gone_in_the_middle_of_a_run_leaves_all_as_it_was(
    adsctl, postgres, database, monkeypatch
):
    into = postgres.address(database)
    adsctl.local(*RUN, into)
    before = everything(adsctl, into)
    replace, names = PostgresSchema.replace, []

    def replaced(self, table, rows, scope=None):
        names.append(table.name)
        if table.name == "line_item_report":
            postgres.rows(END_SESSIONS)
        return replace(self, table, rows, scope)

    with monkeypatch.context() as patch:
        patch.setattr(PostgresSchema, "replace", replaced)
        refused = adsctl.local(*RUN, into, code=11).stderr
    assert "nothing was changed" in refused and "campaign_history" in names
    assert everything(adsctl, into) == before
    adsctl.local(*RUN, into)


def test_views_of_others_do_not_stand_in_the_way_of_new_columns(postgres, database, open_it):
    with writing(open_it(), REPORT):
        pass
    postgres.rows("ALTER TABLE campaign_report DROP COLUMN video_views_25", database)
    postgres.rows("CREATE VIEW own AS SELECT * FROM campaign_report", database)
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("1", DAY, 5)])
    assert postgres.rows("SELECT count(*) FROM own", database) == [(1,)]


@pytest.mark.parametrize("address", ["postgresql://h:port/x", "postgresql://h/x?unknown=1", "postgresql://["])
def test_what_is_no_address_is_refused(adsctl, address):
    assert "is not an address of PostgreSQL" in adsctl.local(*RUN, address, code=2).stderr
