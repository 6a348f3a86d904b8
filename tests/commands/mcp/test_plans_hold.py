"""What was planned and checked is carried out: records, questions, files, the profile and its guard."""

import json
import os
import shlex
import threading
from hashlib import sha256

import pytest

from ads_cli.api.names import SERVICES
from ads_cli.api.registry import requests_for
from ads_cli.commands.mcp.files import OpenFolders
from ads_cli.commands.mcp.reachable import CHANGES
from ads_cli.console.planned import PLANNED
from ads_cli.errors import UsageError
from tests.adsctl import TIMEOUT_SECONDS
from tests.commands.mcp.client import LOCAL, called, processes_with, raw, session, with_guard
from tests.conftest import feed
from tests.effort import tries
from tests.media.made import picture

WRITES = (*LOCAL, "mcp", "--allow-writes")
SENDS = (*WRITES, "--files", "open")
EXAMPLES = [
    pytest.param(service, kind, id=f"{service} {kind.endpoint.command}")
    for service in SERVICES
    for kind in requests_for(service)
    if kind.endpoint.command in CHANGES and "yaml" not in kind.endpoint.example
]
# All under the neutral names, and some under those of service x; with THOROUGH all.
TRIED = [
    example
    for number, example in enumerate(EXAMPLES)
    if example.values[0] == "generic" or number % tries(4, 1) == 0
]


@pytest.fixture
def guarded(adsctl):
    return with_guard(adsctl, "max_account_daily_budget: 500 EUR")


@pytest.fixture
def opened(guarded):
    (guarded.home / "open").mkdir()
    return guarded


def planned(adsctl, *words: str) -> list[dict]:
    """What the process of a plan tells of what it would change."""
    message = adsctl("__plan", "mcp", *LOCAL, "-q", "-o", "json", *words).stderr.splitlines()
    return [json.loads(line.removeprefix(PLANNED)) for line in message if line.startswith(PLANNED)]


def apply(adsctl, *words: str, code: int, **mandate):
    """Run the process that carries out a plan, held to a mandate."""
    line = ("__apply", "mcp", "job", *LOCAL, "-q", "-o", "json", *words)
    return adsctl(*line, input=json.dumps(mandate), code=code)


def error_of(done) -> dict:
    return json.loads(done.stderr.splitlines()[-1])["error"]


@pytest.mark.parametrize(("service", "kind"), TRIED)
def test_a_plan_reads_the_record_that_a_command_changes_and_those_that_it_names(adsctl, service, kind):
    example = shlex.split(kind.endpoint.example)
    (plan,) = planned(adsctl, "--service", service, *kind.endpoint.command.split(), *example)
    own = [each for each in plan["touched"] if each["is_own"]]
    assert [each["id"] for each in own] == ([example[0]] if kind.endpoint.id_field else [])
    assert all(each["record"] for each in own)
    parents = {"line_item_id", "campaign_id", "funding_instrument_id", "tailored_audience_id", "card_uri"}
    parents &= {*kind.__struct_fields__} - {kind.endpoint.id_field}
    read = {each["field"].replace("custom", "tailored") for each in plan["touched"] if each["record"]}
    if kind.endpoint.action == "create":
        given = {
            name for name in parents if f"--{name.replace('_', '-').removesuffix('-id')}" in str(example)
        }
        assert given <= read


MEANWHILE = [
    (
        "catalog rename",
        {"product_catalog_id": "7310248000000000001", "name": "Planned"},
        "catalog rename 7310248000000000001 --name Meanwhile",
    ),
    (
        "measurement ab-tests update",
        {"ab_test_id": "u4e91", "name": "Planned"},
        "measurement ab-tests update u4e91 --name Meanwhile",
    ),
    (
        "line-items create",
        {
            "campaign_id": ["8wku2"],
            "objective": "WEBSITE_CLICKS",
            "product_type": "PROMOTED_POSTS",
            "placements": ["ALL_ON_PLATFORM"],
            "start_time": "2099-03-01",
            "daily_budget": 5,
        },
        "campaigns update 8wku2 --name Meanwhile",
    ),
    (
        "line-items update",
        {"line_item_id": "9d4c1", "name": "Planned"},
        "campaigns update 8wku2 --name Meanwhile",
    ),
    (
        "tracking-tags create",
        {
            "line_item_id": "9d4c2",
            "tracking_tag_type": "CLICK_TRACKER",
            "tracking_tag_url": "https://m.example/c",
        },
        "line-items update 9d4c2 --name Meanwhile",
    ),
    (
        "campaigns update",
        {"campaign_id": ["8wku2", "8wkv1"], "name": "Planned"},
        "campaigns update 8wkv1 --name Meanwhile",
    ),
    (
        "measurement ab-tests create",
        {
            "name": "Planned",
            "entity_type": "CAMPAIGN",
            "start_time": "2098-01-01T00:00:00Z",
            "end_time": "2098-01-15T00:00:00Z",
            "user_groups": [
                {"size": "50.00", "entity_ids": ["8wkt0"]},
                {"size": "50.00", "entity_ids": ["8wku3"]},
            ],
        },
        "campaigns update 8wku3 --name Meanwhile",
    ),
    (
        "audiences permissions grant",
        {
            "tailored_audience_id": "1nmu0",
            "granted_account_id": "18ce56pq1rw",
            "permission_level": "READ_ONLY",
        },
        "audiences update 1nmu0 --name Meanwhile",
    ),
    (
        "posts drafts create",
        {"text": "Planned", "card_uri": "card://7cqs1"},
        "cards update 7cqs1 --name Meanwhile",
    ),
    (
        "targeting add",
        {"line_item_id": "9d4c1", "targeting_type": "CUSTOM_AUDIENCE", "targeting_value": "1nmu0"},
        "audiences update 1nmu0 --name Meanwhile",
    ),
]


def test_a_plan_is_refused_where_any_record_that_its_requests_name_has_changed(guarded):
    async def use(client):
        for number, (command, arguments, meanwhile) in enumerate(MEANWHILE):
            first = await called(client, "plan_change", command=command, arguments=arguments)
            guarded.process(*LOCAL, *f"{meanwhile}{number}".split())
            refused = await called(client, "apply_change", fails=True, plan_id=first["plan_id"])
            error = refused["error"]
            assert (error["exit_code"], "changed since" in error["message"]) == (12, True), command
            second = await called(client, "plan_change", command=command, arguments=arguments)
            applied = await called(client, "apply_change", plan_id=second["plan_id"])
            assert applied["is_applied"], command

    session(guarded, use, *WRITES)


def test_a_command_sends_only_what_was_planned(adsctl):
    words = ("campaigns", "update", "8wku4", "--name")
    digests = [each["digest"] for each in planned(adsctl, *words, "Planned")]
    other = apply(adsctl, *words, "Another", code=12, planned=digests)
    assert "changed since" in error_of(other)["message"]
    assert "changed since" in error_of(apply(adsctl, *words, "Planned", code=12))["message"]
    assert not json.loads(adsctl.local("-q", "-o", "json", "changes", "list").stdout)
    assert "Planned" in apply(adsctl, *words, "Planned", code=0, planned=digests).stdout


UNREADABLE = [
    ({"status": 503}, 8),
    ({"response_data": "<html>", "content_type": "text/html"}, 8),
    ({"response_data": '{"data": []}'}, 8),
    ({"response_data": '{"data": {"id": "8wkv1"}}'}, 8),
    ({"status": 404, "response_data": "{}"}, 5),
]


@pytest.mark.parametrize(("answer", "code"), UNREADABLE)
def test_a_record_that_cannot_be_read_refuses_its_plan_and_the_change(remote, httpserver, answer, code):
    path = "/12/accounts/18ce54d4x5t/campaigns/8wku2"
    words = ("-A", "18ce54d4x5t", "--max-attempts", "1", "-q", "-o", "json")
    change = ("campaigns", "update", "8wku2", "--name", "Planned")
    httpserver.expect_request(path, "GET").respond_with_data(**answer)
    assert error_of(remote("__plan", "mcp", *words, *change, input="{}", code=code))["exit_code"] == code
    assert (
        error_of(remote("__apply", "mcp", "job", *words, *change, input="{}", code=code))["exit_code"] == code
    )
    assert {request.method for request, _ in httpserver.log} == {"GET"}


NOT_LOOKED_AT = "is not planned"  # no command asks for these before it sends
CHANGING = [
    ("campaigns update 8wku4 --name Changed", "changed since"),
    ("products delete sku-1 --yes", "changed since"),
    ("media upload logo.png", NOT_LOOKED_AT),
    ("api POST /12/accounts/18ce54d4x5t/campaigns?name=Changed", NOT_LOOKED_AT),
]


@pytest.mark.parametrize(("words", "message"), CHANGING)
def test_a_process_that_was_started_to_read_changes_nothing(adsctl, writes, words, message):
    adsctl.file("logo.png", picture())
    done = adsctl("__by", "mcp", *LOCAL, "-q", "-o", "json", *words.split(), input="{}", code=12)
    assert message in error_of(done)["message"] and not writes
    assert not json.loads(adsctl.local("-q", "-o", "json", "changes", "list").stdout)


@pytest.mark.parametrize("questions", [[], ["Delete the campaign Spring collection (8wku2) (profile local)"]])
def test_a_question_that_no_plan_has_listed_is_not_answered(adsctl, questions):
    words = ("campaigns", "delete", "8wkv1")
    digests = [each["digest"] for each in planned(adsctl, *words)]
    done = apply(adsctl, *words, code=12, planned=digests, questions=questions)
    assert "no plan has listed it: Delete the campaign Workshop films (8wkv1)" in error_of(done)["message"]
    assert not json.loads(adsctl.local("-q", "-o", "json", "campaigns", "get", "8wkv1").stdout)["deleted"]
    listed = "Delete the campaign Workshop films (8wkv1); this cannot be undone (profile local)"
    apply(adsctl, *words, code=0, planned=digests, questions=[listed])


def test_a_listed_question_is_answered_once(adsctl):
    """Of two questions of the same words, one was listed."""
    from ads_cli.config.mandate import Mandate
    from ads_cli.errors import NotConfirmedError

    mandate = Mandate(questions=["Delete it"])
    mandate.require_answer("Delete it")
    with pytest.raises(NotConfirmedError, match="no plan has listed it: Delete it"):
        mandate.require_answer("Delete it")


PROFILES = """\
profile: shop
profiles:
  shop: {{account: 18ce54d4x5t, guard: {{max_account_daily_budget: 500 EUR, deny: delete}}, {addresses}}}
  other: {{account: 18ce55gze09, {addresses}}}
"""
RENAME = {"command": "accounts update", "arguments": {"name": "Renamed"}}


@pytest.fixture
def profiles(service, adsctl):
    """A configuration with two profiles, of which one has a guard; both are signed in by the environment."""
    names = ("ADSCTL_BASE_URL", "ADSCTL_ADS_URL", "ADSCTL_ADS_SANDBOX_URL", "ADSCTL_ACCOUNT")
    for name in names:
        del adsctl.env[name]
    keys = ("base_url", "ads_url", "ads_sandbox_url")
    addresses = ", ".join(f"{key}: '{service.address}'" for key in keys)
    (adsctl.home / "config").mkdir(mode=0o700, exist_ok=True)
    adsctl.file("config/config.yaml", PROFILES.format(addresses=addresses)).chmod(0o600)
    return adsctl


def names_of_campaigns(adsctl, account: str) -> set[str]:
    listed = adsctl.process("-p", "shop", "-A", account, "-q", "-o", "json", "campaigns", "list", "--all")
    return {campaign["name"] for campaign in json.loads(listed.stdout)}


def new_campaign(funding: str) -> dict:
    values = {"name": "Planned", "funding_instrument_id": funding, "daily_budget": "10"}
    return {"command": "campaigns create", "arguments": values}


@pytest.mark.parametrize("is_planned_before", [True, False])
def test_the_profile_of_the_server_stays_when_another_one_is_put_in_use(profiles, is_planned_before):
    with raw(profiles, "mcp", "--allow-writes") as client:
        client.initialize()
        if is_planned_before:
            plan = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]
        profiles.process("profile", "use", "other")
        if not is_planned_before:
            plan = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]
        read = client.tool("read", command="campaigns list")["structuredContent"]
        applied = client.tool("apply_change", plan_id=plan["plan_id"])["structuredContent"]
    assert "Spring collection" in {each["name"] for each in read["data"]}
    assert applied["is_applied"] and "Planned" in names_of_campaigns(profiles, "18ce54d4x5t")
    assert "Planned" not in names_of_campaigns(profiles, "18ce55gze09")


LOOSENED = [
    ("guard: {max_account_daily_budget: 500 EUR, deny: delete}, ", ""),
    ("500 EUR", "500.01 EUR"),
    ("500 EUR", "500 USD"),
    (", deny: delete", ""),
]


@pytest.mark.parametrize(("before", "after"), LOOSENED)
def test_a_guard_that_was_loosened_since_the_start_refuses_every_change(profiles, before, after):
    config = profiles.home / "config/config.yaml"
    with raw(profiles, "mcp", "--allow-writes") as client:
        client.initialize()
        plan = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]
        config.write_text(config.read_text().replace(before, after))
        applied = client.tool("apply_change", plan_id=plan["plan_id"])["structuredContent"]["error"]
        again = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]["error"]
        assert not client.tool("read", command="campaigns list")["isError"]
    for error in (applied, again):
        assert error["exit_code"] == 11 and "guard was loosened since this server" in error["message"]
    assert "Planned" not in names_of_campaigns(profiles, "18ce54d4x5t")


def test_a_guard_that_was_tightened_since_the_start_holds(profiles):
    config = profiles.home / "config/config.yaml"
    with raw(profiles, "mcp", "--allow-writes") as client:
        client.initialize()
        config.write_text(config.read_text().replace("deny: delete", "deny: [delete, update]"))
        plan = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]
        assert client.tool("apply_change", plan_id=plan["plan_id"])["structuredContent"]["is_applied"]


MOVED = [
    ("  shop: {account: 18ce54d4x5t", "  shop: {account: 18ce55gze09", "account was 18ce54d4x5t"),
    ("ads_url: 'http://127", "ads_url: 'http://localhost", "ads_url was http://127"),
    ("  shop: {", "  shop: {service: x, ", "service was generic"),
    ("  shop: {", "  shop: {sandbox: true, ", "sandbox was not set"),
    ("  shop: {", "  shop: {catalog: '7310248000000000001', ", "catalog was not set"),
    ("  shop: {", "  gone: {", "there is no profile 'shop'"),
]


def test_a_profile_that_leads_elsewhere_since_the_start_is_not_used(profiles):
    config = profiles.home / "config/config.yaml"
    for name in ("ADSCTL_CATALOG", "ADSCTL_SERVICE"):
        del profiles.env[name]
    with raw(profiles, "mcp", "--allow-writes") as client:
        client.initialize()
        text = config.read_text()
        for before, after, message in MOVED:
            config.write_text(text)
            plan = client.tool("plan_change", **new_campaign("4a1n0"))["structuredContent"]
            assert before in text
            config.write_text(text.replace(before, after, 1))
            for tool, arguments in (
                ("apply_change", {"plan_id": plan["plan_id"]}),
                ("plan_change", new_campaign("4a1n0")),
                ("read", {"command": "campaigns list"}),
            ):
                error = client.tool(tool, **arguments)["structuredContent"]["error"]
                assert error["exit_code"] == 11 and message in error["message"], (tool, error)
    config.write_text(text)
    assert "Planned" not in names_of_campaigns(profiles, "18ce54d4x5t")


READ = [
    ("check_feed", ("products", "check", "--"), "feed.csv"),
    ("diff_feed", ("products", "diff", "--"), "feed.csv"),
    ("plan_campaigns", ("campaigns", "plan", "--"), "shop.yaml"),
]
EXCHANGED = ["other bytes", "a link", "a pipe", "a folder", "nothing"]


def exchange(path, outside, how: str) -> None:
    """Put something else under the path of a file."""
    path.unlink()
    if how == "other bytes":
        path.write_bytes(outside.read_bytes())
    elif how == "a link":
        path.symlink_to(outside)
    elif how == "a pipe":
        os.mkfifo(path)
    elif how == "a folder":
        path.mkdir()


@pytest.mark.parametrize("how", EXCHANGED)
@pytest.mark.parametrize(("tool", "words", "name"), READ)
def test_a_file_that_was_exchanged_after_it_was_checked_is_not_read(opened, tool, words, name, how):
    """The process of a tool is run, held to the file that the server has checked."""
    path, outside = opened.home / "open" / name, opened.file("outside", "id,title\nsecret-1,secret text\n")
    path.write_text("id,title\n1,One\n" if name == "feed.csv" else "campaigns: []\n")
    digest = sha256(path.read_bytes()).hexdigest()
    exchange(path, outside, how)
    line = ("__by", "mcp", *LOCAL, "-q", "-o", "json", *words, str(path))
    done = opened(*line, input=json.dumps({"files": {str(path): digest}}), code=None)
    error = error_of(done)
    assert error["exit_code"] == (12 if how == "other bytes" else 2), error
    assert how != "other bytes" or "has changed since it was looked at" in error["message"]
    assert "secret" not in done.stdout + done.stderr


CHANGED_BY_FILE = [
    (("products", "push"), "feed.csv"),
    (("products", "sync"), "feed.csv"),
    (("campaigns", "apply"), "shop.yaml"),
]


@pytest.mark.parametrize("how", EXCHANGED)
@pytest.mark.parametrize(("words", "name"), CHANGED_BY_FILE)
def test_a_file_that_was_exchanged_after_the_last_look_is_not_sent(opened, words, name, how):
    campaign = {"name": "Planned", "funding_instrument_id": "4a1n0", "daily_budget": 10}
    contents = {"feed.csv": feed(2), "shop.yaml": json.dumps({"campaigns": [campaign]})}
    others = {"feed.csv": feed(2, title="Exchanged")}
    campaign = {**campaign, "name": "Exchanged"}
    others["shop.yaml"] = json.dumps({"campaigns": [campaign]})
    path = opened.home / "open" / name
    path.write_text(contents[name])
    digest = sha256(path.read_bytes()).hexdigest()
    line = (*words, "--", str(path))
    digests = [each["digest"] for each in planned(opened, *line)]
    exchange(path, opened.file("outside", others[name]), how)
    done = apply(opened, *line, code=None, planned=digests, files={str(path): digest})
    assert done.returncode == (12 if how == "other bytes" else 2)
    assert not json.loads(opened.local("-q", "-o", "json", "changes", "list").stdout)


@pytest.mark.parametrize(("words", "name"), CHANGED_BY_FILE)
def test_other_bytes_are_no_part_of_a_plan_even_where_nobody_has_named_their_file(opened, words, name):
    """What is sent is compared with the plan, and not only the file."""
    campaign = {"name": "Planned", "funding_instrument_id": "4a1n0", "daily_budget": 10}
    contents = {"feed.csv": feed(2), "shop.yaml": json.dumps({"campaigns": [campaign]})}
    path = opened.home / "open" / name
    path.write_text(contents[name])
    line = (*words, "--", str(path))
    digests = [each["digest"] for each in planned(opened, *line)]
    path.write_text(contents[name].replace("mug", "jug").replace("Planned", "Exchanged"))
    done = apply(opened, *line, code=12, planned=digests)
    assert "changed since" in error_of(done)["message"]
    assert not json.loads(opened.local("-q", "-o", "json", "changes", "list").stdout)


@pytest.mark.parametrize("tool", ["diff_feed", "plan_change", "apply_change"])
def test_each_process_is_held_to_the_file_that_the_server_has_checked(profiles, service, tool):
    (profiles.home / "open").mkdir()
    path, arguments = profiles.file("open/feed.csv", feed(2)), {"file": "feed.csv"}
    sync = {"command": "products sync", "arguments": arguments}
    asked, ended = threading.Event(), threading.Event()

    def wait():
        asked.set()
        ended.wait(TIMEOUT_SECONDS)

    with raw(profiles, "mcp", "--allow-writes", "--files", "open") as client:
        client.initialize()
        if tool != "diff_feed":
            arguments = sync
        if tool == "apply_change":
            arguments = {"plan_id": client.tool("plan_change", **sync)["structuredContent"]["plan_id"]}
        service.before_list = wait
        call = client.request("tools/call", name=tool, arguments=arguments)
        assert asked.wait(TIMEOUT_SECONDS)
        (process,) = processes_with(profiles, b"\0products\0")
        mandate = json.loads((process / "fd/0").read_bytes())
        ended.set()
        client.response(call)
    assert mandate["files"] == {str(path): sha256(path.read_bytes()).hexdigest()}


def test_a_link_that_comes_in_after_the_check_of_a_path_is_not_followed(tmp_path, monkeypatch):
    """The path is resolved, and a folder in it becomes a link before the file is opened."""
    inner, outside = tmp_path / "open" / "inner", tmp_path / "outside"
    for folder in (inner, outside):
        folder.mkdir(parents=True)
        (folder / "feed.csv").write_text(folder.name)
    folders, resolve = OpenFolders([str(tmp_path / "open")], allow_urls=False), os.path.realpath
    assert folders.checked("inner/feed.csv").path == str(inner / "feed.csv")

    def exchanged(path):
        found = resolve(path)
        inner.rename(tmp_path / "open" / "before")
        inner.symlink_to(outside)
        return found

    monkeypatch.setattr(os.path, "realpath", exchanged)
    with pytest.raises(UsageError, match="is not a file below"):
        folders.checked("inner/feed.csv")


@pytest.mark.parametrize("how", ["a link", "a pipe", "a folder", "nothing"])
def test_only_regular_files_below_the_open_folders_are_opened(opened, how):
    path = opened.file("open/feed.csv", "id\n")
    exchange(path, opened.file("outside", "secret\n"), how)
    with raw(opened, *SENDS) as client:
        client.initialize()
        error = client.tool("check_feed", file="feed.csv")["structuredContent"]["error"]
    assert error["exit_code"] == 2 and "is not a file below" in error["message"]
