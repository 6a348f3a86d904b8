"""Rate limits that the specification states, and those of the public service.

An endpoint declares its own limits (`rate`, `x_rate`). Where it declares none, service `x` limits it by its
method and path, as its chart of rate limits does.
"""

from typing import Literal

import msgspec

QUARTER_HOUR_SECONDS = 900.0

Kept = Literal["always", "without headers", "never"]


class Rate(msgspec.Struct, frozen=True):
    """A number of requests in a number of seconds, of one token or of one account."""

    name: str  # requests of rates with the same name count together
    requests: int
    seconds: float
    per: Literal["token", "account"] = "token"
    kept: Kept = "always"  # "always": by the client itself; "never": once the service says so
    account: str = ""  # whose limit it is; "" is that of the token

    def seconds_for(self, requests: int) -> float:
        """Return the seconds that a number of requests take at this rate; 0 if one window holds them."""
        return requests * self.seconds / self.requests if requests > self.requests else 0.0

    def seconds_left(self, requests: int, delay: float) -> float:
        """Return the seconds that further requests take if the first may be sent in `delay` seconds."""
        further_windows = max(0, -(-requests // self.requests) - 1)
        return max(self.seconds_for(requests), delay + further_windows * self.seconds)


AUDIENCE_USERS = Rate("audience-users", 1500, 60.0)
TOTAL_COUNTS = Rate("total-counts", 200, QUARTER_HOUR_SECONDS)
CORE_READS = ("/12/accounts/{account_id}/campaigns", "/12/accounts/{account_id}/line_items")
READS_OF_NO_ACCOUNT = 5  # requests in a quarter of an hour, of each endpoint, as `GET /12/accounts`
WRITES = Rate("writes", 450, 60.0, kept="without headers")


def per_quarter_hour(requests: int) -> Rate:
    """Limit one endpoint of service x, whose declaration gives the rate its name."""
    return Rate("", requests, QUARTER_HOUR_SECONDS)


def rate_of_x(method: str, path: str, base: str, declared: Rate | None) -> Rate | None:
    """Return the limit of an endpoint of service x; None where it states none.

    A declared rate is kept by the client only where headers are absent, whatever its `kept` says.
    Which category a read belongs to is not stated for each endpoint: no command waits on such a guess.
    """
    name = f"{method} {path}"
    if declared:
        return msgspec.structs.replace(declared, name=declared.name or name, kept="without headers")
    if base == "platform":
        return None
    if method != "GET":
        return WRITES
    if "{account_id}" in path:
        requests = 10_000 if path.startswith(CORE_READS) else 2000
        return Rate(name, requests, QUARTER_HOUR_SECONDS, "account", kept="never")
    return Rate(name, READS_OF_NO_ACCOUNT, QUARTER_HOUR_SECONDS, kept="never")
