"""The rows of a list, in which an operation in the service's own form becomes a row for each user.

For example {"operation_type": "Update", "params": {"users": [{"email": ["..."]}]}}.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..api.names import WIRE_NAMES, neutral_name, with_neutral_keys
from ..feeds.row import Row
from ..feeds.rows import Rows
from .identifiers import IDENTIFIERS
from .operations import PARAMS_FIELDS


class UserRows(Rows):
    """The rows of a reader of records; an operation in the service's own form becomes a row for each user."""

    def __init__(self, inner: Rows) -> None:
        super().__init__(inner.source, inner.roots, inner.known, inner.rename)
        self.inner = inner
        self.sensitive = inner.sensitive
        self._has_operations = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of the file, or those that operations are unpacked to."""
        return (*PARAMS_FIELDS, *IDENTIFIERS) if self._has_operations else self.inner.columns

    @columns.setter
    def columns(self, value: tuple[str, ...]) -> None:
        """Ignore the columns that the base class sets, which are none: the inner reader has them."""

    def _read(self) -> Iterator[Row]:
        for row in self.inner:
            self.notes, self.warnings = self.inner.notes, self.inner.warnings
            if not row.problem and _is_operation(row.values):
                self._has_operations = True
                yield from _unpack(row)
            else:
                yield row


def _is_operation(values: Mapping[str, Any]) -> bool:
    """Tell an operation from a person, who may have anything under these names beside an identifier."""
    return ("params" in values or "users" in values) and values.keys().isdisjoint(IDENTIFIERS)


def _unpack(row: Row) -> Iterator[Row]:
    """Yield a row for each user of an operation, or a row with its problem. `Rows` numbers them."""
    operation = dict(row.values)
    params = operation.pop("params", {})
    if not isinstance(params, Mapping):
        yield Row(row.line, {}, "params: must be an object")
        return
    if twice := operation.keys() & params.keys():
        yield Row(row.line, {}, f"{min(twice)}: is given twice, in params too")
        return
    operation |= params
    users = operation.pop("users", None)
    unknown = operation.keys() - set(PARAMS_FIELDS)
    if unknown or not isinstance(users, list) or not users:
        problem = f"{min(map(str, unknown), default='')}: is not a known field"
        yield Row(row.line, {}, problem if unknown else "users: must be a list of users")
        return
    for user in users:
        user = with_neutral_keys(user) if isinstance(user, Mapping) else {"": user}
        if user.keys() <= set(IDENTIFIERS):
            yield Row(row.line, {**operation, **user})
        else:
            yield Row(row.line, {}, _problem_of(user))


def _problem_of(user: Mapping[str, Any]) -> str:
    """Describe a user with an unknown key, which may be a value by mistake and is not named."""
    if twice := WIRE_NAMES & user.keys():
        name = min(twice)
        return f"users: {name!r} is another name of {neutral_name(name)!r}; give one of them"
    return f"users: each must be an object with {', '.join(IDENTIFIERS)}"
