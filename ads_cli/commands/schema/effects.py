"""What each custom command changes, destroys and may spend; a declared request tells that by itself."""

from typing import NamedTuple

from ...config.guard import DENIABLE

MACHINE = "machine"  # what this machine is set up with, or remembers
EVERYTHING = (*DENIABLE, MACHINE)  # by the command lines that it is given


class Effects(NamedTuple):
    """What a command may do."""

    changes: tuple[str, ...] = ()  # by the words of the guard's `deny`
    is_destructive: bool = False  # with some of its options, or always
    may_spend: bool = False


def _changes(words: str, *, destroys: bool = False, spends: bool = False) -> Effects:
    return Effects(tuple(words.split()), destroys, spends)


ROWS = "create update delete"
OF_MACHINE, REMOVAL = _changes(MACHINE), _changes(MACHINE, destroys=True)
PRODUCTS, USERS = _changes("create update products"), _changes("create update delete users", destroys=True)
LINES = Effects(EVERYTHING, is_destructive=True, may_spend=True)
# Those that are missing change nothing.
EFFECTS = {
    "auth login": OF_MACHINE,
    "auth logout": REMOVAL,
    "auth bearer issue": OF_MACHINE,
    "auth bearer revoke": REMOVAL,
    "profile use": OF_MACHINE,
    "profile set": OF_MACHINE,
    "profile create": OF_MACHINE,
    "profile remove": REMOVAL,
    "guard set": OF_MACHINE,
    "products push": PRODUCTS,
    "products update": PRODUCTS,
    "products sync": _changes(f"{ROWS} products", destroys=True),
    "products delete": _changes("delete products", destroys=True),
    "audiences push": USERS,
    "audiences sync": USERS,
    "audiences do-not-reach push": USERS,
    "audiences do-not-reach sync": USERS,
    "audiences combine": _changes("create"),
    "audiences forget": REMOVAL,
    "conversions send": _changes("create conversions"),
    "ads create": _changes("create update activate media posts", spends=True),
    "campaigns apply": _changes(f"{ROWS} activate media posts", destroys=True, spends=True),
    "campaigns copy": _changes("create media posts"),
    "campaigns activate": _changes("update activate", spends=True),
    "campaigns pause": _changes("update"),
    "line-items activate": _changes("update activate", spends=True),
    "line-items pause": _changes("update"),
    "watch apply": _changes("update activate", spends=True),
    "changes undo": _changes(
        f"{ROWS} activate products media posts settings webhooks", destroys=True, spends=True
    ),
    "media upload": _changes("create media"),
    "media alt-text": _changes("update media"),
    "media library clean": _changes("delete media", destroys=True),
    "media subtitles add": _changes("update media"),
    "media subtitles delete": _changes("delete media", destroys=True),
    "webhooks create": _changes("create webhooks"),
    "events subscribe": _changes("create webhooks"),
    "events unsubscribe": _changes("delete webhooks", destroys=True),
    "events connections delete": _changes("delete webhooks", destroys=True),
    "emulator serve": OF_MACHINE,
    "emulator exec": OF_MACHINE,
    "emulator trigger": OF_MACHINE,
    "emulator reset": REMOVAL,
    "jobs clean": REMOVAL,
    "jobs discard": REMOVAL,
    "fleet run": LINES,
    "api": LINES,
    "mcp": LINES,
}
# Commands that end as what they run, or show, has ended.
AS_OTHERS = ("fleet run", "fleet status", "emulator exec", "api", "mcp", "guard check")
# Commands that end with exit code 10 where what they compare differs.
COMPARISONS = {
    *("products diff", "audiences diff", "audiences do-not-reach diff", "campaigns plan"),
    *("accounts check", "watch plan", "watch apply"),
}
# Commands that read only, and may end with a part: the rest could not be read.
INCOMPLETE = {"products pull", "fleet check", "mirror run"} | COMPARISONS
# Commands that ask no service, neither ours nor one that has a feed.
OFFLINE = (
    *("profile list", "profile show", "profile use", "profile set", "profile remove"),
    *("guard", "jobs", "changes list", "changes show", "help", "completion", "skill", "schema"),
    *("emulator serve", "emulator reset", "emulator audiences", "emulator trigger"),
    *("fleet status", "stats report", "watch check", "mirror status", "mirror tables"),
)


def is_offline(name: str) -> bool:
    """Whether a command asks no service."""
    return any(f"{name} ".startswith(f"{beginning} ") for beginning in OFFLINE)
