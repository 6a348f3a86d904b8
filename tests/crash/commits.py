"""The moments at which SQLite writes: the commits of this process to `state.db`."""

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from tests.stored import connected_by

lasting = ExitStack()


def around_commits(commit: Callable[[Callable[[], Any]], Any]) -> None:
    """Let a function carry out each commit from here on until this process ends."""

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            carry_out = partial(super().execute, statement, *values)
            return commit(carry_out) if statement == "COMMIT" else carry_out()

    lasting.enter_context(connected_by(Connection))
