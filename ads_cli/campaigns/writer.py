"""Write files of campaigns, the same records as the same bytes. Write ids into a file, and an example."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..config.atomic_files import atomic
from ..errors import StateError
from ..output.text import UNPRINTABLE_IN_YAML, as_flow_yaml
from .campaign_file import CampaignFile
from .kinds import (
    ACCOUNT,
    CALL_TO_ACTION,
    CAMPAIGN,
    LINE_ITEM,
    MEDIA,
    OPERATOR,
    SCHEDULED_POST,
    TARGETING,
    TYPE,
    VALUE,
    Kind,
)
from .model import OPERATOR_WORDS, Entry, FileField, Stored, file_fields

PLAIN = re.compile(r"[A-Za-z_](?>[A-Za-z0-9_./+()&-]*)(?> [A-Za-z0-9_./+()&-]+)*")
PLAIN_NUMBER = re.compile(r"(?>[0-9]{1,15})(?:\.[0-9]{1,6})?")
PLAIN_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
ValueNames = Mapping[tuple[str, str], str]  # of the values of targeting, by type and value
NO_NAMES: ValueNames = {}
WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"))


def document_of(
    campaigns: Sequence[Stored],
    account: str,
    *,
    whole: bool = False,
    q: str | None = None,
    names: ValueNames = NO_NAMES,
) -> dict[str, Any]:
    """Return campaigns as a file has them, with names in place of the values of targeting that have one."""
    about: dict[str, Any] = {"account": account}
    if q is not None:
        about["q"] = q
    elif whole:
        about["scope"] = "account"
    return {**about, "campaigns": [record_of(campaign, names) for campaign in campaigns]}


def record_of(stored: Stored, names: ValueNames = NO_NAMES) -> dict[str, Any]:
    """Return a record as a file has it, with the lists below it."""
    if stored.kind is TARGETING:
        operator = OPERATOR_WORDS.get(str(stored.fields.get(OPERATOR) or "EQ"))
        value = str(stored.fields.get(VALUE))
        if operator is None:
            return {TYPE: stored.fields.get(TYPE), OPERATOR: stored.fields.get(OPERATOR), VALUE: value}
        name = stored.name
        value = names.get((str(stored.fields.get(TYPE)), value), value)
        criterion = _Criterion({f"{operator}{stored.fields.get(TYPE)}": value})
        criterion.comment = "" if name is None or name.lower() == value.lower() else name
        return criterion
    record = {"id": stored.id, **stored.values(with_nulls=True)}
    for key in stored.kind.below:
        if key in stored.below:
            record[key] = [record_of(inner, names) for inner in stored.below[key]]
    return record


class _Criterion(dict[str, Any]):
    """A criterion, with the name of what it targets."""

    comment = ""


def as_yaml(document: Mapping[str, Any]) -> str:
    """Write a document as YAML; `strict_yaml` reads the same from it."""
    return "".join(f"{line}\n" for line in _mapping(document, ""))


def as_json(document: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _mapping(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            yield f"{indent}{key}:"
            yield from _list(value, indent)
        else:
            yield f"{indent}{scalar(key)}: {_value(value)}"


def _list(records: Iterable[Any], indent: str) -> Iterator[str]:
    for record in records:
        lines = list(_mapping(record, f"{indent}  "))
        comment = re.sub(UNPRINTABLE_IN_YAML, " ", getattr(record, "comment", ""))
        lines[0] = f"{indent}- {lines[0][len(indent) + 2 :]}{comment and f'  # {comment}'}"
        yield from lines


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(scalar, value))}]"
    return scalar(value)


def scalar(value: Any) -> str:
    """Write a plain value of YAML so that every reader takes it for what it is."""
    if value is None:
        return "null"
    if isinstance(value, bool | int):
        return str(value).lower()
    text = str(value)
    if PLAIN.fullmatch(text) and text.lower() not in WORDS:
        return text
    is_plain = PLAIN_TIME.fullmatch(text) or ("." in text and PLAIN_NUMBER.fullmatch(text))
    if is_plain or (len(text) < 10 and PLAIN_NUMBER.fullmatch(text) and not text.startswith("0")):
        return text
    return as_flow_yaml(text)


def write_into(path: Path, file: CampaignFile, ids: Mapping[Entry, str]) -> tuple[int, bool]:
    """Add the ids that a file does not have. Return how many, and whether there are records without a place.

    Without a place are the records of loops, and those whose id is null. Raise StateError if the file was
    changed since it was read.
    """
    if path.read_bytes() != file.content:
        raise StateError(
            f"{path} was changed while it was applied",
            hint="apply it again with --write-ids",
        )
    lines = file.text.splitlines(keepends=True)
    has_no_place, places = False, []
    file.find_lines()
    for entry, id in ids.items():
        if entry.id is not None or entry.kind is TARGETING or entry.post:
            continue
        if entry.is_looped or "id" in entry.lines:
            has_no_place = True
        else:
            places.append((entry.line - 1, entry.column, entry.is_flow, id))
    for line, column, is_flow, id in sorted(places, reverse=True):
        before, after = lines[line][:column], lines[line][column:]
        quoted = json.dumps(id)
        if is_flow:
            lines[line] = f'{before}{{"id": {quoted}, {after[1:]}'
        else:
            lines[line] = f"{before}id: {quoted}\n{' ' * column}{after}"
    if places:
        with atomic(path, is_output=True) as stream:
            stream.buffer.write(file.encode("".join(lines)))
    return len(places), has_no_place


VALUES = {
    "funding_instrument_id": '"4a1n0"',
    "daily_budget": "25.00",
    "objective": "WEBSITE_CLICKS",
    "product_type": "PROMOTED_POSTS",
    "placements": "[ALL_ON_PLATFORM]",
    "bid_strategy": "AUTO",
    "start_time": "2031-12-01",
}
HEAD = """\
# Campaigns as a file: 'adsctl campaigns plan' compares it with the account, 'apply' carries it out.
# A field or a list that the file does not have is left as it is; null removes an optional value.
# A record is known by its id, which 'pull' writes; else by its key; else by its name.
# account: "18ce54d4x5t"  # refuses to be applied to another one
# scope: account          # the file has all campaigns: with --prune, others are deleted
# q: Winter               # the same for campaigns whose names start with this
campaigns:
"""
CRITERIA = """\
    targeting:  # TYPE: value, or a name that a search finds once
    - LANGUAGE: de
    - BROAD_KEYWORD: handmade mugs
    - EXCLUDE BROAD_KEYWORD: plastic
    # - LOCATION: Germany
    # - EXCLUDE CUSTOM_AUDIENCE: Buyers
    # - LT NETWORK_ACTIVATION_DURATION: 6
    ads:
    - post: "1790415000000000010"
    # - {text: The mugs of winter, media: [mugs.jpg]}  # a new post; files are relative to this one
    # - {text: Hats, media: [hats.jpg], card: {website: https://shop.example/hats, title: Hats}}
    # - {text: Shop, media: [a.mp4], card: {app: {country_code: DE, android_store_app_id: b.c}, button: OPEN}}
    # - {text: Which, card: {kind: poll, duration_in_minutes: 60, first_choice: Hats, second_choice: Mugs}}
"""
TAGS = """\
    tracking_tags:
    - tracking_tag_type: CLICK_TRACKER
      tracking_tag_url: https://measure.example/c
"""


def example_text() -> str:
    """Return a file with every field that records may have."""
    ads = "".join(
        f"    # - {{{', '.join(f'{field.key}: ...' for field in file_fields(kind).values())}}}\n"
        for kind in (SCHEDULED_POST, ACCOUNT, MEDIA, CALL_TO_ACTION)
    )
    campaign = "".join(_fields(CAMPAIGN, "Winter", "  "))
    loop = "  # for: {rows: markets.csv}  # one for each row; {column} stands for its value anywhere below\n"
    line_item = "".join(_fields(LINE_ITEM, "Mugs", "    "))
    return f"{HEAD}{campaign}{loop}  line_items:\n{line_item}{CRITERIA}{ads}{TAGS}"


def _fields(kind: Kind, name: str, indent: str) -> Iterator[str]:
    start = f"{indent[:-2]}- "
    yield f"{start}name: {name}\n"
    yield f"{indent}# key: {name.lower()}  # by what it is known where it is renamed\n"
    for field in file_fields(kind).values():
        if field.key in VALUES and (field.required or kind is LINE_ITEM or field.is_money):
            yield f"{indent}{field.key}: {VALUES[field.key]}{_about(field)}\n"
        elif field.key != "name":
            yield f"{indent}# {field.key}: {_sample(field)}{_about(field)}\n"


def _sample(field: FileField) -> str:
    if field.is_money:
        return "10.00"
    if field.type.choices:
        return field.type.choices[-1]
    return "true" if field.type.base is bool else "..."


def _about(field: FileField) -> str:
    words = []
    if field.is_money:
        words.append("in units of the currency")
    elif field.type.choices:
        words.append("|".join(field.type.choices))
    elif description := field.type.limit("description"):
        words.append(str(description))
    if not field.in_update:
        words.append("cannot be changed")
    return f"  # {'; '.join(words)}" if words else ""
