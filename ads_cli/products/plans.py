"""The plans of product pushes and deletes: the rows they read, and the batches they send."""

from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace

from ..api.products import BATCH_SIZE
from ..feeds.rows import Rows
from ..runs.job import JobKey, UploadOptions, options_of_rows
from ..runs.plan import Memory, Plan, this_second
from ..runs.upload import Batch, Batches, Upload
from ..store.epochs import UploadTarget
from ..validation import EncodedRows
from ..validation.validator import Validator
from .normal_form import ID_SCHEMA, KEY_SCHEMA, PRODUCT_SCHEMA
from .selection import ChangedRows, CommitAtEnd
from .sync_state import KIND, SyncState
from .uploads import DeleteUpload, PushUpload


@dataclass
class ProductPlan(Plan):
    """Send the due rows of a validated file."""

    noun = "products"

    file: Validator
    upload: Upload
    catalog: str
    operation: str  # that identifies the job: "push", "delete" or "delete by id"
    memory: Memory | None = None  # the sync state, if there is one
    selection: ChangedRows | None = None  # that of the validator
    started: datetime = field(default_factory=this_second)

    def __post_init__(self) -> None:
        if self.selection:
            self.expected_epoch = self.selection.expected_epoch

    @property
    def due(self) -> int:
        """Count the rows to be sent."""
        return self.selection.due if self.selection else self.file.report.valid

    @property
    def batch_count(self) -> int:
        """Count the batches."""
        return -(-self.due // BATCH_SIZE)

    def batches(self) -> Batches:
        """Read the file again and cut the rows to be sent into batches."""
        number, rest = 0, EncodedRows()
        for encoded in self.file.encoded_rows():
            rest.extend(encoded)
            whole = len(rest) - len(rest) % BATCH_SIZE
            for begin in range(0, whole, BATCH_SIZE):
                part = rest.slice(begin, begin + BATCH_SIZE)
                yield Batch(number, part, part.places)
                number += 1
            rest = rest.slice(whole, len(rest))
        if rest.ids:
            yield Batch(number, rest, rest.places)

    def target(self, service: str) -> UploadTarget:
        """Return what is changed."""
        return UploadTarget(service, KIND, self.catalog)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        digest = self.selection.digest if self.selection else ""
        return product_key(self.target(service), self.operation, self.file, skip_invalid, selection=digest)

    def totals(self) -> dict[str, int]:
        """Return how many rows the selection skips, where there is one."""
        return self.selection.totals() if self.selection else {}


def product_key(
    target: UploadTarget,
    operation: str,
    file: Validator,
    skip_invalid: bool,
    *,
    selection: str = "",
    options: UploadOptions | None = None,
) -> JobKey:
    """Return what identifies a job that sends the products of a file."""
    strict: UploadOptions = {"strict": True} if skip_invalid and file.strict else {}
    reading = options_of_rows(file.rows, skip_invalid=skip_invalid)
    how = replace(reading, selection=selection, upload=strict | (options or {}))
    return JobKey(target, operation, file.rows.source.digest, how)


def push_plan(
    rows: Rows, catalog: str, sync_state: SyncState, selection: ChangedRows | None, *, strict: bool = False
) -> ProductPlan:
    """Plan a push of the selected rows. Without a selection all are sent, and none is remembered."""
    validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict, for_sending=True)
    upload = PushUpload(catalog, notes_keys=selection is not None)
    memory = CommitAtEnd(sync_state, selection) if selection else None
    return ProductPlan(validator, upload, catalog, "push", memory, selection)


def delete_plan(rows: Rows, catalog: str, keys: dict[str, str] | None) -> ProductPlan:
    """Plan a delete of the products whose keys are in a file, or whose ids are, with their keys by id."""
    if keys is None:
        return ProductPlan(Validator(rows, KEY_SCHEMA), DeleteUpload(catalog), catalog, "delete")
    upload = DeleteUpload(catalog, keys.get)
    return ProductPlan(Validator(rows, ID_SCHEMA), upload, catalog, "delete by id")
