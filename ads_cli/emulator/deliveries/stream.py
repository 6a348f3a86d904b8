"""The stream of events: lines of JSON, and empty lines while nothing happens."""

import time
from collections.abc import Generator, Iterator

import msgspec

from ..core.responses import PROBLEM_TYPES
from ..storage import Record, Store, random_number, utc_now
from .events import EVENT
from .faults import DisconnectType

CONNECTION = "connection"  # the kind of its record
ACTIVITY_STREAM = "activity_stream"  # a name of ours: the service lists none for it
CLOSED_BY_OPERATOR, CLOSED_BY_CLIENT = "operator_disconnect", "client_disconnect"  # reasons
MAX_CONNECTIONS = 2
HEARTBEAT_SECONDS = 15.0  # the service promises an empty line at least every 20 seconds
POLL_SECONDS = 0.05
ALIVE_SECONDS = 2.0  # after which a stream says again that it is there
LOST_SECONDS = 10.0  # after which a connection is closed whose process is gone
LINE_END = b"\r\n"
FORCED: DisconnectType = "ForceDisconnect"  # what a stream says that is closed from outside


def open_connections(store: Store, app: str) -> list[Record]:
    """Return the open connections of an app; those whose process is gone are closed first."""
    connections = store.find_all(CONNECTION, app)
    for connection in connections:
        if not connection["disconnected_at"] and connection["alive_at"] < time.time() - LOST_SECONDS:
            connection |= close_connection(store, app, connection["id"], CLOSED_BY_CLIENT)
    return [connection for connection in connections if not connection["disconnected_at"]]


def open_connection(store: Store, app: str, client: str) -> str | None:
    """Register a connection to the stream of an app; None if it has as many as it may have."""
    with store.transaction():
        named = (record["endpoint_name"] for record in open_connections(store, app))
        if [*named].count(ACTIVITY_STREAM) >= MAX_CONNECTIONS:
            return None
        id = random_number()
        fields = {
            "endpoint_name": ACTIVITY_STREAM,
            "connected_at": utc_now(),
            "client_ip": client,
            "disconnected_at": None,
            "disconnect_reason": None,
            "alive_at": time.time(),
            "sent_seq": last_seq(store),
        }
        store.add(CONNECTION, id, fields, owner=app)
    return id


def last_seq(store: Store) -> int:
    """Return the number of the newest event."""
    return store.value("SELECT max(seq) FROM events") or 0


def close_connection(store: Store, app: str, id: str, reason: str) -> Record:
    """Note that a connection is closed; its stream ends."""
    changes = {"disconnected_at": utc_now(), "disconnect_reason": reason}
    return store.update(CONNECTION, id, changes, owner=app)


def lines(
    store: Store, app: str, connection: str, since: float | None, until: float | None
) -> Iterator[bytes]:
    """Yield the lines of a stream until it ends, and nothing (b"") now and then so that it can be closed.

    `since` repeats earlier events (Unix seconds). With `until` the stream ends once those are sent.
    """
    stream, reason = _Stream(store, app, connection), CLOSED_BY_CLIENT
    try:
        yield LINE_END
        reason = yield from stream.run(since, until)
    finally:
        with store.in_use(), store.transaction():
            record = store.find(CONNECTION, connection, owner=app)
            if record:
                store.update(CONNECTION, connection, {"sent_seq": stream.sent_seq}, owner=app)
            if record and not record["disconnected_at"]:
                close_connection(store, app, connection, reason)


class _Stream:
    """One open stream: what it has sent, and when."""

    def __init__(self, store: Store, app: str, connection: str) -> None:
        self._store, self._app, self._connection = store, app, connection
        self._sent_at = time.monotonic()
        self._is_silent = False
        self.sent_seq = self._noted_seq = 0  # of the last event that was sent, and that is noted as sent

    def run(self, since: float | None, until: float | None) -> Generator[bytes, None, str]:
        """Yield lines; return the reason of the end."""
        with self._store.in_use():
            record = self._store.find(CONNECTION, self._connection, owner=self._app)
            self.sent_seq = self._noted_seq = seq = record["sent_seq"] if record else 0
            earlier = [] if since is None else self._earlier(seq, since, until)
        for body in earlier:
            yield self._line(body)
        if until is not None:
            return "completed"
        while True:
            with self._store.in_use():
                rows, reason = self._news(seq)
            for number, kind, body in rows:
                seq = number
                if kind == "disconnect":
                    self.sent_seq = seq
                    yield self._line(_disconnect(body.decode()))
                    return body.decode()
                if kind == "half-line":
                    self._is_silent = True
                    yield b'{"data":{"event_uuid":"'
                elif kind == "silence":
                    self._is_silent = True
                elif kind == EVENT and not self._is_silent:
                    yield self._line(body)
            self.sent_seq = seq
            if reason:
                yield self._line(_disconnect(FORCED))
                return reason
            if not self._is_silent and time.monotonic() - self._sent_at >= HEARTBEAT_SECONDS:
                yield self._line(b"")
            yield b""
            time.sleep(POLL_SECONDS)

    def _earlier(self, seq: int, since: float, until: float | None) -> list[bytes]:
        where = "app = ? AND kind = ? AND seq <= ? AND at >= ? AND at < ?"
        query = f"SELECT body FROM events WHERE {where} ORDER BY seq"
        values = (self._app, EVENT, seq, since, time.time() if until is None else until)
        return [body for (body,) in self._store.connection.execute(query, values)]

    def _news(self, seq: int) -> tuple[list[tuple[int, str, bytes]], str]:
        """Return what is new for the stream, and why it was closed from outside, if it was."""
        query = "SELECT seq, kind, body FROM events WHERE app = ? AND seq > ? ORDER BY seq"
        rows = self._store.connection.execute(query, (self._app, seq)).fetchall()
        record = self._store.find(CONNECTION, self._connection, owner=self._app)
        if record is None:  # the emulator was reset
            return rows, CLOSED_BY_OPERATOR
        now = time.time()
        if self.sent_seq > self._noted_seq or now - record["alive_at"] >= ALIVE_SECONDS:
            self._noted_seq = self.sent_seq
            changes = {"alive_at": now, "sent_seq": self.sent_seq}
            with self._store.transaction():
                self._store.update(CONNECTION, self._connection, changes, owner=self._app)
        return rows, record["disconnect_reason"] or ""

    def _line(self, body: bytes) -> bytes:
        self._sent_at = time.monotonic()
        return body + LINE_END


def _disconnect(reason: str) -> bytes:
    """Return the line that says why a stream ends."""
    problem = {
        "title": "operational-disconnect",
        "disconnect_type": reason,
        "detail": f"This stream has been disconnected for operational reasons ({reason}).",
        "type": f"{PROBLEM_TYPES}operational-disconnect",
    }
    return msgspec.json.encode({"errors": [problem]})
