"""The contract with scripts: where things go, formats, exit codes, options, settings."""

import json

import pytest
import yaml

from tests.conftest import SECRETS, feed

ACCOUNT = "18ce54d4x5t"


def rows(text: str) -> list[dict[str, str]]:
    header, *lines = (line.split("\t") for line in text.splitlines())
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_version_is_printed(adsctl):
    from ads_cli import __version__

    assert adsctl("--version").stdout == f"adsctl {__version__}\n"
    assert adsctl("-q", "--version").stdout == f"adsctl {__version__}\n"


def test_without_a_terminal_a_list_is_tsv_with_a_header(adsctl):
    found = rows(adsctl.local("accounts", "list").stdout)
    assert {account["id"] for account in found} >= {ACCOUNT}
    assert all(account["deleted"] == "false" for account in found)


def test_results_go_to_stdout_and_everything_else_to_stderr(adsctl):
    done = adsctl.local("accounts", "list", "-o", "json")
    assert json.loads(done.stdout)
    assert "emulator" in done.stderr
    assert adsctl.local("accounts", "list", "-q").stderr == ""


def test_every_format_shows_the_same_records(adsctl):
    def get(*words):
        return adsctl.local("accounts", "list", "--sort-by", "name-asc", *words).stdout

    data = json.loads(get("-o", "json"))
    assert yaml.safe_load(get("-o", "yaml")) == data
    assert [json.loads(line) for line in get("-o", "jsonl").splitlines()] == data
    assert get("-o", "ids").split() == [account["id"] for account in data]
    assert get("-o", "none") == ""
    assert get("-o", "csv", "--columns", "id").splitlines() == ["id", *(account["id"] for account in data)]
    assert all(account["name"] in get("-o", "table") for account in data)
    assert json.loads(get("-o", "json", "--envelope"))["data"] == data


def test_a_query_is_applied_to_what_json_would_show(adsctl):
    assert json.loads(adsctl.local("accounts", "list", "--query", "[].id", "-o", "json").stdout)
    assert ACCOUNT in adsctl.local("accounts", "list", "--query", "[].id").stdout.splitlines()
    found = rows(adsctl.local("accounts", "list", "--query", "[].{key: id, zone: timezone}").stdout)
    assert {"key": ACCOUNT, "zone": "Europe/Berlin"} in found
    assert "JMESPath" in adsctl.local("accounts", "list", "--query", "[[", code=2).stderr


def test_a_query_that_does_not_fit_the_data_ends_with_2_and_says_that_a_change_was_applied(adsctl):
    done = adsctl.local("accounts", "list", "--query", "sum([].name)", code=2)
    assert "--query: In function sum()" in done.stderr and "bug" not in done.stderr + done.stdout
    assert "applied all the same" not in done.stderr
    assert "no_such" in adsctl.local("accounts", "list", "--query", "no_such(@)", code=2).stderr
    catalog = adsctl.local("catalog", "list", "-o", "ids").stdout.strip()
    words = ("catalog", "rename", catalog, "--name", "Other", "--query", "sum(name)")
    assert "applied all the same" in adsctl.local(*words, code=2).stderr
    assert "Other" in adsctl.local("catalog", "list").stdout


@pytest.mark.parametrize("output", ["table", "tsv", "csv", "ids"])
def test_a_table_of_the_whole_response_shows_its_data(adsctl, output):
    words = ("accounts", "list", "-o", output)
    assert adsctl.local(*words, "--envelope").stdout == adsctl.local(*words).stdout != ""


def test_ids_need_a_query_that_keeps_them(adsctl):
    done = adsctl.local("accounts", "list", "-o", "ids", "--query", "[].{name: name}", code=2)
    assert "--query leaves out 'id', which -o ids shows" in done.stderr and done.stdout == ""
    assert ACCOUNT in adsctl.local("accounts", "list", "-o", "ids", "--query", "[].{id: id}").stdout
    assert ACCOUNT in adsctl.local("accounts", "list", "-o", "ids", "--query", "[].id").stdout


@pytest.mark.parametrize("output", ["table", "tsv", "csv"])
def test_an_unknown_column_is_refused_with_a_suggestion(adsctl, output):
    words = ("accounts", "list", "-o", output, "--columns")
    done = adsctl.local(*words, "id,nmae", code=2)
    assert "'nmae' is not a known column; did you mean 'name'?" in done.stderr and done.stdout == ""
    adsctl.local(*words, "id,updated_at")
    words = ("products", "list", "-o", output, "--columns", "id,sale_price,nmae")
    adsctl.local(*words)  # of no record nobody knows what columns it has
    adsctl.file("feed.csv", feed(3))
    adsctl.local("products", "push", "feed.csv")
    assert "sale_price" not in adsctl.local(*words, code=2).stderr.splitlines()[1]


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "json", "accounts", "list"),
        ("accounts", "-o", "json", "list"),
        ("accounts", "list", "-o", "json"),
        ("-o", "csv", "accounts", "list", "-o", "json"),
        ("-o", "table", "accounts", "--output", "json", "list"),
    ],
)
def test_options_are_accepted_anywhere_and_the_innermost_wins(adsctl, words):
    assert json.loads(adsctl.local(*words).stdout)


def test_pages_are_followed_when_asked(adsctl):
    one = adsctl.local("accounts", "list", "--count", "1", "-o", "ids")
    assert len(one.stdout.split()) == 1
    assert "--all" in one.stderr
    every = adsctl.local("accounts", "list", "--count", "1", "--all", "-o", "ids")
    assert len(every.stdout.split()) == 2 and "--all" not in every.stderr
    merged = json.loads(
        adsctl.local(
            "accounts", "list", "--count", "1", "--all", "--with-total-count", "--envelope", "-o", "json"
        ).stdout
    )
    assert len(merged["data"]) == 2 and merged["next_cursor"] is None and merged["total_count"] == 2
    limited = adsctl.local("accounts", "list", "--with-deleted", "--count", "1", "--limit", "2", "-o", "ids")
    assert len(limited.stdout.split()) == 2 and "--all" in limited.stderr


@pytest.mark.parametrize("count", [(), ("--count", "2")])
def test_the_cursor_of_an_envelope_follows_the_last_record_that_is_shown(adsctl, count):
    words = ("campaigns", "list", "--limit", "3", "--envelope", "-o", "json", *count)
    ids = adsctl.local("campaigns", "list", "--all", "-o", "ids").stdout.split()
    shown, cursor = list[str](), list[str]()
    while len(shown) < len(ids):
        page = json.loads(adsctl.local(*words, *cursor).stdout)
        assert len(page["data"]) <= 3
        shown += [record["id"] for record in page["data"]]
        cursor = ["--cursor", page["next_cursor"] or "the end"]
    assert shown == ids and page["next_cursor"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("accounts", "list", "--count", "0"), "--count: '0' is not allowed: 1 to 1000"),
        (("accounts", "list", "--count", "1001"), "1 to 1000"),
        (("accounts", "list", "--count", "many"), "--count: 'many' is not a whole number (1 to 1000)"),
        (("accounts", "list", "--limit", "0"), "--limit"),
        (("products", "list", "--catalog", "1", "--count", "101"), "1 to 100"),
        (("accounts", "list", "--with-total-count", "--cursor", "x"), "cannot be used with cursor"),
        (("accounts", "get", "a/b"), "ACCOUNT_ID: 'a/b' is not allowed"),
        (("accounts", "get", ".."), "'..' is not allowed"),
        (("accounts", "get", "a\nb"), "is not allowed"),
        (("accounts", "lst"), "'adsctl accounts' has no command 'lst'; did you mean 'list'?"),
        (("accounts", "list", "--sort"), "--sort"),
        (("accounts", "list", "-o", "jsn"), "did you mean 'json'"),
        (("accounts", "list", "--timeout", "soon"), "not a duration"),
        (("accounts", "list", "--timeout", "0"), "--timeout: '0' is not more than 0"),
        (("accounts", "list", "--timeout", "0ms"), "not more than 0"),
        (("accounts", "list", "--color", "pink"), "--color"),
        (("accounts", "get", "x", "y"), "unexpected argument: y"),
        (("products", "push", "x.csv", "--dry"), "no such option: --dry; did you mean '--dry-run'?"),
        (("targeting", "add", "--line"), "no such option: --line\n"),  # of which there are several
        (("accounts", "--nope"), "no such option: --nope"),
        (("stats", "get", "--segment-by", "x"), "no such option: --segment-by; 'adsctl stats export' has it"),
        (("products", "list", "--colums", "id"), "no such option: --colums; did you mean '--columns'?"),
        (("targeting", "search", "locations", "bonn"), "unexpected argument: bonn; did you mean --q bonn?"),
        (("targeting", "create"), "has no command 'create'; it has search, list, get, add, delete, suggest"),
        (("posts", "list", "-A", "a"), "--post-type: is required: one of DRAFT, PUBLISHED, SCHEDULED"),
        (("conversions", "send", "x.csv"), "--pixel: is required\n"),
        (("products", "push"), "FILE: is required\n"),
        (
            ("products", "push", "x", "--concurrency", "y"),
            "--concurrency: 'y' is not a whole number (1 to 32)",
        ),
        (("products", "push", "x", "--resume=yes"), "--resume: takes no value"),
        (("stats", "get", "--since"), "--since: needs a value\nhint: adsctl stats get --help"),
        (("stats", "get", "--since", "7d", "--granularity", "week"), "'week' is not one of TOTAL, DAY, HOUR"),
        (("completion",), "SHELL: is required: bash, zsh, fish or powershell"),
        (("nope",), "'adsctl' has no command 'nope'"),
        (("accounts", "get"), "ACCOUNT_ID"),
        (("-p", "nobody", "accounts", "list"), "there is no profile 'nobody'"),
        (("help", "formts"), "did you mean 'formats'"),
    ],
)
def test_a_usage_error_ends_with_2_and_names_the_option(adsctl, words, message):
    done = adsctl(*words, code=2, ADSCTL_ADS_URL="http://127.0.0.1:9")
    assert message in done.stderr and "Traceback" not in done.stderr


def test_whoever_starts_is_told_to_sign_in_and_where_ids_are(adsctl):
    message = adsctl("campaigns", "list", code=11).stderr
    assert "adsctl auth login --service x" in message and "--profile local" in message
    assert "--service x" in adsctl("auth", "status", code=4).stderr
    message = adsctl("campaigns", "list", "--service", "x", code=2).stderr
    assert "no account is set" in message and "adsctl accounts list" in message
    other = adsctl.local("campaigns", "get", "8wku2", "-A", "18ce55gze09", code=5).stderr
    assert "check the id, and that it is of this account" in other
    words = ("--line-item", "9d4c3", "--targeting-type", "LOCATION", "--targeting-value")
    unknown = adsctl.local("targeting", "add", *words, "Hamburk", code=5).stderr
    assert "hint: adsctl targeting search locations --q Hamburk" in unknown
    assert "Hamburg, Germany (CITIES, " in adsctl.local("targeting", "add", *words, "Hamburg", code=2).stderr
    assert "18ce54d4x5t" in adsctl.local("auth", "status").stdout


def test_all_problems_are_reported_at_once(adsctl):
    done = adsctl.local(
        *("catalog", "sets", "create", "--name", "", "--type", "FILTRED", "--catalog", "1"),
        *("--filters", '[{"attribute": "prce", "operator": "MATCH", "value": "x"}]'),
        code=2,
    )
    assert "--name: is empty" in done.stderr
    assert "--type: 'FILTRED' is not one of MANUAL, FILTERED; did you mean 'FILTERED'?" in done.stderr
    assert "--filters filters[0].attribute: 'prce'" in done.stderr


def test_an_invalid_file_behind_an_at_sign_ends_with_3(adsctl):
    adsctl.file("filters.yaml", "- {attribute: prce, operator: MATCH, value: x}")
    words = ("catalog", "sets", "create", "--name", "x", "--type", "FILTERED", "--catalog", "1")
    assert "prce" in adsctl.local(*words, "--filters", "@filters.yaml", code=3).stderr
    adsctl.local(*words, "--filters", "@missing.yaml", code=2)


def test_not_signed_in_ends_with_4_and_names_what_is_missing(adsctl):
    done = adsctl("accounts", "list", code=4, ADSCTL_ADS_URL="http://127.0.0.1:9")
    assert "ADSCTL_CONSUMER_KEY" in done.stderr and "--profile local" in done.stderr


def test_no_address_ends_with_11_and_says_what_to_set(adsctl):
    done = adsctl("accounts", "list", code=11)
    assert "ADSCTL_ADS_URL" in done.stderr


def test_a_missing_resource_ends_with_5(adsctl):
    assert "does not exist" in adsctl.local("accounts", "get", "nope", code=5).stderr


def test_a_destructive_command_needs_yes(adsctl):
    catalog = adsctl.local("catalog", "list", "-o", "ids").stdout.strip()
    done = adsctl.local("catalog", "delete", catalog, code=12)
    assert "profile local" in done.stderr and "--yes" in done.stderr
    assert adsctl.local("catalog", "list", "-o", "ids").stdout.strip() == catalog
    adsctl.local("catalog", "delete", catalog, "--yes")
    assert adsctl.local("catalog", "list", "-o", "ids").stdout == ""


def test_a_dry_run_shows_the_request_and_sends_nothing(adsctl):
    catalog = adsctl.local("catalog", "list", "-o", "ids").stdout.strip()
    shown = adsctl.local("catalog", "rename", catalog, "--name", "Other", "--dry-run", "-o", "json")
    request = json.loads(shown.stdout)
    assert request["method"] == "PUT" and request["url"].endswith(
        f"/12/product_catalogs/{catalog}?name=Other"
    )
    assert request["headers"]["Authorization"] == "OAuth ***"
    adsctl.local("catalog", "delete", catalog, "--dry-run")
    assert json.loads(adsctl.local("catalog", "list", "-o", "json").stdout)[0]["name"] != "Other"


def test_the_profile_local_ignores_the_service_of_the_environment(adsctl):
    poison = {
        "ADSCTL_ADS_URL": "https://real.example",
        "ADSCTL_ACCOUNT": "real",
        "ADSCTL_CATALOG": "real",
        "ADSCTL_CONSUMER_KEY": "real",
    }
    assert adsctl.local("products", "list", "-o", "json", **poison).stdout == "[]\n"
    assert ACCOUNT in adsctl("accounts", "list", ADSCTL_PROFILE="local", **poison).stdout


def test_a_profile_named_by_flag_outranks_the_environment(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file(
        "config/config.yaml", "profiles:\n  shop:\n    ads_url: http://127.0.0.1:9\n    account: mine\n"
    )
    words = ("accounts", "list", "--max-attempts", "1")
    env = {"ADSCTL_ADS_URL": "http://127.0.0.1:10", **SECRETS}
    assert "127.0.0.1:9 " in adsctl("-p", "shop", *words, code=8, **env).stderr
    assert "127.0.0.1:10 " in adsctl(*words, code=8, ADSCTL_PROFILE="shop", **env).stderr
    shown = json.loads(adsctl("-p", "shop", "profile", "show", "-o", "json", ADSCTL_ACCOUNT="other").stdout)
    assert {"setting": "account", "value": "mine"} in shown


def test_an_unknown_key_of_the_configuration_is_a_warning(remote, httpserver):
    httpserver.expect_request("/12/accounts").respond_with_json({"data": []})
    (remote.home / "config").mkdir()
    remote.file("config/config.yaml", "profile: shop\nprofiles:\n  shop:\n    acount: x\n")
    done = remote("accounts", "list")
    assert "profile shop: unknown key 'acount'; did you mean 'account'?" in done.stderr


@pytest.mark.parametrize("text", ["profiles: [", "- a", "profiles: 3", "profile: nobody"])
def test_an_invalid_configuration_ends_with_11(adsctl, text):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", text)
    done = adsctl("accounts", "list", code=11)
    assert "Traceback" not in done.stderr and "bug" not in done.stderr


def test_secrets_may_come_from_files(remote, httpserver):
    httpserver.expect_request("/12/accounts").respond_with_json({"data": []})
    secret = remote.env.pop("ADSCTL_CONSUMER_SECRET")
    path = remote.file("secret", secret + "\n")
    remote("accounts", "list", ADSCTL_CONSUMER_SECRET_FILE=str(path))
    done = remote("accounts", "list", code=11, ADSCTL_CONSUMER_SECRET_FILE=str(path) + "x")
    assert "ADSCTL_CONSUMER_SECRET_FILE" in done.stderr


def test_debug_shows_the_wire_without_a_secret(remote, httpserver):
    httpserver.expect_request("/12/accounts").respond_with_json({"data": [], "echo": "pfkkdhi9sl3r4s00"})
    done = remote("accounts", "list", "--debug", "--log-file", "log.jsonl")
    written = done.stderr + (remote.home / "log.jsonl").read_text()
    assert "GET" in written and "***" in written
    for name, secret in remote.env.items():
        if not name.endswith("URL"):
            assert secret not in written
    assert (remote.home / "log.jsonl").stat().st_mode & 0o777 == 0o644
