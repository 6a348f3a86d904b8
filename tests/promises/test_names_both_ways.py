"""What is typed or read may have either name of a field, and each service gets the name that it knows."""

import csv
import hashlib
import json
from collections.abc import Iterable
from contextlib import ExitStack, closing
from hashlib import sha256
from itertools import cycle, product

import pytest
import yaml

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from tests.conftest import PRODUCT, feed
from tests.effort import tries

NEUTRAL, ON_WIRE = "store_product_category", "google_product_category"
CATEGORY = "Home & Garden > Kitchen"
ROWS = [PRODUCT | {"id": f"sku-{number}"} for number in (1, 2, 3)]
IDS = [row["id"] for row in ROWS]
SERVICES, NAMES = ("generic", "x"), (NEUTRAL, ON_WIRE)


def cases(names: str, *values: Iterable) -> pytest.MarkDecorator:
    """Every combination; in the short form a third of them, each value with others."""
    return pytest.mark.parametrize(names, [*product(*values)][:: tries(3, 1)])


both_services = pytest.mark.parametrize("service_name", ["generic", "x"])


def named_as_by_the_other(names: str, neutral: str, on_wire: str) -> pytest.MarkDecorator:
    """Each service with the name of the other; in the long form both names."""
    cases = [("generic", on_wire), ("x", neutral), ("generic", neutral), ("x", on_wire)]
    return pytest.mark.parametrize(f"service_name, {names}", cases[: tries(2, 4)])


either_name = named_as_by_the_other("name", NEUTRAL, ON_WIRE)


def on_wire(service_name: str) -> str:
    return ON_WIRE if service_name == "x" else NEUTRAL


def with_category(name: str) -> list[dict]:
    return [row | {name: CATEGORY} for row in ROWS]


WRITERS = {
    "feed.json": json.dumps,
    "feed.jsonl": lambda rows: "\n".join(map(json.dumps, rows)),
    "feed.yaml": yaml.safe_dump,
    "wrapped.json": lambda rows: json.dumps({"products": rows}),
    "feed.csv": lambda rows: "\n".join(
        ",".join(f'"{value}"' for value in row) for row in (rows[0].keys(), *(row.values() for row in rows))
    ),
}


def categories(adsctl) -> dict[str, dict[str, str]]:
    """The category of each pushed product, by the name that the answer has for it."""
    listed = json.loads(adsctl("products", "list", "--all", "-o", "json").stdout)
    return {
        product["id"]: {name: product[name] for name in (NEUTRAL, ON_WIRE) if name in product}
        for product in listed
        if product["id"] in IDS
    }


@cases("file, name, service_name", WRITERS, NAMES, SERVICES)
def test_a_feed_may_have_either_name(adsctl, service, service_name, name, file):
    adsctl.file(file, WRITERS[file](with_category(name)))
    done = adsctl("products", "push", file, "-o", "json")
    assert json.loads(done.stdout)["created"] == 3 and "not known" not in done.stderr
    assert categories(adsctl) == {key: {on_wire(service_name): CATEGORY} for key in IDS}


@pytest.mark.parametrize(("file", "service_name"), [*zip(WRITERS, cycle(SERVICES))])
def test_a_file_with_both_names_of_a_field_is_refused(adsctl, service, service_name, file):
    both = [row | {NEUTRAL: CATEGORY, ON_WIRE: "Other"} for row in ROWS]
    adsctl.file(file, WRITERS[file](both))
    message = adsctl("products", "push", file, code=3).stderr
    assert NEUTRAL in message and ON_WIRE in message and not service.puts


@either_name
def test_a_column_is_mapped_to_either_name(adsctl, service, service_name, name):
    adsctl.file("feed.csv", WRITERS["feed.csv"]([row | {"Rubrik": CATEGORY} for row in ROWS]))
    adsctl("products", "push", "feed.csv", "--map", f"Rubrik={name}")
    assert categories(adsctl) == {key: {on_wire(service_name): CATEGORY} for key in IDS}


@both_services
def test_columns_are_found_under_either_name_and_json_is_the_answer(adsctl, service, service_name):
    adsctl.file("feed.json", json.dumps(with_category(NEUTRAL)))
    adsctl("products", "push", "feed.json")
    shown = adsctl("products", "list", "--all", "--columns", f"id,{NEUTRAL},{ON_WIRE}", "-o", "tsv").stdout
    assert f"sku-1\t{CATEGORY}\t{CATEGORY}" in shown.splitlines()
    query = f"[?id=='sku-1'].{on_wire(service_name)}"
    assert json.loads(adsctl("products", "list", "--all", "-o", "json", "--query", query).stdout) == [
        CATEGORY
    ]


@cases(
    "services, name, file",
    [("generic", "x"), ("x", "generic"), ("x", "x")],
    NAMES,
    ["pulled.csv", "pulled.yaml"],
)
def test_what_was_pulled_from_one_service_is_pushed_to_the_other(
    adsctl, seeded_database, tmp_path, services, name, file
):
    adsctl.file("feed.json", json.dumps(with_category(name)))
    with ExitStack() as stack:
        for number, service_name in enumerate(services):
            database = tmp_path / f"{number}.db"
            database.write_bytes(seeded_database.read_bytes())
            emulator = stack.enter_context(closing(Emulator(database, service=service_name)))
            adsctl.env |= variables(emulator, stack.enter_context(running(emulator)))
            if number == 0:
                adsctl("products", "push", "feed.json")
                adsctl("products", "pull", file)
        done = adsctl("products", "push", file, "-o", "json")
        summary = json.loads(done.stdout)
        assert (summary["created"], summary["failed"]) == (3, 0) and "not known" not in done.stderr
        assert categories(adsctl) == {key: {on_wire(services[1]): CATEGORY} for key in IDS}


@either_name
def test_a_file_of_pulled_products_names_those_to_delete(adsctl, service, service_name, name):
    adsctl.file("feed.json", json.dumps(with_category(name)))
    adsctl("products", "push", "feed.json")
    adsctl("products", "pull", "pulled.csv")
    keys = [row for row in csv.DictReader((adsctl.home / "pulled.csv").open()) if row["id"] in IDS]
    adsctl.file(
        "keys.jsonl", "\n".join(json.dumps({name: "x", "product_key": row["product_key"]}) for row in keys)
    )
    summary = adsctl("products", "delete", "--from", "keys.jsonl", "--yes", "-o", "json").stdout
    assert json.loads(summary)["deleted"] == 3 and not categories(adsctl)


@both_services
def test_what_is_unchanged_is_the_same_under_either_name(adsctl, service, service_name):
    for number, name in enumerate((NEUTRAL, ON_WIRE, NEUTRAL)):
        adsctl.file("feed.json", json.dumps(with_category(name)))
        words = ("products", "push", "feed.json", "--changed", "-o", "json")
        summary = json.loads(adsctl(*words, *["--verify"] * (number == 2)).stdout)
        assert (summary["created"], summary["skipped"]) == ((3, 0) if number == 0 else (0, 3))
    assert summary["same"] == 3 and summary["differing"] == 0


@both_services
def test_verify_compares_the_field_that_has_two_names(adsctl, service, service_name):
    adsctl.file("feed.json", json.dumps(with_category(NEUTRAL)))
    adsctl("products", "push", "feed.json")
    adsctl.file("other.json", json.dumps([ROWS[0] | {on_wire(service_name): "Another"}]))
    adsctl("products", "push", "other.json")
    done = adsctl("products", "push", "feed.json", "--changed", "--verify", "-o", "json")
    assert json.loads(done.stdout)["differing"] == 1
    assert categories(adsctl) == {key: {on_wire(service_name): CATEGORY} for key in IDS}


@cases("as_file, name, service_name", [True, False], NAMES, SERVICES)
def test_the_filters_of_a_product_set_may_have_either_name(adsctl, service, service_name, name, as_file):
    filters = json.dumps([{"attribute": name, "operator": "CONTAINS", "value": "Kitchen"}])
    adsctl.file("filters.yaml", filters)
    words = ("--name", "Kitchen", "--type", "FILTERED", "--filters", "@filters.yaml" if as_file else filters)
    created = json.loads(adsctl("catalog", "sets", "create", *words, "-o", "json").stdout)
    assert created["filters"][0]["attribute"] == on_wire(service_name)


@named_as_by_the_other("name", "platform_id", "twitter_id")
def test_a_list_of_people_may_have_either_name(adsctl, service, service_name, name):
    adsctl.file("people.csv", f"{name}\n1184672519\n1184672520\n")
    adsctl.file("people.json", json.dumps([{name: "1184672521"}, {name: "1184672522"}]))
    hashes = [hashlib.sha256(str(number).encode()).hexdigest() for number in (1184672523, 1184672524)]
    operations = [{"operation_type": "Update", "params": {"users": [{name: [hashed]} for hashed in hashes]}}]
    adsctl.file("operations.json", json.dumps(operations))
    audience = customers(service)
    for file in ("people.csv", "people.json", "operations.json"):
        assert "not known" not in adsctl("audiences", "check", file).stderr
        sent = adsctl("audiences", "push", file, "--audience", audience, "-o", "json").stdout
        assert json.loads(sent)["accepted"] == 2
    assert counted(service, audience) == 2350 + 6


@both_services
def test_a_hashed_list_is_taken_under_either_service(adsctl, service, service_name):
    adsctl.file("people.csv", "twitter_id\n1184672519\n1184672520\n")
    adsctl("audiences", "hash", "people.csv", "hashed.csv")
    audience = customers(service)
    adsctl("audiences", "push", "hashed.csv", "--audience", audience)
    assert counted(service, audience) == 2352


def counted(service, audience: str) -> int:
    return next(record["users"] for record in service.emulator.data.audiences() if record["id"] == audience)


def customers(service) -> str:
    return next(record["id"] for record in service.emulator.data.audiences() if record["name"] == "Customers")


def test_of_a_list_of_people_with_both_names_both_values_are_sent(adsctl, service):
    adsctl.file("people.csv", "platform_id,twitter_id\n1,2\n")
    message = adsctl("audiences", "push", "people.csv", "--audience", "1nmth").stderr
    assert "'twitter_id' is read as platform_id" in message
    written = adsctl("audiences", "hash", "people.csv").stdout
    assert all(sha256(value).hexdigest() in written for value in (b"1", b"2"))


def test_a_user_with_both_names_is_refused(adsctl):
    user = {"platform_id": ["1" * 64], "twitter_id": ["2" * 64]}
    adsctl.file("people.json", json.dumps([{"operation_type": "Update", "params": {"users": [user]}}]))
    message = adsctl("audiences", "check", "people.json", code=3).stdout
    assert "twitter_id" in message


@named_as_by_the_other("option", "--post-mode", "--tweet-mode")
def test_an_option_may_have_either_name(adsctl, service, service_name, option):
    words = ("posts", "create", "--as-user-id", "1184672519", "--text", "Blue mugs", option, "extended")
    sent = json.loads(adsctl(*words, "--dry-run", "-o", "json").stdout)["url"]
    assert ("tweet_mode=extended" if service_name == "x" else "post_mode=extended") in sent
    adsctl(*words)
    message = adsctl(*words, "--post-mode", "compat", "--tweet-mode", "compat", code=2).stderr
    assert "--tweet-mode: is the same as --post-mode" in message
    assert "tweet" not in adsctl("posts", "create", "--help").stdout


@named_as_by_the_other("name", "android_store_app_id", "googleplay_app_id")
def test_a_document_may_have_either_name(adsctl, service, service_name, name):
    app = {"type": "APP", "country_code": "DE", name: "shop.example.app"}
    button = {"type": "BUTTON", "label": {"type": "ENUM", "value": "INSTALL"}, "destination": app}
    library = json.loads(adsctl("media", "library", "list", "-o", "json").stdout)
    image = next(medium["media_key"] for medium in library if medium["media_type"] == "IMAGE")
    adsctl.file(
        "card.yaml",
        yaml.safe_dump({"name": "App", "components": [{"type": "MEDIA", "media_key": image}, button]}),
    )
    created = json.loads(adsctl("cards", "create", "-f", "card.yaml", "-o", "json").stdout)
    assert name_of_app(created) == ("googleplay_app_id" if service_name == "x" else "android_store_app_id")


def name_of_app(card: dict) -> str:
    (name,) = [name for name in card["components"][1]["destination"] if name.endswith("_app_id")]
    return name


@named_as_by_the_other("value", "PROMOTED_POST", "PROMOTED_TWEET")
def test_a_value_of_an_enum_may_have_either_name(adsctl, service, service_name, value):
    times = ("--start-time", "2026-01-01T00:00:00Z", "--end-time", "2026-01-02T00:00:00Z")
    words = ("accounts", "history", "--entity-type", value, "--entity-id", "1", *times)
    done = adsctl("--debug", *words, code=None).stderr
    assert f"entity_type=PROMOTED_{'TWEET' if service_name == 'x' else 'POST'}" in done


@both_services
def test_ids_complete_under_every_service(adsctl, service, service_name):
    adsctl.file("feed.csv", feed(1))
    adsctl("products", "push", "feed.csv")
    key = adsctl("products", "list", "-o", "ids").stdout.strip()
    media = adsctl("media", "library", "list", "--limit", "1", "-o", "ids").stdout.strip()
    assert adsctl("__ids", "products").stdout == f"{key}\tEnamel mug\n"
    assert adsctl("__ids", "media library").stdout.startswith(f"{media}\t")


@both_services
def test_keywords_are_drawn_on_a_terminal(adsctl, service, service_name):
    times = ("--start-time", "2026-11-01T00:00:00Z", "--end-time", "2026-11-05T00:00:00Z")
    words = ("audiences", "keywords", "--keywords", "mugs", "--granularity", "DAY", *times)
    data = json.loads(adsctl(*words, "-o", "json").stdout)
    volume = data["tweet_volume" if service_name == "x" else "post_volume"]
    child = adsctl.terminal(*words, width=120)
    shown = child.read()
    assert volume and f"{volume[0]:,}" in shown, shown
