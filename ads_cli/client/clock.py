"""Time, as the pace sees it."""

import threading
import time


class Clock:
    """Tells the time and lets threads wait; another one may stand in its place."""

    monotonic = staticmethod(time.monotonic)
    time = staticmethod(time.time)
    condition = staticmethod(threading.Condition)


CLOCK = Clock()
