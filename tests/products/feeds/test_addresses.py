"""Addresses as shops export them: what a check says of them, and what arrives if one follows it."""

import json
import shlex
from collections.abc import Iterable

import pytest

from tests.conftest import PRODUCT

CDN = "https://cdn.example"
SHOP = "https://shop.example"
A, B = f"{CDN}/a.jpg", f"{CDN}/b.jpg"
BASE = ("--base-url", SHOP)


class Addresses:
    """A feed of one product, or of products that differ in one field."""

    def __init__(self, adsctl) -> None:
        self.adsctl = adsctl

    def write(self, **values: object) -> None:
        self.adsctl.file("feed.json", json.dumps([PRODUCT | values]))

    def write_rows(self, field: str, texts: Iterable[str]) -> None:
        rows = [PRODUCT | {"id": f"sku-{number}", field: text} for number, text in enumerate(texts)]
        self.adsctl.file("feed.json", json.dumps(rows))

    def check(self, *options: str, code: int = 3) -> dict:
        done = self.adsctl("products", "check", "feed.json", *options, "-o", "json", code=code)
        return json.loads(done.stdout)

    def advised(self, *options: str) -> list[str]:
        """Return the options that a check says to type next."""
        command = shlex.split(self.check(*options)["try"]["command"])
        return [word for word in command[4:] if word not in ("-o", "json")]

    def converted_rows(self, *options: str) -> list[dict]:
        self.adsctl("products", "convert", "feed.json", "out.jsonl", "--force", *options)
        return [*map(json.loads, (self.adsctl.home / "out.jsonl").read_text().splitlines())]

    def converted(self, *options: str) -> dict:
        (product,) = self.converted_rows(*options)
        return product

    def assert_fixed(self, field: str, expected: Iterable[str], *options: str) -> None:
        """Every row is invalid, the fix of addresses is advised, and it gives what is expected."""
        expected = list(expected)
        assert self.check(*options)["invalid"] == len(expected)
        assert self.advised(*options) == [*options, "--fix", "url"]
        for fix in ("url", "all"):
            assert [row[field] for row in self.converted_rows(*options, "--fix", fix)] == expected


@pytest.fixture
def addresses(adsctl) -> Addresses:
    return Addresses(adsctl)


ADDRESSES_IN_TEXTS = {
    f'["{A}","{B}"]': B,
    f"['{A}', '{B}']": B,
    f"[{A}, {B}]": B,
    f"{{{A},{B}}}": B,
    f'["{A}", "", null, "{A}"]': None,
    f'["{A}"]'.replace("/", "\\/"): None,
    f'{{"src": "{A}", "alt": "a mug"}}': None,
    f"[{{'src': '{A}'}}, {{'src': '{B}'}}]": B,
    f'{{"0": {{"url": "{A}"}}, "1": {{"url": "{B}"}}}}': B,
    f'=IMAGE("{A}";4;100;100)': None,
    f'<img alt="a > b" src="{A}"><img src="{B}">': B,
    f"![a mug]({A})": None,
    f'"{A}"': None,
    f'"{A}", "{B}"': B,
}


def test_the_addresses_in_a_text_are_what_is_sent(addresses):
    addresses.write_rows("image_link", ADDRESSES_IN_TEXTS)
    addresses.assert_fixed("image_link", [A] * len(ADDRESSES_IN_TEXTS))
    sent = [row.get("additional_image_link") for row in addresses.converted_rows("--fix", "all")]
    assert sent == [*ADDRESSES_IN_TEXTS.values()]
    addresses.write_rows("additional_image_link", ADDRESSES_IN_TEXTS)
    joined = [",".join(filter(None, [A, further])) for further in ADDRESSES_IN_TEXTS.values()]
    addresses.assert_fixed("additional_image_link", joined)


CERTAIN_LINKS = [
    f'=HYPERLINK("{SHOP}/1";"Mug")',
    f'=HYPERLINK("{SHOP}/1","Mug")',
    f'<a href="{SHOP}/1">Mug</a>',
    f"<{SHOP}/1>",
    f'{{"url": "{SHOP}/1"}}',
    f"'{SHOP}/1'",
    "http:/shop.example/1",
    "https//shop.example/1",
    "https:///shop.example/1",
    "https: //shop.example/1",
    "https;//shop.example/1",
    "https:\\\\shop.example\\1",
    "htps://shop.example/1",
    "ttp://shop.example/1",
    f"https://{SHOP}/1",
    f"{SHOP}/1,",
]


@pytest.mark.parametrize("field", ["link", "mobile_link"])
def test_a_link_that_is_certain_is_fixed(addresses, field):
    addresses.write_rows(field, CERTAIN_LINKS)
    addresses.assert_fixed(field, [f"{SHOP}/1"] * len(CERTAIN_LINKS), *BASE)


NO_RELATIVE_ADDRESSES = [
    f'["{A}","{B}"]',
    "=IMAGE(A2)",
    '="https://cdn.example/"&A2',
    '{"alt": "a mug"}',
    '{"large": "https://cdn.example/a.jpg", "small": "https://cdn.example/b.jpg"}',
    "https//cdn.example/a.jpg",
    "http:/cdn.example/a.jpg",
    "https:\\\\cdn.example\\a.jpg",
    f"/go?to={A}",
    "/a.jpg|/b.jpg",
    "/a.jpg, /b.jpg",
    "data:image/png;base64,iVBORw0KGgo=",
    "C:\\images\\a.jpg",
    "no_selection",
    "n/a",
]


def test_no_base_is_put_before_what_is_no_relative_address(addresses):
    addresses.write_rows("image_link", NO_RELATIVE_ADDRESSES)
    report = addresses.check(*BASE)
    assert report["invalid"] == len(NO_RELATIVE_ADDRESSES) and SHOP not in json.dumps(report["findings"])
    assert {finding["field"] for finding in report["findings"]} == {"image_link"}


def test_what_holds_no_certain_address_is_not_guessed(addresses):
    for text in ("=IMAGE(A2)", '="https://cdn.example/"&A2', f'{{"large": "{A}", "small": "{B}"}}', "n/a"):
        addresses.write(image_link=text)
        report = addresses.check("--fix", "all")
        assert report["valid"] == 0 and "try" not in report


@pytest.mark.parametrize(
    ("first", "separator"),
    [
        *((A, separator) for separator in ("|", ",", ";", ", ", " | ", " ", "\n")),
        *((f"{CDN}/w_5,h_5/a.jpg", separator) for separator in ("|", ",", ", ")),
    ],
)
def test_several_addresses_are_never_sent_as_one(addresses, separator, first):
    addresses.write(image_link=separator.join([first, B]))
    (finding,) = addresses.check()["findings"]
    assert "holds several addresses" in finding["problem"]
    options = addresses.advised()
    assert options[0] == "--split"
    product = addresses.converted(*options)
    assert (product["image_link"], product["additional_image_link"]) == (first, B)
    addresses.write(link=separator.join([f"{SHOP}/1", f"{SHOP}/2"]))
    (finding,) = addresses.check("--fix", "all")["findings"]
    assert finding["field"] == "link" and "holds several addresses" in finding["problem"]


def test_a_line_feed_is_typed_as_it_is_shown(addresses):
    addresses.write(image_link=f"{A}\n{B}")
    assert addresses.converted("--split", r"image_link=\n")["additional_image_link"] == B


@pytest.mark.parametrize(
    ("value", "further"),
    [([A, B], B), ([{"src": A}, {"src": B}], B), ([f"{CDN}/w_5,h_5/a.jpg", f"{CDN}/w_5,h_5/b.jpg"], None)],
)
def test_a_list_of_a_document_is_split(addresses, value, further):
    addresses.write(image_link=value)
    assert addresses.advised() == ["--split", "image_link=,"]
    product = addresses.converted("--split", "image_link=,")
    assert product["additional_image_link"] == (further or f"{CDN}/w_5%2Ch_5/b.jpg")
    addresses.write(additional_image_link=value)
    assert addresses.advised() == ["--split", "additional_image_link=,"]


AS_ADDRESSES_HAVE_IT = {
    "my photo.jpg": "my%20photo.jpg",
    "Straße 5.jpg": "Straße%205.jpg",
    "50% off.jpg": "50%25%20off.jpg",
    "a%20b c.jpg": "a%20b%20c.jpg",
    "a\n  .jpg": "a.jpg",
    "a\u200b.jpg": "a.jpg",
    "m\\a.jpg": "m/a.jpg",
}


@pytest.mark.parametrize("field", ["link", "image_link", "additional_image_link"])
def test_what_no_address_may_have_is_written_as_addresses_have_it(addresses, field):
    addresses.write_rows(field, (f"{SHOP}/{text}" for text in AS_ADDRESSES_HAVE_IT))
    addresses.assert_fixed(field, (f"{SHOP}/{sent}" for sent in AS_ADDRESSES_HAVE_IT.values()))


ADDRESSES = [
    f"{SHOP}/a%2520b",
    f"{SHOP}/50%-off",
    f"{SHOP}/1#top",
    f"{SHOP}/?f[color]=red&x={{b}}",
    "https://müller.example/Straße",
    f"https://web.example/2020/{SHOP}/1",
    f"{CDN}/w_500,h_500/a.jpg",
    "https://localhost:8080/1",
]


@pytest.mark.parametrize("field", ["link", "image_link", "mobile_link"])
def test_an_address_that_is_one_stays_as_it_is(addresses, field):
    addresses.write_rows(field, ADDRESSES)
    assert [row[field] for row in addresses.converted_rows("--fix", "all", *BASE)] == ADDRESSES


WRONG_ADDRESSES = {
    f"{SHOP}/p/mug blue": "has a blank",
    "https//shop.example/1": "begins with 'https//', not with https://",
    "www.shop.example/1": "begins with 'www.', not with https://",
    f"https://{SHOP}/1": "begins with two schemes",
    f'{SHOP}/1"': "has a quotation mark",
    f"{SHOP}/1,": "ends with ','",
    f" {SHOP}/1": "has white space around it",
    f'["{SHOP}/1"]': "holds a list, not one address",
    "C:\\1.html": "is the path of a file on a computer",
    "data:text/html,1": "holds data, and not the address of it",
}


def test_a_finding_says_what_is_wrong_with_an_address(addresses):
    addresses.write_rows("link", WRONG_ADDRESSES)
    findings = addresses.check()["findings"]
    findings.sort(key=lambda finding: finding["lines"])
    for finding, said in zip(findings, WRONG_ADDRESSES.values(), strict=True):
        assert finding["problem"].endswith(said)


def test_a_name_with_a_blank_is_completed_and_not_split(addresses):
    addresses.write(image_link="/m/y/my photo.jpg", link="/p/mug blue")
    options = addresses.advised(*BASE)
    assert options == [*BASE, "--fix", "url"]
    product = addresses.converted(*options)
    assert product["image_link"] == f"{SHOP}/m/y/my%20photo.jpg" and product["link"] == f"{SHOP}/p/mug%20blue"


@pytest.mark.parametrize("name", ["feed.tsv", "feed.xml", "feed.jsonl"])
def test_a_comma_within_an_additional_image_stays_in_it(exports, name):
    images = f"{CDN}/w_500,h_500/2.jpg,{CDN}/w_500,h_500/3.jpg"
    exports.write({"additional_image_link": images, "image_link": A}, name=name)
    options = ("--set", "link=/p/1", "--set", "title=Mug", "--currency", "EUR", *BASE)
    (finding,) = exports.check(*options, name=name, code=3)["findings"]
    assert finding["fix"] == "url"
    exports.adsctl("products", "convert", name, "out.jsonl", *options, "--fix", "url")
    (product,) = map(json.loads, (exports.adsctl.home / "out.jsonl").read_text().splitlines())
    assert product["additional_image_link"] == images.replace("0,h", "0%2Ch")


@pytest.mark.parametrize("field", ["link", "mobile_link", "image_link", "additional_image_link"])
def test_an_entity_in_an_address_is_a_warning_and_fixed(addresses, field):
    entities = ["&amp;", "&amp;amp;", "&#38;", "&#x26;"]
    addresses.write_rows(field, (f"{SHOP}/4.jpg?a=1{entity}b=2" for entity in entities))
    report = addresses.check(code=0)
    for finding in report["findings"]:
        assert (finding["field"], finding["severity"], finding["fix"]) == (field, "warning", "html")
    assert report["warned"] == len(entities)
    sent = [row[field] for row in addresses.converted_rows("--fix", "html")]
    assert sent == [f"{SHOP}/4.jpg?a=1&b=2"] * len(entities)


@pytest.mark.parametrize("name", ["feed.csv", "feed.tsv", "feed.xml", "feed.jsonl"])
def test_an_entity_in_an_address_is_found_in_every_format(exports, name):
    entities = ["&amp;", "&#38;", "&eacute;"]
    rows = [PRODUCT | {"id": entity, "link": f"{SHOP}/?a=1{entity}b=2"} for entity in entities]
    exports.write(PRODUCT, *rows, name=name)
    findings = exports.check(name=name)["findings"]
    (finding,) = (finding for finding in findings if finding["field"] == "link")
    assert (finding["problem"], finding["rows"]) == ("has '&amp;', an entity of HTML", len(entities))


def test_an_entity_never_makes_an_address_invalid(addresses):
    addresses.write(link=f"{SHOP}/a&quot;b", image_link=f"{A}?x&#44;")
    product = addresses.converted("--fix", "all")
    assert product["link"] == f"{SHOP}/a%22b" and product["image_link"] == f"{A}?x&#44;"


def test_what_is_pushed_is_what_was_fixed(addresses, service):
    addresses.write(link=f"{SHOP}/my mug", image_link=f'["{CDN}/a b.jpg","{CDN}/w_5,h_5/b.jpg"]')
    addresses.adsctl("products", "push", "feed.json", "--fix", "url")
    product = service.emulator.data.product(PRODUCT["id"])
    assert product["link"] == f"{SHOP}/my%20mug"
    assert product["image_link"] == f"{CDN}/a%20b.jpg"
    assert product["additional_image_link"] == f"{CDN}/w_5%2Ch_5/b.jpg"


def test_a_list_or_words_about_an_image_are_never_one_address(addresses):
    texts = [
        "/m/my a.jpg,/m/my b.jpg",
        "/m/my a.jpg | /m/my b.jpg",
        "cdn.example/a.jpg,cdn.example/b.jpg",
        f"{A} ! alt : a mug ! title : Mug",
        f"{A} a mug",
        f"{A} 100w",
    ]
    addresses.write_rows("image_link", texts)
    assert addresses.check(*BASE, "--fix", "all")["invalid"] == len(texts)


@pytest.mark.parametrize("field", ["link", "image_link"])
def test_an_address_within_a_host_is_told(addresses, field):
    addresses.write(URL=A)
    (finding,) = addresses.check("--set", f"{field}={SHOP}{{URL}}", "--fix", "all")["findings"]
    assert finding["field"] == field and "has another address within its host" in finding["problem"]
    for right in (
        f"{SHOP}/{A}",
        f"{SHOP}?u={A}",
        "https://ann:b@shop.example:8443/p",
        f"{SHOP}:443//p",
        "https://[::1]/p",
    ):
        addresses.write(**{field: right})
        assert addresses.check(code=0)["findings"] == []
