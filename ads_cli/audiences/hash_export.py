"""A list of people with every identifier hashed, as a table that can be pushed from anywhere."""

from typing import IO

import msgspec

from ..output.records import csv_rows
from .operation_params import FIELDS
from .operations import body_of
from .validator import UserValidator


def write_hashed(check: UserValidator, stream: IO[str]) -> None:
    """Write the users of a checked file; several values of a cell are joined by semicolons."""
    columns = [*check.counts]
    heads = FIELDS if check.mixes_heads else ()
    write = csv_rows(stream, ",")
    write([*columns, *heads])
    for batch in check.batches():
        for said in msgspec.json.decode(b"".join(body_of(batch.items))):
            values = {FIELDS[0]: said[FIELDS[0]], **said["params"]}
            head = [values.get(name, "") for name in heads]
            for user in values["users"]:
                write([*(";".join(user.get(name, ())) for name in columns), *head])
