"""Rules about audiences and targeting. Codes A1xx."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import chain

from ..api.delivery import LINE_ITEM
from ..api.targeting import KEYWORDS
from .facts import DAY, Facts
from .outcome import CannotLook, Finding, NotAvailable, Outcome, Record, Unknown
from .rule import Rule, Severity

AUDIENCE = "CUSTOM_AUDIENCE"
AUDIENCES = (AUDIENCE, "CUSTOM_AUDIENCE_EXPANDED")
SEARCH, PROFILE = "PLATFORM_SEARCH", "PLATFORM_PROFILE"
UNUSED_DAYS = 30  # before an unused audience is reported


def _criteria(facts: Facts, item: Record, *types: str, excluded: bool = False) -> list[Record]:
    """Return the criteria of a line item of some types, those that include people or that exclude them."""
    return [
        criterion
        for criterion in facts.criteria_of.get(str(item["id"]), ())
        if criterion.get("targeting_type") in types and (criterion.get("operator_type") == "NE") is excluded
    ]


def targeted(facts: Facts) -> Iterator[tuple[Record, Record]]:
    """Yield each audience that an active line item targets, with the line item."""
    for item in facts.active_items:
        for criterion in _criteria(facts, item, *AUDIENCES):
            if audience := facts.audiences.get(str(criterion.get("targeting_value"))):
                yield audience, item


def is_prospecting(facts: Facts, item: Record) -> bool:
    """Tell whether a line item targets no audience: it looks for people whom nobody knows."""
    return not _criteria(facts, item, *AUDIENCES)


def _show(audience: Record) -> tuple[str, ...]:
    return "audiences", "get", str(audience["id"])


class AudienceUnusable(Rule):
    """An active line item targets an audience that cannot be targeted."""

    code, severity = "A101", Severity.ERROR
    why = "It reaches nobody of it."
    advice = "Add people to the audience, or target another one."
    ignore = "In the first hours of an audience."
    breaks = {"audiences": {"u1": {"targetable": False, "reasons_not_targetable": ["TOO_SMALL"]}}}
    nearly = {"targeting": {"t2": None}, "audiences": breaks["audiences"]}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the audiences of active line items."""
        for audience, item in targeted(facts):
            if audience.get("targetable") is False:
                reasons = ", ".join(map(str, audience.get("reasons_not_targetable") or ["UNKNOWN"]))
                words = f"is targeted by {_quoted(item)} and cannot be: {reasons.lower().replace('_', ' ')}"
                yield Finding("audience", audience, words, _show(audience))


class AudienceSmall(Rule):
    """An active line item targets an audience of fewer than a hundred people."""

    code, severity = "A102", Severity.WARNING
    why = "The service shows ads to no audience that small, and numbers of it mean nothing."
    advice = "Add people, or widen the targeting."
    ignore = "Where other criteria of the line item reach enough people."
    breaks = {"audiences": {"u1": {"audience_size": 99}}}
    nearly = {"audiences": {"u1": {"audience_size": 100}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the sizes of targeted audiences."""
        for audience, item in targeted(facts):
            size = audience.get("audience_size")
            if isinstance(size, int) and size < facts.threshold("audience_least"):
                yield Finding(
                    "audience",
                    audience,
                    f"has {size} people; {_quoted(item)} targets it",
                    _show(audience),
                )


class AudienceOld(Rule):
    """A targeted list of customers was not updated for a month."""

    code, severity = "A103", Severity.WARNING
    why = "New customers are missing, and people who left are still in it."
    advice = "Sync the list every night: 'audiences sync'."
    ignore = "Where the list is complete for good."
    breaks = {"audiences": {"u1": {"updated_at": "2026-10-18T08:00:00Z"}}}
    nearly = {"audiences": {"u1": {"updated_at": "2026-10-20T08:00:00Z"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look when the lists that are targeted were changed last."""
        for audience, _ in targeted(facts):
            age = facts.age(audience, "updated_at")
            if (
                audience.get("audience_type") == "CRM"
                and age
                and age > int(facts.threshold("audience_days")) * DAY
            ):
                yield Finding("audience", audience, f"was not updated for {age.days} days", _show(audience))


def _targets(line_item: str) -> dict[str, str]:
    return {"line_item_id": line_item, "targeting_type": AUDIENCE, "targeting_value": "u1"}


class AudienceTwice(Rule):
    """Two active line items target the same audience."""

    code, severity = "A104", Severity.WARNING
    why = "They bid for the same people, and each makes the other dearer."
    advice = "Join them, or exclude the audience from one."
    ignore = "Where they differ otherwise, such as in their countries."
    breaks = {"line_items": {"i1": {}, "i2": {}}, "targeting": {"t2": {}, "t3": _targets("i2")}}
    nearly = {"line_items": {"i1": {}, "i2": {"entity_status": "PAUSED"}}, "targeting": breaks["targeting"]}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Group the targeted audiences by their line items."""
        items: Mapping[str, dict[str, Record]] = defaultdict(dict)
        for audience, item in targeted(facts):
            items[str(audience["id"])][str(item["id"])] = item
        for id, own in items.items():
            if len(own) > 1:
                words = (
                    f"is targeted by {len(own)} active line items: {', '.join(map(_quoted, own.values()))}"
                )
                yield Finding("audience", facts.audiences[id], words, ("audiences", "targeted", id))


class BuyersNotExcluded(Rule):
    """A line item that looks for new people does not exclude those who bought."""

    code, severity = "A105", Severity.WARNING
    why = "It pays for people who are customers already."
    advice = "Exclude the audience of `buyers` of the profile."
    ignore = "Where customers are to buy again."
    breaks = {"wanted": {"buyers": "Customers"}, "targeting": {"t2": None}}
    nearly = {"wanted": {"buyers": "Customers"}, "targeting": {"t2": {"operator_type": "NE"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at what the line items without an audience exclude."""
        wanted = {*facts.wanted.buyers}
        if not wanted:
            return
        buyers = {id for id, audience in facts.audiences.items() if {id, audience.get("name")} & wanted}
        if not buyers:
            raise CannotLook(f"the account has no audience {', '.join(sorted(wanted))}, which `buyers` names")
        for item in facts.active_items:
            excluded = {
                str(c.get("targeting_value")) for c in _criteria(facts, item, *AUDIENCES, excluded=True)
            }
            if is_prospecting(facts, item) and not excluded & buyers:
                yield Finding(
                    LINE_ITEM, item, "does not exclude those who bought", _exclude(item, min(buyers))
                )


def _exclude(item: Record, audience: str) -> tuple[str, ...]:
    words = ("targeting", "add", "--line-item-id", str(item["id"]), "--targeting-type", AUDIENCE)
    return *words, "--targeting-value", audience, "--operator-type", "NE"


class SearchWithoutKeywords(Rule):
    """A line item is shown in searches and has no keywords."""

    code, severity = "A106", Severity.ERROR
    why = "No search shows it."
    advice = "Add keywords, or leave that placement out."
    ignore = "Never."
    breaks = {"line_items": {"i1": {"placements": [SEARCH]}}}
    nearly = {
        "line_items": {"i1": {"placements": [SEARCH]}},
        "targeting": {"t3": {"targeting_type": "BROAD_KEYWORD", "targeting_value": "mug"}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the keywords of line items in searches."""
        for item in facts.active_items:
            if SEARCH in (item.get("placements") or ()) and not _criteria(facts, item, *KEYWORDS):
                command = ("targeting", "list", "--line-item-ids", str(item["id"]))
                yield Finding(LINE_ITEM, item, "is shown in searches, and has no keywords", command)


class ProfileAlone(Rule):
    """A line item is shown on profiles alone."""

    code, severity = "A107", Severity.ERROR
    why = "The service takes that placement only beside another one."
    advice = "Add another placement in a new line item."
    ignore = "Never."
    breaks = {"line_items": {"i1": {"placements": [PROFILE]}}}
    nearly = {"line_items": {"i1": {"placements": [PROFILE, "PLATFORM_TIMELINE"]}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look at the placements of active line items."""
        for item in facts.active_items:
            if [*(item.get("placements") or ())] == [PROFILE]:
                yield Finding(
                    LINE_ITEM, item, "is shown on profiles alone", ("line-items", "get", str(item["id"]))
                )


class NoLocation(Rule):
    """A line item targets no place."""

    code, severity = "A108", Severity.WARNING
    why = "It is shown all over the world, where a shop may not deliver."
    advice = "Add the countries that you sell to."
    ignore = "For apps and channels that are for everybody."
    breaks = {"targeting": {"t1": None}}
    nearly = {"targeting": {"t1": {"operator_type": "EQ"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for line items without a location."""
        for item in facts.active_items:
            if not _criteria(facts, item, "LOCATION"):
                command = ("targeting", "list", "--line-item-ids", str(item["id"]))
                yield Finding(LINE_ITEM, item, "targets no location", command)


class EstimateOff(Rule):
    """The people whom a line item may reach are very few or very many."""

    code, severity = "A109", Severity.WARNING
    why = "Too few make it dear and wear it out, too many make it learn nothing."
    advice = "Widen or narrow the targeting."
    ignore = "For what is meant for a few, or for everybody."
    breaks = {"estimates": {"i1": 9_999}}
    nearly = {"estimates": {"i1": 10_000}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Ask the service for an estimate of each active line item that names people."""
        least, most = facts.threshold("estimate_least"), facts.threshold("estimate_most")
        for item in facts.active_items:
            try:
                people = facts.estimate(item)
            except NotAvailable:
                raise
            except CannotLook as why:
                yield Unknown(LINE_ITEM, item, str(why))
                continue
            if people is not None and not least <= people <= most:
                words = f"may reach {people:,} people, {'few' if people < least else 'many'} for a line item"
                command = ("targeting", "list", "--line-item-ids", str(item["id"]))
                yield Finding(LINE_ITEM, item, words, command)


class AudienceUnused(Rule):
    """Nothing uses an audience."""

    code, severity = "A111", Severity.NOTE
    why = "Lists of people that nobody needs should not be kept."
    advice = "Use it, or delete it."
    ignore = "Where it is made for a later campaign."
    breaks = {"audiences": {"u1": {}, "u2": {"created_at": "2026-01-01T00:00:00Z"}}}
    nearly = {"audiences": {"u1": {}, "u2": {"created_at": "2026-11-10T00:00:00Z"}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look which audiences no line item names."""
        criteria = chain(facts.other_criteria, *facts.criteria_of.values())
        named = {str(criterion.get("targeting_value")) for criterion in criteria}
        for id, audience in facts.audiences.items():
            age = facts.age(audience, "created_at")
            if id not in named and age and age > timedelta(days=UNUSED_DAYS):
                yield Finding("audience", audience, "is used by no line item", _show(audience))


def _quoted(record: Record) -> str:
    return f"'{record.get('name') or record.get('id')}'"
