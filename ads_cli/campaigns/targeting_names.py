"""The values of targeting criteria that a file names by words: found by a search."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api import targeting_search
from ..api.audiences import ListAudiences
from ..errors import NotFoundError, UsageError
from ..output.text import shell_command
from ..spelling import as_stored
from .account import list_all
from .campaign_file import CampaignFile
from .kinds import TARGETING, TYPE, VALUE
from .model import each_entry

if TYPE_CHECKING:
    from ..client.client import Client

HEX = re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"[0-9]+")
ID = re.compile(r"[0-9a-z]{1,16}")
# The form of values, which are not looked up, and the search for names, by type.
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


# What names a country, in place of its name.
COUNTRY = re.compile(r"[A-Z]{2}")
MOST_NAMED = 20  # values in a message
MOST_NEAR = 5  # of other names


class Named(NamedTuple):
    """A value of targeting, with what tells it from others of its name."""

    value: str
    name: str = ""
    kind: str = ""  # of a location

    @classmethod
    def of(cls, record: Mapping[str, Any], field: str) -> "Named":
        """Return what a search has found."""
        return cls(str(record.get(field)), str(record.get("name")), str(record.get("location_type") or ""))

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(filter(None, (self.kind, self.value)))})"


class TargetingNames:
    """Finds the values of targeting criteria by their names; each name is searched once."""

    def __init__(self, client: "Client", account: str) -> None:
        self._client, self._account = client, account
        self._values: dict[tuple[str, str], list[Named]] = {}
        self._near: dict[
            tuple[str, str], list[Named]
        ] = {}  # what a search for a text finds, whatever its name
        self._audiences: list[dict[str, Any]] | None = None

    def value_of(self, type_: str, text: str) -> str:
        """Return the value that a text names, or is.

        Raise NotFoundError where nothing has the name, and UsageError where several have it.
        """
        found = self._found(type_, text)
        if len(found) == 1:
            return found[0].value
        if found:
            listed = "; ".join(map(str, found[:MOST_NAMED]))
            raise UsageError(f"{text!r} is the name of several: {listed}; write the value that is meant")
        command = shell_command(
            ["adsctl", *SEARCHES[type_][1].endpoint.command.split(), *_searched(type_, text)]
        )
        near = "; ".join(map(str, self._near.get((type_, text), ())))
        raise NotFoundError(
            f"{text!r} is neither a name nor a value that the service knows"
            f"{f'; a search finds: {near}' if near else ''}",
            hint=f"{command} searches for it",
        )

    def _found(self, type_: str, text: str) -> "list[Named]":
        """Return the values of which a text is the name; the text itself where it is not looked up."""
        if type_ not in SEARCHES:
            return [Named(text)]
        looks, search = SEARCHES[type_]
        # Letters alone may be a name that looks like an id, such as `business`.
        may_be_name = search is ListAudiences or (looks is ID and text.isalpha())
        if looks.fullmatch(text) and not may_be_name:
            return [Named(text)]
        key = (type_, text)
        if key not in self._values:
            field = "id" if search is ListAudiences else VALUE
            records = [*self._records(search, text)]
            found = _values_of(text, records, field)
            self._values[key] = found or ([Named(text)] if looks.fullmatch(text) else [])
            if _searched(type_, text):
                self._near[key] = [Named.of(record, field) for record in records[:MOST_NEAR]]
        return self._values[key]

    def _records(self, search: Any, text: str) -> Iterable[dict[str, Any]]:
        """Return the records that may have a text as their name, or as the code of their country."""
        if search is ListAudiences:
            if self._audiences is None:
                self._audiences = [*list_all(self._client, ListAudiences, account_id=self._account)]
            return self._audiences
        if search is targeting_search.SearchLocations and COUNTRY.fullmatch(text):
            countries = list_all(self._client, search, country_code=text, location_type="COUNTRIES")
            return ({**record, "name": text} for record in countries if record.get("country_code") == text)
        own = {"q": text} if "q" in search.__struct_fields__ else {}
        return list_all(self._client, search, **own)


def _searched(type_: str, text: str) -> tuple[str, ...]:
    """Return the options of the search for a name; none where it lists all."""
    _, search = SEARCHES[type_]
    return ("--q", text) if "q" in search.__struct_fields__ else ()


def resolve_names(client: "Client", account: str, file: CampaignFile) -> None:
    """Replace the names in criteria by values. Note those that are not found, or that several have."""
    names = TargetingNames(client, account)
    is_replaced = False
    for entry in each_entry(file.campaigns):
        type_, text = str(entry.values.get(TYPE)), entry.values.get(VALUE)
        if entry.kind is not TARGETING or not isinstance(text, str):
            continue
        try:
            entry.values[VALUE] = value = names.value_of(type_, text)
        except (NotFoundError, UsageError) as error:
            file.note(entry, "; ".join(filter(None, (error.message, error.hint))), VALUE)
            continue
        if value != text:
            is_replaced = True
            file.value_names[type_, value] = text
    if is_replaced:
        file.note_repeated()


def _values_of(text: str, records: Iterable[dict[str, Any]], field: str) -> list[Named]:
    """Return the value that is a text; else the values, each once, whose name is the text.

    Where there is none, they are those whose names have the text as their own part, as in
    `Food and drink/Coffee` and in `Munich, Germany`.
    """
    wanted, by_name, by_part = as_stored(text).casefold(), dict[str, Named](), dict[str, Named]()
    for record in records:
        named = Named.of(record, field)
        name = as_stored(named.name).casefold()
        if named.value == text:
            return [named]
        if name == wanted:
            by_name.setdefault(named.value, named)
        elif wanted in (name.rpartition("/")[2], name.partition(", ")[0]):
            by_part.setdefault(named.value, named)
    return [*(by_name or by_part).values()]
