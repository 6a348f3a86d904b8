"""A signal is obeyed, wherever the program happens to be."""

import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT

LOST = """
import os, signal, sys, time, weakref
from ads_cli import boundary

boundary.GRACE = 1.0

class Thing:
    pass

def work(argv):
    thing = Thing()
    # Python lets no exception out of a callback like this one.
    watch = weakref.ref(thing, lambda ref: os.kill(os.getpid(), signal.SIGTERM))
    del thing
    {then}
    return 0

import ads_cli.cli
ads_cli.cli.run = work
sys.exit(boundary.guarded([]))
"""


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("time.sleep(30)", "stopped by SIGTERM"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, [15]); time.sleep(30)", ""),
    ],
)
def test_a_signal_that_comes_where_nothing_can_be_raised_ends_the_program_all_the_same(then, told):
    done = subprocess.run(
        [sys.executable, "-c", LOST.format(then=then)], cwd=ROOT, capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in done.stderr and told in done.stderr
