"""A command under several profiles: `--profile 'shop-*'`, and any command in the file of a fleet."""

import csv
import io
import json
import re

import pytest
from python_calamine import CalamineWorkbook

from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.cli.tree import root
from ads_cli.errors import UsageError
from ads_cli.fleet.commands import COMMANDS, REFUSED, FleetCommands
from tests.conftest import feed
from tests.emulator.seeded import CAFE, SHOP
from tests.report.reading import Read

ACCOUNTS = {"shop-nord": SHOP, "shop-sued": CAFE}
NAMES = list(ACCOUNTS)


@pytest.fixture
def shops(adsctl, service, profiles, forked_tasks):
    """Two shops, each with an account of its own, and a profile that no pattern of theirs names."""
    profiles(*NAMES, "other")
    path = adsctl.home / "config/config.yaml"
    config = json.loads(path.read_text())
    for name, account in ACCOUNTS.items():
        config["profiles"][name] |= {"account": account, "catalog": "7310248000000000001"}
    path.write_text(json.dumps(config))
    for name in ("ADSCTL_ACCOUNT", "ADSCTL_CATALOG"):
        adsctl.env.pop(name, None)
    return adsctl


def set_up(shops, name: str, **values: object) -> None:
    """Change what a profile says."""
    path = shops.home / "config/config.yaml"
    config = json.loads(path.read_text())
    profile = config["profiles"][name] | values
    config["profiles"][name] = {key: value for key, value in profile.items() if value is not None}
    path.write_text(json.dumps(config))


def run(shops, *words: str, code: int = 0, profile: str = "shop-*") -> list[dict]:
    return json.loads(shops("--profile", profile, *words, "-o", "json", code=code).stdout)


def of_one(shops, profile: str, *words: str) -> list[dict]:
    return json.loads(shops("--profile", profile, *words, "-o", "json").stdout)


def test_statistics_of_several_profiles_show_their_numbers_at_eighty_columns(shops):
    words = ("--profile", "shop-*", "-q", "stats", "get", "--since", "7d", "--all", "--granularity", "TOTAL")
    for asked in ((), ("--metrics", "spend,impressions,ctr", "--compare", "previous")):
        child = shops.terminal(*words, *asked, width=80, NO_COLOR="1")
        lines = child.read().replace("\r\n", "\n").splitlines()
        child.close()
        assert lines[0].startswith("PROFILE"), lines
        heading = lines[0]
        assert child.exitstatus == 0 and max(map(len, lines)) <= 80
        names = ["SPEND", "CHANGE", "IMPRESSIONS", "CHANGE", "CTR"] if asked else ["SPEND", "IMPRESSIONS"]
        assert heading.split()[: len(names) + 2] == ["PROFILE", "NAME", *names]
        assert any("shop-nord  Hamburg" in line and " EUR" in line for line in lines)


def test_each_profile_has_a_record_with_its_data_in_json(shops):
    records = run(shops, "campaigns", "list")
    assert [record["profile"] for record in records] == NAMES
    for record in records:
        assert (record["status"], record["exit_code"], record["error"]) == ("ok", 0, None)
        assert record["data"] == of_one(shops, record["profile"], "campaigns", "list")
    lines = shops("-p", "shop-*", "campaigns", "list", "-o", "jsonl").stdout.splitlines()
    assert [json.loads(line)["data"] for line in lines] == [record["data"] for record in records]


def test_formats_of_columns_show_all_records_with_their_profiles(shops):
    alone = {name: list(rows(shops("-p", name, "campaigns", "list", "-o", "csv").stdout)) for name in NAMES}
    together = list(rows(shops("-p", "shop-*", "campaigns", "list", "-o", "csv").stdout))
    assert together == [{"profile": name} | row for name in NAMES for row in alone[name]]
    assert list(together[0]) == ["profile", *alone["shop-nord"][0]]
    ids = shops("-p", "shop-*", "campaigns", "list", "-o", "ids").stdout.split()
    assert ids == [row["id"] for row in together]
    chosen = shops("-p", "shop-*", "campaigns", "list", "--columns", "profile,id").stdout.splitlines()
    assert chosen == ["profile\tid", *(f"{row['profile']}\t{row['id']}" for row in together)]
    head, first = shops("-p", "shop-*", "campaigns", "list", "-o", "table").stdout.splitlines()[:2]
    assert (head.split()[:2], first.split()[0]) == (["PROFILE", "NAME"], "shop-nord")


def rows(text: str):
    return csv.DictReader(io.StringIO(text))


def test_a_query_is_applied_to_the_merged_result(shops):
    done = shops(
        "--profile=shop-*", "campaigns", "list", "--query", "[].{p: profile, n: length(data)}", "-o", "json"
    )
    counts = {name: len(of_one(shops, name, "campaigns", "list")) for name in NAMES}
    assert json.loads(done.stdout) == [{"p": name, "n": count} for name, count in counts.items()]


def test_profiles_are_named_one_by_one_and_local_only_as_it_is(shops):
    assert [record["profile"] for record in run(shops, "accounts", "list", profile="other,shop-s*")] == [
        "other",
        "shop-sued",
    ]
    every = run(shops, "accounts", "list", profile="*")
    assert [record["profile"] for record in every] == [*NAMES, "other"]
    assert [record["profile"] for record in run(shops, "accounts", "list", profile="local,other")] == [
        "local",
        "other",
    ]


def test_a_pattern_without_a_match_names_the_profiles(shops):
    message = shops("-p", "shpo-*", "campaigns", "list", code=2).stderr
    assert "no profile matches 'shpo-*'" in message and "profiles: shop-nord, shop-sued, other" in message


def test_a_write_asks_once_and_names_all_profiles(shops, service):
    words = ("-p", "shop-*", "audiences", "create", "--name", "Buyers of {profile}")
    message = shops(*words, code=12).stderr
    assert "under 2 profiles: shop-nord, shop-sued" in message and message.count("not confirmed") == 1
    assert "Buyers of" not in shops("-p", "shop-nord", "audiences", "list").stdout
    child = shops.terminal(*words, "-o", "json")
    child.expect(r"under 2 profiles: shop-nord, shop-sued\? \[y/N\]")
    child.sendline("y")
    child.read()
    child.close()
    assert child.exitstatus == 0
    for name in NAMES:
        assert f"Buyers of {name}" in shops("-p", name, "audiences", "list").stdout


def test_a_dry_run_asks_nothing_and_shows_each_request(shops, service):
    records = run(shops, "audiences", "create", "--name", "x", "--dry-run")
    for record in records:
        assert record["data"]["method"] == "POST" and ACCOUNTS[record["profile"]] in record["data"]["url"]


def test_what_fails_under_one_profile_is_named_and_the_others_are_shown(shops):
    campaign = of_one(shops, "shop-nord", "campaigns", "list")[0]["id"]
    records = run(shops, "campaigns", "get", campaign, code=5)
    assert [record["exit_code"] for record in records] == [0, 5]
    assert records[0]["data"]["id"] == campaign and records[1]["data"] is None
    assert records[1]["error"]["exit_code"] == 5
    done = shops("-p", "shop-*", "campaigns", "get", campaign, "-o", "csv", code=5)
    assert [row["profile"] for row in rows(done.stdout)] == ["shop-nord"]
    assert "1 of 2 profiles failed\nshop-sued: exit 5: " in done.stderr


def test_where_all_fail_no_head_of_a_table_is_printed(shops):
    done = shops("-p", "shop-*", "campaigns", "get", "none", "-o", "csv", code=5)
    assert done.stdout == ""
    assert "2 of 2 profiles failed\nshop-nord, shop-sued: exit 5: " in done.stderr


def test_a_workbook_has_the_records_of_all_profiles(shops):
    shops("-p", "shop-*", "accounts", "list", "--to", "accounts.xlsx")
    sheet = CalamineWorkbook.from_path(shops.home / "accounts.xlsx").get_sheet_by_index(0).to_python()
    assert sheet[0][:2] == ["profile", "name"]
    assert {row[0] for row in sheet[1:]} == set(NAMES)


def test_a_profile_that_has_the_name_of_a_pattern_writes_its_workbook(shops):
    path = shops.home / "config/config.yaml"
    config = json.loads(path.read_text())
    config["profiles"]["shop-*"] = config["profiles"]["shop-nord"]
    path.write_text(json.dumps(config))
    done = shops("--profile", "shop-*", "campaigns", "list", "--to", "all.xlsx")
    assert done.stderr.count("all.xlsx: the result of this command") == 1


def test_the_command_of_on_failure_is_run_once_and_reads_the_counts(shops):
    shops("-p", "shop-*", "campaigns", "get", "none", "--on-failure", "sh -c 'cat >> told.json'", code=5)
    counts = json.loads((shops.home / "told.json").read_text())
    assert {name: counts[name] for name in ("tasks", "ok", "failed")} == {"tasks": 2, "ok": 0, "failed": 2}


def test_what_cannot_run_is_told_before_anything_does(shops, service):
    set_up(shops, "shop-sued", account=None)
    message = shops("-p", "shop-*", "audiences", "create", "--name", "x", "--yes", code=2).stderr
    assert "shop-sued: no account is set" in message and "nothing was run" in message
    assert (
        shops("-p", "shop-nord", "audiences", "list", "--query", "[?name=='x']", "-o", "json").stdout
        == "[]\n"
    )


def test_the_guard_of_each_profile_holds(shops):
    set_up(shops, "shop-sued", guard={"read_only": True})
    message = shops("-p", "shop-*", "audiences", "create", "--name", "x", "--yes", code=12).stderr
    assert "shop-sued: the guard refuses" in message
    assert "nothing was run" in message


def test_what_the_guard_of_one_profile_refuses_in_amounts_is_sent_under_none(shops, service):
    set_up(shops, "shop-sued", account=SHOP, guard={"max_daily_budget": "100 EUR"})
    words = ("campaigns", "create", "--name", "x", "--funding-instrument-id", "4a1n0", "--yes")
    done = shops("-p", "shop-*", "-o", "json", *words, "--daily-budget=101", code=12)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["code"] == "guard" and "shop-sued: the guard refuses a daily budget" in error["message"]
    assert "nothing was run" in error["message"] and "x" not in campaign_names(shops)
    run(shops, *words, "--daily-budget=100")
    assert campaign_names(shops).count("x") == 2


def campaign_names(shops) -> list[str]:
    listed = shops("-p", "shop-nord", "-q", "-o", "json", "campaigns", "list", "--all").stdout
    return [campaign["name"] for campaign in json.loads(listed)]


def test_a_push_to_each_profile_reads_the_feed_of_its_name(shops, service):
    set_up(shops, "shop-sued", catalog="7310248000000000002")
    for name in NAMES:
        shops.file(f"{name}.csv", feed(2))
    records = run(shops, "products", "check", "{profile}.csv")
    assert [record["data"]["valid"] for record in records] == [2, 2]
    message = shops(
        "-p", "shop-*", "products", "check", "{profile}.csv", "--failed-out", "bad.csv", code=3
    ).stderr
    assert "shop-sued: writes bad.csv, as shop-nord does" in message


def test_a_file_that_each_task_would_rewrite_is_told_before(shops):
    shops.file("all.yaml", "campaigns: []\n")
    message = shops("-p", "shop-*", "campaigns", "apply", "all.yaml", "--write-ids", "--yes", code=3).stderr
    assert "shop-sued: writes all.yaml, as shop-nord does" in message


def test_two_catalogs_that_are_one_are_not_pushed_to_at_once(shops):
    shops.file("a.csv", feed(2))
    for name in NAMES:
        set_up(shops, name, catalog=None)
    message = shops("-p", "shop-*", "products", "push", "a.csv", "--yes", code=3).stderr
    assert "shop-sued: changes the only catalog of its user, as shop-nord does" in message


@pytest.mark.parametrize(
    "words", ["auth login", "profile list", "mcp", "emulator reset", "fleet status", "jobs list"]
)
def test_what_makes_no_sense_under_several_profiles_is_refused(shops, words):
    message = shops("-p", "shop-*", *words.split(), code=2).stderr
    assert f"'{words}' is not a command that a fleet runs: " in message
    assert "name one profile: shop-nord, shop-sued" in message


def test_every_command_is_run_by_a_fleet_or_refused_with_a_reason():
    commands = FleetCommands(root())
    for name in CUSTOM_COMMANDS:
        try:
            assert commands.name_in((*name.split(), "x")) == name
            assert name in COMMANDS, f"a fleet must know what {name} changes"
        except UsageError as error:
            reasons = [reason for key, reason in REFUSED.items() if f"{name} ".startswith(f"{key} ")]
            assert reasons and reasons[0] in error.message, name


def test_a_mistake_and_a_help_text_are_those_of_one_command(shops):
    message = shops("-p", "shop-*", "campaigns", "list", "--nonsense", code=2).stderr
    assert "no such option: --nonsense" in message.lower()
    assert "Usage:" in shops("-p", "shop-*", "campaigns", "list", "--help").stdout


def test_what_tasks_warn_of_is_shown_with_the_profile(shops):
    done = shops("-p", "shop-*", "campaigns", "list", "--count", "1", "-o", "ids")
    assert "shop-nord: warning: there are more" in done.stderr or "shop-nord: there are more" in done.stderr


def test_the_file_of_a_fleet_runs_reads_and_writes_and_merges_them(shops, fleet):
    fleet.write('{for: {profiles: "shop-*"}, run: campaigns list}')
    records = fleet()
    assert {record["profile"]: record["data"] for record in records} == {
        name: of_one(shops, name, "campaigns", "list") for name in NAMES
    }
    table = list(rows(shops("fleet", "run", "fleet.yaml", "-o", "csv").stdout))
    assert [(row["profile"], row["id"]) for row in table] == [
        (record["profile"], campaign["id"]) for record in records for campaign in record["data"]
    ]
    fleet.write('{for: {profiles: "shop-*"}, run: audiences create --name new}')
    assert [record["data"]["name"] for record in fleet()] == ["new", "new"]


def test_differences_are_the_exit_code_and_no_failure(shops, service):
    shops.file("a.csv", feed(1))
    records = run(shops, "products", "diff", "a.csv", profile="shop-nord,", code=10)
    assert [(record["status"], record["exit_code"]) for record in records] == [("ok", 10)]


def test_an_overview_has_the_campaigns_of_each_profile_and_its_next_commands(shops):
    for record in run(shops, "overview"):
        assert record["data"][0]["id"] == ACCOUNTS[record["profile"]]
        commands = [line["command"] for line in record["data"] if line.get("command")]
        assert all(f"--profile={record['profile']}" in command for command in commands)
    together = list(rows(shops("-p", "shop-*", "overview", "-o", "csv").stdout))
    assert {row["profile"] for row in together if row["kind"] == "account"} == {*NAMES}
    assert {row["kind"] for row in together} == {"account", "funding instrument", "campaign"}


def on_terminal(shops, *words: str, code: int = 0) -> list[str]:
    """Return the lines that a terminal of 80 columns shows."""
    child = shops.terminal(*words, width=80, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == code and max(map(len, lines)) <= 80, lines
    return lines


def test_the_overview_of_several_profiles_shows_states_and_reasons_at_eighty_columns(shops):
    heading, *lines = on_terminal(shops, "--profile", "shop-*", "-q", "overview")
    assert {"PROFILE", "NAME", "STATUS", "WHY"} <= {*heading.split()}
    assert any("Spring" in line and "RUNNING" in line for line in lines)
    columns = ("--columns", "profile,name,daily_budget")
    lines = on_terminal(shops, "--profile", "shop-*", "-q", "overview", *columns)
    assert any("Spring" in line and "60.00 EUR" in line for line in lines)


def test_the_overview_and_the_pace_of_several_profiles_show_amounts_at_eighty_columns(shops):
    heading, *lines = on_terminal(shops, "--profile", "shop-*", "-q", "overview")
    assert "SPEND" in heading.split() and max(map(len, (heading, *lines))) <= 80
    assert any("Spring" in line and re.search(r"[0-9] EUR", line) for line in lines)
    shops("profile", "set", "shop-nord", "monthly_budget=3000EUR")
    heading, *lines = on_terminal(shops, "--profile", "shop-*", "-q", "stats", "pace")
    assert {"PROFILE", "NAME", "BUDGET"} <= {*heading.split()}  # nothing is known on the first of a month
    assert any("shop-nord" in line and "3,000.00 EUR" in line for line in lines)


def test_one_guard_is_set_for_all_profiles_and_loosened_for_none(shops):
    shops("-y", "--profile", "shop-*", "guard", "set", "max_changes=20", "deny=delete")
    limits = run(shops, "guard", "show")
    assert all({limit["key"] for limit in record["data"]} == {"max_changes", "deny"} for record in limits)
    assert {row["value"] for record in limits for row in record["data"]} == {"20", "delete"}
    error = shops("-y", "--profile", "shop-*", "guard", "set", "max_changes=30", code=12).stderr
    assert "Loosen the guard of the profile shop-nord: max_changes from 20 to 30" in error
    assert [record["data"] for record in run(shops, "guard", "show")] == [record["data"] for record in limits]


def test_one_page_of_several_profiles_names_the_way_to_make_one_for_each(shops):
    words = ("stats", "get", "--since", "7d", "--all", "--report")
    error = shops("--profile", "shop-*", *words, "all.html", code=3).stderr
    assert "{profile} in its name makes one for each" in error
    shops("--profile", "shop-*", *words, "{profile}.html")
    assert all((shops.home / f"{name}.html").exists() for name in NAMES)


def test_lists_of_several_profiles_are_narrowed_and_sorted_in_each(shops):
    records = run(shops, "guard", "show", "--where", "key=deny")
    assert [record["data"] for record in records] == [[], []]
    shown = run(shops, "auth", "status", "--where", "what=account")
    assert [row["value"] for record in shown for row in record["data"]] == [SHOP, CAFE]


def test_tasks_are_shown_by_what_they_did_without_what_says_nothing(shops):
    shops.file("feed.csv", feed(2))
    lines = "".join(f"- {{profile: {name}, name: {name}, run: products check feed.csv}}\n" for name in NAMES)
    shops.file("fleet.yaml", f"tasks:\n{lines}")
    heading, first, *_ = on_terminal(shops, "-q", "fleet", "run", "fleet.yaml")[-3:]
    assert heading.split() == ["TASK", "STATUS", "DONE", "SECONDS"]
    assert first.split()[:2] == ["shop-nord", "ok"]
    heading, first, *_ = on_terminal(shops, "-q", "fleet", "check", "fleet.yaml")
    assert "products check feed.csv" in first and "--profile" not in first
    status = json.loads(
        shops("fleet", "status", "fleet.yaml", "--sort", "-task", "--where", "status=ok", "-o", "json").stdout
    )
    assert [task["task"] for task in status] == ["shop-sued", "shop-nord"] and "done" not in status[0]
    shown = shops("fleet", "status", "--where", "failed>0", "-o", "json").stdout
    assert json.loads(shown) == []


def test_a_person_reads_what_changes_under_each_profile_before_it_is_confirmed(shops):
    words = ("--profile", "shop-*", "campaigns", "update", "--where", "daily_budget>55", "--set")
    changes = [
        "shop-nord: would update the campaign Spring collection (8wku2): daily_budget 60.00 → 66.00 EUR"
    ]
    child = shops.terminal(*words, "daily_budget=+10%", width=120, NO_COLOR="1")
    child.expect(r"\[y/N\]")
    asked = child.before
    child.sendline("n")
    child.read()
    child.close()
    assert child.exitstatus == 12 and all(change in asked for change in changes)
    child = shops.terminal(*words, "daily_budget=+10%", "--dry-run", width=120, NO_COLOR="1")
    shown = child.read()
    child.close()
    assert child.exitstatus == 0 and "METHOD" not in shown
    assert all(change.replace("would", "dry run: would") in shown for change in changes)
    assert shops("changes", "list", "-o", "ids").stdout == ""


def test_a_dry_run_of_several_profiles_tells_the_error_of_one(shops):
    words = ("--profile", "shop-*", "campaigns", "pause", "Spring collection", "--dry-run")
    child = shops.terminal(*words, width=120, NO_COLOR="1")
    shown = child.read()
    child.close()
    assert (
        child.exitstatus == 5 and "shop-sued: exit 5: there is no campaign named 'Spring collection'" in shown
    )


def test_programs_get_the_requests_of_a_dry_run_of_several_profiles(shops):
    words = ("campaigns", "update", "--where", "daily_budget>55", "--set", "daily_budget=+10%", "--dry-run")
    (first, *_) = run(shops, *words)
    assert [request["method"] for request in first["data"]] == ["POST"]


def test_accounts_are_checked_together_and_the_page_has_all_findings_worst_first(shops, fleet):
    fleet.write(
        "{profile: shop-sued, name: a, run: accounts check --select D1}",
        "{profile: shop-nord, name: b, run: accounts check --select D1}",
        "{profile: local, name: c, run: accounts check --select D1}",  # another emulator
    )
    records = fleet("--report", "all.html", code=10)
    found = [(own["severity"], task["profile"], own["code"]) for task in records for own in task["data"]]
    assert {profile for _, profile, _ in found} == {"shop-nord", "local"} | {p for _, p, _ in found}
    severities = ["error", "warning", "note"]
    expected = sorted(found, key=lambda own: (severities.index(own[0]), *own[1:]))
    page = (shops.home / "all.html").read_text()
    text = Read(page).text
    assert text.index("Of all accounts, worst first") < text.index("All tasks, failed ones first")
    shown = re.findall(r"\b(error|warning|note) ([\w-]+) \(\w+\) (D1\d\d)", text)
    assert shown == expected and len({profile for _, profile, _ in shown}) >= 2
    assert run(shops, "accounts", "check", "--select", "D1", code=10)[0]["profile"] == "shop-nord"


def test_each_profile_has_a_baseline_of_its_own(shops):
    words = ("--profile", "shop-*", "accounts", "check", "--baseline")
    assert "{profile} in its name" in shops(*words, "known.json", code=3).stderr
    shops(*words, "known-{profile}.json", code=10)
    assert all((shops.home / f"known-{name}.json").exists() for name in NAMES)
    shops(*words, "known-{profile}.json")
