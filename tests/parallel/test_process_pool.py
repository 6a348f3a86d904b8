"""Blocks that are processed by worker processes."""

import os
import sys
from functools import partial

import pytest

from ads_cli.feeds.rows import Block
from ads_cli.parallel import process_pool as workers
from ads_cli.parallel.process_pool import MIN_FILE_BYTES, ProcessPool

BLOCKS = [Block(number, b"%d" % number) for number in range(40)]


def describe(block, sign="of"):
    return f"{block.data.decode()} {sign} {os.getpid()}"


def exits_in_a_worker(here, block):
    if os.getpid() != here and block.line > 7:
        os._exit(1)
    return block.data


def fails(block):
    raise ValueError(f"cannot process {block.data!r}")


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(workers, "_cores", lambda: 2)


def test_a_large_file_is_processed_by_worker_processes_with_the_results_in_order(two_cores):
    pool = ProcessPool(describe, MIN_FILE_BYTES)
    results = [(block.line, *said.split()) for block, said in pool.each(BLOCKS, "by")]
    pool.close()
    assert [(line, number, sign) for line, number, sign, _ in results] == [
        (number, str(number), "by") for number in range(40)
    ]
    assert str(os.getpid()) not in {pid for *_, pid in results}


def test_a_small_file_is_processed_in_this_process(two_cores):
    assert {said.split()[-1] for _, said in ProcessPool(describe, MIN_FILE_BYTES - 1).each(BLOCKS)} == {
        str(os.getpid())
    }


def test_blocks_of_a_worker_that_dies_are_processed_in_this_process(two_cores):
    pool = ProcessPool(partial(exits_in_a_worker, os.getpid()), MIN_FILE_BYTES)
    assert [done for _, done in pool.each(BLOCKS)] == [block.data for block in BLOCKS]
    assert [done for _, done in pool.each(BLOCKS)] == [block.data for block in BLOCKS]
    pool.close()


def test_without_workers_blocks_are_processed_in_this_process(two_cores, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert {said.split()[-1] for _, said in ProcessPool(describe, MIN_FILE_BYTES).each(BLOCKS)} == {
        str(os.getpid())
    }


def test_an_error_in_a_worker_is_raised_here(two_cores):
    with pytest.raises(ValueError, match="cannot process b'0'"):
        list(ProcessPool(fails, MIN_FILE_BYTES).each(BLOCKS))


def test_an_abandoned_iteration_waits_for_no_worker(two_cores):
    pool = ProcessPool(describe, MIN_FILE_BYTES)
    assert next(pool.each(BLOCKS))[0].line == 0
    pool.close()
