"""How often the service lets itself be asked, where the specification says so."""

from typing import NamedTuple


class Rate(NamedTuple):
    """So many requests of a user in so many seconds."""

    name: str
    requests: int
    seconds: float


AUDIENCE_USERS = Rate("audience-users", 1500, 60.0)
TOTAL_COUNTS = Rate("total-counts", 200, 900.0)
