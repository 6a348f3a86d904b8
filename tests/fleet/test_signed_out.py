"""Profiles whose tokens the service refuses: told by `fleet check`, left out by `--skip-signed-out`."""

import pytest

from ads_cli.auth import Secret
from ads_cli.auth.secret_stores import FileStore
from tests.auth.test_grants import served_once, sign_in  # noqa: F401 - a fixture


@pytest.fixture
def agency(adsctl, served_once, fleet):  # noqa: F811
    """Three profiles: `shop` with a grant, `old` with keys of OAuth 1.0a, and `local`."""
    sign_in(adsctl)
    for name in ("ADSCTL_BASE_URL", "ADSCTL_ADS_URL", "ADSCTL_ADS_SANDBOX_URL", "ADSCTL_EMULATOR"):
        adsctl.env.pop(name)
    address, keys = served_once.address, served_once.emulator.credentials
    addresses = ("ads_url", "base_url", "ads_sandbox_url")
    adsctl("profile", "set", "old", *(f"{name}={address}" for name in addresses), "token_store=file")
    secrets = {name: Secret(value, (address,)) for name, value in keys._asdict().items()}
    FileStore(adsctl.home / "config" / "secrets.json").put("old", secrets)
    profiles = ("shop", "old", "local")
    tasks = [
        f"{{name: {profile}, profile: {profile}, run: products pull {profile}.csv --force}}"
        for profile in profiles
    ]
    fleet.write(*tasks)
    adsctl.copy_emulator()
    return served_once


def revoke(served, profile: str) -> None:
    if profile == "shop":
        served.sql("DELETE FROM oauth2_tokens")
    else:
        served.sql("UPDATE tokens SET revoked = 1")


def test_a_check_asks_the_service_about_each_token(agency, adsctl):
    assert "3 tasks, no mistakes" in adsctl("fleet", "check", "fleet.yaml").stderr


@pytest.mark.parametrize("profile", ["shop", "old"])
def test_a_revoked_token_is_found_and_its_tasks_are_left_out(agency, fleet, adsctl, profile):
    revoke(agency, profile)
    message = fleet.check(code=4)
    assert f"{profile}: " in message and f"--profile {profile}" in message
    records = {record["task"]: record for record in fleet("--skip-signed-out", code=4)}
    assert f"{profile} is left out" in fleet.stderr and "1 of 3 tasks left out" in fleet.stderr
    assert "tasks were left out" in adsctl("fleet", "status", "fleet.yaml", code=4).stderr
    fleet("--skip-signed-out", "--may-be-signed-out", profile)
    records = {record["task"]: record for record in fleet("--may-be-signed-out", f"{profile[:2]}*")}
    adsctl("fleet", "status", "fleet.yaml")
    adsctl("fleet", "run", "fleet.yaml", "--may-be-signed-out", "local", code=4)
    others = {"shop", "old", "local"} - {profile}
    assert {name for name, record in records.items() if record["status"] == "ok"} == others
    left = records[profile]
    assert left["status"] == "skipped" and left["error"]["exit_code"] == 4 and left["exit_code"] is None
    as_before = {record["task"]: record for record in fleet(code=4)}
    assert as_before[profile]["exit_code"] == 4


def test_where_all_are_signed_out_the_fleet_ends_with_4(agency, fleet, adsctl):
    fleet.write("{name: old, profile: old, run: products pull a.csv --force}")
    revoke(agency, "old")
    adsctl("fleet", "run", "fleet.yaml", "--skip-signed-out", code=4)


def test_a_service_that_does_not_answer_says_nothing_of_a_token(agency, adsctl):
    agency.fail("GET /12/accounts status=503")
    assert "no mistakes" in adsctl("fleet", "check", "fleet.yaml").stderr


def test_a_left_out_task_is_run_once_its_profile_is_signed_in(agency, fleet):
    agency.sql("UPDATE tokens SET revoked = 1")
    fleet("--skip-signed-out", code=4)
    agency.sql("UPDATE tokens SET revoked = 0")
    records = {record["task"]: record["status"] for record in fleet("--resume")}
    assert records == dict.fromkeys(("shop", "old", "local"), "ok")
