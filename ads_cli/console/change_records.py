"""What the log of changes says of a request: no identifier of a person, no secret, no file."""

import getpass
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import msgspec

from ..api.amounts import money_fields
from ..client.spending import SOURCES
from ..config.change_log import ChangeBegun, new_id, now
from ..config.environment import PREFIX
from ..errors import AdsctlError
from ..masking import MASK, mask_address
from ..output.text import shell_command

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from ..client.spending import StoredRecords
    from ..client.writes import Operation, Write
    from ..config.settings import Settings
    from ..masking import Mask
    from ..output.messages import Messages

# Names of fields and options whose values are a person's, or secret.
PERSONAL = re.compile(
    r"e_?mail|phone|contact|user|owner|first_name|last_name|street|address|postal|city|tax_id|secret|token"
    r"|password|device|hashed|click_id|screen|handle",
    re.IGNORECASE,
)
IN_TEXT = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}|\+[0-9]{7,15}")
MAX_BYTES = 20_000  # of the fields of a change
FLEET_VARIABLE = f"{PREFIX}ALLOWANCE"  # set for the tasks of a fleet


class Caller(Protocol):
    """What is needed of the invocation that sends a request."""

    flags: dict[str, Any]
    settings: "Settings"

    @property
    def client(self) -> "Client":
        """Return the client."""

    @property
    def messages(self) -> "Messages":
        """Return the messages on stderr."""

    @property
    def mask(self) -> "Mask":
        """Return what hides secrets."""

    @property
    def command_line(self) -> tuple[str, ...]:
        """Return the words after `adsctl`."""

    @property
    def service(self) -> str:
        """Return the identity of the service."""

    @property
    def by(self) -> str | None:
        """Return what runs the command in place of a person or a script."""

    @property
    def job(self) -> str | None:
        """Return the id of what the command is part of."""

    @property
    def dry_run(self) -> bool:
        """Tell whether nothing is sent that changes anything."""

    @property
    def is_guard_check(self) -> bool:
        """Tell whether a dry run asks what the guard refuses."""

    def stored_of(self, account: str) -> "StoredRecords":
        """Return the records of an account."""

    def hold(self, lock: AbstractContextManager[Any]) -> None:
        """Hold a lock until the command ends."""


def begun(call: "Caller", write: "Write", prepared: "PreparedRequest") -> ChangeBegun:
    """Return the line of a change that is about to be sent."""
    ids, fields, before = _changed(call, write)
    path = urlsplit(prepared.url).path
    id_field = write.endpoint.id_field if write.endpoint else ""
    if id_field and PERSONAL.search(id_field):
        ids, path = [MASK], f"{path.rpartition('/')[0]}/{MASK}"
    return ChangeBegun(
        id=new_id(),
        time=now(),
        profile=call.settings.profile,
        account=write.account or call.settings.get("account"),
        user=_user(),
        command=call.mask(shell_command(["adsctl", *_shown(call.command_line)])),
        method=prepared.method,
        path=call.mask(path),
        ids=ids,
        fields=fields,
        before=before,
        job=call.job,
        by=call.by or ("fleet" if call.settings.environ.get(FLEET_VARIABLE) else None),
    )


def made_ids(write: "Write", response: "Response") -> list[str]:
    """Return the ids of the records in an answer."""
    field = write.endpoint.record_id if write.endpoint else "id"
    data = response.data if write.operations else None
    records = data if isinstance(data, list) else [data]
    found = [record.get(field) for record in records if isinstance(record, dict)]
    return [str(id) for id in found if isinstance(id, str | int) and not PERSONAL.search(field)]


def _changed(call: "Caller", write: "Write") -> tuple[list[str], Any, Any]:
    """Return the ids, the fields that are set and what they were, by record where there are several."""
    if not write.operations:  # rows of a file, or a request that is not understood
        return [], None, None
    ids = [operation.id for operation in write.operations if operation.id]
    fields = [_fields(call, operation) for operation in write.operations]
    before = [
        _before(call, write, operation, set_)
        for operation, set_ in zip(write.operations, fields, strict=True)
    ]
    if len(msgspec.json.encode(fields)) > MAX_BYTES:
        fields, before = [dict.fromkeys(each, "...") for each in fields][:1], [None]
    if len(fields) == 1:
        return ids, fields[0] or None, before[0]
    return ids, fields, before if any(before) else None


def _fields(call: "Caller", operation: "Operation") -> dict[str, Any]:
    """Return what an operation sets, by neutral names."""
    kind = operation.kind
    if operation.action == "delete" or (kind and kind.endpoint.sensitive):
        return {}
    own = {"account_id", *(kind.endpoint.path_fields if kind else ()), kind and kind.endpoint.id_field}
    money = money_fields(kind) if kind else []
    found = {}
    for name, value in operation.values.items():
        if name in own:
            continue
        shown = int(value) if name in money and str(value).isdecimal() else value
        found[name] = _masked(call, name, shown)
    return found


def _masked(call: "Caller", name: str, value: Any) -> Any:
    if PERSONAL.search(name):
        return MASK
    if isinstance(value, dict):
        return {key: _masked(call, str(key), each) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(call, name, each) for each in value]
    return call.mask(IN_TEXT.sub(MASK, mask_address(value))) if isinstance(value, str) else value


def _before(
    call: "Caller", write: "Write", operation: "Operation", fields: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the fields of a record were, where that was read; --verbose reads it."""
    field = operation.kind.endpoint.id_field if operation.kind else None
    if field not in SOURCES or not operation.id or operation.action == "create":
        return None
    stored = call.stored_of(write.account)
    record = stored.known(field, operation.id)
    if record is None and call.flags.get("verbose"):
        try:
            record = stored.read(field, [operation.id])[operation.id]
        except AdsctlError:
            return None
    return {name: record.get(name) for name in fields if name in record} or None if record else None


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without such a user
        return ""


def _shown(words: "tuple[str, ...]") -> list[str]:
    """Return the words of a command line without what is personal or secret."""
    shown, is_hidden = [], False
    for word in words:
        option, equals, _ = word.partition("=")
        is_personal = option.startswith("--") and bool(PERSONAL.search(option.replace("-", "_")))
        if is_hidden and not word.startswith("--"):
            shown.append(MASK)
        elif is_personal and equals:
            shown.append(f"{option}={MASK}")
        else:
            shown.append(IN_TEXT.sub(MASK, mask_address(word)))
        is_hidden = is_personal and not equals
    return shown
