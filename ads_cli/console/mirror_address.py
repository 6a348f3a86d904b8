"""The mirror that an option names: its address, and what its destination knows of this run."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ..masking import address_passwords, mask_address
from .invocation import Invocation

if TYPE_CHECKING:
    from ..mirror.destination import Destination, Surroundings

MAX_BYTES = 1 << 30  # of one file of parquet


def address_of(call: Invocation, text: str) -> str:
    """Return the address of a database; a password is masked, and warned of where it was typed."""
    from ..feeds.locations.remote import VARIABLE, from_variable

    variable = VARIABLE.fullmatch(text)
    address = from_variable(variable[1], call.settings.environ) if variable else text
    passwords = address_passwords(address)
    call.mask.add(*passwords)
    if passwords and not variable:
        call.messages.warn(
            f"the password in {mask_address(text)} shows in the list of processes: "
            "put the address into a variable and write @NAME"
        )
    return address


def surroundings_of(call: Invocation) -> "Surroundings":
    """Return what a destination knows of this run."""
    from ..mirror.destination import Surroundings

    settings = call.settings
    return Surroundings(
        state_dir=settings.state_dir,
        wait_seconds=settings.seconds("max_wait"),
        say=call.messages.say,
        access=partial(call.remote_access, MAX_BYTES),
    )


@contextmanager
def opened_mirror(call: Invocation, text: str) -> "Iterator[Destination]":
    """Open the mirror that an option names."""
    from ..mirror.destination import open_destination

    with closing(open_destination(address_of(call, text), surroundings_of(call))) as destination:
        yield destination
