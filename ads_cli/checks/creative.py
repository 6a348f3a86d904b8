"""Rules about ads: posts, their cards, and how they wear out. Codes C1xx."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from ..api.delivery import CAMPAIGN, LINE_ITEM
from ..statistics.periods import Period
from .audience import is_prospecting
from .delivery import named
from .facts import DAY, POST_ADS, Facts, active_pairs
from .facts import LINE_ITEM as LINE_ITEMS
from .outcome import Finding, Outcome, Record, Unknown
from .rule import Rule, Severity

LINK = re.compile(r"https?://\S+")
FREQUENCY = "average_frequency"
# What the card of a post must have for an objective, by the beginnings of card types' destinations.
NEEDED_DESTINATION = {"WEBSITE_CLICKS": "WEBSITE", "APP_INSTALLS": "APP", "APP_ENGAGEMENTS": "APP"}


def _add_ad(item: Record) -> tuple[str, ...]:
    return "line-items", "get", str(item["id"])


class OneAd(Rule):
    """An active line item has a single ad."""

    code, severity = "C101", Severity.WARNING
    why = "Nothing can be compared, and one rejection stops it."
    advice = "Add a second ad: 'ads create'."
    ignore = "Where there is only one thing to say."
    breaks = {"ads": {"a1": {}, "a2": None}}
    nearly = {"ads": {"a1": {}, "a2": {}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Count the ads of active line items."""
        for item in facts.active_items:
            if len(facts.ads_of.get(str(item["id"]), ())) == 1:
                yield Finding(LINE_ITEM, item, "has a single ad", _add_ad(item))


class ClickRateFell(Rule):
    """The click rate of a line item fell, and people see its ads often."""

    code, severity = "C102", Severity.WARNING
    why = "People have seen the ads too often: they are worn out."
    advice = "Show new ads, or lower the frequency cap."
    ignore = "After a sale, when fewer people click anyway."
    breaks = {"reach": {"c1": 3.1}, "numbers": {"i1": {"clicks": [*[50] * 7, *[39] * 7]}}}
    nearly = {"reach": {"c1": 3.0}, "numbers": {"i1": {"clicks": [*[50] * 7, *[39] * 7]}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the last half of some days with the half before."""
        half = max(int(facts.threshold("ctr_days")) // 2, 1)
        last = facts.last_days(half)
        now, before = (
            facts.sums(LINE_ITEMS, own) for own in (last, Period(last.start - half * DAY, last.start))
        )
        for item in facts.running_items:
            rates = []
            for sums in (now, before):
                own = sums.get(str(item["id"]), {})
                seen = own.get("impressions", 0)
                rates.append(own["clicks"] / seen if seen >= facts.threshold("least_impressions") else None)
            if None in rates:
                if rates != [None, None]:
                    yield Unknown(
                        LINE_ITEM, item, f"had too few impressions in one of the last two {half} days"
                    )
                continue
            rate, was = rates[0], rates[1]
            seen_by_one = facts.reach.get(str(item["campaign_id"]), {}).get(FREQUENCY) or 0
            if rate is None or not was or rate > was * (1 - facts.threshold("ctr_drop")):
                continue
            if seen_by_one > facts.threshold("worn_frequency"):
                rates_in_words = f"{100 * rate:.2f} %, after {100 * was:.2f} %"
                words = f"has a click rate of {rates_in_words}; one person sees its ads {seen_by_one} times"
                yield Finding(LINE_ITEM, item, words, _add_ad(item))


class SeenTooOften(Rule):
    """People who are to be won see the ads of a campaign very often."""

    code, severity = "C103", Severity.WARNING
    why = "Who has not clicked after five times seldom does; the money reaches nobody new."
    advice = "Set a frequency cap, or widen the targeting."
    ignore = "In the last days of a sale."
    breaks = {"reach": {"c1": 5.1}, "targeting": {"t2": None}}
    nearly = {"reach": {"c1": 5.1}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the frequency of campaigns that target no audience."""
        new = {str(item["campaign_id"]) for item in facts.active_items if is_prospecting(facts, item)}
        for id in new if new else ():
            seen = facts.reach.get(id, {}).get(FREQUENCY)
            if seen and seen > facts.threshold("prospecting_frequency"):
                words = f"is seen {seen} times by one person in the period"
                yield Finding(
                    CAMPAIGN,
                    facts.campaigns[id],
                    words,
                    ("stats", "reach", "campaigns", "--campaign-ids", id),
                )


class NothingNew(Rule):
    """A line item has had no new ad for weeks."""

    code, severity = "C104", Severity.NOTE
    why = "Ads wear out."
    advice = "Add an ad."
    ignore = "Where results have not fallen."
    breaks = {
        "ads": {"a1": {"created_at": "2026-10-01T00:00:00Z"}, "a2": {"created_at": "2026-10-01T00:00:00Z"}}
    }
    nearly = {
        "ads": {"a1": {"created_at": "2026-10-01T00:00:00Z"}, "a2": {"created_at": "2026-10-20T00:00:00Z"}}
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the newest ad of each running line item."""
        most = int(facts.threshold("new_ad_days")) * DAY
        for item in facts.running_items:
            ages = [facts.age(ad, "created_at") for ad in facts.ads_of.get(str(item["id"]), ())]
            newest = min((age for age in ages if age is not None), default=None)
            if newest is not None and newest > most:
                yield Finding(LINE_ITEM, item, f"has had no new ad for {newest.days} days", _add_ad(item))


class OneFormat(Rule):
    """All ads of a campaign have the same format."""

    code, severity = "C105", Severity.WARNING
    why = "Some people watch, others read; one format reaches a part of them."
    advice = "Add an ad with another format: an image, a video, a carousel."
    ignore = "Where only one is there."
    breaks = {"cards": {"k1": {}, "k2": {"card_type": "IMAGE_WEBSITE"}}}
    nearly = {"cards": {"k1": {}, "k2": {"card_type": "VIDEO_WEBSITE"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Group the formats of cards by campaign; a post without a card has a format of its own."""
        formats: Mapping[str, list[str]] = defaultdict(list)
        for item in facts.active_items:
            for ad in facts.ads_of.get(str(item["id"]), ()):
                if post := facts.post_of(ad):
                    card = facts.card_of(post)
                    formats[str(item["campaign_id"])].append(str(card.get("card_type")) if card else "TEXT")
        for id, own in formats.items():
            if len(own) > 1 and len({*own}) == 1:
                words = f"has {len(own)} ads, all of one format: {own[0].lower().replace('_', ' ')}"
                yield Finding(CAMPAIGN, facts.campaigns[id], words, ("campaigns", "tree", id))


class PostLacks(Rule):
    """A post lacks what the objective of its line item needs."""

    code, severity = "C106", Severity.ERROR
    why = "There is nothing to click on: what is paid for cannot happen."
    advice = "Promote a post with a card or a link to the website or the app."
    ignore = "Never."
    breaks = {"posts": {"p1": {"card_uri": None, "full_text": "Mugs"}}}
    nearly = {"posts": {"p1": {"card_uri": None, "full_text": "Mugs https://shop.example/mugs"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for a destination in the posts of active line items."""
        for item in facts.active_items:
            wanted = NEEDED_DESTINATION.get(str(item.get("objective")))
            for ad in facts.ads_of.get(str(item["id"]), ()) if wanted else ():
                post = facts.post_of(ad)
                if not post:
                    continue
                card, has_link = facts.card_of(post), LINK.search(str(post.get("full_text") or ""))
                if post.get("card_uri") and not card:
                    yield Unknown("ad", named(facts, ad), "has a card that is not listed")
                elif not (card and wanted and wanted in destinations(card)) and not (
                    wanted == "WEBSITE" and has_link
                ):
                    paid = str(item["objective"]).lower().replace("_", " ")
                    words = f"leads nowhere: {_quoted(item)} pays for {paid}"
                    yield Finding("ad", named(facts, ad), words, ("promoted", "posts", "get", str(ad["id"])))


def destinations(card: Record) -> dict[str, list[str]]:
    """Return the addresses that a card leads to, by the type of the destination."""
    addresses: dict[str, list[str]] = defaultdict(list)
    parts = [*(card.get("components") or ()), *(part for slide in card.get("slides") or () for part in slide)]
    for part in parts:
        own = part.get("destination") or {}
        if isinstance(own, dict) and own.get("type"):
            addresses[str(own["type"])].append(str(own.get("url") or ""))
    if "APP" in str(card.get("card_type")):
        addresses["APP"].append("")
    return addresses


class CardAndLink(Rule):
    """A post has a card, and a link in its text."""

    code, severity = "C107", Severity.ERROR
    why = "Half of the clicks go to the link, which nobody counts for the card."
    advice = "Take the link out of the text."
    ignore = "Where both lead to different things that are both wanted."
    breaks = {"posts": {"p1": {"full_text": "Mugs https://shop.example/mugs"}}}
    nearly = PostLacks.nearly

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the texts of posts with cards."""
        for item in facts.active_items:
            for ad in facts.ads_of.get(str(item["id"]), ()):
                post = facts.post_of(ad)
                if post and post.get("card_uri") and LINK.search(str(post.get("full_text") or "")):
                    command = ("promoted", "posts", "get", str(ad["id"]))
                    yield Finding("ad", named(facts, ad), "has a card, and a link in its text", command)


class PostTwice(Rule):
    """A post is promoted in two active campaigns."""

    code, severity = "C108", Severity.WARNING
    why = "The service counts its numbers in both, so that their sum is too high."
    advice = "Promote a copy of the post in one of them."
    ignore = "Where only one of the campaigns is looked at."
    breaks = {
        "campaigns": {"c1": {}, "c2": {}},
        "line_items": {"i1": {}, "i2": {"campaign_id": "c2"}},
        "ads": {"a1": {}, "a2": {}, "a3": {"line_item_id": "i2", "post_id": "p1"}},
    }
    nearly = {**breaks, "campaigns": {"c1": {}, "c2": {"entity_status": "PAUSED"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Group the campaigns of each promoted post."""
        campaigns: Mapping[str, dict[str, Record]] = defaultdict(dict)
        ads: dict[str, Record] = {}
        promoted = {str(ad["id"]) for ad in facts.records(POST_ADS)}
        for item, campaign in active_pairs(facts):
            for ad in facts.ads_of.get(str(item["id"]), ()):
                if str(ad["id"]) in promoted:
                    post = str(ad.get("post_id"))
                    campaigns[post][str(campaign["id"])] = campaign
                    ads.setdefault(post, ad)
        for post, own in campaigns.items():
            if len(own) > 1:
                words = f"is promoted in {len(own)} campaigns: {', '.join(map(_quoted, own.values()))}"
                yield Finding(
                    "ad", named(facts, ads[post]), words, ("promoted", "posts", "get", str(ads[post]["id"]))
                )


class ClickRateLow(Rule):
    """Few of those who see a line item click on it."""

    code, severity = "C109", Severity.WARNING
    why = "The ads do not fit the people, and clicks become dear."
    advice = "Try other words, another picture, other people."
    ignore = "Where views are paid for, not clicks."
    breaks = {"numbers": {"i1": {"impressions": 2000, "clicks": 9}}}
    nearly = {"numbers": {"i1": {"impressions": 2000, "clicks": 10}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the click rates of line items that are paid for clicks."""
        sums = facts.sums(LINE_ITEMS, facts.period)
        for item in facts.running_items:
            own = sums.get(str(item["id"]), {})
            seen = own.get("impressions", 0)
            if item.get("objective") != "WEBSITE_CLICKS" or not seen:
                continue
            if seen < facts.threshold("ctr_impressions"):
                yield Unknown(LINE_ITEM, item, f"had {seen:,.0f} impressions, too few to judge")
            elif (rate := own["clicks"] / seen) < facts.threshold("ctr_least"):
                yield Finding(LINE_ITEM, item, f"has a click rate of {100 * rate:.2f} %", _add_ad(item))


def _quoted(record: Record) -> str:
    return f"'{record.get('name') or record.get('id')}'"
