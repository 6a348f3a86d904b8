"""The tools: what they are called, what they take, and what they run."""

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ...console.invocation import Invocation
from ...console.options import ALL_OPTIONS
from ...errors import DIFFERENCES_FOUND, AdsctlError, ContentError, IncompleteError, UsageError
from ...output.text import safe
from ...spelling import as_name, as_option
from .applies import Applies
from .child import CLIENT, CommandError, Commands, Finished
from .files import OpenFolders
from .plans import Plans, count_actions
from .reachable import MAX_LENGTH, SHAPING, Reachable, help_words
from .results import CURSOR, ResultFiles, read_documents

# A workflow that found something ends with one of these, and its findings are its result.
FOUND = (ContentError.exit_code, IncompleteError.exit_code, DIFFERENCES_FOUND)
MAX_FOUND_COMMANDS = 20
MAX_NAME_LENGTH = 60  # of a client
KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str, int, float, list),
    "integer": (int, str),
    "boolean": (bool,),
    "object": (dict,),
}


class ToolArgument(NamedTuple):
    """An argument of a tool; without `about`, the help of the parameter of its name says what it is."""

    name: str
    kind: str = "string"
    about: str = ""
    required: bool = False


class Tool(NamedTuple):
    """A tool, and the command that it runs.

    A method of Toolbox of its name, with its arguments as parameters, runs any but a workflow.
    """

    name: str
    about: str
    arguments: tuple[ToolArgument, ...]
    command: str = ""  # whose parameters describe the arguments; the tool is there where the command is
    reads_only: bool = True
    destroys: bool = False
    reaches_out: bool = True  # to the service
    is_workflow: bool = False  # only runs its command, with a file at most; the findings are its result

    def schema(self, root: Any) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        from ...reference import describe_command

        described: dict[str, Any] = {option.name: (option.help, "") for option in ALL_OPTIONS}
        if self.command:
            for param in describe_command(root, tuple(self.command.split())).parameters:
                for name in param.names:
                    described[as_name(name)] = (param.help, param.completes_from)
        properties = {}
        for argument in self.arguments:
            help, offered = described.get(argument.name, ("", ""))
            properties[argument.name] = {"type": argument.kind, "description": argument.about or help}
            if argument.name in CHOICES and offered:
                properties[argument.name]["enum"] = offered.split()
        required = [argument.name for argument in self.arguments if argument.required]
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }


CHOICES = ("entity", "segment_by")
COMMAND = ToolArgument("command", about="As find_commands names it, such as 'campaigns list'", required=True)
ARGUMENTS = ToolArgument(
    "arguments", "object", "By name, as describe_command lists them; lists may be arrays"
)
FILE = ToolArgument("file", about="A feed below the folders of --files", required=True)
PAGING = (
    ToolArgument("all", "boolean", "Follow all pages"),
    ToolArgument("limit", "integer", "Follow pages until so many records"),
    ToolArgument("cursor", about="Of an earlier result: go on there"),
    ToolArgument("columns"),
    ToolArgument("query", about="A JMESPath expression, applied to the records"),
)
TOOLS = (
    Tool("accounts", "List the advertising accounts, and how this server was started.", ()),
    Tool(
        "find_commands",
        "Find the commands that read and plan_change run, by words such as 'targeting of line items'.",
        (ToolArgument("query", about="Words; none lists all names"),),
        reaches_out=False,
    ),
    Tool(
        "describe_command",
        "Show a command's arguments with their types, limits and choices, and the columns of its records.",
        (COMMAND,),
        reaches_out=False,
    ),
    Tool(
        "read",
        "Run a command that changes nothing: any list or get of the service, 'campaigns tree', 'jobs list', "
        "'help fields products' and others. Amounts end in _micro: millionths of the currency.",
        (COMMAND, ARGUMENTS, *PAGING),
    ),
    Tool(
        "statistics",
        "Show what ads cost and brought: a row for each entity and day. Without ids, of what was active.",
        (
            ToolArgument("since", required=True),
            *map(ToolArgument, ("until", "entity", "metrics", "ids", "segment_by", "group_by")),
            ToolArgument("limit", "integer", "So many rows at most"),
        ),
        command="stats export",
    ),
    Tool("check_account", "Find what is wrong in the account.", (), "accounts check", is_workflow=True),
    Tool(
        "check_feed",
        "Check a product feed, offline.",
        (FILE,),
        "products check",
        reaches_out=False,
        is_workflow=True,
    ),
    Tool(
        "diff_feed",
        "Show what differs between a product feed and its catalog.",
        (FILE,),
        "products diff",
        is_workflow=True,
    ),
    Tool(
        "plan_campaigns",
        "Show what differs between the account and a file of campaigns.",
        (FILE._replace(about="A file of campaigns below the folders of --files"),),
        command="campaigns plan",
        is_workflow=True,
    ),
    Tool(
        "jobs",
        "List the pushes and applied plans that ran on this machine, or show one: what is sent, rejected, "
        "unfinished.",
        (ToolArgument("job", about="The id of one, or of a plan that was applied"),),
        command="jobs list",
        reaches_out=False,
    ),
    Tool(
        "changes",
        "List what this tool has changed: when, by which command, by whom, and what was before.",
        (
            ToolArgument("since", about="From when, such as 7d"),
            ToolArgument("id", about="Of this record only"),
        ),
        command="changes list",
        reaches_out=False,
    ),
)
WRITING_TOOLS = (
    Tool(
        "plan_change",
        "Say what a command would change: what would be sent, what it costs, what the guard says, what is "
        "destroyed. Nothing is sent. The plan_id is good for ten minutes.",
        (COMMAND, ARGUMENTS),
    ),
    Tool(
        "apply_change",
        "Carry out a plan, once, if what it touches has not changed. Show the plan to the person before.",
        (ToolArgument("plan_id", about="Of plan_change", required=True),),
        reads_only=False,
        destroys=True,
    ),
)


class Toolbox:
    """Runs tools; raises AdsctlError for what the assistant should know."""

    def __init__(
        self,
        call: Invocation,
        reachable: Reachable,
        commands: Commands,
        results: ResultFiles,
        files: OpenFolders,
        *,
        allow_writes: bool,
    ) -> None:
        self._call, self._reachable, self._commands = call, reachable, commands
        self._results, self._files = results, files
        state_dir, max_wait = call.settings.state_dir, call.settings.seconds("max_wait")
        self._applies = Applies(commands, state_dir, max_wait)
        self._plans = Plans(commands, reachable, results, files, self._applies, state_dir)
        tools = (*TOOLS, *(WRITING_TOOLS if allow_writes else ()))
        self.tools = {tool.name: tool for tool in tools if not tool.command or reachable.has(tool.command)}
        self._masks_secrets = False

    async def run(self, name: str, given: Mapping[str, Any], client: str = "") -> dict[str, Any]:
        """Run a tool with the arguments of a client, whose name is logged."""
        CLIENT.set(f"mcp {safe(client)[:MAX_NAME_LENGTH]}".strip())
        tool = self.tools[name]
        self._know_secrets()
        arguments = _checked(tool, given)
        if tool.is_workflow:
            return await self._workflow(tool, **arguments)
        run: Callable[..., Awaitable[dict[str, Any]]] = getattr(self, f"_{name}")
        return await run(**arguments)

    def close(self) -> None:
        """Remove what the results have left."""
        self._results.close()

    def _know_secrets(self) -> None:
        """Read the secrets of the profile, so that none is shown, wherever it comes from."""
        if self._masks_secrets or self._call.settings.is_local:
            return
        with suppress(AdsctlError):  # the command will say so
            self._call.secrets.user()
            self._masks_secrets = True

    async def _accounts(self) -> dict[str, Any]:
        done = await self._done(["accounts", "list", "--all"])
        settings = self._call.settings
        about = {
            "profile": settings.profile,
            "service": settings.service,
            "account": settings.get("account"),
            "catalog": settings.get("catalog"),
            "may_change": "plan_change" in self.tools,
        }
        return self._results.of(read_documents(done.output), about=about)

    async def _find_commands(self, query: str = "") -> dict[str, Any]:
        found = self._reachable.search(query)
        if not query.strip():
            return self._results.of([each.name for each in found], about={})
        records = [
            {"command": each.name, "summary": each.summary, "tool": "plan_change" if each.changes else "read"}
            for each in found[:MAX_FOUND_COMMANDS]
        ]
        return self._results.of(records, about={})

    async def _describe_command(self, command: str) -> dict[str, Any]:
        return self._results.of(self._reachable.find(command).describe(), about={})

    async def _read(
        self, command: str, arguments: Mapping[str, Any] | None = None, **shaping: Any
    ) -> dict[str, Any]:
        own = dict(arguments or {})
        for name in SHAPING:
            if name in own and name in shaping and own[name] != shaping[name]:
                raise UsageError(f"{name}: differs in arguments and beside them", hint="give it once")
            if name in own:
                value = own.pop(name)
                shaping[name] = _as_text(name, value) if name in ("columns", "query", "cursor") else value
        if str(shaping.get("cursor") or "").startswith(CURSOR):
            return self._results.after(str(shaping["cursor"]))
        if words := help_words(command):
            done = await self._done(words)
            data, next_cursor = read_documents(done.output), None
        else:
            found = self._reachable.find(command)
            if found.changes:
                raise UsageError(f"{found.name!r} changes something", hint="use plan_change")
            words = found.words(own)
            at = words.index("--") if "--" in words else len(words)
            words[at:at] = _paging({name: value for name, value in shaping.items() if found.takes(name)})
            words[at:at] = ["--envelope"] if found.takes("envelope") else []
            done = await self._done(words)
            data, next_cursor = _without_envelope(read_documents(done.output), found.takes("envelope"))
        limit = shaping.get("limit")
        return self._results.of(
            data,
            about={"command": " ".join(command.split()), **_warnings(done)},
            columns=shaping.get("columns"),
            query=shaping.get("query"),
            limit=None if limit is None else _count("limit", limit),
            next_cursor=next_cursor,
        )

    async def _statistics(
        self, limit: Any = None, segment_by: str | None = None, **given: str
    ) -> dict[str, Any]:
        is_of_account = str(given.get("entity", "")).upper().replace("-", "_") == "ACCOUNT"
        options = [f"{as_option(name)}={value}" for name, value in given.items()]
        options += [] if given.get("ids") or is_of_account else ["--active"]
        if segment_by:  # which the service answers by jobs only
            words = ["stats", "export", *options, f"--segment-by={segment_by}"]
        else:
            words = ["stats", "get", *options]
        done = await self._done(words)
        rows = read_documents(done.output)
        if isinstance(rows, list):  # without the columns that are empty in every row
            filled = {name for row in rows for name, value in row.items() if value is not None}
            rows = [{name: value for name, value in row.items() if name in filled} for row in rows]
        count = None if limit is None else _count("limit", limit)
        return self._results.of(rows, about={"command": " ".join(words[:2]), **_warnings(done)}, limit=count)

    async def _jobs(self, job: str | None = None) -> dict[str, Any]:
        if not job:
            done = await self._done(["jobs", "list"])
            records = [*read_documents(done.output), *self._applies.records()]
            return self._results.of(records, about={"command": "jobs list", **_warnings(done)})
        if applied := self._applies.find(job):
            return self._results.of(applied, about={"command": "apply_change"})
        return await self._read("jobs show", {"job": job})

    async def _changes(self, **given: str) -> dict[str, Any]:
        return await self._read("changes list", given)

    async def _plan_change(self, command: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return await self._plans.make(command, arguments or {})

    async def _apply_change(self, plan_id: str) -> dict[str, Any]:
        return await self._plans.apply(plan_id)

    async def _workflow(self, tool: Tool, file: str | None = None) -> dict[str, Any]:
        """Run the command of a tool, whose findings are its result."""
        words = tool.command.split()
        if file is not None:
            is_feed = words[0] == "products"
            words += ["--", self._files.checked(file) if is_feed else self._files.checked_campaigns(file)]
        done = await self._commands.run(words)
        if done.code and not (done.code in FOUND and done.output.strip()):
            raise CommandError(done)
        data = read_documents(done.output)
        about: dict[str, Any] = {"command": tool.command, "exit_code": done.code}
        if done.error:
            about["message"] = done.error["message"]
        if isinstance(data, list):
            about["counts"] = count_actions(data)
        return self._results.of(data, about={**about, **_warnings(done)})

    async def _done(self, words: list[str]) -> Finished:
        """Run a command that must succeed."""
        done = await self._commands.run(words)
        if done.code:
            raise CommandError(done)
        return done


def _checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are given; raise UsageError for what the tool does not take."""
    known = {argument.name: argument for argument in tool.arguments}
    if unknown := next((name for name in given if name not in known), None):
        takes = ", ".join(known) or "none"
        raise UsageError(f"{tool.name} has no argument {unknown[:100]!r}", hint=f"it takes {takes}")
    found = {name: value for name, value in given.items() if value is not None}
    if sum(_size(value) for value in found.values()) > MAX_LENGTH:
        raise UsageError(f"the arguments are longer than {MAX_LENGTH:,} characters")
    for name, value in found.items():
        kind = known[name].kind
        if not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
            raise UsageError(f"{name}: must be {kind}")
        if kind == "string":
            found[name] = _as_text(name, value)
    for argument in tool.arguments:
        if argument.required and not found.get(argument.name):
            raise UsageError(f"{argument.name}: is required")
    return found


def _as_text(name: str, value: Any) -> str:
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str | int | float) for part in parts):
        raise UsageError(f"{name}: must be text, or a list of texts")
    text = ",".join(map(str, parts))
    try:
        os.fsencode(text).decode()
    except UnicodeError:
        raise UsageError(f"{name}: is not text") from None
    if "\0" in text:
        raise UsageError(f"{name}: is not text")
    return text


def _size(value: Any) -> int:
    """Return how long a value is, without writing it."""
    size, rest = 0, [value]
    while rest and size <= MAX_LENGTH:
        each = rest.pop()
        if isinstance(each, dict):
            rest += [*each.keys(), *each.values()]
        elif isinstance(each, list):
            rest += each
        size += len(each) if isinstance(each, str) else 1
    return size


def _count(name: str, value: Any) -> int:
    text = str(value)
    if not (text.isascii() and text.isdecimal()) or not 0 < len(text) <= 9 or int(text) < 1:
        raise UsageError(f"{name}: must be a number from 1 on")
    return int(text)


def _paging(shaping: Mapping[str, Any]) -> list[str]:
    """Write the options of a list that follow its pages."""
    found = ["--all"] if shaping.get("all") in (True, "true") else []
    if shaping.get("limit") is not None:
        found.append(f"--limit={_count('limit', shaping['limit'])}")
    if shaping.get("cursor"):
        found.append(f"--cursor={_as_text('cursor', shaping['cursor'])}")
    return found


def _without_envelope(document: Any, has_envelope: bool) -> tuple[Any, str | None]:
    """Return the data of a response, and the cursor of the service."""
    if has_envelope and isinstance(document, dict) and "data" in document:
        cursor = document.get("next_cursor")
        return document["data"], str(cursor) if cursor else None
    return document, None


def _warnings(done: Finished) -> dict[str, Any]:
    """Return the warnings of a command; that there are more records, the cursor says."""
    warnings = [line for line in done.warnings if not line.startswith("there are more")]
    return {"warnings": warnings} if warnings else {}
