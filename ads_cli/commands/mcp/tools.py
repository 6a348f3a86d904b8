"""The tools, and what they run."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from anyio.to_thread import run_sync

from ...console.invocation import Invocation
from ...console.option_words import as_flag, text_of
from ...console.results import MORE
from ...errors import DIFFERENCES_FOUND, AdsctlError, ContentError, IncompleteError, UsageError
from ...output.text import safe
from ...spelling import as_name, as_option, comma_list
from .amounts import in_units, only_currency, unit_name
from .applies import AppliedPlans
from .child import CLIENT, CommandError, Commands, Finished
from .declared_tools import TOOLS, Arguments, Result, Tool, ToolArgument, tool
from .files import NO_FILE, CheckedFile, OpenFolders
from .plans import Plans, count_actions
from .query import query
from .reachable import Reachable, ReachableCommand, help_words
from .results import CURSOR, ResultFiles, ResultPart, read_documents

# A command that found something ends with one of these.
FOUND = (ContentError.exit_code, IncompleteError.exit_code, DIFFERENCES_FOUND)
CHANGES = ["changes", "list"]
MAX_FOUND_COMMANDS = 20
MAX_NAME_LENGTH = 60  # of a client


def _count(name: str, value: Any) -> int:
    text = str(value)
    if not (text.isascii() and text.isdecimal()) or not 0 < len(text) <= 9 or int(text) < 1:
        raise UsageError(f"{name}: must be a number from 1 on")
    return int(text)


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
READ_AS: Mapping[str, Callable[[str, Any], Any]] = {"boolean": as_flag, "integer": _count, "string": text_of}


def _split_shape(params: Arguments) -> tuple[dict[str, Any], ResultPart]:
    """Split the arguments of a command from the shape of its result, which is among or beside them."""
    own = dict(params.get("arguments", {}))
    shape = {}
    for name, kind, *_ in PAGING:
        named = [value for value in (own.pop(name, None), params.get(name)) if value is not None]
        values = {READ_AS[kind](name, value) for value in named}
        if len(values) > 1:
            raise UsageError(f"{name}: differs in arguments and beside them", hint="give it once")
        if values:
            shape[name] = values.pop()
    return own, ResultPart(**shape)


def _paging(command: ReachableCommand, shape: ResultPart) -> dict[str, str]:
    """Write the options of a list that follow its pages, by the names of their parameters.

    Pages are read whole, so that the cursor of the service leads to the first record that was not read.
    """
    options = {"all": "--all"} if shape.all else {}
    if shape.cursor:
        options["cursor"] = f"--cursor={shape.cursor}"
    if shape.limit and command.request is None:
        options["limit"] = f"--limit={shape.limit}"
    elif shape.limit and command.takes("limit") and (count := command.fields.get("count")):
        size = min(shape.limit, count.type.limit("le"))
        options |= {"count": f"--count={size}", "limit": f"--limit={ceil(shape.limit / size) * size}"}
    return {name: option for name, option in options.items() if command.takes(name)}


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
        self._applied = AppliedPlans(commands, state_dir, max_wait, call.settings.profile)
        self._plans = Plans(commands, reachable, results, files, self._applied, state_dir)
        self.tools: dict[str, Tool] = {
            tool.name: tool
            for tool in TOOLS
            if (allow_writes or not tool.needs_writes) and (not tool.command or reachable.has(tool.command))
        }

    async def run(self, name: str, params: Arguments, client: str = "") -> Result:
        """Run a tool with the arguments of a client, whose name is logged."""
        CLIENT.set(f"mcp {safe(client)[:MAX_NAME_LENGTH]}".strip())
        tool = self.tools[name]
        return await tool.run(self, tool.checked(params))

    async def error(self, error: AdsctlError) -> Result:
        """Return the error that a client gets."""
        return await self._results.of_error(error)

    def close(self) -> None:
        """Remove what the results have left."""
        self._results.close()

    @tool("List the advertising accounts, and how this server was started.")
    async def _accounts(self, params: Arguments) -> Result:
        result = await self._commands.succeed(["accounts", "list", "--all"])
        settings = self._call.settings
        about = {
            "profile": settings.profile,
            "service": settings.service,
            "account": settings.get("account"),
            "catalog": settings.get("catalog"),
            "may_change": "plan_change" in self.tools,
        }
        return await self._results.of(read_documents(result.output), about=about)

    @tool(
        "Find the commands that read and plan_change run, by words such as 'targeting of line items'.",
        ToolArgument("query", about="Words; none lists all names"),
        reaches_out=False,
    )
    async def _find_commands(self, params: Arguments) -> Result:
        query = params.get("query", "")
        commands = self._reachable.search(query)
        if not query.strip():
            return await self._results.of([command.name for command in commands], about={})
        records = [
            {
                "command": command.name,
                "summary": command.summary,
                "tool": "plan_change" if command.changes else "read",
            }
            for command in commands[:MAX_FOUND_COMMANDS]
        ]
        return await self._results.of(records, about={})

    @tool(
        "Show a command's arguments with their types, limits and choices, and the columns of its records.",
        COMMAND,
        reaches_out=False,
    )
    async def _describe_command(self, params: Arguments) -> Result:
        return await self._results.of(self._reachable.find(params["command"]).describe(), about={})

    @tool(
        "Run a command that changes nothing: any list or get of the service, 'campaigns tree', 'jobs list', "
        "'help fields products' and others. Amounts are such as '60.00 EUR'; "
        "a query has millionths, as *_micro.",
        *(COMMAND, ARGUMENTS, *PAGING),
    )
    async def _read(self, params: Arguments) -> Result:
        command = params["command"]
        arguments, shape = _split_shape(params)
        if shape.cursor and shape.cursor.startswith(CURSOR):
            return self._results.after(shape.cursor, shape.limit)
        has_envelope = False
        if not (words := help_words(command)):
            reachable = self._reachable.find(command)
            if reachable.changes:
                raise UsageError(f"{reachable.name!r} changes something", hint="use plan_change")
            has_envelope = reachable.takes("envelope")
            paging = _paging(reachable, shape)
            own = {name: value for name, value in arguments.items() if as_name(name) not in paging}
            words = reachable.words(own, [*(["--envelope"] if has_envelope else []), *paging.values()])
        result = await self._commands.succeed(words)
        data, next_cursor = _without_envelope(read_documents(result.output), has_envelope)
        about = {"command": " ".join(command.split()), **_warnings(result)}
        if isinstance(data, list) and words[:2] == CHANGES:
            data.reverse()  # of one second, the last is first too
            data.sort(key=lambda change: str(change["time"]), reverse=True)
        data = await self._results.private(data)
        currency = only_currency(data)
        if shape.query is not None:
            data = await query(self._commands, data, shape.query)
        data = in_units(data, currency)
        if shape.columns:
            shape = shape._replace(columns=",".join(map(unit_name, comma_list(shape.columns))))
        return await self._results.of(data, about=about, shape=shape, next_cursor=next_cursor, is_masked=True)

    @tool(
        "Show what ads cost and brought: a row for each entity and day. Without ids, of what was active.",
        ToolArgument("since", required=True),
        *map(ToolArgument, ("until", "entity", "metrics", "ids", "segment_by", "group_by")),
        ToolArgument("limit", "integer", "So many rows at most"),
        command="stats export",
    )
    async def _statistics(self, params: Arguments) -> Result:
        options = [
            f"{as_option(name)}={value}"
            for name, value in params.items()
            if name != "limit" and (value or name != "segment_by")
        ]
        is_of_account = params.get("entity", "").upper().replace("-", "_") == "ACCOUNT"
        options += [] if params.get("ids") or is_of_account else ["--active"]
        # The service segments in jobs only; the options of both commands are the same.
        words = ["stats", "export" if params.get("segment_by") else "get"]
        result = await self._commands.succeed([*words, *options])
        rows = read_documents(result.output)
        if isinstance(rows, list):  # without the columns that are empty in every row
            filled = {name for row in rows for name, value in row.items() if value is not None}
            rows = [{name: value for name, value in row.items() if name in filled} for row in rows]
        shape = ResultPart(limit=_count("limit", params["limit"]) if "limit" in params else None)
        return await self._results.of(
            rows, about={"command": " ".join(words), **_warnings(result)}, shape=shape
        )

    @tool("Find what is wrong in the account.", command="accounts check")
    async def _check_account(self, params: Arguments) -> Result:
        return await self._findings("accounts check")

    @tool("Check a product feed, offline.", FILE, command="products check", reaches_out=False)
    async def _check_feed(self, params: Arguments) -> Result:
        return await self._findings("products check", await run_sync(self._files.checked, params["file"]))

    @tool("Show what differs between a product feed and its catalog.", FILE, command="products diff")
    async def _diff_feed(self, params: Arguments) -> Result:
        return await self._findings("products diff", await run_sync(self._files.checked, params["file"]))

    @tool(
        "Show what differs between the account and a file of campaigns.",
        FILE._replace(about="A file of campaigns below the folders of --files"),
        command="campaigns plan",
    )
    async def _plan_campaigns(self, params: Arguments) -> Result:
        return await self._findings(
            "campaigns plan", await run_sync(self._files.checked_campaigns, params["file"])
        )

    @tool(
        "List the pushes and applied plans that ran on this machine, or show one: what is sent, rejected, "
        "unfinished.",
        ToolArgument("job", about="The id of one, or of a plan that was applied"),
        command="jobs list",
        reaches_out=False,
    )
    async def _jobs(self, params: Arguments) -> Result:
        if not (job := params.get("job")):
            result = await self._commands.succeed(["jobs", "list"])
            records = [*read_documents(result.output), *self._applied.records()]
            records.sort(key=lambda record: str(record["started"]))
            return await self._results.of(records, about={"command": "jobs list", **_warnings(result)})
        if applied := self._applied.find(job):
            return await self._results.of(applied, about={"command": "apply_change"})
        return await self._read({"command": "jobs show", "arguments": {"job": job}})

    @tool(
        "List what this tool has changed, newest first: when, by which command, by whom, what was before.",
        ToolArgument("since", about="From when, such as 7d"),
        ToolArgument("id", about="Of this record only"),
        command="changes list",
        reaches_out=False,
    )
    async def _changes(self, params: Arguments) -> Result:
        return await self._read({"command": "changes list", "arguments": params})

    @tool(
        "Say what a command would change: what would be sent, what it costs, what the guard says, what is "
        "destroyed. Nothing is sent. The plan_id is good for ten minutes.",
        *(COMMAND, ARGUMENTS),
        needs_writes=True,
    )
    async def _plan_change(self, params: Arguments) -> Result:
        return await self._plans.make(params["command"], params.get("arguments", {}))

    @tool(
        "Carry out a plan, once, if what it touches has not changed. Show the plan to the person before.",
        ToolArgument("plan_id", about="Of plan_change", required=True),
        needs_writes=True,
        changes=True,
    )
    async def _apply_change(self, params: Arguments) -> Result:
        return await self._plans.apply(params["plan_id"])

    async def _findings(self, command: str, file: CheckedFile = NO_FILE) -> Result:
        """Run a command whose findings are its result, whatever its exit code says of them."""
        result = await self._commands.run(
            [*command.split(), *(["--", file.path] if file.path else [])], file=file
        )
        if result.code and not (result.code in FOUND and result.output.strip()):
            raise CommandError(result)
        data = read_documents(result.output)
        about: dict[str, Any] = {"command": command, "exit_code": result.code}
        if result.error:
            about["message"] = result.error["message"]
        if isinstance(data, list):
            about["counts"] = count_actions(data)
        return await self._results.of(data, about={**about, **_warnings(result)})


def _without_envelope(document: Any, has_envelope: bool) -> tuple[Any, str | None]:
    """Return the data of a response, and the cursor of the service."""
    if has_envelope and isinstance(document, dict) and "data" in document:
        cursor = document.get("next_cursor")
        return document["data"], str(cursor) if cursor else None
    return document, None


def _warnings(result: Finished) -> dict[str, Any]:
    """Return the warnings of a command; that there are more records, the cursor says."""
    warnings = [line for line in result.warnings if not line.startswith(MORE)]
    return {"warnings": warnings} if warnings else {}
