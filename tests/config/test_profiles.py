"""Profiles: set, shown and removed, in a file that users edit too."""

import json
import threading

import pytest

from tests.output.test_views import on_a_terminal, plain

CONFIG = """\
# Ours; the agency has its own.
profile: shop

profiles:
  shop:
    ads_url: https://ads.example  # ends in August
    account: 00123
    # nobody knows why
    sandbox: no
"""


def test_a_change_keeps_the_comments_of_the_file(adsctl):
    config = adsctl.file("config.yaml", CONFIG)
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl("profile", "set", "shop", "catalog=77", "sandbox=true")
    expected = CONFIG.replace("sandbox: no\n", "sandbox: 'true'\n    catalog: '77'\n")
    assert config.read_text() == expected
    shown = json.loads(adsctl("profile", "show", "-o", "json").stdout)
    assert {row["setting"]: row["value"] for row in shown}["account"] == "00123"


def test_a_configuration_without_an_end_is_refused(adsctl):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    (adsctl.home / "config.yaml").symlink_to("/dev/zero")
    assert "larger than 16 MiB" in adsctl("profile", "list", code=11).stderr


def test_a_profile_that_is_not_in_use_can_be_shown_by_name(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    adsctl("profile", "set", "other", "account=8")
    shown = adsctl("profile", "show", "other", "-o", "csv").stdout
    assert "profile,other" in shown and "account,8" in shown
    assert "there is no profile 'nobody'" in adsctl("profile", "show", "nobody", code=2).stderr


def test_a_first_profile_becomes_the_default_and_says_so(adsctl):
    done = adsctl("profile", "set", "shop", "account=7")
    assert "shop is now the default profile" in done.stderr
    assert "default" not in adsctl("profile", "set", "other", "account=8").stderr
    adsctl("profile", "use", "other")
    assert adsctl("profile", "list", "-o", "ids").stdout.split() == ["shop", "other", "local"]
    assert "there is no profile 'shp'; did you mean 'shop'?" in adsctl("profile", "use", "shp", code=2).stderr


def test_a_limit_for_a_profile_that_does_not_exist_says_that_it_is_new(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    done = adsctl("profile", "set", "shpo", "guard.read_only=true")
    assert "shpo is a new profile; did you mean 'shop'?" in done.stderr
    assert not adsctl("profile", "set", "shop", "guard.read_only=true").stderr


def test_two_values_of_one_key_are_refused(adsctl):
    pairs = ("guard.max_daily_budget=100EUR", "guard.max_daily_budget=1000EUR")
    assert "guard.max_daily_budget is given twice" in adsctl("profile", "set", "shop", *pairs, code=2).stderr
    assert not (adsctl.home / "config/config.yaml").exists()


@pytest.mark.parametrize(
    ("section", "pair", "written"),
    [
        ("guard", "guard.read_only=true", "read_only: 'true'"),
        ("guard", "guard.max_bid=", "account"),
        ("recipes", "recipes.*.csv=shop.yaml", "shop.yaml"),
    ],
)
def test_a_section_of_a_profile_that_was_left_empty_is_filled(adsctl, section, pair, written):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    config = adsctl.file("config.yaml", f"profiles:\n  shop:\n    account: x\n    {section}:\n")
    adsctl("profile", "set", "shop", pair)
    assert written in config.read_text()


def test_a_key_that_is_there_twice_is_refused(adsctl):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl.file("config.yaml", "profiles:\n  shop:\n    account: x\n    account: y\n")
    for words in (("show", "shop"), ("set", "shop", "catalog=7")):
        assert "config.yaml:4:5: neither YAML nor JSON: the key 'account' is repeated" in (
            adsctl("profile", *words, code=11).stderr
        )


@pytest.mark.parametrize(
    ("values", "pair", "key"),
    [
        ("{guard: read_only}", "guard.max_bid=1EUR", "shop.guard"),
        ("{recipes: shop.yaml}", "recipes.*.csv=shop.yaml", "shop.recipes"),
        ("text", "account=7", "shop"),
    ],
)
def test_what_is_no_mapping_is_not_written_into(adsctl, values, pair, key):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    config = adsctl.file("config.yaml", text := f"profiles:\n  shop: {values}\n")
    assert f"profiles.{key} must be a mapping" in adsctl("profile", "set", "shop", pair, code=11).stderr
    assert config.read_text() == text


def test_an_invalid_value_is_refused(adsctl):
    for pair, words in {
        "output=jsn": "'jsn' is not one of table, tsv, csv, json",
        "sandbox=maybe": "'maybe' is not one of true, false",
        "token_store=cloud": "'cloud' is not one of keyring, file",
        "acount=7": "did you mean 'account'?",
    }.items():
        assert words in adsctl("profile", "set", "shop", pair, code=2).stderr
    assert "is not https" in adsctl("profile", "set", "shop", "ads_url=http://ads.example", code=2).stderr
    assert not (adsctl.home / "config").exists()


def test_a_configuration_that_cannot_be_read_is_named_with_the_reason(adsctl):
    config = adsctl.home / "config" / "config.yaml"
    config.mkdir(parents=True)
    stderr = adsctl("accounts", "list", code=11).stderr
    assert f"{config} cannot be read: Is a directory\nhint: make it readable for this user" in stderr
    config.rmdir()
    config.write_bytes(b"profile: \xff")
    assert f"{config} is not UTF-8\nhint: correct the file" in adsctl("accounts", "list", code=11).stderr


def test_an_unknown_key_is_a_warning(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", CONFIG.replace("account:", "acount:"))
    warning = "profile shop: unknown key 'acount'; did you mean 'account'?"
    assert warning in adsctl("profile", "show").stderr
    assert warning in adsctl("auth", "status", code=4).stderr


def test_a_dry_run_changes_no_profile(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    before = (adsctl.home / "config" / "config.yaml").read_text()
    for words in (("use", "local"), ("set", "shop", "account=8"), ("set", "new", "a=b"), ("remove", "shop")):
        done = adsctl("profile", *words, "--dry-run", code=None)
        assert done.returncode in (0, 2)
    assert "dry run: would remove the profile shop" in done.stderr
    assert (adsctl.home / "config" / "config.yaml").read_text() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("shop", "nonsense=1"), "'nonsense' is not a setting of a profile"),
        (("shop", "guard.max_bid=abc"), "guard.max_bid: 'abc' is not an amount"),
        (("shop", "output=jsn"), "'jsn' is not one of"),
        (("local", "account=7"), "the profile local is built in"),
    ],
)
def test_a_dry_run_refuses_what_would_be_refused(adsctl, words, message):
    for dry_run in ((), ("--dry-run",)):
        done = adsctl("profile", "set", *words, *dry_run, code=2)
        assert message in done.stderr and "would set" not in done.stderr
    assert not (adsctl.home / "config").exists()


def test_a_terminal_of_80_columns_shows_the_account_of_each_profile(adsctl):
    set_ = ("profile", "set", "client-nordlicht-and-sons", "account=18ce54d4x5t")
    adsctl(*set_, *(f"{name}=https://ads.example" for name in ("ads_url", "base_url")))
    shown = plain(on_a_terminal(adsctl, "profile", "list", width=80))
    assert "client-nordlicht-and-sons" in shown and "18ce54d4x5t" in shown
    found = adsctl(
        "profile", "list", "--where", "ads_url~example", "-o", "csv", "--columns", "profile,ads_url"
    )
    assert found.stdout.splitlines()[1:] == ["client-nordlicht-and-sons,https://ads.example"]


def test_a_profile_becomes_the_default_where_the_file_names_none(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", "profile:\nprofiles:\n  shop:\n    account: a\n")
    assert "shop is now the default profile" in adsctl("profile", "set", "shop", "account=7").stderr
    (shop, _) = json.loads(adsctl("profile", "list", "-o", "json").stdout)
    assert shop["profile"] == "shop" and shop["in_use"] is True
    assert "default" not in adsctl("profile", "set", "shop", "account=8").stderr


def test_a_default_that_is_removed_is_the_default_no_longer(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    adsctl("profile", "set", "other", "account=8")
    adsctl("profile", "remove", "other", "--yes")
    assert "profile,shop,config.yaml" in adsctl("profile", "show", "--show-origin", "-o", "csv").stdout
    adsctl("profile", "remove", "shop", "--yes")
    assert "profile,default,default" in adsctl("profile", "show", "--show-origin", "-o", "csv").stdout
    assert (adsctl.home / "config" / "config.yaml").read_text() == "profiles: {}\n"


def test_a_pattern_is_split_from_its_recipe_where_it_is_clear(adsctl):
    feed = "https://shop.example/feed?kind=a&page=*"
    adsctl("profile", "set", "shop", f"recipes.{feed}=shop.yaml")
    shown = adsctl("profile", "show", "shop", "-o", "csv").stdout
    assert f"recipes,{feed}={adsctl.home / 'shop.yaml'}\n" in shown
    stderr = adsctl("profile", "set", "shop", "recipes.*.csv=a=b/shop.yaml", code=2).stderr
    assert "which = ends the pattern is not clear" in stderr and "config.yaml" in stderr
    adsctl.file("config/config.yaml", "profiles:\n  shop:\n    recipes:\n      day=*.csv: a=b/shop.yaml\n")
    assert "recipes,day=*.csv=a=b/shop.yaml" in adsctl("profile", "show", "shop", "-o", "csv").stdout
    adsctl("profile", "set", "shop", "recipes.day=*.csv=")
    assert "recipes" not in adsctl("profile", "show", "shop", "-o", "csv").stdout


def test_a_profile_that_was_named_by_an_argument_comes_from_it(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    shown = adsctl("profile", "show", "shop", "--show-origin", "-o", "csv").stdout
    assert "profile,shop,NAME\n" in shown and "account,7,profile shop\n" in shown
    by_option = adsctl("profile", "show", "-p", "shop", "--show-origin", "-o", "csv").stdout
    assert "profile,shop,--profile\n" in by_option


def test_what_is_not_a_setting_is_never_listed(adsctl):
    (adsctl.home / "config").mkdir()
    text = CONFIG + "    access_token_secret: hush\n    guard: {read_only: true}\n"
    adsctl.file("config/config.yaml", text)
    for format in ("json", "jsonl", "yaml", "table"):
        done = adsctl("profile", "list", "-o", format)
        assert "hush" not in done.stdout and "access_token_secret" not in done.stdout
    (shop, _) = json.loads(adsctl("profile", "list", "-o", "json").stdout)
    assert shop["account"] == "00123" and shop["guard"] == {"read_only": "true"}


def test_concurrent_changes_are_all_kept(adsctl):
    names = [f"shop{number}" for number in range(6)]
    threads = [
        threading.Thread(target=adsctl.process, args=("profile", "set", name, f"account={name}"))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(adsctl("profile", "list", "-o", "ids").stdout.split()) == ["local", *names]


def test_a_dry_run_of_a_read_reads(adsctl):
    assert "sku" not in adsctl.local("catalog", "list", "--dry-run", "-o", "ids").stdout
    assert adsctl.local("products", "list", "--dry-run", "-o", "json").stdout.strip() == "[]"


@pytest.mark.parametrize("name", [".", ".."])
def test_a_profile_is_not_named_as_a_folder(adsctl, name):
    lines = (
        ("profile", "set", name, "account=1"),
        ("profile", "set", name, "account=1", "--dry-run"),
        ("profile", "use", name),
        ("auth", "login", "-p", name),
        ("accounts", "list", "-p", name),
    )
    for words in lines:
        assert f"'{name}' cannot be the name of a profile" in adsctl(*words, code=2).stderr
    (adsctl.home / "config").mkdir(exist_ok=True)
    adsctl.file("config/config.yaml", f"profile: '{name}'\nprofiles:\n  '{name}':\n    account: a\n")
    assert "cannot be the name of a profile" in adsctl("accounts", "list", code=2).stderr
    assert "cannot be the name of a profile" in adsctl("accounts", "list", code=2, ADSCTL_PROFILE=name).stderr
    assert not (adsctl.home / "state").exists()


@pytest.mark.parametrize("name", ["shop-*", "shop-?", "nord,sued", "[ab]"])
def test_a_pattern_is_not_the_name_of_a_new_profile(adsctl, name):
    for words in (("account=1",), ("guard.read_only=true",), ("account=1", "--dry-run")):
        stderr = adsctl("profile", "set", name, *words, code=2).stderr
        assert f"'{name}' cannot be the name of a profile" in stderr and "name each of them" in stderr
    assert adsctl("profile", "list", "-o", "ids").stdout.split() == ["local"]


def test_a_profile_that_is_named_like_a_pattern_can_be_changed_and_removed(adsctl):
    (adsctl.home / "config").mkdir(exist_ok=True)
    adsctl.file("config/config.yaml", "profiles:\n  'a,b':\n    account: a\n")
    adsctl("profile", "set", "a,b", "account=c")
    adsctl("profile", "remove", "a,b", "--yes")


SANDBOX = """\
profiles:
  shop:
    ads_url: https://real.example
    ads_sandbox_url: https://sandbox.example
    account: abc
    sandbox: {}
"""
DELETE = ("campaigns", "delete", "8wkt0", "--dry-run")


@pytest.mark.parametrize(
    ("written", "host"),
    [("on", "sandbox"), ("Yes", "sandbox"), ("true", "sandbox"), ("off", "real"), ("no", "real")],
)
def test_a_sandbox_is_used_however_yes_is_written(adsctl, written, host):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl.file("config.yaml", SANDBOX.format(written))
    assert f"https://{host}.example/" in adsctl("-p", "shop", *DELETE).stdout


def test_a_sandbox_that_is_neither_yes_nor_no_sends_nothing_to_the_real_service(adsctl):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl.file("config.yaml", SANDBOX.format("enabled"))
    done = adsctl("-p", "shop", *DELETE, code=11)
    assert "sandbox: 'enabled' (from profile shop) is neither true nor false" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("named", ["", ",", " , "])
def test_an_empty_variable_of_a_script_does_not_name_the_default_profile(adsctl, named):
    adsctl("profile", "set", "shop", "account=7", "ads_url=https://real.example")
    done = adsctl("-p", named, *DELETE, code=2)
    assert "--profile names no profile" in done.stderr and not done.stdout
    assert "'' cannot be the name of a profile" in adsctl("profile", "set", "", "account=8", code=2).stderr


def test_a_default_profile_that_does_not_exist_stops_what_would_use_another_account(adsctl):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl.file("config.yaml", "profile: shpo\nprofiles:\n  shop:\n    guard:\n      read_only: true\n")
    environment = {"ADSCTL_ADS_URL": "https://real.example", "ADSCTL_ACCOUNT": "abc"}
    done = adsctl(*DELETE, code=11, **environment)
    assert "there is no profile 'shpo'; did you mean 'shop'?" in done.stderr and not done.stdout
    assert "adsctl profile use NAME" in done.stderr
    adsctl("profile", "use", "shop")
    assert "read_only" in adsctl(*DELETE[:-1], "--yes", code=12, **environment).stderr


def test_a_key_of_the_configuration_that_nobody_knows_is_a_warning(adsctl):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    adsctl.file("config.yaml", "profil: shop\nprofiles:\n  shop:\n    account: a\n")
    assert "unknown key 'profil'; did you mean 'profile'?" in adsctl("profile", "show").stderr


def test_a_configuration_that_is_a_link_to_nothing_is_not_an_empty_one(adsctl):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    (adsctl.home / "config.yaml").symlink_to(adsctl.home / "unmounted" / "config.yaml")
    for words in (("profile", "list"), ("profile", "set", "shop", "account=7"), DELETE):
        assert "is a link to what does not exist" in adsctl(*words, code=11).stderr


@pytest.mark.parametrize("words", [("set", "12", "account=b"), ("remove", "12", "--yes")])
def test_a_number_that_names_a_profile_is_never_written_a_second_time(adsctl, words):
    adsctl.env["ADSCTL_CONFIG_DIR"] = str(adsctl.home)
    config = adsctl.file("config.yaml", text := "profiles:\n  12:\n    account: a\n")
    assert "the profile 12 has a name without quotes" in adsctl("profile", *words, code=11).stderr
    assert config.read_text() == text


def test_a_default_that_the_environment_outranks_says_so(adsctl):
    adsctl("profile", "set", "shop", "account=7")
    adsctl("profile", "set", "other", "account=8")
    done = adsctl("profile", "use", "other", ADSCTL_PROFILE="shop")
    assert "ADSCTL_PROFILE in the environment outranks it" in done.stderr
    assert not adsctl("profile", "use", "other", ADSCTL_PROFILE="other").stderr
    assert not adsctl("profile", "use", "other", ADSCTL_PROFILE="").stderr


def test_profiles_are_narrowed_and_sorted(adsctl):
    for name, account in (("nord", "a2"), ("sued", "a1"), ("west", "a2")):
        adsctl("profile", "set", name, f"account={account}")
    shown = adsctl("profile", "list", "--where", "account=a2", "--sort", "-profile", "-o", "ids").stdout
    assert shown.split() == ["west", "nord"]
    assert adsctl("profile", "list", "--where", "in_use=true", "-o", "ids").stdout.split() == ["nord"]
