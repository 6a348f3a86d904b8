"""The clock of the client."""

import threading
import time


class Clock:
    """Tells the time and lets threads wait; tests replace it by virtual time."""

    monotonic = staticmethod(time.monotonic)
    time = staticmethod(time.time)
    condition = staticmethod(threading.Condition)


CLOCK = Clock()
