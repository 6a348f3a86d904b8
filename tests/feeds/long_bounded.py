"""Damaged and unusual tables: time grows with their size and no faster, and memory does not grow."""

import bz2
import gzip
import json
import lzma
import subprocess
import sys
import time
from hashlib import sha256
from xml.sax.saxutils import escape

import pytest

from tests.adsctl import MEASURED
from tests.conftest import PRODUCT, feed
from tests.effort import tries

MOST_MEGABYTES = 100
MOST_MEGABYTES_OF_A_READER = 40
ITEMS = tries(3_000, 20_000)  # of 5 KB
# Read all rows, as a check does but without remembering their ids.
MEASURED_READING = """
import re
from pathlib import Path
from ads_cli.feeds.reader import open_source, read_rows
rows = sum(1 for _ in read_rows(open_source("{}"), roots=(), known=("id", "title", "price")))
print(rows, re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""
FEW, MANY = 500, 4_000
MOST_TIMES_LONGER = 24  # 8 times as much takes 8 times as long, or 64 times if time is quadratic


def wide_table(count):
    columns = [*PRODUCT, *(f"column_number_{n}" for n in range(count))]
    values = [*PRODUCT.values(), *["x"] * count]
    return ",".join(columns) + "\n" + ",".join(f'"{value}"' for value in values) + "\n"


def renamed_table(count):
    return wide_table(count).replace("id,", "key,", 1)


def wide_object(count):
    return json.dumps([PRODUCT | {f"column_number_{n}": "x" for n in range(count)}])


def repeated_key(count):
    keys = [f'"key_{n}": 1' for n in range(10 * count)]
    return "{" + ", ".join([*keys, keys[-1]]) + "}\n"


def a_new_key_in_each_record(count):
    return "".join(json.dumps(PRODUCT | {"id": str(n), f"key_{n}": "x"}) + "\n" for n in range(count))


def open_quote_in_the_header(count):
    return 'id,"title\n' + "x\n" * 10 * count


def comments_that_open_a_cell(count):
    return '# x","\n' * 2 * count + feed(1)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (wide_table, "feed.csv"),
        (renamed_table, "feed.csv"),
        (wide_object, "feed.json"),
        (repeated_key, "feed.jsonl"),
        (a_new_key_in_each_record, "feed.jsonl"),
        (open_quote_in_the_header, "feed.csv"),
        (comments_that_open_a_cell, "feed.csv"),
    ],
    ids=lambda value: value.__name__ if callable(value) else value,
)
def test_the_time_grows_with_the_size_and_no_faster(adsctl, make, name):
    adsctl("products", "check", adsctl.file("warm-up.csv", feed(1)))
    seconds = []
    for count in (FEW, MANY):
        adsctl.file(name, make(count))
        started = time.process_time()
        adsctl("products", "check", name, code=None)
        seconds.append(time.process_time() - started)
    assert seconds[1] < MOST_TIMES_LONGER * max(seconds[0], 0.01)


@pytest.mark.parametrize(
    ("words", "start", "line"),
    [
        (("products", "check"), feed(3) + 'sku-x,"open\n', 5),
        (("products", "check"), 'id,"title\n', 1),
        (("audiences", "check"), 'email\na@x.de\n"b@x.de\n', 3),
    ],
    ids=["feed", "header", "list"],
)
def test_a_quote_that_is_never_closed_is_named_without_reading_the_file_into_memory(
    adsctl, words, start, line
):
    adsctl.file("feed.csv", start + "some text\n" * 2_000_000)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words, "feed.csv"],
        stderr=subprocess.PIPE,
        env=adsctl.environment,
        cwd=adsctl.home,
        text=True,
    )
    assert done.returncode == 3 and f"feed.csv:{line}: a quote in this row is never closed" in done.stderr
    assert int(done.stderr.splitlines()[-1]) / 1024 < MOST_MEGABYTES


def shop_in_xml(count):
    yield '<?xml version="1.0"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>\n'
    elements = (f"<g:{name}>{escape(value)}</g:{name}>\n" for name, value in PRODUCT.items() if name != "id")
    fields = "".join(elements) + f"<description>{'x' * 4500}</description>\n"
    for n in range(count):
        random = sha256(str(n).encode()).hexdigest()  # what compresses by a thousand is no feed
        yield f"<item>\n<g:id>{n}</g:id>\n<note>{random}</note>\n{fields}</item>\n"
    yield "</channel></rss>\n"


@pytest.mark.parametrize("compress", [open, gzip.open, bz2.open, lzma.open], ids=["plain", "gz", "bz2", "xz"])
def test_a_feed_in_xml_is_read_without_reading_it_into_memory(adsctl, compress):
    with compress(adsctl.home / "feed.xml", "wt") as file:
        file.writelines(shop_in_xml(ITEMS))
    command = [sys.executable, "-c", MEASURED_READING.format("feed.xml")]
    done = subprocess.run(command, capture_output=True, env=adsctl.environment, cwd=adsctl.home, text=True)
    assert done.returncode == 0, done.stderr
    rows, kilobytes = map(int, done.stdout.split())
    assert rows == ITEMS and kilobytes / 1024 < MOST_MEGABYTES_OF_A_READER


def test_cells_of_several_lines_are_read_where_blocks_end_inside_them(adsctl, service):
    note = "line\n" * 20_000
    adsctl.file("feed.csv", feed(20, title="Mug", note=note))
    assert json.loads(adsctl("products", "push", "feed.csv", "-o", "json").stdout)["created"] == 20
