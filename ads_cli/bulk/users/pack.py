"""Users packed into operations, as many to each as make the limits of a request meet."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from .columns import column
from .identifiers import keys

MOST_OPERATIONS = 2500  # in a request
MOST_BYTES = 5_000_000  # of a request's body
# The size at which an operation is closed: 2,500 of them, with commas and brackets, fill a body.
FULL = (MOST_BYTES - 2) // MOST_OPERATIONS - 1


class Operation(NamedTuple):
    """An operation as JSON, and the rows its users come from."""

    body: bytes
    rows: Sequence[int]  # counted from 0 in what was packed at once


class Head(NamedTuple):
    """What operations say beside their users."""

    operation_type: str
    effective_at: str = ""
    expires_at: str = ""

    @property
    def start(self) -> str:
        """Write an operation up to its users."""
        times = "".join(
            f'"{name}":"{value}",' for name, value in zip(self._fields[1:], self[1:], strict=True) if value
        )
        return f'{{"operation_type":"{self.operation_type}","params":{{{times}"users":['


END = "]}}"


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
    *,
    region: str | None = None,
    most_users: int | None = None,
    wrong: Mapping[int, list[tuple[str, str]]] = {},
) -> Packed:
    """Pack rows that come as columns of cells; one head for all, or one for each row.

    Rows that are `wrong` already, and those found wrong here, are left out.
    """
    made = Packed(problems={row: list(problems) for row, problems in wrong.items()})
    known = keys(region)
    members = []
    for name, values in cells.items():
        found = column(known[name], values)
        members.append(found.members)
        made.raw[name] += found.raw
        made.hashed[name] += found.hashed
        for row, reasons in found.problems.items():
            made.problems.setdefault(row, []).extend((name, reason) for reason in reasons)
    users = _users(members)
    for row, user in enumerate(users):
        if user == "{}" and row not in made.problems:
            made.problems[row] = [("", f"has no identifier: {', '.join(known)}")]
    if made.problems or not isinstance(heads, Head):
        rows = [row for row in range(len(users)) if row not in made.problems]
        of = (lambda row: heads) if isinstance(heads, Head) else heads.__getitem__
        for head, group in groupby(rows, of):
            made.operations += _operations(head, users, list(group), most_users)
    else:
        made.operations += _operations(heads, users, range(len(users)), most_users)
    return made


def _users(members: list[list[str]]) -> list[str]:
    """Join the members of each row."""
    if len(members) == 1:
        return [f"{{{member}}}" for member in members[0]]
    return [f"{{{','.join(filter(None, row))}}}" for row in zip(*members, strict=True)]


def _operations(
    head: Head, users: list[str], rows: Sequence[int], most_users: int | None
) -> Iterator[Operation]:
    """Fill operation after operation; a user that is too large for one is alone in it."""
    start = head.start
    room = FULL - len(start) - len(END) + 1  # each user counts with a comma
    encoded = users if len(rows) == len(users) else [users[row] for row in rows]
    ends = list(accumulate((len(user) + 1 for user in encoded), initial=0))
    begin = 0
    while begin < len(encoded):
        end = max(bisect_right(ends, ends[begin] + room, begin) - 1, begin + 1)
        if most_users:
            end = min(end, begin + most_users)
        body = f"{start}{','.join(encoded[begin:end])}{END}"
        yield Operation(body.encode(), rows[begin:end])
        begin = end
