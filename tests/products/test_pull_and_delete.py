"""Products come back out of the catalog: pulled into a file, or deleted."""

import json

import pytest
from pytest_httpserver import HTTPServer

from tests.conftest import EXAMPLES, PRODUCT, feed

from .test_push import counts, push


def test_push_takes_what_pull_wrote_and_changes_nothing(adsctl):
    lines = (EXAMPLES / "products.csv").read_text().splitlines(keepends=True)
    adsctl.file("feed.csv", "".join(lines[:101]))
    rows = push(adsctl, "feed.csv")["rows"]
    for name in ("pulled.csv", "pulled.tsv", "pulled.yaml", "pulled.json", "pulled.jsonl", "pulled.csv.gz"):
        done = adsctl.local("products", "pull", name)
        assert f"{rows} products pulled" in done.stderr and "variants that the listing hides" in done.stderr
        assert counts(push(adsctl, name)) == (0, 0, rows, 0)
    assert adsctl.local("products", "pull").stdout == (adsctl.home / "pulled.csv").read_text()


@pytest.mark.parametrize("words", [("-o", "json"), ("--columns", "id"), ("--query", "[].id")])
def test_pull_refuses_options_that_it_would_ignore(adsctl, words):
    said = adsctl.local("products", "pull", *words, code=2).stderr
    assert "the file has whole products" in said and "products list" in said
    adsctl.local("products", "pull", "all.csv", ADSCTL_OUTPUT="json")


def test_pull_refuses_a_name_without_a_known_format(adsctl):
    said = adsctl.local("products", "pull", "all.docx", code=2).stderr
    assert "cannot tell the format from the name 'all.docx'" in said and ".csv, .tsv" in said
    assert not (adsctl.home / "all.docx").exists()
    adsctl.local("products", "pull", "all.txt", "--format", "csv")
    assert (adsctl.home / "all.txt").read_text().startswith("id,")


VARIANT = PRODUCT | {"product_key": "k1", "item_group_id": "g", "item_group_key": "gk"}
PULL = ("products", "pull", "backup.csv", "--force", "--catalog", "7", "-q", "--max-attempts", 1)
LISTED = "/12/product_catalogs/7/products"


def serve(httpserver: HTTPServer, *products: dict, group: dict | None = None, status: int = 200) -> None:
    """Serve a catalog, and what is answered where it is asked for a group."""
    by_group = {"item_group_key": "gk"}
    httpserver.expect_request(LISTED, query_string=by_group).respond_with_json(group or {}, status=status)
    httpserver.expect_request(LISTED).respond_with_json({"data": [*products]})


@pytest.mark.parametrize(
    ("listed", "group", "status", "message"),
    [
        (VARIANT, {"data": [VARIANT]}, 200, "of 1 group the service shows one member only"),
        (VARIANT, {"data": []}, 200, "1 group of variants could not be listed"),
        (
            VARIANT,
            {"errors": [{"code": "NOT_FOUND", "message": "no group"}]},
            404,
            "could not be listed: no group",
        ),
        (VARIANT, {"errors": [{"code": "BAD", "message": "no group"}]}, 400, "could not be listed: no group"),
        (VARIANT, {"errors": [{"code": "X", "message": "later"}]}, 503, "could not be listed: later"),
        (VARIANT | {"item_group_key": None}, None, 200, "without an item_group_key"),
    ],
)
def test_an_incomplete_pull_is_told_and_keeps_the_earlier_file(
    remote, httpserver: HTTPServer, listed, group, status, message
):
    serve(httpserver, listed, group=group, status=status)
    remote.file("backup.csv", "earlier")
    done = remote(*PULL, code=9)
    assert message in done.stderr and "backup.csv stays as it is" in done.stderr
    assert (remote.home / "backup.csv").read_text() == "earlier"
    remote(*PULL, "--allow-incomplete")
    assert "sku-1" in (remote.home / "backup.csv").read_text()
    (remote.home / "backup.csv").unlink()
    assert remote(*PULL, code=9).stderr.count(message) == 1
    assert "sku-1" in remote("products", "pull", "--catalog", "7", "--max-attempts", 1, code=9).stdout


def test_a_group_of_one_is_whole_where_the_service_shows_several_of_another(remote, httpserver: HTTPServer):
    others = [VARIANT | {"id": f"b{n}", "product_key": f"b{n}", "item_group_key": "hk"} for n in range(3)]
    by_group = {"item_group_key": "hk"}
    httpserver.expect_request(LISTED, query_string=by_group).respond_with_json({"data": others})
    serve(httpserver, VARIANT, others[0], group={"data": [VARIANT]})
    remote(*PULL)
    assert len((remote.home / "backup.csv").read_text().splitlines()) == 1 + 4


@pytest.mark.parametrize(("listable", "code"), [({2, 5}, 0), ({2}, 5)])
def test_a_pull_goes_on_without_two_groups_in_a_row_and_ends_at_three(
    remote, httpserver: HTTPServer, listable, code
):
    variants = [
        VARIANT | {"id": f"v{n}", "product_key": f"v{n}", "item_group_key": f"g{n}"} for n in range(7)
    ]
    for n, variant in enumerate(variants):
        by_group = httpserver.expect_request(LISTED, query_string={"item_group_key": f"g{n}"})
        if n in listable:
            by_group.respond_with_json({"data": [variant]})
        else:
            by_group.respond_with_json({"errors": [{"code": "NOT_FOUND", "message": "no group"}]}, status=404)
    serve(httpserver, *variants)
    message = remote(*PULL, "--allow-incomplete", code=code).stderr
    asked = [request for request, _ in httpserver.log if request.args.get("item_group_key")]
    if code:
        assert len(asked) == 6 and not (remote.home / "backup.csv").exists()
    else:
        assert "5 groups of variants could not be listed" in message
        assert len((remote.home / "backup.csv").read_text().splitlines()) == 1 + 7


def test_a_folder_that_is_missing_is_to_be_created(adsctl):
    said = adsctl.local("products", "pull", "nodir/x.csv", code=2).stderr
    assert "nodir/x.csv: the folder nodir does not exist" in said and "create the folder nodir" in said


@pytest.mark.parametrize("name", ["backup.csv", "backup.jsonl", "backup.json"])
def test_a_product_that_is_listed_twice_is_written_once_and_the_file_passes_check(
    remote, httpserver: HTTPServer, name
):
    def product(number: int, **changes: object) -> dict:
        return PRODUCT | {"id": f"sku-{number}", "product_key": f"k{number}"} | changes

    pages = [
        [product(1), product(2), product(7, id=7)],
        [
            product(2, title="Cup"),
            product(3),
            product(1, id="other of 1"),
            product(4, product_key="k9", id="sku-3"),
        ],
    ]
    second = {"cursor": "next"}
    httpserver.expect_request(LISTED, query_string=second).respond_with_json({"data": pages[1]})
    httpserver.expect_request(LISTED).respond_with_json({"data": pages[0], "next_cursor": "next"})
    said = remote("products", "pull", name, "--catalog", "7").stderr
    assert "4 products pulled" in said
    report = json.loads(remote("products", "check", name, "-o", "json").stdout)
    assert (report["rows"], report["valid"]) == (4, 4)


def test_products_are_deleted_by_key_and_from_a_file(adsctl):
    adsctl.file("feed.csv", feed(30))
    push(adsctl, "feed.csv")
    keys = adsctl.local("products", "list", "-o", "ids").stdout.split()
    assert len(keys) == 30
    assert "Delete 2 products from" in adsctl.local("products", "delete", *keys[:2], code=12).stderr
    assert "Delete 1 product from" in adsctl.local("products", "delete", keys[0], code=12).stderr
    done = adsctl.local("products", "delete", *keys[:2], "--yes", "-o", "json")
    assert json.loads(done.stdout)["deleted"] == 2
    adsctl.file("keys.txt", "\n".join(keys[2:10]) + "\n")
    adsctl.local("products", "delete", "--from", "keys.txt", "--yes")
    adsctl.file("keys.csv", "title,product_key\n" + "".join(f"x,{key}\n" for key in keys[10:20]))
    adsctl.local("products", "delete", "--from", "keys.csv", "--yes")
    assert adsctl.local("products", "list", "-o", "ids").stdout.split() == keys[20:]
    adsctl.local("products", "pull", "all.csv")
    assert "warning" not in adsctl.local("products", "delete", "--from", "all.csv", "--dry-run").stderr
    adsctl.file("twice.txt", f"{keys[20]}\n" * 2)
    repeated = adsctl.local("products", "delete", "--from", "twice.txt", "--yes", code=3).stderr
    assert "list each key once" in repeated and "--skip-invalid" not in repeated  # delete has no such option
    done = adsctl.local("products", "delete", keys[0], "--yes", "-o", "json", code=9)
    assert json.loads(done.stdout)["failed"] == 1
    adsctl.local("products", "delete", "--yes", code=2)


def test_a_key_that_was_deleted_by_a_lost_response_counts_as_deleted(adsctl, service):
    adsctl.file("feed.csv", feed(5))
    adsctl("products", "push", "feed.csv")
    keys = adsctl("products", "list", "-o", "ids").stdout.split()
    service.fail("DELETE * reset-after times=1")
    done = adsctl("products", "delete", *keys, "--yes", "-o", "json")
    assert json.loads(done.stdout)["deleted"] == 5 and service.stored == []
