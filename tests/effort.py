"""How much tests try: a few cases in `make test`, and with THOROUGH many more, as in `make chaos`."""

import os
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

Case = TypeVar("Case")

THOROUGH = bool(os.environ.get("THOROUGH"))


def tries(few: int, many: int) -> int:
    """Return how many cases are tried."""
    return many if THOROUGH else few


def every(step: int, cases: Iterable[Case]) -> list[Case]:
    """Return the first of each `step` cases of a table, and with THOROUGH all of them."""
    return [*islice(cases, 0, None, tries(step, 1))]
