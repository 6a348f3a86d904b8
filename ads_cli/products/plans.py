"""The plans of product pushes and deletes."""

from collections.abc import Iterator

from ..api.products import BATCH_SIZE
from ..feeds.rows import Rows
from ..uploads.row_plan import RowPlan
from ..uploads.upload import Upload
from ..validation.validator import Validator
from .delete_by_id import DeleteById
from .schema import ID_SCHEMA, KEY_SCHEMA, PRODUCT_SCHEMA
from .selection import ChangedRows
from .sync_state import KIND, SyncState
from .sync_update import CommitAtEnd, ForgetKeys
from .upload import delete_upload, push_upload


def push_plan(
    rows: Rows, catalog: str, sync_state: SyncState, selection: ChangedRows | None, *, strict: bool = False
) -> RowPlan:
    """Plan a push of the rows that a selection takes; None sends all, and remembers none."""
    sends_all = not (selection and selection.only_changed)
    return RowPlan(
        noun="products",
        validator=Validator(rows, PRODUCT_SCHEMA, selection, strict=strict, for_sending=sends_all),
        upload=push_upload(catalog, note_keys=selection is not None),
        kind=KIND,
        target=catalog,
        operation="push",
        batch_size=BATCH_SIZE,
        bookkeeper=CommitAtEnd(sync_state, selection, BATCH_SIZE) if selection else None,
    )


def check_plan(rows: Rows, selection: ChangedRows | None = None, *, strict: bool = False) -> RowPlan:
    """Plan to validate products, and to send nothing."""
    validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict)
    return RowPlan("products", validator, push_upload("-"), KIND, "-", "push", BATCH_SIZE)


def delete_plan(rows: Rows, catalog: str, sync_state: SyncState) -> RowPlan:
    """Plan a delete of the products whose keys are in a file."""
    validator = Validator(rows, KEY_SCHEMA)

    def keys() -> Iterator[str]:
        return (getattr(each.item, KEY_SCHEMA.id_field) for each in validator.checked_rows() if each.item)

    forget = ForgetKeys(sync_state, keys)
    return _delete_plan(validator, catalog, delete_upload(catalog), "delete", forget)


def delete_by_id_plan(rows: Rows, catalog: str, sync_state: SyncState) -> tuple[RowPlan, dict[str, str]]:
    """Plan a delete of the products whose ids are in a file; return their keys too, to be looked up."""
    upload = DeleteById(delete_upload(catalog))
    forget = ForgetKeys(sync_state, upload.keys.values)
    plan = _delete_plan(Validator(rows, ID_SCHEMA), catalog, upload, "delete by id", forget)
    return plan, upload.keys


def _delete_plan(
    validator: Validator, catalog: str, upload: Upload, operation: str, bookkeeper: ForgetKeys
) -> RowPlan:
    return RowPlan(
        noun="products",
        validator=validator,
        upload=upload,
        kind=KIND,
        target=catalog,
        operation=operation,
        batch_size=BATCH_SIZE,
        bookkeeper=bookkeeper,
    )
