"""Several files are one feed: each row is named with its file, and no id may be in two of them."""

import csv
import json

import pytest

from ads_cli.feeds.row import RowTransform
from ads_cli.feeds.several import SeveralTransforms
from ads_cli.feeds.transforms import Where
from tests.conftest import PRODUCT, feed
from tests.feeds.locations.conftest import shop_server

__all__ = ["shop_server"]

CHECK = ("products", "check", "-o", "table")


def rows_of(first: int, last: int, **changes: str) -> str:
    header, *rows = feed(last, **changes).splitlines()
    return "\n".join([header, *rows[first - 1 :]]) + "\n"


@pytest.fixture
def folder(adsctl):
    (adsctl.home / "feeds").mkdir()
    adsctl.file("feeds/a.csv", rows_of(1, 30))
    adsctl.file("feeds/b.csv", rows_of(31, 60))
    record = PRODUCT | {"id": "sku-61"}
    adsctl.file("feeds/c.jsonl", json.dumps(record) + "\n")
    return adsctl.home / "feeds"


def ids(service) -> set[str]:
    return set(service.stored)


@pytest.mark.parametrize(
    "words", [["feeds/a.csv", "feeds/b.csv", "feeds/c.jsonl"], ["feeds/*"], ["feed?/[abc].*"]]
)
def test_several_files_and_patterns_are_pushed_as_one_feed(adsctl, service, folder, words):
    done = adsctl("products", "push", *words, "-o", "json")
    assert json.loads(done.stdout)["created"] == 61
    assert ids(service) == {f"sku-{number}" for number in range(1, 62)}
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["file"] == "feeds/a.csv, feeds/b.csv, feeds/c.jsonl" and job["rows"] == 61


def test_files_of_several_places_are_one_feed(adsctl, service, folder, shop_server):
    shop_server.content = rows_of(62, 70).encode()
    done = adsctl("products", "push", "feeds/*", shop_server.address(), "-o", "json")
    assert json.loads(done.stdout)["created"] == 70 == len(ids(service))


def test_an_id_in_two_files_is_one_finding_that_names_both(adsctl, folder):
    adsctl.file("feeds/b.csv", rows_of(30, 60))
    done = adsctl(*CHECK, "feeds/a.csv", "feeds/b.csv", code=3)
    assert "feeds/a.csv:31: id: 'sku-30' is also in 'feeds/b.csv:2'" in done.stdout
    assert "2 rows: feeds/a.csv:31, feeds/b.csv:2" in done.stdout and done.stdout.count("sku-30") == 1
    done = adsctl(*CHECK, "feeds/a.csv", "feeds/b.csv", "-o", "json", code=3)
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["places"] == ["feeds/a.csv:31", "feeds/b.csv:2"]


def test_of_several_rows_with_an_id_one_is_kept_whatever_file_it_is_in(adsctl, service, folder):
    adsctl.file("feeds/b.csv", rows_of(30, 60, title="Enamel cup"))
    adsctl("products", "push", "feeds/a.csv", "feeds/b.csv", "--keep", "last")
    assert service.emulator.data.product("sku-30")["title"] == "Enamel cup" and len(ids(service)) == 60


def test_a_mistake_names_the_file_and_the_line_of_its_row(adsctl, folder):
    adsctl.file("feeds/b.csv", rows_of(31, 33, price="free"))
    done = adsctl(*CHECK, "feeds/*", code=3)
    assert "feeds/b.csv:2: price:" in done.stdout and "feeds/b.csv:3, feeds/b.csv:4" in done.stdout
    adsctl.file("feeds/c.jsonl", '{"id": ')
    done = adsctl(*CHECK, "feeds/*", code=3)
    assert "feeds/c.jsonl:1" in done.stdout


def test_rows_that_the_service_rejects_name_their_file(adsctl, service, folder):
    service.fail("PUT * partial")
    words = ("products", "push", "feeds/a.csv", "feeds/b.csv", "--failed-out", "failed.csv")
    done = adsctl(*words, "--concurrency", "1", code=9)
    assert "feeds/a.csv:2" in done.stderr
    with (adsctl.home / "failed.csv").open() as file:
        rejected = list(csv.DictReader(file))
    lines = {row["id"]: row["_line"] for row in rejected}
    assert lines["sku-1"] == "feeds/a.csv:2" and any(
        line.startswith("feeds/b.csv:") for line in lines.values()
    )
    service.fail()
    adsctl("products", "push", "failed.csv")
    assert len(ids(service)) == 60


def with_category(name: str, first: int, last: int, **changes: str) -> str:
    header, *rows = rows_of(first, last, **changes).splitlines()
    return "\n".join([f"{header},{name}", *(f'{row},"Home > Mugs"' for row in rows)]) + "\n"


def test_files_with_other_columns_are_read_each_by_its_own(adsctl, service, folder):
    adsctl.file("feeds/a.csv", with_category("store_product_category", 1, 30))
    adsctl.file("feeds/b.csv", with_category("google_product_category", 31, 60))
    adsctl("products", "push", "feeds/a.csv", "feeds/b.csv")
    stored = map(service.emulator.data.product, ("sku-1", "sku-31"))
    assert [product["store_product_category"] for product in stored] == ["Home > Mugs"] * 2


def test_rejected_rows_keep_the_columns_of_their_file(adsctl, folder):
    adsctl.file("feeds/a.csv", with_category("store_product_category", 1, 30))
    adsctl.file("feeds/b.csv", with_category("product_type", 31, 31, price="free"))
    adsctl(*CHECK, "feeds/a.csv", "feeds/b.csv", "--failed-out", "failed.csv", code=3)
    with (adsctl.home / "failed.csv").open() as file:
        (rejected,) = csv.DictReader(file)
    assert rejected["product_type"] == "Home > Mugs" and not rejected["store_product_category"]


def test_a_column_that_one_of_the_files_lacks_is_told_by_its_rows(adsctl, folder):
    adsctl.file("feeds/b.csv", rows_of(31, 60).replace("availability,", "stock,", 1))
    done = adsctl(*CHECK, "feeds/a.csv", "feeds/b.csv", code=3)
    assert "feeds/b.csv:2: availability: is required" in done.stdout and "30 rows" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["feeds/a.csv", "feeds/a.csv"], "feeds/a.csv is named twice"),
        (["feeds/*.csv", "feeds/a.csv"], "feeds/a.csv is named twice"),
        (["nowhere/*.csv"], "nowhere/*.csv matches no file"),
        (["feeds/a.csv", "nowhere.csv"], "nowhere.csv cannot be opened"),
        (["-", "-", "--format", "csv"], "- is named twice"),
    ],
)
def test_what_cannot_be_one_feed_is_a_usage_error(adsctl, folder, words, message):
    assert message in adsctl(*CHECK, *words, code=2, input="").stderr


def test_a_file_whose_name_is_a_pattern_is_that_file(adsctl, folder):
    adsctl.file("feeds/[a].csv", rows_of(1, 3))
    assert json.loads(adsctl(*CHECK, "feeds/[a].csv", "-o", "json").stdout)["rows"] == 3


def test_an_interrupted_push_of_several_files_is_resumed(adsctl, service, folder):
    words = ("products", "push", "feeds/a.csv", "feeds/b.csv", "--concurrency", "1", "--max-attempts", "1")
    service.before = lambda put: service.fail("PUT * status=503") if put == 1 else None
    adsctl(*words, code=8)
    service.before = lambda put: None
    service.fail()
    done = adsctl(*words, "--resume", "-o", "json")
    assert "resuming job" in done.stderr and json.loads(done.stdout)["created"] == 60
    adsctl.file("feeds/b.csv", rows_of(31, 61))
    assert "nothing to resume" in adsctl(*words, "--resume").stderr


def test_the_output_may_be_none_of_the_files(adsctl, folder):
    words = ("products", "push", "feeds/a.csv", "feeds/b.csv", "--failed-out", "feeds/b.csv")
    assert "is the input file" in adsctl(*words, "--profile", "local", code=2).stderr


def test_rows_of_several_files_are_fixed_and_the_fixes_named_with_their_file(adsctl, service, folder):
    adsctl.file("feeds/b.csv", rows_of(31, 33, title="  Enamel   mug "))
    done = adsctl(*CHECK, "feeds/a.csv", "feeds/b.csv", "--fix", "whitespace")
    assert "feeds/b.csv:2: title:" in done.stderr and "feeds/a.csv:" not in done.stderr
    adsctl("products", "push", "feeds/a.csv", "feeds/b.csv", "--fix", "whitespace")
    assert service.emulator.data.product("sku-31")["title"] == "Enamel mug"


def test_a_remark_about_one_of_the_files_names_that_file_only(adsctl, folder):
    adsctl.file("feeds/b.csv", rows_of(31, 60).replace(",", ";"))
    said = adsctl(*CHECK, "feeds/a.csv", "feeds/b.csv").stderr
    assert "note: feeds/b.csv: the delimiter is ';'" in said
    said = adsctl(*CHECK, "feeds/a.csv", "feeds/c.jsonl", "--where", "price=0").stderr
    assert "warning: feeds/a.csv, feeds/c.jsonl: every row is left out" in said


def test_transforms_of_several_files_are_told_apart_by_the_file_that_has_them():
    plain, filtered = RowTransform(), RowTransform([Where.parse("price>1")])

    def digest(*transforms):
        return SeveralTransforms(transforms, lambda record: 0).digest

    known = [digest(filtered, plain), digest(plain, filtered), digest(filtered, filtered)]
    assert len({*known}) == 3 and "" not in known and digest(plain, plain) == ""
