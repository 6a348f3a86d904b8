"""Which commands a fleet runs, and what it must know of each: what it reads, writes, changes and shows.

The commands that a declared request makes need no line here: the command tree tells what they change.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ..errors import UsageError
from ..spelling import suggestion

if TYPE_CHECKING:
    from ..config.settings import Settings

DATABASE_SCHEMES = ("sqlite:", "duckdb:")  # before the file of a database
Kind = Literal["product_catalog", "custom_audience", "do_not_reach_list", "pixel"]
IN_ACCOUNT = ("custom_audience", "do_not_reach_list")  # what an account must be named for


class TaskCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What a fleet must know of a command; the parameters have the names of its function."""

    changes: Kind | None = None  # what a job of it changes
    # The parameter that names what it changes, which takes people or conversions in any order: several tasks
    # may fill it at once. A catalog is named by a setting.
    target: str = ""
    is_write: bool = False  # changes something, at the service or what this machine remembers
    is_job: bool = False  # its result is one summary; those of others are data
    uses_account: bool = True  # its profile must be signed in
    needs_account: bool = False  # nothing can be asked without one
    inputs: tuple[str, ...] = ("files", "file", "table", "from_")
    mirrors: tuple[str, ...] = ()  # databases that are read, which only their drivers open
    outputs: tuple[str, ...] = ()  # of a job, one of them must be given
    is_once: bool = False  # what it sends counts each time
    makes_anew: bool = False  # creates another record each time it is run
    exclusive_with: str = ""  # the parameter with which a task must be the only one of its target
    shared_outputs: tuple[str, ...] = ()  # in place of them, and of several tasks
    rewrites: str = ""  # the parameter with which it writes its inputs too


def _job(changes: Kind, target: str = "", **facts: Any) -> TaskCommand:
    return TaskCommand(changes=changes, target=target, is_write=True, is_job=True, **facts)


CATALOG = _job("product_catalog")
OFFLINE = TaskCommand(uses_account=False, is_job=True)
READ = TaskCommand(inputs=())
IN_AN_ACCOUNT = TaskCommand(inputs=(), needs_account=True)
WRITE = TaskCommand(is_write=True)
WRITE_IN_AN_ACCOUNT = TaskCommand(is_write=True, needs_account=True, inputs=())
# Custom commands.
COMMANDS = {
    "products push": CATALOG,
    "products sync": CATALOG,
    "products update": CATALOG,
    "products delete": CATALOG,
    "products pull": TaskCommand(is_job=True, inputs=(), outputs=("file",)),
    "products check": OFFLINE,
    "products convert": TaskCommand(uses_account=False, is_job=True, outputs=("output_file",)),
    "products diff": TaskCommand(),
    "products get": READ,
    "audiences push": _job("custom_audience", "audience"),
    "audiences do-not-reach push": _job("do_not_reach_list", "list_"),
    "audiences sync": _job("custom_audience", "audience", exclusive_with="prune"),
    "audiences do-not-reach sync": _job("do_not_reach_list", "list_", exclusive_with="prune"),
    "audiences check": OFFLINE,
    "audiences hash": TaskCommand(uses_account=False, is_job=True, outputs=("out",)),
    "audiences diff": TaskCommand(needs_account=True),
    "audiences do-not-reach diff": TaskCommand(needs_account=True),
    "audiences combine": TaskCommand(is_write=True, needs_account=True),
    "audiences remembered": IN_AN_ACCOUNT,
    "audiences forget": TaskCommand(is_write=True, needs_account=True),
    "conversions send": _job("pixel", "pixel", is_once=True),
    "stats export": TaskCommand(
        is_job=True, needs_account=True, inputs=(), outputs=("file",), shared_outputs=("into",)
    ),
    "stats get": TaskCommand(inputs=(), mirrors=("from_",), needs_account=True, shared_outputs=("into",)),
    "stats jobs get": IN_AN_ACCOUNT,
    "mirror run": TaskCommand(inputs=(), shared_outputs=("into",)),
    "mirror status": TaskCommand(uses_account=False, inputs=(), mirrors=("into",)),
    "mirror tables": TaskCommand(uses_account=False, inputs=()),
    "stats report": TaskCommand(uses_account=False, inputs=(), mirrors=("from_",), outputs=("out",)),
    "campaigns tree": IN_AN_ACCOUNT,
    "campaigns why": IN_AN_ACCOUNT,
    "overview": IN_AN_ACCOUNT,
    "accounts check": TaskCommand(needs_account=True, inputs=(), mirrors=("from_",), outputs=("baseline",)),
    "stats pace": IN_AN_ACCOUNT,
    "watch check": TaskCommand(uses_account=False),
    "watch plan": TaskCommand(needs_account=True),
    "watch replay": TaskCommand(needs_account=True, inputs=("file",), mirrors=("from_",)),
    "watch apply": TaskCommand(is_write=True, needs_account=True),
    "changes undo": TaskCommand(is_write=True, needs_account=True, inputs=()),
    "campaigns pull": TaskCommand(needs_account=True, inputs=(), outputs=("file",)),
    "campaigns plan": TaskCommand(needs_account=True, outputs=("out",)),
    "campaigns apply": TaskCommand(is_write=True, needs_account=True, rewrites="write_ids"),
    "ads create": TaskCommand(is_write=True, needs_account=True, inputs=("media",)),
    "campaigns copy": WRITE_IN_AN_ACCOUNT,
    "campaigns activate": WRITE_IN_AN_ACCOUNT,
    "campaigns pause": WRITE_IN_AN_ACCOUNT,
    "line-items activate": WRITE_IN_AN_ACCOUNT,
    "line-items pause": WRITE_IN_AN_ACCOUNT,
    "cards fetch": IN_AN_ACCOUNT,
    "media upload": WRITE,
    "media check": TaskCommand(uses_account=False),
    "media lookup": READ,
    "media alt-text": WRITE,
    "media library clean": TaskCommand(is_write=True, needs_account=True),
    "media subtitles add": WRITE,
    "media subtitles delete": WRITE,
    "targeting search": READ,
    "webhooks create": WRITE,
    "events subscribe": WRITE,
    "events unsubscribe": WRITE,
    "events connections delete": WRITE,
    "api": TaskCommand(is_write=True, inputs=("body",)),
    "doctor": TaskCommand(uses_account=False, inputs=()),
    "auth status": TaskCommand(uses_account=False, inputs=()),
    "guard show": TaskCommand(uses_account=False, inputs=()),
    "guard set": TaskCommand(uses_account=False, inputs=()),  # what loosens it asks on a terminal
    "guard check": TaskCommand(uses_account=False, inputs=()),
}
# Further files that commands write, where they are asked for.
WRITTEN = ("failed_out", "report", "recipe_draft", "plot")
# Further files that commands read, where they are named.
READ_TOO = (
    *("recipe", "logo"),
    *("media", "poster", "subtitles", "unlocked_image", "unlocked_video"),
)
READ_BY_ALL = ("env_file",)
SHARED = ("log_file",)  # is written by several tasks, a piece after the other
# What makes no sense under several profiles, by the beginning of the command.
_OF_ONE = "it signs in one profile at a time"
_OF_MACHINE = "it is the same for all profiles of this machine"
_ENDLESS = "it runs until it is stopped"
REFUSED = {
    "auth": _OF_ONE,
    "profile": "it sets up one profile at a time",
    "emulator": "the emulator has no profile but local",
    "fleet": "the tasks of a fleet name their profiles themselves",
    "jobs": _OF_MACHINE,
    "changes": _OF_MACHINE,
    "webhooks serve": _ENDLESS,
    "webhooks verify": "it looks at the app, not at a profile",
    "events listen": _ENDLESS,
    "mcp": "an assistant works under one profile",
    "schema": _OF_MACHINE,
    "skill": _OF_MACHINE,
    "completion": _OF_MACHINE,
    "help": _OF_MACHINE,
}


class FleetCommands:
    """The commands of the tree that a fleet runs."""

    def __init__(self, root: Any) -> None:
        self._root = root  # of the command tree: groups have `commands`

    def name_in(self, words: tuple[str, ...]) -> str:
        """Return the command that a command line begins with; raise UsageError where a fleet runs none."""
        node, path = self._root, list[str]()
        for word in words:
            inner = getattr(node, "commands", None)
            if inner is None or word not in inner:
                break
            node = inner[word]
            path.append(word)
        name = " ".join(path)
        if name in COMMANDS:
            return name
        for length in range(len(path), 0, -1):
            if reason := REFUSED.get(" ".join(path[:length])):
                raise UsageError(f"{name!r} is not a command that a fleet runs: {reason}")
        if not hasattr(node, "requests"):
            raise UsageError(_not_runnable(words, getattr(node, "commands", None), name))
        return name

    def __getitem__(self, name: str) -> TaskCommand:
        """Return what a fleet must know of a command that it runs."""
        if known := COMMANDS.get(name):
            return known
        node = self._root
        for word in name.split():
            node = node.commands[word]
        return TaskCommand(
            is_write=node.request.endpoint.changes,
            makes_anew=node.request.endpoint.makes_anew,
            needs_account="account" in node.common,
        )


def _not_runnable(words: tuple[str, ...], inner: Mapping[str, Any] | None, group: str) -> str:
    """Say that a fleet does not run a command, and name the nearest that there is."""
    if words[0].startswith("-"):
        return f"run begins with {words[0]!r}, and must begin with a command, such as products push"
    known = [f"{group} {name}".strip() for name in inner or ()]
    typed = " ".join(words[: len(group.split()) + 1])
    shown = " ".join(words[:3])
    near = suggestion(typed, known) or (f"; it has {', '.join(known)}" if group else "")
    return f"{shown!r} is not a command that a fleet runs{near}"


def is_write(name: str, command: TaskCommand, params: Mapping[str, Any]) -> bool:
    """Whether a command line may change something."""
    if name == "api":
        return str(params.get("method")).upper() not in ("GET", "HEAD")
    return command.is_write


def is_of_one(name: str, params: Mapping[str, Any]) -> bool:
    """Whether a command line is one declared request, made of its options: it has no job."""
    return name not in COMMANDS and not params.get("file")


def is_creation(name: str, command: TaskCommand, params: Mapping[str, Any]) -> bool:
    """Whether a command line creates another record each time that it is run, and has no job."""
    if name == "api":
        return str(params.get("method")).upper() == "POST"
    return command.makes_anew and is_of_one(name, params)


def other_reads(params: Mapping[str, Any], options: Mapping[str, Any], settings: "Settings") -> Iterator[str]:
    """Yield the files that a command line reads beside its inputs, those of its profile among them."""
    yield from values(params, READ_TOO)
    yield from values(options, READ_BY_ALL)
    for text in values(params, tuple(params)):
        if file := text.partition("=@")[2] or (text[1:] if text.startswith("@") else ""):
            yield file
    if "recipe" in params and not params["recipe"]:
        files = [*values(params, ("files", "file"))]
        for pattern, recipe in settings.recipes.items():
            if any(fnmatch(name, pattern) for file in files for name in (file, PurePath(file).name)):
                yield recipe


def values(params: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of parameters, each of which has one, several or none."""
    for name in names:
        value = params.get(name)
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is not None:
                yield str(item)


def path_of(name: str) -> str:
    """Return the path of a file, or of the database that a table is in."""
    for scheme in DATABASE_SCHEMES:
        name = name.removeprefix(scheme)
    return name
