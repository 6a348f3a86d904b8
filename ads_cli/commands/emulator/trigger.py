"""Let something happen in the emulator: webhooks and streams get the event."""

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypedDict, cast, get_args

import typer

from ...api.events import EVENT_KINDS, OF_KEYWORD, Direction, EventFilter
from ...console.invocation import Invocation
from ...console.parameters import argument, choice, option
from ...console.request_input import built, read_document
from ...console.shown import Result, shows
from ...emulator.deliveries.faults import FILTERED_STREAM, STREAM_FAULTS, DisconnectType, Fault, StreamFault
from ...errors import ContentError, IncompleteError, NotFoundError, UsageError
from ...numbers import parse_duration
from ...spelling import comma_list, suggestion
from . import Database, opened, served_database

if TYPE_CHECKING:
    from ...emulator.app import Emulator
    from ...emulator.deliveries.events import Delivery, Occurrence
    from ...emulator.deliveries.posting import Attempt

Record = dict[str, Any]
REASONS = get_args(DisconnectType)
TRIGGERS = (*EVENT_KINDS, FILTERED_STREAM, *STREAM_FAULTS)


class Attempted(TypedDict):
    """An attempt to deliver an event."""

    receiver: str
    event_uuid: str | None
    attempt: int | None
    outcome: str
    status: int | None
    seconds: float | None
    answer: str | None


ATTEMPTS = Result(Attempted, "event_uuid")
ACKNOWLEDGED, FAILED, SENT = "acknowledged", "failed", "sent"  # outcomes
LISTEN_HINT = "open one first: adsctl events listen"
STREAM_TIMEOUT_SECONDS = 5.0  # for open streams to send an event
POLL_SECONDS = 0.05


@shows(ATTEMPTS)
def trigger(
    ctx: typer.Context,
    kind: Annotated[
        str,
        argument(
            "KIND",
            f"A kind of events, {FILTERED_STREAM}, or what streams do: {', '.join(STREAM_FAULTS)}",
            offers=TRIGGERS,
        ),
    ],
    user_id: Annotated[
        str | None, option("ID", "The user whom it is about (default: the seeded one)", "--user-id")
    ] = None,
    keyword: Annotated[str, option("TEXT", "The word that news.new is about (default: any)")] = "",
    direction: Annotated[Direction, choice("Of a like: one that the user gets, or gives")] = "inbound",
    file: Annotated[
        str | None, option("FILE", "The payload in JSON, in place of the example", "--file", "-f")
    ] = None,
    duplicates: Annotated[int, option("N", "How often it is delivered again", min=0, max=100)] = 0,
    fault: Annotated[
        Fault | None,
        choice("What the first attempt to a webhook pretends: a late answer, an error, or a wrong key"),
    ] = None,
    retry_delays: Annotated[
        str | None,
        option("SECONDS,...", "Between attempts to a webhook; '' for one attempt (default: 3,27,242)"),
    ] = None,
    reason: Annotated[
        DisconnectType, option("TYPE", f"Why streams end: {', '.join(REASONS)}", offers=REASONS)
    ] = "OperationalDisconnect",
    database: Database = None,
) -> None:
    """Deliver an event to the webhooks and the open streams of the emulator that are subscribed to it.

    What each receiver answered is shown. Webhooks get it signed, and again until they answer 200.

    For example: adsctl emulator trigger post.create
    """
    call = Invocation.of(ctx)
    if kind not in TRIGGERS:
        near = suggestion(kind, TRIGGERS)
        raise UsageError(f"KIND: {kind!r} is not one of {', '.join(TRIGGERS)}{near}")
    about = {} if user_id is None else {"user_id": user_id}
    built(EventFilter, about, {"user_id": "--user-id"})
    delays = None if retry_delays is None else _delays(retry_delays)
    payload = None if file is None else _payload(file)
    if call.is_dry_run(f"trigger {kind}"):
        return
    with opened(call, database or served_database(call)) as emulator:
        if kind in STREAM_FAULTS:
            results = _disturb(emulator, cast("StreamFault", kind), reason)
        else:
            from ...emulator.deliveries.events import Occurrence
            from ...emulator.seed.credentials import OTHER_USER, USER

            user = user_id or USER
            other = OTHER_USER if user != OTHER_USER else USER
            what = Occurrence(kind, user, other, keyword, direction, payload)
            results = _Trigger(call, emulator, fault, delays, duplicates).run(what)
    call.printer.show(results, ATTEMPTS.columns, ATTEMPTS.key)
    outcomes = {(result["receiver"], result["event_uuid"]): result["outcome"] for result in results}
    if failed := [*outcomes.values()].count(FAILED):
        raise IncompleteError(f"{failed:,} of {len(outcomes):,} deliveries were not acknowledged")


def _delays(text: str) -> list[float]:
    return [parse_duration(word, "--retry-delays", may_be_zero=True) for word in comma_list(text)]


def _payload(file: str) -> dict[str, Any]:
    payload = read_document(file, "--file")
    if not isinstance(payload, dict):
        raise ContentError(f"{file}: the payload is not an object")
    return payload


def _row(receiver: str, event: str, outcome: str, answer: str = "", **others: Any) -> Record:
    return dict.fromkeys(ATTEMPTS.columns) | {
        "receiver": receiver,
        "event_uuid": event,
        "outcome": outcome,
        "answer": answer,
        **others,
    }


def _stream_row(id: str, event: str, *, is_sent: bool) -> Record:
    answer = "written to the connection" if is_sent else "not written in time"
    return _row(f"stream {id}", event, SENT if is_sent else FAILED, answer)


class _Trigger:
    """Delivers what happens, and notes what each receiver answered."""

    def __init__(
        self,
        call: Invocation,
        emulator: "Emulator",
        fault: Fault | None,
        delays: Sequence[float] | None,
        duplicates: int,
    ) -> None:
        from ...emulator.deliveries.posting import RETRY_DELAYS_SECONDS

        self._call, self._emulator, self._fault = call, emulator, fault
        self._delays = RETRY_DELAYS_SECONDS if delays is None else delays
        self._copies = 1 + duplicates
        self._app = emulator.credentials.consumer_key
        self._rows: list[Record] = []

    def run(self, what: "Occurrence") -> list[Record]:
        """Deliver to streams and webhooks; raise NotFoundError where nobody gets it."""
        from ...emulator.deliveries.events import deliveries_of, note
        from ...emulator.deliveries.stream import open_connections

        store, sent = self._emulator.store, dict[str, int]()
        deliveries = [*deliveries_of(store, self._app, self._emulator.service, what)]
        streams = [record["id"] for record in open_connections(store, self._app)]
        for delivery in deliveries:
            sent[delivery.event] = note(store, self._app, delivery, self._copies)
        for delivery in deliveries:
            if delivery.webhook:
                for _ in range(self._copies):
                    self._post(delivery, delivery.webhook)
        of_streams = [delivery for delivery in deliveries if delivery.to_stream]
        if of_streams and streams:
            last = max(sent[delivery.event] for delivery in of_streams)
            reached = _streams_that_sent(self._emulator, streams, last)
            self._rows += [
                _stream_row(id, delivery.event, is_sent=id in reached)
                for delivery in of_streams
                for id in streams
            ]
        if not self._rows:
            self._raise_unreceived(what, has_subscription=bool(deliveries))
        return self._rows

    def _raise_unreceived(self, what: "Occurrence", *, has_subscription: bool) -> NoReturn:
        if has_subscription:
            message = f"{what.kind}: there is a subscription, but no webhook and no open stream"
            raise NotFoundError(message, hint=LISTEN_HINT)
        about = f" of the user {what.user}" if what.kind not in (*OF_KEYWORD, FILTERED_STREAM) else ""
        option = (
            f"--keyword {what.keyword or 'WORD'}" if what.kind in OF_KEYWORD else f"--user-id {what.user}"
        )
        hint = f"adsctl events subscribe {what.kind} {option}, and with --webhook ID for a webhook"
        if what.kind == FILTERED_STREAM:
            hint = "adsctl webhooks links create ID"
        raise NotFoundError(f"nobody is subscribed to {what.kind}{about}", hint=hint)

    def _post(self, delivery: "Delivery", webhook: Record) -> None:
        """Deliver to a webhook that is valid, which is checked once a day."""
        from ...emulator.deliveries.challenge import kept_valid, keys_of
        from ...emulator.deliveries.posting import post

        store, url = self._emulator.store, webhook["url"]
        if problem := kept_valid(store, self._app, webhook):
            hint = f"it is not valid: {problem}; adsctl webhooks validate {webhook['id']}"
            self._rows.append(_row(url, delivery.event, FAILED, hint))
            return
        post(
            url,
            delivery.body,
            keys_of(store, self._app),
            self._emulator.service,
            delays=self._delays,
            fault=self._fault,
            on_attempt=lambda attempt: self._note(delivery, url, attempt),
        )

    def _note(self, delivery: "Delivery", url: str, attempt: "Attempt") -> None:
        answer = attempt.answer
        outcome = ACKNOWLEDGED if answer.is_success else FAILED
        numbers = {"attempt": attempt.number, "status": answer.status, "seconds": round(answer.seconds, 3)}
        self._rows.append(_row(url, delivery.event, outcome, answer.words, **numbers))
        if not answer.is_success and attempt.number <= len(self._delays):
            delay = self._delays[attempt.number - 1]
            self._call.messages.say(f"{url}: {answer.words}; delivered again in {delay:g} s")


def _disturb(emulator: "Emulator", kind: StreamFault, reason: DisconnectType) -> list[Record]:
    """Let all open streams end, fall silent, or send half a line."""
    from ...emulator.deliveries.events import note_fault
    from ...emulator.deliveries.stream import open_connections

    app = emulator.credentials.consumer_key
    streams = [record["id"] for record in open_connections(emulator.store, app)]
    if not streams:
        raise NotFoundError("no stream is open", hint=LISTEN_HINT)
    seq = note_fault(emulator.store, app, kind, reason)
    reached = _streams_that_sent(emulator, streams, seq)
    return [_stream_row(id, "", is_sent=id in reached) for id in streams]


def _streams_that_sent(emulator: "Emulator", streams: Collection[str], seq: int) -> set[str]:
    """Wait until streams have sent all events up to a number; return those that have."""
    from ...emulator.deliveries.stream import CONNECTION

    app, ends_at = emulator.credentials.consumer_key, time.monotonic() + STREAM_TIMEOUT_SECONDS
    while True:
        records = (emulator.store.find(CONNECTION, id, owner=app) for id in streams)
        reached = {record["id"] for record in records if record and record["sent_seq"] >= seq}
        if len(reached) == len(streams) or time.monotonic() > ends_at:
            return reached
        time.sleep(POLL_SECONDS)
