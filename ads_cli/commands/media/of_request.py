"""The files that the command of a request takes in place of media keys."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...api.endpoint import Request
from ...console.invocation import Invocation
from ...media.references import MediaReferences

if TYPE_CHECKING:
    from .references import MediaOfRecords


class MediaOfRequest:
    """What is done with the files of a request, or with those of the records of a document."""

    def __init__(self, call: Invocation, kind: type[Request]) -> None:
        self._call, self.references = call, MediaReferences(kind)

    def upload(self, request: Request) -> None:
        """Upload the files, and put their media keys into the request."""
        if self.references:
            from .references import upload_references

            upload_references(self._call, request, self.references)

    def of_records(
        self, for_components: Sequence[str], document: str, *, is_of_table: bool
    ) -> "MediaOfRecords":
        """Return the files that the records of a document name."""
        from .references import MediaOfRecords

        return MediaOfRecords(self._call, self.references, for_components, document, is_of_table=is_of_table)
