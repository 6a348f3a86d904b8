"""What `products check --images` says of images, as the specification has it: format, pixels and bytes."""

import csv

import pytest

from tests.products.images.image_server import chunked, image, redirect, status, whole

FIVE_MB = 5 * 1024**2
SVG = b'<?xml version="1.0"?>\n<!-- a shop --><svg xmlns="http://www.w3.org/2000/svg" width="900"/>'


@pytest.mark.parametrize("format", ["JPEG", "PNG", "GIF", "WEBP"])
def test_an_image_as_the_service_wants_it_is_no_finding(shop, images, format):
    images.files["/a"] = image(format, 500, 500)
    shop.feed(images.address("/a"))
    assert shop.check().findings == []


@pytest.mark.parametrize("format", ["JPEG", "PNG", "GIF", "WEBP"])
def test_an_image_with_too_few_pixels_is_an_error(shop, images, format):
    sizes = [(499, 500), (2000, 499), (1, 1)]
    images.files |= {f"/{width}": image(format, width, height) for width, height in sizes}
    shop.feed(*(images.address(f"/{width}") for width, _ in sizes))
    checked = shop.check(code=3)
    message = f"{images.address('/499')!r} has 499x500 pixels, at least 500x500 are needed"
    assert checked.findings == [("error", "image_link", message)]
    assert checked.report["invalid"] == 3 and checked.report["valid"] == 0


@pytest.mark.parametrize("answer", [None, whole, chunked])
@pytest.mark.parametrize(("size", "is_too_large"), [(FIVE_MB, False), (FIVE_MB + 1, True)])
def test_an_image_of_more_than_5_mb_is_an_error(shop, images, answer, size, is_too_large):
    images.files["/a.jpg"] = image().ljust(size, b"\0")
    images.faults["/a.jpg"] = [answer] if answer else []
    shop.feed(images.address("/a.jpg"))
    findings = shop.check(code=3 if is_too_large else 0).findings
    message = f"{images.address('/a.jpg')!r} has 5.2 MB, at most 5 MB are allowed"
    assert findings == ([("error", "image_link", message)] if is_too_large else [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (image("BMP"), "is BMP; only JPG, GIF, WEBP and PNG are allowed"),
        (image("TIFF"), "is TIFF; only"),
        (image("AVIF"), "is AVIF; only"),
        (image("PDF"), "is PDF; only"),
        (SVG, "is SVG; only"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html><title>Sold out</title>", "is HTML; only"),
        (b'{"error": "no such image"}', "is not an image; only"),
        (b"", "is empty"),
        (image("PNG")[:20], "is a damaged PNG"),
        (image("JPEG")[:100], "is a damaged JPG"),
    ],
)
def test_anything_but_the_four_formats_is_an_error_whatever_it_is_called(shop, images, content, message):
    images.files["/a.jpg"] = content
    shop.feed(images.address("/a.jpg"))
    (finding,) = shop.check(code=3).findings
    assert finding[:2] == ("error", "image_link") and message in finding[2]


def test_the_type_that_a_server_states_does_not_matter(shop, images):
    images.files["/a"] = content = image("PNG")
    images.faults["/a"] = [lambda handler: handler.answer(200, content, Content_Type="text/html")]
    shop.feed(images.address("/a"))
    assert shop.check().findings == []


def test_huge_sides_are_read_and_nothing_is_decoded(shop, images):
    images.files["/a.png"] = image("PNG")[:16] + b"\x7f\xff\xff\xff" * 2 + bytes(60)
    images.files["/b.gif"] = b"GIF89a\xf0\xff\xf0\xff" + bytes(60)
    shop.feed(images.address("/a.png"), images.address("/b.gif"))
    assert shop.check().findings == []


@pytest.mark.parametrize("code", [404, 403, 410, 206, 204])
def test_what_cannot_be_fetched_is_a_warning(shop, images, code):
    images.faults["/a"] = [status(code)]
    shop.feed(images.address("/a"))
    checked = shop.check()
    (finding,) = checked.findings
    what = "does not exist" if code in (404, 410) else "was not checked"
    assert finding[0] == "warning" and f"{what}: the server answered with status {code}" in finding[2]
    assert (checked.report["valid"], checked.report["warned"]) == (1, 1)


def test_with_strict_what_cannot_be_fetched_is_an_error(shop, images):
    shop.feed(images.address("/missing"))
    assert shop.check("--strict", code=3).findings[0][0] == "error"


@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_an_encoding_that_was_not_asked_for_is_a_warning_and_nothing_is_decompressed(shop, images, encoding):
    images.faults["/a"] = [redirect("/a", Content_Encoding=encoding), status(200, Content_Encoding=encoding)]
    shop.feed(images.address("/a"))
    assert f"sent as '{encoding}', which was not asked for" in shop.check().findings[0][2]
    assert images.seen[0].headers["Accept-Encoding"] == "identity"


def test_every_further_image_is_checked(shop, images):
    images.files |= {
        "/main": image(),
        "/2": image(),
        "/3": image(width=300),
        "/4": b"<svg/>",
        "/5": b"<svg/>",
    }
    further = ", ".join(images.address(f"/{n}") for n in (2, 3, 4, 5))
    shop.feed({"image_link": images.address("/main"), "additional_image_link": further})
    checked = shop.check(code=3)
    assert [(field, problem.partition(" ")[0]) for _, field, problem in checked.findings] == [
        ("additional_image_link", repr(images.address("/3"))),
        ("additional_image_link", repr(images.address("/4"))),
    ]
    assert [finding["rows"] for finding in checked.report["findings"]] == [1, 1]


def test_one_mistake_of_many_images_is_one_finding_with_its_lines(shop, images):
    images.files = {f"/{n}": image(width=100 + n) for n in range(7)}
    shop.feed(*map(images.address, images.files))
    (finding,) = shop.check(code=3).report["findings"]
    assert (finding["rows"], finding["lines"], finding["more_rows"]) == (7, [1, 2, 3, 4, 5], 2)


def test_a_row_is_invalid_once_whatever_is_wrong_with_it(shop, images):
    images.files["/small"] = image(width=9)
    shop.feed(
        {"image_link": images.address("/small"), "price": "free"},
        {"image_link": images.address("/none"), "price": "free"},
        {"image_link": images.address("/small"), "gtin": "9783999738837"},
        images.address("/none"),
    )
    report = shop.check(code=3).report
    assert (report["rows"], report["invalid"], report["warned"], report["valid"]) == (4, 3, 3, 1)


def test_an_address_that_breaks_a_rule_by_itself_is_not_fetched(shop, images):
    images.files["/a.bmp"] = image("BMP")
    shop.feed(images.address("/a.bmp"), "ftp://images.example/a.jpg")
    assert len(shop.check(code=3).findings) == 2 and not images.seen


def test_rows_that_are_left_out_have_no_images(shop, images):
    shop.feed({"image_link": images.address("/a"), "brand": "Other"}, images.address("/b"))
    shop.check("--where", "brand=Nordlicht")
    assert images.paths == ["/b"]


def test_the_images_of_a_feed_are_those_that_its_conversion_gives(shop, images):
    images.files["/a.jpg"] = image()
    shop.feed("/a.jpg")
    assert shop.check("--base-url", images.address("")).findings == []
    assert images.paths == ["/a.jpg"]


def test_failed_out_has_the_rows_whose_images_are_refused(shop, images):
    images.files |= {"/small": image(width=9), "/good": image()}
    shop.feed(images.address("/small"), images.address("/good"), images.address("/none"))
    shop.check("--failed-out", "failed.csv", code=3)
    (row,) = csv.DictReader((shop.adsctl.home / "failed.csv").open())
    assert row["id"] == "sku-1" and row["_line"] == "1" and "has 9x500 pixels" in row["_error"]


def test_people_read_it_in_the_words_of_other_findings(shop, images):
    images.files["/small"] = image(width=9)
    shop.feed(images.address("/small"), images.address("/none"))
    done = shop.adsctl(
        *("products", "check", "feed.jsonl", "--images", "--allow-private", "-o", "table"), code=3
    )
    assert f"feed.jsonl:1: image_link: {images.address('/small')!r} has 9x500 pixels" in done.stdout
    assert f"feed.jsonl:2: warning: image_link: {images.address('/none')!r} does not exist" in done.stdout
    assert "feed.jsonl: looked at 2 images" in done.stderr


def test_nothing_is_fetched_unasked(adsctl, shop, images):
    shop.feed(images.address("/none"))
    adsctl("products", "check", "feed.jsonl")
    assert not images.seen


@pytest.mark.parametrize("words", [("--images-sample", "5"), ("--allow-private",)])
def test_how_images_are_fetched_needs_images(adsctl, shop, words):
    shop.feed("https://images.example/a.jpg")
    assert f"{words[0]} needs --images" in adsctl("products", "check", "feed.jsonl", *words, code=2).stderr


def test_a_sample_is_the_same_whatever_the_order_of_the_feed(shop, images):
    links = [images.address(f"/{n}") for n in range(40)]
    asked = []
    for order in (links, links[::-1]):
        images.seen.clear()
        shop.feed(*order)
        assert "looked at 8 of 40 images" in shop.check("--images-sample", "8").said
        asked.append(sorted(images.paths))
    assert asked[0] == asked[1] and len(set(asked[0])) == 8


def test_a_sample_that_is_larger_than_the_feed_is_the_whole_feed(shop, images):
    shop.feed(*(images.address(f"/{n}") for n in range(3)))
    assert "looked at 3 images" in shop.check("--images-sample", "8").said


def test_the_page_of_a_check_has_what_is_wrong_with_images(shop, images):
    images.files["/small"] = image(width=9)
    shop.feed(images.address("/small"), images.address("/none"))
    shop.check("--report", "page.html", code=3)
    page = (shop.adsctl.home / "page.html").read_text()
    assert "has 9x500 pixels, at least 500x500 are needed" in page and "status 404" in page
