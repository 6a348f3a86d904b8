"""An account by its name, wherever one is given."""

import json

import pytest

import ads_cli
from ads_cli.commands.fleet import plan
from tests.emulator.seeded import SPRING
from tests.library.conftest import program

NORDLICHT, KASTANIE = "18ce54d4x5t", "18ce55gze09"
NAMED = "Café Kastanie (managed by Kontor Acht)"
SHOP = "Nordlicht Shop"


def ids(adsctl, *words: str, **env: str) -> list[str]:
    return adsctl("-q", *words, "-o", "ids", **env).stdout.split()


def rename(adsctl, account: str, name: str) -> None:
    adsctl.local("accounts", "update", account, "--name", name)


@pytest.fixture
def shop(adsctl, service):
    """adsctl with a profile, signed in to a served emulator by the environment."""
    adsctl("profile", "set", "shop", f"account={NAMED}")
    return adsctl


@pytest.mark.parametrize("words", [("-A", SHOP), ("-A", f" {SHOP.lower()}"), ("--account", NORDLICHT)])
def test_the_option_takes_a_name(adsctl, words):
    assert SPRING in ids(adsctl, "--profile", "local", *words, "campaigns", "list")
    assert SPRING not in ids(adsctl, "--profile", "local", "-A", NAMED, "campaigns", "list")


def test_arguments_and_filters_take_names(adsctl):
    shown = json.loads(adsctl.local("-q", "accounts", "get", SHOP, "-o", "json").stdout)
    assert shown["id"] == NORDLICHT
    assert ids(adsctl, "--profile", "local", "accounts", "list", "--account-ids", NAMED) == [KASTANIE]
    copied = adsctl.local("campaigns", "copy", SPRING, "--to-account", NAMED, "--dry-run", code=3)
    assert KASTANIE in copied.stderr or "funding" in copied.stderr


def test_the_environment_and_a_profile_take_names(shop):
    assert ids(shop, "--profile", "shop", "campaigns", "list") == []
    assert SPRING in ids(shop, "campaigns", "list", ADSCTL_ACCOUNT=SHOP)


def test_what_is_remembered_has_the_id(adsctl):
    adsctl.local("-A", SHOP, "campaigns", "update", SPRING, "--name", "Spring")
    changes = json.loads(adsctl.local("-A", SHOP, "changes", "list", "-o", "json").stdout)
    assert [change["account"] for change in changes] == [NORDLICHT]
    assert json.loads(adsctl.local("-A", NAMED, "changes", "list", "-o", "json").stdout) == []
    assert "account 18ce54d4x5t" not in adsctl.local("doctor", "-A", SHOP, "-o", "json", code=None).stderr


def test_a_name_that_no_account_has_is_5_and_one_of_several_2(adsctl):
    missing = adsctl.local("-A", "Nordlicht", "campaigns", "list", code=5)
    assert f"there is no account named 'Nordlicht'; did you mean {SHOP!r}?" in missing.stderr
    rename(adsctl, KASTANIE, SHOP)
    several = adsctl.local("-A", SHOP, "campaigns", "list", code=2)
    assert f"2 accounts are named {SHOP!r}: {NORDLICHT}, {KASTANIE}" in several.stderr


def test_the_404_of_what_may_be_an_id_names_the_account(adsctl):
    rename(adsctl, KASTANIE, "kastanie")
    done = adsctl.local("-A", "kastanie", "campaigns", "list", code=5)
    assert f"the account named 'kastanie' has the id {KASTANIE}" in done.stderr
    absent = adsctl.local("-A", KASTANIE, "campaigns", "get", "kastanie", code=5)
    assert "the account named" not in absent.stderr


def test_a_doctor_finds_the_account_by_its_name(shop):
    def accounts(*words: str, code: int | None = None) -> dict[str, str]:
        checks = json.loads(shop("--profile", "shop", *words, "doctor", "-o", "json", code=code).stdout)
        return next(check for check in checks if check["check"] == "accounts")

    assert KASTANIE in accounts()["message"]
    wrong = accounts("-A", "Nobody")
    assert wrong["status"] == "error" and "there is no account named 'Nobody'" in wrong["message"]


def test_a_program_connects_by_a_name(adsctl):
    adsctl.local("auth", "status")  # copies the database of the emulator
    with program(adsctl), ads_cli.connect("local", NAMED) as ads:
        assert SPRING not in [record["id"] for record in ads.list("campaigns")]
        assert ads.get("accounts", SHOP)["id"] == NORDLICHT


def test_tasks_of_one_account_run_one_after_another_however_they_name_it(adsctl, monkeypatch):
    plans = list[plan.FleetPlan]()
    made = plan.FleetPlan
    monkeypatch.setattr(plan, "FleetPlan", lambda *parts: plans.append(made(*parts)) or plans[-1])
    lines = [f"campaigns update {SPRING} --name {name} -A '{name}'" for name in (SHOP, NORDLICHT)]
    tasks = [{"name": line[-12:], "profile": "local", "run": line} for line in lines]
    adsctl.file("fleet.yaml", json.dumps({"tasks": tasks}))
    adsctl("fleet", "check", "fleet.yaml")
    (lane,) = {task.lane for task in plans[0].tasks}
    assert lane.endswith(NORDLICHT) and {task.account for task in plans[0].tasks} == {NORDLICHT}


def test_a_fleet_is_refused_before_it_runs_where_it_names_no_account(adsctl):
    line = f"campaigns update {SPRING} --name Other -A Nordlich"
    adsctl.file("fleet.yaml", json.dumps({"tasks": [{"name": "a", "profile": "local", "run": line}]}))
    for command in ("check", "run"):
        done = adsctl("fleet", command, "fleet.yaml", code=3)
        assert "there is no account named 'Nordlich'" in done.stderr and "nothing was run" in done.stderr
