"""How much tests try: a few cases in `make test`, and with THOROUGH many more, as in `make chaos`."""

import os

THOROUGH = bool(os.environ.get("THOROUGH"))


def tries(few: int, many: int) -> int:
    """Return how many cases are tried."""
    return many if THOROUGH else few
