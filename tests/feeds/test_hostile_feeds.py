"""Whatever a feed contains, it is read, or refused by a message that says where."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import time
import warnings

import pytest

from ads_cli.errors import ContentError
from ads_cli.feeds.formats.workbook import WorkbookError, read_sheet
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS, readable_formats
from ads_cli.feeds.source import Source
from tests.feeds.mutations import RECORDS, VALID, mutated

CASES = int(os.environ.get("FEED_CASES", "600"))  # of all formats together; `make chaos` has more
SEED = int(os.environ.get("FEED_SEED", "1"))
MOST_SECONDS = 20.0  # of CPU, for one of these small files
WHERE = re.compile(
    r"feed:\d+(:\d+)?: |feed (is empty|is not a complete \w+ file|decompresses|is compressed)|feed: "
)


def read(content: bytes, format: str) -> list[dict]:
    """Read a feed as it is read by commands, but a workbook in this process."""
    if format == "xlsx":
        return [dict(enumerate(row.cells)) for row in read_sheet(io.BytesIO(content), None, 1000)]
    source = Source(InMemory(content, "feed"), FORMATS[format])
    rows = read_rows(source, roots=("products",), known=("id", "title", "price"))
    return [row.values for row in rows]


def is_read(content: bytes, format: str) -> bool:
    """Read a feed, or expect the message of its error."""
    begun = time.process_time()
    try:
        json.dumps(read(content, format))
    except ContentError as error:
        assert WHERE.match(error.message), error.message
        json.dumps(error.as_dict())
        return False
    except WorkbookError as error:
        assert str(error).strip()
        return False
    finally:
        assert time.process_time() - begun < MOST_SECONDS
    return True


@pytest.mark.parametrize("format", readable_formats())
def test_a_feed_with_mistakes_is_read_or_refused_saying_where(format):
    assert format in VALID and len(read(VALID[format], format)) >= len(RECORDS)
    warnings.simplefilter("ignore")  # of openpyxl's and zipfile's about damaged archives
    outcomes = set()
    for number in range(CASES // len(readable_formats())):
        content = mutated(VALID[format], random.Random(f"{SEED} {format} {number}"))
        try:
            outcomes.add(is_read(content, format))
        except BaseException as error:
            error.add_note(f"seed {SEED}, {format}, case {number}: {content!r}")
            raise
    assert outcomes == {True, False}


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_feed_with_mistakes_before_or_after_it_was_compressed_is_read_or_refused(compress):
    for number in range(CASES // 16):
        chance = random.Random(f"{SEED} {compress.__module__} {number}")
        content = compress(mutated(VALID["xml"], chance))
        is_read(mutated(content, chance) if number % 2 else content, "xml")
