"""One user with many accounts signs in once: profiles that use the sign-in of another one."""

import json

import pytest

from ads_cli.auth import Secret
from ads_cli.auth.secret_stores import FileStore
from tests.auth.test_grants import served_once, sign_in  # noqa: F401 - a fixture
from tests.emulator.seeded import SPRING

NORDLICHT, KASTANIE = "18ce54d4x5t", "18ce55gze09"
ADDRESSES = ("ads_url", "base_url", "ads_sandbox_url")
CREATE = ("profile", "create", "--all-accounts", "--prefix", "client-", "--profile", "agency")
SHOP, CAFE = "client-nordlicht-shop", "client-cafe-kastanie"


@pytest.fixture
def agency(adsctl, service):
    """adsctl with the profile `agency`, whose keys are in a file; the environment has none."""
    adsctl.env = {}
    address, keys = service.address, service.emulator.credentials
    adsctl("profile", "set", "agency", *(f"{name}={address}" for name in ADDRESSES), "token_store=file")
    secrets = {name: Secret(value, (address,)) for name, value in keys._asdict().items()}
    FileStore(adsctl.home / "config" / "secrets.json").put("agency", secrets)
    return adsctl


def records(adsctl, *words: str, code: int = 0) -> list[dict[str, object]]:
    return json.loads(adsctl(*words, "-o", "json", code=code).stdout)


def stored(adsctl) -> dict[str, object]:
    return json.loads((adsctl.home / "config" / "secrets.json").read_text())


def test_one_sign_in_makes_a_profile_for_each_account(agency):
    made = records(agency, *CREATE)
    assert [(record["profile"], record["account"]) for record in made] == [
        (CAFE, KASTANIE),
        (SHOP, NORDLICHT),
    ]
    assert {record["status"] for record in made} == {"created"}
    assert SPRING in agency("--profile", SHOP, "campaigns", "list", "-o", "ids").stdout
    assert agency("--profile", CAFE, "campaigns", "list", "-o", "ids").stdout == ""
    assert [*stored(agency)] == ["agency"]
    shown = records(agency, "--profile", "client-*", "accounts", "list")
    assert [record["profile"] for record in shown] == [CAFE, SHOP]
    assert "created" not in agency(*CREATE).stdout


def test_a_dry_run_creates_none_and_some_may_be_chosen(agency):
    assert (
        f"would create 1 profile: {SHOP}"
        in agency(*CREATE[:2], *CREATE[3:], "--accounts", "Nordlicht Shop", "--dry-run").stderr
    )
    assert [record["profile"] for record in records(agency, "profile", "list")] == ["agency", "local"]
    (made,) = records(agency, *CREATE[:2], *CREATE[3:], "--accounts", NORDLICHT)
    assert made["profile"] == SHOP
    assert [record["status"] for record in records(agency, *CREATE)] == ["created", "unchanged"]
    agency("profile", "create", "--profile", "agency", code=2)


def test_accounts_whose_profiles_would_have_one_name_have_their_ids_in_it(agency):
    agency("--profile", "agency", "accounts", "update", KASTANIE, "--name", "Nordlicht: Shop!")
    assert [record["profile"] for record in records(agency, *CREATE)] == [
        f"{SHOP}-{NORDLICHT}",
        f"{SHOP}-{KASTANIE}",
    ]


def test_a_name_that_another_profile_has_is_not_taken_from_it(agency):
    agency("profile", "set", SHOP, "account=other")
    made = {record["account"]: record["profile"] for record in records(agency, *CREATE)}
    assert made[NORDLICHT] == f"{SHOP}-{NORDLICHT}"
    assert records(agency, "profile", "list", "--where", f"profile={SHOP}")[0]["account"] == "other"


def test_the_secrets_go_only_where_they_were_issued_for(agency):
    records(agency, *CREATE)
    agency("profile", "set", SHOP, "ads_url=https://other.example")
    refused = agency("--profile", SHOP, "campaigns", "list", code=4)
    assert "was not issued for https://other.example" in refused.stderr
    assert "auth login --profile agency" in refused.stderr


def test_who_uses_a_sign_in_neither_replaces_nor_ends_it(agency):
    records(agency, *CREATE)
    for command in ("login", "logout"):
        done = agency("auth", command, "--profile", SHOP, code=2)
        assert f"the profile {SHOP} uses the sign-in of agency" in done.stderr
    used = agency("profile", "remove", "agency", "--yes", code=2)
    assert f"{CAFE}, {SHOP} use the sign-in of agency" in " ".join(used.stderr.split())
    agency("profile", "remove", SHOP, "--yes")
    assert stored(agency)["agency"]
    ended = agency("auth", "logout", "--profile", "agency")
    assert f"signed out of profile agency, {CAFE}" in ended.stderr
    missing = agency("--profile", CAFE, "campaigns", "list", code=4)
    assert "adsctl auth login --profile agency" in missing.stderr


def test_the_guard_of_the_sign_in_holds_for_all_that_use_it(agency):
    records(agency, *CREATE)
    agency("--profile", "agency", "guard", "set", "deny=update")
    change = ("--profile", SHOP, "campaigns", "update", SPRING, "--name", "Other")
    assert "profile agency" in agency(*change, code=12).stderr
    loosened = agency("profile", "set", SHOP, "sign_in=", "--yes", code=12)
    assert "Loosen the guard" in loosened.stderr
    assert agency(*change, code=12)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("nobody", "there is no profile 'nobody'"),
        ("local", "'local' is not another profile"),
        ("shop", "'shop' is not another profile"),
        (SHOP, f"'{SHOP}' uses the sign-in of 'agency' itself"),
    ],
)
def test_a_sign_in_that_cannot_be_used_is_refused(agency, value, message):
    records(agency, *CREATE)
    agency("profile", "set", "shop", "account=1")
    assert message in agency("profile", "set", "shop", f"sign_in={value}", code=2).stderr
    assert (
        "use the sign-in of 'agency' itself"
        in agency("profile", "set", "agency", "sign_in=shop", code=2).stderr
    )
    config = agency.home / "config" / "config.yaml"
    config.write_text(config.read_text().replace("account: '1'", f"sign_in: {value}"))
    assert message in agency("--profile", "shop", "campaigns", "list", code=11).stderr


def test_a_fleet_of_such_profiles_is_checked_and_run(agency):
    records(agency, *CREATE)
    task = {"for": {"profiles": "client-*"}, "run": "stats export {profile}.jsonl --since 2d --all"}
    agency.file("fleet.yaml", json.dumps({"tasks": [task]}))
    assert "2 tasks, no mistakes" in agency("fleet", "check", "fleet.yaml").stderr
    assert {task["status"] for task in records(agency, "fleet", "run", "fleet.yaml")} == {"ok"}


def test_a_sign_in_by_oauth_2_is_shared_too(adsctl, served_once):  # noqa: F811
    sign_in(adsctl)
    for name in (*adsctl.env,):
        adsctl.env.pop(name)
    adsctl("profile", "set", "nord", "sign_in=shop", "account=Nordlicht Shop")
    served_once.sql("UPDATE oauth2_tokens SET expires = 1 WHERE NOT is_refresh")  # the next request renews it
    for profile in ("nord", "shop", "nord"):
        assert (
            SPRING in adsctl("--profile", profile, "campaigns", "list", "-A", NORDLICHT, "-o", "ids").stdout
        )
    assert [*stored(adsctl)] == ["shop"]
