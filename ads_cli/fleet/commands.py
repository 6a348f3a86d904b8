"""The commands that a fleet runs: those whose result is one summary, and what each of them changes."""

from typing import Literal

import msgspec

Kind = Literal["product_catalog", "custom_audience", "do_not_reach_list", "pixel"]
IN_ACCOUNT = ("custom_audience", "do_not_reach_list")  # what an account must be named for


class Command(msgspec.Struct, frozen=True):
    """What a fleet must know of a command; the parameters have the names of its function."""

    changes: Kind | None = None
    target: str = ""  # the parameter that names what it changes; a catalog has a setting
    uses_account: bool = True  # else it works offline
    inputs: tuple[str, ...] = ("files", "file", "from_")
    outputs: tuple[str, ...] = ()  # one of them must be given
    is_once: bool = False  # what it sends counts each time
    shared_outputs: tuple[str, ...] = ()  # in place of them, and of several tasks

    @property
    def has_parts(self) -> bool:
        """Whether several tasks may fill one target at once: it takes people or conversions in any order."""
        return bool(self.target)


CATALOG = Command("product_catalog")
OFFLINE = Command(uses_account=False)
COMMANDS = {
    "products push": CATALOG,
    "products sync": CATALOG,
    "products update": CATALOG,
    "products delete": CATALOG,
    "products pull": Command(inputs=(), outputs=("file",)),
    "products check": OFFLINE,
    "products convert": Command(uses_account=False, outputs=("output_file",)),
    "audiences push": Command("custom_audience", "audience"),
    "audiences do-not-reach push": Command("do_not_reach_list", "list_"),
    "conversions send": Command("pixel", "pixel", is_once=True),
    "stats export": Command(inputs=(), outputs=("file",), shared_outputs=("into",)),
    "audiences check": OFFLINE,
    "audiences hash": Command(uses_account=False, outputs=("output_file",)),
}
# Further files that commands write, where they are asked for.
WRITTEN = ("failed_out", "report", "mapping_draft")


def command_in(words: tuple[str, ...]) -> str:
    """Return the command that a command line begins with; empty where a fleet does not run it."""
    return next((name for name in COMMANDS if words[: len(name.split())] == tuple(name.split())), "")
