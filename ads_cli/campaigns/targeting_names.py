"""The values of targeting criteria that a file names by words: found by a search."""

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from ..api import targeting_search
from ..api.audiences import ListAudiences
from ..spelling import as_stored
from .account import list_all
from .file import CampaignFile
from .model import TARGETING, TYPE, VALUE, each_entry

if TYPE_CHECKING:
    from ..client.client import Client

HEX = re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"[0-9]+")
ID = re.compile(r"[0-9a-z]{1,16}")
# The form of values, which are not looked up, and the search for names, by type. Letters alone may be a name
# that looks like an id, such as `business`.
SEARCHES: dict[str, tuple[re.Pattern[str], Any]] = {
    "LOCATION": (HEX, targeting_search.SearchLocations),
    "INTEREST": (NUMBER, targeting_search.SearchInterests),
    "LANGUAGE": (re.compile(r"[a-z]{2}(-[a-z]{2})?"), targeting_search.SearchLanguages),
    "PLATFORM": (NUMBER, targeting_search.SearchPlatforms),
    "PLATFORM_VERSION": (ID, targeting_search.SearchPlatformVersions),
    "DEVICE": (ID, targeting_search.SearchDevices),
    "NETWORK_OPERATOR": (ID, targeting_search.SearchNetworkOperators),
    "CONVERSATION": (re.compile(r"[0-9a-f]{16}|[0-9]+"), targeting_search.SearchConversations),
    "EVENT": (ID, targeting_search.SearchEvents),
    "APP_STORE_CATEGORY": (ID, targeting_search.SearchAppStoreCategories),
    "CUSTOM_AUDIENCE": (ID, ListAudiences),
    "CUSTOM_AUDIENCE_EXPANDED": (ID, ListAudiences),
}


def resolve_names(client: "Client", account: str, file: CampaignFile) -> None:
    """Replace the names in criteria by values. Note those that are not found, or that several have."""
    audiences = cache(lambda: [*list_all(client, ListAudiences, account_id=account)])
    matches: dict[tuple[str, str], list[str]] = {}
    is_replaced = False
    for entry in each_entry(file.campaigns):
        type_, text = str(entry.values.get(TYPE)), entry.values.get(VALUE)
        if entry.kind is not TARGETING or type_ not in SEARCHES or not isinstance(text, str):
            continue
        looks, search = SEARCHES[type_]
        may_be_name = search is ListAudiences or (looks is ID and text.isalpha())
        if looks.fullmatch(text) and not may_be_name:
            continue
        key = (type_, text)
        if key not in matches:  # several criteria may have the same name
            if search is ListAudiences:
                matches[key] = _values_of(text, audiences(), "id")
            else:
                own = {"q": text} if "q" in search.__struct_fields__ else {}
                matches[key] = _values_of(text, list_all(client, search, **own), VALUE)
            if not matches[key] and looks.fullmatch(text):
                matches[key] = [text]
        values = matches[key]
        if len(values) == 1:
            is_replaced = is_replaced or values[0] != text
            entry.values[VALUE] = values[0]
        else:
            several = f"is the name of several: {', '.join(values[:20])}; write the value that is meant"
            none = (
                "is neither a name nor a value that the service knows; 'adsctl targeting search' finds them"
            )
            file.note(entry, f"{text!r} {several if values else none}", VALUE)
    if is_replaced:
        file.note_repeated()


def _values_of(text: str, records: Iterable[dict[str, Any]], field: str) -> list[str]:
    """Return the value that is a text, else the values, each once, whose name is the text."""
    by_name = []
    for record in records:
        value = str(record.get(field))
        if value == text:
            return [value]
        if as_stored(str(record.get("name"))).casefold() == as_stored(text).casefold():
            by_name.append(value)
    return [*dict.fromkeys(by_name)]
