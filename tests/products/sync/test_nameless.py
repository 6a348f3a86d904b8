"""Products that a service lists without an id: nothing is known of the catalog, so nothing is changed."""

import json

import pytest
from werkzeug import Response

from tests.conftest import PRODUCT

COMMANDS = {
    "sync": ("products", "sync", "feed.jsonl", "--prune", "--max-delete", "100%", "-y"),
    "diff": ("products", "diff", "feed.jsonl", "--prune"),
    "update": ("products", "update", "feed.jsonl", "-y"),
    "pull": ("products", "pull", "pulled.jsonl"),
    "delete": ("products", "delete", "b", "--by", "id", "-y"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("nameless", [{}, {"id": None}, {"id": ""}, {"id": ["a"]}, {"id": True}], ids=str)
def test_a_catalog_that_lists_a_product_without_an_id_is_not_understood(
    remote, httpserver, command, nameless
):
    a = PRODUCT | {"id": "a", "product_key": "1"}
    product = {name: value for name, value in a.items() if name != "id"} | {"product_key": "2"} | nameless
    page = json.dumps({"data": [a, product], "next_cursor": None})
    listing = httpserver.expect_request("/12/product_catalogs/c/products", method="GET")
    listing.respond_with_handler(lambda request: Response(page, content_type="application/json"))
    remote.file("feed.jsonl", json.dumps({name: a[name] for name in PRODUCT} | {"title": "New"}) + "\n")
    done = remote("--catalog", "c", *COMMANDS[command], code=8)
    assert "the catalog lists a product whose id is" in done.stderr and done.stdout == ""
    assert {request.method for request, _ in httpserver.log} == {"GET"}
