"""A PostgreSQL server of Debian, in a folder of its own."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.ports import HOST, free_port

START_SECONDS = 60.0
OWNER, PASSWORD = "owner", "s3cret-of-the-database"
# What a crash leaves is not what these tests are about.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "listen_addresses": HOST, "max_connections": "50"}


class PostgresServer(NamedTuple):
    """A running server: its socket trusts everybody, its port asks for a password."""

    folder: Path
    port: int

    def address(self, database: str = "postgres", user: str = OWNER) -> str:
        """Return the address of a database by the socket."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def port_address(self, database: str, user: str = OWNER) -> str:
        """Return the address of a database by the port, which asks for a password."""
        return f"postgresql://{user}@{HOST}:{self.port}/{database}"

    def rows(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the owner of everything, and return its rows."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            done = connection.execute(statement)  # type: ignore[arg-type]
            return done.fetchall() if done.description else []


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server, and stop it; as root, by another user, since it refuses to be root's."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # not in pytest's, where that user may not look
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    port = free_port()
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    data = folder / "data"
    (folder / "password").write_text(PASSWORD)
    quiet: Mapping[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "cwd": folder}
    made = ["-U", OWNER, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--auth-local=trust"]
    made += ["--auth-host=scram-sha-256", f"--pwfile={folder / 'password'}"]
    subprocess.run([programs / "initdb", "-D", data, *made], check=True, **user, **quiet)
    options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
    command = [programs / "postgres", "-D", data, "-k", folder, "-p", str(port), *options]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **user)
    server = PostgresServer(folder, port)
    try:
        _wait_for(server, process)
        yield server
    finally:
        process.send_signal(signal.SIGINT)  # SIGTERM would wait for clients to leave
        process.wait(START_SECONDS)
        shutil.rmtree(folder)


def _wait_for(server: PostgresServer, process: subprocess.Popen[bytes]) -> None:
    import psycopg

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            server.rows("SELECT 1")
            return
        except psycopg.OperationalError:
            running = process.poll() is None and time.monotonic() < deadline
            assert running, (server.folder / "log").read_text()
            time.sleep(0.05)
