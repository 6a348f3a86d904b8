"""Listen to the activity stream."""

import threading
from typing import Annotated

import typer

from ...api.events import DEPRECATED_KINDS, EVENT_KINDS
from ...console.invocation import Invocation
from ...console.parameters import option
from ...console.shown import shows
from ...errors import UsageError
from ...events.event import Event
from ...events.inbox import Inbox
from ...events.known import RecentEvents
from ...events.stream import MAX_BACKFILL_MINUTES, ActivityStream, StreamMessages
from ...numbers import parse_count
from ...signals import NOTICE_SECONDS
from ...spelling import suggestion
from ...webhooks.signature import delivery_headers
from . import note_costs, receiving, webhook_keys
from .handing import EVENTS, Handing, HandOn, forwarder_to

STOP_TIMEOUT_SECONDS = 1.0


@shows(EVENTS)
def listen(
    ctx: typer.Context,
    kind: Annotated[
        list[str] | None,
        option("KIND", "Only events of this kind, as in post.create; may be repeated", offers=EVENT_KINDS),
    ] = None,
    limit: Annotated[str | None, option("N", "End after N events")] = None,
    forward_to: Annotated[str | None, option("URL", "Post each event there, signed as a delivery is")] = None,
    backfill: Annotated[
        int,
        option("MINUTES", "Begin with the events of the last minutes", min=0, max=MAX_BACKFILL_MINUTES),
    ] = 0,
) -> None:
    """Print the events that the app is subscribed to, as lines of JSON, until it is stopped.

    A stream that ends is opened again, and the service repeats the events of a short gap where it does that
    for the app; none is printed twice. It ends by itself where the service refuses it for good, or fails for
    longer than --max-wait.

    For example: adsctl events listen --kind post.create --forward-to http://localhost:3000/events
    """
    call = receiving(ctx)
    most = None if limit is None else parse_count(limit, "--limit")
    kinds = {_checked(name) for name in kind or ()}
    hand_on = _forwarding(call, forward_to)
    stream = ActivityStream(call.client, StreamMessages(call.messages.say, call.messages.warn), backfill)
    handing = Handing(call, RecentEvents(), hand_on)
    note_costs(call, kinds)
    call.messages.say("listening to events; Ctrl-C stops it")
    reader = StreamReader(stream, Inbox())
    reader.start()
    try:
        while most is None or handing.printed < most:
            event = reader.next_event()
            if event and (not kinds or DEPRECATED_KINDS.get(event.kind, event.kind) in kinds):
                handing.take(event)
    finally:
        reader.stop()


def _checked(kind: str) -> str:
    if kind not in EVENT_KINDS:
        raise UsageError(f"--kind: {kind!r} is not a kind of events{suggestion(kind, EVENT_KINDS)}")
    return DEPRECATED_KINDS.get(kind, kind)


def _forwarding(call: Invocation, forward_to: str | None) -> HandOn:
    if forward_to is None:
        return lambda event: True
    keys, service = webhook_keys(call), call.settings.service
    forward = forwarder_to(call, forward_to)

    def hand_on(event: Event) -> bool:
        forward(event, delivery_headers(keys, event.content, service))
        return True  # a stream repeats events for a while, also those that the receiver has refused

    return hand_on


class StreamReader:
    """Reads a stream in a thread of its own, so that a signal ends the main one at once."""

    def __init__(self, stream: ActivityStream, inbox: Inbox) -> None:
        self._stream, self._inbox = stream, inbox
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def next_event(self) -> Event | None:
        """Return the next event, or None after a moment; raise the error that has ended the stream."""
        has_ended = self._error is not None  # before the inbox is looked into, for the last time then
        event = self._inbox.take(0 if has_ended else NOTICE_SECONDS)
        if event is None and has_ended and self._error:
            raise self._error
        return event

    def stop(self) -> None:
        """End the reading."""
        self._stream.stop()
        self._inbox.close()
        self._thread.join(STOP_TIMEOUT_SECONDS)

    def _read(self) -> None:
        try:
            for event in self._stream.events():
                self._inbox.put(event)
        except BaseException as error:  # raised again by the main thread
            self._error = error
