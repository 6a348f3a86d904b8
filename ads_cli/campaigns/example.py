"""A commented file of campaigns, made from the declarations."""

from collections.abc import Iterator

from .model import (
    ACCOUNT,
    CALL_TO_ACTION,
    CAMPAIGN,
    LINE_ITEM,
    MEDIA,
    SCHEDULED_POST,
    FileField,
    Kind,
    file_fields,
)

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
TARGETING = """\
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
"""
TAGS = """\
    tracking_tags:
    - tracking_tag_type: CLICK_TRACKER
      tracking_tag_url: https://measure.example/c
"""


def example_text() -> str:
    """Return a file with every field that records may have."""
    ads = "".join(
        f"    # - {{{', '.join(f'{each.key}: ...' for each in file_fields(kind).values())}}}\n"
        for kind in (SCHEDULED_POST, ACCOUNT, MEDIA, CALL_TO_ACTION)
    )
    campaign = "".join(_fields(CAMPAIGN, "Winter", "  "))
    loop = "  # for: {rows: markets.csv}  # one for each row; {column} stands for its value anywhere below\n"
    line_item = "".join(_fields(LINE_ITEM, "Mugs", "    "))
    return f"{HEAD}{campaign}{loop}  line_items:\n{line_item}{TARGETING}{ads}{TAGS}"


def _fields(kind: Kind, name: str, indent: str) -> Iterator[str]:
    start = f"{indent[:-2]}- "
    yield f"{start}name: {name}\n"
    yield f"{indent}# key: {name.lower()}  # by what it is known where it is renamed\n"
    for each in file_fields(kind).values():
        if each.key in VALUES and (each.required or kind is LINE_ITEM or each.is_money):
            yield f"{indent}{each.key}: {VALUES[each.key]}{_about(each)}\n"
        elif each.key != "name":
            yield f"{indent}# {each.key}: {_sample(each)}{_about(each)}\n"


def _sample(each: FileField) -> str:
    if each.is_money:
        return "10.00"
    if each.type.choices:
        return each.type.choices[-1]
    return "true" if each.type.base is bool else "..."


def _about(each: FileField) -> str:
    words = []
    if each.is_money:
        words.append("in units of the currency")
    elif each.type.choices:
        words.append("|".join(each.type.choices))
    elif description := each.type.limit("description"):
        words.append(str(description))
    if not each.in_update:
        words.append("cannot be changed")
    return f"  # {'; '.join(words)}" if words else ""
