"""The whole service on this machine: a WSGI application over one SQLite file.

Nothing is imported here, since every call with `--profile local` pays for it. `app.Emulator` is the
service, `server` serves it. A further endpoint is one handler (see `routing.handles`) in a module
that `app` names.
"""

from pathlib import Path


def reset(database: Path) -> None:
    """Delete the database; the next opening seeds a new one, with new keys and tokens."""
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
