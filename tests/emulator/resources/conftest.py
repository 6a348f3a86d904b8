from pathlib import Path

import pytest

from tests.effort import THOROUGH

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Walk under service x, and every second time under the generic one too; with THOROUGH always."""
    ours = [item for item in items if item.path.parent == FOLDER and hasattr(item, "callspec")]
    generic = [item for item in ours if item.callspec.params.get("run") == "generic"]
    left_out = set() if THOROUGH else {*generic[::2]}
    items[:] = [item for item in items if item not in left_out]
