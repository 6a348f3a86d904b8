"""Reading XML against a bare loop, and the memory that a check of it takes."""

from collections.abc import Mapping
from pathlib import Path

from .feeds import xml_feed
from .peers import ADSCTL, PYTHON
from .running import HERE, Command, interleaved, measured
from .table import Bar, Table

READ, BARE = "XML read", "bare expat"
MOST_MEGABYTES = 150
# All that a check does before it looks at a row, with the garbage collection of a command.
READ_ALL = """
import gc, sys
from ads_cli.__main__ import GC_THRESHOLD
gc.set_threshold(GC_THRESHOLD)
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.products.normal_form import PRODUCT_SCHEMA
for row in read_rows(open_source(sys.argv[1]), roots=(), known=PRODUCT_SCHEMA.known):
    pass
"""


def reading(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Read a feed in XML; compare speed and memory to their bars."""
    timed = rows // 5
    table.begin(f"reading of {timed:,} products in XML, medians of {runs}")
    path = str(xml_feed(folder / "feed.xml", timed))
    bare = Command([PYTHON, str(HERE / "bare_xml.py"), path], env).time
    read = Command([PYTHON, "-c", READ_ALL, path], env).time
    samples = interleaved({BARE: bare, READ: read}, runs, warm=False)
    table.speed(BARE, timed, samples)
    table.speed(READ, timed, samples, [Bar(BARE, most=1.6)])
    many = xml_feed(folder / "many.xml", rows)
    found = measured([ADSCTL, "products", "check", str(many)], env)
    table.limit(f"check of {rows:,}", found.megabytes, MOST_MEGABYTES, "MB")
