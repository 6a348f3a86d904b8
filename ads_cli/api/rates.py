"""Rate limits that the specification states."""

from typing import NamedTuple


class Rate(NamedTuple):
    """A number of requests of one user in a number of seconds."""

    name: str
    requests: int
    seconds: float


AUDIENCE_USERS = Rate("audience-users", 1500, 60.0)
TOTAL_COUNTS = Rate("total-counts", 200, 900.0)
