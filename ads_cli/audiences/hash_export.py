"""Write a customer list with every identifier hashed, as a table that can be pushed from anywhere."""

from typing import IO

import msgspec

from ..output.records import csv_rows
from .lists_plan import ListsPlan
from .operation_params import PARAMS_FIELDS
from .operations import body_pieces
from .plan import UserPlan


def write_hashed(plan: UserPlan | ListsPlan, stream: IO[str]) -> None:
    """Write the users of a validated list; several values of a cell are joined by semicolons."""
    columns = [*plan.report.identifiers]
    params_columns = PARAMS_FIELDS if plan.has_params_columns else ()
    write = csv_rows(stream, ",")
    write([*columns, *params_columns])
    for batch in plan.batches():
        for operation in msgspec.json.decode(b"".join(body_pieces(batch.items))):
            values = {PARAMS_FIELDS[0]: operation[PARAMS_FIELDS[0]], **operation["params"]}
            params = [values.get(name, "") for name in params_columns]
            for user in values["users"]:
                write([*(";".join(user.get(name, ())) for name in columns), *params])
