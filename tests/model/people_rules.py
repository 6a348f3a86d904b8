"""The rules of customer lists: people who are added for good or for a time, and people who are removed."""

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from .files import People
from .mishaps import NOTHING, Mishap
from .shop import AUDIENCE, summary_of
from .trial import ENDED, HOUR, REJECTED_ROWS, SUCCESS, Trial, addresses, attempts, mishaps, starts

# No clock is ever moved to the very end of a membership: that takes half an hour more.
MEMBERSHIPS = (1.5 * HOUR, 100.5 * HOUR)
INVALID_FILE = 3

names = st.sampled_from(("c.csv", "d.csv"))


class PeopleRules(Trial):
    """One user pushes two lists to one audience."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[str, People] = {}
        self.list_options: dict[str, tuple[str, ...]] = {}  # of the last push of a list
        self.pushed_at: dict[str, list[float]] = {}  # times at which it was started or resumed

    @initialize()
    def begin_with_lists(self) -> None:
        self.write_list("c.csv", 1, 50, False, None)
        self.write_list("d.csv", 20, 50, True, MEMBERSHIPS[0])

    @rule(
        name=names,
        first=starts,
        count=st.sampled_from((19, 50, 80)),
        removes=st.booleans(),
        membership=st.sampled_from((None, *MEMBERSHIPS)),
    )
    def write_list(self, name: str, first: int, count: int, removes: bool, membership: float | None) -> None:
        end = None if membership is None else float(int(self.shop.now + membership))
        self.lists[name] = People(first, count, removes, end)
        self.shop.file(name, self.lists[name].text)
        self.stopped = self.stopped.replace(name, "")

    @rule(name=names, skip_invalid=st.booleans(), address=addresses, attempts=attempts, mishap=mishaps)
    def push_people(self, name, skip_invalid, address, attempts, mishap):
        self.list_options[name] = ("--skip-invalid",) * skip_invalid
        self.pushed_at[name] = []
        self.note_new_push()
        self._push_people(name, (), address, attempts, mishap)

    @precondition(lambda self: self.list_options)
    @rule(data=st.data(), address=addresses, attempts=attempts, mishap=mishaps)
    def resume_people(self, data, address, attempts, mishap):
        name = data.draw(st.sampled_from(sorted(self.list_options)))
        self._push_people(name, ("--resume",), address, attempts, mishap)

    @precondition(lambda self: self.stopped in self.lists)
    @rule(address=addresses)
    def resume_people_at_once(self, address: int) -> None:
        self._push_people(self.stopped, ("--resume",), address, 1, NOTHING)

    def _push_people(self, name, resume, address, attempts, mishap: Mishap) -> None:
        people, skips = self.lists[name], "--skip-invalid" in self.list_options[name]
        safe = self.acknowledged_batches(name) if resume else 0
        self.pushed_at[name].append(self.shop.now)
        done = self.run(
            *("audiences", "push", name, "--audience", AUDIENCE, *self.list_options[name], *resume),
            *("--users-per-operation", 1, "-o", "json", "--max-attempts", attempts, "--concurrency", 1),
            codes=self._exit_codes(name, resume, skips, mishap, can_be_resumed=safe > 0),
            mishap=mishap,
            **self.shop.access(address),
        )
        summary, ended = summary_of(done), done.returncode in ENDED
        self._observe_people(people, is_complete=ended)
        if summary:
            self._check_people_summary(summary, people, ended)
        if mishap is NOTHING and ended and summary["failed"] == 0:
            assert self.shop.adsctl.changes <= summary["batches"] - safe, summary
        self.stopped = "" if ended or done.returncode == INVALID_FILE else name

    def _exit_codes(self, name, resume, skips, mishap, *, can_be_resumed: bool) -> tuple[int, ...]:
        """Return the codes that a push may end with: rows may have ended before it, or since its start."""
        people, times = self.lists[name], self.pushed_at[name]
        total = len(people.rows)
        complete = [len(people.valid_at(now)) == total for now in (times if resume else times[-1:])]
        codes = {SUCCESS if all_valid else REJECTED_ROWS if skips else INVALID_FILE for all_valid in complete}
        if resume and not all(complete):
            codes.add(REJECTED_ROWS)  # the service rejects what has ended since
        if can_be_resumed:
            codes.discard(INVALID_FILE)
        return tuple(codes) if mishap is NOTHING else (*codes, 7, 8)

    def _observe_people(self, people: People, *, is_complete: bool) -> None:
        """Read the service: all are as before or as the list says, and those still valid as it says."""
        before, products = self.people, self.products
        self.products, self.people = self.shop.held()
        assert self.products == products
        operations = {email: operation == "Update" for email, (operation, _) in people.rows.items()}
        changed = {email: email in self.people for email in before ^ self.people}
        assert changed.items() <= operations.items(), changed
        if is_complete:
            wanted = people.valid_at(self.shop.now).items()
            lost = {email: is_member for email, is_member in wanted if (email in self.people) != is_member}
            assert not lost, f"{len(lost)} of {len(wanted)} are not as the list says (wanted): {lost}"

    def _check_people_summary(self, summary, people: People, ended: bool) -> None:
        """Whoever is counted as accepted is in the audience, or was removed from it."""
        rows = people.rows.items()
        right = sum((email in self.people) == (operation == "Update") for email, (operation, _) in rows)
        assert summary["accepted"] <= right, f"{right} people are as the list says: {summary}"
        if ended:
            assert summary["accepted"] + summary["failed"] == summary["users"], summary
