"""A plan in a file: what it would change, and a digest of what it saw."""

import json
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..config.strict_yaml import LinedBuilder, fast_loader, load
from ..errors import ContentError, NotConfirmedError
from .file import CampaignFile
from .plan import CampaignPlan, Change

MARK = "adsctl_plan"
AGAIN = "make it again with plan --out"
VERSION = 1
VOLATILE = ("effective_status", "servable", "reasons_not_servable")  # follow from others, or from the time


def is_stored_plan(content: bytes) -> bool:
    """Tell a stored plan from a file of campaigns."""
    return content.startswith(b'{"adsctl_plan"')


def encode(
    plan: CampaignPlan, file: CampaignFile, account: str, service: str, options: dict[str, Any]
) -> str:
    """Return a plan as the text of a file."""
    document = {
        MARK: VERSION,
        "account": account,
        "service": service,
        "file": file.label,
        "folder": str(Path(file.label).absolute().parent),
        "options": options,
        "changes": [change.record() for change in plan.changes],
        "seen": seen(plan.changes),
        "content": file.content.decode("utf-8-sig"),
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def decode(content: bytes, label: str) -> dict[str, Any]:
    """Read a stored plan; raise ContentError where it is damaged or of another version."""
    try:
        found = json.loads(content)
    except ValueError as error:
        raise ContentError(f"{label}: is not a whole plan: {error}", hint=AGAIN) from None
    keys = {"account", "service", "file", "folder", "options", "changes", "seen", "content"}
    if not isinstance(found, dict) or found.get(MARK) != VERSION or not keys <= found.keys():
        raise ContentError(f"{label}: is not a plan that this version reads", hint=AGAIN)
    load(found["content"], label, LinedBuilder, fast_loader())
    return found


def seen(changes: Iterable[Change]) -> dict[str, str]:
    """Return a digest of each record that changes touch, by its id."""
    found = {}
    for change in changes:
        for one in (change.stored, change.stored.parent if change.stored else None):
            if one:
                fields = {name: value for name, value in one.fields.items() if name not in VOLATILE}
                text = json.dumps(fields, sort_keys=True)
                found[one.id] = blake2b(text.encode(), digest_size=16).hexdigest()
    return found


def require_unchanged(stored: dict[str, Any], plan: CampaignPlan, *, is_begun: bool) -> None:
    """Raise NotConfirmedError where the account has changed since a plan was made.

    Of one that is begun, what an earlier run has done is no change.
    """
    planned = [*map(_text, stored["changes"])]
    now = [_text(change.record()) for change in plan.changes]
    if is_begun:
        marks = {_identity(change) for change in stored["changes"]}
        other = [change for change in plan.changes if _identity(change.record()) not in marks]
        is_same = not other
    else:
        is_same = planned == now and all(
            stored["seen"].get(id) == digest for id, digest in seen(plan.changes).items()
        )
    if not is_same:
        raise NotConfirmedError(
            "the account has changed since the plan was made",
            hint="nothing was changed; make the plan again with 'adsctl campaigns plan FILE --out PLAN'",
        )


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, sort_keys=True)


def _identity(record: dict[str, Any]) -> tuple[Any, ...]:
    return record["kind"], record["path"], record["key"], record["name"]
