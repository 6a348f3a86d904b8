from concurrent.futures import ThreadPoolExecutor

import pytest

from ads_cli.api.fields import fields_of
from ads_cli.api.products import Product
from ads_cli.emulator.app import Emulator

from .client import Client, InProcess, errors, product, statuses
from .wire_names import generic_only, service_name, x_only  # noqa: F401 - every other test runs under both

# What a list of service x shows as null, unless the product has it.
OPTIONAL = [field.name for field in fields_of(Product) if not field.required and field.name != "product_key"]


def put(client, body, **more):
    return client.send("PUT", client.products_path, json_body=body, **more)


def test_a_product_is_created_then_unchanged_then_updated(local):
    written = [local.put(item)[0] for item in (product(), product(), product(title="Felt hat"))]
    assert [product["status"] for product in written] == ["CREATE_SUCCESS", "NO_CHANGE", "UPDATE_SUCCESS"]
    assert len({product["product_key"] for product in written}) == 1
    assert written[0]["id"] == "SKU-1" and written[0]["errors"] == written[0]["warnings"] == []


def test_field_order_and_generated_keys_are_not_a_change(local):
    (created,) = local.put(product(item_group_id="hats"))
    again = dict(reversed(product(item_group_id="hats").items()))
    assert (
        local.put(again | {"product_key": created["product_key"], "item_group_key": "x"})[0]["status"]
        == "NO_CHANGE"
    )


@pytest.mark.parametrize(
    ("service_name", "unset"),
    [("generic", {}), ("x", dict.fromkeys(OPTIONAL) | {"product_type": ""})],
)
def test_a_list_returns_the_fields_that_were_sent_and_the_key(local, unset):
    sent = product(inventory=3, custom_label_4="ümläut 帽子")
    (created,) = local.put(sent)
    assert local.products() == [unset | sent | {"product_key": created["product_key"]}]


@generic_only
def test_an_update_replaces_the_whole_product(local):
    local.put(product(color="red"))
    local.put(product())
    assert "color" not in local.products()[0]


@x_only
def test_an_update_under_x_changes_only_what_is_sent(local):
    local.put(product(color="red", size="M"))
    assert statuses(local.put(product())) == {"NO_CHANGE": 1}
    assert statuses(local.put(product(size="L"))) == {"UPDATE_SUCCESS": 1}
    (stored,) = local.products()
    assert (stored["color"], stored["size"]) == ("red", "L")


@x_only
@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_value_removes_an_optional_one_under_x(local, empty):
    local.put(product(color="red", inventory=3, sale_price="9.90 EUR", item_group_id="hats"))
    emptied = dict.fromkeys(("color", "inventory", "sale_price", "item_group_id"), empty)
    assert statuses(local.put(product() | emptied)) == {"UPDATE_SUCCESS": 1}
    (stored,) = local.products()
    assert not {stored[name] for name in emptied} - {None} and stored["item_group_key"] is None
    assert statuses(local.put(product() | emptied)) == {"NO_CHANGE": 1}


@x_only
@pytest.mark.parametrize("name", ["title", "price", "brand"])
def test_what_a_product_needs_cannot_be_removed_under_x(local, name):
    local.put(product())
    (outcome,) = local.put(product() | {name: ""})
    assert (outcome["status"], outcome["errors"][0]["parameter"]) == ("ERROR", name)
    assert local.products()[0][name] == product()[name]


@x_only
def test_a_change_under_x_must_suit_what_is_stored(local):
    local.put(product(sale_price="15.00 EUR"))
    refused, created = local.put(product(price="12.00 EUR"), product("SKU-2"))
    assert refused["errors"][0]["message"] == "sale_price: 15.00 EUR is not lower than the price 12.00 EUR"
    assert (refused["status"], created["status"]) == ("ERROR", "CREATE_SUCCESS")
    assert local.products()[0]["price"] == "19.90 EUR"


def test_results_are_in_the_order_of_the_request(local):
    names = [f"n{number % 7}-{number}" for number in range(25)]
    assert [record["id"] for record in local.put(*map(product, names))] == names


def test_an_invalid_product_does_not_affect_others(local):
    wrong, right = local.put(product("a", title="x" * 151, price="5"), product("b"))
    assert (wrong["status"], wrong["product_key"], wrong["id"]) == ("ERROR", None, "a")
    assert [error["parameter"] for error in wrong["errors"]] == ["title", "price"]
    assert wrong["errors"][0]["message"].startswith("title: ")
    assert right["status"] == "CREATE_SUCCESS"
    assert [product["id"] for product in local.products()] == ["b"]


@pytest.mark.parametrize("text", ["x" * 150])
def test_a_title_of_150_characters_is_accepted(local, text):
    assert local.put(product(title=text))[0]["status"] == "CREATE_SUCCESS"


@pytest.mark.parametrize(
    ("fields", "parameter"),
    [
        ({"description": "x" * 5001}, "description"),
        ({"availability": "sold"}, "availability"),
        ({"link": "http://shop.example/hat"}, "link"),
        ({"brand": None}, "brand"),
        ({"inventory": "3"}, "inventory"),
        ({"inventory": 0}, "inventory"),
        ({"sale_price": "20.00 EUR"}, "sale_price"),
        ({"weight": "1 kg"}, "weight"),
        ({"title": None}, "title"),
    ],
)
def test_an_error_names_its_field(local, fields, parameter):
    (outcome,) = local.put(product(**fields))
    assert (outcome["status"], outcome["errors"][0]["parameter"]) == ("ERROR", parameter)


@pytest.mark.parametrize("item", [None, 5, "SKU", [], {}, {"id": 7}])
def test_an_item_that_is_not_a_product_is_one_error(local, item):
    wrong, right = local.put(item, product())
    assert (wrong["status"], wrong["id"]) == ("ERROR", None) and wrong["errors"]
    assert right["status"] == "CREATE_SUCCESS"


def test_products_with_a_repeated_id_are_rejected(local):
    outcomes = local.put(product("a"), product("b"), product("a", title="Other"), {"id": "a"})
    assert [outcome["status"] for outcome in outcomes] == ["ERROR", "CREATE_SUCCESS", "ERROR", "ERROR"]
    assert {error["parameter"] for outcome in outcomes for error in outcome["errors"]} == {"id"}
    assert [product["id"] for product in local.products()] == ["b"]


def test_inventory_of_a_product_out_of_stock_is_a_warning(local):
    (outcome,) = local.put(product(availability="out of stock", inventory=4))
    assert outcome["status"] == "CREATE_SUCCESS"
    assert [warning["parameter"] for warning in outcome["warnings"]] == ["inventory"]


def test_a_batch_has_at_most_25_products(local):
    assert statuses(local.put(*(product(str(n)) for n in range(25)))) == {"CREATE_SUCCESS": 25}
    response = put(local, {"products": [product(f"x{n}") for n in range(26)]})
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "products")])
    assert len(local.products()) == 25


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [("MISSING_PARAMETER", "products")]),
        ({"products": []}, [("INVALID_PARAMETER", "products")]),
        ({"products": {"id": "a"}}, [("INVALID_PARAMETER", "products")]),
        ({"products": [product()], "dry": True}, [("INVALID_PARAMETER", "dry")]),
        (b"[]", [("BAD_REQUEST", None)]),
        (b"{", [("BAD_REQUEST", None)]),
        (b'{"products": ["\xff"]}', [("BAD_REQUEST", None)]),
        (b"[" * 100_000, [("BAD_REQUEST", None)]),
        (b"", [("BAD_REQUEST", None)]),
    ],
)
def test_a_body_that_is_not_a_batch_is_rejected(local, body, expected):
    response = put(local, body)
    assert (response.status_code, errors(response)) == (400, expected)


def test_products_are_listed_in_pages_of_100(local):
    for start in range(0, 250, 25):
        local.put(*(product(f"{n:03}") for n in range(start, start + 25)))
    first = local.get(local.products_path).json()
    assert len(first["data"]) == 100 and first["next_cursor"]
    assert first["request"]["params"] == {"product_catalog_id": local.emulator.catalog, "count": 100}
    assert [product["id"] for product in local.products()] == [f"{n:03}" for n in range(250)]
    assert [product["id"] for product in local.products(count=50)] == [f"{n:03}" for n in range(250)]


@pytest.mark.parametrize("count", ["0", "101", "ten", ""])
def test_a_page_has_1_to_100_products(local, count):
    assert errors(local.get(local.products_path, count=count)) == [("INVALID_PARAMETER", "count")]


@pytest.mark.parametrize("cursor", ["x", "W10", "WyIiLDEsMV0", "ü", "A" * 5000, "WzFlOTldCg", "Wy0xXQ"])
def test_a_cursor_of_another_list_is_rejected(local, cursor):
    response = local.get(local.products_path, cursor=cursor)
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "cursor")])


def test_deletions_do_not_shift_the_next_page(local):
    keys = [record["product_key"] for record in local.put(*(product(str(n)) for n in range(6)))]
    cursor = local.get(local.products_path, count=3).json()["next_cursor"]
    local.send("DELETE", local.products_path, json_body={"product_keys": keys[:3]})
    rest = local.get(local.products_path, count=3, cursor=cursor).json()
    assert ([record["id"] for record in rest["data"]], rest["next_cursor"]) == (["3", "4", "5"], None)


def test_a_list_has_only_the_first_submitted_product_of_a_group(local):
    first, *_ = local.put(
        product("red", item_group_id="hats"), product("alone"), product("blue", item_group_id="hats")
    )
    shown = local.products()
    assert [record["id"] for record in shown] == ["red", "alone"]
    group = shown[0]["item_group_key"]
    assert not shown[1].get("item_group_key")
    assert [product["id"] for product in local.products(item_group_key=group)] == ["red", "blue"]
    assert local.products(item_group_key="unknown") == []
    local.send("DELETE", local.products_path, json_body={"product_keys": [first["product_key"]]})
    assert [product["id"] for product in local.products()] == ["alone", "blue"]


def test_a_group_is_listed_in_pages(local):
    local.put(*(product(str(number), item_group_id="hats") for number in range(5)))
    (shown,) = local.products()
    page = local.get(local.products_path, item_group_key=shown["item_group_key"], count=3).json()
    rest = local.get(
        local.products_path, item_group_key=shown["item_group_key"], count=3, cursor=page["next_cursor"]
    ).json()
    assert [record["id"] for record in (*page["data"], *rest["data"])] == list("01234")
    assert rest["next_cursor"] is None


def test_a_product_that_leaves_its_group_is_listed(local):
    local.put(product("red", item_group_id="hats"), product("blue", item_group_id="hats"))
    local.put(product("blue") | {"item_group_id": ""})
    assert [product["id"] for product in local.products()] == ["red", "blue"]


def test_delete_returns_a_result_per_key(local):
    (created,) = local.put(product())
    key = created["product_key"]
    response = local.send("DELETE", local.products_path, json_body={"product_keys": [key, "none"]})
    deleted, failed = response.json()["data"]["delete_products"]
    assert deleted == {"product_key": key, "failed_product_key": None, "message": None}
    assert (failed["product_key"], failed["failed_product_key"]) == (None, "none") and failed["message"]
    assert local.products() == []
    assert local.put(product())[0] == created


@pytest.mark.parametrize("body", [{}, {"product_keys": []}, {"product_keys": "a"}, {"product_keys": [1]}])
def test_delete_requires_a_list_of_keys(local, body):
    assert local.send("DELETE", local.products_path, json_body=body).status_code == 400


@pytest.mark.parametrize(
    ("method", "body"),
    [("GET", None), ("PUT", {"products": [product()]}), ("DELETE", {"product_keys": ["a"]})],
)
def test_the_products_of_an_unknown_catalog_are_not_found(local, method, body):
    response = local.send(method, "/12/product_catalogs/1/products", json_body=body)
    assert (response.status_code, errors(response)) == (404, [("NOT_FOUND", None)])


@generic_only
def test_32_threads_lose_no_product(emulator):
    client = Client(emulator, InProcess(emulator))
    batches = [[product(f"{batch}-{n}") for n in range(5)] for batch in range(64)]
    with ThreadPoolExecutor(32) as pool:
        written = list(pool.map(lambda batch: client.put(*batch), batches))
    assert sum(map(statuses, written), start=statuses([])) == {"CREATE_SUCCESS": 320}
    assert len({product["id"] for product in client.products()}) == 320


@x_only
def test_32_connections_lose_no_product(served):
    batches = [[product(f"{batch}-{n}") for n in range(5)] for batch in range(64)]
    with ThreadPoolExecutor(32) as pool:
        written = list(pool.map(lambda batch: served.put(*batch), batches))
    assert sum(map(statuses, written), start=statuses([])) == {"CREATE_SUCCESS": 320}
    assert len({product["id"] for product in served.products()}) == 320


@generic_only
def test_concurrent_requests_create_a_product_once(emulator):
    client = Client(emulator, InProcess(emulator))
    with ThreadPoolExecutor(32) as pool:
        written = list(pool.map(lambda _: client.put(product())[0], range(64)))
    assert statuses(written) == {"CREATE_SUCCESS": 1, "NO_CHANGE": 63}


@x_only
def test_two_emulators_on_one_file_lose_no_product(emulator):
    other = Emulator(emulator.database)
    clients = [Client(served, InProcess(served)) for served in (emulator, other)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: clients[n % 2].put(product(str(n))), range(200)))
    assert len(clients[0].products()) == 200
    other.close()


def test_products_survive_a_restart(emulator, local):
    local.put(product())
    emulator.close()
    again = Emulator(emulator.database)
    assert len(Client(again, InProcess(again)).products()) == 1
    again.close()
