"""What a line item may become: the rules that need what is stored."""

from typing import Any

from ...api.line_items import UpdateLineItem
from ...api.validation import convert, rule
from ..core.store import Record

TARGETED = ("REACH", "WEBSITE_CLICKS")  # the objectives that take bid_strategy TARGET
WITHOUT_MAX = ("REACH", "FOLLOWERS")
CAPPED = ("REACH", "ENGAGEMENTS", "VIDEO_VIEWS", "PREROLL_VIEWS")  # those that take a frequency_cap
OF_APPS = ("APP_INSTALLS", "APP_ENGAGEMENTS")


def check(after: Record, *, before: Record, campaign: Record, businesses: list[Record]) -> None:
    """RowValidator a line item as a change would leave it; raise InvalidError with every rule that it breaks.

    The rules of the request hold for the whole line item too, so that a budget of a day is compared
    with the whole budget that is stored.
    """
    beside = {"account_id": "-", "line_item_id": after["id"]}
    beside |= {"before": before, "campaign": campaign, "businesses": businesses}
    convert(LineItem, {name: (after | beside).get(name) for name in LineItem.__struct_fields__})


class LineItem(UpdateLineItem, kw_only=True):
    """A line item after a change, and what its rules look at beside it."""

    objective: str
    placements: list[str]
    before: dict[str, Any]
    campaign: dict[str, Any]
    businesses: list[dict[str, Any]]

    @rule("bid_strategy")
    def strategy_suits_the_objective(self) -> str | None:
        """Keep MAX and TARGET to the objectives that take them."""
        if self.bid_strategy == "MAX" and self.objective in WITHOUT_MAX:
            return f"MAX is not for objective {self.objective}"
        if self.bid_strategy == "TARGET" and self.objective not in TARGETED:
            return f"TARGET is for objectives {' and '.join(TARGETED)}, not for {self.objective}"
        return None

    @rule("pay_by")
    def only_installs_change_what_they_pay_for(self) -> str | None:
        """Let nothing but APP_INSTALLS change pay_by."""
        fixed = self.pay_by != self.before["pay_by"] and self.objective != "APP_INSTALLS"
        return f"can be changed for objective APP_INSTALLS, not for {self.objective}" if fixed else None

    @rule("daily_budget_amount_local_micro")
    def the_campaign_leaves_budgets_to_line_items(self) -> str | None:
        """Let line items have a budget of a day only where the campaign has none."""
        shared = self.campaign["budget_optimization"] != "LINE_ITEM"
        return (
            "is for line items of campaigns with budget_optimization LINE_ITEM; "
            f"{self.campaign['id']} has {self.campaign['budget_optimization']}"
            if shared and self.daily_budget_amount_local_micro is not None
            else None
        )

    @rule("frequency_cap")
    def some_objectives_are_capped(self) -> str | None:
        """Keep frequency caps to the objectives that take them."""
        misplaced = self.frequency_cap is not None and self.objective not in CAPPED
        return f"is for objectives {', '.join(CAPPED)}, not for {self.objective}" if misplaced else None

    @rule("advertiser_domain")
    def publishers_want_a_domain(self) -> str | None:
        """Ask for the advertiser's domain on the publisher network."""
        return None if self.advertiser_domain else self._wanted_by_publishers()

    @rule("categories")
    def publishers_and_prerolls_want_categories(self) -> str | None:
        """Ask for categories on the publisher network, and for PREROLL_VIEWS anywhere."""
        if self.categories:
            return None
        if self.objective == "PREROLL_VIEWS":
            return "is required for objective PREROLL_VIEWS"
        return self._wanted_by_publishers()

    def _wanted_by_publishers(self) -> str | None:
        return (
            "is required for placement PUBLISHER_NETWORK" if "PUBLISHER_NETWORK" in self.placements else None
        )

    @rule("categories")
    def prerolls_name_one_or_two_businesses(self) -> str | None:
        """Ask PREROLL_VIEWS for the codes of one or two business categories."""
        if self.objective != "PREROLL_VIEWS" or not self.categories:
            return None
        business = {code: each["id"] for each in self.businesses for code in each["iab_categories"]}
        if unknown := [code for code in self.categories if code not in business]:
            return f"{', '.join(unknown)}: no business category has such a code"
        count = len({business[code] for code in self.categories})
        return f"are of {count} business categories, at most 2 are allowed" if count > 2 else None

    @rule("ios_app_store_identifier")
    def apps_are_named(self) -> str | None:
        """Ask line items that advertise an app for an identifier of it."""
        named = self.ios_app_store_identifier or self.android_app_store_identifier
        if self.objective not in OF_APPS or named:
            return None
        return f"is required for objective {self.objective}, unless android_app_store_identifier is given"
