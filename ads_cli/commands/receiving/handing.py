"""What is done with each event that is received: print it, forward it, run a program with it."""

import sys
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from ...config.addresses import check_address
from ...console.invocation import Invocation
from ...console.programs import parse_program, run_program, secret_variables
from ...console.shown import Result
from ...errors import UsageError
from ...events.event import Event, EventDocument
from ...events.known import Familiarity, RecentEvents
from ...output.text import as_json

# As they are received, whatever the format is.
EVENTS = Result(EventDocument, "", is_list=False, is_open=True, formats=("jsonl",))
HandOn = Callable[[Event], bool]  # returns whether it was accepted


class Known(Protocol):
    """The events that were handed on before."""

    def familiarity(self, event: Event) -> Familiarity:
        """Tell whether an event was handed on."""

    def add(self, event: Event) -> None:
        """Remember an event."""


class Handing(msgspec.Struct):
    """Prints each event once as a line of JSON, and hands it on."""

    call: Invocation
    known: Known
    hand_on: HandOn
    printed: int = 0
    _failed: RecentEvents = msgspec.field(default_factory=RecentEvents)  # printed, and not accepted

    def take(self, event: Event) -> None:
        """Hand on an event, unless it was before. One that is not accepted may be delivered again."""
        match self.known.familiarity(event):
            case "same":
                self.call.messages.detail(f"{event.title}: a duplicate, dropped")
                return
            case "changed":
                self.call.messages.warn(f"{event.title}: dropped, since its id is that of an earlier event")
                return
        if self._failed.familiarity(event) == "new":
            self._print(event)
        (self.known if self.hand_on(event) else self._failed).add(event)

    def _print(self, event: Event) -> None:
        if self.call.printer.format != "none":
            sys.stdout.write(f"{as_json(event.document)}\n")
            sys.stdout.flush()
        self.printed += 1


def program_runner(call: Invocation, text: str) -> HandOn:
    """Return what runs a program with an event as its input; raise UsageError if it cannot be run."""
    words = parse_program(text, "--exec")
    secrets = {*secret_variables(call.parsed)}

    def run(event: Event) -> bool:
        problem = run_program(words, f"{as_json(event.document)}\n".encode(), secrets)
        if problem:
            call.messages.warn(f"{event.title}: {problem}")
        return not problem

    return run


def forwarder_to(
    call: Invocation, address: str, option: str = "--forward-to"
) -> Callable[[Event, Mapping[str, str]], bool]:
    """Return what posts an event with headers; raise UsageError for http to another machine."""
    from ...events.forwarding import Forwarder
    from ...http.connections import parse_http_address

    check_address(address.partition("?")[0], option, UsageError)
    url = parse_http_address(address)
    if url is None:
        raise UsageError(f"{option}: the address is not valid", hint="write http://localhost:3000/events")
    return Forwarder(url, call.messages.say, call.messages.warn).forward
