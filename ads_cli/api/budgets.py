"""Budgets of campaigns and line items."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Request
from .types import Micro
from .validation import rule

MICRO_WORDS = "Millionths of the currency's unit"
Budget = Annotated[Micro, Meta(gt=0, description=MICRO_WORDS)]


class BudgetFields(Request):
    """A daily and a total budget."""

    total_budget_amount_local_micro: Annotated[Budget, Meta(extra={"limit": "total budget"})] | None = None
    daily_budget_amount_local_micro: Annotated[Budget, Meta(extra={"limit": "daily budget"})] | None = None

    @rule("daily_budget_amount_local_micro")
    def daily_within_total(self) -> str | None:
        """Limit the daily budget to the total budget."""
        day, total = self.daily_budget_amount_local_micro, self.total_budget_amount_local_micro
        if day is None or total is None or day <= total:
            return None
        return f"{day} is more than total_budget_amount_local_micro, {total}"
