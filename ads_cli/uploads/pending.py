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
    first: int = 0,
) -> Batches:
    """Yield the batches that are not acknowledged, of a plan that cuts the same ones each time.

    The batches before `first` are of files that were sent as a whole.
    """
    earlier = {number: ack for number, ack in journal.acknowledged.items() if number >= first}
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
