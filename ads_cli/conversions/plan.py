"""The plan of a file of conversions."""

import re
from typing import TYPE_CHECKING, Any

from ..api.conversions import MAX_CONVERSIONS, SendConversions
from ..batches.plan import BatchPlan
from ..batches.upload import BatchUpload, Uncertain, Wire, not_understood
from ..feeds.rows import Rows
from ..uploads.operation_errors import Errors
from .reader import ConversionReader

if TYPE_CHECKING:
    from ..client.response import Response

ITEM = re.compile(r"conversions\[(\d+)\]")  # in the parameter of an error


def conversion_plan(
    rows: Rows, reader: ConversionReader, pixel: str, uncertain: Uncertain | None
) -> BatchPlan:
    """Plan to send the conversions of a file to a pixel."""
    request = SendConversions(pixel_id=pixel, conversions=[])
    upload = BatchUpload(request, "send", "conversions", CONVERSIONS, uncertain)
    return BatchPlan(rows, reader, upload, MAX_CONVERSIONS, pixel)


def errors_in(body: Any, count: int) -> Errors:
    """Return the errors that name a conversion, by its number; where one names none, the whole is wrong."""
    found: Errors = {}
    errors = body.get("errors") if isinstance(body, dict) else None
    for error in errors if isinstance(errors, list) else ():
        named = (
            ITEM.search(str(error.get("parameter") or error.get("message")))
            if isinstance(error, dict)
            else None
        )
        if named is None or int(named[1]) >= count:
            return {}
        found.setdefault(int(named[1]), []).append(error)
    return dict(sorted(found.items()))


def no_records(response: "Response", count: int) -> list[Any]:
    """Return no records, but raise UnavailableError where not every conversion was processed."""
    data = response.data
    processed = data.get("conversions_processed") if isinstance(data, dict) else None
    if processed != count:
        raise not_understood(
            f"{count:,} conversions were sent, and it has conversions_processed {processed!r}"
        )
    return []


CONVERSIONS = Wire(b'{"conversions":[', b"]}", errors_in, no_records)
