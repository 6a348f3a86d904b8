"""The rules of creations: a file is touched between runs, and no record is ever created twice."""

import gzip
import re
from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from ads_cli.runs.lost import LISTED_AFTER_SECONDS
from tests.stored import stored

from .mishaps import NOTHING, Mishap
from .trial import KILLED, SUCCESS, Trial, mishaps

NOT_DECIDED, REFUSED = 12, 11
HEADER = "name,funding_instrument_id"
COUNTS = (1, 2, 41, 90)  # 40 are sent in a request
MOST_BEFORE = 90  # an account may have 200
TOUCHES = ("line feeds of Windows", "blank lines", "reversed", "renamed", "a byte order mark", "compressed")


class CreationRules(Trial):
    """One user creates campaigns from one file at a time, and looks whether uncertain ones exist.

    A state folder that was restored knows less than the service, so that this one never is.
    """

    save_state = restore_state = None

    def __init__(self) -> None:
        super().__init__()
        self.written = self.total = 0  # files, and their records
        self.names: list[str] = []  # of the file, in its order
        self.corrected: dict[str, str] = {}  # names before, by the names of today
        self.begun = False  # a run with the file
        self.uncertain: tuple[str, ...] = ()  # what the user has decided

    @initialize(count=st.sampled_from(COUNTS))
    def begin_with_a_file(self, count: int) -> None:
        self._write_file(count)

    @precondition(lambda self: not self.names and self.total <= MOST_BEFORE)
    @rule(count=st.sampled_from(COUNTS))
    def write_another_file(self, count: int) -> None:
        self._write_file(count)

    @rule()
    def clean_jobs(self) -> None:
        self.run("jobs", "clean", "--yes", codes=(0,))

    @precondition(lambda self: self.names)
    @rule(how=st.sampled_from(TOUCHES))
    def touch_the_file(self, how: str) -> None:
        if how == "renamed":
            self.file = f"again-{self.file}"
        if how == "compressed" and not self.file.endswith(".gz"):
            self.file += ".gz"
        if how == "reversed":
            self.names.reverse()
        self._write(how)

    @precondition(lambda self: self.names)
    @rule(at=st.integers(0, COUNTS[-1]))
    def correct_a_record(self, at: int) -> None:
        """Change one that the service does not have."""
        name = self.names[at % len(self.names)]
        if name not in self.shop.campaigns() and name not in self.corrected:
            self.names[at % len(self.names)] = f"{name}!"
            self.corrected[f"{name}!"] = name
            self._write()

    @precondition(lambda self: self.names)
    @rule(mishap=mishaps)
    def create(self, mishap: Mishap) -> None:
        self._create((), mishap)

    @precondition(lambda self: self.names)
    @rule(mishap=mishaps)
    def resume(self, mishap: Mishap) -> None:
        """Resume once a list would show what was created, so that no run waits for that."""
        stored(self.shop, f"UPDATE sends SET at = at - {LISTED_AFTER_SECONDS}")
        self._create(("--resume", *self.uncertain), mishap)

    def _write_file(self, count: int) -> None:
        self.written += 1
        self.total += count
        self.file = f"campaigns-{self.written}.csv"
        self.names = [f"Campaign {self.written}-{number:03}" for number in range(count)]
        self.corrected, self.begun, self.uncertain = {}, False, ()
        self._write()

    def _write(self, how: str = "") -> None:
        end = "\r\n" if how == "line feeds of Windows" else "\n"
        rows = [f"{name},4a1n0" for name in self.names]
        if how == "blank lines":
            rows = [row for each in rows for row in (each, "")]
        mark = "\ufeff" if how == "a byte order mark" else ""
        content = (mark + end.join([HEADER, *rows, ""])).encode()
        is_compressed = self.file.endswith(".gz")
        (self.shop.home / self.file).write_bytes(gzip.compress(content) if is_compressed else content)
        self.spaced = how == "blank lines"

    def _create(self, options: tuple[str, ...], mishap: Mishap) -> None:
        jobs, before = self.shop.jobs(), self.shop.campaigns()
        done = self.run(
            *("campaigns", "create", "-f", self.file, *options, "-o", "json", "--max-attempts", 1),
            codes=(SUCCESS, 7, 8, REFUSED, NOT_DECIDED),
            mishap=mishap,
        )
        held = Counter(self.shop.campaigns())
        twice = [name for name, count in held.items() if count > 1]
        assert not twice, f"created twice: {twice[:3]}\n{done.stderr}"
        code = done.returncode
        if "--resume" not in options and code != REFUSED:
            # A run that is killed before it has begun a job leaves nothing that stops another.
            has_begun = bool({*self.shop.jobs()} - {*jobs})
            assert has_begun or self.shop.campaigns() == before, done.stderr
            self.begun = self.begun or has_begun
        self.uncertain = self._decided(done.stderr, held) if code == NOT_DECIDED else ()
        if code == REFUSED:
            self._read_refusal(done.stderr, is_resumed="--resume" in options)
        if code == SUCCESS or (code == KILLED and self._has_ended()):
            missing = [name for name in self.names if name not in held]
            assert not missing, f"not created: {missing[:3]}\n{done.stderr}"
            self.names = []
        assert mishap is not NOTHING or code in (SUCCESS, REFUSED, NOT_DECIDED), done.stderr
        assert code != KILLED or mishap.kills

    def _has_ended(self) -> bool:
        """Tell whether a run was killed after its end: its result was shown, and its records are not kept."""
        return stored(self.shop, "SELECT ended IS NOT NULL FROM runs ORDER BY rowid DESC LIMIT 1") == [1]

    def _decided(self, told: str, held: Counter[str]) -> tuple[str, ...]:
        """Look whether the first of the uncertain records exists: all of a request do, or none."""
        found = re.search(r"lines? (\d+)", told)
        assert found, told
        line = int(found[1]) - 2
        return ("--uncertain", "skip" if self.names[line // (1 + self.spaced)] in held else "resend")

    def _read_refusal(self, told: str, *, is_resumed: bool) -> None:
        """Put back what was corrected after it may have been sent; else say what a refusal is for."""
        if "an earlier run has sent other" in told:
            assert self.corrected and is_resumed, told
            self.names = [self.corrected.get(name, name) for name in self.names]
            self._write()
        elif is_resumed:
            assert "to resume" in told, told
        else:
            assert self.begun and "has not ended" in told, told
