"""What declarations and currencies refuse of what a file changes, noted in the file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..api.amounts import precision_problem
from ..api.line_items import SHARED_IN_CAMPAIGN
from ..api.problems import Problem
from ..api.validation import check
from .campaign_file import CampaignFile
from .model import Entry, Stored, file_fields


def is_valid_update(file: CampaignFile, entry: Entry, stored: Stored, changing: Mapping[str, Any]) -> bool:
    """Note what the declaration of a change refuses; tell whether that is nothing."""
    kind = entry.kind.update
    assert kind
    fields = file_fields(entry.kind)
    before = len(file.problems)
    for name, value in changing.items():
        if name in entry.invalid:
            file.note(entry, entry.invalid[name], name)
        elif value is None and not fields[name].is_removable:
            file.note(entry, "cannot be removed; leave it out to keep it", name)
    if len(file.problems) == before:
        sent = {name: value for name, value in changing.items() if value is not None}
        values = {"account_id": "-", entry.kind.id_field: stored.id, **sent}
        note_declared(file, entry, check(kind, values)[1])
        note_too_precise(file, entry, changing, stored.currency)
    return len(file.problems) == before


def note_too_precise(file: CampaignFile, entry: Entry, values: Mapping[str, Any], currency: str) -> None:
    """Note amounts that have more decimals than their currency, where that is known."""
    fields = file_fields(entry.kind)
    for name, value in values.items():
        is_amount = currency and fields[name].is_money and isinstance(value, int)
        if is_amount and (text := precision_problem(value, currency)):
            file.note(entry, text, name)


def note_declared(file: CampaignFile, entry: Entry, problems: Iterable[Problem]) -> None:
    """Note the mistakes that a declaration finds, but for those that are known."""
    paths = {problem.path for problem in file.problems}
    for problem in problems:
        field = file_fields(entry.kind).get(problem.field)
        path = f"{entry.path}.{field.key if field else problem.field}"
        if path not in paths and problem.severity == "error":
            file.note(entry, problem.message, problem.field)


def note_unlike(
    file: CampaignFile, entry: Entry, siblings: Sequence[Mapping[str, Any]], campaign: str
) -> None:
    """Note where a new line item is of another kind than the others of its campaign."""
    for name in SHARED_IN_CAMPAIGN:
        own = entry.values.get(name)
        theirs = next((values[name] for values in siblings if values.get(name)), own)
        if own is not None and own != theirs:
            what = name.replace("_", " ")
            text = f"the line items of a campaign have the same {what}: those of {campaign} have {theirs}"
            file.note(entry, text, name)
