"""The options of commands that read a list of people."""

from typing import TYPE_CHECKING, Annotated

from ...console.parameters import flag, option
from ...errors import UsageError
from ..uploads.options import FeedOptions, Recipe

if TYPE_CHECKING:
    from ...audiences.list_columns import ListColumns
    from ...audiences.multi_file_plan import ListFile
    from ...audiences.upload import UserUpload
    from ...feeds.locations import Location, RemoteAccess
    from ...feeds.rows import FileRows


class ListOptions(FeedOptions, frozen=True):
    """How a list of people is read."""

    recipe: Recipe = None
    ignore: Annotated[list[str] | None, option("COLUMN", "Leave a column out, without a word about it")] = (
        None
    )
    where: Annotated[
        list[str] | None, option("COLUMN=VALUE", "Take only these people; also != > < >= <=, ~ for a regex")
    ] = None
    allow_empty: Annotated[bool, flag("End with 0 where --where leaves out everybody")] = False
    region: Annotated[str | None, option("REGION", "Country of national phone numbers, as in DE")] = None
    region_column: Annotated[
        str | None, option("COLUMN", "Column of countries, for national numbers, before --region")
    ] = None
    keep_partial: Annotated[bool, flag("Keep people for their valid identifiers where one is invalid")] = (
        False
    )

    def list_columns(self, upload: "UserUpload") -> "ListColumns":
        """Return what columns of lists are, by the options; raise UsageError."""
        from ...audiences.list_columns import ColumnOptions, ListColumns
        from ...feeds.transforms import Where

        mapping = self.mapping(upload.known)
        ignored = frozenset(map(str.strip, self.ignore or ()))
        for column in sorted(ignored & {*mapping, self.region_column}):
            raise UsageError(f"--ignore: {column!r} is named by another option too")
        conditions = [*map(Where.parse, self.where or ())]
        options = ColumnOptions(mapping, ignored, self.region_column, conditions)
        return ListColumns(options, upload.known, upload.identifiers)

    def open_list(self, location: "Location", columns: "ListColumns") -> "FileRows":
        """Open a list; raise AdsctlError."""
        from ...audiences.headers import KnownHeaders
        from ...feeds.reader import open_location, read_rows

        source = open_location(location, self.format, self.encoding, options=self.read_options)
        # The service's own documents are read too.
        known = KnownHeaders({*columns.options.mapping, "params", "users"})
        return read_rows(source, roots=("users", "operations"), known=known)

    def peek(self, file: str, columns: "ListColumns", access: "RemoteAccess") -> "ListFile":
        """Find the columns of one of several lists; raise AdsctlError where they do not do."""
        from ...audiences.multi_file_plan import ListFile
        from ...feeds.locations import parse_location
        from ...feeds.reader import peek_columns

        location = parse_location(file, lambda: access)
        peeked = peek_columns(location, lambda opened: self.open_list(opened, columns), columns.check_header)
        return ListFile(file, location, peeked)

    @property
    def checked_region(self) -> str | None:
        """Return --region; raise UsageError where it is not a country."""
        return checked_region(self.region)


def checked_region(region: str | None) -> str | None:
    """Return --region as its code; raise UsageError where it is not a country."""
    if not region:
        return None
    from phonenumbers import SUPPORTED_REGIONS

    code = region.upper()
    if code not in SUPPORTED_REGIONS:
        raise UsageError(f"--region: {code} is not a country code", hint="two letters, as in DE")
    return code
