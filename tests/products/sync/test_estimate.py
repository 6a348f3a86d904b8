"""How long the groups of variants take at the limits of a service."""

import json

from werkzeug import Response

from ads_cli.api.products import ListProducts
from ads_cli.api.rates import Rate
from tests.conftest import PRODUCT


def test_many_groups_are_announced_with_the_time_that_they_take(remote, httpserver, monkeypatch):
    rates = ListProducts.endpoint.rates
    monkeypatch.setitem(rates, "x", Rate("lists", requests=2, seconds=900.0, kept="never"))
    products = [
        PRODUCT
        | {"id": group, "product_key": group, "item_group_id": group, "item_group_key": f"key-{group}"}
        for group in "abc"
    ]

    def listed(request) -> Response:
        group = request.args.get("item_group_key")
        found = [product for product in products if group in (None, product["item_group_key"])]
        return Response(json.dumps({"data": found, "next_cursor": None}), content_type="application/json")

    httpserver.expect_request("/12/product_catalogs/c/products", method="GET").respond_with_handler(listed)
    remote.file("feed.jsonl", "".join(json.dumps(product) + "\n" for product in products))
    words = ("--service", "x", "--catalog", "c", "products", "diff", "feed.jsonl", "-o", "ids")
    done = remote(*words, "--verify")
    assert "listing 3 groups of variants: about 22 min at this service's limits" in done.stderr
    assert "groups of variants" not in remote(*words).stderr
