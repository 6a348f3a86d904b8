"""Rules of a line item that depend on stored data."""

from typing import Any

from ...api.line_items import UpdateLineItem
from ...api.validation import convert, rule
from ..storage.store import Record

WITH_TARGET = ("REACH", "WEBSITE_CLICKS")  # objectives that allow bid_strategy TARGET
WITHOUT_MAX = ("REACH", "FOLLOWERS")  # objectives that do not allow bid_strategy MAX
WITH_FREQUENCY_CAP = ("REACH", "ENGAGEMENTS", "VIDEO_VIEWS", "PREROLL_VIEWS")
WITH_APP = ("APP_INSTALLS", "APP_ENGAGEMENTS")
MAX_BUSINESS_CATEGORIES = 2


def check(after: Record, *, before: Record, campaign: Record, businesses: list[Record]) -> None:
    """Validate a line item as it would be after a change; raise InvalidError with all broken rules.

    The rules of the request apply to the stored fields too: a new daily budget is compared with the
    stored total budget.
    """
    context = {"account_id": "-", "line_item_id": after["id"]}
    context |= {"before": before, "campaign": campaign, "businesses": businesses}
    convert(LineItem, {name: (after | context).get(name) for name in LineItem.__struct_fields__})


class LineItem(UpdateLineItem, kw_only=True):
    """A line item after a change, with the data that its rules need."""

    objective: str
    placements: list[str]
    before: dict[str, Any]
    campaign: dict[str, Any]
    businesses: list[dict[str, Any]]

    @rule("bid_strategy")
    def bid_strategy_fits_objective(self) -> str | None:
        """Allow MAX and TARGET only for some objectives."""
        if self.bid_strategy == "MAX" and self.objective in WITHOUT_MAX:
            return f"MAX is not allowed for objective {self.objective}"
        if self.bid_strategy == "TARGET" and self.objective not in WITH_TARGET:
            return f"TARGET is allowed for objectives {' and '.join(WITH_TARGET)}, not for {self.objective}"
        return None

    @rule("pay_by")
    def only_app_installs_change_pay_by(self) -> str | None:
        """Allow a change of pay_by only for APP_INSTALLS."""
        if self.pay_by == self.before["pay_by"] or self.objective == "APP_INSTALLS":
            return None
        return f"can be changed for objective APP_INSTALLS, not for {self.objective}"

    @rule("daily_budget_amount_local_micro")
    def daily_budget_fits_campaign(self) -> str | None:
        """Allow a daily budget only if the campaign optimizes budgets by line item."""
        optimization = self.campaign["budget_optimization"]
        if self.daily_budget_amount_local_micro is None or optimization == "LINE_ITEM":
            return None
        return (
            "is allowed in campaigns with budget_optimization LINE_ITEM; "
            f"{self.campaign['id']} has {optimization}"
        )

    @rule("frequency_cap")
    def frequency_cap_fits_objective(self) -> str | None:
        """Allow frequency caps only for some objectives."""
        if self.frequency_cap is None or self.objective in WITH_FREQUENCY_CAP:
            return None
        return f"is allowed for objectives {', '.join(WITH_FREQUENCY_CAP)}, not for {self.objective}"

    @rule("advertiser_domain")
    def publisher_network_needs_domain(self) -> str | None:
        """Require the advertiser's domain for the publisher network."""
        return None if self.advertiser_domain else self._required_by_publisher_network()

    @rule("categories")
    def publisher_network_and_prerolls_need_categories(self) -> str | None:
        """Require categories for the publisher network and for PREROLL_VIEWS."""
        if self.categories:
            return None
        if self.objective == "PREROLL_VIEWS":
            return "is required for objective PREROLL_VIEWS"
        return self._required_by_publisher_network()

    def _required_by_publisher_network(self) -> str | None:
        is_on_network = "PUBLISHER_NETWORK" in self.placements
        return "is required for placement PUBLISHER_NETWORK" if is_on_network else None

    @rule("categories")
    def preroll_categories_are_of_few_businesses(self) -> str | None:
        """Require for PREROLL_VIEWS the codes of one or two business categories."""
        if self.objective != "PREROLL_VIEWS" or not self.categories:
            return None
        business_of = {code: each["id"] for each in self.businesses for code in each["iab_categories"]}
        if unknown := [code for code in self.categories if code not in business_of]:
            return f"{', '.join(unknown)}: no business category has this code"
        count = len({business_of[code] for code in self.categories})
        if count <= MAX_BUSINESS_CATEGORIES:
            return None
        return f"has codes of {count} business categories, at most {MAX_BUSINESS_CATEGORIES} are allowed"

    @rule("ios_app_store_identifier")
    def app_objectives_need_app(self) -> str | None:
        """Require an app store identifier for objectives that advertise an app."""
        has_app = self.ios_app_store_identifier or self.android_app_store_identifier
        if self.objective not in WITH_APP or has_app:
            return None
        return f"is required for objective {self.objective}, unless android_app_store_identifier is given"
