"""Every kind of change, and what is done about a lost answer to it."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tests.adsctl import Adsctl
from tests.conftest import feed
from tests.emulator.seeded import CARD, HAMBURG, KNITTERS, SPRING
from tests.media.made import picture, sample

REPEATED, LOOKED_UP, REFUSED = "repeated", "looked up", "refused"
Words = tuple[str, ...]


class Change(NamedTuple):
    """A kind of change: how it is made, and what becomes of it where an answer was lost."""

    answer: str  # REPEATED, LOOKED_UP or REFUSED
    words: Words
    route: str  # method and path of the requests that make it
    files: Mapping[str, str | bytes]
    before: tuple[Words, ...] = ()  # commands that have run earlier
    at: int = 1  # which of its requests is answered badly
    resume: Words = ("--resume",)
    creates: bool = False  # what the service lists
    row: str = ""  # of the table in docs/automation.md
    codes: tuple[int, ...] = (8,)  # of the run whose answer was lost


PUSH = ("products", "push", "feed.csv", "--concurrency", "1")
SYNC = ("products", "sync", "feed.csv", "--prune", "--max-delete", "100%", "--yes", "--concurrency", "1")
CATALOG = "/12/product_catalogs/*/products"
LATER = "\n".join([feed(1).splitlines()[0], *feed(90).splitlines()[31:]])  # 30 have gone, 30 are new
KNOWN = {"feed.csv": feed(60)}

LIST = ("--audience", "1nmv2", "--yes", "--concurrency", "1")
ADD, REMOVE = (("audiences", "push", "people.csv", *LIST, *more) for more in ((), ("--operation", "delete")))
SYNC_LIST = ("audiences", "sync", "people.csv", *LIST, "--prune", "--max-delete", "100%")
USERS = "POST *users"


def people(numbers: Iterable[int]) -> str:
    return "email\n" + "".join(f"u{number}@shop.example\n" for number in numbers)


def campaigns(count: int) -> str:
    return "name,funding_instrument_id\n" + "".join(f"Shop {number},{CARD}\n" for number in range(count))


def criteria(count: int) -> str:
    rows = "".join(f"9d4c1,PHRASE_KEYWORD,word {number}\n" for number in range(count))
    return f"line_item_id,targeting_type,targeting_value\n{rows}"


def tree(*records: dict[str, Any]) -> dict[str, str]:
    return {"tree.json": json.dumps({"campaigns": records})}


ITEM = {
    "name": "Hats",
    "objective": "REACH",
    "product_type": "PROMOTED_POSTS",
    "placements": ["ALL_ON_PLATFORM"],
    "bid_strategy": "AUTO",
    "start_time": "2031-12-01",
}
SNOW = {"name": "Snow", "funding_instrument_id": CARD, "daily_budget": "5"}
NEW_TREE = tree(SNOW | {"line_items": [ITEM]})
APPLY = ("campaigns", "apply", "tree.json", "--yes")
NEW_SET = {"name": "Gifts", "type": "FILTERED"} | {
    "filters": [{"attribute": "price", "operator": "LESS_THAN", "value": 50}]
}
ORDERS = "conversion_time,event_id,platform_click_id\n" + "".join(
    f"2026-10-01T10:00:00Z,o3f71,click-{number}\n" for number in range(1200)
)
SEND = ("conversions", "send", "orders.csv", "--pixel", "o8z6j")

# The rows of the table in docs/automation.md.
PUSHED, DELETED, SYNCED = "products push, update", "products delete", "products sync"
PEOPLE, CONVERSIONS = "audiences push, sync", "conversions send"
CREATED, CHANGED = "records of a file that are created", "records of a file that are changed or deleted"
UNLISTED = "records of a file of which no list says when they were created"
PLAIN = "one record that options describe: changed or deleted"
SEVERAL = "several records by their ids or --where: changed or deleted"
SHARES = "the same: changed by a share or an amount that is added"
NEW_IN_TREE = "campaigns apply, copy: what is created"
CHANGED_IN_TREE = "campaigns apply: what is changed or deleted"
BYTES, FINISHED = "media upload: what is sent", "media upload: its end, and the library"
BY_ASSISTANT, CHANGED_BY_ASSISTANT = "what an assistant creates", "what an assistant changes or deletes"

# Nothing in the answer says that an upload is another one: the service says it at the next step.
MISLED = (6, 8)

CHANGES = {
    "products push": Change(REPEATED, PUSH, f"PUT {CATALOG}", KNOWN, at=2, row=PUSHED),
    "products delete": Change(
        REPEATED,
        ("products", "delete", "--from", "gone.csv", "--by", "id", "--yes", "--concurrency", "1"),
        f"DELETE {CATALOG}",
        KNOWN | {"gone.csv": "id\n" + "".join(f"sku-{number}\n" for number in range(1, 41))},
        before=(PUSH,),
        at=2,
        row=DELETED,
    ),
    "products sync: sent": Change(
        REPEATED,
        SYNC,
        f"PUT {CATALOG}",
        {"old.csv": feed(60), "feed.csv": LATER},
        before=(("products", "push", "old.csv"),),
        at=2,
        row=SYNCED,
    ),
    "products sync: deleted": Change(
        REPEATED,
        SYNC,
        f"DELETE {CATALOG}",
        {"old.csv": feed(60), "feed.csv": LATER},
        before=(("products", "push", "old.csv"),),
        row=SYNCED,
    ),
    "audiences push: added": Change(
        REPEATED, ADD, USERS, {"people.csv": people(range(60))}, at=2, row=PEOPLE
    ),
    "audiences push: removed": Change(
        REPEATED,
        REMOVE,
        USERS,
        {"people.csv": people(range(60)), "all.csv": people(range(90))},
        before=(("audiences", "push", "all.csv", *LIST),),
        at=2,
        row=PEOPLE,
    ),
    "audiences sync": Change(
        REPEATED,
        SYNC_LIST,
        USERS,
        {"people.csv": people(range(30, 90)), "all.csv": people(range(60))},
        before=(("audiences", "sync", "all.csv", *LIST),),
        at=2,
        row=PEOPLE,
    ),
    "records created": Change(
        LOOKED_UP,
        ("campaigns", "create", "-f", "campaigns.csv", "--yes"),
        "POST */campaigns",
        {"campaigns.csv": campaigns(60)},
        at=2,
        creates=True,
        row=CREATED,
    ),
    "records created that have no name": Change(
        LOOKED_UP,
        ("targeting", "add", "-f", "words.csv"),
        "POST */targeting_criteria",
        {"words.csv": criteria(12)},
        creates=True,
        row=CREATED,
    ),
    "a record created": Change(
        LOOKED_UP,
        ("campaigns", "create", "-f", "campaigns.csv", "--yes"),
        "POST */campaigns",
        {"campaigns.csv": campaigns(1)},
        creates=True,
        row=CREATED,
    ),
    "a record created that no list shows": Change(
        REFUSED,
        ("catalog", "sets", "create", "-f", "set.json"),
        "POST */product_sets",
        {"set.json": json.dumps(NEW_SET)},
        row=UNLISTED,
    ),
    "records updated": Change(
        REPEATED,
        ("campaigns", "update", "-f", "changes.csv", "--yes"),
        "POST */campaigns",
        {"changes.csv": f"id,name\n{SPRING},Summer\n{HAMBURG},Lyon\n"},
        row=CHANGED,
    ),
    "a record updated": Change(
        REPEATED,
        ("campaigns", "update", "-f", "changes.csv", "--yes"),
        "* */campaigns*",
        {"changes.csv": f"id,name\n{SPRING},Summer\n"},
        row=CHANGED,
    ),
    "records deleted": Change(
        REPEATED,
        ("campaigns", "delete", "-f", "gone.csv", "--yes"),
        "POST */campaigns",
        {"gone.csv": f"id\n{SPRING}\n{KNITTERS}\n"},
        row=CHANGED,
    ),
    "campaigns apply: created": Change(
        LOOKED_UP,
        APPLY,
        "POST */campaigns",
        tree(SNOW | {"line_items": [ITEM]}),
        creates=True,
        row=NEW_IN_TREE,
    ),
    "campaigns apply: a part created": Change(
        LOOKED_UP,
        APPLY,
        "POST */line_items",
        tree(SNOW | {"line_items": [ITEM]}),
        creates=True,
        row=NEW_IN_TREE,
    ),
    "campaigns copy": Change(
        LOOKED_UP,
        ("campaigns", "copy", HAMBURG, "--yes"),
        "POST */line_items",
        {},
        creates=True,
        row=NEW_IN_TREE,
    ),
    "campaigns apply: updated": Change(
        REPEATED,
        APPLY,
        "[!G]* */campaigns*",
        tree({"id": SPRING, "name": "Summer"}, {"id": HAMBURG, "name": "Lyon"}),
        row=CHANGED_IN_TREE,
    ),
    "campaigns apply: deleted": Change(
        REPEATED,
        (*APPLY, "--prune", "--max-delete", "100%"),
        "[!G]* */line_items*",
        tree({"id": SPRING, "line_items": []}),
        row=CHANGED_IN_TREE,
    ),
    "media upload: an image": Change(
        REPEATED,
        ("media", "upload", "hero.png"),
        "POST /2/media/upload",
        {"hero.png": picture("PNG", 1200, 628)},
        row=BYTES,
        codes=MISLED,
    ),
    "media upload: begun": Change(
        REPEATED,
        ("media", "upload", "clip.mp4"),
        "POST /2/media/upload/initialize",
        {"clip.mp4": sample("high.mp4")},
        row=BYTES,
        codes=MISLED,
    ),
    "media upload: a segment": Change(
        REPEATED,
        ("media", "upload", "clip.mp4"),
        "POST /2/media/upload/*/append",
        {"clip.mp4": sample("high.mp4")},
        row=BYTES,
        codes=MISLED,
    ),
    "media upload: ended": Change(
        LOOKED_UP,
        ("media", "upload", "clip.mp4"),
        "POST /2/media/upload/*/finalize",
        {"clip.mp4": sample("high.mp4")},
        row=FINISHED,
        codes=MISLED,
    ),
    "media upload: in the library": Change(
        LOOKED_UP,
        ("media", "upload", "clip.mp4"),
        "POST */media_library*",
        {"clip.mp4": sample("high.mp4")},
        row=FINISHED,
        codes=MISLED,
    ),
    "conversions send": Change(
        REFUSED, SEND, "POST /12/measurement/conversions/*", {"orders.csv": ORDERS}, at=2, row=CONVERSIONS
    ),
    "one record changed": Change(
        REPEATED,
        ("campaigns", "update", SPRING, "--name", "Summer", "--yes"),
        "PUT */campaigns/*",
        {},
        resume=(),
        row=PLAIN,
    ),
    "several records changed": Change(
        REPEATED,
        ("campaigns", "update", SPRING, KNITTERS, "--entity-status", "PAUSED", "--yes"),
        "[!G]* */campaigns*",
        {},
        row=SEVERAL,
    ),
    "several records changed by a condition": Change(
        REPEATED,
        ("campaigns", "update", "--where", "entity_status=ACTIVE", "--set", "name=Renamed {id}", "--yes"),
        "[!G]* */campaigns*",
        {},
        row=SEVERAL,
    ),
    "several records changed by a share": Change(
        REPEATED,
        ("campaigns", "update", SPRING, KNITTERS, "--set", "daily_budget=+10%", "--yes"),
        "[!G]* */campaigns*",
        {},
        row=SHARES,
    ),
    "several records deleted": Change(
        REPEATED,
        ("campaigns", "delete", SPRING, KNITTERS, "--yes"),
        "[!G]* */campaigns*",
        {},
        row=SEVERAL,
    ),
}


def prepare(adsctl: Adsctl, change: Change, *start: str) -> None:
    """Write the files of a change, and run what has run before it."""
    for name, content in change.files.items():
        adsctl.file(name, content)
    for words in change.before:
        adsctl(*start, *words)
