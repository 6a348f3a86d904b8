"""Claims about the guard: no write of any command, declared or raw, reaches the wire where it is refused."""

import json
import re
import shlex
from itertools import cycle
from urllib.parse import quote, quote_plus

import pytest

from ads_cli.api.registry import requests_for
from ads_cli.client.writes import subject_of
from ads_cli.config.guard import DENIABLE
from tests.conftest import feed
from tests.effort import every
from tests.products.stopping import list_jobs
from tests.promises.test_examples import EXAMPLES, SENDING, at_home  # noqa: F401

WRITES = {
    service: [kind for kind in requests_for(service) if kind.endpoint.changes] for service in ("generic", "x")
}
GUARDED = [kind for kind in WRITES["generic"] if not kind.endpoint.command.startswith("auth ")]
WRITING = [key for key in SENDING if key in {kind.endpoint.command for kind in GUARDED}]
# Commands that send the rows of a file.
UPLOADING = ("products push", "products sync", "audiences push", "audiences sync", "conversions send")
METHODS = {"create": "POST", "update": "PUT", "delete": "DELETE"}


@pytest.fixture
def guarded(remote):
    """Return what writes the file that ADSCTL_GUARD names."""

    def write(text: str):
        remote.env["ADSCTL_GUARD"] = str(remote.file("guard.yaml", text))
        return remote

    return write


def path_of(kind, names=lambda path: path) -> str:
    return re.sub(r"\{\w+\}", "abc1", names(kind.endpoint.path))


def refuses(kind, word: str) -> bool:
    """Whether a word of `deny` names a declared request."""
    if word == "api":
        return True
    if word in METHODS:
        return kind.endpoint.method == METHODS[word]
    return subject_of(kind.endpoint.command) == word


@pytest.mark.parametrize("service", WRITES)
def test_read_only_lets_no_declared_write_through(guarded, httpserver, service):
    adsctl = guarded("read_only: true\n")
    from ads_cli.api.names import SERVICES

    for kind in every(1 if service == "generic" else 4, WRITES[service]):
        if kind.endpoint.command.startswith("auth "):
            continue
        path = path_of(kind, SERVICES[service].path)
        words = ("--service", service, "api", kind.endpoint.method, path, "--base", kind.endpoint.base)
        done = adsctl(*words, "-o", "json", code=12)
        assert json.loads(done.stderr)["error"]["code"] == "guard", path
    assert not httpserver.log


@pytest.mark.parametrize("word", DENIABLE)
def test_what_is_denied_does_not_reach_the_wire(guarded, httpserver, word):
    adsctl = guarded(f"deny: [{word}]\n")
    concerned = [kind for kind in GUARDED if refuses(kind, word)]
    if word == "activate":
        concerned = [
            kind for kind in GUARDED if kind.endpoint.command in ("campaigns create", "line-items create")
        ]
    assert concerned
    for kind in every(4 if word in ("api", *METHODS) else 1, concerned):
        where = ("--base", kind.endpoint.base)
        done = adsctl("api", kind.endpoint.method, path_of(kind), *where, "-o", "json", code=12)
        assert word in json.loads(done.stderr)["error"]["message"], kind.endpoint
    assert not httpserver.log


@pytest.mark.parametrize("command", every(3, WRITING))
def test_read_only_refuses_every_generated_command(at_home, command):  # noqa: F811
    env = {"ADSCTL_GUARD": str(at_home.file("guard.yaml", "read_only: true\n"))}
    words = shlex.split(EXAMPLES[command])[1:]
    done = at_home("--profile", "local", "--yes", *words, "-o", "json", code=12, **env)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["code"] == "guard" and "every change: read_only" in error["message"]


@pytest.mark.parametrize("command", [*WRITING, *UPLOADING])
def test_a_limit_of_money_can_judge_every_command(at_home, command):  # noqa: F811
    env = {"ADSCTL_GUARD": str(at_home.file("guard.yaml", "max_account_daily_budget: 100000 EUR\n"))}
    words = shlex.split(EXAMPLES[command])[1:]
    done = at_home("--profile", "local", "--dry-run", *words, code=None, **env)
    assert done.returncode in (0, 10) and "cannot be judged" not in done.stderr, done.stderr


def test_what_asks_by_post_passes_every_guard(adsctl):
    env = {
        "ADSCTL_GUARD": str(adsctl.file("guard.yaml", f"read_only: true\ndeny: [{', '.join(DENIABLE)}]\n"))
    }
    asking = {
        kind.endpoint.command
        for kind in requests_for("generic")
        if kind.endpoint.mutates
        and not kind.endpoint.changes
        and not kind.endpoint.command.startswith("auth ")
    }
    assert asking == {"audiences estimate", "stats export"}
    criteria = "targeting_criteria: [{targeting_type: BROAD_KEYWORD, targeting_value: mugs}]\n"
    estimated = adsctl.local("audiences", "estimate", "-f", "-", input=criteria, **env)
    assert "audience_size" in estimated.stdout
    period = ("--since", "2026-03-01", "--until", "2026-03-02", "--entity", "CAMPAIGN", "--ids", "8wku2")
    adsctl.local("stats", "export", *period, "--metrics", "impressions", **env)
    raw = "/12/accounts/18ce54d4x5t/audience_estimate"
    body = '{"targeting_criteria": [{"targeting_type": "BROAD_KEYWORD", "targeting_value": "mugs"}]}'
    assert "audience_size" in adsctl.local("api", "POST", raw, "--input", "-", input=body, **env).stdout
    header = ("-H", "X-HTTP-Method-Override: DELETE")
    adsctl.local("api", "POST", raw, *header, "--input", "-", input=body, code=12, **env)
    assert adsctl("changes", "list", "-o", "json").stdout.strip() == "[]"


def test_raw_writes_that_match_nothing_declared_are_refused(guarded, httpserver):
    adsctl = guarded("max_bid: 1000 EUR\n")
    account = "/12/accounts/18ce54d4x5t"
    for method, path in (
        ("POST", f"{account}/campagns"),
        ("PATCH", f"{account}/campaigns/8wkt0"),
        ("POST", f"{account}//campaigns"),
        ("POST", f"{account}/campaigns/"),
        ("POST", f"/x{account}/campaigns"),
        ("DELETE", f"{account}/promoted_posts/../campaigns/8wkt0"),
        ("PUT", f"{account}/campaigns/%2e%2e"),
    ):
        assert "matches no declared endpoint" in adsctl("api", method, path, code=12).stderr, path
    assert not httpserver.log


CAMPAIGN = "/12/accounts/18ce54d4x5t/campaigns/8wkt0"
OVERRIDING_HEADERS = [
    *("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X_HTTP_Method_Override"),
    *("X.Http.Method", "X-Method", "X-Original-URL", "X-Original-URI"),
    *("X-Original-Path", "X-Original-Method", "X-Rewrite-URL", "X-Rewrite-Path"),
    *("X-Override-URL", "X-Forwarded-Path", "X-Forwarded-Uri", "X-Forwarded-Prefix"),
    *("X-Forwarded-Host", "Forwarded", "X-Envoy-Original-Path", "Request-URI"),
    *("X-Host", "Destination", "Transfer-Encoding", "Content-Encoding"),
    *("Connection", "Upgrade", "X-Accel-Redirect"),
]
OVERRIDING_FIELDS = [
    *(
        "_method",
        "_METHOD",
        "_HttpMethod",
        "__method",
        " _method",
        "_method[]",
        "[_method]",
        "a[_method]",
        "a[b][_method]",
        "a[][_method][]",
        "a;_method",
        "method",
        "$method",
    ),
    *(
        "X-HTTP-Method-Override",
        "http_method",
        "httpMethod",
        "methodOverride",
        "override-method",
        "_url",
        "%5fmethod",
    ),
]


def test_a_header_that_may_change_a_request_is_refused(guarded, httpserver):
    adsctl = guarded("max_bid: 1000 EUR\n")
    for header, method in zip(OVERRIDING_HEADERS, cycle(["GET", "POST", "PUT"]), strict=False):
        done = adsctl("api", method, CAMPAIGN, "-H", f"{header}: DELETE", code=12)
        assert f"the header {header.lower()} may change its method or its path" in done.stderr
    assert not httpserver.log


@pytest.mark.parametrize("name", OVERRIDING_FIELDS)
def test_a_field_that_may_change_a_request_is_refused(guarded, httpserver, name):
    adsctl = guarded("max_bid: 1000 EUR\n")
    form = ("-H", "Content-Type: application/x-www-form-urlencoded", "--input", "-")
    encoded = name if "%" in name else quote_plus(name)
    for words, body in (
        (("GET", CAMPAIGN, "-f", f"{name}=DELETE"), ""),
        (("GET", f"{CAMPAIGN}?a=b&{encoded}=DELETE"), ""),
        (("PUT", f"{CAMPAIGN}?{encoded}=DELETE"), ""),
        (("POST", CAMPAIGN, *form), f"a=b&{encoded}=DELETE"),
        (("POST", CAMPAIGN, "--form", f"{name}=DELETE"), ""),
        *([] if "%" in name else [(("PUT", CAMPAIGN, "--input", "-"), json.dumps({"a": 1, name: "DELETE"}))]),
    ):
        done = adsctl("api", *words, input=body, code=12)
        assert "may change its method or its path" in done.stderr, words
    assert not httpserver.log


@pytest.mark.parametrize("value", ["x;_method=DELETE", "x&_method=DELETE", "x&a[_method]=DELETE"])
def test_a_field_within_a_value_may_be_read_as_one(guarded, httpserver, value):
    adsctl = guarded("deny: [delete]\n")
    for words in (("PUT", f"{CAMPAIGN}?name={quote(value)}"), ("PUT", CAMPAIGN, "-f", f"name={value}")):
        assert "may change its method or its path" in adsctl("api", *words, code=12).stderr
    assert not httpserver.log


@pytest.mark.parametrize("body", [{"a": {"_method": "DELETE"}}, [{"a": [[{"b": {"_method": 1}}]]}]])
def test_a_nested_field_that_may_change_a_request_is_refused(guarded, httpserver, body):
    adsctl = guarded("deny: [delete]\n")
    done = adsctl("api", "PUT", CAMPAIGN, "--input", "-", input=json.dumps(body), code=12)
    assert "the field '_method' may change its method or its path" in done.stderr
    assert not httpserver.log


def test_what_changes_no_request_passes_a_guard(guarded, httpserver):
    adsctl = guarded("deny: delete\n")
    httpserver.expect_request(CAMPAIGN).respond_with_json({"data": {"id": "8wkt0"}})
    for header in ("X-Trace: 1", "Accept-Language: de", "If-Match: 1", "X-Request-Id: 2"):
        adsctl("api", "PUT", CAMPAIGN, "-f", "name=the _method & other methods", "-H", header)
    adsctl("api", "PUT", CAMPAIGN, "-f", "name=shoes; $5 off & _more [_new]")
    sent = [request.method for request, _ in httpserver.log]
    assert sent.count("PUT") == 5 and sent.count("GET") <= 5  # what was before is read once at most


def test_a_dry_run_sends_no_get_that_may_be_a_deletion(remote, httpserver):
    for words in (("-H", "X-HTTP-Method-Override: DELETE"), ("-f", "_method=DELETE")):
        assert CAMPAIGN in remote("api", "GET", CAMPAIGN, *words, "--dry-run").stdout
    assert not httpserver.log


def test_an_encoded_path_is_judged_as_what_it_means(guarded, httpserver):
    adsctl = guarded("deny: delete\n")
    adsctl("api", "DELETE", "/12/accounts/18ce54d4x5t/%63ampaigns/8wkt0", code=12)
    assert not httpserver.log


def test_batches_are_judged_by_their_operations(guarded, httpserver):
    adsctl = guarded("deny: [delete, activate]\n")
    path = "/12/batch/accounts/18ce54d4x5t/campaigns"
    for item in (
        {"operation_type": "Delete", "params": {"campaign_id": "8wkt0"}},
        {"operation_type": "delete", "params": {"campaign_id": "8wkt0"}},
        {"operation_type": "Update", "params": {"campaign_id": "8wkt0", "entity_status": "ACTIVE"}},
        {"operation_type": "Create", "params": {"name": "active, as nothing is said"}},
    ):
        adsctl("api", "POST", path, "--input", adsctl.file("batch.json", json.dumps([item])), code=12)
    repeated = '[{"operation_type":"Update","operation_type":"Delete","params":{}}]'
    adsctl("api", "POST", path, "--input", adsctl.file("batch.json", repeated), code=12)
    assert not httpserver.log


def test_all_records_of_a_file_are_judged_before_the_first_request(guarded, httpserver):
    adsctl = guarded("deny: activate\n")
    records = [{"name": f"c{number}", "funding_instrument_id": "4a1n0"} for number in range(60)]
    records[-1]["entity_status"] = "ACTIVE"
    file = adsctl.file("many.json", json.dumps(records))
    adsctl("campaigns", "create", "-f", file, "--yes", "-A", "18ce54d4x5t", code=12)
    assert not httpserver.log


@pytest.mark.parametrize("word", ["read_only: true", "deny: products", "max_changes: 2"])
def test_a_push_is_refused_before_its_first_request(guarded, httpserver, word):
    adsctl = guarded(f"{word}\n")
    done = adsctl("products", "push", adsctl.file("f.csv", feed(3)), "--catalog", "1", "-o", "json", code=12)
    assert json.loads(done.stderr.splitlines()[-1])["error"]["code"] == "guard"
    assert not httpserver.log
    assert not list_jobs(adsctl)


def test_users_and_conversions_are_refused(guarded, httpserver):
    adsctl = guarded("deny: [users, conversions]\n")
    people = adsctl.file("p.csv", "email\nana@shop.example\n")
    account = ("-A", "18ce54d4x5t")
    done = adsctl("audiences", "push", people, "--audience", "1nmw1", *account, code=12)
    assert "(users): deny is users,conversions" in done.stderr
    event = "email,event_id,conversion_time\nana@shop.example,tw-1-1,2026-11-23T10:00:00Z\n"
    done = adsctl("conversions", "send", adsctl.file("c.csv", event), "--pixel", "abc", *account, code=None)
    assert done.returncode in (2, 3, 12)
    assert not httpserver.log


def test_a_prune_is_refused_before_the_rows_are_sent(adsctl):
    adsctl.local("products", "push", adsctl.file("f.csv", feed(3)), "--yes")
    guard = str(adsctl.file("guard.yaml", "deny: delete\n"))
    smaller = adsctl.file("f.csv", feed(2, title="Other"))
    words = ("products", "sync", smaller, "--prune", "--max-delete", "100%", "--yes")
    assert "deny is delete" in adsctl.local(*words, code=12, ADSCTL_GUARD=guard).stderr
    assert "Other" not in adsctl.local("products", "list", "--all", "-o", "json").stdout
    adsctl.local("products", "sync", smaller, "--yes", ADSCTL_GUARD=guard)


def test_reads_and_dry_runs_go_on(adsctl):
    guard = str(adsctl.file("guard.yaml", "read_only: true\n"))
    adsctl.local("campaigns", "list", ADSCTL_GUARD=guard)
    adsctl.local("campaigns", "delete", "8wkt0", "--dry-run", ADSCTL_GUARD=guard)
    adsctl.local("api", "GET", "/12/accounts", ADSCTL_GUARD=guard)
