"""A format is known wherever its record is registered."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ads_cli.errors import UsageError
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.registry import (
    FORMATS,
    FeedFormat,
    find_failed_out,
    find_writable,
    one_of,
    readable_formats,
    writable_formats,
)
from ads_cli.feeds.row import Row
from ads_cli.feeds.rows import RecordRows
from tests.conftest import PRODUCT

CONTENT = b"TOY\xff\xfe1 2"


class ToyRows(RecordRows):
    """Ids between spaces, after three letters and a byte order mark."""

    def _read(self) -> Iterator[Row]:
        content = self.source.stream().read()
        assert content == CONTENT, "the format decodes by itself"
        for id in content[5:].decode().split():
            yield self.row(1, {"id": id})


def is_toy(head: bytes) -> bool:
    return head[:3] == b"TOY"


TOY = FeedFormat(
    "toy",
    (".toy",),
    "tests.feeds.test_registry:ToyRows",
    matches="tests.feeds.test_registry:is_toy",
    is_self_describing=True,
)


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(FORMATS, TOY.name, TOY)


@pytest.mark.parametrize("name", ["f.toy", "f.TOY.gz", "f.dat", "f"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_registered_format_is_read_by_its_extension_or_its_content(toy, feeds, name, compress):
    found = feeds.rows(name, compress(CONTENT))
    assert [row.values for row in found] == [{"id": "1"}, {"id": "2"}]
    assert found.several_per_line and found.table is None


def test_a_registered_format_is_read_by_option_whatever_the_name(toy, feeds):
    source = open_source(feeds.write("f.csv", CONTENT), "toy")
    assert len(list(read_rows(source, roots=(), known=()))) == 2


def test_the_content_of_a_format_that_is_not_registered_tells_nothing(feeds):
    with pytest.raises(UsageError, match="cannot tell the format from the name"):
        open_source(feeds.write("f.dat", CONTENT))


@pytest.mark.parametrize("title", ["Książka", "Åre", "Сухой"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv"])
def test_letters_do_not_hide_the_format_of_a_file_whose_name_does_not_tell_it(adsctl, form, title):
    products = [PRODUCT | {"id": id} for id in ("1", "2")]
    if form == "jsonl":
        lines = [json.dumps(product | {"title": title}, ensure_ascii=False) for product in products]
    else:
        delimiter = {"csv": ";", "tsv": "\t"}[form]
        lines = [delimiter.join((title, *PRODUCT))]
        lines += [delimiter.join(("", *(f'"{cell}"' for cell in product.values()))) for product in products]
    adsctl.file("feed.txt", "\n".join(lines) + "\n")
    done = adsctl.local("products", "check", "feed.txt", "-o", "json")
    assert json.loads(done.stdout)["valid"] == 2


PROGRAM = """\
import json, sys
from ads_cli.feeds.registry import FORMATS, FeedFormat
FORMATS["toy"] = FeedFormat("toy", (".toy",), "nowhere:Rows")
from ads_cli.__main__ import main
for words in json.loads(sys.argv[1]):
    assert main(words) == 0
    print("END")
"""
READ = ("JSONL, XML, XLSX, PARQUET or TOY, also compressed", "parquet or toy (default")


def test_help_names_the_registered_formats():
    formats = {
        ("products", "push", "--help"): READ,
        ("audiences", "check", "--help"): READ,
        ("products", "pull", "--help"): ("xml or xlsx (default",),
        ("help", "files"): ("JSONL, XML, XLSX, PARQUET or TOY, each also compressed",),
    }
    command = [sys.executable, "-c", PROGRAM, json.dumps([*formats])]
    done = subprocess.run(command, capture_output=True, text=True, env={"COLUMNS": "200"})
    assert done.returncode == 0, done
    for (words, texts), shown in zip(formats.items(), done.stdout.split("END\n"), strict=False):
        assert all(text in " ".join(shown.split()) for text in texts), words


def test_formats_are_listed_by_what_can_be_done_with_them(toy):
    assert set(readable_formats()) - set(writable_formats()) == {"toy", "parquet"}
    assert "lines" not in readable_formats()
    assert one_of(["csv"]) == "csv" and one_of(["csv", "tsv", "xml"]) == "csv, tsv or xml"


def test_a_format_without_a_writer_is_refused_naming_the_writable_ones(toy):
    with pytest.raises(UsageError, match=r"x\.toy: toy can be read but not written") as caught:
        find_writable("x.toy")
    assert caught.value.hint == f"write {one_of(writable_formats())}"
    with pytest.raises(UsageError, match="--format: 'toy' is not one of csv, tsv"):
        find_writable("x.csv", "toy")
    with pytest.raises(UsageError, match=r"x\.toy\.gz: rows cannot be written as \.toy") as caught:
        find_failed_out("x.toy.gz")
    assert ".csv, .tsv" in caught.value.hint and ".toy" not in caught.value.hint


@pytest.mark.parametrize("name", ["/dev/stdout", "failed", "failed.2026-07-01", "failed.csv"])
def test_failed_rows_are_csv_where_the_name_has_no_extension(name):
    assert find_failed_out(name).name == "csv"


@pytest.mark.parametrize("words", [("push", "feed.csv", "--failed-out", "x.html"), ("pull", "x.html")])
def test_a_command_never_writes_a_format_that_it_does_not_know(adsctl, words):
    adsctl.file("feed.csv", "id\n1\n")
    done = adsctl.local("products", *words, code=2)
    assert "html" in done.stderr and ".csv, .tsv" in done.stderr
    assert not (adsctl.home / "x.html").exists()
