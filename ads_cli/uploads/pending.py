"""The batches of a plan that no earlier run of its job has sent."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .batch import Acknowledgement, Batch, Batches
from .upload import Upload

if TYPE_CHECKING:
    from .journal import Journal

OnAcknowledged = Callable[[Batch, Acknowledgement], None]  # called with what an earlier run has sent


def pending_batches(
    batches: Iterable[Batch],
    upload: Upload,
    journal: "Journal",
    on_acknowledged: OnAcknowledged,
    numbers: range | None = None,
) -> Batches:
    """Yield the batches that are not acknowledged, of a plan that cuts the same ones each time.

    `numbers` are those of the batches, where others of the job are of other files.
    """
    known = journal.acknowledged
    earlier = dict(known) if numbers is None else {n: known[n] for n in numbers if n in known}
    for batch in batches:
        ack = earlier.pop(batch.number, None)
        if ack and ack.digest == upload.digest(batch):
            on_acknowledged(batch, ack)
            continue
        if ack:  # another version of adsctl sent something else
            journal.discard(ack)
        yield batch
    for ack in earlier.values():
        journal.discard(ack)
