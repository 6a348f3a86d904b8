"""One database of the emulator for several processes, and for threads beside its resets."""

import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

from ads_cli.emulator.app import Emulator, reset_emulator
from ads_cli.errors import StateError
from tests.effort import tries


def test_a_database_is_not_reset_while_it_is_open(tmp_path, seeded_database):
    """Whatever is written and read around resets is written and read in one world."""
    database = tmp_path / "state %20?#" / "emulator.db"
    database.parent.mkdir()
    shutil.copyfile(seeded_database, database)
    done = threading.Event()

    def use(user: int) -> int:
        opened = 0
        while not done.is_set():
            with closing(Emulator(database)) as first, closing(Emulator(database)) as second:
                with first.store.transaction() as connection:
                    put = "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)"
                    connection.execute(put, (f"user {user}", str(opened)))
                assert second.store.setting(f"user {user}") == str(opened)
                assert first.credentials == second.credentials
                opened += 1
            time.sleep(0.01)
        return opened

    def reset_often() -> int:
        resets = 0
        for _ in range(10):
            with suppress(StateError):
                reset_emulator(database)
                resets += 1
        done.set()
        return resets

    with ThreadPoolExecutor(3) as pool:
        users = [pool.submit(use, number) for number in range(2)]
        assert pool.submit(reset_often).result()
        assert all(user.result() for user in users)


def test_concurrent_processes_share_one_seeded_database(tmp_path):
    code = (
        "import sys; from pathlib import Path; from ads_cli.emulator.app import Emulator;"
        "print(Emulator(Path(sys.argv[1])).credentials)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "emulator.db")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(tries(3, 6))]
    assert len({process.communicate()[0] for process in started}) == 1
    assert all(process.returncode == 0 for process in started)
    assert sorted(path.name for path in tmp_path.iterdir())[0] == "emulator.db"
