"""People in custom audiences and in do-not-reach lists.

A batch is all or nothing. Somebody is known by any identifier: who comes with one that is there
already is the same person, and who goes takes all others along.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from ...api.time import parsed
from ...api.users import (
    MOST_BYTES,
    MOST_OPERATIONS,
    Operation,
    UnreachedOperation,
    UpdateAudienceUsers,
    UpdateDoNotReachUsers,
)
from ...api.validation import InvalidError, broken_rules, convert
from ..core.responses import ApiError, Headers, HttpResponse, not_found
from ..core.routing import Call, answers
from ..core.signatures import READ_ONLY
from ..core.store import Store
from .accounts import known
from .audiences import AUDIENCE, DO_NOT_REACH

JSON = "application/json"


@answers(UpdateAudienceUsers)
def update_audience_users(call: Call) -> HttpResponse:
    """Add users to a custom audience, or take them away."""
    headers = _admitted(call, AUDIENCE, call.ids["custom_audience_id"])
    operations = _operations(call, Operation)
    if isinstance(operations, HttpResponse):
        return operations
    with call.store.writing():
        for operation in operations:
            _apply(call.store, call.ids["custom_audience_id"], operation)
    total = sum(len(operation.params.users) for operation in operations)
    return _answered(call, _counts(call, total), headers)


@answers(UpdateDoNotReachUsers)
def update_do_not_reach_users(call: Call) -> HttpResponse:
    """Add users to a do-not-reach list, or take them away; it is answered operation by operation."""
    wanted = call.ids["do_not_reach_list_id"]
    _admitted(call, DO_NOT_REACH, wanted)
    operations = _operations(call, UnreachedOperation)
    if isinstance(operations, HttpResponse):
        return operations
    with call.store.writing():
        for operation in operations:
            _apply(call.store, wanted, operation)
        size = {"list_size": count(call.store, wanted)}
        call.store.change(DO_NOT_REACH, wanted, size, owner=call.ids["account_id"])
    counts = [_counts(call, len(operation.params.users)) for operation in operations]
    return _answered(call, counts, operation_type=operations[0].operation_type)


def count(store: Store, audience: str) -> int:
    """Count the people in an audience or a list."""
    query = "SELECT count(DISTINCT user) FROM audience_users WHERE audience = ?"
    return int(store.connection.execute(query, (audience,)).fetchone()[0])


def find(store: Store, audience: str, field: str, value: str) -> int | None:
    """Return the number of the user who has an identifier, or None."""
    query = "SELECT user FROM audience_users WHERE identifier = ?"
    row = store.connection.execute(query, (identifier_of(audience, field, value),)).fetchone()
    return row[0] if row else None


def clear(store: Store, audience: str) -> None:
    """Remove all users of an audience."""
    store.connection.execute("DELETE FROM audience_users WHERE audience = ?", (audience,))


def _admitted(call: Call, kind: str, wanted: str) -> Headers:
    """Check who asks, and for what."""
    signer = call.gate.signer_of(call.incoming)
    if signer.access == "read":
        raise ApiError(403, "FORBIDDEN", READ_ONLY)
    call.user = signer.user
    known(call, call.ids["account_id"])
    if call.store.find(kind, wanted, owner=call.ids["account_id"]) is None:
        raise not_found(f"the {kind.replace('_', ' ')}", wanted)
    return call.limits.audience_users.take(call.user) if kind == AUDIENCE else ()


def _operations(call: Call, kind: type[Any]) -> list[Any] | HttpResponse:
    """Read the operations of a batch, or refuse it whole with what is wrong with each."""
    if call.incoming.content_type != JSON:
        raise ApiError(400, "INVALID_PARAMETER", f"the body of this endpoint has the content type {JSON}")
    body = call.incoming.body
    if len(body) > MOST_BYTES:
        raise ApiError(413, "PAYLOAD_TOO_LARGE", f"a body has at most {MOST_BYTES:,} bytes")
    try:
        operations: list[Any] | None = _decoded(body, list[kind])  # type: ignore[valid-type]
    except msgspec.ValidationError:
        operations = None
    if operations is None or any(map(broken_rules, operations)):
        return _refused(call, kind, _decoded(body, Any))
    _count_operations(operations)
    return operations


def _decoded(body: bytes, kind: Any) -> Any:
    """Read JSON; raise ValidationError where it is of another kind."""
    try:
        return msgspec.json.decode(body, type=kind, dec_hook=parsed)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "INVALID_PARAMETER", f"the body is not JSON: {error}") from None


def _refused(call: Call, kind: type[Any], operations: Any) -> HttpResponse:
    """Tell what is wrong with each operation."""
    if not isinstance(operations, list):
        raise ApiError(400, "INVALID_PARAMETER", "the body is not a list of operations")
    _count_operations(operations)
    errors = [_errors(kind, number, operation) for number, operation in enumerate(operations)]
    body = {"errors": [], "operation_errors": errors, "request": {"params": call.ids}}
    return HttpResponse(msgspec.json.encode(body), 400)


def _count_operations(operations: Sequence[Any]) -> None:
    if not 1 <= len(operations) <= MOST_OPERATIONS:
        message = f"{len(operations):,} operations; a request takes 1 to {MOST_OPERATIONS:,}"
        raise ApiError(400, "TOO_MANY_OPERATIONS" if operations else "MISSING_PARAMETER", message)


def _errors(kind: type[Any], number: int, operation: Any) -> list[dict[str, Any]]:
    try:
        convert(kind, operation, strict=True)
    except InvalidError as error:
        wrong = {"code": "INVALID_PARAMETER", "index": number}
        return [wrong | {"message": str(problem)} for problem in error.problems]
    return []


def _apply(store: Store, audience: str, operation: Any) -> None:
    """Have users come or go."""
    people = [_identifiers(audience, user) for user in operation.params.users]
    if operation.operation_type == "Delete":
        _remove(store, audience, [one for identifiers in people for one in identifiers])
        return
    highest = "SELECT coalesce(max(user), 0) FROM audience_users WHERE audience = ?"
    (last,) = store.connection.execute(highest, (audience,)).fetchone()
    alone = ((one[0], last + n) for n, one in enumerate(people, 1) if len(one) == 1)
    add(store, audience, alone)
    for number, identifiers in enumerate(people, 1):
        if len(identifiers) > 1:
            _merge(store, audience, last + number, identifiers)


def add(store: Store, audience: str, identified: Iterable[tuple[bytes, int]]) -> None:
    """Add identifiers with their users; one that is there stays with whom it is."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO audience_users (identifier, audience, user) VALUES (?, ?, ?)",
        # In their order, since neighbours share a page that is written once.
        [(identifier, audience, user) for identifier, user in sorted(identified)],
    )


def _merge(store: Store, audience: str, user: int, identifiers: list[bytes]) -> None:
    """Add somebody with several identifiers, who may be one or several people so far."""
    marks = ",".join("?" * len(identifiers))
    same = f"SELECT DISTINCT user FROM audience_users WHERE identifier IN ({marks})"
    run = store.connection.execute
    for (before,) in run(same, identifiers).fetchall():
        run("UPDATE audience_users SET user = ? WHERE audience = ? AND user = ?", (user, audience, before))
    add(store, audience, ((one, user) for one in identifiers))


def _remove(store: Store, audience: str, identifiers: Iterable[bytes]) -> None:
    store.connection.executemany(
        "DELETE FROM audience_users WHERE audience = ? AND user IN"
        " (SELECT user FROM audience_users WHERE identifier = ?)",
        [(audience, one) for one in identifiers],
    )


def _identifiers(audience: str, user: Any) -> list[bytes]:
    given = ((name, getattr(user, name)) for name in user.__struct_fields__)
    return [identifier_of(audience, name, value) for name, values in given if values for value in values]


def identifier_of(audience: str, kind: str, value: str) -> bytes:
    """Shorten an identifier to what tells it from all others."""
    return blake2b(f"{audience}:{kind}:{value}".encode(), digest_size=16).digest()


def _counts(call: Call, total: int) -> dict[str, int]:
    """Count users; the fault `partial` forgets one."""
    return {"success_count": total - call.partial, "total_count": total}


def _answered(call: Call, data: Any, headers: Headers = (), **echoed: str) -> HttpResponse:
    return HttpResponse(
        msgspec.json.encode({"request": {"params": call.ids} | echoed, "data": data}), headers=headers
    )
