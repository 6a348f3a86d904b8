"""The options of commands that compare a product feed with its catalog."""

from typing import TYPE_CHECKING, Annotated

import typer

from .feed_options import ProductFeedOptions

if TYPE_CHECKING:
    from ..feeds.conversion.step import Step
    from ..feeds.kinds.opening import OpenedFeed
    from ..products.sync.comparison import CompareOptions
    from ..products.sync.scope import Scope
    from ..validation.schema import RowSchema


class ComparedFeedOptions(ProductFeedOptions, frozen=True):
    """How a feed is read, and with what part of its catalog it is compared."""

    prune: Annotated[bool, typer.Option("--prune", help="Delete products whose ids are not in the feed")] = (
        False
    )
    scope: Annotated[
        str | None,
        typer.Option(metavar="FIELD=VALUE", help="Compare only products with this value; rows must have it"),
    ] = None
    verify: Annotated[
        bool, typer.Option("--verify", help="List hidden variants too, and rely on no acknowledgement")
    ] = False

    def compare_options(self, *, remembers: bool) -> "CompareOptions":
        """Return what is compared; raise UsageError."""
        from ..products.sync.comparison import CompareOptions

        return CompareOptions(self.prune, self.verify, self._scope, remembers)

    @property
    def _scope(self) -> "Scope | None":
        from ..products.sync.scope import Scope

        return Scope.parse(self.scope) if self.scope is not None else None

    def _steps(self, opened: "OpenedFeed", schema: "RowSchema") -> "list[Step]":
        """Return the steps that convert rows; the last one refuses rows outside of the scope."""
        scope = self._scope
        return [*super()._steps(opened, schema), *([scope] if scope else [])]
