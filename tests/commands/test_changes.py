"""Claims about the log of changes."""

import json
import os
import re
import signal
import threading
from datetime import UTC, datetime, timedelta

import pexpect
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from tests.adsctl import TIMEOUT_SECONDS
from tests.conftest import feed
from tests.stored import stored

CREATE = ("campaigns", "create", "--name", "x", "--funding-instrument-id", "4a1n0", "--daily-budget=10")
NAMES = [
    "id",
    "time",
    "profile",
    "account",
    "user",
    "command",
    "method",
    "path",
    "ids",
    "fields",
    "before",
    "outcome",
    "job",
    "by",
    "service",
    "environment",
]


def changes(adsctl, *words: object) -> list[dict]:
    return json.loads(adsctl("changes", "list", *words, "-o", "json").stdout)


def test_a_change_is_listed_with_what_it_set_and_what_it_made(adsctl):
    campaign = json.loads(adsctl.local(*CREATE, "-o", "json").stdout)["id"]
    adsctl.local("campaigns", "update", campaign, "--daily-budget=20", "-v")
    made, updated = changes(adsctl)
    assert [*made] == NAMES
    assert made["ids"] == [campaign] and made["outcome"] == "ok" and made["method"] == "POST"
    assert made["fields"]["name"] == "x" and made["account"] == "18ce54d4x5t"
    assert made["command"].startswith("adsctl --profile local campaigns create --name x")
    assert updated["fields"] == {"daily_budget_amount_local_micro": 20_000_000}
    assert updated["before"] == {"daily_budget_amount_local_micro": 10_000_000}
    shown = json.loads(adsctl("changes", "show", made["id"], "-o", "json").stdout)
    assert shown == made
    assert [change["id"] for change in changes(adsctl, "--id", campaign)] == [made["id"], updated["id"]]
    assert changes(adsctl, "--id", "other") == changes(adsctl, "-A", "other") == []
    assert len(changes(adsctl, "--since", "1h")) == 2 and not changes(adsctl, "--until", "2020-01-01")


def test_the_latest_changes_are_chosen_by_their_number(adsctl):
    for name in "abc":
        adsctl.local("campaigns", "update", "8wku2", "--name", name)
    done = adsctl("changes", "list", "--limit", "2", "-o", "json")
    assert [load["fields"]["name"] for load in json.loads(done.stdout)] == ["b", "c"]
    assert done.stderr == "note: the latest 2 of 3 changes\n"
    assert len(changes(adsctl, "--limit", "3")) == len(changes(adsctl, "--limit", "9")) == 3
    for wrong in ("0", "-1", "x"):
        adsctl("changes", "list", f"--limit={wrong}", code=2)


def test_a_share_is_logged_with_what_it_is_of_without_another_request(adsctl, service):
    asked = []
    emulator = service.emulator

    def watched(environ, start_response):
        asked.append(environ["REQUEST_METHOD"])
        return emulator(environ, start_response)

    service.emulator = watched
    words = ("campaigns", "update", "8wku2", "8wkt0", "--set", "daily_budget=-10%", "--yes")
    adsctl(*words, "-A", "18ce54d4x5t")
    service.emulator = emulator
    shown = [change["before"] for change in changes(adsctl)]
    budgets = [each for change in shown for each in (change if isinstance(change, list) else [change])]
    assert {budget["daily_budget_amount_local_micro"] for budget in budgets} == {40_000_000, 60_000_000}
    assert asked.count("GET") == 1


def test_a_push_is_one_change_with_its_counts(adsctl):
    adsctl.local("products", "push", adsctl.file("f.csv", feed(3)), "--yes")
    (push,) = changes(adsctl)
    assert push["fields"]["rows"] == 3 and push["outcome"] == "ok"
    assert sum(count for name, count in push["fields"].items() if name != "rows") == 3
    assert push["job"] in adsctl("jobs", "list", "-o", "ids").stdout


def test_a_refusal_and_a_lost_answer_are_told_apart(remote, httpserver: HTTPServer):
    path = "/12/accounts/18ce54d4x5t/campaigns/8wkt0"
    httpserver.expect_ordered_request(path, method="DELETE").respond_with_response(Response("{}", 400))
    words = ("campaigns", "delete", "8wkt0", "-A", "18ce54d4x5t", "--yes", "--max-attempts", "1")
    remote(*words, code=6)
    remote("campaigns", "create", *CREATE[2:], "-A", "18ce54d4x5t", "--max-attempts", "1", code=8)
    assert [change["outcome"] for change in changes(remote)] == ["refused", "unknown"]


def test_a_killed_command_shows_as_unknown(remote, httpserver: HTTPServer):
    process = []

    def kill(request) -> Response:
        os.kill(process[0].pid, signal.SIGKILL)
        return Response("{}")

    httpserver.expect_request("/12/accounts/a/campaigns/c", method="DELETE").respond_with_handler(kill)
    process.append(remote.popen("campaigns", "delete", "c", "-A", "a", "--yes"))
    process[0].communicate()
    (change,) = changes(remote)
    assert change["outcome"] == "unknown" and change["ids"] == ["c"]


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_what_a_signal_stops_while_its_answer_is_awaited_is_unknown_and_says_so(
    remote, httpserver: HTTPServer, signum
):
    process, ended = [], threading.Event()

    def stop(request) -> Response:
        os.kill(process[0].pid, signum)
        ended.wait(TIMEOUT_SECONDS)
        return Response("{}")

    httpserver.expect_request("/12/accounts/a/campaigns", method="POST").respond_with_handler(stop)
    process.append(remote.popen(*CREATE, "--currency", "EUR", "-A", "a", "--yes", "-o", "json"))
    _, stderr = process[0].communicate()
    ended.set()
    (change,) = changes(remote)
    assert process[0].returncode == 128 + signum and change["outcome"] == "unknown"
    assert "may have been applied" in json.loads(stderr.splitlines()[-1])["error"]["hint"]


def test_what_the_guard_refuses_is_no_change(adsctl):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "read_only: true\n"))}
    adsctl.local("campaigns", "delete", "8wkt0", "--yes", code=12, **env)
    assert changes(adsctl) == []


def test_a_log_that_cannot_be_written_stops_the_command_before_it_sends(remote, httpserver: HTTPServer):
    (remote.home / "state").mkdir(mode=0o700)
    (remote.home / "state" / "state.db").mkdir()
    done = remote("campaigns", "delete", "c", "-A", "a", "--yes", code=11)
    assert "log of changes" in done.stderr and not httpserver.log
    (remote.home / "state" / "state.db").rmdir()


def test_a_clock_that_is_years_ahead_for_once_does_not_empty_the_log(adsctl, time_machine):
    right = datetime.now(UTC)
    for moment in (right, right + timedelta(days=4000), right + timedelta(days=1)):
        time_machine.move_to(moment)
        adsctl.local("campaigns", "update", "8wku2", "--name", f"Name of {moment:%Y}")
    assert len(changes(adsctl)) == 3
    time_machine.move_to(right + timedelta(days=500))
    adsctl.local("campaigns", "update", "8wku2", "--name", "Last")
    assert len(changes(adsctl)) == 2  # the one of the future is kept until its time


def test_the_log_holds_no_person_and_no_secret(adsctl):
    adsctl.local(
        "audiences", "push", adsctl.file("p.csv", "email\nana@shop.example\n"), "--audience", "1nmw1"
    )
    adsctl.local("settings", "user", "update", "2417", "--contact-phone", "+4915112345678", code=None)
    adsctl.local("webhooks", "create", "https://u:secret@shop.example/x?key=hidden", code=None)
    text = str(stored(adsctl, "SELECT * FROM changes"))
    assert "campaigns" in text or "custom_audiences" in text
    for hidden in ("ana@", "4915112345678", "hidden", "u:secret"):
        assert hidden not in text, hidden


def test_the_log_holds_no_person_however_one_is_written(adsctl):
    rename = ("campaigns", "update", "8wku2", "-v", "--name")
    adsctl.local(*rename, "Call +49 171 5550114 or 0049-171-5550114, mail anna%40shop.example")
    adsctl.local(*rename, "Spring")  # what it was is logged too
    settings = "/12/accounts/{account_id}/account_settings"
    adsctl.local("api", "PUT", settings, "-f", "contact_phone=0171 5550114", code=None)
    adsctl.local("settings", "user", "update", "2417", "--contact-phone", "0171 5550114", code=None)
    adsctl.local("api", "PUT", "/12/accounts/{account_id}/user_settings/2417", "-f", "x=y", code=None)
    *_, api, user, path = logged = changes(adsctl)
    assert not [each for each in ("5550114", "anna", "2417") if each in json.dumps(logged)]
    assert logged[1]["before"] == {"name": "Call *** or ***, mail ***"}
    assert "-f 'contact_phone=***'" in api["command"]
    assert "settings user update '***' --contact-phone '***'" in user["command"] and user["ids"] == ["***"]
    assert "user_settings/***" in path["command"]


RAW_SECRETS = [
    ("-H", "X-Api-Key: hush1"),
    ("-HX-Shop: hush1",),
    ("-H", "Foo:hush1"),
    ("-f", "api_key=hush1"),
    ("-fwhatever=hush1",),
    ("-F", 'session="hush1"'),
    ("-F", 'x={"a": "hush1"}'),
    ("--form", "key=hush1"),
    ("--form=key=hush1",),
]
RAW = ("api", "POST", "/12/accounts/{account_id}/campaigns")


@pytest.mark.parametrize("words", RAW_SECRETS)
def test_the_log_holds_no_header_and_no_field_that_is_not_declared(adsctl, words):
    adsctl.local(*RAW, *words, code=None)
    adsctl.local("-o", "json", *RAW[:2], f"{RAW[2]}?sig=hush1&name=Spring", *words, code=None)
    adsctl.local("api", "PATCH", "/12/unknown?sig=hush1", *words, code=None)
    logged = changes(adsctl)
    assert len(logged) == 3 and "hush1" not in json.dumps(logged)
    if not words[0].startswith("--form"):
        assert logged[1]["fields"]["sig"] == "***" and logged[1]["fields"]["name"] == "Spring"
    assert b"hush1" not in (adsctl.home / "state" / "state.db").read_bytes()


def test_the_log_holds_no_field_of_a_body_that_is_not_declared(adsctl):
    body = {"session_key": "hush1", "name": "Spring", "daily_budget_amount_local_micro": {"deep": "hush1"}}
    adsctl.local(*RAW, "--input", "-", input=json.dumps(body), code=None)
    item = {"operation_type": "Create", "params": body}
    batch = "/12/batch/accounts/{account_id}/campaigns"
    adsctl.local("api", "POST", batch, "--input", "-", input=json.dumps([item]), code=None)
    form = ("-H", "Content-Type: application/x-www-form-urlencoded", "--input", "-")
    adsctl.local(*RAW, *form, input="session_key=hush1&name=Spring", code=None)
    for change in changes(adsctl):
        assert change["fields"]["session_key"] == "***" and change["fields"]["name"] == "Spring"
        assert "hush1" not in json.dumps(change)


def test_no_secret_of_a_raw_request_is_shown(adsctl):
    for words in RAW_SECRETS[:4]:
        for option in ("--dry-run", "--as-curl", "--debug"):
            done = adsctl.local(*RAW, *words, option, "-o", "json", "--log-file", "log", code=None)
            assert "hush1" not in done.stdout + done.stderr, option
    for path in ("/12/x?sig=hush1", "/12/x?api_key=hush1", "/12/x?sessionKey=1&session_key=hush1"):
        done = adsctl.local("api", "GET", path, "--debug", "--log-file", "log", code=None)
        assert "hush1" not in done.stderr
    assert "hush1" not in (adsctl.home / "log").read_text()


def test_a_large_batch_is_logged_by_its_ids_and_the_names_of_its_fields(adsctl):
    interests = ({"line_item_id": "9d4c1", "operator_type": "EQ", "targeting_type": "BROAD_KEYWORD"},) * 300
    lines = (json.dumps(each | {"targeting_value": f"keyword {n:050}"}) for n, each in enumerate(interests))
    adsctl.local("targeting", "add", "-f", adsctl.file("keywords.jsonl", "\n".join(lines)), "--yes")
    (change,) = changes(adsctl)
    assert change["fields"] == dict.fromkeys([*interests[0], "targeting_value"], "...")
    assert len(change["ids"]) == 300


def test_a_change_by_a_task_of_a_fleet_says_so(adsctl):
    task = "{name: spring, run: campaigns update 8wku2 --name Spring --yes, profile: local}"
    adsctl("fleet", "run", adsctl.file("fleet.yaml", f"tasks: [{task}]"), "--yes")
    adsctl.local(
        "campaigns", "update", "8wku2", "--name", "Summer", ADSCTL_ALLOWANCE=str(adsctl.home / "pace")
    )
    assert [change["by"] for change in changes(adsctl)] == ["fleet", None]


def test_the_log_is_private_and_one_that_is_damaged_stops_what_changes_something(adsctl, writes):
    adsctl.local("campaigns", "delete", "8wkt0", "--yes")
    path = adsctl.home / "state" / "state.db"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(path.read_bytes()[:20] + b"damaged")
    assert len(writes) == 1
    for words in (["changes", "list"], ["--profile", "local", "campaigns", "delete", "8wkt5", "--yes"]):
        assert f"{path} is damaged" in adsctl(*words, code=11).stderr
    assert len(writes) == 1


def test_old_changes_are_removed(adsctl, time_machine):
    for moment in ("2026-01-01", "2026-06-01", "2027-03-01", "2027-03-02"):
        time_machine.move_to(f"{moment}T00:00:00Z")
        adsctl.local("campaigns", "update", "8wku2", "--name", moment)
    assert [change["fields"]["name"] for change in changes(adsctl)] == [
        "2026-06-01",
        "2027-03-01",
        "2027-03-02",
    ]


def test_a_clock_that_jumps_back_loses_no_change(adsctl, time_machine):
    words = ("campaigns", "update", "8wku2", "--name")
    names = {"2027-03-01T00:00:05Z": "One", "2027-02-28T23:59:59Z": "Two", "2020-01-01T00:00:00Z": "Three"}
    for moment, name in names.items():
        time_machine.move_to(moment)
        adsctl.local(*words, name)
    shown = json.loads(adsctl("changes", "list", "--since", "2019-01-01", "-o", "json").stdout)
    assert {each["fields"]["name"]: each["outcome"] for each in shown} == dict.fromkeys(names.values(), "ok")


@pytest.mark.parametrize("when", ["last week", "7x", "2026-13-01", "0001-01-01T00:00:00+14:00"])
def test_a_time_that_is_none_is_refused(adsctl, when):
    assert "--since" in adsctl("changes", "list", "--since", when, code=2).stderr


def read_terminal(terminal) -> str:
    """Return what a command wrote to its terminal, without colors."""
    terminal.expect(pexpect.EOF)
    return re.sub(r"\x1b\[[0-9;]*m", "", terminal.before)


def test_every_update_has_what_was_before_however_it_was_made(adsctl):
    rows = adsctl.file("rows.csv", "id,daily_budget\n8wku2,70\n8wku3,90\n")
    apply = json.dumps({"campaigns": [{"id": "8wku2", "daily_budget": 80}]})
    adsctl.local("campaigns", "update", "8wku4", "--daily-budget", "16")
    adsctl.local("campaigns", "update", "-f", rows, "--yes")
    adsctl.local("campaigns", "update", "8wku4", "8wku3", "--daily-budget", "17")
    adsctl.local("campaigns", "apply", "-", "--yes", input=apply)
    adsctl.local("api", "PUT", "/12/accounts/{account_id}/campaigns/8wku2", "-f", "name=Summer")
    before = [
        of_record[field] // 1_000_000 if isinstance(of_record[field], int) else of_record[field]
        for change in changes(adsctl)
        for of_record in (change["before"] if isinstance(change["before"], list) else [change["before"]])
        for field in of_record
    ]
    assert before == [15, 60, 80, 16, 90, 70, "Spring collection"]


def test_a_person_sees_names_and_what_changed_newest_first_in_the_time_of_the_account(adsctl, time_machine):
    time_machine.move_to("2026-12-01T22:30:00Z")
    adsctl.local("campaigns", "update", "8wku2", "--daily-budget", "70", "--name", "Spring")
    time_machine.move_to("2026-12-01T23:30:00Z")
    adsctl.local("campaigns", "update", "8wku4", "8wku3", "--daily-budget", "17")
    adsctl.local("campaigns", "delete", "8wku3", "--yes")
    shown = read_terminal(adsctl.terminal("--profile", "local", "changes", "list", width=160))
    lines = [line.split("  ") for line in shown.splitlines() if line.startswith("2026")]
    assert [[part.strip() for part in line if part.strip()][:3] for line in lines] == [
        ["2026-12-02 00:30", "campaign Hamburg knows us", "deleted"],
        ["2026-12-02 00:30", "campaign People who knit", "daily_budget 15.00 → 17.00 EUR"],
        ["2026-12-02 00:30", "campaign Hamburg knows us", "daily_budget 80.00 → 17.00 EUR"],
        [
            "2026-12-01 23:30",
            "campaign Spring collection",
            "daily_budget 60.00 → 70.00 EUR, name Spring collection → Spring",
        ],
    ]
    assert "times are in Europe/Berlin, the time zone of the account" in " ".join(shown.split())
    assert "OUTCOME" not in shown and "adsctl campaigns" not in shown
    (several,) = [change["id"] for change in changes(adsctl) if len(change["ids"]) == 2]
    whole = read_terminal(adsctl.terminal("--profile", "local", "changes", "show", several, width=80))
    amounts = ("(8wku4): daily_budget 15.00 → 17.00 EUR; ", "(8wku3): daily_budget 80.00 → 17.00 EUR")
    assert all(amount in "".join(whole.splitlines()) for amount in amounts)
    assert re.search("command +adsctl --profile local campaigns update 8wku4 8wku3", whole)


def test_a_narrow_terminal_shows_all_of_a_change_and_the_outcome_of_what_failed(adsctl):
    name = "The spring collection of the whole shop"
    adsctl.local("campaigns", "update", "8wku2", "--daily-budget", "70", "--name", name)
    adsctl.local("line-items", "update", "9d4c2", *("--bid-strategy", "MAX", "--bid-amount", "1"), code=6)
    criterion = ("--targeting-type", "BROAD_KEYWORD", "--targeting-value", "mugs")
    adsctl.local("targeting", "add", "--line-item-id", "9d4c1", *criterion)
    shown = read_terminal(adsctl.terminal("--profile", "local", "-q", "changes", "list", width=80))
    heading, *lines = shown.splitlines()
    starts = [heading.index(column) for column in ("RECORD", "CHANGE", "ID")]
    columns = zip(*((line[slice(*starts[:2])], line[slice(*starts[1:])]) for line in lines), strict=True)
    records, words = (" ".join(" ".join(column).split()) for column in columns)
    assert "…" not in shown
    assert f"daily_budget 60.00 → 70.00 EUR, name Spring collection → {name}" in words
    assert "bid_strategy AUTO → MAX" in words and ": refused" in words
    assert "BROAD_KEYWORD: mugs" in records and "campaign Spring collection" in records


def test_times_that_are_set_are_those_of_the_account(adsctl):
    words = ("line-items", "update", "9d4c2", "9d4c4", "--end-time", "2031-12-24")
    seen = read_terminal(adsctl.terminal("--profile", "local", "-q", *words, "--dry-run", width=200))
    assert seen.count("end_time nothing → 2031-12-24 00:00 CET") == 2
    adsctl.local(*words)
    shown = read_terminal(adsctl.terminal("--profile", "local", "-q", "changes", "list", width=160))
    assert shown.count("end_time nothing → 2031-12-24 00:00 CET") == 2
    assert "2031-12-23T23:00:00Z" in json.dumps(changes(adsctl)[0]["fields"])


def test_a_day_is_one_of_the_account(adsctl, time_machine):
    time_machine.move_to("2026-12-01T22:30:00Z")
    adsctl.local("campaigns", "update", "8wku2", "--name", "Before midnight in Berlin")
    time_machine.move_to("2026-12-01T23:30:00Z")
    adsctl.local("campaigns", "update", "8wku2", "--name", "After midnight in Berlin")

    def names(*words: str) -> list[str]:
        listed = adsctl.local("changes", "list", *words, "-o", "json").stdout
        return [change["fields"]["name"].split()[0] for change in json.loads(listed)]

    assert names("--since", "today") == names("--since", "2026-12-02") == ["After"]
    assert names("--since", "yesterday") == ["Before", "After"]
    assert names("--since", "yesterday", "--until", "2026-12-02T00:00") == ["Before"]
    assert names("--since", "2026-12-01T23:00:00Z") == ["After"]


def test_eighty_columns_have_the_name_what_changed_and_whose_profile(adsctl, time_machine):
    time_machine.move_to("2026-12-01T22:30:00Z")
    adsctl.file("feed.csv", feed(2))
    adsctl.local("campaigns", "pause", "8wku2")
    adsctl.local("products", "push", "feed.csv")
    shown = read_terminal(adsctl.terminal("--profile", "local", "changes", "list", width=80))
    lines = [line for line in shown.splitlines() if line.startswith("2026")]
    assert max(map(len, lines)) <= 80, shown
    assert any("campaign Spring collection" in line and " paused " in line for line in lines), shown
    assert any("catalog " in line and "2 rows, 2 created" in line for line in lines)
    short = next(line for line in lines if " paused " in line).split()[-1]
    whole = json.loads(adsctl("changes", "show", short, "-o", "json").stdout)
    assert whole["id"].endswith(f"-{short}") and whole["ids"] == ["8wku2"]


def test_a_change_that_was_refused_says_so_beside_what_it_was(adsctl):
    adsctl.local("catalog", "create", "--name", "Second", code=6)
    shown = read_terminal(adsctl.terminal("--profile", "local", "changes", "list", width=80))
    assert "created: " in shown and "OUTCOME" not in shown


def test_changes_are_narrowed_and_sorted_by_their_fields_and_words(adsctl, time_machine):
    time_machine.move_to("2026-12-01T22:30:00Z")
    adsctl.local("campaigns", "update", "8wku2", "--name", "Summer")
    time_machine.move_to("2026-12-01T22:31:00Z")
    adsctl.local("campaigns", "pause", "8wku3")

    def ids(*words: str) -> list[list[str]]:
        shown = json.loads(adsctl("changes", "list", *words, "-o", "json").stdout)
        return [change["ids"] for change in shown]

    assert ids() == ids("--sort", "time") == [["8wku2"], ["8wku3"]]
    assert ids("--sort", "-time") == [["8wku3"], ["8wku2"]]
    assert ids("--where", "record~Hamburg") == ids("--where", "change=paused") == [["8wku3"]]
    assert ids("--where", "command~--name", "--where", "profile=local") == [["8wku2"]]
    assert ids("--sort", "-time", "--limit", "1") == ids("--limit", "1") == [["8wku3"]]
    assert "fields: account" in adsctl("changes", "list", "--where", "campaign=x", code=2).stderr
