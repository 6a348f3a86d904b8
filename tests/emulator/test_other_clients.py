"""What clients that others wrote send to service x, and what they are answered."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ads_cli.emulator.app import Emulator

from .client import Client, InProcess, errors


@pytest.fixture
def local(database: Path) -> Iterator[Client]:
    """A client in the same process, of an emulator of service x as it is served."""
    with closing(Emulator(database, service="x")) as emulator:
        yield Client(emulator, InProcess(emulator))


def test_paths_of_version_11_answer_as_those_of_version_12(local):
    account = f"accounts/{local.emulator.account}"
    for path in ("accounts", f"{account}/campaigns", f"stats/{account}/active_entities"):
        older, current = (local.get(f"/{version}/{path}") for version in (11, 12))
        assert older.status_code == current.status_code and older.text == current.text
    made = local.send("POST", f"/11/{account}/tracking_tags", tracking_tag_type="IMPRESSION_TAG")
    assert errors(made)[0] == ("MISSING_PARAMETER", "line_item_id")
    assert local.get(f"/11/{account}/app_event_provider_configurations").status_code == 200
    assert local.send("PATCH", f"/11/{account}").status_code == 405
    assert local.get("/10/accounts").status_code == 404


def test_paths_of_version_11_are_unknown_to_the_neutral_service(database):
    with closing(Emulator(database)) as emulator:
        assert Client(emulator, InProcess(emulator)).get("/11/accounts").status_code == 404
