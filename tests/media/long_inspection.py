"""What is read of a file takes neither long nor much memory, whatever fills it."""

import time
import tracemalloc

import pytest

from tests.media.test_inspection import BEGINNINGS, FILLINGS, require_sane


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("filling", FILLINGS)
def test_nothing_keeps_the_reader_busy(beginning, filling):
    content = beginning + filling * (200_000 // len(filling))
    started = time.process_time()
    tracemalloc.start()
    require_sane(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000
    assert time.process_time() - started < 30  # a second or two, traced
