"""Campaigns as a file: pull, plan and apply."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...api.amounts import as_amount
from ...console.invocation import Invocation
from ...errors import AdsctlError, ContentError, IncompleteError, NotConfirmedError, StateError, UsageError
from ...numbers import parse_share
from ...output.text import counted

if TYPE_CHECKING:
    from collections import Counter
    from datetime import datetime

    from ...campaigns.account import AccountReader
    from ...campaigns.apply import Applied
    from ...campaigns.comparison import Change, Plan
    from ...campaigns.file import CampaignFile
    from ...campaigns.memory import ApplyMemory
    from ...campaigns.model import Stored

DIFFERENCES_FOUND = 10  # exit code
COLUMNS = ("action", "kind", "id", "key", "name", "path", "before", "after")
LISTS = ("line_items", "targeting", "ads", "tracking_tags")
SIGNS = {"create": "+", "update": "~", "delete": "-"}
JSON_SUFFIXES = (".json",)

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A file of campaigns, or - for standard input")
]
Prune = Annotated[
    bool, typer.Option("--prune", help="Delete what the lists of the file do not have, children first")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Delete and create what has fields that cannot be changed")
]


def pull(
    ctx: typer.Context,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Where to write; standard output without it")
    ] = None,
    ids: Annotated[
        str | None, typer.Option("--ids", metavar="A,B", help="Only these campaigns, separated by commas")
    ] = None,
    q: Annotated[
        str | None, typer.Option("--q", metavar="TEXT", help="Only campaigns whose names start with this")
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace a file that was changed since pull, or is another one"),
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print a commented file with every field; ask no service")
    ] = False,
) -> None:
    """Write campaigns with all that belongs to them into a file.

    The file has line items, targeting, ads and tracking tags, with their ids, in an order that stays, so that
    two pulls of an account are the same bytes, and a comparison of two versions shows what somebody changed.
    Its extension decides whether it is YAML or JSON. 'campaigns plan' compares it with the account, and
    'campaigns apply' makes the account what it says.

    For example: adsctl campaigns pull shop.yaml
    """
    from ...campaigns.account import AccountReader
    from ...campaigns.memory import is_pulled, note_pulled
    from ...campaigns.writer import as_json, as_yaml, document_of
    from ...config.atomic_files import atomic
    from ...config.output_paths import file_to_replace

    call = Invocation.of(ctx, mutates=False)
    if example:
        from ...campaigns.example import example_text

        sys.stdout.write(example_text())
        return
    if ids and q is not None:
        raise UsageError("--ids: cannot be used with --q")
    path = Path(file) if file and file != "-" else None
    state = call.settings.state_dir
    if path and path.suffix.lower() not in (".yaml", ".yml", *JSON_SUFFIXES):
        raise UsageError(f"{path}: cannot tell the format from the name", hint="name it .yaml or .json")
    if path and not force and file_to_replace(path) and not is_pulled(state, path):
        raise UsageError(
            f"{path} was not written by pull, or was changed since", hint="replace it with --force"
        )
    call.client.open()
    reader = AccountReader(call.client, call.account)
    named = [id.strip() for id in ids.split(",") if id.strip()] if ids else []
    if ids is not None and not named:
        raise UsageError("--ids: names no campaign")
    campaigns = reader.tree(reader.campaigns(ids=named, q=q), LISTS)
    document = document_of(campaigns, call.account, whole=not named and q is None, q=q)
    is_json = path.suffix.lower() in JSON_SUFFIXES if path else call.settings.get("output") == "json"
    text = as_json(document) if is_json else as_yaml(document)
    if path is None:
        sys.stdout.write(text)
    else:
        with atomic(path, 0o644, keep_mode=True) as stream:
            stream.write(text)
        note_pulled(state, path, text.encode())
        call.messages.say(f"{path}: {counted(len(campaigns), 'campaign')}")


def plan(
    ctx: typer.Context,
    file: FileArgument,
    prune: Prune = False,
    replace: Replace = False,
    max_delete: Annotated[
        str,
        typer.Option(metavar="N|P%", help="With --prune: say where more would be deleted than apply deletes"),
    ] = "10%",
    out: Annotated[
        str | None, typer.Option("--out", metavar="PLAN", help="Store the plan, for apply PLAN")
    ] = None,
) -> None:
    """Show what differs between a file of campaigns and the account; change nothing.

    Ends with 10 where anything differs. A field or a list that the file does not have is left as it is. A
    record is known by its id, else by its key or name. All mistakes of the file are told at once (3).

    For example: adsctl campaigns plan -
    """
    call = Invocation.of(ctx, mutates=False)
    limit = parse_share(max_delete, "--max-delete")
    run = _Run(call, prune=prune, replace=replace)
    found = run.compare(file)
    if out:
        from ...campaigns.stored_plan import encode
        from ...config.atomic_files import atomic

        options = {"prune": prune, "replace": replace}
        with atomic(Path(out), keep_mode=True) as stream:
            stream.write(encode(found, run.file, call.account, call.service, options))
    _show(call, found)
    if found.pruned > limit.of(found.listed):
        call.messages.note(f"{_excess(found, max_delete)}: apply needs --max-delete {found.pruned}")
    if found.changes:
        raise typer.Exit(DIFFERENCES_FOUND)


def apply(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A file of campaigns, or a stored plan; - is standard input"),
    ],
    prune: Prune = False,
    replace: Replace = False,
    max_delete: Annotated[
        str, typer.Option(metavar="N|P%", help="With --prune: change nothing where more would be deleted")
    ] = "10%",
    write_ids: Annotated[
        bool, typer.Option("--write-ids", help="Write the ids into the file; its comments stay")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after a run that was stopped; nothing is created twice")
    ] = False,
) -> None:
    """Make the account what a file of campaigns says.

    Shows the plan and carries it out: pauses, creations, changes, activations, deletions. What is created is
    paused, unless the file has entity_status ACTIVE; it is activated once all its parts are there. It asks
    before something may spend more, and before anything is deleted. A second run does nothing.

    A stored plan is refused (12) where what it touches has changed since. A run that was stopped is resumed
    by running it again: what was created is found, and not created twice.

    For example: adsctl campaigns apply - --dry-run
    """
    call = Invocation.of(ctx)
    limit = parse_share(max_delete, "--max-delete")
    run = _Run(call, prune=prune, replace=replace)
    with run.locked():
        found = run.compare(file, takes_plans=True)
        if write_ids and (file == "-" or run.stored_plan):
            raise UsageError("--write-ids: needs a file of campaigns")
        _show(call, found, is_result=False)
        if resume and not found.changes:
            call.messages.say("nothing is left to resume")
        if found.pruned > limit.of(found.listed):
            raise NotConfirmedError(
                _excess(found, max_delete),
                hint=f"nothing was changed; if that is right, add --max-delete {found.pruned}",
            )
        if call.dry_run:
            _print(call, found)
            return
        result = run.carry_out(found)
    _print(call, found, result)
    if write_ids:
        from ...campaigns.write_ids import write_into

        count, looped = write_into(Path(file), run.file, result.ids)
        call.messages.say(f"{file}: {counted(count, 'id')} written")
        if looped:
            call.messages.note("records of a loop have no place for their ids; what apply made is remembered")
    done = ", ".join(f"{count:,} {what}" for what, count in result.done.items() if count)
    call.messages.say(done or "nothing to change")
    if result.failed:
        told = "\n".join(f"{path}: {reason}" for path, reason in result.failed)
        raise IncompleteError(
            f"{counted(len(result.failed), 'record')} refused by the service\n{told}",
            hint="correct the file and apply it again: what was applied is not sent again",
        )


class _Run:
    """One comparison of a file with an account."""

    def __init__(self, call: Invocation, *, prune: bool, replace: bool) -> None:
        self.call, self.prune, self.replace = call, prune, replace
        self.stored_plan: dict[str, Any] | None = None
        self.digest = ""  # of the stored plan
        self.file: CampaignFile
        self.memory: ApplyMemory

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other applies from the account meanwhile."""
        from ...campaigns.memory import FOLDER
        from ...config.atomic_files import make_folder
        from ...config.file_locks import how_to_unlock, try_lock

        call = self.call
        folder = call.settings.state_dir / FOLDER
        make_folder(folder)
        name = sha256(f"{call.service}\n{call.account}".encode()).hexdigest()[:16]
        path = folder / f"{name}.lock"
        lock = try_lock(path)
        if lock is None:
            raise StateError(f"another apply changes the account {call.account}", hint=how_to_unlock(path))
        try:
            yield
        finally:
            lock.release()

    def compare(self, file: str, *, takes_plans: bool = False) -> "Plan":
        """Read the file and the account; return what differs, or raise ContentError with every mistake."""
        from ...campaigns.account import AccountReader
        from ...campaigns.file import parse_file, read_content
        from ...campaigns.memory import ApplyMemory
        from ...campaigns.stored_plan import is_stored_plan, require_unchanged

        call = self.call
        content = read_content(file)
        label, folder = ("standard input", Path()) if file == "-" else (file, Path(file).parent)
        if is_stored_plan(content):
            if not takes_plans:
                raise ContentError(f"{label}: is a stored plan", hint="carry it out with: campaigns apply")
            content, label, folder = self._opened(content, label)
        self.file = parsed = parse_file(content, label, folder)
        if parsed.account not in (None, call.account):
            raise ContentError(
                f"{label}: is for account {parsed.account}, not {call.account}",
                hint=f"add --account {parsed.account}, or remove 'account' from the file",
            )
        self.memory = ApplyMemory(call.settings.state_dir, call.service, call.account)
        try:
            call.client.open()
            reader = AccountReader(call.client, call.account)
            found = self._compared(reader, parsed)
        except AdsctlError:
            parsed.require_valid()  # mistakes are told first
            raise
        parsed.require_valid()
        if self.stored_plan:
            is_begun = self.memory.begun_plan == self.digest
            require_unchanged(self.stored_plan, found, is_begun=is_begun)
        return found

    def _opened(self, content: bytes, label: str) -> tuple[bytes, str, Path]:
        """Return the file that a stored plan was made of, once its options hold."""
        from ...campaigns.stored_plan import decode

        stored = self.stored_plan = decode(content, label)
        if self.prune or self.replace:
            raise UsageError(
                "--prune and --replace: a stored plan has its own", hint="make the plan with them"
            )
        self.digest = sha256(content).hexdigest()[:32]
        self.prune, self.replace = stored["options"]["prune"], stored["options"]["replace"]
        if (stored["account"], stored["service"]) != (self.call.account, self.call.service):
            raise ContentError(
                f"{label}: is a plan for account {stored['account']} of {stored['service']}",
                hint=f"add --account {stored['account']}, and the profile that it was made with",
            )
        return stored["content"].encode(), stored["file"], Path(stored["folder"])

    def _compared(self, reader: "AccountReader", parsed: "CampaignFile") -> "Plan":
        from ...campaigns.comparison import Comparison
        from ...campaigns.targeting_names import resolve_names

        call, memory = self.call, self.memory
        listed = reader.campaigns(q=parsed.q if self._deletes_by_q(parsed) else None)
        campaigns = reader.tree(listed, ())
        matches = Comparison(parsed, campaigns, memory).match_campaigns()
        within = {one.id for one in matches.values()}
        if self.prune and parsed.covers:
            within = {one.id for one in campaigns}
        campaigns = reader.tree(listed, self._lists(parsed), within)
        resolve_names(call.client, call.account, parsed, memory, parsed.campaigns)
        comparison = Comparison(parsed, campaigns, memory, prune=self.prune, replace=self.replace)
        return comparison.run()

    def _deletes_by_q(self, parsed: "CampaignFile") -> bool:
        return parsed.q is not None and not parsed.is_whole

    def _lists(self, parsed: "CampaignFile") -> list[str]:
        """Name the lists that are read: those of the file, and all where records may be deleted."""
        from ...campaigns.model import each_entry

        if self.prune or self.replace:
            return [*LISTS]
        of_file = {key for entry in each_entry(parsed.campaigns) for key in entry.below}
        return ["line_items", *(key for key in LISTS[1:] if key in of_file)]

    def carry_out(self, found: "Plan") -> "Applied":
        """Ask, and send what differs."""
        from ...campaigns.apply import Apply
        from ...console.progress import progress

        call, memory = self.call, self.memory
        self._require_possible(found)
        if found.changes and (question := _question(found)):
            call.confirm(question)
        for entry_name, value in [*memory.names.items()]:
            memory.remember_name(entry_name, value)
        if self.stored_plan:
            memory.begin_plan(self.digest)
        with progress(call.messages, "Applying", len(found.changes)) as on_progress:
            result = Apply(call.client, call.account, found, memory, on_progress).run()
        if self.stored_plan and not result.failed:
            memory.begin_plan("")
        return result

    def _require_possible(self, found: "Plan") -> None:
        """Raise ContentError for values that the service cannot remove."""
        if self.call.settings.service == "x":
            return
        for change in found.changes:
            for name, value in change.values.items():
                if change.action == "update" and value is None and change.entry:
                    self.file.note(change.entry, "the service generic cannot remove a value", name)
        self.file.require_valid()


def _question(found: "Plan") -> str:
    """Return what is asked: nothing where nothing is deleted, and nothing may spend more."""
    from ...api.spending import ACTIVE, STATUS

    deletions = found.count("delete")
    activated = [
        change
        for change in found.changes
        if change.action != "delete" and change.values.get(STATUS) == ACTIVE
    ]
    rises = found.budgets.before != found.budgets.after or bool(_spends_more(found))
    if not (deletions or activated or rises):
        return ""
    what = [f"Change campaigns: {found.words}"]
    if activated:
        what.append(f"{counted(len(activated), 'record')} active")
    return f"{'; '.join(what)}; {_budget_words(found)}"


def _spends_more(found: "Plan") -> "Sequence[Change]":
    """Return the changes of what serves that the rules of single commands ask about."""
    from datetime import UTC, datetime

    from ...api.parts import with_removed
    from ...api.spending import raises
    from ...api.validation import convert

    found_changes: list[Change] = []
    now = datetime.now(UTC)
    for change in found.changes:
        one = change.stored
        if change.action == "create" and change.kind.list_name == "ads":
            parent = found.matched.get(change.parent) if change.parent else None
            if parent and _serves(parent, now):
                found_changes.append(change)
        elif change.action == "update" and one and change.kind.update and change.kind.is_named:
            sent = {name: value for name, value in change.values.items() if value is not None}
            request = convert(change.kind.update, {"account_id": "-", change.kind.id_field: one.id, **sent})
            with_removed(request, [name for name, value in change.values.items() if value is None])
            if _serves(one, now) and raises(request, one.fields):
                found_changes.append(change)
    return found_changes


def _serves(one: "Stored", now: "datetime") -> bool:
    """Whether a record may spend, as far as it and the one above it tell."""
    from ...api.spending import is_on, may_serve

    return may_serve(one.fields, now) and (one.parent is None or is_on(one.parent.fields))


def _budget_words(found: "Plan") -> str:
    before, after = _sums(found.budgets.before), _sums(found.budgets.after)
    return f"daily budgets of what may serve: {before} -> {after}"


def _sums(amounts: "Counter[str]") -> str:
    named = [
        f"{as_amount(micros, currency)} {currency}".strip() for currency, micros in sorted(amounts.items())
    ]
    return " and ".join(named) or "0"


def _excess(found: "Plan", max_delete: str) -> str:
    of = f"{found.pruned:,} of {counted(found.listed, 'record')}"
    return f"{of} would be deleted, and --max-delete is {max_delete}"


def _show(call: Invocation, found: "Plan", *, is_result: bool = True) -> None:
    """Print a plan, and say what it comes to."""
    if is_result:
        _print(call, found)
    elif found.changes and not call.presentation.quiet:
        for line in _lines(found):
            call.messages.say(line)
    call.messages.say(f"{found.words}; {_budget_words(found)}")


def _print(call: Invocation, found: "Plan", result: "Applied | None" = None) -> None:
    records = []
    for change in found.changes:
        record = change.record()
        if result and change.action == "create" and change.entry:
            record["id"] = result.ids.get(change.entry)
        records.append(record)
    if call.printer.is_for_people:
        if result is None:
            call.printer.stream.write("".join(f"{line}\n" for line in _lines(found)))
        return
    call.printer.show(records, COLUMNS, "id")


def _lines(found: "Plan") -> Iterator[str]:
    """Draw a plan: a line for each record, and one for each field that changes."""
    from ...output.text import cell, safe

    for change in found.changes:
        depth = "  " * change.path.count(".")
        name = change.name or change.key
        about = f" {change.id}" if change.id else ""
        yield safe(f"{SIGNS[change.action]} {depth}{change.kind.noun}{about} {name!r}")
        before, after = change.before or {}, change.after or {}
        if change.action == "update":
            for key, value in after.items():
                yield safe(f"  {depth}  {key}: {cell(before.get(key)) or 'null'} -> {cell(value) or 'null'}")
        elif change.action == "create" and change.kind.is_named:
            for key, value in after.items():
                yield safe(f"  {depth}  {key}: {cell(value)}")
