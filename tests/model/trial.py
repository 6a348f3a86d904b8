"""What every rule of the model needs: run a command, and hold the service against what it may contain."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.stored import stored

from .mishaps import ANSWERS, KILLS, NOTHING, Mishap
from .shop import ADDRESSES, Shop

HOUR, DAY = 3600.0, 86400.0
CLOCK_MOVES = (HOUR, 48 * HOUR, 40 * DAY, -HOUR, -48 * HOUR, -40 * DAY)
SUCCESS, REJECTED_ROWS = 0, 9
ENDED = (SUCCESS, REJECTED_ROWS)
KILLED = -9

starts = st.sampled_from((1, 20, 45))
addresses = st.integers(0, len(ADDRESSES))
attempts = st.sampled_from((1, 3))
catalogs = st.sampled_from((0, 0, 0, 1))
mishaps = st.one_of(
    st.just(NOTHING),
    st.builds(Mishap, st.sampled_from((*ANSWERS, "partial")), st.integers(1, 4), st.booleans()),
    st.builds(Mishap, st.sampled_from(KILLS[:2]), st.integers(1, 4)),
    st.builds(Mishap, st.just(KILLS[2]), st.integers(1, 60)),
)


class Trial(RuleBasedStateMachine):
    """One user, whose state folder and clock change, and whose commands are stopped."""

    steps = 0  # of all examples in this process

    def __init__(self) -> None:
        super().__init__()
        self.shop = Shop()
        self.products, self.people = self.shop.held()
        self.stopped = ""  # the file whose push was the last to change anything, and did not end
        self.older_jobs: set[str] = set()  # than that push

    def teardown(self) -> None:
        self.shop.close()

    def check_invariants(self, *args: Any, **options: Any) -> None:
        """Count the step."""
        Trial.steps += 1
        super().check_invariants(*args, **options)

    @rule(seconds=st.sampled_from(CLOCK_MOVES))
    def move_clock(self, seconds: float) -> None:
        self.shop.adsctl.clock += seconds

    @rule()
    def save_state(self) -> None:
        self.shop.save_state()

    @rule()
    def restore_state(self) -> None:
        self.shop.restore_state()
        self.stopped = ""

    @rule(all=st.booleans())
    def clean_jobs(self, all: bool) -> None:
        self.run("jobs", "clean", *["--all"] * all, "--yes", codes=(0,))
        if all:
            self.stopped = ""

    @rule()
    def list_jobs(self) -> None:
        self.run("jobs", "list", codes=(0,))

    def run(
        self, *words: object, codes: tuple[int, ...], mishap: Mishap = NOTHING, **env: str
    ) -> CompletedProcess[str]:
        """Run a command, which must end with one of `codes` unless it is killed."""
        done = self.shop.adsctl(*words, mishap=mishap, **env)
        killed = mishap.kills and done.returncode == KILLED
        assert killed or done.returncode in codes, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def observe(self, catalog: str, changes: dict[str, str | None], must_hold: dict[str, str | None]) -> None:
        """Read the service. Each product of the catalog is as before, or as `changes` says; None is absent.

        Those of `must_hold` are as it says, and nothing else has changed.
        """
        before, people = self.products, self.people
        self.products, self.people = self.shop.held()
        assert self.people == people
        for place, held in self.products.items():
            allowed = changes if place == catalog else {}
            ids = held.keys() | before[place].keys()
            changed = {id: held.get(id) for id in ids if held.get(id) != before[place].get(id)}
            wrong = {id: price for id, price in changed.items() if id not in allowed or price != allowed[id]}
            assert not wrong, f"changed, and no file says so: {wrong}"
        held = self.products[catalog]
        lost = {id: (held.get(id), price) for id, price in must_hold.items() if held.get(id) != price}
        assert not lost, f"{len(lost)} of {len(must_hold)} are not as the file says (held, wanted): {lost}"

    def note_new_push(self) -> None:
        """Note which jobs exist before a push that is not a resume."""
        self.older_jobs = {*self.shop.jobs()}

    def acknowledged_batches(self, name: str) -> int:
        """Count the batches that a resume of the push of a file may not send again."""
        last = next(reversed(self.shop.jobs()), None)
        if self.stopped != name or last is None or last in self.older_jobs:
            return 0  # something else was done since, or the push was killed before it had begun a job
        ((file, ended),) = stored(self.shop, "SELECT file, ended FROM runs WHERE id = ?", last)
        if ended or Path(file).name != name:
            return 0
        (count,) = stored(self.shop, "SELECT count(answer) FROM sends WHERE run = ?", last)
        return count
