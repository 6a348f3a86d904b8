"""A signal that comes right before a process waits: Python notices it when that wait ends."""

from pathlib import Path

from .adsctl import ROOT, Adsctl

SENT = """
import pathlib, signal, sys, threading, time

def send():
    while not pathlib.Path({now!r}).exists():
        time.sleep(0.02)
    # To this thread: the system call in which the main one waits is not interrupted.
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

if {word!r} in sys.orig_argv:
    threading.Thread(target=send, daemon=True).start()
"""


def late_signal(adsctl: Adsctl, word: str) -> tuple[Path, dict[str, str]]:
    """Prepare SIGTERM for a command that has a word, while it waits.

    Returns the file that has it sent once it exists, and the environment of the command.
    """
    now = adsctl.home / "now"
    adsctl.file("sitecustomize.py", SENT.format(now=str(now), word=word))
    return now, {"PYTHONPATH": f"{adsctl.home}:{ROOT}"}
