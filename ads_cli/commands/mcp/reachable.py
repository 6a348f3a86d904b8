"""What an assistant may run: these commands, with these parameters, and no other.

A new command cannot be run until it is named here. Whatever names a file, a program, a profile, an address or
the environment is not a parameter of an assistant. This holds for options of files (`-f`, `@FILE`), and for
the options of every command, but for the account and the catalog.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from ...api.amounts import amount_names
from ...api.endpoint import Request
from ...api.fields import Field, fields_by_name
from ...api.names import neutral_name
from ...console.help_texts import summary_line
from ...console.option_words import argument_names, option_words, text_of
from ...errors import NotFoundError, UsageError
from ...spelling import as_name, as_option, suggestion
from ..schema.commands import CommandSchema
from ..schema.types import Definitions
from .parameters import require_effect, require_no_file
from .results import ResultPart


class GroupCommands(NamedTuple):
    """The verbs of a group that an assistant may run, with spaces between them."""

    reads: str
    changes: str = ""


# Declared requests by group. Left to the command line are changes that name people (settings, conversion
# events), that let the service fetch an address (catalog feeds), and those of the sandbox alone. Webhooks and
# events are left to it too: they use the token of the app.
REQUESTS = {
    "accounts": GroupCommands("list get apps history business-categories", "update"),
    "accounts curated-categories": GroupCommands("list get"),
    "accounts features": GroupCommands("list"),
    "accounts promotable-users": GroupCommands("list get"),
    "audiences": GroupCommands("list get targeted keywords", "create update delete"),
    "audiences do-not-reach": GroupCommands("list", "create delete"),
    "audiences permissions": GroupCommands("list", "grant revoke"),
    "campaigns": GroupCommands("list get", "create update delete"),
    "cards": GroupCommands("list get", "create update delete"),
    "cards image-conversation": GroupCommands("list get", "create update delete"),
    "cards poll": GroupCommands("list get", "create delete"),
    "cards video-conversation": GroupCommands("list get", "create update delete"),
    "catalog": GroupCommands("list", "create rename"),
    "catalog feeds": GroupCommands("list"),
    "catalog sets": GroupCommands("get list", "create update delete"),
    "funding-instruments": GroupCommands("list get"),
    "line-items": GroupCommands("list get placements", "create update delete"),
    "line-items curated-categories": GroupCommands("list get", "add update delete"),
    "lookup": GroupCommands("bidding-rules iab-categories content-categories publishers"),
    "measurement ab-tests": GroupCommands("list", "create update delete"),
    "measurement app-event-provider-configurations": GroupCommands("list get"),
    "measurement app-event-tags": GroupCommands("list get", "create delete"),
    "measurement app-lists": GroupCommands("list get", "create delete"),
    "measurement conversion-attribution": GroupCommands("get"),
    "measurement web-event-tags": GroupCommands("list get", "create update delete"),
    "media account": GroupCommands("list get", "delete"),
    "media library": GroupCommands("list get", "add update delete"),
    "posts": GroupCommands("list preview", "create rename"),
    "posts drafts": GroupCommands("list get", "create update delete"),
    "posts scheduled": GroupCommands("list get", "create update delete"),
    "products": GroupCommands("list"),
    "promoted accounts": GroupCommands("list get", "create delete"),
    "promoted call-to-actions": GroupCommands("list get", "create update delete"),
    "promoted media": GroupCommands("list get", "create delete"),
    "promoted posts": GroupCommands("list get", "create delete"),
    "promoted scheduled": GroupCommands("list get", "create delete"),
    "recommendations": GroupCommands("list get"),
    "settings": GroupCommands("access"),
    "settings tax": GroupCommands("get"),
    "settings user": GroupCommands("get"),
    "stats": GroupCommands("active"),
    "stats jobs": GroupCommands("list"),
    "stats reach": GroupCommands("campaigns funding-instruments"),
    "targeting": GroupCommands("list get suggest", "add delete"),
    "targeting search": GroupCommands(
        "app-store-categories conversations devices events interests languages locations network-operators "
        "platform-versions platforms tv-markets tv-shows"
    ),
    "tracking-tags": GroupCommands("list get", "create update delete"),
}
READS = {f"{group} {verb}" for group, reach in REQUESTS.items() for verb in reach.reads.split()}
CHANGES = {f"{group} {verb}" for group, reach in REQUESTS.items() for verb in reach.changes.split()}
# Custom commands that change nothing and write no file, and which of their parameters may be given.
NAMED_READS = {
    "campaigns tree": ("campaign",),
    "campaigns why": ("campaigns",),
    "cards fetch": ("cards", "with_deleted"),
    "changes list": ("since", "until", "account", "id"),
    "changes show": ("id", "change"),
    "guard show": (),
    "jobs list": ("limit",),
    "overview": ("since",),
    "jobs show": ("job",),
    "stats jobs get": ("job_id",),
    "stats pace": (),
}
HELP = "help"  # with the words of a command or a topic
# Custom commands that change something, and which of their parameters may be given. Their file lies
# below a folder of --files, and what they would do is planned again just before they do it.
FEED = ("files", "catalog", "min_rows", "resume", "skip_invalid", "strict", "max_errors")
NAMED_CHANGES = {
    "campaigns apply": ("file", "prune", "replace", "max_delete", "resume"),
    "products push": (*FEED, "changed", "verify"),
    "products sync": (*FEED, "prune", "max_delete", "verify"),
}
FILE_PARAMETERS = ("file", "files")  # of these, one file
COMMON = ("account", "catalog")  # the options of every command that an assistant may give
SHAPING = ResultPart._fields
# The parameter of a command that creates another record each time it is run, since its answer may be lost.
RESUME = {
    "resume": {
        "type": "boolean",
        "description": "After a run of the same that was stopped: look first whether it has made the record",
    }
}
MAX_LENGTH = 100_000  # characters of all arguments
MAX_WORDS, MIN_WORD_LENGTH = 20, 3  # of a query


class ReachableCommand(NamedTuple):
    """A command that an assistant may run."""

    name: str
    command: Any  # its node in the command tree
    changes: bool
    request: type[Request] | None  # None for a custom command
    service: str

    @property
    def summary(self) -> str:
        """The first sentence of its help."""
        return str(summary_line(self.command))

    @property
    def makes_anew(self) -> bool:
        """Whether it makes another record each time it is run."""
        return self.request is not None and self.request.endpoint.makes_anew

    @property
    def deletes(self) -> bool:
        """Whether it deletes a record."""
        return self.request is not None and self.request.endpoint.method == "DELETE"

    @property
    def fields(self) -> Mapping[str, Field]:
        """The declared fields of its request, by name."""
        return fields_by_name(self.request) if self.request else {}

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that an assistant may give, by name, without those of a result's shape."""
        if self.request is None:
            allowed = {*NAMED_READS.get(self.name, NAMED_CHANGES.get(self.name, ()))}
        else:
            amounts = {name for field in self.fields for name in amount_names(field)}
            allowed = {*self.fields, *amounts, "active", "currency"}
        named = {self._name_of(param): param for param in self.command.params}
        return {
            name: param
            for name, param in named.items()
            if name in allowed and name not in (*SHAPING, *COMMON)
        }

    @property
    def tool_arguments(self) -> tuple[str, ...]:
        """The arguments that are for the tool, read or plan_change, and not parameters of the command."""
        if not self.changes:
            return SHAPING
        return tuple(RESUME) if self.makes_anew else ()

    def _name_of(self, param: Any) -> str:
        return self.command.name_for(self.request, param) if self.request else str(param.name)

    @property
    def names(self) -> dict[str, str]:
        """The parameters, by each name that an argument may have."""
        names = {name: name for name in self.parameters}
        for argument, name in self._other_names():
            names.setdefault(argument, name)
        return names

    def _other_names(self) -> Iterator[tuple[str, str]]:
        """Yield the name of an option, of a positional argument or on the wire, with its parameter."""
        parameters = self.parameters
        for param in self.command.params:
            if (name := self._name_of(param)) in parameters:
                yield from ((argument, name) for argument in argument_names(param))
            elif getattr(param, "is_alias", False) and (name := neutral_name(param.name)) in parameters:
                yield param.name, name

    @property
    def file_names(self) -> set[str]:
        """The names that an argument which names a file may have."""
        return {argument for argument, name in self.names.items() if name in FILE_PARAMETERS}

    def takes(self, name: str) -> bool:
        """Whether the command has a parameter of this name, for anyone."""
        return any(param.name == name for param in self.command.params)

    def words(self, arguments: Mapping[str, Any], more_options: Iterable[str] = ()) -> list[str]:
        """Write arguments as the words of the command line; raise UsageError for an unknown one."""
        options: list[str] = []
        positional: list[str] = []
        seen_names: set[str] = set()
        names, parameters = self.names, self.parameters
        for argument, value in arguments.items():
            name = as_name(argument)
            is_common = name in COMMON and name not in parameters
            if not is_common and name not in names:
                takes = sorted({*parameters, *COMMON, *self.tool_arguments})
                raise UsageError(
                    f"{argument!r} is not an argument of {self.name!r}{suggestion(name, takes)}",
                    hint=f"it takes {', '.join(takes)}",
                )
            named = name if is_common else names[name]
            if named in seen_names:
                raise UsageError(f"{argument}: {named} is given twice")
            seen_names.add(named)
            if value is None:
                if self.changes and not is_common:
                    hint = 'leave it out, or give "" to empty the field'
                    raise UsageError(f"{argument}: null is not a value", hint=hint)
                continue
            if is_common:
                options.append(f"{as_option(name)}={text_of(argument, value)}")
                continue
            param = parameters[named]
            if param.param_type_name == "argument":
                several = value if isinstance(value, list) else [value]
                positional += [text_of(argument, item) for item in several]
            else:
                if self.request and self.changes:
                    require_effect(argument, param, value)
                require_no_file(argument, self.fields.get(named), value)
                options += option_words(argument, param, value)
        return [*self.name.split(), *options, *more_options, *(["--", *positional] if positional else [])]

    def describe(self) -> dict[str, Any]:
        """Return what there is to know before the command is run."""
        definitions = Definitions()
        schema = CommandSchema(self.name, self.command, self.service, definitions)
        input = schema.input(self.parameters)
        if self.makes_anew:
            input["properties"] |= RESUME
        if definitions.schemas:
            input["$defs"] = definitions.schemas
        tool = "plan_change" if self.changes else "read"
        return schema.facts() | {"tool": tool, "input": input, "columns": schema.columns()}


class Reachable:
    """The commands that an assistant may run, found in the command tree."""

    def __init__(self, root: Any, service: str, *, writes: bool) -> None:
        self._root, self.service, self._writes = root, service, writes

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all commands."""
        changes = [*CHANGES, *NAMED_CHANGES] if self._writes else []
        names = [*READS, *NAMED_READS, *changes]
        return tuple(sorted(name for name in names if self.has(name)))

    def has(self, name: str) -> bool:
        """Whether the tree has a command."""
        return self._node(name) is not None

    def find(self, name: str) -> ReachableCommand:
        """Return a command; raise NotFoundError where there is none that an assistant may run."""
        name = " ".join(_words_of(name))
        if name not in self.names:
            hint = "find_commands lists what can be run here; anything else is left to the command line"
            raise NotFoundError(
                f"{name[:100]!r} cannot be run here{suggestion(name[:100], self.names)}", hint=hint
            )
        command = self._node(name)
        request = command.request_for(self.service) if hasattr(command, "request_for") else None
        return ReachableCommand(name, command, name in (*CHANGES, *NAMED_CHANGES), request, self.service)

    def search(self, query: str) -> list[ReachableCommand]:
        """Return the commands that fit words best, the best first; all of them for no words."""
        words = query.lower().replace("-", " ").replace("_", " ").split()[:MAX_WORDS]
        words = [word for word in words if len(word) >= MIN_WORD_LENGTH]
        ranked = []
        for name in self.names:
            command = self.find(name)
            texts = (name.replace("-", " "), command.summary, " ".join(command.parameters).replace("_", " "))
            rank = sum(
                weight
                for word in words
                for weight, text in zip((6, 3, 1), texts, strict=True)
                if (word.rstrip("s") or word) in text.lower()
            )
            if rank or not words:
                ranked.append((-rank, name, command))
        return [command for _, _, command in sorted(ranked, key=lambda match: match[:2])]

    def _node(self, name: str) -> Any:
        node = self._root
        for word in name.split():
            node = getattr(node, "commands", {}).get(word)
        return node


def _words_of(name: str) -> list[str]:
    """Return the words of a command, which may begin with that of the program."""
    words = name.split()
    return words[1:] if words[:1] == ["adsctl"] else words


def help_words(name: str) -> list[str] | None:
    """Return the words of `help …`, for a command or a topic. None for any other command line."""
    words = _words_of(name)
    if words[:1] != [HELP]:
        return None
    if wrong := next((word for word in words if not word.replace("-", "").isalnum() or word[0] == "-"), None):
        raise UsageError(
            f"{wrong[:100]!r} is not a command or a topic", hint="help names topics and commands"
        )
    return words
