"""Rows of people: the headers of many exports are understood, and the service's own documents opened up."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..feeds.rows import Row, Rows
from .identifiers import keys
from .operation_params import FIELDS

KEYS = tuple(keys())
KNOWN = (*KEYS, *FIELDS)
# Further names, with everything but letters and digits taken away.
ALIASES = {
    "email": "mail emails emailaddress emailaddresses useremail customeremail hashedemail emailsha256"
    " sha256email",
    "phone_number": "phone phones phonenumbers mobile mobilenumber mobilephone cell cellphone tel telephone"
    " hashedphone phonesha256",
    "device_id": "idfa gaid aaid adid maid advertisingid mobileadvertisingid mobileadid deviceids",
    "handle": "handles username screenname",
    "platform_id": "platformids",
    "partner_user_id": "customerid externalid crmid clientid memberid partnerid",
}
BY_ALIAS = {alias: name for name, aliases in ALIASES.items() for alias in aliases.split()}
BY_ALIAS |= {name.replace("_", ""): name for name in KNOWN}


class Renames(dict[str, str]):
    """What --map says, and after it what a header is commonly called."""

    def __contains__(self, name: object) -> bool:
        return bool(self.get(str(name)))

    def get(self, name: str, default: Any = None) -> Any:
        """Give the field that a column is read as."""
        if (said := dict.get(self, name)) is not None:
            return said
        folded = "".join(filter(str.isalnum, name.lower()))
        return BY_ALIAS.get(folded, default)


class UserRows(Rows):
    """The rows of another reader; an operation of the service's own shape becomes a row for each user."""

    def __init__(self, inner: Rows) -> None:
        super().__init__(inner.source, inner.roots, inner.known, inner.rename)
        self.inner = inner
        self.has_header = inner.has_header
        self._opened_up = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of the file, or those that operations are opened up to."""
        return (*FIELDS, *KEYS) if self._opened_up else self.inner.columns

    @columns.setter
    def columns(self, value: tuple[str, ...]) -> None:
        pass  # they are the inner reader's

    def _read(self) -> Iterator[Row]:
        for row in self.inner:
            self.notes = self.inner.notes
            if "params" in row.values or "users" in row.values:
                self._opened_up = True
                yield from _users(row)
            else:
                yield row


def _users(row: Row) -> Iterator[Row]:
    """Open an operation up; what is none is told as such."""
    operation = dict(row.values)
    params = operation.pop("params", {})
    if not isinstance(params, Mapping):
        yield Row(row.line, {}, "params: must be an object")
        return
    operation |= params
    users = operation.pop("users", None)
    strange = operation.keys() - set(FIELDS)
    if strange or not isinstance(users, list) or not users:
        unknown = f"{min(map(str, strange), default='')}: is not a known field"
        yield Row(row.line, {}, unknown if strange else "users: must be a list of users")
        return
    for user in users:
        if not isinstance(user, Mapping) or not user.keys() <= set(KEYS):
            yield Row(row.line, {}, f"users: each must be an object with {', '.join(KEYS)}")
        else:
            yield Row(row.line, {**operation, **user})
