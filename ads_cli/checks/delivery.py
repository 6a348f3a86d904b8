"""Rules about delivery: what keeps ads from being shown. Codes D1xx."""

from collections.abc import Iterator
from datetime import timedelta
from math import ceil

from ..api.delivery import CAMPAIGN, FUNDING, LINE_ITEM, codes_of_funding
from ..api.spending import END, REASONS, TOTAL_BUDGET
from ..campaigns.delivery import Diagnosis
from .facts import DAY, Facts
from .facts import LINE_ITEM as LINE_ITEMS
from .money import amount, units
from .outcome import Finding, Outcome, Record, Unknown
from .rule import Rule, Severity

HOUR = timedelta(hours=1)
CREDIT_LIMIT, CREDIT_LEFT = "credit_limit_local_micro", "credit_remaining_local_micro"
MOST_DAYS = 182  # that numbers are added up over: a request has seven
# Reasons that rules of their own find, or that somebody wanted.
OWN_RULES = ("PAUSED_BY_ADVERTISER", "FUNDING_PROBLEM", "EXPIRED", "DRAFT", "INCOMPLETE")


def diagnosis(facts: Facts) -> Diagnosis:
    """Return what finds out why records do not deliver, as `campaigns why` does."""
    return Diagnosis(facts.funding, facts.now, facts.words)


class CannotPay(Rule):
    """What pays for an active campaign cannot pay."""

    code, severity = "D101", Severity.ERROR
    why = "Nothing that it pays for is shown."
    advice = "Settle it with the service, or let a copy of the campaign be paid with another one."
    ignore = "Where the campaign is meant to rest until it is paid again."
    breaks = {"funding": {"f1": {"able_to_fund": False, "reasons_not_able_to_fund": ["EXPIRED"]}}}
    nearly = {"campaigns": {"c1": {"entity_status": "PAUSED"}}, "funding": breaks["funding"]}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at what pays for each active campaign."""
        for campaign in facts.active_campaigns:
            paying = facts.funding.get(str(campaign.get("funding_instrument_id")))
            if not paying or not codes_of_funding(paying):
                continue
            said = {**campaign, REASONS: ["FUNDING_PROBLEM"]}
            found = diagnosis(facts).campaign(said, facts.items_of[str(campaign["id"])])[0]
            yield Finding(CAMPAIGN, campaign, found.words, found.command)


class CreditNearlyUsed(Rule):
    """A line of credit is used but for a small part."""

    code, severity = "D102", Severity.ERROR
    why = "Once it is used, every campaign that it pays for stops."
    advice = "Pay what is open, or have the limit raised."
    ignore = "Where a campaign is to end with the credit."
    breaks = {"funding": {"f1": {CREDIT_LIMIT: 1_000_000_000, CREDIT_LEFT: 90_000_000}}}
    nearly = {"funding": {"f1": {CREDIT_LIMIT: 1_000_000_000, CREDIT_LEFT: 110_000_000}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the credit of what pays for active campaigns."""
        used = {str(campaign.get("funding_instrument_id")) for campaign in facts.active_campaigns}
        for id, record in facts.funding.items():
            limit, left = record.get(CREDIT_LIMIT), record.get(CREDIT_LEFT)
            if id not in used or not isinstance(limit, int) or not isinstance(left, int) or not limit:
                continue
            if left <= limit * facts.threshold("credit_left"):
                words = f"has {amount(record, CREDIT_LEFT)} of {amount(record, CREDIT_LIMIT)} left"
                yield Finding(FUNDING, record, words, ("funding-instruments", "list"))


class FundingEndsFirst(Rule):
    """What pays ends before a line item does."""

    code, severity = "D103", Severity.WARNING
    why = "The line item stops on that day, without a word."
    advice = "End the line item earlier, or have the order extended."
    ignore = "Where the line item is to run as long as it is paid."
    breaks = {
        "funding": {"f1": {"end_time": "2026-11-30T23:00:00Z"}},
        "line_items": {"i1": {"end_time": "2026-12-24T23:00:00Z"}},
    }
    nearly = {
        "funding": {"f1": {"end_time": "2026-12-24T23:00:00Z"}},
        "line_items": {"i1": {"end_time": "2026-12-24T23:00:00Z"}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the ends of line items with those of what pays."""
        for item in facts.active_items:
            paying = facts.funding.get(str(item.get("funding_instrument_id")), {})
            end, last = facts.moment(item, END), facts.moment(paying, END)
            if end and last and facts.now < last < end:
                words = f"ends on {facts.words(end)}, and what pays for it on {facts.words(last)}"
                command = ("line-items", "update", str(item["id"]), "--end-time", str(paying[END]))
                yield Finding(LINE_ITEM, item, words, command)


class NoImpressions(Rule):
    """A line item has been active for two days and was not seen once."""

    code, severity = "D104", Severity.ERROR
    why = "Its bid, its targeting or its ads keep it from every auction."
    advice = "Look at why, then raise the bid, or widen the targeting."
    ignore = "In the first hours of a line item that was just activated."
    breaks = {"numbers": {"i1": {"impressions": 0}}}
    nearly = {"numbers": {"i1": {"impressions": 1}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for line items of campaigns that deliver, without an impression since then."""
        hours = facts.threshold("silent_hours")
        days = ceil(hours / 24)
        seen = facts.sums(LINE_ITEMS, facts.last_days(days))
        for item in facts.running_items:
            age = facts.age(item, "start_time", "updated_at")
            if age is None or age < (days + 1) * DAY or facts.campaigns[item["campaign_id"]].get(REASONS):
                continue
            if not seen.get(item["id"], {}).get("impressions"):
                words = f"is active, and had no impression on the last {days} whole days"
                yield Finding(LINE_ITEM, item, words, ("campaigns", "why", str(item["campaign_id"])))


class NoActiveLineItem(Rule):
    """An active campaign has no active line item."""

    code, severity = "D105", Severity.ERROR
    why = "A line item says who sees the ads; without one nothing is shown."
    advice = "Activate a line item, or pause the campaign."
    ignore = "While the campaign is being built."
    breaks = {"line_items": {"i1": {"entity_status": "PAUSED"}}}
    nearly = {"line_items": {"i1": {}, "i2": {"entity_status": "PAUSED"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the line items of each active campaign."""
        with_items = {
            item["campaign_id"] for item in facts.line_items if item.get("entity_status") == "ACTIVE"
        }
        for campaign in facts.active_campaigns:
            if campaign["id"] not in with_items:
                command = ("line-items", "activate", "--where", f"campaign_id={campaign['id']}")
                yield Finding(CAMPAIGN, campaign, "is active, and has no active line item", command)


class NoAds(Rule):
    """An active line item has no ad."""

    code, severity = "D106", Severity.ERROR
    why = "There is nothing to show."
    advice = "Add an ad, or pause the line item."
    ignore = "While the line item is being built."
    breaks = {"ads": {"a1": None, "a2": None}}
    nearly = {"ads": {"a1": {}, "a2": None}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at what each active line item promotes."""
        for item in facts.active_items:
            if not facts.ads_of.get(str(item["id"])):
                yield Finding(LINE_ITEM, item, "has no ads", ("line-items", "pause", str(item["id"])))


class EndedButActive(Rule):
    """A line item has ended and is still active."""

    code, severity = "D107", Severity.WARNING
    why = "It looks as if it ran, and fills the lists of what does."
    advice = "Pause it, or give it a later end."
    ignore = "Where ended line items are kept as they were."
    breaks = {"line_items": {"i1": {"end_time": "2026-11-01T00:00:00Z"}}}
    nearly = {"line_items": {"i1": {"end_time": "2026-11-19T00:00:00Z"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for active line items whose end has passed."""
        for item in facts.line_items:
            end = facts.moment(item, END)
            if item.get("entity_status") == "ACTIVE" and end and end <= facts.now:
                words = f"ended on {facts.words(end)}, and is still active"
                yield Finding(LINE_ITEM, item, words, ("line-items", "pause", str(item["id"])))


class StartsLate(Rule):
    """An active line item starts in more than a month."""

    code, severity = "D108", Severity.NOTE
    why = "A wrong year or month is seen only when nothing is shown."
    advice = "Look whether the start is meant."
    ignore = "Where it is meant."
    breaks = {"line_items": {"i1": {"start_time": "2027-11-01T00:00:00Z"}}}
    nearly = {"line_items": {"i1": {"start_time": "2026-12-17T00:00:00Z"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the starts of active line items."""
        most = int(facts.threshold("start_days")) * DAY
        for item in facts.active_items:
            start = facts.moment(item, "start_time")
            if start and start - facts.now > most:
                words = f"starts on {facts.words(start)}, in {(start - facts.now).days} days"
                yield Finding(LINE_ITEM, item, words, ("line-items", "get", str(item["id"])))


def _active_ads(facts: Facts) -> Iterator[Record]:
    """Yield the ads of active line items."""
    return (ad for item in facts.active_items for ad in facts.ads_of.get(str(item["id"]), ()))


def named(facts: Facts, ad: Record) -> Record:
    """Return an ad with what its post says, by which a person knows it."""
    post = facts.post_of(ad) or {}
    return {**ad, "name": post.get("name") or post.get("full_text")}


class AdNotAccepted(Rule):
    """The service has not accepted an ad."""

    code, severity = "D109", Severity.ERROR
    why = "It is not shown, whatever its line item may spend."
    advice = "Read the service's reason, change the post, and promote the new one."
    ignore = "Where another ad has taken its place."
    breaks = {"ads": {"a1": {"approval_status": "REJECTED"}}}
    nearly = {"ads": {"a1": {"approval_status": "UNDER_REVIEW", "updated_at": "2026-11-18T08:00:00Z"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the state of each ad of an active line item."""
        for ad in _active_ads(facts):
            if ad.get("approval_status") == "REJECTED":
                yield Finding("ad", named(facts, ad), "was rejected by the service", _show(ad))


class LongReview(Rule):
    """An ad has been in review for more than two days."""

    code, severity = "D110", Severity.WARNING
    why = "A review takes a day; one that takes longer is often stuck."
    advice = "Ask the service, or promote another post."
    ignore = "Around holidays."
    breaks = {"ads": {"a1": {"approval_status": "UNDER_REVIEW", "updated_at": "2026-11-15T08:00:00Z"}}}
    nearly = AdNotAccepted.nearly

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look how long ads have been in review."""
        for ad in _active_ads(facts):
            age = facts.age(ad, "created_at", "updated_at")
            if (
                ad.get("approval_status") == "UNDER_REVIEW"
                and age
                and age > facts.threshold("review_hours").__float__() * HOUR
            ):
                hours = age // HOUR
                yield Finding("ad", named(facts, ad), f"has been in review for {hours} hours", _show(ad))


def _show(ad: Record) -> tuple[str, ...]:
    group = "posts" if ad.get("post_id") else "media" if ad.get("account_media_id") else "accounts"
    return "promoted", group, "get", str(ad["id"])


class AccountNotApproved(Rule):
    """The service has not approved the account."""

    code, severity = "D111", Severity.ERROR
    why = "Nothing of it is shown."
    advice = "Read the service's mail about the account, and answer it."
    ignore = "In the first days of an account."
    breaks = {"account": {"account": {"approval_status": "REJECTED"}}}
    nearly = {"account": {"account": {"approval_status": "ACCEPTED"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the state of the account."""
        status = facts.account.get("approval_status")
        if status != "ACCEPTED":
            words = f"is not approved: {str(status).lower().replace('_', ' ')}"
            yield Finding("account", facts.account, words, ("accounts", "get", str(facts.account["id"])))


class NotServable(Rule):
    """The service does not show an active campaign, for another reason."""

    code, severity = "D112", Severity.ERROR
    why = "Nothing of it is shown."
    advice = "Do what 'campaigns why' says."
    ignore = "Where the reason is meant."
    breaks = {"campaigns": {"c1": {"servable": False, REASONS: ["STOPPED_BY_SERVICE"]}}}
    nearly = {"campaigns": {"c1": {"servable": False, REASONS: ["PAUSED_BY_ADVERTISER"]}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the reasons that no other rule tells."""
        for campaign in facts.active_campaigns:
            reasons = [code for code in campaign.get(REASONS) or () if code not in OWN_RULES]
            if reasons:
                said = {**campaign, REASONS: reasons}
                found = diagnosis(facts).campaign(said, ())[0]
                yield Finding(CAMPAIGN, campaign, found.words, ("campaigns", "why", str(campaign["id"])))


class BudgetNearlySpent(Rule):
    """The total budget of a campaign is spent but for a small part."""

    code, severity = "D113", Severity.WARNING
    why = "The campaign stops for good once it is spent."
    advice = "Raise the total budget, or let it end."
    ignore = "Where the campaign is to end with its budget."
    breaks = {
        "campaigns": {"c1": {TOTAL_BUDGET: 1_000_000_000, "created_at": "2026-11-01T00:00:00Z"}},
        "numbers": {"c1": {"spend": 60}},
    }
    nearly = {"campaigns": breaks["campaigns"], "numbers": {"c1": {"spend": 45}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Add up what campaigns with a total budget have spent since they were made."""
        for campaign in facts.active_campaigns:
            budget, age = units(campaign, TOTAL_BUDGET), facts.age(campaign, "created_at")
            if not budget or age is None:
                continue
            days = age.days + 1
            if days > MOST_DAYS:
                yield Unknown(
                    CAMPAIGN, campaign, f"is older than {MOST_DAYS} days, whose numbers are not asked for"
                )
                continue
            spent = facts.spent_since(campaign, days)
            if spent > budget * facts.threshold("budget_spent"):
                part = f"{100 * spent / budget:.0f} %"
                words = f"has spent {part} of its total budget of {amount(campaign, TOTAL_BUDGET)}"
                command = ("campaigns", "update", str(campaign["id"]), "--total-budget", f"{budget * 2:f}")
                yield Finding(CAMPAIGN, campaign, words, command)
