"""How large requests are, as they are packed for sending."""

from typing import NamedTuple

from ads_cli.api.products import BATCH_SIZE
from ads_cli.audiences.operations import OPERATION_TYPES, OperationParams, split_requests
from ads_cli.audiences.packing import PackingOptions, pack_rows

from .feeds import ALIKE, own_values

BLOCK_ROWS = 12_000  # of a list, packed at once: as many e-mail addresses as a block of a table holds


class PeopleFile(NamedTuple):
    """What the people of a file become."""

    requests: int
    users: int  # of a full request
    bytes: int


def people_file(people: int) -> PeopleFile:
    """Pack people with an e-mail address each, and count what would be sent."""
    params = OperationParams(OPERATION_TYPES["update"])
    options = PackingOptions(sends=False)
    blocks = (
        [f"user{n}@example.com" for n in range(begin, min(begin + BLOCK_ROWS, people))]
        for begin in range(0, people, BLOCK_ROWS)
    )
    packed = (
        operations
        for block in blocks
        for operations in pack_rows({"email": [block]}, params, options).operations
    )
    requests = [*split_requests(packed)]
    size = sum(operations.body_ends[-1] + 1 for request in requests for operations in request)
    users = max(sum(operations.row_ends[-1] for operations in request) for request in requests)
    return PeopleFile(len(requests), users, size + len(requests))


def product_batch_bytes() -> int:
    """Encode a batch of products, and measure it."""
    import msgspec

    return len(msgspec.json.encode({"products": [own_values(n) | ALIKE for n in range(BATCH_SIZE)]}))
