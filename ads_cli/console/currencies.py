"""The currency of what a request changes or belongs to, looked up where that is cheap."""

from ..api.endpoint import Request
from ..api.money import currency_problem
from ..client.stored_records import SOURCES
from ..errors import UsageError
from .invocation import Invocation


class Currencies:
    """Looks up the currencies of what requests change or belong to; `named` is what --currency says."""

    def __init__(self, call: Invocation, named: str | None = None) -> None:
        self._call = call
        self._named = named.upper() if named else None
        if problem := currency_problem(self._named):
            raise UsageError(f"--currency: {problem}", hint="as in EUR")

    def of(self, request: Request) -> str | None:
        """Return the currency of a request's amounts; None where it is not known."""
        if found := self._named or getattr(request, "currency", None):
            return str(found)
        if self._call.dry_run and not self._call.settings.is_local:
            return None  # nothing is sent
        for field in SOURCES:
            if identifier := getattr(request, field, None):
                currency = self._call.stored.one(field, identifier).get("currency")
                return currency if isinstance(currency, str) else None
        return None
