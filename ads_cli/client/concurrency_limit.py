"""Limit the number of concurrent requests per route (AIMD)."""

INITIAL_LIMIT = 4
MIN_SAMPLES = 4  # responses that make a mean latency worth comparing
GROWTH_COMPARED = 1.5  # growth of the limit after which latencies are compared
LATENCY_SHARE = 0.8  # of that growth: if latency rises by more, throughput has peaked
DECREASE_FACTOR = 0.75  # of the limit, after an overload


class ConcurrencyLimit:
    """Adapt the concurrency limit to the service.

    It begins with the limit that was last proven, or with INITIAL_LIMIT.

    Slow start: the limit doubles with each round of responses. After the first overload it grows by
    one a round. If 1.5 times the concurrency raises latency by 80 % of that, throughput has peaked
    (Little's law) and the limit goes back. Overload (5xx, 429, no response) cuts it by a quarter, once
    per round. A mean latency covers only requests sent after the last change, and the limit grows only
    while it is reached.
    """

    def __init__(self, max_limit: int, proven: int = 0) -> None:
        self._max_limit = max_limit
        self.limit = min(max(INITIAL_LIMIT, proven), max_limit)
        self._was_overloaded = False
        self.round = 0  # number of changes of the limit
        self._decrease_round = 0  # the round that began with the last decrease
        self._slow_start = True
        self._was_reached = False  # since the last change
        self._responses = 0  # since the last change
        self._samples, self._total_seconds = 0, 0.0  # responses to requests sent since the last change
        self._baseline: tuple[int, float] | None = None  # the last limit compared with, and its latency

    def acquire(self, in_flight: int) -> int:
        """Register a request, counted in `in_flight`; return its round."""
        if in_flight >= self.limit:
            self._was_reached = True
        return self.round

    def record_response(self, round: int, seconds: float) -> None:
        """Record the latency of a request of `round`; adjust the limit at the end of a round."""
        self._responses += 1
        if round == self.round:
            self._samples += 1
            self._total_seconds += seconds
        count = self._responses if self._slow_start else self._samples
        if self._samples and count >= max(self.limit, MIN_SAMPLES):
            self._adjust(self._total_seconds / self._samples)

    @property
    def proven(self) -> int:
        """The limit, if it has never been too high; else 0."""
        return 0 if self._was_overloaded else self.limit

    def record_overload(self, round: int) -> None:
        """Decrease the limit, unless it was decreased after the request of `round` was sent."""
        self._was_overloaded = True
        if round >= self._decrease_round:
            self._slow_start = False
            self._change(max(1, int(self.limit * DECREASE_FACTOR)))
            self._decrease_round, self._baseline = self.round, None

    def _adjust(self, latency: float) -> None:
        """Increase the limit, or restore the baseline if throughput has peaked."""
        if not self._was_reached:
            self._change(self.limit)
            return
        limit, baseline = self._baseline or (0, latency)
        has_grown = self.limit >= GROWTH_COMPARED * limit
        if limit and has_grown and latency > LATENCY_SHARE * baseline * self.limit / limit:
            self._slow_start, self._baseline = False, None
            self._change(limit)
            return
        if has_grown and self._samples >= MIN_SAMPLES:
            self._baseline = self.limit, latency
        self._change(min(self.limit * 2 if self._slow_start else self.limit + 1, self._max_limit))

    def _change(self, limit: int) -> None:
        """Begin a round."""
        self.round += limit != self.limit
        self.limit = limit
        self._responses, self._samples, self._total_seconds, self._was_reached = 0, 0, 0.0, False
