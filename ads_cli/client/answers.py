"""Compare the response to a write with what was sent.

A response is not understood where it lacks the record or names another one. It is not understood either where
it contradicts the name, the status, a limit of spending, or the campaign of a new record. What a response
lacks is not compared. Services may store other fields in another form.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from ..api.endpoint import Endpoint
from ..api.spending import status_field
from ..spelling import as_stored, letters_and_digits
from .record_changes import is_lifted, limits_of, micros
from .response import Response, not_understood
from .spending import SOURCES
from .writes import Operation, Write, is_upload, subject_of

Record = Mapping[str, Any]
NAMES = ("name", "targeting_value")  # by which a record is told from others of its kind and place
SHORTEST_CUT = 20  # characters: no service cuts names to fewer


def is_compared(endpoint: Endpoint) -> bool:
    """Whether the response to a write has the records that were sent; an upload has its own outcomes."""
    if is_upload(endpoint) or subject_of(endpoint.command) == "users" or not endpoint.changes:
        return False
    return _is_batch(endpoint) or _is_creation(endpoint) or _names_its_record(endpoint)


def require_sent(write: Write, response: Response) -> None:
    """Raise UnavailableError for a response that contradicts what was sent."""
    endpoint, operations = write.endpoint, write.operations
    if endpoint is None or (isinstance(response.body, dict) and response.body.get("operation_errors")):
        return
    data = response.neutral_data
    records = [record for record in (data if isinstance(data, list) else [data]) if isinstance(record, dict)]
    if not _is_batch(endpoint):
        for operation in operations:
            _require_all(operation, records, endpoint.record_id)
        return
    updates = [operation for operation in operations if operation.action == "update"]
    by_id = {str(record.get("id")): record for record in records}
    for operation in updates:
        _require_all(operation, filter(None, [by_id.get(operation.id)]), "id")
    creations = [operation for operation in operations if operation.action == "create"]
    if len(creations) == len(records):
        for operation, record in zip(creations, records, strict=True):
            _require_in_order(record, operation, creations)
            _require_all(operation, [record], "id")


def _is_batch(endpoint: Endpoint) -> bool:
    return "/batch/" in endpoint.path


def _is_creation(endpoint: Endpoint) -> bool:
    return (
        endpoint.makes_anew and not endpoint.id_field and (endpoint.base, endpoint.record_id) == ("ads", "id")
    )


def _names_its_record(endpoint: Endpoint) -> bool:
    """Whether the response to a change of one record names it."""
    is_change = endpoint.method in ("PUT", "DELETE") and endpoint.id_field
    is_named = endpoint.base == "ads" and endpoint.record_id in ("id", endpoint.id_field)
    return bool(is_change) and is_named  # the platform answers with a state


def _require_all(operation: Operation, answered: Iterator[Record] | Sequence[Record], record_id: str) -> None:
    """Raise UnavailableError unless each record is the one that an operation creates or changes."""
    records = [*answered]
    if operation.action == "create":
        if not (records and all(map(_has_id, records))):
            raise not_understood("it names no new record")
    else:
        named = [str(record[record_id]) for record in records if record.get(record_id) is not None]
        if others := [id for id in named if id != operation.id]:
            raise not_understood(f"it names another record than {operation.id}: {others[0]}")
        if not named and operation.action == "update":  # a deletion may be answered by nothing
            raise not_understood(f"it does not name the record {operation.id}")
    for record in records if operation.action != "delete" else ():
        for field in _contradicted(operation, record):
            raise not_understood(
                f"{record[record_id]} has the {field} {record[field]!r}, "
                f"and {operation.values[field]!r} was sent: look what the service has"
            )


def _has_id(record: Record) -> bool:
    """Whether a record has the id of a new one."""
    # An id is a text. Only a post has a number in `id`, and the text beside it.
    id = record.get("id_str") or record.get("id")
    return isinstance(id, str) and bool(id)


def _contradicted(operation: Operation, record: Record) -> Iterator[str]:
    """Yield the fields whose value in a response means something else than what was sent."""
    values, kind = operation.values, operation.kind
    sent = {field for field in values if values[field] not in (None, "") and record.get(field) is not None}
    status = status_field(kind) if kind else None
    plain = [*(SOURCES if operation.action == "create" else ()), *([status.name] if status else ())]
    yield from (field for field in plain if field in sent and not _is_equal(values[field], record[field]))
    if operation.action == "create":
        named = (field for field in NAMES if field in sent)
        yield from (field for field in named if not _is_same_name(values[field], record[field]))
    completed = operation._replace(values={**record, **values})  # it may choose a bid itself
    for field in limits_of(operation):
        is_told = field in values and field in record and not is_lifted(completed, field)
        if is_told and micros(values, field) != micros(record, field):
            yield field


def _require_in_order(record: Record, own: Operation, operations: Sequence[Operation]) -> None:
    """Raise UnavailableError for the record of another creation in the place of the own one."""
    equal, different = _likeness(own, record)
    if not different:
        return
    for other in operations:
        if (likeness := _likeness(other, record))[0] > equal and likeness[1] < different:
            raise not_understood(f"its records are not in the order that was sent: {record.get('id')}")


def _likeness(operation: Operation, record: Record) -> tuple[int, int]:
    """Return how many plain values that were sent a response has, and how many others in their place."""
    pairs = [(value, record[field]) for field, value in operation.values.items() if field in record]
    plain = [_is_equal(*pair) for pair in pairs if all(isinstance(value, str | int) for value in pair)]
    return sum(plain), len(plain) - sum(plain)


def _is_equal(sent: Any, answered: Any) -> bool:
    """Whether two plain values are equal, in the form in which a service stores them."""
    # What is sent in a query is text, numbers too.
    return as_stored(str(sent)).casefold() == as_stored(str(answered)).casefold()


def _is_same_name(sent: Any, answered: Any) -> bool:
    """Whether a name is the one that was sent. One that is only similar is that of another record.

    Services cut names, escape them, and leave out what is no letter.
    """
    whole, stored = (letters_and_digits(unescape(str(name))) for name in (sent, answered))
    if not stored:
        return _is_equal(sent, answered)
    return whole == stored or (len(str(answered)) >= SHORTEST_CUT and whole.startswith(stored))
