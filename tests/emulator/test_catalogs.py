import pytest

from .client import errors, product
from .wire_names import service_name  # noqa: F401 - every test runs under both

CATALOGS = "/12/product_catalogs"


@pytest.fixture
def catalog(local):
    return f"{CATALOGS}/{local.emulator.catalog}"


@pytest.fixture
def sets(catalog):
    return f"{catalog}/product_sets"


MANAGED = {"created_at", "updated_at", "deleted"}
with_managed_fields = pytest.mark.parametrize(
    ("service_name", "managed"), [("generic", MANAGED), ("x", set())]
)


@with_managed_fields
def test_the_seeded_catalog_is_listed(local, managed):
    response = local.get(CATALOGS).json()
    (catalog,) = response["data"]
    assert (catalog["id"], catalog["name"]) == (local.emulator.catalog, "Nordlicht Shop")
    assert catalog.keys() == {"id", "name"} | managed and not catalog.get("deleted")
    assert response["next_cursor"] is None


@with_managed_fields
def test_sets_say_when_they_were_made_to_one_service_only(local, sets, managed):
    (hat,) = local.put(product("a"))
    body = {"name": "Hats", "type": "MANUAL", "product_keys": [hat["product_key"]]}
    made = local.send("POST", sets, json_body=body).json()["data"]
    assert made.keys() & MANAGED == managed


def test_catalogs_are_filtered_by_user(local):
    user = local.keys.access_token.split("-")[0]
    assert len(local.get(CATALOGS, user_id=user).json()["data"]) == 1
    assert local.get(CATALOGS, user_id="42").json()["data"] == []
    assert errors(local.get(CATALOGS, user_id="me")) == [("INVALID_PARAMETER", "user_id")]


def test_a_second_catalog_is_rejected(local):
    response = local.send("POST", CATALOGS, name="Second")
    assert response.status_code == 400
    assert "one product catalog" in response.json()["errors"][0]["message"]
    assert local.emulator.catalog in response.json()["errors"][0]["message"]


def test_a_catalog_is_renamed(local, catalog):
    renamed = local.send("PUT", catalog, name="Winter & Söhne").json()
    assert renamed["data"]["name"] == "Winter & Söhne"
    assert renamed["request"]["params"] == {
        "product_catalog_id": local.emulator.catalog,
        "name": "Winter & Söhne",
    }
    assert local.get(CATALOGS).json()["data"][0]["name"] == "Winter & Söhne"


def test_a_name_is_required(local, catalog):
    assert errors(local.send("PUT", catalog)) == [("MISSING_PARAMETER", "name")]
    assert errors(local.send("POST", CATALOGS)) == [("MISSING_PARAMETER", "name")]


@with_managed_fields
def test_deleting_a_catalog_deletes_its_products_and_allows_another(local, catalog, managed):
    local.put(product())
    deleted = local.send("DELETE", catalog).json()["data"]
    assert (deleted["id"], deleted.get("deleted")) == (local.emulator.catalog, True if managed else None)
    for response in (
        local.send("DELETE", catalog),
        local.send("PUT", catalog, name="x"),
        local.get(local.products_path),
    ):
        assert (response.status_code, errors(response)) == (404, [("NOT_FOUND", None)])
    assert local.get(CATALOGS).json()["data"] == []
    created = local.send("POST", CATALOGS, name="New").json()["data"]
    assert created["name"] == "New" and created["id"] != local.emulator.catalog
    assert local.get(f"{CATALOGS}/{created['id']}/products").json()["data"] == []


def test_a_catalog_for_another_user_is_rejected(local, catalog):
    local.send("DELETE", catalog)
    assert local.send("POST", CATALOGS, name="New", user_id="42").status_code == 403
    user = local.keys.access_token.split("-")[0]
    assert local.send("POST", CATALOGS, name="New", user_id=user).status_code == 200


def test_a_manual_set_is_processed_when_it_is_read(local, sets):
    keys = [record["product_key"] for record in local.put(product("a"), product("b"), product("c"))]
    body = {"name": "Hats", "type": "MANUAL", "product_keys": [keys[2], keys[0]]}
    created = local.send("POST", sets, json_body=body).json()["data"]
    assert (created["processing_status"], created["type"], created["description"]) == (
        "PROCESSING",
        "MANUAL",
        None,
    )
    seen = local.get(f"{sets}/{created['id']}").json()["data"]
    assert (seen["processing_status"], seen["product_ids"]) == ("DONE", ["c", "a"])


def test_a_manual_set_rejects_unknown_product_keys(local, sets):
    response = local.send("POST", sets, json_body={"name": "x", "type": "MANUAL", "product_keys": ["none"]})
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "product_keys")])


@pytest.mark.parametrize(
    ("attribute", "operator", "value", "members"),
    [
        ("price", "GREATER_THAN", "9", ["mid", "dear"]),
        ("price", "LESS_THAN", "100.00 EUR", ["cheap", "mid"]),
        ("price", "EQUAL_TO", "10", ["mid"]),
        ("inventory", "GREATER_THAN", "3", ["dear"]),
        ("inventory", "LESS_THAN", "40", ["cheap"]),
        ("product_type", "MATCH", "home > hats", ["cheap"]),
        ("product_type", "CONTAINS", "HATS", ["cheap", "mid"]),
        ("product_type", "NOT_CONTAINS", "hats", ["dear"]),
        ("product_type", "EQUAL_TO", "home > hats", []),
        ("custom_label_0", "EQUAL_TO", "ä", ["dear"]),
        ("sale_price", "LESS_THAN", "100", []),
    ],
)
def test_a_filtered_set_has_the_matching_products(local, sets, attribute, operator, value, members):
    local.put(
        product("cheap", price="9.00 EUR", inventory=3, product_type="Home > Hats"),
        product("mid", price="10.00 EUR", product_type="Home > Hats > Wool"),
        product("dear", price="100.00 EUR", inventory=40, custom_label_0="ä"),
    )
    filters = [{"attribute": attribute, "operator": operator, "value": value}]
    created = local.send("POST", sets, json_body={"name": "Set", "type": "FILTERED", "filters": filters})
    assert created.json()["data"]["product_ids"] == []
    seen = local.get(f"{sets}/{created.json()['data']['id']}").json()["data"]
    assert (seen["processing_status"], seen["product_ids"]) == ("DONE", members)
    assert seen["filters"] == filters


def test_a_filtered_set_combines_filters_and_includes_new_products(local, sets):
    filters = [
        {"attribute": "price", "operator": "GREATER_THAN", "value": "5"},
        {"attribute": "product_type", "operator": "NOT_CONTAINS", "value": "shoe"},
    ]
    created = local.send("POST", sets, json_body={"name": "Set", "type": "FILTERED", "filters": filters})
    path = f"{sets}/{created.json()['data']['id']}"
    assert local.get(path).json()["data"]["product_ids"] == []
    local.put(product("hat"), product("shoe", product_type="Shoes"), product("pin", price="1 EUR"))
    assert local.get(path).json()["data"]["product_ids"] == ["hat"]


@pytest.mark.parametrize("value", ["cheap", "NaN", "-Infinity EUR"])
def test_a_set_with_an_invalid_filter_fails(local, sets, value):
    filters = [{"attribute": "price", "operator": "LESS_THAN", "value": value}]
    created = local.send("POST", sets, json_body={"name": "Set", "type": "FILTERED", "filters": filters})
    seen = local.get(f"{sets}/{created.json()['data']['id']}").json()["data"]
    assert (seen["processing_status"], seen["product_ids"]) == ("FAILED", [])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"name": "x", "type": "FILTERED"}, ("INVALID_PARAMETER|MISSING_PARAMETER", "filters")),
        ({"name": "x", "type": "MANUAL"}, ("INVALID_PARAMETER|MISSING_PARAMETER", "product_keys")),
        ({"name": "x", "type": "SOME"}, ("INVALID_PARAMETER", "type")),
        ({"type": "MANUAL", "product_keys": ["a"]}, ("MISSING_PARAMETER", "name")),
        (
            {
                "name": "x",
                "type": "FILTERED",
                "filters": [{"attribute": "size", "operator": "MATCH", "value": "L"}],
            },
            ("INVALID_PARAMETER", "filters[0].attribute"),
        ),
    ],
)
def test_an_invalid_set_is_rejected(local, sets, body, expected):
    response = local.send("POST", sets, json_body=body)
    ((code, parameter),) = errors(response)
    assert response.status_code == 400 and code in expected[0].split("|") and parameter == expected[1]


def test_an_unknown_set_is_not_found(local, sets):
    assert local.get(f"{sets}/none").status_code == 404
    assert local.get(f"{CATALOGS}/1/product_sets/none").status_code == 404
