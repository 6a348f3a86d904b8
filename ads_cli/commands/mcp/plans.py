"""Plans of changes: what would be sent and what it would cost; each is carried out once, or not at all."""

import json
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from ...api.names import to_neutral
from ...api.spending import ACTIVE, DAILY_BUDGET, STATUS, may_serve
from ...config.change_log import ChangeLog
from ...config.guard import Guard
from ...console.invocation import QUESTION
from ...errors import NotConfirmedError, NotFoundError, StateError, UsageError
from ...spelling import as_name
from .applies import AppliedPlans, UnansweredCreation
from .child import CommandError, Commands, Finished
from .creations import Look, listing_of, look_for
from .files import OpenFolders
from .reachable import NAMED_CHANGES, READS, Reachable, ReachableCommand, as_flag
from .results import ResultFiles, read_documents

PLAN_SECONDS = 600.0
TIMES = ("seconds", "requests", "retries")  # of a summary, which differ each time
MAX_PLANS = 50
GUARD = "guard"  # the code of its refusals
# What a new record lies in, and the command that shows it.
PARENTS = {
    "campaign_id": "campaigns get",
    "line_item_id": "line-items get",
    "funding_instrument_id": "funding-instruments get",
}


def require_money_limit(guard: Guard) -> None:
    """Raise StateError unless a guard limits what an assistant may spend."""
    keys = {limit.key for limit in guard.limits}
    is_limited = (
        any(limit.value for limit in guard.of("read_only"))
        or any("activate" in limit.value for limit in guard.of("deny"))
        or "max_account_daily_budget" in keys
        or {"max_daily_budget", "max_total_budget"} <= keys
    )
    if not is_limited:
        raise StateError(
            "--allow-writes needs a guard that limits what is spent",
            hint="set one of read_only, deny=activate and max_account_daily_budget, or both max_daily_budget "
            "and max_total_budget, as in: adsctl profile set PROFILE guard.max_account_daily_budget=100EUR",
        )


class PlannedChange(NamedTuple):
    """A change that was planned, and what it was planned against."""

    words: list[str]
    touched: list[list[str]]  # the commands that show what it touches
    seen: str  # a digest of what they showed
    questions: list[str]
    made_at: float  # monotonic
    file: str = ""  # that is sent; empty for one that has its values in its words
    creation: "PlannedCreation | None" = None


class PlannedCreation(NamedTuple):
    """A request that makes another record each time, and the stopped processes that have sent it before."""

    digest: str
    values: dict[str, Any]
    listing: list[str] | None  # the command that lists such records
    record_id: str
    earlier: list[UnansweredCreation]


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

        A file is read again when its plan is applied, and compared by what would be sent; else what the
        change touches is read again.
        """
        found = self._reachable.find(name)
        if not found.changes:
            raise UsageError(f"{found.name!r} changes nothing", hint="use read")
        arguments, file = self._with_file(found, arguments)
        resume = found.makes_anew and as_flag("resume", arguments.pop("resume", False))
        words = found.words(arguments)
        if running := self._applied.running(words):
            raise NotConfirmedError(
                "the same change is being carried out", hint=f"jobs shows it as {running}; plan again later"
            )
        touched = [] if file else self._touched(found, words, arguments)
        digest = _digest_of_file(file)  # before it is read
        shown = [await self._commands.run(each) for each in touched]
        dry = await self._commands.run(words, is_plan=True)
        if dry.error and dry.error.get("code") == GUARD:
            refusal = {"command": found.name, "guard": dry.error["message"], "is_allowed": False}
            return self._results.of(None, about=refusal)
        if error := next((each for each in (dry, *shown) if each.code), None):
            raise CommandError(error)
        request = read_documents(dry.output)
        values = to_neutral(_values(request))
        creation = self._creation(found, words, request, values, resume=resume) if found.makes_anew else None
        look = await self._find(creation) if resume and creation else Look()
        if look.found and creation:
            return self._settled(creation, look.found, {"command": found.name})
        questions = _questions(dry)
        notes = [line for line in dry.warnings if not line.startswith(QUESTION)]
        seen = digest + _digest_of_plan(dry) if file else _digest(shown)
        change = PlannedChange(words, touched, seen, questions, time.monotonic(), file, creation)
        about = {
            "plan_id": self._keep(change),
            "command": found.name,
            "is_allowed": True,
            "guard": "refuses nothing of it",
            "questions": [*([f"{look.doubt}: create another one?"] if look.doubt else []), *questions],
            "destroys": found.deletes,
            "valid_seconds": PLAN_SECONDS,
            **({"notes": notes} if notes else {}),
        }
        if file:
            counts = count_actions(request) if isinstance(request, list) else request
            about |= {"counts": counts, "destroys": bool(counts.get("delete"))}
            return self._results.of(request, about=about)
        own = read_documents(shown[0].output) if _is_own(found, touched) else {}
        compared = _compared_several if isinstance(request, list) else _compared
        return self._results.of({"request": request, **compared(found, own, request, words)}, about=about)

    async def apply(self, plan_id: str) -> dict[str, Any]:
        """Carry out a plan; raise NotConfirmedError where what it touches has changed."""
        self._forget_old()
        plan = self._plans.pop(plan_id, None)  # before anything is awaited: it is carried out once
        if plan is None:
            raise NotFoundError(
                "there is no such plan: it was applied, is older than ten minutes, or of an earlier server",
                hint="plan the change again",
            )
        if await self._look(plan) != plan.seen:
            raise NotConfirmedError(
                "what the plan touches has changed since; nothing was sent", hint="plan the change again"
            )
        answers = ["--yes"] if plan.questions else []
        about: dict[str, Any] = {"command": " ".join(plan.words)}
        creation = plan.creation
        if creation and (found := (await self._find(creation)).found):  # it has come in the meantime
            return self._settled(creation, found, about)
        digest = creation.digest if creation else ""
        async with self._commands.place():
            for each in creation.earlier if creation else ():
                self._applied.settle(each.job)
            done = await self._applied.run(plan_id, [*answers, *plan.words], about["command"], digest)
        if done is None:
            about |= {"is_applied": False, "is_running": True, "job": plan_id}
            return self._results.of(None, about=about | {"hint": "jobs shows what became of this job"})
        if done.code:
            raise CommandError(done)
        return self._results.of(read_documents(done.output), about=about | {"is_applied": True})

    def _creation(
        self,
        found: ReachableCommand,
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
        listing = listing_of(self._reachable, found, words, values)
        record_id = found.request.endpoint.record_id if found.request else ""
        return PlannedCreation(digest, values, listing, record_id, earlier)

    async def _find(self, creation: PlannedCreation) -> Look:
        """Look for what the stopped processes of a creation have created."""
        if not creation.earlier:
            return Look()
        if ids := [id for each in creation.earlier for id in each.sent.ids]:
            return Look({creation.record_id: ids[0]})
        if not creation.listing:
            return Look(doubt="an earlier run may have created it, and no list tells")
        records = read_documents((await self._commands.succeed(creation.listing)).output)
        started = min(each.started for each in creation.earlier)
        answered = ChangeLog(self._state_dir).made_ids()  # of these, no answer was lost
        return look_for(creation.values, records, started, answered, creation.record_id)

    def _settled(self, creation: PlannedCreation, found: Any, about: dict[str, Any]) -> dict[str, Any]:
        """Return the record that a stopped process has created."""
        for each in creation.earlier:
            self._applied.settle(each.job, found)
        about |= {"is_applied": True, "job": creation.earlier[-1].job}
        return self._results.of(found, about=about | {"hint": "it exists: nothing more was sent"})

    async def _look(self, plan: PlannedChange) -> str:
        """Return a digest of what a plan was made against, as it is now."""
        if not plan.file:
            return _digest([await self._commands.run(each) for each in plan.touched])
        digest = _digest_of_file(plan.file)
        return digest + _digest_of_plan(await self._commands.run(plan.words, is_plan=True))

    def _with_file(self, found: ReachableCommand, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Return the arguments with the path of their file, and that; empty for a command without a file."""
        if found.name not in NAMED_CHANGES:
            return {**arguments}, ""
        named = [name for name in arguments if as_name(name) in found.file_names]
        value = arguments[named[0]] if named else None
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if len(named) != 1 or not isinstance(value, str):
            raise UsageError("file: must be one file", hint="name it as the argument 'file'")
        is_campaigns = found.name.startswith("campaigns ")
        path = self._files.checked_campaigns(value) if is_campaigns else self._files.checked_local(value)
        return {**arguments, named[0]: path}, path

    def _touched(
        self, found: ReachableCommand, words: Sequence[str], arguments: Mapping[str, Any]
    ) -> list[list[str]]:
        """Return the commands that show what a change touches: its record, or what a new one lies in."""
        common = [word for word in words if word.startswith(("--account=", "--catalog="))]
        show = f"{found.name.rpartition(' ')[0]} get"
        if "--" in words and show in READS and self._reachable.has(show):
            return [[*show.split(), *common, "--", *words[words.index("--") + 1 :]]]
        names = found.names
        given = {names.get(as_name(name)): value for name, value in arguments.items()}
        return [
            [*PARENTS[name].split(), *common, "--", value]
            for name, value in given.items()
            if name in PARENTS and isinstance(value, str)
        ]

    def _keep(self, plan: PlannedChange) -> str:
        """Keep a plan for a while; return its id."""
        self._forget_old()
        while len(self._plans) >= MAX_PLANS:
            del self._plans[next(iter(self._plans))]
        plan_id = secrets.token_hex(8)
        self._plans[plan_id] = plan
        return plan_id

    def _forget_old(self) -> None:
        now = time.monotonic()
        self._plans = {key: plan for key, plan in self._plans.items() if now - plan.made_at < PLAN_SECONDS}


def _digest(shown: Sequence[Finished]) -> str:
    return sha256(b"\0".join(b"%d %s" % (each.code, each.output) for each in shown)).hexdigest()


def _digest_of_file(path: str) -> str:
    if not path:
        return ""
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _digest_of_plan(dry: Finished) -> str:
    """Return a digest of what would be sent and asked, without how long it took to find out."""
    document = read_documents(dry.output)
    if isinstance(document, dict):
        document = {name: value for name, value in document.items() if name not in TIMES}
    return sha256(repr((dry.code, document, _questions(dry))).encode()).hexdigest()


def _questions(dry: Finished) -> list[str]:
    return [line.removeprefix(QUESTION) for line in dry.warnings if line.startswith(QUESTION)]


def count_actions(records: Sequence[Any]) -> dict[str, int]:
    """Count what would be created, updated and deleted."""
    return dict(Counter(str(each["action"]) for each in records if "action" in each))


def _is_own(found: ReachableCommand, touched: Sequence[Sequence[str]]) -> bool:
    """Whether what was shown is the record that changes, and not what a new one lies in."""
    group = found.name.split()[:-1]
    return (
        bool(touched)
        and [*touched[0][: len(group)]] == group
        and not found.name.endswith((" create", " add"))
    )


def _values(request: Any) -> dict[str, Any]:
    """Return what a request sets, from its query and its body."""
    if not isinstance(request, dict):
        return {}
    body = request.get("body")
    found: dict[str, Any] = dict(parse_qsl(urlsplit(str(request.get("url"))).query, keep_blank_values=True))
    return found | (body if isinstance(body, dict) else {})


def _compared(found: ReachableCommand, shown: Any, request: Any, words: Sequence[str]) -> dict[str, Any]:
    """Return each field of a record before and after, and what it may spend."""
    own = to_neutral(shown) if isinstance(shown, dict) else {}
    values = to_neutral(_values(request))
    spend = _spend(found, own, values)
    return {"changes": [*_changes(own, values)], **({"spend": spend} if spend else {})}


def _compared_several(
    found: ReachableCommand, shown: Any, request: Sequence[Any], words: Sequence[str]
) -> dict[str, Any]:
    """Return each field of several records before and after, and what each and all of them may spend."""
    assert found.request
    endpoint = found.request.endpoint
    records = map(to_neutral, shown if isinstance(shown, list) else [])
    own = {str(record.get(endpoint.record_id)): record for record in records}
    ids = dict.fromkeys(words[words.index("--") + 1 :])
    changes, spends = [], []
    for id, values in zip(ids, _operations(request), strict=True):
        before = own.get(id, {})
        values = {name: value for name, value in to_neutral(values).items() if name != endpoint.id_field}
        changes += [{"id": id, **change} for change in _changes(before, values)]
        if spend := _spend(found, before, values):
            spends.append({"id": id, **spend})
    return {"changes": changes, **({"spend": _sum(spends)} if spends else {})}


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
    """Add up what records may spend; None where one has no budget, or the currencies differ."""
    currencies = {spend["currency"] for spend in spends}
    currency = currencies.pop() if len(currencies) == 1 else None
    total: dict[str, Any] = {"currency": currency}
    for name in ("daily_before_micro", "daily_after_micro"):
        amounts = [spend[name] for spend in spends]
        total[name] = sum(amounts) if currency and None not in amounts else None
    return total | {"records": [*spends]}


def _spend(
    found: ReachableCommand, before: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the record may spend in a day, before and after; None where it has no budget."""
    if DAILY_BUDGET not in found.fields and DAILY_BUDGET not in before:
        return None
    after = {} if found.deletes else {**before, **values}
    return {
        "currency": before.get("currency"),
        "daily_before_micro": _daily(before),
        "daily_after_micro": _daily(after),
    }


def _daily(record: Mapping[str, Any]) -> int | None:
    """Return the daily budget of a record that may serve; 0 where it may not, None where it has none."""
    if record.get(STATUS) != ACTIVE or not may_serve(record, datetime.now(UTC)):
        return 0
    budget = str(record.get(DAILY_BUDGET))
    return int(budget) if budget.isdecimal() else None
