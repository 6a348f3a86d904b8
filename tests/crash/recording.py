"""Record a command on a disk that may lose what was not synced, and set up what a power failure leaves."""

import pickle
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from ads_cli.runs.journal import Journal
from ads_cli.store import database
from ads_cli.store.file_identity import file_identity
from tests.model.mishaps import Service
from tests.model.shop import Shop

from .disk import CrashPoint, Disk, Tree

FOLDERS = ("state", "config")
SNAPSHOT = ("", "-wal")  # the files of a database


def record(shop: Shop, *words: object) -> list[CrashPoint]:
    """Run a command and return its moments; the service after n answers is in `service-n.db`."""
    points = shop.home / "points"

    def prepare(service: Service) -> Callable[[], None]:
        disk = Disk(shop.home, FOLDERS, counted=_counted_rows())

        def snapshot() -> None:
            for suffix in SNAPSHOT:
                if (source := Path(f"{shop.adsctl.database}{suffix}")).exists():
                    shutil.copyfile(source, shop.home / f"service-{disk.answered}.db{suffix}")

        def before() -> None:
            disk.started += 1
            disk.record("request")

        def after() -> None:
            disk.answered += 1
            snapshot()
            disk.record("answer")

        def finish() -> None:
            disk.record("end")
            points.write_bytes(pickle.dumps(disk.points))

        snapshot()
        service.before, service.after = before, after
        disk.watch()
        return finish

    done = shop.adsctl(*words, prepare=prepare)
    assert done.returncode in (0, 9), done.stderr
    return pickle.loads(points.read_bytes())


def _counted_rows() -> Callable[[], int]:
    """Return a function that tells how many rows the journal of this process has counted."""
    journals: list[Journal] = []
    original = Journal.__init__

    def __init__(self: Journal, *args: object, **options: object) -> None:
        journals.append(self)
        original(self, *args, **options)

    Journal.__init__ = __init__
    return lambda: sum(journal.totals.total() for journal in journals if hasattr(journal, "totals"))


def crashes(points: list[CrashPoint]) -> Iterator[tuple[CrashPoint, Tree, int]]:
    """Yield every different outcome of a power failure: the files, and how many requests were applied.

    A request that was sent may be applied although nobody has received its answer.
    """
    seen = set()
    for point in points:
        for tree in point.trees():
            for applied in range(point.answered, point.started + 1):
                key = (tuple(sorted(tree.items())), applied)
                if key not in seen:
                    seen.add(key)
                    yield point, tree, applied


class Restarted(Shop):
    """The machine of another shop after a power failure; its database is the same file."""

    def __init__(self, origin: Shop, tree: Tree, applied: int) -> None:
        super().__init__()
        for suffix in SNAPSHOT:
            if (source := origin.home / f"service-{applied}.db{suffix}").exists():
                shutil.copyfile(source, f"{self.adsctl.database}{suffix}")
        for path in origin.home.glob("*.csv"):
            shutil.copyfile(path, self.home / path.name)
        shutil.rmtree(self.home / "config")
        self.adsctl.environment = {
            name: value.replace(str(origin.home), str(self.home))
            for name, value in origin.adsctl.environment.items()
        }
        self._identity = file_identity(origin.state / database.FILE)
        for name, content in tree.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def run(self, *words: object):
        return self.adsctl(*words, prepare=self._keep_identity)

    def _keep_identity(self, service: Service) -> Callable[[], None]:
        database.file_identity = self._identify
        return lambda: None

    def _identify(self, path: Path) -> str:
        """Return the identity of the database of the other shop, or that of the mark that lies there."""
        if path.name == database.FILE:
            return self._identity
        path.stat()
        with closing(sqlite3.connect(path.parent.parent / database.FILE)) as db:
            marks = [identity for (identity,) in db.execute("SELECT identity FROM mark")]
        return marks[0] if marks else "new"
