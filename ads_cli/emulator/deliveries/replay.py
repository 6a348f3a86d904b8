"""Deliver the events of a time again to a webhook: one job at a time, without retries, oldest first."""

import threading

import msgspec

from ..storage import Record, Store, random_number
from .challenge import keys_of
from .posting import post

_running: set[tuple[int, str]] = set()  # stores and webhooks
_lock = threading.Lock()


class ReplayJob:
    """A running replay of a webhook."""

    def __init__(self, store: Store, webhook: str) -> None:
        self.id = random_number()
        self._store = store
        self.key = (id(store), webhook)

    def end(self) -> None:
        """Allow another replay of the webhook."""
        with _lock:
            _running.discard(self.key)

    def run(self, app: str, service: str, webhook: Record, first: float, end: float, *, waits: bool) -> None:
        """Deliver what happened from one time on until another one (Unix seconds), in a thread or at once."""
        if waits:
            self._deliver(app, service, webhook, first, end)
            return
        values = (app, service, webhook, first, end)
        threading.Thread(target=self._deliver, args=values, name="replay", daemon=True).start()

    def _deliver(self, app: str, service: str, webhook: Record, first: float, end: float) -> None:
        query = "SELECT body FROM events WHERE app = ? AND webhook = ? AND at >= ? AND at < ? ORDER BY seq"
        try:
            with self._store.in_use():
                keys = keys_of(self._store, app)
                rows = self._store.connection.execute(query, (app, webhook["id"], first, end)).fetchall()
            answers = [post(webhook["url"], body, keys, service, delays=()) for (body,) in rows]
            message = self._last_message(webhook["id"], is_complete=all(one.is_success for one in answers))
            post(webhook["url"], message, keys, service, delays=())
        finally:
            self.end()

    def _last_message(self, webhook: str, *, is_complete: bool) -> bytes:
        """Return what tells a webhook that the replay has ended."""
        status = {
            "webhook_id": webhook,
            "job_id": self.id,
            "job_state": "Complete" if is_complete else "Incomplete",
            "job_state_description": "Job completed successfully" if is_complete else "Repeat the job",
        }
        return msgspec.json.encode({"replay_job_status": status})


def begin(store: Store, webhook: str) -> ReplayJob | None:
    """Begin a replay of a webhook; return None while another one is running."""
    job = ReplayJob(store, webhook)
    with _lock:
        if job.key in _running:
            return None
        _running.add(job.key)
    return job
