"""Tables that several processes check, and a way to have them small."""

import pytest

from ads_cli.parallel import process_pool
from ads_cli.validation.validator import BlockRunner
from tests.conftest import PRODUCT

HEADER = ",".join(PRODUCT) + "\n"
LONG = "A description, which is as long as most of them are. " * 80  # near the limit, so that rows are few
SMALLER = 10
ROWS = 220


def share_smaller_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two processes check tables that are a tenth as large as those that several check otherwise."""
    monkeypatch.setattr(process_pool, "MIN_FILE_BYTES", process_pool.MIN_FILE_BYTES // SMALLER)
    monkeypatch.setattr(process_pool, "_cores", lambda: 2)
    monkeypatch.setattr(BlockRunner, "block_bytes", BlockRunner.block_bytes // SMALLER)


def row(number: int, **changes: str) -> str:
    return ",".join(f'"{v}"' for v in (PRODUCT | {"id": f"sku-{number}"} | changes).values()) + "\n"


def large(rows: int = ROWS, title: str = PRODUCT["title"], **odd: str) -> str:
    """Write a feed so large that several processes check it; some rows, by number, are others."""
    lines = (odd.get(f"row{n}") or row(n, title=title, description=LONG) for n in range(rows))
    content = HEADER + "".join(lines)
    assert len(content) > process_pool.MIN_FILE_BYTES
    return content
