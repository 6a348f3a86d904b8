"""The currency of what a request changes or belongs to, looked up where that is cheap."""

from collections.abc import Mapping
from typing import Any

from ..api.endpoint import Request, requests_of
from ..api.money import currency_problem
from ..errors import UsageError
from .invocation import Invocation

# What has a currency: the field that names it, the module that declares it, and the group of its commands.
SOURCES = {
    "line_item_id": ("line_items", "line-items"),
    "campaign_id": ("campaigns", "campaigns"),
    "funding_instrument_id": ("funding_instruments", "funding-instruments"),
}
MOST_SINGLE = 10  # records of a kind that are requested one by one; then all of the account are listed
PAGE_SIZE = 1000


class Currencies:
    """Looks up what requests change or belong to, each once; `named` is what --currency says."""

    def __init__(self, call: Invocation, named: str | None = None) -> None:
        self._call = call
        self._named = named.upper() if named else None
        if problem := currency_problem(self._named):
            raise UsageError(f"--currency: {problem}", hint="as in EUR")
        self._found: dict[str, dict[str, Mapping[str, Any]]] = {field: {} for field in SOURCES}
        self._listed: set[str] = set()

    def of(self, request: Request) -> str | None:
        """Return the currency of a request's amounts; None where it is not known."""
        if found := self._named or getattr(request, "currency", None):
            return str(found)
        if self._call.dry_run and not self._call.settings.is_local:
            return None  # nothing is sent
        for field in SOURCES:
            if identifier := getattr(request, field, None):
                currency = self._record(field, identifier).get("currency")
                return currency if isinstance(currency, str) else None
        return None

    def own_record(self, request: Request) -> Mapping[str, Any]:
        """Return the record that a request changes, as it is; an empty one of a request that creates one."""
        id_field = request.endpoint.id_field
        return self._record(id_field, getattr(request, id_field)) if id_field in SOURCES else {}

    def _record(self, field: str, identifier: str) -> Mapping[str, Any]:
        """Return the record that a field names, by neutral names."""
        found = self._found[field]
        if identifier not in found and field not in self._listed:
            if len(found) < MOST_SINGLE:
                found[identifier] = self._one(field, identifier)
            else:
                found |= self._all(field)
                self._listed.add(field)
        return found.get(identifier, {})

    def _one(self, field: str, identifier: str) -> Mapping[str, Any]:
        get = _request(field, "get")(account_id=self._call.account, **{field: identifier})
        found = self._call.client.call(get).neutral_data
        return found if isinstance(found, dict) else {}

    def _all(self, field: str) -> dict[str, Mapping[str, Any]]:
        kind = _request(field, "list")
        with_draft = {"with_draft": True} if "with_draft" in kind.__struct_fields__ else {}
        list_all = kind(account_id=self._call.account, count=PAGE_SIZE, **with_draft)
        return {
            str(record.get("id")): record
            for page in self._call.client.pages(list_all)
            for record in page.records
        }


def _request(field: str, verb: str) -> type[Request]:
    module, group = SOURCES[field]
    (found,) = (each for each in requests_of(module) if each.endpoint.command == f"{group} {verb}")
    return found
