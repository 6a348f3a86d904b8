"""What tests do to the data of an emulator without requests."""

from typing import Any

from ads_cli.emulator.app import Emulator
from ads_cli.emulator.storage.audience_user_table import identifier_hash


def update_record(
    emulator: Emulator, kind: str, id: str, fields: dict[str, Any], owner: str | None = None
) -> None:
    """Set fields of a record of the default account, or of another owner."""
    with emulator.store.transaction():
        emulator.store.update(kind, id, fields, owner=owner or emulator.account)


def audience_user(emulator: Emulator, audience: str, field: str, value: str) -> int | None:
    """Return the number of the user with an identifier, or None; `value` is as it was sent in `field`."""
    query = "SELECT user FROM audience_users WHERE identifier = ?"
    found: int | None = emulator.store.value(query, identifier_hash(audience, field, value))
    return found


def clear_audience(emulator: Emulator, audience: str) -> None:
    """Remove all users of an audience."""
    with emulator.store.transaction() as connection:
        connection.execute("DELETE FROM audience_users WHERE audience = ?", (audience,))
