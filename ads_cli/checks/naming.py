"""Rules about names and links. Codes N1xx."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qs, urlsplit

from ..api.delivery import CAMPAIGN, LINE_ITEM
from ..patterns import fits
from .creative import LINK, destinations
from .delivery import named
from .facts import Facts
from .outcome import Finding, Outcome, Record, Unknown
from .rule import Rule, Severity

SETS = "catalog sets list"
FIRST_ERROR = 400  # of the statuses of pages


def linked(facts: Facts) -> dict[str, Record]:
    """Return the addresses that ads of active line items lead to, each with the first ad of it."""
    addresses: dict[str, Record] = {}
    for item in facts.active_items:
        for ad in facts.ads_of.get(str(item["id"]), ()):
            post = facts.post_of(ad) or {}
            card = facts.card_of(post)
            own = [*LINK.findall(str(post.get("full_text") or "")), str(ad.get("landing_url") or "")]
            for address in (*own, *(destinations(card)["WEBSITE"] if card else ())):
                if address:
                    addresses.setdefault(address, ad)
    return addresses


def _show(ad: Record) -> tuple[str, ...]:
    return "promoted", "posts" if ad.get("post_id") else "media", "get", str(ad["id"])


class NoUtm(Rule):
    """An ad leads to an address without the parameters of `utm`."""

    code, severity = "N101", Severity.WARNING
    why = "The visits of it cannot be told from others in the shop's own numbers."
    advice = "Add the parameters to the address of the card."
    ignore = "Where the shop tells them in another way."
    breaks = {"wanted": {"utm": "utm_source,utm_medium"}}
    nearly = {
        "wanted": {"utm": "utm_source"},
        "cards": {
            id: {
                "components": [
                    {"destination": {"type": "WEBSITE", "url": "https://shop.example/?utm_source=ads"}}
                ]
            }
            for id in ("k1", "k2")
        },
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the addresses of ads."""
        for address, ad in linked(facts).items() if facts.wanted.utm else ():
            there = parse_qs(urlsplit(address).query)
            if missing := [name for name in facts.wanted.utm if name not in there]:
                yield Finding(
                    "ad",
                    named(facts, ad),
                    f"leads to {address} without {', '.join(missing)}",
                    _show(ad),
                )


class PageBroken(Rule):
    """A page that an ad leads to answers with an error."""

    code, severity = "N102", Severity.ERROR
    why = "Every click is paid for, and nobody sees the shop."
    advice = "Mend the page, or the address of the card."
    ignore = "Where the shop refuses whoever is no browser."
    breaks = {"pages": {"https://shop.example/mugs": 404}}
    nearly = {"pages": {"https://shop.example/mugs": 301}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Ask for each page once, where that is wanted."""
        for address, ad in linked(facts).items():
            status = facts.page_status(address)
            if status == 0:
                yield Unknown("ad", named(facts, ad), f"leads to {address}, which cannot be reached")
            elif status and status >= FIRST_ERROR:
                yield Finding(
                    "ad", named(facts, ad), f"leads to {address}, which answers {status}", _show(ad)
                )


class NamePattern(Rule):
    """The name of a campaign or a line item breaks the pattern of the profile."""

    code, severity = "N103", Severity.WARNING
    why = "Reports are grouped by parts of names; one that breaks the pattern is in no group."
    advice = "Rename it."
    ignore = "For records from before the pattern."
    breaks = {"wanted": {"name_pattern": "[A-Z]{2} .*"}}
    nearly = {"wanted": {"name_pattern": "(Spring|Mugs).*"}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Match the names of what is active."""
        pattern = facts.wanted.name_pattern
        if not pattern:
            return
        for kind, group, records in _named_records(facts):
            for record in records:
                is_fit = fits(pattern, str(record.get("name") or ""))
                if is_fit is None:
                    yield Unknown(kind, record, f"has a name for which {pattern} takes too long")
                elif not is_fit:
                    words = f"breaks the pattern of names, {pattern}"
                    yield Finding(kind, record, words, (group, "update", str(record["id"]), "--name", "NAME"))


def _named_records(facts: Facts) -> tuple[tuple[str, str, list[Record]], ...]:
    return (CAMPAIGN, "campaigns", facts.active_campaigns), (LINE_ITEM, "line-items", facts.active_items)


class NameTwice(Rule):
    """Two records have the same name."""

    code, severity = "N104", Severity.WARNING
    why = "Nobody can tell them apart, and no command can name one of them."
    advice = "Rename one of them."
    ignore = "Where the second one is paused for good."
    breaks = {"campaigns": {"c1": {}, "c2": {"name": "Spring"}}}
    nearly = {"campaigns": {"c1": {}, "c2": {"name": "spring"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Group campaigns by name, and the line items of each campaign."""
        groups: Mapping[tuple[str, str, str, str], list[Record]] = defaultdict(list)
        for campaign in facts.campaigns.values():
            groups[CAMPAIGN, "campaigns", "", str(campaign.get("name"))].append(campaign)
        for item in facts.line_items:
            name = str(item.get("name") or "")
            if name:
                groups[LINE_ITEM, "line-items", str(item.get("campaign_id")), name].append(item)
        for (kind, group, _, _), own in groups.items():
            if len(own) > 1:
                ids = ", ".join(str(record["id"]) for record in own[1:])
                command = (group, "update", str(own[-1]["id"]), "--name", f"{own[-1].get('name')} 2")
                yield Finding(kind, own[0], f"has the same name as {ids}", command)


class OldDelivery(Rule):
    """A campaign sets how fast it spends, which belongs to its line items now."""

    code, severity = "N105", Severity.NOTE
    why = "The service will take `standard_delivery` of campaigns away."
    advice = "Set it on the line items."
    ignore = "Where the campaign ends soon."
    breaks = {"campaigns": {"c1": {"standard_delivery": False}}}
    nearly = {"campaigns": {"c1": {"standard_delivery": True}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for campaigns that spend as fast as possible; the others have the default."""
        for campaign in facts.active_campaigns:
            if campaign.get("standard_delivery") is False:
                words = "sets standard_delivery, which belongs to its line items"
                yield Finding(
                    CAMPAIGN, campaign, words, ("line-items", "list", "--campaign-ids", str(campaign["id"]))
                )


class SetEmpty(Rule):
    """A set has no products."""

    code, severity = "N106", Severity.WARNING
    why = "Nothing of it can be shown."
    advice = "Look at its filters, or name products."
    ignore = "Between two seasons."
    breaks = {"sets": {"s1": {"product_ids": [], "type": "MANUAL"}}}
    nearly = {"sets": {"s1": {"product_ids": ["1"], "type": "MANUAL"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the products of sets that name them."""
        for own in facts.records(SETS):
            if own.get("type") == "MANUAL" and not own.get("product_ids"):
                yield Finding(
                    "product set", own, "has no products", ("catalog", "sets", "get", str(own["id"]))
                )
            elif own.get("type") != "MANUAL":
                yield Unknown(
                    "product set",
                    own,
                    "has products by filters, which the service does not count",
                )
