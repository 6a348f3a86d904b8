"""How many requests of a family are under way at once."""

FIRST = 4
LEAST = 4  # answers that make a mean worth comparing
STEP = 1.5  # how much more at once shows in the latency
PAYS = 0.8  # of that growth, in the latency: beyond it, throughput hardly rises
KEPT = 0.75  # of the requests at once, after the service was overwhelmed


class ConcurrencyLimit:
    """Finds the number of requests at once that is worth it, up to a ceiling.

    It begins with a few and doubles them with each round of answers; from the first trouble on it adds one
    a round (AIMD). Where half as many more at once make each answer nearly half as late again,
    throughput has not risen (Little's law), the requests only wait elsewhere, and the gate goes back
    to where it came from. An overwhelmed service (5xx, 429, no answer) takes a quarter away, once for
    all that was under way. A mean is taken only of requests that began after the last change, and
    only a gate that was full grows.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self.limit = min(FIRST, ceiling)
        self.round = 0  # counts the changes of the limit
        self._cut = 0  # the round that began with the last cut
        self._doubling = True
        self._full = False
        self._ended = 0  # answers since the last change
        self._answers, self._seconds = 0, 0.0  # of these, to requests that began since then
        self._paid: tuple[int, float] | None = None  # a limit that was worth it, and its latency

    def enter(self, flying: int) -> int:
        """Note that `flying` requests are under way with a new one; give the round it belongs to."""
        if flying >= self.limit:
            self._full = True
        return self.round

    def answered(self, round: int, seconds: float) -> None:
        """Note a good answer to a request of that round, and grow where a round of them is complete."""
        self._ended += 1
        if round == self.round:
            self._answers += 1
            self._seconds += seconds
        come = self._ended if self._doubling else self._answers
        if self._answers and come >= max(self.limit, LEAST):
            self._judge(self._seconds / self._answers)

    def overwhelmed(self, round: int) -> None:
        """Let fewer go, unless that was done since the request of that round began."""
        if round >= self._cut:
            self._doubling = False
            self._change(max(1, int(self.limit * KEPT)))
            self._cut, self._paid = self.round, None

    def _judge(self, latency: float) -> None:
        """Go on growing, or back where the last growth did not pay."""
        if not self._full:
            self._change(self.limit)
            return
        limit, before = self._paid or (0, latency)
        if limit and self.limit >= STEP * limit and latency > PAYS * before * self.limit / limit:
            self._doubling, self._paid = False, None
            self._change(limit)
            return
        if self.limit >= STEP * limit and self._answers >= LEAST:
            self._paid = self.limit, latency
        self._change(min(self.limit * 2 if self._doubling else self.limit + 1, self._ceiling))

    def _change(self, limit: int) -> None:
        """Begin a round."""
        self.round += limit != self.limit
        self.limit = limit
        self._ended, self._answers, self._seconds, self._full = 0, 0, 0.0, False
