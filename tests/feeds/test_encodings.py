"""Feeds and lists in any encoding: which is named, which is refused, and what is written of them."""

import csv
import json
import shlex
from io import BytesIO, StringIO
from xml.sax.saxutils import escape

import openpyxl
import pytest

from tests.conftest import PRODUCT
from tests.effort import THOROUGH

TEXTS = {
    "cp1250": ("Rychlovarná konvice", "Nerezová konvice, objem 1,7 l, příkon, žlutá"),
    "iso8859-2": ("Czajnik elektryczny, żółty", "Źródło światła i ciepła, łóżko, ścierka"),
    "cp1251": ("Чайник стальной", "Чайник из нержавеющей стали, объём 1,7 л"),
    "koi8-r": ("Чайник стальной", "Чайник из нержавеющей стали, объём 1,7 л"),
    "iso8859-5": ("Чайник стальной", "Чайник из нержавеющей стали, объём 1,7 л"),
    "mac-roman": ("Kaffeebecher Grün", "Schöner Becher für Gäste, weiß und größer"),
    "cp1252": ("Kaffeebecher Grün", "Schöner Becher für Gäste, weiß und größer"),
    "cp1253": ("Βραστήρας νερού", "Ανοξείδωτος βραστήρας 1,7 λίτρων"),
    "cp1254": ("Elektrikli su ısıtıcısı", "Kapaklı çay fincanı, paslanmaz çelik, ağır"),
    "cp1255": ("קומקום חשמלי", "קומקום נירוסטה 1.7 ליטר"),
    "cp1256": ("غلاية كهربائية", "غلاية من الفولاذ سعة لتر"),
    "cp1257": ("Elektriskā tējkanna", "Tējkanna no nerūsējošā tērauda, pelēka, ar vāku"),
    "gbk": ("不锈钢电热水壶", "容量一点七升，电水壶，厨房用品"),
    "big5": ("不鏽鋼電熱水壺", "容量一點七公升，電水壺，廚房用品"),
    "shift_jis": ("電気ケトル", "ステンレス製のケトル、キッチン用品"),
    "euc-jp": ("電気ケトル", "ステンレス製のケトル、キッチン用品"),
    "euc-kr": ("스테인리스 전기 주전자", "용량 일점칠 리터 주전자"),
}


def table(*products: dict[str, str]) -> str:
    stream = StringIO()
    writer = csv.DictWriter(stream, PRODUCT, delimiter=";")
    writer.writeheader()
    writer.writerows(PRODUCT | product for product in products)
    return stream.getvalue()


FEW_ROWS = [(2, encoding) for encoding in TEXTS]
MANY_ROWS = [(40, encoding) for encoding in (TEXTS if THOROUGH else ("cp1250", "cp1251", "shift_jis"))]


@pytest.mark.parametrize(("rows", "encoding"), FEW_ROWS + MANY_ROWS)
def test_a_feed_is_never_valid_in_a_wrong_encoding(adsctl, encoding, rows):
    title, description = TEXTS[encoding]
    texts = {"title": title, "description": description}
    adsctl.file("feed.csv", table(*(texts | {"id": f"a-{n}"} for n in range(rows))).encode(encoding))
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    line = next((line for line in said.splitlines() if line.startswith("try: adsctl ")), "")
    assert line or encoding == "iso8859-2", said  # ISO 8859-2 may be cp1250
    if line:
        words = shlex.split(line.removeprefix("try: adsctl ").partition("  # ")[0])
        adsctl("products", "convert", *words[2:], "read.json")
        row = json.loads((adsctl.home / "read.json").read_text())[-1]
        assert (row["title"], row["description"]) == (title, description)
        assert any(word in said for word in title.split())  # a person sees letters that tell


def test_the_whole_file_tells_its_encoding(adsctl):
    first = [{"id": f"a-{n}", "title": "Caf\u00e9"} for n in range(3000)]
    last = {"id": "z", "title": "Żółty kubek", "description": "Łóżko i ścierka, dostępny źródło światła"}
    adsctl.file("feed.csv", table(*first, last).encode("cp1250"))
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    assert "feed.csv:2: not UTF-8" in said and "--encoding cp1250" in said and "cp1252" not in said


def test_of_encodings_that_both_fit_none_is_valid_and_each_is_shown(adsctl):
    adsctl.file("feed.csv", table({"title": "Crème", "description": "Référence"}).encode("cp1252"))
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    assert "as cp1250 it reads 'Crčme" in said and "as cp1252 it reads 'Crème" in said
    assert "try:" not in said and "name its encoding with --encoding" in said


@pytest.mark.parametrize("name", ["feed.csv", "feed.json", "feed.xml"])
@pytest.mark.parametrize("content", [b"\x80;\x81", b"\x80", b"\x80\n\x81\n"])
def test_a_few_bytes_that_are_not_utf_8_are_refused_as_that(adsctl, name, content):
    adsctl.file(name, content)
    assert "UTF-8" in adsctl("products", "check", name, code=3).stderr


def test_utf_8_with_a_line_that_is_not_is_named_as_that(adsctl):
    adsctl.file("feed.csv", "id,title\n1,Grün\n".encode() + "2,Grün\n".encode("cp1252"))
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    assert "feed.csv:3: not UTF-8, as other lines are" in said and "--encoding" not in said


def test_the_encoding_of_a_list_is_named_without_what_is_in_it(adsctl):
    people = "email,first_name\nanna@shop.example,Jürgen Größler\n"
    adsctl.file("list.csv", people.encode("cp1252"))
    said = adsctl("audiences", "check", "list.csv", code=3).stderr
    assert "list.csv:2: not UTF-8" in said and "--encoding cp1252" in said
    assert "Gr" not in said and "anna" not in said


@pytest.mark.parametrize(
    ("encoding", "rows"),
    [("cp1252", 8_000), ("latin-1", 20), ("cp1250", 20), ("gb18030", 20), ("mac-roman", 20)],
)
def test_utf_8_is_read_in_another_encoding_only_where_that_is_emphasized(adsctl, encoding, rows):
    adsctl.file("feed.csv", table(*[{}] * rows, {"id": "z", "title": "Grün"}))
    for words in (("products", "check", "feed.csv"), ("products", "convert", "feed.csv", "out.json")):
        said = adsctl(*words, "--encoding", encoding, code=3).stderr
        assert f"feed.csv is UTF-8, and not {encoding}" in said and "add --encoding utf-8" in said
    adsctl("products", "convert", "feed.csv", "out.json", "--keep", "first", "--encoding", "utf-8")
    adsctl("products", "convert", "feed.csv", "read.json", "--keep", "first", "--encoding", f"{encoding}!")
    texts = [json.loads((adsctl.home / name).read_text())[-1]["title"] for name in ("out.json", "read.json")]
    assert texts == ["Grün", "Grün".encode().decode(encoding)]


def test_a_list_in_utf_8_is_not_read_in_another_encoding(adsctl):
    adsctl.file("list.csv", "email,first_name\nanna@shop.example,Jürgen\n")
    said = adsctl("audiences", "check", "list.csv", "--encoding", "cp1252", code=3).stderr
    assert "list.csv is UTF-8, and not cp1252" in said and "rgen" not in said


def test_a_document_that_declares_another_encoding_than_utf_8_is_not_read_as_that(adsctl):
    fields = "".join(f"<{key}>{escape(text)}</{key}>" for key, text in (PRODUCT | {"title": "Grün"}).items())
    adsctl.file("feed.xml", f'<?xml version="1.0" encoding="iso-8859-1"?><a><b>{fields}</b></a>')
    said = adsctl("products", "check", "feed.xml", code=3).stderr
    assert "feed.xml is UTF-8, and not iso-8859-1" in said and "add --encoding utf-8!" in said
    adsctl.local("products", "push", "feed.xml", "--encoding", "utf-8!")
    assert json.loads(adsctl.local("products", "get", "sku-1", "-o", "json").stdout)["title"] == "Grün"


WRONG, RIGHT = "newish", "used"
ROW = PRODUCT | {"title": "Kaffeebecher Grün für Gäste", "condition": WRONG}


def workbook() -> bytes:
    book, stream = openpyxl.Workbook(), BytesIO()
    sheet = book.create_sheet("Produkte")
    sheet.append([*ROW])
    sheet.append([*ROW.values()])
    book.active.append(["no", "products"])
    book.save(stream)
    return stream.getvalue()


def xml() -> bytes:
    fields = "".join(f"<{key}>{escape(text)}</{key}>" for key, text in ROW.items())
    return f"<shop><a>{fields}</a><b>{fields}</b></shop>".encode("cp1252")


@pytest.mark.parametrize(
    ("name", "content", "options", "changed"),
    [
        ("jtl.csv", table(ROW).encode("cp1252"), ["--encoding", "cp1252"], ["--encoding", "utf-8"]),
        ("jtl.csv", table(ROW).encode("cp1252"), ["--recipe", "r.yaml"], ["--encoding", "utf-8"]),
        ("feed.txt", json.dumps(ROW).encode(), ["--format", "jsonl"], ["--format", "csv"]),
        ("feed.xlsx", workbook(), ["--sheet", "Produkte"], ["--sheet", "1"]),
        ("feed.xlsx", workbook(), ["--sheet", "Produkte"], []),
        ("feed.csv", table(ROW).encode(), [], []),
        (
            *("feed.xml", xml(), ["--record", "a", "--encoding", "cp1252"]),
            ["--encoding", "utf-8", "--record", "item"],
        ),
    ],
)
def test_rejected_rows_are_pushed_with_the_options_that_the_hint_names(
    adsctl, name, content, options, changed
):
    is_same_format = "--sheet" in changed or "--record" in changed
    failed = f"failed{name[name.index('.') :]}" if is_same_format else "failed.csv"
    adsctl.file("r.yaml", "encoding: cp1252\n")
    adsctl.file(name, content)
    push = ("products", "push", *options, "--skip-invalid", "--failed-out", failed, name)
    (hint,) = (line for line in adsctl.local(*push, code=9).stderr.splitlines() if line.startswith("hint: "))
    assert f"they are in {failed}, with the reasons; correct it and push it with the same options" in hint
    assert shlex.split(hint.partition(", but ")[2]) == changed
    path = adsctl.home / failed
    if failed.endswith(".xlsx"):
        book = openpyxl.load_workbook(path)
        cell = next(cell for row in book.active for cell in row if cell.value == WRONG)
        cell.value = RIGHT
        book.save(path)
    else:
        path.write_text(path.read_text().replace(WRONG, RIGHT, 1))
    adsctl.local("products", "push", *options, *changed, failed)
    assert json.loads(adsctl.local("products", "get", "sku-1", "-o", "json").stdout)["title"] == ROW["title"]
    if "cp1252" in options:  # whoever forgets them sends nothing that is wrong
        assert f"{failed} is UTF-8" in adsctl.local("products", "push", *options, failed, code=3).stderr
