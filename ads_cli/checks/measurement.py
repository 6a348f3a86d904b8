"""Rules about what is measured: event tags, conversions, trackers. Codes M1xx."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal

from ..api.delivery import CAMPAIGN, LINE_ITEM
from ..statistics.results import COUNTED
from .facts import CAMPAIGN as CAMPAIGNS
from .facts import DAY, Facts, results
from .outcome import Finding, Outcome, Record, Unknown
from .rule import Rule, Severity

TAGS = "measurement web-event-tags list"
TRACKERS = "tracking-tags list"
ON_WEBSITE = ("SITE_VISITS", "WEBSITE_CONVERSIONS")  # goals that a tag of a website counts
VIDEO_CHANGED = datetime.fromisoformat("2026-08-13T00:00:00+00:00")  # what counts as a video view
VIDEO_OBJECTIVES = ("VIDEO_VIEWS", "PREROLL_VIEWS")
PURCHASES = "conversion_purchases"
ENDS_OF_COUNTED = tuple(f"_{part}" for part in COUNTED)


def _show(tag: Record) -> tuple[str, ...]:
    return "measurement", "web-event-tags", "get", str(tag["id"])


class NoTag(Rule):
    """A line item optimizes for a website and names no event tag that is there."""

    code, severity = "M101", Severity.ERROR
    why = "The service cannot learn from what happens on the website."
    advice = "Make a line item that names the tag (--primary-web-event-tag)."
    ignore = "Never."
    breaks = {"line_items": {"i1": {"goal": "SITE_VISITS", "primary_web_event_tag": None}}}
    nearly = {"line_items": {"i1": {"goal": "SITE_VISITS", "primary_web_event_tag": "w1"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the tags of line items with such a goal."""
        items = [item for item in facts.active_items if item.get("goal") in ON_WEBSITE]
        tags = {str(tag["id"]) for tag in (facts.records(TAGS) if items else ())}
        for item in items:
            if str(item.get("primary_web_event_tag")) not in tags:
                goal = str(item["goal"]).lower().replace("_", " ")
                words = f"aims at {goal}, and names no event tag that is there"
                yield Finding(LINE_ITEM, item, words, ("measurement", "web-event-tags", "list"))


class TagSilent(Rule):
    """An event tag has counted nothing for a week."""

    code, severity = "M102", Severity.ERROR
    why = "The tag was lost from the website, or its page is not visited; conversions are missing since then."
    advice = "Look whether its code is still on the page."
    ignore = "Where the page is closed."
    breaks = {"tags": {"w1": {"last_tracked_at": "2026-11-11T08:00:00Z"}}}
    nearly = {"tags": {"w1": {"last_tracked_at": "2026-11-11T13:00:00Z"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look when each tag counted last."""
        for tag in facts.records(TAGS):
            age = facts.age(tag, "last_tracked_at")
            if tag.get("status") == "TRACKING" and age and age > int(facts.threshold("tag_days")) * DAY:
                yield Finding("event tag", tag, f"has counted nothing for {age.days} days", _show(tag))


class TagNotVerified(Rule):
    """An event tag was never seen on the website."""

    code, severity = "M103", Severity.WARNING
    why = "It counts nothing until its code is on a page that somebody opens."
    advice = "Put its code on the website, and open the page once."
    ignore = "On the day it is made."
    breaks = {"tags": {"w1": {"status": "UNVERIFIED"}}}
    nearly = {"tags": {"w1": {"status": "TRACKING"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the state of each tag."""
        for tag in facts.records(TAGS):
            if tag.get("status") == "UNVERIFIED":
                yield Finding("event tag", tag, "is not verified: its code was never seen", _show(tag))


def _conversions(facts: Facts) -> Iterator[tuple[Record, Mapping[str, Decimal]]]:
    """Yield each active campaign for clicks on a website, with its numbers of the period."""
    sums = facts.sums(CAMPAIGNS, facts.period)
    for campaign in facts.active_campaigns:
        items = facts.items_of[str(campaign["id"])]
        if any(item.get("objective") == "WEBSITE_CLICKS" for item in items) and (
            own := sums.get(str(campaign["id"]))
        ):
            yield campaign, own


class NoConversions(Rule):
    """A campaign had many clicks and not one conversion."""

    code, severity = "M104", Severity.WARNING
    why = "Either nobody buys, or nothing is measured."
    advice = "Buy something yourself, and look whether the tag counts it."
    ignore = "Where the website sells nothing."
    breaks = {
        "numbers": {"c1": {"url_clicks": 20, f"{PURCHASES}_post_view": 0, f"{PURCHASES}_post_engagement": 0}}
    }
    nearly = {
        "numbers": {"c1": {"url_clicks": 20, f"{PURCHASES}_post_view": 0, f"{PURCHASES}_post_engagement": 1}}
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare clicks with conversions of any kind, where the account has tags."""
        if not facts.records(TAGS):
            return
        least = facts.threshold("clicks_least")
        for campaign, own in _conversions(facts):
            clicks = own.get("url_clicks", Decimal(0))
            if not clicks:
                continue
            if clicks < least:
                yield Unknown(CAMPAIGN, campaign, f"had {clicks:.0f} clicks, too few to expect a conversion")
            elif not any(
                own[name] for name in own if name.startswith("conversion_") and name.endswith(ENDS_OF_COUNTED)
            ):
                words = f"had {clicks:,.0f} clicks on links, and no conversion"
                yield Finding(CAMPAIGN, campaign, words, ("measurement", "web-event-tags", "list"))


class NoValues(Rule):
    """Purchases are counted without what they sold for."""

    code, severity = "M105", Severity.WARNING
    why = "Without values nobody knows whether the ads pay."
    advice = "Send the value with each purchase."
    ignore = "Where each purchase is worth the same."
    breaks = {"numbers": {"c1": {f"{PURCHASES}_post_view": 2, f"{PURCHASES}_sale_amount": 0}}}
    nearly = {"numbers": {"c1": {f"{PURCHASES}_post_view": 2, f"{PURCHASES}_sale_amount": 1}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for purchases whose sales are nothing."""
        least = facts.threshold("least_results")
        for campaign, own in _conversions(facts):
            bought = results(own, PURCHASES)
            if not bought or own.get(f"{PURCHASES}_sale_amount"):
                continue
            if bought < least:
                yield Unknown(CAMPAIGN, campaign, f"had {bought:.0f} purchases, too few to judge")
            else:
                words = f"had {bought:,.0f} purchases, and no value of them"
                yield Finding(CAMPAIGN, campaign, words, ("measurement", "web-event-tags", "list"))


class TrackerMissing(Rule):
    """A line item has no click tracker, and others of its campaign have one."""

    code, severity = "M106", Severity.WARNING
    why = "Its clicks are missing where the trackers are counted."
    advice = "Add the same tracker: 'tracking-tags create'."
    ignore = "Where only one line item is to be tracked."
    breaks = {
        "line_items": {"i1": {}, "i2": {}},
        "trackers": {"x1": {"line_item_id": "i1", "tracking_tag_type": "CLICK_TRACKER"}},
    }
    nearly = {
        "line_items": {"i1": {}, "i2": {}},
        "trackers": {"x1": {"line_item_id": "i1", "tracking_tag_type": "IMPRESSION_TAG"}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the line items of a campaign."""
        tracked = {
            str(tag.get("line_item_id"))
            for tag in facts.records(TRACKERS)
            if tag.get("tracking_tag_type") == "CLICK_TRACKER"
        }
        siblings: Mapping[str, list[Record]] = defaultdict(list)
        for item in facts.active_items:
            siblings[str(item["campaign_id"])].append(item)
        for items in siblings.values():
            if any(str(item["id"]) in tracked for item in items):
                for item in items:
                    if str(item["id"]) not in tracked:
                        words = "has no click tracker, and others of its campaign have one"
                        yield Finding(LINE_ITEM, item, words, ("tracking-tags", "list"))


class VideoViewsChanged(Rule):
    """The period crosses the day on which the service changed what a video view is."""

    code, severity = "M107", Severity.NOTE
    why = "Video views from before 13 August 2026 cannot be compared with those since then."
    advice = "Compare periods on one side of that day."
    ignore = "Where no video views are compared."
    breaks = {"period": {"since": "2026-08-10"}, "line_items": {"i1": {"objective": "VIDEO_VIEWS"}}}
    nearly = {"period": {"since": "2026-08-14"}, "line_items": {"i1": {"objective": "VIDEO_VIEWS"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look whether the day lies in the period, and a line item is paid for views."""
        has_views = any(item.get("objective") in VIDEO_OBJECTIVES for item in facts.line_items)
        if has_views and facts.period.start < VIDEO_CHANGED < facts.period.end:
            words = "has video views from before and after 13 August 2026, which are counted in two ways"
            yield Finding("account", facts.account, words, ("help", "metrics"))
