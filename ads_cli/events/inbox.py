"""Events between the thread that receives them and the one that hands them on."""

import threading
from collections import deque

from .event import Event

MAX_EVENTS = 10_000
MAX_BYTES = 64 * 1024 * 1024


class Inbox:
    """A queue that is bounded by its events and their bytes."""

    def __init__(self, max_events: int = MAX_EVENTS, max_bytes: int = MAX_BYTES) -> None:
        self._events: deque[Event] = deque()
        self._bytes = 0
        self._is_closed = False
        self._max_events, self._max_bytes = max_events, max_bytes
        self._changed = threading.Condition()

    def offer(self, event: Event) -> bool:
        """Take an event, unless the inbox is full; return whether it was taken."""
        with self._changed:
            has_room = self._has_room()
            if has_room:
                self._append(event)
            return has_room

    def put(self, event: Event) -> None:
        """Take an event, once there is room for it; drop it where the inbox is closed meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_room() or self._is_closed)
            if not self._is_closed:
                self._append(event)

    def close(self) -> None:
        """Let nobody wait for room any longer."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _has_room(self) -> bool:
        return len(self._events) < self._max_events and self._bytes < self._max_bytes

    def _append(self, event: Event) -> None:
        self._events.append(event)
        self._bytes += len(event.content)
        self._changed.notify_all()

    def take(self, seconds: float) -> Event | None:
        """Return the next event, waiting for at most `seconds`."""
        with self._changed:
            if not self._events:
                self._changed.wait(seconds)
            if not self._events:
                return None
            event = self._events.popleft()
            self._bytes -= len(event.content)
            self._changed.notify_all()
            return event

    def __len__(self) -> int:
        return len(self._events)
