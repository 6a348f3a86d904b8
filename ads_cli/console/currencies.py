"""The currency of what a request changes or belongs to, looked up where that is cheap."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..api.endpoint import Request, requests_of
from ..api.names import to_neutral
from .invocation import Invocation

# What has a currency: the field that names it, the module that declares it, and the command that shows it.
SOURCES = {
    "line_item_id": ("line_items", "line-items get"),
    "campaign_id": ("campaigns", "campaigns get"),
    "funding_instrument_id": ("funding_instruments", "funding-instruments get"),
}


class Currencies:
    """Looks each record up once; `named` is what --currency says."""

    def __init__(self, call: Invocation, named: str | None = None) -> None:
        self._call = call
        self._named = named.upper() if named else None
        self._found = cache(self._look_up)

    def of(self, request: Request) -> str | None:
        """Return the currency of a request's amounts; None where it is not known."""
        if found := self._named or getattr(request, "currency", None):
            return str(found)
        for field in SOURCES:
            if identifier := getattr(request, field, None):
                return self._found(field, identifier)
        return None

    def _look_up(self, field: str, identifier: str) -> str | None:
        if self._call.dry_run and not self._call.settings.is_local:
            return None  # nothing is sent
        currency = record(self._call, field, identifier).get("currency")
        return currency if isinstance(currency, str) else None


def own_record(call: Invocation, request: Request) -> dict[str, Any]:
    """Return the record that a request changes, as it is; an empty one of a request that creates one."""
    id_field = request.endpoint.id_field
    return record(call, id_field, getattr(request, id_field)) if id_field in SOURCES else {}


def record(call: Invocation, field: str, identifier: str) -> dict[str, Any]:
    """Return the record that a field names, by neutral names."""
    module, command = SOURCES[field]
    (get,) = (each for each in requests_of(module) if each.endpoint.command == command)
    found: Mapping[str, Any] = call.client.call(get(account_id=call.account, **{field: identifier})).data
    return dict(to_neutral(found)) if isinstance(found, dict) else {}
