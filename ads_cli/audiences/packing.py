"""Pack users into operations, so that a request carries as many as possible."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple

from ..api.users import MAX_BODY_BYTES, MAX_OPERATIONS
from .columns import EncodedColumn, encode_columns
from .consent import CellAnswers
from .countries import find_region
from .identifiers import IDENTIFIERS, identifier_types
from .operations import OperationParams, Operations
from .sealing import RowDigests, row_digests

# 2,500 operations of this size, with commas and brackets, fill a body.
MAX_OPERATION_BYTES = (MAX_BODY_BYTES - 2) // MAX_OPERATIONS - 1
JSON_END = "]}}"
UNKNOWN_COUNTRY = (
    "has no country code, and the country of the row is not known: a code of ISO 3166, as in DE, or a name"
)


class PackingOptions(NamedTuple):
    """What decides which operations rows become.

    What changes the requests belongs into `ListSettings.job_options` too, by which a job is resumed.
    """

    region: str | None = None  # of national phone numbers
    users_per_operation: int | None = None  # None: as many as fit
    allow_clear_text: bool = False  # send e-mail addresses and phone numbers that are partner ids
    keep_partial: bool = False  # send people without those of their identifiers that are invalid
    # Hashing costs most: where nothing is sent or compared, only the sizes of members are right.
    sends: bool = True
    key: bytes | None = None  # of the digests that a ledger is compared by


ProblemsByRow = dict[int, list[tuple[str, str]]]  # field and reason


@dataclass
class PackedRows:
    """Operations, the problems of rows, and how many values were raw, hashed or placeholders."""

    operations: list[Operations] = field(default_factory=list)
    left_out: Collection[int] = ()  # rows that are neither validated nor sent
    problems: ProblemsByRow = field(default_factory=dict)  # of invalid rows
    partial: ProblemsByRow = field(default_factory=dict)  # of rows that are sent without what is invalid
    doubts: ProblemsByRow = field(default_factory=dict)  # of rows that are sent with it
    raw: Counter[str] = field(default_factory=Counter)
    hashed: Counter[str] = field(default_factory=Counter)
    placeholders: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)  # in columns of consent
    compared: RowDigests | None = None
    asked: dict[str, CellAnswers] = field(default_factory=dict)  # what undecided columns say; else empty


def pack_rows(
    cells: Mapping[str, Sequence[Sequence[Any]]],
    params: Sequence[OperationParams] | OperationParams,
    options: PackingOptions,
    problems: Mapping[int, list[tuple[str, str]]] = {},
    *,
    countries: Sequence[Any] | None = None,
    left_out: Collection[int] = (),
    identifiers: Sequence[str] = IDENTIFIERS,
) -> PackedRows:
    """Pack rows that come as columns of cells, one or more for each identifier.

    `params` are those of all rows, or of each. `countries` are those of national phone numbers, and precede
    the region of `options`. `identifiers` are those that the list takes. Three kinds of rows are not packed:
    those that have `problems` already, those that prove invalid here, and those that are `left_out`, whose
    cells are empty.
    """
    packed = PackedRows(left_out=left_out, problems={row: [*own] for row, own in problems.items()})
    columns = [
        _encode(name, columns_of_name, options, countries if name == "phone_number" else None)
        for name, columns_of_name in cells.items()
    ]
    users = _join_columns(columns)
    mistakes = _count(packed, columns)
    _find_invalid(packed, users, mistakes, identifiers, keep_partial=options.keep_partial)
    all_rows = range(len(users))
    is_whole = not packed.problems and not left_out
    valid: Sequence[int] = all_rows
    if not is_whole:
        valid = [row for row in all_rows if row not in packed.problems and row not in left_out]
    # After this, a row of `valid` has a user.
    if options.key:
        packed.compared = row_digests(options.key, columns, valid, {*problems, *mistakes})
    if is_whole and isinstance(params, OperationParams):
        packed.operations.append(fill_operations(params, users, all_rows, options))
        return packed
    params_of = (lambda row: params) if isinstance(params, OperationParams) else params.__getitem__
    for params_of_group, group in groupby(valid, params_of):
        rows = list(group)
        packed.operations.append(
            fill_operations(params_of_group, [users[row] for row in rows], rows, options)
        )
    return packed


def _count(packed: PackedRows, columns: Iterable[EncodedColumn]) -> ProblemsByRow:
    """Count the values of columns, take their doubts, and return their mistakes."""
    mistakes: ProblemsByRow = {}
    for column in columns:
        packed.raw[column.kind] += column.raw
        packed.hashed[column.kind] += column.hashed
        packed.placeholders[column.kind] += column.placeholders
        for row, doubt in column.doubts.items():
            packed.doubts.setdefault(row, []).append((column.kind, doubt))
        for row, reasons in column.problems.items():
            mistakes.setdefault(row, []).extend((column.kind, reason) for reason in reasons)
    return mistakes


def _find_invalid(
    packed: PackedRows,
    users: Sequence[str],
    mistakes: ProblemsByRow,
    identifiers: Sequence[str],
    *,
    keep_partial: bool,
) -> None:
    """Find the rows that are not sent: those without a user, and those whose mistakes are not left out."""
    for row, own in mistakes.items():
        if keep_partial and users[row] and row not in packed.problems:
            packed.partial[row] = own
        else:
            packed.problems.setdefault(row, []).extend(own)
    if "" in users:
        for row, user in enumerate(users):
            if not user and row not in packed.problems and row not in packed.left_out:
                packed.problems[row] = [("", f"has no identifier: {', '.join(identifiers)}")]


def _encode(
    name: str, columns: Sequence[Sequence[Any]], options: PackingOptions, countries: Sequence[Any] | None
) -> EncodedColumn:
    """Encode the columns of an identifier, phone numbers country by country."""
    hashing = options.sends or options.key is not None
    if countries is None:
        kinds = identifier_types(options.region, allow_clear_text=options.allow_clear_text)
        return encode_columns(kinds[name], columns, hashing=hashing)
    rows_by_country: dict[str | None, list[int]] = {}
    for row, country in enumerate(countries):
        rows_by_country.setdefault(find_region(str(country)), []).append(row)
    encoded = EncodedColumn(name, [""] * len(countries))
    for region, rows in rows_by_country.items():
        unknown = {"no_region": UNKNOWN_COUNTRY} if region is None else {}
        kind = identifier_types(options.region if region == "" else region, **unknown)[name]
        part = encode_columns(kind, [[cells[row] for row in rows] for cells in columns], hashing=hashing)
        encoded.add(part, rows)
    return encoded


def _join_columns(columns: list[EncodedColumn]) -> list[str]:
    """Return the JSON of the user of each row, "" where it has none. A character of it is a byte."""
    if len(columns) == 1:  # as most lists have
        start, end = f"{{{columns[0].prefix}", f"{columns[0].suffix}}}"
        return [f"{start}{text}{end}" if text else "" for text in columns[0].texts]
    rows = zip(*(column.members for column in columns), strict=True)
    return [f"{{{','.join(present)}}}" if (present := [*filter(None, row)]) else "" for row in rows]


def fill_operations(
    params: OperationParams, users: Sequence[str], rows: Sequence[int], options: PackingOptions
) -> Operations:
    """Fill operation after operation with the users of rows, of whom each has one.

    A user that is too large for an operation gets one of its own.
    """
    start = params.json_start
    frame = len(start) + len(JSON_END) - 1  # each user counts with a comma, and the last has none
    # Where each user begins, if all were joined with a comma each.
    offsets = [*accumulate((len(user) + 1 for user in users), initial=0)]
    max_users = options.users_per_operation or len(rows)
    row_ends = array("q", _split(offsets, MAX_OPERATION_BYTES - frame, max_users))
    # Where each operation ends in the body; all but the first have a comma before them.
    body_ends = array("q", (frame + offsets[end] + n * (frame + 1) for n, end in enumerate(row_ends)))
    body = b""
    if options.sends:
        joined = (",".join(users[begin:end]) for begin, end in pairwise([0, *row_ends]))
        body = ",".join([f"{start}{users_json}{JSON_END}" for users_json in joined]).encode("ascii")
    return Operations(body, body_ends, row_ends, rows)


def _split(offsets: Sequence[int], max_bytes: int, max_users: int) -> Iterator[int]:
    """Yield the number of users up to the end of each operation."""
    end = 0
    while end < len(offsets) - 1:
        begin, end = end, bisect_right(offsets, offsets[end] + max_bytes, end) - 1
        end = min(max(end, begin + 1), begin + max_users)
        yield end
