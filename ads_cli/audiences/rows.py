"""Rows of customer lists: headers of common exports are known, and the service's documents are unpacked."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..api.names import WIRE_NAMES, neutral_name, with_neutral_keys
from ..feeds.rows import Row, Rows
from .identifiers import identifier_types
from .operation_params import PARAMS_FIELDS

IDENTIFIERS = tuple(identifier_types())
KNOWN_COLUMNS = (*IDENTIFIERS, *PARAMS_FIELDS)
# Headers of common exports, reduced to letters and digits.
ALIASES = {
    "email": "mail emails emailaddress emailaddresses useremail customeremail hashedemail emailsha256"
    " sha256email",
    "phone_number": "phone phones phonenumbers mobile mobilenumber mobilephone cell cellphone tel telephone"
    " hashedphone phonesha256",
    "device_id": "idfa gaid aaid adid maid madid mobiledeviceid advertisingid mobileadvertisingid mobileadid"
    " deviceids",
    "handle": "handles username screenname",
    "platform_id": "platformids twitterid twitterids",
}
PARTNER_ID = "partner_user_id"  # is not hashed, so only a column named by this word or --map is sent
OWN_IDS = "customerid externalid crmid clientid contactid memberid partnerid recordid userid"
FIELD_BY_ALIAS = {alias: name for name, aliases in ALIASES.items() for alias in aliases.split()}
FIELD_BY_ALIAS |= {name.replace("_", ""): name for name in KNOWN_COLUMNS}


class HeaderMapping(dict[str, str]):
    """The columns that --map names, and then the headers of common exports."""

    def __contains__(self, column: object) -> bool:
        return bool(self.get(str(column)))

    def get(self, column: str, default: Any = None) -> Any:
        """Return the field that a column is read as."""
        if (mapped := dict.get(self, column)) is not None:
            return mapped
        return FIELD_BY_ALIAS.get(_fold(column), default)

    def is_alias(self, column: str) -> bool:
        """Tell whether a column is read as another field though --map does not name it."""
        return not dict.__contains__(self, column) and self.get(column, column) != column


def unasked_ids(rows: Rows, known: Collection[str]) -> list[str]:
    """Return a warning for each column headed as ids of the advertiser's own, which is not sent."""
    fields = zip(rows.columns, rows.fields, strict=True)
    return [
        f"ids of your own are not hashed; to send {column!r} as it is: --map '{column}={PARTNER_ID}'"
        for column, name in fields
        if PARTNER_ID in known and name not in known and _fold(column) in OWN_IDS.split()
    ]


def _fold(column: str) -> str:
    return "".join(filter(str.isalnum, column.lower()))


class UserRows(Rows):
    """The rows of a reader; an operation in the service's own form becomes a row for each user."""

    def __init__(self, inner: Rows) -> None:
        super().__init__(inner.source, inner.roots, inner.known, inner.rename)
        self.inner = inner
        self.has_header = inner.has_header
        self._has_operations = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of the file, or those that operations are unpacked to."""
        return (*PARAMS_FIELDS, *IDENTIFIERS) if self._has_operations else self.inner.columns

    @columns.setter
    def columns(self, value: tuple[str, ...]) -> None:
        pass  # the base class starts without columns; these are the inner reader's

    def _read(self) -> Iterator[Row]:
        for row in self.inner:
            self.notes = self.inner.notes
            if "params" in row.values or "users" in row.values:
                self._has_operations = True
                yield from _unpack(row)
            else:
                yield row


def _unpack(row: Row) -> Iterator[Row]:
    """Yield a row for each user of an operation, or a row with its problem."""
    operation = dict(row.values)
    params = operation.pop("params", {})
    if not isinstance(params, Mapping):
        yield Row(row.line, {}, "params: must be an object")
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
    for name in sorted(WIRE_NAMES & user.keys()):
        return f"users: {name!r} is another name of {neutral_name(name)!r}; give one of them"
    return f"users: each must be an object with {', '.join(IDENTIFIERS)}"
