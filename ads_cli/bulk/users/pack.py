"""Users packed into operations, and operations into batches, as many as the limits of a request meet."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from ...api.users import MOST_BYTES, MOST_OPERATIONS
from .columns import column
from .identifiers import keys

# The size at which an operation is closed: 2,500 of them, with commas and brackets, fill a body.
FULL = (MOST_BYTES - 2) // MOST_OPERATIONS - 1
END = "]}}"


class Purpose(Enum):
    """What packing is for: hashes cost most, and only what is sent has to be kept."""

    CHECK = "check"  # the sizes alone, with nothing hashed
    REHEARSE = "rehearse"  # everything, and nothing is kept
    SEND = "send"


class Operation(NamedTuple):
    """An operation as JSON, its size, and the rows its users come from."""

    body: bytes | memoryview  # empty where it is not to be sent
    size: int
    rows: Sequence[int]  # counted from 0 in what was packed at once; by number of the record in a batch

    @property
    def users(self) -> int:
        """Count the users."""
        return len(self.rows)


class Head(NamedTuple):
    """What operations say beside their users."""

    operation_type: str
    effective_at: str = ""
    expires_at: str = ""

    @property
    def start(self) -> str:
        """Write an operation up to its users."""
        given = zip(self._fields[1:], self[1:], strict=True)
        times = "".join(f'"{name}":"{value}",' for name, value in given if value)
        return f'{{"operation_type":"{self.operation_type}","params":{{{times}"users":['


class Packing(NamedTuple):
    """What decides which operations rows become."""

    region: str | None = None  # of national phone numbers
    most_users: int | None = None  # to an operation
    purpose: Purpose = Purpose.SEND


@dataclass
class Packed:
    """What became of some rows: operations, what is wrong with the others, and how values came."""

    operations: list[Operation] = field(default_factory=list)
    problems: dict[int, list[tuple[str, str]]] = field(default_factory=dict)  # field and reason, by row
    raw: Counter[str] = field(default_factory=Counter)
    hashed: Counter[str] = field(default_factory=Counter)


def pack(
    cells: Mapping[str, Sequence[Any]],
    heads: Sequence[Head] | Head,
    packing: Packing,
    wrong: Mapping[int, list[tuple[str, str]]] = {},
) -> Packed:
    """Pack rows that come as columns of cells; one head for all, or one for each row.

    Rows that are `wrong` already, and those found wrong here, are left out.
    """
    made = Packed(problems={row: list(problems) for row, problems in wrong.items()})
    known = keys(packing.region)
    members = []
    for name, values in cells.items():
        found = column(known[name], values, hashing=packing.purpose is not Purpose.CHECK)
        members.append(found.members)
        made.raw[name] += found.raw
        made.hashed[name] += found.hashed
        for row, reasons in found.problems.items():
            made.problems.setdefault(row, []).extend((name, reason) for reason in reasons)
    users = _users(members)
    if "{}" in users:
        for row, user in enumerate(users):
            if user == "{}" and row not in made.problems:
                made.problems[row] = [("", f"has no identifier: {', '.join(known)}")]
    if made.problems or not isinstance(heads, Head):
        rows = [row for row in range(len(users)) if row not in made.problems]
        of = (lambda row: heads) if isinstance(heads, Head) else heads.__getitem__
        for head, group in groupby(rows, of):
            some = list(group)
            made.operations += _operations(head, [users[row] for row in some], some, packing)
    else:
        made.operations += _operations(heads, users, range(len(users)), packing)
    return made


def _users(members: list[list[str]]) -> list[str]:
    """Join the members of each row."""
    if len(members) == 1:
        return [f"{{{member}}}" for member in members[0]]
    return [f"{{{','.join(filter(None, row))}}}" for row in zip(*members, strict=True)]


def _operations(
    head: Head, users: Sequence[str], rows: Sequence[int], packing: Packing
) -> Iterator[Operation]:
    """Fill operation after operation; a user that is too large for one is alone in it."""
    start, purpose = head.start, packing.purpose
    frame = len(start) + len(END) - 1  # each user counts with a comma, and the last has none
    ends = _ends(users)
    begin = 0
    while begin < len(users):
        end = max(bisect_right(ends, ends[begin] + FULL - frame, begin) - 1, begin + 1)
        if packing.most_users:
            end = min(end, begin + packing.most_users)
        body, size = b"", frame + ends[end] - ends[begin]
        if purpose is not Purpose.CHECK:
            body = f"{start}{','.join(users[begin:end])}{END}".encode()
            size = len(body)
        yield Operation(body if purpose is Purpose.SEND else b"", size, rows[begin:end])
        begin = end


def _ends(users: Sequence[str]) -> Sequence[int]:
    """Say where each user ends, and its comma; most are as long as all others."""
    longest = len(max(users, key=len, default=""))
    if longest == len(min(users, key=len, default="")):
        return range(0, (longest + 1) * len(users) + 1, longest + 1)
    return list(accumulate((len(user) + 1 for user in users), initial=0))


def batches(operations: Iterable[Operation]) -> Iterator[list[Operation]]:
    """Cut operations into the batches of requests; each meets both limits."""
    waiting: list[Operation] = []
    size = 1  # of the body: a bracket, then each operation and a comma or the other bracket
    for operation in operations:
        if waiting and (size + operation.size + 1 > MOST_BYTES or len(waiting) == MOST_OPERATIONS):
            yield waiting
            waiting, size = [], 1
        waiting.append(operation)
        size += operation.size + 1
    if waiting:
        yield waiting


def body_of(operations: Iterable[Operation]) -> bytes:
    """Write the body of a request."""
    return b"[" + b",".join(operation.body for operation in operations) + b"]"
