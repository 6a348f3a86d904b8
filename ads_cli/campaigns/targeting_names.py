"""The values of targeting criteria that a file names by words: found by a search."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api import targeting_search
from ..api.audiences import ListAudiences
from ..errors import AccessError, AdsctlError, NotFoundError, RefusedError, UsageError
from ..output.text import shell_command
from ..parallel.ordered_map import map_ordered
from ..spelling import as_stored
from .account import REQUESTS_AT_ONCE, list_all
from .campaign_file import CampaignFile
from .kinds import TARGETING, TYPE, VALUE
from .model import Stored, each_entry

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
MOST_SEARCHED = 500  # values of an account, whose names a pull looks up
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
        self._whole: dict[Any, list[dict[str, Any]]] = {}  # lists that are not searched

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
        if not _is_searched(search):
            if search not in self._whole:
                own = {"account_id": self._account} if search is ListAudiences else {}
                self._whole[search] = [*list_all(self._client, search, **own)]
            return self._whole[search]
        if search is targeting_search.SearchLocations and COUNTRY.fullmatch(text):
            countries = list_all(self._client, search, country_code=text, location_type="COUNTRIES")
            return ({**record, "name": text} for record in countries if record.get("country_code") == text)
        return list_all(self._client, search, q=text)

    def search(self, texts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str | AdsctlError]:
        """Return the values that texts name, by type and text, or why they name none; several at once."""
        once = [*dict.fromkeys(texts)]
        for type_, text in once:
            if type_ in SEARCHES and not _is_searched(SEARCHES[type_][1]):
                self._found(type_, text)  # lists them, which two threads would do twice

        def value(named: tuple[str, str]) -> str | AdsctlError:
            try:
                return self.value_of(*named)
            except (NotFoundError, UsageError, RefusedError, AccessError) as error:
                return error

        values = map_ordered(value, once, REQUESTS_AT_ONCE, max(len(once), 1))
        return dict(zip(once, values, strict=True))


def _searched(type_: str, text: str) -> tuple[str, ...]:
    """Return the options of the search for a name; none where it lists all."""
    return ("--q", text) if _is_searched(SEARCHES[type_][1]) else ()


def _is_searched(search: Any) -> bool:
    """Tell whether a list is narrowed by a text; of audiences, that would leave out names in another case."""
    return "q" in search.__struct_fields__ and search is not ListAudiences


def unique_names(client: "Client", account: str, campaigns: Iterable[Stored]) -> dict[tuple[str, str], str]:
    """Return the names of targeting values that name nothing else, by type and value.

    So a file that has the name means this value. Of an account with very many values, some stay without one.
    """
    named = {
        (str(criterion.fields.get(TYPE)), str(criterion.fields.get(VALUE))): criterion.name
        for criterion in _criteria(campaigns)
        if criterion.name and criterion.fields.get(TYPE) in SEARCHES
    }
    some = [*named.items()][:MOST_SEARCHED]
    texts = {key: (key[0], name) for key, name in some if name and name != key[1]}
    found = TargetingNames(client, account).search(texts.values())
    return {key: text[1] for key, text in texts.items() if found[text] == key[1]}


def _criteria(records: Iterable[Stored]) -> Iterator[Stored]:
    for record in records:
        if record.kind is TARGETING:
            yield record
        for below in record.below.values():
            yield from _criteria(below)


def resolve_names(client: "Client", account: str, file: CampaignFile) -> None:
    """Replace the names in criteria by values. Note those that are not found, or that several have."""
    texts = {
        entry: (str(entry.values.get(TYPE)), text)
        for entry in each_entry(file.campaigns)
        if entry.kind is TARGETING and isinstance(text := entry.values.get(VALUE), str)
    }
    found = TargetingNames(client, account).search(texts.values())
    is_replaced = False
    for entry, (type_, text) in texts.items():
        value = found[type_, text]
        if isinstance(value, NotFoundError | UsageError):
            file.note(entry, "; ".join(filter(None, (value.message, value.hint))), VALUE)
            continue
        if isinstance(value, AdsctlError):
            raise value
        entry.values[VALUE] = value
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
