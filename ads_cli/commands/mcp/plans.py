"""Plans of changes: what would be sent, and what it would cost. Each is carried out at most once."""

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from anyio.to_thread import run_sync

from ...api.daily_bound import CampaignSpending, daily_bound
from ...api.endpoint import Request
from ...api.names import to_neutral
from ...api.spending import DAILY_BUDGET, after_change
from ...config.guard import Amount, Guard
from ...config.mandate import PLAN_AGAIN
from ...console.invocation import QUESTION
from ...console.option_words import as_flag
from ...console.planned import PLANNED
from ...errors import NotConfirmedError, NotFoundError, StateError, UsageError
from ...masking import MASK
from ...own_ids import random_letters
from ...runs.created import created_ids
from ...runs.look_up import DRAFT, Look, listing_of, look_for
from ...runs.lost import LISTED_AFTER_SECONDS
from ...spelling import as_name
from .applies import AppliedPlan, AppliedPlans
from .child import CommandError, Commands, Finished
from .files import NO_FILE, CheckedFile, OpenFolders
from .reachable import NAMED_CHANGES, Reachable, ReachableCommand
from .results import ResultFiles, as_text, read_documents

PLAN_SECONDS = 600.0
MAX_PLANS = 50
GUARD = "guard"  # the code of its refusals
MAY_LAG = f"lists may not show yet what was created less than {LISTED_AFTER_SECONDS:.0f} s ago"


def require_money_limit(guard: Guard, currencies: Callable[[], Collection[str]]) -> str:
    """Return what bounds the money that an assistant may spend in a day, in words; raise StateError without.

    `currencies` are those that the account pays in; none where they are not known.
    """
    bound = guard.bound_of_day()
    if bound is None:
        raise StateError(
            "--allow-writes needs a guard that bounds what may be spent in a day",
            hint="set read_only or max_account_daily_budget, as in: "
            "adsctl profile set PROFILE guard.max_account_daily_budget=100EUR",
        )
    text = f"{bound.key} {bound.text} ({bound.source})"
    amounts = [limit.value for limit in guard.of(bound.key) if isinstance(limit.value, Amount)]
    paid = currencies() if amounts else ()
    if paid and not {amount.currency for amount in amounts} & {*paid}:
        raise StateError(
            f"--allow-writes needs a limit in the currency of the account, {' or '.join(sorted(paid))}, "
            f"and has {text}",
            hint="amounts are not converted: write it in that currency",
        )
    return text


class PlannedChange(NamedTuple):
    """A change that was planned, and what it was planned against."""

    words: list[str]
    planned: list[str]  # digests of what is changed, and of what that touches
    questions: list[str]
    made_at: float  # monotonic
    file: CheckedFile  # that is sent
    creation: "PlannedCreation | None" = None


class PlannedCreation(NamedTuple):
    """A request that makes another record each time, and the stopped processes that have sent it before."""

    digest: str
    values: dict[str, Any]
    listing: list[str] | None  # the command that lists such records
    kind: type[Request] | None  # None where no declared request makes it
    earlier: list[AppliedPlan]
    doubt: str = ""  # why one of them may have created it, which the plan asks

    @property
    def record_id(self) -> str:
        """Name the field with the id of the record."""
        return self.kind.endpoint.record_id if self.kind else ""


@dataclass
class Plans:
    """Makes plans and carries them out; a new server knows none."""

    _commands: Commands
    _reachable: Reachable
    _results: ResultFiles
    _files: OpenFolders
    _applied: AppliedPlans
    _state_dir: Path
    _plans: dict[str, PlannedChange] = field(default_factory=dict)

    async def make(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a command would change, with a plan_id unless the guard refuses it.

        The process that applies it determines the same again: the requests, the records that they change or
        name, the file and the questions. If any of them differs, it sends nothing.
        """
        command = self._reachable.find(name)
        if not command.changes:
            raise UsageError(f"{command.name!r} changes nothing", hint="use read")
        _require_no_mask(arguments)
        arguments, file = await self._with_file(command, arguments)
        resume = command.makes_anew and as_flag("resume", arguments.pop("resume", False))
        words = command.words(arguments)
        if running := self._applied.running(words):
            raise NotConfirmedError(
                "the same change is being carried out", hint=f"jobs shows it as {running}; plan again later"
            )
        dry = await self._commands.run(words, is_plan=True, file=file)
        if dry.error and dry.error.get("code") == GUARD:
            refusal = {"command": command.name, "guard": dry.error["message"], "is_allowed": False}
            return await self._results.of(None, about=refusal)
        if dry.code:
            raise CommandError(dry)
        request = read_documents(dry.output)
        if file.path and isinstance(request, list):  # of campaigns, which may be from a result
            _require_no_mask({item["path"]: item.get("after") for item in request if "path" in item})
        values = to_neutral(_values(request))
        creation = (
            self._creation(command, words, request, values, resume=resume) if command.makes_anew else None
        )
        look = await self._find(creation) if resume and creation else Look()
        if look.found and creation:
            return await self._settled(creation, look.found[0], {"command": command.name})
        questions = _lines(dry, QUESTION)
        notes = [line for line in dry.warnings if not line.startswith((QUESTION, PLANNED))]
        planned = [json.loads(line) for line in _lines(dry, PLANNED)]
        digests = [item["digest"] for item in planned]
        creation = creation and creation._replace(doubt=look.doubt)
        change = PlannedChange(words, digests, questions, time.monotonic(), file, creation)
        about = {
            "plan_id": self._keep(change),
            "command": command.name,
            "is_allowed": True,
            "guard": "refuses nothing of it",
            "questions": [*([f"{look.doubt}: create another one?"] if look.doubt else []), *questions],
            "destroys": command.deletes,
            "valid_seconds": PLAN_SECONDS,
            **({"notes": notes} if notes else {}),
        }
        if file.path:
            counts = count_actions(request) if isinstance(request, list) else request
            about |= {"counts": counts, "destroys": bool(counts.get("delete"))}
            return await self._results.of(request, about=about)
        own = [touched["record"] for item in planned for touched in item["touched"] if touched["is_own"]]
        compared = _compared(command, own, request, words)
        return await self._results.of({"request": request, **compared}, about=about)

    async def apply(self, plan_id: str) -> dict[str, Any]:
        """Carry out a plan; raise NotConfirmedError where what it touches has changed."""
        self._forget_old()
        plan = self._plans.pop(plan_id, None)  # before anything is awaited: it is carried out once
        if plan is None:
            raise NotFoundError(
                "there is no such plan: it was applied, is older than ten minutes, or of an earlier server",
                hint="plan the change again",
            )
        about: dict[str, Any] = {"command": " ".join(plan.words)}
        creation = plan.creation
        look = await self._find(creation) if creation else Look()
        if creation and look.found:  # it has come in the meantime
            return await self._settled(creation, look.found[0], about)
        if creation and look.doubt != creation.doubt:
            raise NotConfirmedError(f"not confirmed, as no plan has listed it: {look.doubt}", hint=PLAN_AGAIN)
        async with self._commands.place():
            result = await self._applied.run(
                plan_id,
                plan.words,
                creation.digest if creation else "",
                planned=plan.planned,
                questions=plan.questions,
                files=plan.file.expected,
            )
        if creation and (result is None or not result.code):  # else it may have sent nothing
            for attempt in creation.earlier:
                self._applied.settle(attempt)
        if result is None:
            about |= {"is_applied": False, "is_running": True, "job": plan_id}
            return await self._results.of(None, about=about | {"hint": "jobs shows what became of this job"})
        if result.code:
            raise CommandError(result)
        return await self._results.of(read_documents(result.output), about=about | {"is_applied": True})

    def _creation(
        self,
        command: ReachableCommand,
        words: Sequence[str],
        request: Any,
        values: dict[str, Any],
        *,
        resume: bool,
    ) -> PlannedCreation:
        """Describe a creation; raise StateError where one was stopped and this one does not resume it."""
        digest = sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        earlier = self._applied.unanswered(digest)
        if earlier and not resume:
            raise StateError(
                f"the same change was stopped before it was answered, and may have created its "
                f"record (job {earlier[-1].job})",
                hint="plan it with resume: true, which looks for the record before another one is created",
            )
        if resume and not earlier:
            raise StateError(
                "no stopped run of this change may have created a record", hint="plan it without resume"
            )
        listing = self._listing(command, words, values)
        return PlannedCreation(digest, values, listing, command.request, earlier)

    async def _find(self, creation: PlannedCreation) -> Look:
        """Look for what the stopped processes of a creation have created."""
        if not creation.earlier:
            return Look()
        if ids := [id for attempt in creation.earlier for id in attempt.logged.ids]:
            return Look([{creation.record_id: ids[0]}])
        if not (creation.kind and creation.listing):
            return Look(doubt="an earlier run may have created it, and no list tells")
        records = read_documents((await self._commands.succeed(creation.listing)).output)
        starts = [datetime.fromisoformat(attempt.started) for attempt in creation.earlier]
        known_ids = created_ids(self._state_dir)
        (look,) = look_for(creation.kind, [[creation.values]], records, min(starts), known_ids)
        is_recent = datetime.now(UTC) - max(starts) < timedelta(seconds=LISTED_AFTER_SECONDS)
        return Look(doubt=MAY_LAG) if is_recent and not (look.found or look.doubt) else look

    def _listing(
        self, command: ReachableCommand, words: Sequence[str], values: Mapping[str, Any]
    ) -> list[str] | None:
        """Return the command line that lists what a command creates, if there is one."""
        listing = listing_of(command.request, self._reachable.service) if command.request else None
        if listing is None or listing.endpoint.command not in self._reachable.names:
            return None
        lists = self._reachable.find(listing.endpoint.command)
        within = {f"{name}s": str(value) for name, value in values.items() if f"{name}s" in lists.fields}
        is_draft = values.get("entity_status") == DRAFT and lists.takes("with_draft")
        name = lists.name.split()
        flags = [*["--with-draft"] * is_draft, *["--all"] * lists.takes("all")]
        common = [word for word in words if word.startswith(("--account=", "--catalog="))]
        return [*name, *common, *lists.words(within)[len(name) :], *flags]

    async def _settled(self, creation: PlannedCreation, record: Any, about: dict[str, Any]) -> dict[str, Any]:
        """Return the record that a stopped process has created."""
        for attempt in creation.earlier:
            self._applied.settle(attempt, str(record[creation.record_id]))
        about |= {"is_applied": True, "job": creation.earlier[-1].job}
        return await self._results.of(record, about=about | {"hint": "it exists: nothing more was sent"})

    async def _with_file(
        self, command: ReachableCommand, arguments: Mapping[str, Any]
    ) -> tuple[dict[str, Any], CheckedFile]:
        """Return the arguments with the path of their file, and that."""
        if command.name not in NAMED_CHANGES:
            return {**arguments}, NO_FILE
        named = [name for name in arguments if as_name(name) in command.file_names]
        value = arguments[named[0]] if named else None
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if len(named) != 1 or not isinstance(value, str):
            raise UsageError("file: must be one file", hint="name it as the argument 'file'")
        is_campaigns = command.name.startswith("campaigns ")
        check = self._files.checked_campaigns if is_campaigns else self._files.checked_local
        file = await run_sync(check, value)
        return {**arguments, named[0]: file.path}, file

    def _keep(self, plan: PlannedChange) -> str:
        self._forget_old()
        while len(self._plans) >= MAX_PLANS:
            del self._plans[next(iter(self._plans))]
        plan_id = random_letters(16)
        self._plans[plan_id] = plan
        return plan_id

    def _forget_old(self) -> None:
        now = time.monotonic()
        self._plans = {key: plan for key, plan in self._plans.items() if now - plan.made_at < PLAN_SECONDS}


def _require_no_mask(values: Mapping[str, Any]) -> None:
    """Raise UsageError for a value with what stands in results for what an assistant is not shown."""
    if name := next((name for name, value in values.items() if MASK in as_text(value)), None):
        raise UsageError(
            f"{name}: {MASK} is no value, but stands for what is not shown here, and would replace it",
            hint="leave this field as it is, or ask the person to write it",
        )


def _lines(dry: Finished, mark: str) -> list[str]:
    """Return what a plan tells with a mark."""
    return [line.removeprefix(mark) for line in dry.warnings if line.startswith(mark)]


def count_actions(records: Sequence[Any]) -> dict[str, int]:
    """Count what would be created, updated and deleted."""
    return dict(Counter(str(record["action"]) for record in records if "action" in record))


def _values(request: Any) -> dict[str, Any]:
    """Return what a request sets, from its query and its body."""
    if not isinstance(request, dict):
        return {}
    body = request.get("body")
    values: dict[str, Any] = dict(parse_qsl(urlsplit(str(request.get("url"))).query, keep_blank_values=True))
    return values | (body if isinstance(body, dict) else {})


def _compared(
    command: ReachableCommand, shown: Sequence[Any], request: Any, words: Sequence[str]
) -> dict[str, Any]:
    """Return each field of records before and after, and what each and all of them may spend."""
    records = [to_neutral(record) for record in shown if isinstance(record, dict)]
    changed = [("", records[0] if records else {}, to_neutral(_values(request)))]
    if isinstance(request, list):
        assert command.request
        endpoint = command.request.endpoint
        own = {str(record.get(endpoint.record_id)): record for record in records}
        sets = [
            {name: value for name, value in to_neutral(values).items() if name != endpoint.id_field}
            for values in _operations(request)
        ]
        ids = dict.fromkeys(words[words.index("--") + 1 :])
        changed = [(id, own.get(id, {}), values) for id, values in zip(ids, sets, strict=True)]
    changes, spends = [], []
    for id, before, values in changed:
        name = {"id": id} if id else {}
        changes += [name | change for change in _changes(before, values)]
        if spend := _spend(command, before, values):
            spends.append(name | spend)
    if not spends:
        return {"changes": changes}
    return {"changes": changes, "spend": _sum(spends) if isinstance(request, list) else spends[0]}


def _changes(before: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return ({"field": name, "before": before.get(name), "after": value} for name, value in values.items())


def _operations(request: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield what each of several operations sets, in batches or in requests of their own."""
    for document in request:
        if isinstance(body := document.get("body"), list):
            yield from (operation["params"] for operation in body)
        else:
            yield _values(document)


def _sum(spends: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up what records may spend. None where one has no bound, or the currencies differ."""
    currencies = {spend["currency"] for spend in spends}
    currency = currencies.pop() if len(currencies) == 1 else None
    total: dict[str, Any] = {"currency": currency}
    for name in ("daily_before_micro", "daily_after_micro"):
        amounts = [spend[name] for spend in spends]
        total[name] = sum(amounts) if currency and None not in amounts else None
    return (
        total
        | _unbounded([when for spend in spends for when in spend.get("unbounded", ())])
        | {"records": [*spends]}
    )


def _spend(
    command: ReachableCommand, before: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the record may spend in a day, before and after, by its own daily budget."""
    if not command.request or (DAILY_BUDGET not in command.fields and DAILY_BUDGET not in before):
        return None
    nothing = {"deleted": True}
    after = nothing if command.deletes else after_change(command.request, before, values)
    is_new = command.request.endpoint.method == "POST"
    records = {"before": nothing if is_new else before, "after": after}
    bounds = {
        when: daily_bound([CampaignSpending("", record, None)], datetime.now(UTC))
        for when, record in records.items()
    }
    amounts = {
        f"daily_{when}_micro": None if bound.unbounded else bound.amounts.total()
        for when, bound in bounds.items()
    }
    without = [when for when, bound in bounds.items() if bound.unbounded]
    return {"currency": before.get("currency"), **amounts, **_unbounded(without)}


def _unbounded(times: Sequence[str]) -> dict[str, list[str]]:
    """Say when no daily budget bounds what is spent: `before`, `after` or both."""
    return {"unbounded": sorted({*times}, reverse=True)} if times else {}
