"""What an assistant may run: these commands, with these parameters, and no other.

A new command is out until it is named here. Whatever names a file, a program, a profile, an address or the
environment is not a parameter of an assistant: neither options of files (`-f`, `@FILE`), nor those of every
command, but for the account and the catalog.
"""

import json
from collections.abc import Mapping
from functools import cached_property
from inspect import getdoc
from typing import Any, NamedTuple

from ...api.amounts import amount_names
from ...api.endpoint import Request
from ...api.fields import Field, fields_of
from ...api.names import neutral_name
from ...console.help_texts import summary_line
from ...errors import NotFoundError, UsageError
from ...spelling import as_name, as_option, suggestion

# Declared requests by group: what changes nothing, and what changes something. Left to the command line are
# changes that name people (settings, conversion events), that let the service fetch an address (catalog
# feeds), and those of the sandbox alone.
REQUESTS = {
    "accounts": ("list get apps history business-categories", "update"),
    "accounts curated-categories": ("list get", ""),
    "accounts features": ("list", ""),
    "accounts promotable-users": ("list get", ""),
    "audiences": ("list get targeted keywords", "create update delete"),
    "audiences do-not-reach": ("list", "create delete"),
    "audiences permissions": ("list", "grant revoke"),
    "campaigns": ("list get", "create update delete"),
    "cards": ("list get", "create update delete"),
    "cards image-conversation": ("list get", "create update delete"),
    "cards poll": ("list get", "create delete"),
    "cards video-conversation": ("list get", "create update delete"),
    "catalog": ("list", "create rename"),
    "catalog feeds": ("list", ""),
    "catalog sets": ("get", "create update delete"),
    "funding-instruments": ("list get", ""),
    "line-items": ("list get placements", "create update delete"),
    "line-items curated-categories": ("list get", "add update delete"),
    "lookup": ("bidding-rules iab-categories content-categories publishers", ""),
    "measurement ab-tests": ("list", "create update delete"),
    "measurement app-event-provider-configurations": ("list get", ""),
    "measurement app-event-tags": ("list get", "create delete"),
    "measurement app-lists": ("list get", "create delete"),
    "measurement conversion-attribution": ("get", ""),
    "measurement web-event-tags": ("list get", "create update delete"),
    "media account": ("list get", "delete"),
    "media library": ("list get", "add update delete"),
    "posts": ("list preview", "create rename"),
    "posts drafts": ("list get", "create update delete"),
    "posts scheduled": ("list get", "create update delete"),
    "products": ("list", ""),
    "promoted accounts": ("list get", "create delete"),
    "promoted call-to-actions": ("list get", "create update delete"),
    "promoted media": ("list get", "create delete"),
    "promoted posts": ("list get", "create delete"),
    "promoted scheduled": ("list get", "create delete"),
    "recommendations": ("list get", ""),
    "settings": ("access", ""),
    "settings tax": ("get", ""),
    "settings user": ("get", ""),
    "stats": ("active", ""),
    "stats jobs": ("list", ""),
    "stats reach": ("campaigns funding-instruments", ""),
    "targeting": ("list get suggest", "add delete"),
    "targeting search": (
        "app-store-categories conversations devices events interests languages locations network-operators "
        "platform-versions platforms tv-markets tv-shows",
        "",
    ),
    "tracking-tags": ("list get", "create update delete"),
}
READS = {f"{group} {verb}" for group, (reads, _) in REQUESTS.items() for verb in reads.split()}
CHANGES = {f"{group} {verb}" for group, (_, changes) in REQUESTS.items() for verb in changes.split()}
# Custom commands that change nothing and write no file, and which of their parameters may be given.
NAMED_READS = {
    "campaigns tree": ("campaign",),
    "cards fetch": ("cards", "with_deleted"),
    "changes list": ("since", "until", "account", "id"),
    "changes show": ("id", "change"),
    "guard show": (),
    "jobs list": (),
    "jobs show": ("job",),
    "stats jobs get": ("job_id",),
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
SHAPING = ("all", "limit", "cursor", "columns", "query")  # of a result
# Of a command that makes another record each time, whose answer may be lost.
RESUME = {
    "name": "resume",
    "required": False,
    "type": "boolean",
    "description": "After a run of the same that was stopped: look first whether it has created the record",
}
MAX_LENGTH = 100_000  # characters of all arguments
MAX_WORDS, MIN_WORD_LENGTH = 20, 3  # of a query
# A value that is read from a file, or from the environment.
FILE_MARK = "@"


class ReachableCommand(NamedTuple):
    """A command that an assistant may run."""

    name: str
    command: Any  # of the command tree
    changes: bool
    request: type[Request] | None  # None for a custom command

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
    def fields(self) -> dict[str, Field]:
        """The declared fields of its request, by name."""
        return {field.name: field for field in fields_of(self.request)} if self.request else {}

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

    def _name_of(self, param: Any) -> str:
        return self.command.name_for(self.request, param) if self.request else str(param.name)

    @property
    def names(self) -> dict[str, str]:
        """The names of parameters, as they may be written: as the option, and on the wire too."""
        known = {name: name for name in self.parameters}
        for param in self.command.params:
            words = map(as_name, (*param.opts, *param.secondary_opts))
            if (name := self._name_of(param)) in known:
                known |= dict.fromkeys([*words, (param.metavar or "").strip("[].").lower()], name)
                if name in FILE_PARAMETERS:
                    known["file"] = name
            elif getattr(param, "is_alias", False) and (name := neutral_name(param.name)) in known:
                known[param.name] = name
        return known

    @property
    def file_names(self) -> set[str]:
        """The names that an argument which names a file may have."""
        return {given for given, name in self.names.items() if name in FILE_PARAMETERS}

    def takes(self, name: str) -> bool:
        """Whether the command has a parameter of this name, for anyone."""
        return any(param.name == name for param in self.command.params)

    def words(self, arguments: Mapping[str, Any]) -> list[str]:
        """Write arguments as the words of the command line; raise UsageError for an unknown one."""
        options: list[str] = []
        positional: list[str] = []
        names, parameters = self.names, self.parameters
        for given, value in arguments.items():
            key = as_name(given)
            if key in COMMON and key not in parameters and value is not None:
                options.append(f"{as_option(key)}={_text(given, value)}")
            elif key not in names:
                known = sorted({*parameters, *COMMON, *SHAPING})
                raise UsageError(
                    f"{given!r} is not an argument of {self.name!r}{suggestion(key, known)}",
                    hint=f"it takes {', '.join(known)}",
                )
            elif value is not None:
                param = parameters[names[key]]
                if param.param_type_name == "argument":
                    several = value if isinstance(value, list) else [value]
                    positional += [_text(given, each) for each in several]
                else:
                    options += _option(given, param, value, self.fields.get(names[key]))
        return [*self.name.split(), *options, *(["--", *positional] if positional else [])]

    def describe(self) -> dict[str, Any]:
        """Return what there is to know before the command is run."""
        described: dict[str, Any] = {
            "command": self.name,
            "summary": self.summary,
            "help": str(getdoc(self.request) if self.request else self.command.help),
            "tool": "plan_change" if self.changes else "read",
            "parameters": [
                _described(name, param, self.fields.get(name)) for name, param in self.parameters.items()
            ],
        }
        if self.makes_anew:
            described["parameters"].append(RESUME)
        if self.request:
            endpoint = self.request.endpoint
            described |= {"endpoint": f"{endpoint.method} {endpoint.path}", "columns": [*endpoint.columns]}
            if endpoint.confirm_prompt:
                described["destroys"] = endpoint.confirm_prompt
        return described


class Reachable:
    """The commands that an assistant may run, found in the command tree."""

    def __init__(self, root: Any, service: str, *, writes: bool) -> None:
        self._root, self._service, self._writes = root, service, writes

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all commands."""
        changes = [*CHANGES, *NAMED_CHANGES] if self._writes else []
        found = [*READS, *NAMED_READS, *changes]
        return tuple(sorted(name for name in found if self.has(name)))

    def has(self, name: str) -> bool:
        """Whether the tree has a command."""
        return self._node(name) is not None

    def find(self, name: str) -> ReachableCommand:
        """Return a command; raise NotFoundError where there is none that an assistant may run."""
        words = name.split()
        key = " ".join(words[1:] if words[:1] == ["adsctl"] else words)
        if key not in self.names:
            hint = "find_commands lists what can be run here; anything else is left to the command line"
            raise NotFoundError(
                f"{key[:100]!r} cannot be run here{suggestion(key[:100], self.names)}", hint=hint
            )
        command = self._node(key)
        request = command.request_for(self._service) if hasattr(command, "request_for") else None
        return ReachableCommand(key, command, key in (*CHANGES, *NAMED_CHANGES), request)

    def search(self, query: str) -> list[ReachableCommand]:
        """Return the commands that fit words best, the best first; all of them for no words."""
        words = query.lower().replace("-", " ").replace("_", " ").split()[:MAX_WORDS]
        words = [word for word in words if len(word) >= MIN_WORD_LENGTH]
        ranked = []
        for name in self.names:
            found = self.find(name)
            texts = (name.replace("-", " "), found.summary, " ".join(found.parameters).replace("_", " "))
            rank = sum(
                weight
                for word in words
                for weight, text in zip((6, 3, 1), texts, strict=True)
                if word.rstrip("s") in text.lower()
            )
            if rank or not words:
                ranked.append((-rank, name, found))
        return [found for _, _, found in sorted(ranked, key=lambda each: each[:2])]

    def _node(self, name: str) -> Any:
        node = self._root
        for word in name.split():
            node = getattr(node, "commands", {}).get(word)
        return node


def help_words(name: str) -> list[str] | None:
    """Return the words of `help …`, which are those of a command or a topic; None for another command."""
    words = name.removeprefix("adsctl ").split()
    if words[:1] != [HELP]:
        return None
    if wrong := next((word for word in words if not word.replace("-", "").isalnum() or word[0] == "-"), None):
        raise UsageError(
            f"{wrong[:100]!r} is not a command or a topic", hint="help names topics and commands"
        )
    return words


def _option(given: str, param: Any, value: Any, field: Field | None) -> list[str]:
    """Write the value of an option as one word, so that it is never taken for another option."""
    name = max(param.opts, key=len)
    if param.is_flag:
        if as_flag(given, value):
            return [name]
        return [max(param.secondary_opts, key=len)] if param.secondary_opts else []
    if field and field.type.is_nested:
        if isinstance(value, str) and value.lstrip().startswith(FILE_MARK):
            raise UsageError(f"{given}: a file cannot be named here", hint="give the value as JSON")
        return [f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return [f"{name}={_text(given, value)}"]


def as_flag(given: str, value: Any) -> bool:
    """Return what a flag is set to; raise UsageError where that is neither true nor false."""
    if value not in (True, False, "true", "false"):
        raise UsageError(f"{given}: must be true or false")
    return value in (True, "true")


def _text(given: str, value: Any) -> str:
    """Write a value as text; raise UsageError for one that no option takes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not any(isinstance(each, list) for each in value):
        return ",".join(_text(given, each) for each in value)
    if not isinstance(value, str | int | float):
        raise UsageError(f"{given}: must be text, a number, true, false or a list of these")
    text = str(value)
    if "\0" in text or any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise UsageError(f"{given}: is not text")
    return text


def _described(name: str, param: Any, field: Field | None) -> dict[str, Any]:
    """Describe a parameter, as it is declared."""
    described: dict[str, Any] = {"name": name, "required": bool(field.required if field else param.required)}
    described["type"] = _type_of(param, field)
    if text := (field.help if field else param.help):
        described["description"] = text
    if field:
        kind = field.type.item if field.type.is_comma_list else field.type
        if kind.choices:
            described["choices"] = [*kind.choices]
        limits = {"minimum": "ge", "maximum": "le", "min_length": "min_length", "max_length": "max_length"}
        described |= {
            name: value for name, limit in limits.items() if (value := field.type.limit(limit)) is not None
        }
    return described


def _type_of(param: Any, field: Field | None) -> str:
    if getattr(param, "is_flag", False):
        return "boolean"
    if field is None:
        return "text"
    if field.type.is_nested:
        return "JSON"
    if field.type.is_comma_list:
        return "list"
    return "integer" if field.type.base is int else "text"
