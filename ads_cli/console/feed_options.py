"""The options that convert a product feed, shared by every command that reads one."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..feeds.rows import Rows
from ..validation.schema import RowSchema
from .bulk_options import FeedOptions
from .invocation import Invocation

if TYPE_CHECKING:
    from ..feeds.conversion.conversion import Conversion
    from ..feeds.conversion.step import Step


class ProductFeedOptions(FeedOptions, frozen=True):
    """How a product feed is read and converted; the fields are in the order of the steps."""

    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=SEP", help="Split a list: its first image stays, the others become additional ones"
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="Take only these rows; also != > < >= <=, ~ for a regex"),
    ] = None
    set: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=TEMPLATE", help="Fill a field, as in 'title={Brand} {Name}'"),
    ] = None
    default: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=TEMPLATE", help="Fill a field where it is empty"),
    ] = None
    currency: Annotated[
        str | None, typer.Option(metavar="CODE", help="Currency of prices that have none, as in EUR")
    ] = None
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Complete relative addresses of links and images")
    ] = None
    keep: Annotated[
        Literal["first", "last"] | None, typer.Option(help="Take one of several rows with the same id")
    ] = None

    def open(self, call: Invocation, file: str, schema: RowSchema) -> Rows:
        """Open a feed for a schema, with the steps that convert its rows; raise UsageError."""
        conversion = self.conversion(schema)
        rows = super().open(call, file, schema)
        rows.conversion = conversion
        return rows

    def conversion(self, schema: RowSchema) -> "Conversion | None":
        """Return the steps that convert rows; None where there is nothing to do."""
        from ..feeds.conversion.conversion import Conversion
        from ..feeds.conversion.fields import DefaultField, SetField
        from ..feeds.conversion.parsing import parse_base_url, parse_currency, parse_field, parse_split
        from ..feeds.conversion.where import Where

        steps: list[Step] = [
            *map(parse_split, self.split or []),
            *map(Where.parse, self.where or []),
            *(parse_field(SetField, text, schema.known) for text in self.set or []),
            *(parse_field(DefaultField, text, schema.known) for text in self.default or []),
            *([parse_currency(self.currency)] if self.currency is not None else []),
            *([parse_base_url(self.base_url)] if self.base_url is not None else []),
        ]
        return Conversion(steps, self.keep) if steps or self.keep else None
