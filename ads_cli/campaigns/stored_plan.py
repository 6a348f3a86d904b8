"""A plan in a file: what it would change, and a digest of what it saw."""

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..api.spending import PAUSED, STATUS
from ..config.strict_yaml import LinedBuilder, fast_loader, load
from ..errors import ContentError, NotConfirmedError
from .campaign_file import CampaignFile
from .model import Entry, Stored
from .plan import CampaignPlan, Change

PLAN_START = b'{"adsctl_plan"'
AGAIN = "make it again with plan --out"
VOLATILE = ("effective_status", "servable", "reasons_not_servable")  # follow from others, or from the time


class PlanOptions(msgspec.Struct, frozen=True):
    """The options that a plan was made with."""

    prune: bool
    replace: bool


class StoredPlan(msgspec.Struct, frozen=True):
    """What the file of a plan says."""

    adsctl_plan: Literal[1]  # the version, and by its name the mark of such a file
    account: str
    service: str
    file: str  # that the plan was made of
    folder: str  # where the names of other files start from
    options: PlanOptions
    changes: list[dict[str, Any]]  # records of `Change`
    seen: dict[str, str]  # see `seen`
    content: str  # of the file


def is_stored_plan(content: bytes) -> bool:
    """Tell a stored plan from a file of campaigns."""
    return content.startswith(PLAN_START)


def is_plan_file(path: Path) -> bool:
    """Tell whether a file is a stored plan."""
    with path.open("rb") as file:
        return is_stored_plan(file.read(len(PLAN_START)))


def encode(plan: CampaignPlan, file: CampaignFile, account: str, service: str, options: PlanOptions) -> str:
    """Return a plan as the text of a file."""
    document = StoredPlan(
        1,
        account,
        service,
        file.label,
        str(Path(file.label).absolute().parent),
        options,
        [dict(change.record()) for change in plan.changes],
        seen(plan),
        file.text,
    )
    return json.dumps(msgspec.to_builtins(document), ensure_ascii=False) + "\n"


def decode(content: bytes, label: str) -> StoredPlan:
    """Read a stored plan; raise ContentError where it is damaged or of another version."""
    try:
        document = json.loads(content)
    except ValueError as error:
        raise ContentError(f"{label}: is not a whole plan: {error}", hint=AGAIN) from None
    try:
        plan = msgspec.convert(document, StoredPlan)
    except msgspec.ValidationError:
        raise ContentError(f"{label}: is not a plan that this version reads", hint=AGAIN) from None
    load(plan.content, label, LinedBuilder, fast_loader())
    return plan


def seen(plan: CampaignPlan) -> dict[str, str]:
    """Return digests of what a plan changes, and of what that lies in, by their ids."""
    seen = {}
    for change in plan.changes:
        for stored in (change.stored, _above(plan, change)):
            if stored:
                fields = {name: value for name, value in stored.fields.items() if name not in VOLATILE}
                text = json.dumps(fields, sort_keys=True)
                seen[stored.id] = blake2b(text.encode(), digest_size=16).hexdigest()
    return seen


def keep_planned(stored: StoredPlan, plan: CampaignPlan, *, is_begun: bool) -> int:
    """Keep of a plan what a stored one has, and return how many other differences there are by now.

    Raise NotConfirmedError if a campaign that the stored plan touches has changed. If the plan `is_begun`,
    what an earlier run of it has done is not such a change. Then a part of a planned change is planned too,
    if the other fields have the values that the plan saw.
    """
    planned = {_identity(record): record for record in stored.changes}

    def creation(record: dict[str, Any]) -> dict[str, Any] | None:
        """Return what has created a record that has an id by now."""
        return planned.get(_identity({**record, "id": None}))

    def is_planned(change: Change) -> bool:
        record: dict[str, Any] = json.loads(json.dumps(change.record()))
        same = planned.get(_identity(record))
        if not is_begun:
            return record == same
        # What an earlier run of the plan has created has an id by now, and may still be paused.
        if created := creation(record):
            same = {**created, "before": {STATUS: PAUSED}}
        return same is not None and all(
            (record[values] or {}).items() <= (same[values] or {}).items() for values in ("before", "after")
        )

    campaigns = _campaigns(plan)
    kept = [change for change in plan.changes if is_planned(change)]
    others = {*plan.changes}.difference(kept)
    touched = {campaigns[change] for change in kept}
    if is_begun:
        touched |= {_top(matched) for matched in plan.matched.values() if matched.id in stored.seen}
        touched |= {campaigns[change] for change in others if creation(dict(change.record()))}
    plan.changes = kept
    is_same = touched.isdisjoint(campaigns[change] for change in others) and (
        is_begun
        or (
            len(kept) == len(stored.changes)
            and all(stored.seen.get(id) == digest for id, digest in seen(plan).items())
        )
    )
    if not is_same:
        raise NotConfirmedError(
            "the account, or a file that the plan names, has changed since the plan was made",
            hint="nothing was changed; make the plan again with 'adsctl campaigns plan FILE --out PLAN'",
        )
    return len(others)


def _above(plan: CampaignPlan, change: Change) -> Stored | None:
    """Return the record of the account that what changes lies in."""
    above = change.stored.parent if change.stored else None
    return above or (plan.matched.get(change.parent) if change.parent else None)


def _campaigns(plan: CampaignPlan) -> dict[Change, Stored | Entry | None]:
    """Return in which campaign each change is: one of the account, or a new one of the file."""
    tops, created = dict[Change, Stored | Entry | None](), dict[Entry | None, Stored | Entry | None]()
    for change in plan.changes:  # what is above comes first
        top = change.stored or _above(plan, change)
        tops[change] = _top(top) if top else created.get(change.parent, change.entry)
        if change.action == "create":
            created[change.entry] = tops[change]
    return tops


def _top(stored: Stored) -> Stored:
    return _top(stored.parent) if stored.parent else stored


def _identity(record: dict[str, Any]) -> tuple[Any, ...]:
    return record["kind"], record["id"], record["path"], record["key"], record["name"]
