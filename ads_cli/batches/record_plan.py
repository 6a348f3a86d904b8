"""The plan of records that a batch line takes."""

from ..api.batches import batch_request
from ..feeds.rows import Rows
from .plan import BatchPlan
from .records import RecordReader
from .upload import OPERATIONS, BatchUpload, Uncertain

ACTIONS = {"POST": "create", "PUT": "update", "DELETE": "delete"}


def record_plan(rows: Rows, reader: RecordReader, account: str, uncertain: Uncertain | None) -> BatchPlan:
    """Plan to send the records of a file to an account."""
    endpoint = reader.kind.endpoint
    assert endpoint.batch
    request = batch_request(reader.kind)(account_id=account)
    upload = BatchUpload(request, ACTIONS[endpoint.method], endpoint.batch.noun, OPERATIONS, uncertain)
    return BatchPlan(rows, reader, upload, endpoint.batch.size, account)
