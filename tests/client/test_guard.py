"""Claims about the guard: amounts, raises, sums and hours."""

import json
import os
from datetime import UTC, datetime

import pytest

from ads_cli.config.guard import KEYS
from tests.conftest import feed
from tests.guarded import guarded_by, pause_unbounded
from tests.products.stopping import list_jobs

ACCOUNT = "18ce54d4x5t"


@pytest.fixture
def guarded(adsctl):
    """Return what runs a command of the profile local under a guard, and its error."""
    return guarded_by(adsctl)


CREATE = ("campaigns", "create", "--name", "x", "--funding-instrument-id", "4a1n0")


def made(adsctl, *words: object) -> str:
    return json.loads(adsctl.local(*CREATE, *words, "--yes", "-o", "json").stdout)["id"]


@pytest.mark.parametrize("option", ["--daily-budget=100.01", "--daily-budget-amount-local-micro=100010000"])
def test_a_budget_above_its_limit_is_refused_under_either_name(guarded, option):
    message = guarded("max_daily_budget: 100 EUR", *CREATE, option)
    assert "a daily budget of 100.01 EUR of the new campaign x: max_daily_budget is 100 EUR" in message
    guarded("max_daily_budget: 100 EUR", *CREATE, "--daily-budget=100", code=0)


def test_a_raw_request_is_judged_by_its_amount(guarded):
    path = f"/12/accounts/{ACCOUNT}/campaigns"
    fields = ("-f", "name=x", "-f", "funding_instrument_id=4a1n0", "-f", "entity_status=PAUSED")
    for amount in ("100000001", "1e12", "+100000001", " 1"):
        budget = f"daily_budget_amount_local_micro={amount}"
        guarded("max_daily_budget: 100 EUR", "api", "POST", path, *fields, "-f", budget)


def test_what_cannot_be_judged_is_refused_by_a_limit_that_limits_something(guarded):
    text = 'deny: ""\nread_only: false\nmax_changes: 5'
    message = guarded(text, "api", "POST", "/12/nothing", "-f", "name=x")
    assert "it matches no declared endpoint: max_changes is 5" in message


def test_a_denied_request_is_named_by_its_command(guarded):
    assert "adsctl campaigns delete (" in guarded("deny: delete", "campaigns", "delete", "8wku2")


@pytest.mark.parametrize("key", KEYS)
def test_a_limit_without_a_value_stops_every_change(guarded, key):
    message = guarded(f"{key}:", "campaigns", "delete", "8wku4", code=11)
    assert f"{key}: must be one value" in message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_no_guard_and_no_settings(adsctl):
    delete = ("campaigns", "delete", "8wku4", "--yes")
    guard, folder = adsctl.home / "pipe", adsctl.home / "settings"
    folder.mkdir()
    os.mkfifo(guard)
    os.mkfifo(folder / "config.yaml")
    stderr = adsctl.local(*delete, code=11, ADSCTL_GUARD=str(guard)).stderr
    assert f"the guard {guard} cannot be read: it is a named pipe" in stderr
    stderr = adsctl.local(*delete, code=11, ADSCTL_CONFIG_DIR=str(folder)).stderr
    assert "config.yaml cannot be read: it is a named pipe" in stderr


def test_what_is_activated_is_judged_by_the_budget_that_it_has(guarded, adsctl):
    campaign = made(adsctl, "--daily-budget=101")
    words = ("campaigns", "update", campaign, "--entity-status", "ACTIVE")
    assert "101 EUR" in guarded("max_daily_budget: 100 EUR", *words)
    guarded("max_daily_budget: 101 EUR", *words, code=0)


def test_another_currency_is_an_error_and_not_converted(guarded):
    message = guarded("max_daily_budget: 100 USD", *CREATE, "--daily-budget=1", code=11)
    assert "max_daily_budget is 100 USD" in message and "the account is in EUR" in message


def test_a_raise_is_compared_with_what_the_service_has(guarded, adsctl):
    campaign = made(adsctl, "--daily-budget=100")
    words = ("campaigns", "update", campaign)
    assert "from 100 EUR to 151 EUR" in guarded("max_increase: 50%", *words, "--daily-budget=151")
    guarded("max_increase: 50%", *words, "--daily-budget=150", code=0)
    guarded("max_increase: 50%", *words, "--daily-budget=1", code=0)
    guarded("max_increase: 50%", *words, "--name", "other", code=0)


def test_a_file_of_raises_is_judged_whole(guarded, adsctl):
    ids = [made(adsctl, "--daily-budget=100") for _ in range(3)]
    rows = [f"{id},{budget}\n" for id, budget in zip(ids, (120, 130, 200), strict=True)]
    file = adsctl.file("raises.csv", "campaign_id,daily_budget\n" + "".join(rows))
    assert "to 200 EUR" in guarded("max_increase: 50%", "campaigns", "update", "-f", file)
    shown = json.loads(adsctl.local("campaigns", "get", ids[0], "-o", "json").stdout)
    assert shown["daily_budget_amount_local_micro"] == 100_000_000


def test_the_sum_of_what_may_be_spent_in_a_day_is_limited(guarded, adsctl):
    listed = json.loads(adsctl.local("campaigns", "list", "--all", "-o", "json").stdout)
    ended = [record["id"] for record in listed if record["entity_status"] == "ACTIVE"]
    for campaign in ended:
        adsctl.local("campaigns", "update", campaign, "--entity-status", "PAUSED", "--yes")
    limit = "max_account_daily_budget: 500 EUR"
    active = (*CREATE, "--active")
    guarded(limit, *active, "--daily-budget=300", code=0)
    assert "up to 600 EUR a day" in guarded(limit, *active, "--daily-budget=300")
    guarded(limit, *active, "--daily-budget=200", code=0)
    paused = json.loads(guarded(limit, *CREATE, "--daily-budget=300", code=0))["id"]
    assert "800 EUR" in guarded(limit, "campaigns", "update", paused, "--entity-status", "ACTIVE")
    assert "no bound" in guarded(limit, *active, "--total-budget=5000")


def test_a_cut_is_allowed_above_the_sum(guarded, adsctl):
    campaign = made(adsctl, "--active", "--daily-budget=900")
    limit = "max_account_daily_budget: 1 EUR"
    guarded(limit, "campaigns", "update", campaign, "--daily-budget=800", code=0)
    assert "max_account_daily_budget" in guarded(limit, "campaigns", "update", campaign, "--daily-budget=801")
    guarded(limit, "campaigns", "update", campaign, "--entity-status", "PAUSED", code=0)


ITEM = (
    *(
        "line-items",
        "create",
        "--name",
        "x",
        "--objective",
        "ENGAGEMENTS",
        "--product-type",
        "PROMOTED_POSTS",
    ),
    *("--placements", "PLATFORM_TIMELINE", "--bid-strategy", "AUTO", "--start-time", "2026-12-01T00:00:00Z"),
)


def test_the_last_line_item_that_bounds_a_campaign_is_paused_under_a_sum_and_activated_within_it(
    guarded, adsctl
):
    pause_unbounded(adsctl)
    campaign = made(adsctl, "--active", "--total-budget=5000")
    create = (*ITEM, "--campaign-id", campaign, "--yes", "-o", "json")
    item = json.loads(adsctl.local(*create, "--daily-budget=400", "--active").stdout)["id"]
    limit, update = "max_account_daily_budget: 500 EUR", ("line-items", "update", item)
    guarded(limit, *update, "--entity-status", "PAUSED", code=0)
    guarded(limit, *update, "--daily-budget=600", code=0)
    assert "EUR a day in the account" in guarded(limit, *update, "--entity-status", "ACTIVE")
    assert "no bound" in guarded(limit, *create[:-3], "--active")


def test_a_run_changes_so_many_records_at_most(guarded, adsctl):
    records = [{"name": f"c{number}", "funding_instrument_id": "4a1n0"} for number in range(3)]
    file = adsctl.file("three.json", json.dumps(records))
    assert "3 changes: max_changes is 2" in guarded("max_changes: 2", "campaigns", "create", "-f", file)
    guarded("max_changes: 3", "campaigns", "create", "-f", file, code=0)


def test_several_records_of_one_command_count_once_each(guarded, adsctl):
    ids = [made(adsctl, "--daily-budget=10") for _ in range(3)]
    words = ("campaigns", "update", *ids, "--daily-budget", "20")
    assert "3 changes: max_changes is 2" in guarded("max_changes: 2", *words)
    guarded("max_changes: 3", *words, code=0)
    guarded("max_changes: 3", "campaigns", "delete", *ids, code=0)


def test_outside_of_its_hours_nothing_is_activated_or_raised(guarded, adsctl, time_machine):
    campaign = made(adsctl, "--daily-budget=100")
    hours = "active_hours: Mon-Fri 08:00-18:00 Europe/Berlin"
    time_machine.move_to(datetime(2026, 11, 23, 17, 30, tzinfo=UTC))  # 18:30 in Berlin
    update = ("campaigns", "update", campaign)
    assert "to activate anything now" in guarded(hours, *update, "--entity-status", "ACTIVE")
    assert "to raise the daily budget of the campaign x" in guarded(hours, *update, "--daily-budget=101")
    guarded(hours, *update, "--daily-budget=99", code=0)
    time_machine.move_to(datetime(2026, 11, 24, 16, 59, tzinfo=UTC))
    guarded(hours, *update, "--entity-status", "ACTIVE", code=0)


ENDED, LATER = "9d4b1", "2027-03-01T00:00:00Z"  # an active line item of 40 EUR a day that has ended


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("max_account_daily_budget: 100 EUR", "a day in the account"),
        ("max_daily_budget: 30 EUR", "a daily budget of 40 EUR"),
        ("active_hours: Mon-Fri 08:00-18:00 Europe/Berlin", "serve again now"),
        ("deny: activate", "serve again"),
    ],
)
def test_what_has_ended_serves_again_only_as_what_is_activated(guarded, adsctl, time_machine, limit, said):
    pause_unbounded(adsctl)
    time_machine.move_to(datetime(2026, 11, 21, 12, tzinfo=UTC))  # a Saturday
    plan = f"campaigns: [{{id: 8wkt0, line_items: [{{id: {ENDED}, end_time: {LATER}}}]}}]\n"
    table = adsctl.file("ends.csv", f"line_item_id,end_time\n{ENDED},{LATER}\n9d4c2,{LATER}\n")
    for words in (
        ("line-items", "update", ENDED, f"--end-time={LATER}"),
        ("line-items", "update", "-f", table),
        ("campaigns", "apply", adsctl.file("plan.yaml", plan)),
        ("api", "PUT", f"/12/accounts/{ACCOUNT}/line_items/{ENDED}", "-f", f"end_time={LATER}"),
        ("api", "PUT", f"/12/accounts/{ACCOUNT}/line_items/{ENDED}", "-f", "end_time="),
    ):
        assert said in guarded(limit, *words)
    guarded(limit, "line-items", "update", ENDED, "--name", "other", code=0)
    guarded(limit, "line-items", "update", "9d4c2", f"--end-time={LATER}", code=0)


def test_a_new_line_item_of_a_campaign_that_has_ended_counts_in_the_sum(guarded, adsctl):
    pause_unbounded(adsctl)
    item = ["WEBSITE_CLICKS" if word == "ENGAGEMENTS" else word for word in ITEM]
    create = (*item, "--campaign-id", "8wkt0", "--daily-budget=1")
    limit = "max_account_daily_budget: 100 EUR"
    assert "a day in the account" in guarded(limit, *create, "--active")
    guarded(limit, *create, code=0)
    guarded("max_account_daily_budget: 1000 EUR", *create, "--active", code=0)


@pytest.mark.parametrize("limit", ["max_increase: 50%", "active_hours: Mon-Fri 08:00-18:00 Europe/Berlin"])
def test_a_bid_that_the_service_is_to_choose_was_removed(guarded, time_machine, limit):
    time_machine.move_to(datetime(2026, 11, 21, 12, tzinfo=UTC))  # a Saturday
    path = f"/12/accounts/{ACCOUNT}/line_items/9d4d1"
    assert "the bid" in guarded(limit, "line-items", "update", "9d4d1", "--bid-strategy", "AUTO")
    assert "the bid" in guarded(limit, "api", "PUT", path, "-f", "bid_strategy=AUTO")
    guarded(limit, "line-items", "update", "9d4c4", "--bid-strategy", "AUTO", code=0)  # which has none
    guarded("max_bid: 1 EUR", "line-items", "update", "9d4d1", "--bid-strategy", "AUTO", code=0)


def test_the_strictest_of_several_places_holds(remote):
    remote("profile", "set", "shop", "guard.max_daily_budget=50EUR", "guard.deny=posts")
    file = remote.file("guard.yaml", "max_daily_budget: 100 EUR\ndeny: [delete]\nread_only: false\n")
    shown = remote("-p", "shop", "guard", "show", "-o", "json", ADSCTL_GUARD=str(file))
    records = {record["key"]: record for record in json.loads(shown.stdout)}
    assert records["max_daily_budget"]["value"] == "50 EUR"
    assert records["max_daily_budget"]["source"].endswith("config.yaml: profile shop")
    assert records["deny"]["value"] == "delete,posts" and str(file) in records["deny"]["source"]
    assert records["read_only"]["value"] == "false"


@pytest.mark.parametrize(
    "text, said",
    [
        ("max_dayly_budget: 1 EUR", "did you mean 'max_daily_budget'?"),
        ("max_daily_budget: 100", "is not an amount with its currency"),
        ("max_daily_budget: 100 XQX", "is not a currency"),
        ("max_increase: 1001%", "is more than 1000%"),
        ("active_hours: Mon 08:00-18:00 Europe/Berlim", "is not a time zone"),
        ("active_hours: Mon 08:00-25:00 UTC", "24:00"),
        ("deny: [delte]", "did you mean 'delete'?"),
        ("read_only: true\nread_only: false", "repeated"),
        ("max_daily_budget: 1 EUR\nmax_bid: 1 USD", "contradict each other"),
        ("- read_only", "must be a mapping"),
        ("read_only: [", "neither YAML nor JSON"),
        ("max_changes: many", "is not a whole number"),
    ],
)
def test_what_cannot_be_read_stops_every_write_and_no_read(guarded, text, said):
    assert said in guarded(text, "campaigns", "delete", "8wkt0", code=11)
    guarded(text, "campaigns", "list", code=0)


@pytest.mark.parametrize("line", ["gaurd: {read_only: true}", "guards: {}", "guard.read_only: true"])
def test_a_guard_of_a_profile_under_another_name_is_told(adsctl, line):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl.file("config.yaml", f"profiles:\n  shop:\n    {line}\n")
    assert "did you mean 'guard'?" in adsctl("-p", "shop", "guard", "show", code=11).stderr


def test_a_named_file_that_is_missing_stops_writes(adsctl):
    done = adsctl.local("campaigns", "delete", "8wkt0", "--yes", code=11, ADSCTL_GUARD="/nowhere/guard.yaml")
    assert "/nowhere/guard.yaml" in done.stderr
    adsctl.local("campaigns", "list", ADSCTL_GUARD="/nowhere/guard.yaml")


@pytest.mark.parametrize("name", ["endless", "large.yaml"])
def test_a_named_file_without_an_end_stops_writes(adsctl, name):
    file = "/dev/zero" if name == "endless" else str(adsctl.file(name, "#" * (16 * 2**20 + 1)))
    done = adsctl.local("campaigns", "delete", "8wkt0", "--yes", code=11, ADSCTL_GUARD=file)
    assert f"{file}: larger than 16 MiB" in done.stderr


def test_the_file_of_the_administrator_that_is_named_must_exist(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.config.guard.ADMIN_FILE", adsctl.home / "nowhere.yaml")
    words = ("campaigns", "delete", "8wkt0", "--yes")
    adsctl.local(*words, code=11, ADSCTL_GUARD=str(adsctl.home / "nowhere.yaml"))
    adsctl.local(*words)


def test_a_percentage_is_shown_as_it_was_written(adsctl):
    adsctl("profile", "set", "shop", "guard.max_increase=123.4567%")
    assert "123.4567%" in adsctl("-p", "shop", "guard", "show").stdout


def test_a_file_that_others_may_write_stops_writes(adsctl):
    file = adsctl.file("guard.yaml", "max_changes: 5\n")
    file.chmod(0o666)
    adsctl.local("campaigns", "delete", "8wkt0", "--yes", code=11, ADSCTL_GUARD=str(file))


def test_the_file_of_the_administrator_is_not_replaced(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.config.guard.ADMIN_FILE", adsctl.file("admin.yaml", "deny: delete\n"))
    other = str(adsctl.file("own.yaml", "deny: posts\n"))
    for env in ({}, {"ADSCTL_GUARD": other}, {"ADSCTL_GUARD": ""}):
        done = adsctl.local("campaigns", "delete", "8wkt0", "--yes", code=12, **env)
        assert "admin.yaml" in done.stderr
    env_file = adsctl.file("job.env", f"ADSCTL_GUARD={other}\n")
    words = ("--env-file", env_file, "campaigns", "delete", "8wkt0", "--yes")
    named = str(adsctl.file("named.yaml", "read_only: true\n"))
    assert "read_only" in adsctl.local(*words, code=12, ADSCTL_GUARD=named).stderr


def test_loosening_needs_a_terminal_and_tightening_nothing(adsctl):
    adsctl("profile", "set", "shop", "guard.max_changes=10", "guard.deny=delete,posts")
    for looser in ("guard.max_changes=11", "guard.max_changes=", "guard.deny=delete"):
        assert "terminal" in adsctl("--yes", "profile", "set", "shop", looser, code=12).stderr
    adsctl("--yes", "profile", "remove", "shop", code=12)
    adsctl("profile", "set", "shop", "guard.max_changes=9", "guard.deny=delete,posts,media", "account=a")
    assert "9" in adsctl("-p", "shop", "guard", "show").stdout


WEEK = "active_hours=Mon-Fri 08:00-18:00 Europe/Berlin"


@pytest.mark.parametrize(
    ("limit", "looser", "tighter"),
    [
        ("read_only=true", "read_only=false", "read_only=true"),
        ("max_bid=5EUR", "max_bid=5.01EUR", "max_bid=4.99EUR"),
        ("max_bid=5EUR", "max_bid=1USD", "max_bid=5EUR"),
        ("max_increase=50%", "max_increase=50.1%", "max_increase=49.9%"),
        (WEEK, WEEK.replace("Fri", "Sat"), WEEK.replace("Fri", "Thu")),
        (WEEK, WEEK.replace("Berlin", "London"), WEEK.replace("18", "17")),
        (
            "active_hours=Fri 22:00-06:00 UTC",
            "active_hours=Sat 00:00-06:01 UTC",
            "active_hours=Sat 00:00-06:00 UTC",
        ),
    ],
)
def test_each_kind_of_limit_is_loosened_on_a_terminal_only(adsctl, limit, looser, tighter):
    adsctl("profile", "set", "shop", f"guard.{limit}")
    assert "terminal" in adsctl("--yes", "profile", "set", "shop", f"guard.{looser}", code=12).stderr
    adsctl("profile", "set", "shop", f"guard.{tighter}")


def test_a_limit_that_cannot_be_read_is_replaced_on_a_terminal_only(adsctl):
    adsctl("profile", "set", "shop", "guard.max_bid=5EUR")
    config = adsctl.home / "config" / "config.yaml"
    config.write_text(config.read_text().replace("5 EUR", "five"))
    said = adsctl("--yes", "profile", "set", "shop", "guard.max_bid=1EUR", code=12).stderr
    assert "Loosen the guard of the profile shop: max_bid from 'five'" in said


def test_a_person_loosens_on_a_terminal(adsctl):
    adsctl("profile", "set", "shop", "guard.read_only=true")
    terminal = adsctl.terminal("--yes", "profile", "set", "shop", "guard.read_only=false")
    terminal.expect("Loosen the guard")
    terminal.sendline("y")
    terminal.expect_exact("\n")
    terminal.wait()
    assert "false" in adsctl("-p", "shop", "guard", "show").stdout


@pytest.mark.parametrize(
    "pair", ["guard.max_daly_budget=1EUR", "guard.read_only=perhaps", "guard.max_bid=5", "guard.deny=all"]
)
def test_a_wrong_limit_is_not_set(adsctl, pair):
    assert "guard." in adsctl("profile", "set", "shop", pair, code=2).stderr


def test_check_says_what_would_be_refused(adsctl):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "deny: delete\n"))}
    adsctl.local("guard", "check", "--", "campaigns", "delete", "8wkt0", code=12, **env)
    adsctl.local("guard", "check", "--", "api", "DELETE", "/12/accounts/a/campaigns/b", code=12, **env)
    done = adsctl.local("guard", "check", "--", "campaigns", "update", "8wkt0", "--name", "y", **env)
    assert "refuses nothing" in done.stderr
    assert "y" not in json.loads(adsctl.local("campaigns", "get", "8wkt0", "-o", "json").stdout)["name"][:1]


def test_check_of_the_programs_name_alone_asks_for_a_command(adsctl):
    assert "name the command to check" in adsctl.local("guard", "check", "--", "adsctl", code=2).stderr


FLEET = """\
tasks:
- {name: a, run: products push feed.csv}
- {name: b, run: products delete gone.csv}
"""


@pytest.mark.parametrize("limit", ["deny: delete", "read_only: true", "deny: products"])
def test_a_fleet_is_refused_before_any_task_runs(adsctl, limit):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", limit + "\n"))}
    adsctl.file("feed.csv", feed(2))
    adsctl.file("gone.csv", "id\n1\n")
    fleet = adsctl.file("fleet.yaml", FLEET.replace("delete gone.csv", "delete gone.csv --catalog 2"))
    done = adsctl.local("fleet", "run", fleet, "--yes", "-o", "json", code=12, **env)
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "guard"
    assert not list_jobs(adsctl)


@pytest.mark.parametrize("command", ["push", "sync"])
@pytest.mark.parametrize("group", ["audiences", "audiences do-not-reach"])
def test_every_task_that_sends_people_is_refused_before_any_runs(adsctl, group, command):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "deny: [users]\n"))}
    adsctl.file("list.csv", "email\nann@shop.example\n")
    target = " --list 4zn1" if "do-not-reach" in group else " --audience 1nmw1"
    fleet = adsctl.file("fleet.yaml", f"tasks:\n- {{name: a, run: {group} {command} list.csv{target}}}\n")
    done = adsctl.local("fleet", "check", fleet, code=12, **env)
    assert "deny is users" in done.stderr


def test_a_task_of_a_fleet_is_refused_where_it_runs(adsctl):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_changes: 1\n"))}
    adsctl.file("feed.csv", feed(2))
    fleet = adsctl.file("fleet.yaml", "tasks:\n- {name: a, run: products push feed.csv}\n")
    done = adsctl.local("fleet", "run", fleet, "--yes", code=12, **env)
    assert "max_changes is 1" in done.stderr


def test_the_tasks_of_a_fleet_count_together(adsctl):
    env = {"ADSCTL_GUARD": str(adsctl.file("guard.yaml", "max_changes: 5\n"))}
    adsctl.file("feed.csv", feed(3))
    adsctl.file("other.csv", feed(3).replace("sku", "other"))
    tasks = "".join(f"- {{name: {name}, run: products push {name}.csv}}\n" for name in ("feed", "other"))
    fleet = adsctl.file("fleet.yaml", f"tasks:\n{tasks}".replace("other.csv", "other.csv --catalog 2"))
    words = ("fleet", "run", fleet, "--yes", "--parallel", "1", "-o", "json")
    done = adsctl.local(*words, code=12, **env)
    first, second = json.loads(done.stdout)
    assert (first["status"], second["exit_code"]) == ("ok", 12)
    assert "6 changes of a fleet, 3 of this task: max_changes is 5" in second["error"]["message"]
    adsctl.file("guard.yaml", "max_changes: 6\n")
    resumed = json.loads(adsctl.local(*words, "--resume", code=None, **env).stdout)  # counts nothing twice
    assert resumed[1]["exit_code"] != 12


@pytest.mark.parametrize(
    "words",
    [
        (*CREATE, "--daily-budget=101"),
        (
            "api",
            "POST",
            f"/12/accounts/{ACCOUNT}/campaigns",
            "-f",
            "daily_budget_amount_local_micro=101000000",
        ),
        ("campaigns", "create", "-f", "one.yaml"),
        ("campaigns", "create", "-f", "two.csv"),
        ("campaigns", "apply", "plan.yaml"),
    ],
)
def test_a_dry_run_is_told_once_what_the_guard_would_refuse_and_ends_as_without_one(guarded, adsctl, words):
    fields = {"name": "x", "funding_instrument_id": "4a1n0", "daily_budget": 101}
    adsctl.file("one.yaml", json.dumps(fields))
    adsctl.file("two.csv", "name,funding_instrument_id,daily_budget\nx,4a1n0,1\ny,4a1n0,101\n")
    adsctl.file("plan.yaml", json.dumps({"campaigns": [fields]}))
    without = adsctl.local("-q", "-o", "json", *words, "--dry-run")
    assert not without.stderr
    message = guarded("max_daily_budget: 100 EUR", *words)
    guard = str(adsctl.home / "guard.yaml")
    done = adsctl.local("-q", "-o", "json", *words, "--dry-run", ADSCTL_GUARD=guard)
    assert done.stderr == f"warning: without --dry-run, {message}\n"
    assert done.stdout == without.stdout


def test_a_dry_run_that_the_guard_cannot_judge_says_so_and_goes_on(guarded, adsctl):
    adsctl.file("guard.yaml", "max_daily_budget: 100 USD\n")
    words = (*CREATE, "--daily-budget=101", "--dry-run")
    done = adsctl.local(*words, ADSCTL_GUARD="guard.yaml")
    assert "note: the guard cannot judge it: max_daily_budget is 100 USD" in done.stderr
