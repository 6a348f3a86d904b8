"""--report: a page about a check or a push, however it ends."""

import json
import signal

import pytest

from tests.conftest import PRODUCT, feed
from tests.products.images.image_server import image, serving
from tests.products.stopping import acknowledged, stop_at
from tests.report.conftest import PRODUCTS, write_feed
from tests.report.reading import Read, read


def checked(shop, *words: str, code: int = 0) -> Read:
    shop("products", "check", "feed.csv", "--report", "feed.html", *words, code=code)
    return read(shop.home / "feed.html")


def pushed(shop, *words: str, code: int = 0) -> Read:
    shop("products", "push", "feed.csv", "--report", "feed.html", *words, code=code)
    return read(shop.home / "feed.html")


def test_a_valid_feed_can_be_sent_and_its_products_are_counted(adsctl):
    adsctl.file("feed.csv", feed(12))
    page = checked(adsctl)
    assert "All 12 products can be sent" in page.text
    assert "Availability" in page.text and "in stock 12 100 %" in page.text
    assert "Prices in EUR Bar Number Share 10 to 20 12 100 %" in page.text
    assert "What is wrong" not in page.text


def test_every_kind_of_mistake_has_its_lines_examples_and_fix(shop):
    page = checked(shop, "-o", "none", code=3)
    done = shop("products", "check", "feed.csv", "-o", "json", code=3)
    findings = json.loads(done.stdout)["findings"]
    assert len(findings) > 6
    for finding in findings:
        lines = ", ".join(map(str, finding["lines"]))
        examples = " ".join(f"sku-{line - 1}" for line in finding["lines"])
        said = f"{finding['severity']} {finding['field']} {finding['problem']} {finding['rows']} {lines}"
        assert " ".join(f"{said} {examples}".split()) in page.text
    assert "--fix availability" in page.text
    assert "18 of 40 rows have mistakes; 22 can be sent" in page.text


def test_what_was_fixed_is_shown_before_and_after(shop):
    page = checked(shop, "--fix", "price", code=3)
    assert "fixed: price" in page.text
    assert "sku-1 Enamel mug price (price) 12,50 EUR → 12.50 EUR" in page.text


def test_five_different_products_show_a_finding_where_the_first_rows_are_one(adsctl):
    ids = [*["mug"] * 5, "cup", "jug", "pot", "pan", "cap"]
    html = {"description": "<p>Sturdy.</p>", "brand": None}
    write_feed(
        adsctl.home / "feed.csv",
        [PRODUCT | html | {"id": each, "price": f"{n}.50 EUR"} for n, each in enumerate(ids)],
    )
    page = checked(adsctl, code=3)
    assert "2, 3, 4, 5, 6, … mug cup jug pot pan --fix html" in page.text
    assert "2, 3, 4, 5, 6, … mug cup jug pot pan --default brand=…" in page.text


def test_a_finding_names_its_option_and_each_example_once_and_no_column_is_empty(adsctl):
    changes = [{"id": "mug", "title": "Mug"}, {"id": "mug", "title": "Big mug"}]
    changes += [{"id": "cup", "price": "9.50"}, {"id": "jug", "title": " Jug\xa0of  clay "}]
    bare = {name: value for name, value in PRODUCT.items() if name != "condition"}
    write_feed(adsctl.home / "feed.csv", [bare | change for change in changes])
    page = checked(adsctl, "--fix", "whitespace", code=3)
    assert (
        "--set id=… or --keep first or --keep last" in page.text and "or --default condition=…" in page.text
    )
    assert "mug mug" not in page.text and "·Jug⍽of" in page.text
    adsctl.file("feed.csv", "id,title\nmug,Mug\n")
    assert "Picture" not in checked(adsctl, code=3).text


def test_a_page_names_thumbnails_and_has_none_to_load(shop):
    page = checked(shop, code=3)
    pictures = page.attributes("data-picture")
    assert pictures and all(address.startswith("http://images.example/") for address in pictures)
    assert page.attributes("src") == [] and "They are loaded from http://images.example." in page.text
    assert "img-src http://images.example;" in policy(page)


def test_only_the_hosts_of_its_pictures_may_be_asked_by_a_page(adsctl):
    links = [f"https://{name}.example:8443/?u=https://other.example/" for name in ("e", "d", "c", "b", "B")]
    links += [
        "https://192.168.1.1/a.png",
        "https://images.example;.example/a.png",
        "https://a.example:99999/a.png",
    ]
    write_feed(adsctl.home / "feed.csv", [PRODUCT | {"image_link": link, "price": "9"} for link in links])
    page = checked(adsctl, code=3)
    assert (
        "from https://b.example:8443, https://c.example:8443, https://d.example:8443 and 1 more." in page.text
    )
    hosts = " ".join(f"https://{name}.example:8443" for name in "bcde")
    assert f"img-src {hosts};" in policy(page)
    assert "default-src 'none';" in policy(page) and "; script-src 'sha256-" in policy(page)
    assert "'unsafe" not in policy(page) and "base-uri 'none'; form-action 'none'" in policy(page)


def policy(page: Read) -> str:
    (found,) = (
        each["content"] for _, each in page.tags if each.get("http-equiv") == "Content-Security-Policy"
    )
    return found


@pytest.mark.parametrize(
    "address",
    [
        *(
            "javascript:alert(1)",
            "data:image/png;base64,AA",
            "//shop.example/a",
            "https://user:pass@shop.example/a",
        ),
        *(
            "http://localhost:8080/a.png",
            "http://192.168.1.1/a.png",
            "http://127.0.0.1/",
            "http://[::1]/a.png",
        ),
        *("http://router/reboot.png", "http://printer.local/", "http://2130706433/", "http://0x7f.1/"),
        *("https://shop.example/\u202ea", "https://shop.example/a b", "https://shop.example/" + "a" * 2000),
    ],
)
def test_a_feed_sends_no_browser_elsewhere_than_to_the_public_web(adsctl, address):
    product = PRODUCT | {"link": address, "image_link": address, "mobile_link": address, "price": "cheap"}
    write_feed(adsctl.home / "feed.csv", [product])
    page = checked(adsctl, code=3)
    assert page.attributes("data-picture") == [] and "img-src 'none';" in policy(page)
    assert all(target and target.startswith("#section-") for target in page.attributes("href"))


def test_a_push_tells_what_the_service_did(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    page = pushed(adsctl, "--changed")
    assert "30 products sent: 30 created" in page.text and "created 30" in page.text
    page = pushed(adsctl, "--changed")
    assert "Nothing to send: the catalog has these products as they are" in page.text


def test_a_dry_run_says_that_nothing_was_sent(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    page = pushed(adsctl, "--dry-run")
    assert "30 products would be sent" in page.text and service.puts == []


def test_a_feed_with_mistakes_is_not_sent_and_the_page_says_so(shop, service):
    page = pushed(shop, code=3)
    assert "Nothing was sent: 18 of 40 rows have mistakes" in page.text
    assert "--skip-invalid" in page.text and service.puts == []


def test_rows_that_the_service_rejects_are_told_with_its_reasons(adsctl, service):
    service.fail("PUT * partial")
    adsctl.file("feed.csv", feed(30))
    page = pushed(adsctl, code=9)
    assert "14 of 30 products accepted; 16 rejected by the service" in page.text
    assert "error rejected: " in page.text
    assert "sku-3 Enamel mug" in page.text and page.attributes("data-picture") == [PRODUCT["image_link"]] * 17


def test_a_push_that_is_stopped_by_an_error_says_how_to_resume(adsctl, service):
    service.before = lambda put: service.fail("PUT * status=503") if put == 1 else None
    adsctl.file("feed.csv", feed(100))
    page = pushed(adsctl, "--concurrency", "1", "--max-attempts", "1", code=8)
    assert "The push was stopped: 75 of 100 products not sent" in page.text
    assert "resume with: adsctl products push feed.csv" in page.text


def test_an_interrupted_push_leaves_a_page(adsctl, service):
    adsctl.file("feed.csv", feed(100))
    words = ("--concurrency", "1", "--report", "feed.html")
    process = stop_at(adsctl, service, 2, signal.SIGTERM, *words)
    assert process.returncode == 143 and acknowledged(adsctl)
    assert "The push was interrupted" in read(adsctl.home / "feed.html").text


def test_a_feed_that_cannot_be_read_replaces_the_page_of_yesterday(adsctl):
    adsctl.file("feed.csv", feed(3))
    assert "All 3 products" in checked(adsctl).text
    adsctl.file("feed.csv", "id\n\x00")
    assert "The feed was not read to its end" in checked(adsctl, code=3).text
    (adsctl.home / "feed.csv").unlink()
    page = checked(adsctl, code=2)
    assert "feed.csv cannot be opened" in page.text and "All 3 products" not in page.text


def test_several_files_are_named_with_their_lines(adsctl):
    write_feed(adsctl.home / "a.csv", [PRODUCTS[1]])
    write_feed(adsctl.home / "b.csv", [PRODUCTS[2]])
    adsctl("products", "check", "a.csv", "b.csv", "--report", "feed.html", code=3)
    assert "b.csv:2" in read(adsctl.home / "feed.html").text


def test_what_is_wrong_with_an_image_is_shown_with_its_product(adsctl):
    with serving() as images:
        images.files["/small.png"] = image("PNG", 10, 10)
        write_feed(adsctl.home / "feed.csv", [PRODUCT | {"image_link": images.address("/small.png")}])
        page = checked(adsctl, "--images", "--allow-private", code=3)
    assert "has 10x10 pixels, at least 500x500 are needed 1 2 sku-1" in page.text
    assert "2 sku-1 Enamel mug error image_link: " in page.text


def test_a_reader_that_goes_away_takes_no_page_with_it(adsctl):
    adsctl.file("feed.csv", feed(3000, price="12,50 EUR"))
    words = ("--fix", "price", "--diff", "-o", "jsonl", "--report", "feed.html")
    process = adsctl.popen("products", "check", "feed.csv", *words)
    process.stdout.close()
    process.stderr.read()
    assert process.wait(60) == 141
    assert "All 3,000 products can be sent" in read(adsctl.home / "feed.html").text
