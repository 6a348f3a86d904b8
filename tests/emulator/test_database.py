"""The emulator's database file: what SQLite reports of it says what is wrong and what to do."""

import pytest

from ads_cli.emulator.app import Emulator
from ads_cli.errors import StateError


def _refuse_writes(emulator):
    emulator.store.connection.execute("PRAGMA query_only = ON")


def _damage(emulator):
    emulator.store.close()
    emulator.database.write_bytes(b"no database" * 1000)


@pytest.mark.parametrize(
    ("spoil", "use"),
    [
        (_refuse_writes, lambda emulator: emulator.bearer_token()),
        (_damage, lambda emulator: emulator.bearer_token()),
        (_damage, lambda emulator: emulator.credentials),
        (_damage, lambda emulator: emulator.account),
        (_damage, lambda emulator: list(emulator.data.products())),
    ],
)
def test_what_reads_or_writes_the_database_without_a_request_names_the_file_and_what_to_do(
    tmp_path, spoil, use
):
    emulator = Emulator(tmp_path / "emulator.db")
    spoil(emulator)
    with pytest.raises(StateError, match=r"the emulator cannot use .*emulator.db") as failed:
        use(emulator)
    assert "ADSCTL_STATE_DIR" in failed.value.hint
    emulator.close()
