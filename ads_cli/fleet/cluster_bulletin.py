"""What a fleet keeps at the scheduler of a cluster for its workers to read."""

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from signal import SIGTERM
from time import monotonic
from uuid import uuid4

import msgspec

from .. import __version__
from .cluster_link import Link, LostError
from .cluster_members import Members
from .cluster_messages import Board, Order, shares_of
from .records import Run
from .tasks import Task

STORED = "stored"


class Bulletin:
    """The board that all workers look at, the shares of each home, and a variable for each outcome."""

    def __init__(self) -> None:
        self.board = f"adsctl-{uuid4().hex}"
        self._beat = 0
        self._share_changes = 0
        self._published: dict[str, str] = {}  # the shares of each home
        self._announced: set[str] = set()  # the variables for outcomes

    def ended(self, task: Task) -> str:
        """Name the variable for the outcome of a task."""
        return f"{self.board}-{task.digest}"

    def order(self, task: Task, run: Run) -> Order:
        """Return what a worker is told of a task: it holds the lease of its account, which parts share."""
        lease = self.ended(task)
        if task.account and not task.is_part:
            lease = f"adsctl-{sha256(task.account.encode()).hexdigest()[:16]}"
        return Order(task, run, __version__, f"{lease}-lease", self.ended(task), self.board)

    def announce(self, link: Link, task: Task) -> None:
        """Set the variable for an outcome, once: reading one that is not set is an error at the scheduler."""
        name = self.ended(task)
        if name not in self._announced:
            link.put(name, "")
            self._announced.add(name)

    def store(self, link: Link, task: Task) -> None:
        """Replace an outcome that the fleet has: Dask may yet run the task again, which must find one."""
        with suppress(LostError):
            link.put(self.ended(task), STORED)

    def tell(self, link: Link, members: Members, stop_signals: Sequence[int]) -> None:
        """Tell all workers that the fleet runs, and what share of each limit they have."""
        now, changed = monotonic(), False
        for home in members.homes:
            text = msgspec.json.encode(members.shares(home, now)).decode()
            if self._published.get(home) != text:
                link.put(shares_of(self.board, home), text)
                self._published[home] = text
                changed = True
        self._share_changes += changed
        self._put(link, stop_signals[0] if stop_signals else 0)

    def renew(self) -> None:
        """Begin again, at a scheduler that knows nothing."""
        self._published.clear()
        self._announced.clear()

    def leave(self, link: Link, members: Members, *, is_done: bool) -> None:
        """Forget what was told; what still runs is to end."""
        link.delete(*self._announced, *(shares_of(self.board, home) for home in members.homes))
        if is_done:
            link.delete(self.board)
        else:
            self._put(link, SIGTERM)

    def _put(self, link: Link, stop: int) -> None:
        self._beat += 1
        board = Board(self._beat, stop, self._share_changes)
        link.put(self.board, msgspec.json.encode(board).decode())
