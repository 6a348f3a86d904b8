"""The plans of product pushes and deletes."""

from ..api.products import BATCH_SIZE
from ..feeds.rows import Rows
from ..uploads.row_plan import RowPlan
from ..validation.validator import Validator
from .schema import KEY_SCHEMA, PRODUCT_SCHEMA
from .selection import ChangedRows
from .sync_state import KIND, SyncState
from .sync_update import CommitAtEnd, ForgetKeys
from .upload import delete_upload, push_upload


def push_plan(rows: Rows, catalog: str, sync_state: SyncState, selection: ChangedRows | None) -> RowPlan:
    """Plan a push of the rows that a selection takes; None sends all, and remembers none."""
    return RowPlan(
        noun="products",
        validator=Validator(rows, PRODUCT_SCHEMA, selection),
        upload=push_upload(catalog, note_keys=selection is not None),
        kind=KIND,
        target=catalog,
        operation="push",
        batch_size=BATCH_SIZE,
        bookkeeper=CommitAtEnd(sync_state, selection, BATCH_SIZE) if selection else None,
    )


def check_plan(rows: Rows) -> RowPlan:
    """Plan to validate products, and to send nothing."""
    return RowPlan(
        "products", Validator(rows, PRODUCT_SCHEMA), push_upload("-"), KIND, "-", "push", BATCH_SIZE
    )


def delete_plan(rows: Rows, catalog: str, sync_state: SyncState) -> RowPlan:
    """Plan a delete of the products whose keys are in a file."""
    validator = Validator(rows, KEY_SCHEMA)
    return RowPlan(
        noun="products",
        validator=validator,
        upload=delete_upload(catalog),
        kind=KIND,
        target=catalog,
        operation="delete",
        batch_size=BATCH_SIZE,
        bookkeeper=ForgetKeys(sync_state, validator.checked_rows),
    )
