"""A signal ends the program, wherever it arrives."""

import signal
import subprocess
import sys

import pytest

from tests.adsctl import ROOT
from tests.effort import tries

LOST = """
import os, signal, sys, time, weakref
from ads_cli.cli import error_boundary as boundary

boundary.SHUTDOWN_TIMEOUT_SECONDS = 1.0

class Thing:
    pass

def work(command_line):
    thing = Thing()
    # Python lets no exception out of a callback like this one.
    watch = weakref.ref(thing, lambda ref: os.kill(os.getpid(), signal.SIGTERM))
    del thing
    {then}
    return 0

import ads_cli.cli.tree
ads_cli.cli.tree.run = work
sys.exit(boundary.run_guarded([]))
"""


@pytest.mark.parametrize(
    ("then", "message"),
    [
        ("time.sleep(30)", "stopped by SIGTERM"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, [15]); time.sleep(30)", ""),
    ],
)
def test_a_signal_in_an_unraisable_context_ends_the_program(then, message):
    done = subprocess.run(
        [sys.executable, "-c", LOST.format(then=then)], cwd=ROOT, capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in done.stderr and message in done.stderr


WRAPPED = """
import os, signal, sys
from ads_cli.cli import error_boundary as boundary

class Name:
    def __set_name__(self, owner, name):  # Python raises RuntimeError in place of what is raised here
        os.kill(os.getpid(), signal.SIGTERM)

def work(command_line):
    type("Owner", (), {"name": Name()})
    return 0

import ads_cli.cli.tree
ads_cli.cli.tree.run = work
sys.exit(boundary.run_guarded([]))
"""


def test_a_signal_that_python_raises_as_another_error_is_still_that_signal():
    done = subprocess.run([sys.executable, "-c", WRAPPED], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stderr.strip() == "stopped by SIGTERM"


SENT = """
import os, signal, sys

def hear(event, arguments):
    if event == "import" and arguments[0] == {module!r} and "ads_cli.cli.error_boundary" in sys.modules:
        os.write(2, b"sent\\n")
        os.kill(os.getpid(), signal.SIGTERM)

sys.addaudithook(hear)
"""
NEEDED = "import sys; before = set(sys.modules); import msgspec; print(*sorted(set(sys.modules) - before))"


def test_a_signal_while_modules_are_loaded_is_not_lost(adsctl):
    """C extensions may import modules and swallow the exception."""
    listed = subprocess.run([sys.executable, "-c", NEEDED], capture_output=True, text=True, check=True)
    sent = 0
    for module in listed.stdout.split()[:: tries(12, 1)]:
        adsctl.file("sitecustomize.py", SENT.format(module=module))
        done = adsctl.process("profile", "show", code=None, PYTHONPATH=f"{adsctl.home}:{ROOT}")
        came = "sent" in done.stderr.splitlines()
        assert done.returncode in ((143, -15) if came else (0,)), f"{module}: {done.stderr}"
        sent += came
    assert sent > 1
