"""What a run of a fleet shows: a live table on a terminal, lines elsewhere, a page for the browser."""

import json
import re
import threading

import pytest

from ads_cli.commands.fleet.view import last_line
from tests.adsctl import TIMEOUT_SECONDS
from tests.conftest import SECRETS, feed
from tests.report.reading import Read

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.mark.parametrize("width", [80, 200])
def test_a_terminal_shows_the_states_and_what_each_task_says(fleet, service, adsctl, feeds, width):
    feeds("shop", rows=30, gtin="9783999738837")
    feeds("bad", price="cheap")
    name = "a shop with a long name that no column has room for" * 2
    fleet.write(
        f"{{name: {name}, run: products push shop.csv}}",
        "{name: bad, profile: local, run: products check bad.csv}",
    )
    shown = threading.Event()
    service.before = lambda put: shown.wait(TIMEOUT_SECONDS)
    child = adsctl.terminal("fleet", "run", "fleet.yaml", width=width)
    child.expect("1 of 2 tasks ended, 1 failed, 1 running")
    child.expect("30 rows: lines", timeout=30)  # the last line of its log
    text = child.before + child.after
    child.expect("(?<!exit 3: )2 of 2 rows invalid.*1 of 2 tasks ended", timeout=30)
    text += child.before + child.after
    shown.set()
    child.read()
    child.close()
    assert child.exitstatus == 3
    lines = [line for part in ESCAPES.sub("", text).split("\n") for line in part.split("\r")]
    assert max(map(len, lines)) <= width
    running = next(line for line in lines if " running " in line)
    assert ("local-1" in running) == (width == 200)


def test_the_last_line_of_a_task_is_one_for_people(tmp_path):
    log = tmp_path / "task.log"
    log.write_bytes(b"x" * 10_000 + b"\n\xff sent 10 of 20\n\n" + b'{"error": {"code": "interrupted"}}\n')
    assert last_line(log) == "\ufffd sent 10 of 20"
    assert last_line(tmp_path / "none.log") == ""
    with log.open("ab") as file:
        file.write(b'{"error": {"message": "' + b"x" * 10_000 + b'"}}\n')
    assert last_line(log) == ""


def test_elsewhere_each_end_is_a_line_and_quiet_shows_errors_only(fleet, adsctl, feeds):
    feeds("a", "b")
    fleet.write(
        "{name: a, profile: local, run: products check a.csv}",
        "{name: b, profile: local, run: products check b.csv}",
    )
    lines = adsctl("fleet", "run", "fleet.yaml", "--parallel", "1").stderr.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["[1/2] a", "[2/2] b"]
    assert adsctl("-q", "fleet", "run", "fleet.yaml").stderr == ""
    assert "a: started on local-1" in adsctl("-v", "fleet", "run", "fleet.yaml").stderr


def test_what_a_task_prints_never_reaches_the_terminal_as_it_is(fleet, adsctl):
    hostile = "\x1b]0;owned\x07\x1b[2J\u202e"
    adsctl.file("bad.csv", feed(2, price="cheap", title=hostile))
    fleet.write("{name: bad, profile: local, run: products check bad.csv --debug}")
    done = adsctl("fleet", "run", "fleet.yaml", "--report", "fleet.html", "-o", "json", code=3)
    for text in (done.stdout, done.stderr, (adsctl.home / "fleet.html").read_text()):
        assert not re.search("[\x07\x1b\u202e]", text)


def test_the_page_shows_each_task_and_is_written_where_tasks_fail(fleet, service, adsctl, feeds):
    feeds("shop", rows=3)
    feeds("bad", price="cheap")
    fleet.write(
        "{name: shop, run: products push shop.csv}",
        "{name: <b>bad</b>, profile: local, run: products check bad.csv}",
        "{name: later, profile: local, run: products check shop.csv}",
    )
    adsctl("fleet", "run", "fleet.yaml", "--parallel", "1", "--fail-fast", "--report", "fleet.html", code=3)
    page = (adsctl.home / "fleet.html").read_text()
    shown = Read(page).text
    assert "1 of 3 tasks ended well; 1 failed, 1 not started" in shown
    assert "3 created" in shown and "<b>bad</b>" in shown and "<b>bad" not in page
    assert "What to do: run again what did not end well: adsctl fleet run fleet.yaml" in shown
    adsctl.file("mine.html", "my own page")
    done = adsctl("fleet", "run", "fleet.yaml", "--report", "mine.html", code=2)
    assert "mine.html exists and is not a page that adsctl wrote" in done.stderr


def test_no_file_of_a_fleet_has_a_secret(fleet, remote, httpserver, feeds):
    httpserver.expect_request("/feed.csv").respond_with_data(feed(2))
    httpserver.expect_request(re.compile("/12/.*")).respond_with_data(
        json.dumps({"errors": [{"code": "X", "message": SECRETS["ADSCTL_ACCESS_TOKEN_SECRET"]}]}), status=400
    )
    address = f"{httpserver.url_for('/feed.csv')}?token=hunter22"
    fleet.write(
        f"{{name: one, run: 'products push {address} --catalog 7 --debug'}}",
        "{name: two, run: 'products pull two.csv --catalog 7 --debug'}",
    )
    done = remote("fleet", "run", "fleet.yaml", "--debug", "--report", "fleet.html", "-o", "json", code=6)
    files = [path for path in remote.home.rglob("*") if path.is_file() and path.name != "fleet.yaml"]
    assert any(path.suffix == ".log" for path in files) and any(path.suffix == ".html" for path in files)
    texts = [done.stdout, done.stderr, *(path.read_bytes().decode("utf-8", "replace") for path in files)]
    texts.append(remote("fleet", "status", "fleet.yaml", "-o", "json", code=6).stdout)
    for secret in [*SECRETS.values(), "hunter22"]:
        assert not [text[:200] for text in texts if secret in text], secret


@pytest.mark.parametrize(("price", "code"), [("12.50 EUR", 0), ("cheap", 3)])
def test_the_status_of_a_run_has_its_columns_its_records_and_its_exit_code(fleet, adsctl, feeds, price, code):
    feeds("good")
    feeds("other", price=price)
    tasks = (
        f"{{name: {name}, profile: local, run: products check {name}.csv}}" for name in ("good", "other")
    )
    fleet.write(*tasks)
    for words in (
        ("-o", "json"),
        ("-o", "csv"),
        ("-o", "table"),
        ("-o", "ids"),
        ("--columns", "task,status"),
    ):
        ran = adsctl("fleet", "run", "fleet.yaml", *words, code=code)
        shown = adsctl("fleet", "status", "fleet.yaml", *words, code=code)
        assert shown.stdout == ran.stdout
        if code:
            assert "other: exit 3: 2 of 2 rows invalid" in shown.stderr


def test_failures_that_are_equal_are_one_line(fleet, adsctl, feeds):
    feeds("bad", price="cheap")
    names = [f"t{number}" for number in range(7)]
    fleet.write(*(f"{{name: {name}, profile: local, run: products check bad.csv}}" for name in names))
    message = adsctl("fleet", "run", "fleet.yaml", "-q", code=3).stderr
    assert "7 of 7 tasks failed\nt0, t1, t2, t3, t4 and 2 more: exit 3: 2 of 2 rows invalid" in message


def test_files_of_a_fleet_can_be_read_by_their_owner_only(fleet, adsctl, feeds):
    feeds("a")
    fleet.write("{name: a, profile: local, run: products check a.csv}")
    fleet()
    for path in (adsctl.home / "state" / "fleet").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_the_table_of_a_run_says_what_was_done_in_place_of_exit_codes(fleet, service, adsctl, feeds):
    feeds("shop", rows=3)
    feeds("bad", price="cheap")
    fleet.write(
        "{name: shop, run: products push shop.csv}",
        "{name: look, profile: local, run: campaigns list}",
        "{name: bad, profile: local, run: products check bad.csv}",
    )
    shown = adsctl("fleet", "run", "fleet.yaml", "-o", "table", code=3).stdout
    lines = {line.split()[0]: line for line in shown.splitlines()}
    assert "EXIT_CODE" not in shown and "DONE" in lines["TASK"]
    assert " 3 created " in lines["shop"] and " 2 of 2 rows invalid" in lines["bad"]
    assert re.search(r" \d+ records? ", lines["look"])
    names = adsctl("fleet", "status", "fleet.yaml", "-o", "tsv", code=3).stdout.splitlines()[0].split("\t")
    assert names[:6] == ["task", "status", "exit_code", "seconds", "profile", "worker"] and "done" in names
    records = json.loads(adsctl("fleet", "status", "fleet.yaml", "-o", "json", code=3).stdout)
    assert "done" not in records[0]
