"""`help endpoints` and `help fields`: each endpoint with its command, and what feeds may hold."""

import json
import re
import shlex
from urllib.parse import parse_qsl, urlsplit

import pytest

from ads_cli.api.registry import requests_for
from tests.command_tree import COMMANDS
from tests.promises.test_examples import EXAMPLES, PARTICULAR, at_home  # noqa: F401

KEYS = ["command", "method", "path", "base", "params_in", "argument", "options"]
# A line of each kind, as the specification writes it.
LINES = {
    "GET /12/accounts/{account_id}": ("accounts get", "ads", "query", "account_id", "with_deleted"),
    "POST /12/accounts": ("accounts create", "sandbox", "query", None, None),
    "PUT /12/product_catalogs/{product_catalog_id}/products": (
        "products push", "ads", "json", "products", "product_catalog_id",
    ),
    "DELETE /12/product_catalogs/{product_catalog_id}/products": (
        "products delete", "ads", "json", "product_keys", "product_catalog_id",
    ),
    "POST /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users": (
        "audiences push", "ads", "json", None, "custom_audience_id",
    ),
    "POST /12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users": (
        "audiences do-not-reach push", "ads", "json", None, "do_not_reach_list_id",
    ),
    "POST /12/measurement/conversions/{pixel_id}": (
        "conversions send", "ads", "json", "conversions", "pixel_id",
    ),
    "POST /2/webhooks": ("webhooks create", "platform", "json", "url", None),
    "POST /oauth/request_token": ("auth login", "platform", "query", None, "platform_auth_access_type"),
    "POST /1.1/oauth/invalidate_token": ("auth logout", "platform", "query", None, None),
    "POST /oauth2/token": ("auth bearer issue", "platform", "form", None, None),
}  # fmt: skip


def listed(adsctl, topic: str, *words: str) -> list[dict]:
    return json.loads(adsctl("help", *topic.split(), *words, "-o", "json").stdout)


@pytest.fixture
def records(adsctl) -> dict[str, dict]:
    return {f"{one['method']} {one['path']}": one for one in listed(adsctl, "endpoints")}


def test_each_line_of_the_api_has_one_record(records, adsctl):
    declared = [request.endpoint for request in requests_for("generic")]
    batches = [one.batch.path for one in declared if one.batch and not one.is_batch]
    lines = [f"{one.method} {one.path}" for one in declared] + [f"POST {path}" for path in batches]
    shown = [f"{one['method']} {one['path']}" for one in listed(adsctl, "endpoints")]
    assert sorted(shown) == sorted(lines) and len(batches) >= 2
    assert all(list(record) == KEYS for record in records.values())


def test_a_line_names_its_command_and_what_is_typed(records):
    found = {
        line: tuple(records[line][name] for name in ("command", "base", "params_in", "argument"))
        for line in LINES
    }
    assert found == {line: expected[:-1] for line, expected in LINES.items()}
    for line, (*_, optional) in LINES.items():
        assert optional is None or records[line]["options"][optional].startswith("--"), line


def test_each_option_is_one_of_its_command(records):
    for record in records.values():
        command = COMMANDS[record["command"]]
        options = {name for option in command.options for name in option.names}
        assert {name for name in record["options"].values() if name} <= options
        assert record["argument"] is None or command.arguments
        path_ids = re.findall(r"{(\w+)}", record["path"])
        assert {*path_ids} <= {*record["options"], record["argument"]}
    filled_in = {name for one in records.values() for name, option in one["options"].items() if not option}
    of_uploads = {"media_id", "media_type", "total_bytes", "segment_index", "shared", "command"}
    of_uploads |= {"metadata", "subtitles"}
    of_events = {"filter", "ids", "uuids", "endpoint_id", "backfill_minutes", "start_time", "end_time"}
    of_grants = {"response_type", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"}
    of_grants |= {"client_id", "code", "code_verifier", "refresh_token", "token"}
    of_sign_in = {"oauth_token", "oauth_verifier", "grant_type", "access_token"} | of_grants
    assert filled_in == of_sign_in | of_uploads | of_events


@pytest.mark.parametrize("service", ["generic", "x"])
def test_a_dry_run_sends_what_the_list_says(at_home, service):  # noqa: F811
    records = listed(at_home, "endpoints", "--service", service)
    commands = [one for one in records if one["method"] != "GET" and one["command"] not in PARTICULAR]
    batches = {request.endpoint.batch.path for request in requests_for(service) if request.endpoint.batch}
    shown = 0
    for record in commands:
        if record["command"].startswith("auth") or record["path"] in batches:
            continue
        words = shlex.split(EXAMPLES[record["command"]])[1:]
        settings = ("--profile", "local", "--service", service, "--dry-run", "-o", "json")
        request = json.loads(at_home(*words, *settings).stdout)
        url = urlsplit(request["url"])
        assert request["method"] == record["method"]
        assert re.fullmatch(re.sub(r"{\w+}", "[^/]+", record["path"]), url.path), record["command"]
        sent = request["body"] if "body" in request else dict(parse_qsl(url.query))
        assert sent.keys() <= record["options"].keys()
        shown += 1
    assert shown > 15


def test_the_list_has_the_names_that_the_service_uses(adsctl):
    lines = {one["command"]: one for one in listed(adsctl, "endpoints", "--service", "x")}
    revoke = lines["audiences permissions revoke"]
    assert revoke["path"].startswith("/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/")
    assert revoke["argument"] == "custom_audience_permission_id"
    assert revoke["options"]["custom_audience_id"] == "--audience"
    rename = lines["posts rename"]
    assert rename["path"] == "/12/accounts/{account_id}/tweets/{tweet_id}/name"
    assert rename["argument"] == "tweet_id" and rename["options"]["name"] == "--name"
    assert lines["posts create"]["path"] == "/12/accounts/{account_id}/tweet"
    assert lines["posts create"]["options"]["tweet_mode"] == "--post-mode"
    fields = {one["field"] for one in listed(adsctl, "fields", "--service", "x")}
    assert {"google_product_category", "twitter_id"} <= fields
    assert not {"store_product_category", "platform_id"} & fields


def test_the_lists_are_results_like_any_other(adsctl):
    shown = adsctl("help", "endpoints", "-o", "csv", "--columns", "command,path").stdout.splitlines()
    assert shown[0] == "command,path" and "catalog list,/12/product_catalogs" in shown
    query = "[?path=='/2/webhooks'].command"
    assert json.loads(adsctl("help", "endpoints", "-o", "json", "--query", query).stdout) == [
        "webhooks create",
        "webhooks list",
    ]
    required = adsctl("help", "fields", "products", "--query", "[?required].field", "-o", "json").stdout
    assert json.loads(required) == [
        "id", "title", "description", "availability", "condition", "price", "link", "image_link",
    ]  # fmt: skip
    assert adsctl("help", "fields", "users", "-o", "ids").stdout.split()[0] == "email"


def test_the_lists_are_tables_on_a_terminal(adsctl):
    child = adsctl.terminal("help", "endpoints", "--columns", "command,method,path", width=120)
    shown = child.read()
    assert "COMMAND" in shown and "/12/product_catalogs" in shown


def test_the_fields_of_products_have_their_limits(adsctl):
    fields = {one["field"]: one for one in listed(adsctl, "fields products")}
    assert fields["title"]["max_length"] == 150 and fields["description"]["max_length"] == 5000
    assert fields["inventory"]["type"] == "integer" and fields["inventory"]["minimum"] == 0
    assert "preorder" in fields["availability"]["values"]
    assert "10 URLs" in fields["additional_image_link"]["limits"]
    assert fields["brand"]["rules"] and not fields["mpn"]["rules"]


def test_a_terminal_wraps_what_is_said_of_a_field(adsctl):
    child = adsctl.terminal("help", "fields", "products", width=60)
    shown = child.read().replace("\r\n", "\n")
    assert max(map(len, shown.splitlines())) <= 60
    words = " ".join(shown.split())
    assert (
        "availability required; in stock, available for order, preorder, out of stock, discontinued" in words
    )


def test_the_fields_of_people_are_those_that_a_list_may_have(adsctl):
    users = {one["field"] for one in listed(adsctl, "fields users")}
    assert users == {
        "email", "device_id", "handle", "platform_id", "phone_number", "partner_user_id",
        "operation_type", "effective_at", "expires_at",
    }  # fmt: skip
    unreached = {one["field"] for one in listed(adsctl, "fields do-not-reach")}
    assert unreached == {"email", "phone_number", "operation_type", "expires_at"}
    assert {one["feed"] for one in listed(adsctl, "fields")} == {
        "products", "users", "do-not-reach", "amounts"
    }  # fmt: skip


def test_an_unknown_feed_names_the_nearest(adsctl):
    message = adsctl("help", "fields", "product", code=2).stderr
    assert "there is no feed 'product'; did you mean 'products'?" in message
    assert "feeds: products, users, do-not-reach" in message
