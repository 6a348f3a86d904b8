"""How long after an ad something counts as its effect."""

from typing import Annotated, Literal

from msgspec import Meta

from .conditions import at_most

ClickDays = Annotated[Literal[1, 7, 14, 30], Meta(description="Days after a click")]
ViewDays = Annotated[Literal[0, 1, 7, 14, 30], Meta(description="Days after a view")]
ViewWindow = Annotated[ViewDays, Meta(extra={"default": 1})]

within_click_window = at_most("view_through_window", "click_window")
