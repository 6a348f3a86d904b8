"""A feed goes into the catalog whole, and the run tells the truth about it."""

import csv
import gzip
import json
import re

import pytest
import yaml
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.conftest import EXAMPLES, PRODUCT, feed

SUMMARY = ["job", "rows", "valid", "invalid", "warned", "batches", "created", "updated", "unchanged"]
SUMMARY += ["failed", "requests", "retries", "seconds"]


def push(adsctl, *words: object, code: int = 0, **options) -> dict:
    """Push to the emulator of this machine, and read the summary."""
    return json.loads(adsctl.local("products", "push", *words, "-o", "json", code=code, **options).stdout)


def counts(summary: dict) -> tuple[int, ...]:
    return tuple(summary[name] for name in ("created", "updated", "unchanged", "failed"))


def test_a_second_push_of_the_same_feed_changes_nothing(adsctl):
    first = push(adsctl, EXAMPLES / "products.csv")
    assert first["rows"] >= 200 and counts(first) == (first["rows"], 0, 0, 0)
    assert counts(push(adsctl, EXAMPLES / "products.csv")) == (0, 0, first["rows"], 0)


def test_the_summary_is_one_document_with_stable_keys(adsctl):
    adsctl.file("feed.csv", feed(60))
    summary = push(adsctl, "feed.csv")
    assert list(summary) == SUMMARY
    assert (summary["rows"], summary["valid"], summary["batches"]) == (60, 60, 3)
    assert re.fullmatch(r"\d{8}-\d{6}-[b-v]{12}", summary["job"])


def test_a_changed_row_is_updated(adsctl):
    adsctl.file("feed.csv", feed(30))
    push(adsctl, "feed.csv")
    adsctl.file("feed.csv", feed(20, title="Other") + "".join(feed(30).splitlines(keepends=True)[21:]))
    assert counts(push(adsctl, "feed.csv")) == (0, 20, 10, 0)


def test_every_batch_has_25_products_and_each_row_is_sent_once(adsctl, service):
    adsctl.file("feed.csv", feed(110))
    adsctl("products", "push", "feed.csv")
    assert sorted(map(len, service.puts)) == [10, 25, 25, 25, 25]
    sent = [id for put in service.puts for id in put]
    assert sorted(sent) == sorted(f"sku-{n}" for n in range(1, 111)) == sorted(service.stored)


PRODUCTS = [
    PRODUCT | {"id": f"00{n}", "title": "no", "custom_label_0": "12:30", "inventory": "3"} for n in range(3)
]
AS_CSV = (
    ",".join(PRODUCTS[0]) + "\n" + "".join(",".join(f'"{v}"' for v in p.values()) + "\n" for p in PRODUCTS)
)
AS_YAML = "products:\n" + "".join(
    "".join(f"{'- ' if i == 0 else '  '}{k}: {v}\n" for i, (k, v) in enumerate(p.items())) for p in PRODUCTS
).replace("A mug, white,", '"A mug, white,').replace("camp.", 'camp."')


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("feed.csv", AS_CSV),
        ("feed.csv", "\ufeff" + AS_CSV.replace("\n", "\r\n")),
        ("feed.csv", AS_CSV.encode("utf-16")),
        (
            "feed.csv",
            AS_CSV.replace('","', '";"').replace(",", ";").replace("A mug; white;", "A mug, white,"),
        ),
        ("feed.csv", "# Required,# Optional\n\n" + AS_CSV),
        (
            "feed.tsv",
            AS_CSV.replace('","', '"\t"').replace(",", "\t").replace("A mug\t white\t", "A mug, white,"),
        ),
        ("feed.csv.gz", gzip.compress(AS_CSV.encode(), mtime=0)),
        ("feed.yaml", AS_YAML),
        ("feed.yml", AS_YAML.removeprefix("products:\n")),
        ("feed.json", json.dumps(PRODUCTS)),
        ("feed.json", json.dumps({"products": [p | {"inventory": 3} for p in PRODUCTS]}, indent=2)),
        ("feed.jsonl", "\n".join(map(json.dumps, PRODUCTS))),
        ("feed.jsonl.gz", gzip.compress("\n".join(map(json.dumps, PRODUCTS)).encode(), mtime=0)),
    ],
)
def test_every_feed_format_gives_the_same_products(adsctl, name, content):
    adsctl.file(name, content)
    adsctl("products", "convert", name, "out.json")
    assert json.loads((adsctl.home / "out.json").read_text()) == [p | {"inventory": 3} for p in PRODUCTS]


def test_standard_input_is_read_with_a_format(adsctl):
    assert counts(push(adsctl, "-", "--format", "csv", input=feed(30))) == (30, 0, 0, 0)
    assert counts(push(adsctl, "-", "--format", "csv", input=gzip.compress(feed(30).encode()))) == (
        0,
        0,
        30,
        0,
    )
    assert "--format" in adsctl.local("products", "push", "-", code=2, input=feed(1)).stderr


def test_skip_invalid_sends_the_others_and_exits_with_9(adsctl):
    text = feed(3) + feed(1, price="cheap").splitlines(keepends=True)[1].replace("sku-1", "sku-9")
    adsctl.file("feed.csv", text)
    adsctl.local("products", "push", "feed.csv", code=3)
    summary = push(adsctl, "feed.csv", "--skip-invalid", "--failed-out", "failed.csv", code=9)
    assert (summary["rows"], summary["valid"], summary["invalid"]) == (4, 3, 1)
    assert counts(summary) == (3, 0, 0, 0)
    (failed,) = csv.DictReader((adsctl.home / "failed.csv").open())
    assert failed["_line"] == "5" and failed["price"] == "cheap" and failed["_error"].startswith("price: ")


def test_a_dry_run_validates_and_packs_and_sends_nothing(adsctl, service):
    adsctl.file("feed.csv", feed(60))
    done = adsctl("products", "push", "feed.csv", "--dry-run", "-o", "json")
    summary = json.loads(done.stdout)
    assert (
        list(summary) == SUMMARY
        and summary["batches"] == 3
        and summary["requests"] == 0
        and summary["job"] is None
    )
    assert service.puts == [] and "PUT" in done.stderr


def test_the_only_catalog_is_looked_up(adsctl, service):
    del adsctl.env["ADSCTL_CATALOG"]
    adsctl.file("feed.csv", feed(1))
    adsctl("products", "push", "feed.csv")
    assert service.stored == ["sku-1"]


@pytest.mark.parametrize(
    ("catalogs", "message"), [([], "catalog create"), ([{"id": "1"}, {"id": "2"}], "--catalog")]
)
def test_without_exactly_one_catalog_the_push_names_the_option(
    remote, httpserver: HTTPServer, catalogs, message
):
    httpserver.expect_request("/12/product_catalogs").respond_with_json({"data": catalogs})
    remote.file("feed.csv", feed(1))
    assert message in remote("products", "push", "feed.csv", code=2).stderr


def test_the_request_is_what_the_specification_says(remote, httpserver: HTTPServer):
    seen: list[Request] = []

    def answer(request: Request) -> Response:
        seen.append(request)
        entry = {"warnings": [], "errors": [], "product_key": "k", "id": "sku-1", "status": "CREATE_SUCCESS"}
        return Response(json.dumps({"data": {"products_response": [entry]}}), content_type="application/json")

    httpserver.expect_request("/12/product_catalogs/77/products", method="PUT").respond_with_handler(answer)
    remote.file("feed.csv", feed(1, inventory="4", gtin="4006381333931"))
    remote("products", "push", "feed.csv", "--catalog", "77")
    assert seen[0].content_type == "application/json" and not seen[0].query_string
    expected = PRODUCT | {"id": "sku-1", "inventory": 4, "gtin": "4006381333931"}
    assert json.loads(seen[0].data) == {"products": [expected]}


FAULTS = [
    "status=503 rate=0.3 retry-after=0",
    "status=429 rate=0.3 retry-after=0",
    "reset rate=0.2",
    "reset-after rate=0.2",
    "truncate rate=0.2",
    "garbage rate=0.2",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_no_kind_of_fault_loses_a_row(adsctl, service, fault):
    adsctl.file("feed.csv", feed(150))
    service.fail(f"PUT /12/product_catalogs/* {fault} seed=1")
    done = adsctl("products", "push", "feed.csv", "--max-attempts", "20", "-o", "json")
    summary = json.loads(done.stdout)
    assert summary["retries"] > 0 and sum(counts(summary)) == 150 and summary["failed"] == 0
    listed = adsctl("products", "list", "--all", "-o", "ids").stdout.split()
    assert len(listed) == len(service.stored) == 150


def test_examples_are_what_they_say(adsctl):
    adsctl.local("products", "check", EXAMPLES / "products.csv")
    adsctl.local("products", "check", EXAMPLES / "products.yaml")
    done = adsctl.local("products", "check", EXAMPLES / "products-with-mistakes.csv", code=3, input=None)
    assert "did you mean 'in stock'?" in done.stdout
    filters = yaml.safe_load((EXAMPLES / "product-set.yaml").read_text())
    made = adsctl.local(
        *("catalog", "sets", "create", "--name", "Sale", "--type", "FILTERED", "-o", "json"),
        *("--filters", f"@{EXAMPLES / 'product-set.yaml'}"),
    )
    assert json.loads(made.stdout)["filters"] == [{k: str(v) for k, v in f.items()} for f in filters]
    product_set = adsctl.local("catalog", "sets", "get", json.loads(made.stdout)["id"], "-o", "json")
    assert json.loads(product_set.stdout)["processing_status"] == "DONE"
