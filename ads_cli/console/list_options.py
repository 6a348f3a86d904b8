"""The options of commands that read a list of people."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .bulk_options import FeedOptions

if TYPE_CHECKING:
    from ..audiences.list_columns import ListColumns
    from ..audiences.upload import UserUpload
    from ..feeds.rows import Rows
    from .invocation import Invocation


class ListOptions(FeedOptions, frozen=True):
    """How a list of people is read."""

    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="COLUMN", help="Leave a column out, without a word about it"),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="Take only these people; also != > < >= <=, ~ for a regex"),
    ] = None
    region: Annotated[
        str | None, typer.Option(metavar="REGION", help="Country of national phone numbers, as in DE")
    ] = None
    region_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of countries, for national numbers, before --region"),
    ] = None
    keep_partial: Annotated[
        bool,
        typer.Option("--keep-partial", help="Keep people for their valid identifiers where one is invalid"),
    ] = False

    def open_list(self, call: "Invocation", file: str, upload: "UserUpload") -> "tuple[Rows, ListColumns]":
        """Open a list for an upload; raise UsageError."""
        from ..audiences.headers import KnownHeaders
        from ..audiences.list_columns import ColumnOptions, ListColumns
        from ..feeds.conversion.where import Where

        mapping = self.mapping(upload.known)
        ignored = frozenset(map(str.strip, self.ignore or ()))
        for column in sorted(ignored & {*mapping, self.region_column}):
            raise UsageError(f"--ignore: {column!r} is named by another option too")
        known = KnownHeaders({*mapping, "params", "users"})  # the service's own documents are read too
        rows = self.open_rows(call, file, ("users", "operations"), known, {})
        conditions = [*map(Where.parse, self.where or ())]
        options = ColumnOptions(mapping, ignored, self.region_column, conditions)
        return rows, ListColumns(options, upload.known, upload.identifiers)

    @property
    def checked_region(self) -> str | None:
        """Return --region; raise UsageError where it is not a country."""
        if not self.region:
            return None
        from phonenumbers import SUPPORTED_REGIONS

        region = self.region.upper()
        if region not in SUPPORTED_REGIONS:
            raise UsageError(f"--region: {region} is not a country code", hint="two letters, as in DE")
        return region
