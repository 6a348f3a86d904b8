"""What the service refuses is an error and stops a push; what it was seen to accept is a warning."""

import csv
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.api.products import Product
from ads_cli.api.validation import check, errors_in
from tests.conftest import PRODUCT, feed
from tests.products.large import ROWS, large, row, share_smaller_tables

DOUBTFUL = {"gtin": "1234567890", "product_type": "Home>Mugs"}
# What the reference of the service shows: ten digits, its own name of the category, seconds and Z.
SHOWN_BY_THE_SERVICE = PRODUCT | {
    "gtin": "1234567890",
    "mpn": "1234567X",
    "mobile_link": "https://shop.example/m/mug",
    "google_product_category": "Home & Garden > Kitchen & Dining > Mugs",
    "product_type": "Home > Mugs",
    "inventory": 2,
    "gender": "unisex",
    "color": "blue",
    "size": "medium",
    "sale_price": "9.50 EUR",
    "sale_price_effective_date": "2026-10-04T17:20:31.000Z/2026-10-10T04:00:00.000Z",
    "age_group": "adult",
    "custom_label_0": "a label",
}


def checked(adsctl, name: str, *words: str, code: int = 0) -> dict:
    return json.loads(adsctl("products", "check", name, *words, "-o", "json", code=code).stdout)


def severities(report: dict) -> list[tuple[str, str]]:
    return [(finding["field"], finding["severity"]) for finding in report["findings"]]


def test_a_price_that_may_be_a_thousand_times_as_high_is_warned_of(adsctl):
    unclear = ["1.234 EUR", "250.500 JPY", "12.340 USD"]
    prices = [*unclear, "1.234 KWD", "0.123 EUR", "1234.567 EUR", "1.2340 EUR", "1.23 EUR", "1234 EUR"]
    rows = [PRODUCT | {"id": f"p{number}", "price": price} for number, price in enumerate(prices)]
    rows += [PRODUCT | {"id": "sale", "price": "2500.00 EUR", "sale_price": "1.999 EUR"}]
    adsctl.file("feed.json", json.dumps(rows))
    findings = checked(adsctl, "feed.json")["findings"]
    warnings = {(finding["field"], finding["problem"].split(":")[0]) for finding in findings}
    assert warnings == {
        ("price", "'1.234 EUR' is sent as a number with three decimals"),
        ("sale_price", "'1.999 EUR' is sent as a number with three decimals"),
    }
    assert [finding["rows"] for finding in findings] == [3, 1]
    checked(adsctl, "feed.json", "--strict", code=3)


@pytest.mark.parametrize("service", ["generic", "x"])
def test_the_product_of_the_reference_is_accepted_with_a_warning(adsctl, service):
    adsctl.file("feed.json", json.dumps([SHOWN_BY_THE_SERVICE]))
    report = checked(adsctl, "feed.json", "--service", service)
    assert (report["valid"], report["invalid"], report["warned"]) == (1, 0, 1)
    assert severities(report) == [("gtin", "warning")] and not report["warnings"]
    words = ("--service", service, "products", "push", "feed.json", "-o", "json")
    done = adsctl.local(*words)
    warning = "warning: feed.json:1: gtin: '1234567890' is not a UPC, EAN, JAN or ISBN; fix it with --fix"
    assert f"{warning} gtin\n" in done.stderr
    summary = json.loads(done.stdout)
    assert [summary[key] for key in ("rows", "valid", "invalid", "warned", "created")] == [1, 1, 0, 1, 1]
    (stored,) = json.loads(adsctl.local("--service", service, "products", "list", "-o", "json").stdout)
    assert stored["gtin"] == "1234567890"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gtin": "4006381333932"}, "gtin: '4006381333932' has a wrong check digit"),
        ({"gtin": "4006-3813 33932"}, "gtin: '4006-3813 33932' has a wrong check digit"),
        ({"gtin": "123"}, "gtin: '123' is not a UPC, EAN, JAN or ISBN"),
        ({"gtin": "0804429571"}, "gtin: '0804429571' is not a UPC, EAN, JAN or ISBN"),
        ({"product_type": "Home>Mugs"}, "product_type: levels must be separated by ' > ', with spaces"),
        ({"product_type": "Home >Mugs"}, "product_type: levels must be separated by ' > ', with spaces"),
    ],
)
def test_what_the_service_was_seen_to_accept_is_a_warning(adsctl, changes, message):
    adsctl.file("feed.csv", feed(2, **changes))
    done = adsctl("products", "check", "feed.csv", "-o", "table")
    fix = {"gtin": "gtin", "product_type": "category"}[message.partition(":")[0]]
    assert done.stdout == (
        f"feed.csv:2: warning: {message}; fix it with --fix {fix}\n    2 rows: lines 2, 3\n"
        "feed.csv: 2 rows, 2 valid, 0 invalid, 2 with warnings\n"
    )
    adsctl.local("products", "push", "feed.csv")
    assert adsctl.local("products", "list", "-o", "ids").stdout.count("\n") == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"gtin": "4.00638E+12"},
        {"gtin": "none"},
        {"gtin": "4006381333931;4006381333948"},
        {"description": "<b>A mug</b>"},
        {"brand": ""},
        {"price": "12.50 XXQ"},
        {"link": "http://shop.example/mug"},
        {"inventory": "0"},
        {"color": "#ffffff"},
        {"image_link": "https://images.example/mug.bmp"},
        {"sale_price": "99.00 EUR"},
        {"sale_price_effective_date": "2026-12-01/2026-12-24"},
    ],
    ids=str,
)
def test_what_the_service_refuses_is_an_error(adsctl, changes):
    adsctl.file("feed.csv", feed(1, **changes))
    report = checked(adsctl, "feed.csv", code=3)
    assert [severity for _, severity in severities(report)] == ["error"]
    assert (report["invalid"], report["warned"]) == (1, 0)


@pytest.mark.parametrize(
    "gtin", ["4006381333931", "0-306-40615-2", "080442957X", "978 0 471 11709 4", "96385074"]
)
def test_a_gtin_with_its_check_digit_causes_nothing(adsctl, gtin):
    adsctl.file("feed.csv", feed(1, gtin=gtin))
    assert checked(adsctl, "feed.csv")["findings"] == []


@given(st.text("0123456789 -xXE+", max_size=20) | st.text(max_size=20))
@example("4" + "-" * 1000 + "006381333932")
def test_a_number_is_never_an_error_and_a_gtin_has_one_problem_in_a_short_message(gtin):
    item, problems = check(Product, PRODUCT | {"gtin": gtin})
    assert item is not None and len(problems) <= 1
    for problem in problems:
        assert problem.path == "gtin" and len(problem.message) < 150
        assert problem.severity == "error" or set(gtin) <= set("0123456789 -xX")
    if gtin.isascii() and gtin.isdigit():
        assert not errors_in(problems)


def test_errors_stop_a_push_and_are_reported_before_warnings(adsctl):
    rows = feed(3, **DOUBTFUL).splitlines(keepends=True)
    rows[2] = rows[2].replace("12.50 EUR", "cheap")
    adsctl.file("feed.csv", "".join(rows))
    report = checked(adsctl, "feed.csv", code=3)
    assert severities(report) == [("price", "error"), ("gtin", "warning"), ("product_type", "warning")]
    assert [finding["lines"] for finding in report["findings"]] == [[3], [2, 3, 4], [2, 3, 4]]
    assert (report["valid"], report["invalid"], report["warned"]) == (2, 1, 3)
    done = adsctl.local("products", "push", "feed.csv", code=3)
    warning, error = (
        done.stderr.index("warning: feed.csv:2: gtin"),
        done.stderr.index("error: feed.csv:3: price"),
    )
    assert warning < error and "gtin" not in done.stderr[error:] and "1 of 3 rows invalid" in done.stderr
    assert adsctl.local("products", "list", "-o", "ids").stdout == ""


def test_skipping_invalid_rows_sends_those_with_warnings_and_names_only_errors(adsctl, service):
    rows = feed(3, **DOUBTFUL).splitlines(keepends=True)
    rows[2] = rows[2].replace("12.50 EUR", "cheap")
    adsctl.file("feed.csv", "".join(rows))
    words = ("--skip-invalid", "--failed-out", "failed.csv", "-o", "json")
    done = adsctl("products", "push", "feed.csv", *words, code=9)
    summary = json.loads(done.stdout)
    assert [summary[key] for key in ("invalid", "warned", "created", "failed")] == [1, 3, 2, 0]
    assert service.stored == ["sku-1", "sku-3"]
    (failed,) = csv.DictReader((adsctl.home / "failed.csv").open())
    assert failed["_line"] == "3" and re.fullmatch("price: [^;]*", failed["_error"])


def test_a_quiet_push_says_nothing_of_warnings(adsctl):
    adsctl.file("feed.csv", feed(2, **DOUBTFUL))
    done = adsctl.local("-q", "products", "push", "feed.csv", "-o", "table")
    assert done.stderr == "" and "feed.csv: 2 rows, 0 invalid, 2 with warnings\n" in done.stdout


def test_strict_makes_warnings_errors(adsctl):
    adsctl.file("feed.csv", feed(2, **DOUBTFUL))
    report = checked(adsctl, "feed.csv", "--strict", "--failed-out", "failed.csv", code=3)
    assert severities(report) == [("gtin", "error"), ("product_type", "error")]
    assert (report["valid"], report["invalid"], report["warned"]) == (0, 2, 0)
    errors = [row["_error"] for row in csv.DictReader((adsctl.home / "failed.csv").open())]
    assert len(errors) == 2 and all("gtin: " in error and "product_type: " in error for error in errors)
    done = adsctl.local("products", "push", "feed.csv", "--strict", code=3)
    assert "error: feed.csv:2: gtin" in done.stderr and "2 of 2 rows invalid" in done.stderr
    for command in ("push", "check"):
        message = adsctl.local("products", command, "feed.csv", "--strict", code=3).stderr
        assert "hint: " in message and "without --strict, warnings are no errors" in message
        wrong = adsctl.file("wrong.csv", feed(1, link="http://shop.example/"))
        assert "--strict" not in adsctl.local("products", command, wrong, code=3).stderr
    assert adsctl.local("products", "list", "-o", "ids").stdout == ""


def test_strict_leaves_other_rows_to_be_sent(adsctl, service):
    rows = feed(3, **DOUBTFUL).splitlines(keepends=True)
    rows[2] = rows[2].replace("1234567890", "4006381333931").replace(">", " > ")
    adsctl.file("feed.csv", "".join(rows))
    words = ("--strict", "--skip-invalid", "-o", "json")
    summary = json.loads(adsctl("products", "push", "feed.csv", *words, code=9).stdout)
    assert [summary[key] for key in ("invalid", "warned", "created")] == [2, 0, 1]
    assert service.stored == ["sku-2"]


def test_changed_sends_rows_with_warnings_once(shop):
    content = feed(3, **DOUBTFUL)
    assert shop.push(content)["warned"] == 3 and shop.sent == ["sku-1", "sku-2", "sku-3"]
    summary = shop.push(content)
    assert (summary["skipped"], summary["warned"], shop.sent) == (3, 0, [])
    lines = content.splitlines(keepends=True)
    lines[2] = lines[2].replace("12.50", "13.50")
    assert shop.push("".join(lines))["warned"] == 1 and shop.sent == ["sku-2"]
    assert "warning: feed.csv:3: gtin" in shop.said


def test_a_row_that_verify_sends_again_counts_with_its_warnings(shop):
    content = feed(3, **DOUBTFUL)
    shop.push(content)
    shop.delete("sku-2", **shop.elsewhere())
    summary = shop.push(content, "--verify")
    assert (summary["skipped"], summary["warned"], shop.sent) == (2, 1, ["sku-2"])


def test_strict_refuses_unchanged_rows_too(shop):
    shop.push(feed(3, **DOUBTFUL))
    done = shop.adsctl("products", "push", "feed.csv", "--changed", "--strict", code=3)
    assert "3 of 3 rows invalid" in done.stderr


def test_unchanged_rows_cause_no_warning_beside_a_repeated_id(shop):
    content = feed(3, **DOUBTFUL)
    shop.push(content)
    twice = (content.splitlines()[1].replace("sku-1", "sku-9") + "\n") * 2
    summary = shop.push(content + twice, "--skip-invalid", code=9)
    assert (summary["skipped"], summary["invalid"], summary["warned"]) == (3, 2, 2)


def fail_from_the_second_batch(service) -> None:
    service.before = lambda put: service.fail("PUT * status=400") if put == 1 else None


def recover(service) -> None:
    service.before = lambda put: None
    service.fail()


def test_a_job_that_left_out_warnings_is_not_resumed_without_strict(adsctl, service):
    content = feed(100, **DOUBTFUL)
    clean = content.replace("1234567890", "4006381333931").replace(">", " > ").splitlines()
    adsctl.file("feed.csv", "\n".join([*content.splitlines()[:51], *clean[51:]]) + "\n")
    fail_from_the_second_batch(service)
    words = ("--skip-invalid", "--concurrency", "1", "--max-attempts", "1")
    adsctl("products", "push", "feed.csv", "--strict", *words, code=6)
    recover(service)
    done = adsctl("products", "push", "feed.csv", "--resume", *words)
    assert "nothing to resume" in done.stderr and len(service.stored) == 100


def test_an_unfinished_push_without_left_out_rows_is_resumed_with_strict_or_without(adsctl, service):
    adsctl.file("feed.csv", feed(100))
    fail_from_the_second_batch(service)
    words = ("--concurrency", "1", "--max-attempts", "1")
    adsctl("products", "push", "feed.csv", "--strict", *words, code=6)
    recover(service)
    assert "resuming job" in adsctl("products", "push", "feed.csv", "--resume", *words).stderr


def test_warnings_of_a_large_table_are_found_by_line_and_record(adsctl, monkeypatch):
    share_smaller_tables(monkeypatch)
    doubtful = {f"row{n}": row(n, brand="1234567890") for n in (70, 210)}
    odd = {"row65": row(65, title="Two\nlines"), "row95": row(95, price="cheap")}
    content = large(**doubtful, **odd).replace("Nordlicht", "4006381333931")
    adsctl.file("feed.csv", content.replace(",brand\n", ",gtin\n", 1))
    report = checked(adsctl, "feed.csv", code=3)
    assert (report["rows"], report["invalid"], report["warned"]) == (ROWS, 1, 2)
    (warning,) = [finding for finding in report["findings"] if finding["severity"] == "warning"]
    assert (warning["lines"], warning["records"]) == ([73, 213], [71, 211])


def test_a_table_of_findings_has_the_severity(adsctl):
    adsctl.file("feed.csv", feed(1, **DOUBTFUL))
    header, *rows = adsctl("products", "check", "feed.csv", "-o", "tsv").stdout.splitlines()
    severity = header.split("\t").index("severity")
    assert [row.split("\t")[severity] for row in rows] == ["warning"] * 2


def test_commands_whose_rows_cause_no_warnings_do_not_count_them(adsctl, service):
    adsctl.file("people.csv", "email\nann@shop.example\n")
    adsctl.file("feed.csv", feed(1))
    adsctl("products", "push", "feed.csv")
    adsctl.file("keys.csv", adsctl("products", "list", "-o", "ids").stdout)
    for words in (
        ("audiences", "check", "people.csv"),
        ("audiences", "push", "people.csv", "--audience", "1nmth"),
        ("products", "delete", "--from", "keys.csv", "--yes"),
    ):
        assert "warned" not in json.loads(adsctl(*words, "-o", "json").stdout)


def test_the_emulator_accepts_what_causes_warnings_and_refuses_the_rest(adsctl):
    products = [
        PRODUCT | DOUBTFUL | {"id": "doubtful"},
        PRODUCT | DOUBTFUL | {"id": "wrong", "color": "#ffffff"},
    ]
    adsctl.file("body.json", json.dumps({"products": products}))
    path = "/12/product_catalogs/{product_catalog_id}/products"
    done = adsctl.local("api", "PUT", path, "--input", "body.json", "-o", "json", "--yes")
    doubtful, wrong = json.loads(done.stdout)["products_response"]
    assert (doubtful["status"], doubtful["warnings"], doubtful["errors"]) == ("CREATE_SUCCESS", [], [])
    assert wrong["status"] == "ERROR" and [note["parameter"] for note in wrong["errors"]] == ["color"]
