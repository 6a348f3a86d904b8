"""A task: one run of one command under one profile, and what must not run beside it."""

import hashlib
import re

import msgspec

from ..uploads.job_key import Place

UNFIT = re.compile(r"[^A-Za-z0-9._-]+")  # for the name of a file
MAX_STEM = 60  # characters of a task's name


class Task(msgspec.Struct, frozen=True):
    """One command line of a fleet. It is sent to other machines, so it holds no secret."""

    name: str
    profile: str  # as it is shown; the words have it too, where it was named
    words: tuple[str, ...]  # after `adsctl`, without -o
    account: str = ""  # whose jobs run one after another; empty where the task uses none
    place: Place | None = None  # what it changes
    is_part: bool = False  # of a user list: parts of one list may run at once
    can_resume: bool = False  # whether the command takes --resume
    is_once: bool = False  # what it sends counts each time

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for what is run: with another command it is another task."""
        return hashlib.sha256(msgspec.json.encode((self.name, self.words))).hexdigest()[:16]

    @property
    def stem(self) -> str:
        """Return how the names of the task's files begin."""
        return f"{UNFIT.sub('-', self.name)[:MAX_STEM]}-{self.digest}"

    @property
    def group(self) -> str:
        """Return what tasks have in common that may use an account at the same time."""
        return f"{self.place}" if self.is_part else self.digest
