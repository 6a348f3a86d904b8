"""Serve a webhook on this machine, and verify files of deliveries."""

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from ...config.atomic_files import read_whole
from ...console.invocation import Invocation
from ...console.parameters import argument, choice, option
from ...console.shown import Result, shows
from ...errors import AccessError, RefusedError, UsageError
from ...events.event import Event
from ...events.inbox import Inbox
from ...events.known import KnownDeliveries
from ...events.responder import ChallengeKey, Responder
from ...hosts import is_loopback
from ...installation import missing_extra
from ...output.messages import Messages
from ...output.text import counted
from ...signals import NOTICE_SECONDS
from ...webhooks.signature import WebhookKeys, is_signed_by
from . import note_costs, receiving, webhook_keys
from .handing import EVENTS, Handing, HandOn, forwarder_to, program_runner

HOST, PORT = "127.0.0.1", 8788
MAX_FILE_MIB = 64
REPORT_SECONDS = 1.0
REPLAY_HINT = "adsctl webhooks replay delivers them again"


@shows(EVENTS)
def serve(
    ctx: typer.Context,
    port: Annotated[int, option("N", "Port to listen on; 0 chooses a free one", min=0, max=65535)] = PORT,
    host: Annotated[str, option("HOST", "Address to listen on; any but loopback is open to others")] = HOST,
    forward_to: Annotated[str | None, option("URL", "Post each event there, as it was delivered")] = None,
    exec: Annotated[str | None, option("CMD", "Run CMD with each event on its standard input")] = None,
    challenge_key: Annotated[
        ChallengeKey, choice("The secret that challenges are answered with: that of OAuth 1.0a or 2.0")
    ] = "consumer",
) -> None:
    """Serve a webhook on this machine, and print each event as a line of JSON, until it is stopped.

    It answers the challenges of the service, and takes only what the app's secret has signed. An event is
    answered first and handed on then; one that was delivered before is dropped. The service delivers to https
    on port 443 only, so a tunnel or a proxy must stand before it.

    For example: adsctl webhooks serve --port 8788 --forward-to http://localhost:3000/events
    """
    try:
        import tornado  # noqa: F401
    except ImportError:
        raise missing_extra("adsctl webhooks serve", "webhooks") from None
    call = receiving(ctx)
    if not host:  # which would listen on all addresses
        raise UsageError("--host: is empty")
    hand_on = _hand_on(call, forward_to, exec)
    keys = webhook_keys(call)
    if not (keys.consumer_secret if challenge_key == "consumer" else keys.client_secret):
        raise AccessError(
            f"the {challenge_key} secret of the app is not known, which --challenge-key asks for",
            hint=f"set ADSCTL_{challenge_key.upper()}_SECRET (also with _FILE)",
        )
    inbox, refusals = Inbox(), Refusals(call.messages)
    from ...events.receiver import Receiver

    try:
        receiver = Receiver(Responder(keys, challenge_key, inbox.offer), host, port, refusals.add)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror or error}",
            hint="choose another port, or an address of this machine with --host, such as ::1",
        ) from None
    name = f"{call.settings.profile} {receiver.address[1]}"
    known = KnownDeliveries(call.settings.state_dir, name)
    handing = Handing(call, known, hand_on)
    event: Event | None = None  # the one that is being handed on
    receiver.start()
    try:
        note_costs(call)
        _announce(call, receiver.address, host)
        while True:
            event = inbox.take(NOTICE_SECONDS)
            refusals.report()
            if event:
                handing.take(event)
                event = None
            if not len(inbox):
                known.write()
    finally:
        receiver.stop()
        refusals.report()
        if waiting := len(inbox) + (event is not None):
            call.messages.warn(f"{counted(waiting, 'event')} not handed on; {REPLAY_HINT}")
        known.write()


def _announce(call: Invocation, address: tuple[str, int], host: str) -> None:
    shown = f"[{address[0]}]" if ":" in address[0] else address[0]
    call.messages.say(f"the webhook listens on http://{shown}:{address[1]}; Ctrl-C stops it")
    if not is_loopback(host):
        call.messages.warn(
            "it is open to other machines, and not encrypted: let a proxy with a certificate stand before it"
        )


def _hand_on(call: Invocation, forward_to: str | None, exec: str | None) -> HandOn:
    """Return what is done with an event beside printing it; raise UsageError for what cannot be done."""
    if forward_to is not None and exec is not None:
        raise UsageError("--forward-to and --exec exclude each other")
    if exec is not None:
        return program_runner(call, exec)
    if forward_to is None:
        return lambda event: True
    forward = forwarder_to(call, forward_to)
    return lambda event: forward(event, dict(event.headers))


class Refusals:
    """The requests that the server's thread refuses, told by the main one: each reason once a second."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._report_at = 0.0  # in monotonic seconds

    def add(self, reason: str) -> None:
        """Note a refusal."""
        with self._lock:
            self._counts[reason] += 1

    def report(self) -> None:
        """Tell of what was refused since the last report, unless that was a moment ago."""
        if not self._counts or time.monotonic() < self._report_at:
            return
        self._report_at = time.monotonic() + REPORT_SECONDS
        with self._lock:
            counts, self._counts = self._counts, Counter()
        for reason, count in counts.items():
            self._messages.warn(f"refused {reason}{f' ({count:,} times)' if count > 1 else ''}")


class VerifiedDelivery(TypedDict):
    """A delivery whose signature is right, and the secret that has signed it."""

    file: str
    valid: bool
    key: str


VERIFIED = Result(VerifiedDelivery, "key", is_list=False)


@shows(VERIFIED)
def verify(
    ctx: typer.Context,
    file: Annotated[str, argument("FILE", "The body of a delivery as it was received; - is standard input")],
    signature: Annotated[str, option("SIGNATURE", "The header of the delivery, as in sha256=qUo5…")],
) -> None:
    """Verify the signature of a delivery, and say which secret of the app has signed it.

    For example: adsctl webhooks verify delivery.json --signature "$SIGNATURE"
    """
    call = Invocation.of(ctx, mutates=False)
    keys = webhook_keys(call)
    content = read_whole(file, MAX_FILE_MIB)
    if key := _signer(keys, content, signature):
        call.printer.show({"file": file, "valid": True, "key": key}, VERIFIED.columns, VERIFIED.key)
        return
    shown = "standard input" if file == "-" else Path(file).name
    tried = " or ".join(f"the {name.replace('_', ' ')}" for name, key in keys._asdict().items() if key)
    raise RefusedError(f"{shown} was not signed like this by {tried}", hint=_advice(keys, content, signature))


def _signer(keys: WebhookKeys, content: bytes, signature: str) -> str:
    """Return the name of the secret that has signed some bytes, or ""."""
    names = [name for name, key in keys._asdict().items() if is_signed_by(key, content, signature)]
    return names[0] if names else ""


def _advice(keys: WebhookKeys, content: bytes, signature: str) -> str:
    """Say what is wrong, where another reading shows it."""
    if content.endswith(b"\n") and _signer(keys, content.rstrip(b"\r\n"), signature):
        return "without the line end at its end it was: an editor or echo has added it"
    if not signature.startswith("sha256="):
        return "a signature begins with sha256=, in lower case"
    return (
        "the file must have the bytes that were received: JSON that was written again has others; and the "
        "secret must be that of the app that owns the webhook"
    )
