"""The table of users of the service."""

from .store import Store


def find_by_screen_name(store: Store, screen_name: str) -> str | None:
    """Return the id of the user with a screen name, in any case; None if there is none."""
    query = "SELECT id FROM users WHERE lower(screen_name) = lower(?)"
    row = store.connection.execute(query, (screen_name,)).fetchone()
    return str(row[0]) if row else None


def screen_name(store: Store, user: str) -> str | None:
    """Return the screen name of a user, or None."""
    row = store.connection.execute("SELECT screen_name FROM users WHERE id = ?", (user,)).fetchone()
    return str(row[0]) if row else None
