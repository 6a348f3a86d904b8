"""A list of people with every identifier hashed, as a table that can be pushed from anywhere."""

from typing import IO

import msgspec

from ...output.records import csv_rows
from .check import UserCheck
from .heads import FIELDS


def write_hashed(check: UserCheck, stream: IO[str]) -> None:
    """Write the users of a checked file; several values of a cell are joined by semicolons."""
    columns = [*check.counts]
    write = csv_rows(stream, ",")
    rows = list(FIELDS)
    write([*columns, *rows])
    for batch in range(check.batch_count):
        for operation in check.spool.read(batch):
            said = msgspec.json.decode(operation.body)
            head = [said["operation_type"], *(said["params"].get(name, "") for name in FIELDS[1:])]
            for user in said["params"]["users"]:
                write([*(";".join(user.get(name, ())) for name in columns), *head])
