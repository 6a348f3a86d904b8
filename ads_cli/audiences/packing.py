"""Users packed into operations, so that as many as possible go in a request."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple

from ..api.users import MOST_BYTES, MOST_OPERATIONS
from .columns import Column, column
from .identifiers import keys
from .operations import Operations

# The size at which an operation is closed: 2,500 of them, with commas and brackets, fill a body.
FULL = (MOST_BYTES - 2) // MOST_OPERATIONS - 1
END = "]}}"


class Purpose(Enum):
    """What packing is for: hashes cost most, and only what is sent has to be kept."""

    CHECK = "check"  # the sizes alone, with nothing hashed
    REHEARSE = "rehearse"  # everything, and nothing is kept
    SEND = "send"


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

    operations: list[Operations] = field(default_factory=list)
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
    columns = []
    for name, values in cells.items():
        found = column(known[name], values, hashing=packing.purpose is not Purpose.CHECK)
        columns.append(found)
        made.raw[name] += found.raw
        made.hashed[name] += found.hashed
        for row, reasons in found.problems.items():
            made.problems.setdefault(row, []).extend((name, reason) for reason in reasons)
    users = _users(columns)
    if "" in users.texts:
        for row, text in enumerate(users.texts):
            if not text and row not in made.problems:
                made.problems[row] = [("", f"has no identifier: {', '.join(known)}")]
    if made.problems or not isinstance(heads, Head):
        rows = [row for row in range(len(users.texts)) if row not in made.problems]
        of = (lambda row: heads) if isinstance(heads, Head) else heads.__getitem__
        for head, group in groupby(rows, of):
            some = list(group)
            texts = [users.texts[row] for row in some]
            made.operations.append(_operations(head, users._replace(texts=texts), some, packing))
    else:
        made.operations.append(_operations(heads, users, range(len(users.texts)), packing))
    return made


class Users(NamedTuple):
    """Users as JSON: a text for each, with what goes before and after it; "" where there is nobody."""

    texts: list[str]
    before: str
    after: str
    size: int | None = None  # of every text, where they are alike

    def joined(self, begin: int, end: int) -> str:
        """Write some users, with commas between them."""
        between = f"{self.after},{self.before}"
        return f"{self.before}{between.join(self.texts[begin:end])}{self.after}"

    def ends(self) -> Sequence[int]:
        """Say where each user ends, and its comma."""
        more = len(self.before) + len(self.after) + 1
        if self.size:
            return range(0, (self.size + more) * len(self.texts) + 1, self.size + more)
        return list(accumulate((len(text) + more for text in self.texts), initial=0))

    def stops(self, ends: Sequence[int], room: int, most: int) -> Iterator[int]:
        """Say where operations end that have room for so many bytes, or for `most` users."""
        end, users = 0, len(self.texts)
        if self.size and users:
            each = max(1, min(room // ends[1], most))
            yield from range(each, users, each)
            yield users
            return
        while end < users:
            begin, end = end, bisect_right(ends, ends[end] + room, end) - 1
            end = min(max(end, begin + 1), begin + most)
            yield end


def _users(columns: list[Column]) -> Users:
    """Put the members of each row together."""
    if len(columns) == 1:
        only = columns[0]
        return Users(only.texts, f"{{{only.before}", f"{only.after}}}", only.size)
    rows = zip(*(column.members for column in columns), strict=True)
    return Users([",".join(filter(None, row)) for row in rows], "{", "}")


def _operations(head: Head, users: Users, rows: Sequence[int], packing: Packing) -> Operations:
    """Fill operation after operation; a user that is too large for one is alone in it."""
    start = head.start
    frame = len(start) + len(END) - 1  # each user counts with a comma, and the last has none
    ends = users.ends()
    stops = array("q", users.stops(ends, FULL - frame, packing.most_users or len(rows)))
    closed = array("q", (frame + ends[stop] + number * (frame + 1) for number, stop in enumerate(stops)))
    body = b""
    if packing.purpose is not Purpose.CHECK:
        joined = (users.joined(begin, end) for begin, end in pairwise([0, *stops]))
        body = ",".join([f"{start}{some}{END}" for some in joined]).encode()
    return Operations(body if packing.purpose is Purpose.SEND else b"", closed, stops, rows)
