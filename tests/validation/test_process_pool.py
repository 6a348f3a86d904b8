"""Blocks that are worked on in several processes."""

import os
import sys
from functools import partial

import pytest

from ads_cli.feeds.rows import Block
from ads_cli.validation import process_pool as workers
from ads_cli.validation.process_pool import MIN_FILE_BYTES, ProcessPool

BLOCKS = [Block(number, b"%d" % number) for number in range(40)]


def where(block, sign="of"):
    return f"{block.data.decode()} {sign} {os.getpid()}"


def dies_elsewhere(here, block):
    if os.getpid() != here and block.line > 7:
        os._exit(1)
    return block.data


def fails(block):
    raise ValueError(f"nothing to be made of {block.data!r}")


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(workers, "_cores", lambda: 2)


def test_a_large_file_is_worked_on_in_other_processes_and_what_comes_is_in_order(two_cores):
    pool = ProcessPool(where, MIN_FILE_BYTES)
    found = [(block.line, *said.split()) for block, said in pool.each(BLOCKS, "by")]
    pool.close()
    assert [(line, number, sign) for line, number, sign, _ in found] == [
        (number, str(number), "by") for number in range(40)
    ]
    assert str(os.getpid()) not in {pid for *_, pid in found}


def test_a_small_file_is_worked_on_here(two_cores):
    assert {said.split()[-1] for _, said in ProcessPool(where, MIN_FILE_BYTES - 1).each(BLOCKS)} == {
        str(os.getpid())
    }


def test_where_processes_die_this_one_goes_on_alone(two_cores):
    pool = ProcessPool(partial(dies_elsewhere, os.getpid()), MIN_FILE_BYTES)
    assert [done for _, done in pool.each(BLOCKS)] == [block.data for block in BLOCKS]
    assert [done for _, done in pool.each(BLOCKS)] == [block.data for block in BLOCKS]
    pool.close()


def test_where_there_can_be_no_processes_this_one_goes_on_alone(two_cores, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert {said.split()[-1] for _, said in ProcessPool(where, MIN_FILE_BYTES).each(BLOCKS)} == {
        str(os.getpid())
    }


def test_what_fails_elsewhere_fails_here(two_cores):
    with pytest.raises(ValueError, match="nothing to be made of b'0'"):
        list(ProcessPool(fails, MIN_FILE_BYTES).each(BLOCKS))


def test_one_who_wants_no_more_waits_for_nobody(two_cores):
    pool = ProcessPool(where, MIN_FILE_BYTES)
    assert next(pool.each(BLOCKS))[0].line == 0
    pool.close()
