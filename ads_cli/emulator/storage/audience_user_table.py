"""The table of users in audiences and do-not-reach lists: one row per identifier.

An identifier belongs to one user. Adding a user with a known identifier updates that user. Removing an
identifier removes the user with all other identifiers.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from . import Store


def identifier_hash(audience: str, field: str, value: str) -> bytes:
    """Shorten an identifier to a key that is unique in all audiences."""
    return blake2b(f"{audience}:{field}:{value}".encode(), digest_size=16).digest()


def count(store: Store, audience: str) -> int:
    """Count the users of an audience."""
    query = "SELECT count(DISTINCT user) FROM audience_users WHERE audience = ?"
    return int(store.value(query, audience))


def add_users(store: Store, audience: str, users: Sequence[Sequence[bytes]]) -> None:
    """Add users, each with one or more identifiers."""
    query = "SELECT coalesce(max(user), 0) FROM audience_users WHERE audience = ?"
    last = store.value(query, audience)
    numbered = [(last + n, identifiers) for n, identifiers in enumerate(users, 1)]
    _insert(store, audience, ((ids[0], user) for user, ids in numbered if len(ids) == 1))
    for user, identifiers in numbered:
        if len(identifiers) > 1:
            _merge(store, audience, user, identifiers)


def _insert(store: Store, audience: str, identifiers: Iterable[tuple[bytes, int]]) -> None:
    """Insert identifiers with their users; one that exists stays with its user."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO audience_users (identifier, audience, user) VALUES (?, ?, ?)",
        # Sorted: neighbours share a page, which is then written once.
        [(identifier, audience, user) for identifier, user in sorted(identifiers)],
    )


def _merge(store: Store, audience: str, user: int, identifiers: Sequence[bytes]) -> None:
    """Add a user with several identifiers, which may belong to several users so far."""
    placeholders = ",".join("?" * len(identifiers))
    query = f"SELECT DISTINCT user FROM audience_users WHERE identifier IN ({placeholders})"
    execute = store.connection.execute
    for (existing,) in execute(query, identifiers).fetchall():
        execute(
            "UPDATE audience_users SET user = ? WHERE audience = ? AND user = ?", (user, audience, existing)
        )
    _insert(store, audience, ((identifier, user) for identifier in identifiers))


def remove_users(store: Store, audience: str, identifiers: Iterable[bytes]) -> None:
    """Remove the users with these identifiers."""
    store.connection.executemany(
        "DELETE FROM audience_users WHERE audience = ? AND user IN"
        " (SELECT user FROM audience_users WHERE identifier = ?)",
        [(audience, identifier) for identifier in identifiers],
    )
