"""Options that say which records of a file are meant."""

import json
from xml.sax.saxutils import escape

import pytest

from tests.conftest import PRODUCT


def shop_of_two_lists() -> str:
    lists = []
    for name in "ab":
        fields = (f"<{key}>{escape(text)}</{key}>" for key, text in (PRODUCT | {"id": f"{name}-1"}).items())
        lists.append(f"<{name}>{''.join(fields)}</{name}>")
    return f"<shop>{''.join(lists)}</shop>"


def test_the_record_option_chooses_the_elements_that_are_pushed(adsctl, service):
    adsctl.file("shop.xml", shop_of_two_lists())
    for record, pushed in (("a", ["a-1"]), ("x:b", ["a-1", "b-1"])):
        adsctl("products", "push", "shop.xml", "--record", record)
        assert sorted(service.stored) == pushed
    missing = adsctl("products", "check", "shop.xml", "--record", "c", code=3)
    assert "no element <c> in the document" in missing.stderr


def test_an_unfinished_push_is_not_resumed_with_other_records(adsctl, service):
    adsctl.file("shop.xml", shop_of_two_lists())
    push = ("products", "push", "shop.xml", "--resume", "-o", "json", "--record")
    service.fail("PUT * status=503")
    adsctl(*push, "a", "--max-attempts", "1", code=8)
    service.fail()
    (unfinished,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert json.loads(adsctl(*push, "b").stdout)["job"] != unfinished["job"]
    assert service.stored == ["b-1"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "feed.csv is a PNG image, not a feed"),
        (b"%PDF-1.7\n%\xe2\xe3", "feed.csv is a PDF document, not a feed"),
        (b"\xfe\xed\x01\x02,\xff\n", "neither UTF-8 nor a text in another encoding"),
    ],
)
def test_a_file_that_is_no_text_is_not_said_to_have_another_encoding(adsctl, content, said):
    adsctl.file("feed.csv", content)
    refused = adsctl("products", "check", "feed.csv", code=3).stderr
    assert said in refused and "--encoding" not in refused
