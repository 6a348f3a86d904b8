"""Fields that --set changes: to a value, or by a share or an amount of what a record has."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...api.amounts import amount_names, fields_of_amounts, money_fields
from ...api.endpoint import Request
from ...api.names import neutral_name
from ...campaigns.copying import RELATIVE, relative_amount
from ...console.conditions import Record, in_units
from ...errors import UsageError
from ...spelling import suggestion


class Setting(NamedTuple):
    """A field that changes of records set."""

    field: str
    name: str  # of the option that sets it
    value: str
    is_relative: bool  # so that to repeat it is another change

    def of(self, record: Record) -> str:
        """Return the value for a record; raise UsageError where it has no amount to change."""
        if not self.is_relative:
            return "" if self.value == "null" else self.value
        currency = str(record.get("currency") or "")
        return relative_amount(self.value, in_units(record, self.field), currency, self.name)


def parse_settings(
    kind: type[Request], texts: Sequence[str], options: Mapping[str, Any]
) -> Sequence[Setting]:
    """Read `daily_budget=+10%`; raise UsageError, also for a field that an option sets too."""
    endpoint, amounts = kind.endpoint, fields_of_amounts(kind)
    known = {*amounts, *kind.__struct_fields__} - {*endpoint.path_fields}
    settings: dict[str, Setting] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        name = path if path in amounts else neutral_name(path.replace("-", "_"))
        if not equals or name not in known:
            raise UsageError(
                f"--set {text}: is not FIELD=VALUE{suggestion(name, known)}",
                hint="as in --set daily_budget=+10%",
            )
        field = amounts.get(name, name)
        names = {field, *(amount for amount, of in amounts.items() if of == field)}
        if field in settings or any(options.get(option) is not None for option in names):
            raise UsageError(f"--set {text}: {name} is given twice")
        is_relative = field in money_fields(kind) and RELATIVE.fullmatch(value) is not None
        settings[field] = Setting(field, amount_names(field)[0] if is_relative else name, value, is_relative)
    return [*settings.values()]
