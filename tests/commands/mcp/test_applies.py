"""The changes that servers carry out at once, each in a process of its own."""

import sys
import threading

import pytest

from ads_cli.commands.mcp.applies import _lock

if sys.platform == "win32":
    pytest.skip("files are locked elsewhere only", allow_module_level=True)
import fcntl


def test_a_change_begins_while_another_server_looks_whether_it_runs(tmp_path):
    with (tmp_path / "plan.out").open("wb") as own, (tmp_path / "plan.out").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
        looked = threading.Timer(0.1, fcntl.flock, (other, fcntl.LOCK_UN))
        looked.start()
        _lock(own.fileno())
        looked.join()
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
