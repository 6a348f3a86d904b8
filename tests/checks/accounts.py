"""An account without faults, which the examples of rules change, and a source that has it in memory."""

import copy
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property

from ads_cli.checks.facts import Facts
from ads_cli.checks.outcome import CannotLook
from ads_cli.config.goals import parse_wanted
from ads_cli.statistics.derived import DERIVED
from ads_cli.statistics.periods import Calendar

NOW = datetime(2026, 11, 18, 12, 30, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)
MADE = "2026-10-20T08:00:00Z"
CARD = {"type": "DETAILS", "destination": {"type": "WEBSITE", "url": "https://shop.example/mugs"}}

CLEAN = {
    "account": {
        "account": {"id": "a0", "name": "Shop", "timezone": "Europe/Berlin", "approval_status": "ACCEPTED"}
    },
    "campaigns": {
        "c1": {
            "name": "Spring",
            "entity_status": "ACTIVE",
            "funding_instrument_id": "f1",
            "currency": "EUR",
            "daily_budget_amount_local_micro": 25_000_000,
            "total_budget_amount_local_micro": 5_000_000_000,
            "standard_delivery": True,
            "servable": True,
            "reasons_not_servable": [],
            "created_at": MADE,
            "updated_at": MADE,
        }
    },
    "line_items": {
        "i1": {
            "name": "Mugs",
            "campaign_id": "c1",
            "funding_instrument_id": "f1",
            "entity_status": "ACTIVE",
            "objective": "WEBSITE_CLICKS",
            "goal": "LINK_CLICKS",
            "bid_strategy": "AUTO",
            "bid_amount_local_micro": None,
            "placements": ["ALL_ON_PLATFORM"],
            "currency": "EUR",
            "standard_delivery": True,
            "start_time": MADE,
            "end_time": "2026-12-16T00:00:00Z",
            "total_budget_amount_local_micro": None,
            "created_at": MADE,
            "updated_at": MADE,
        }
    },
    "funding": {
        "f1": {
            "description": "Visa ending in 4242",
            "currency": "EUR",
            "able_to_fund": True,
            "reasons_not_able_to_fund": [],
            "end_time": None,
        }
    },
    "audiences": {
        "u1": {
            "name": "Customers",
            "audience_type": "CRM",
            "audience_size": 5000,
            "targetable": True,
            "reasons_not_targetable": [],
            "created_at": MADE,
            "updated_at": "2026-11-15T08:00:00Z",
        }
    },
    "posts": {
        "p1": {"full_text": "The mugs of spring", "card_uri": "card://k1"},
        "p2": {"full_text": "How mugs are made", "card_uri": "card://k2"},
    },
    "cards": {
        "k1": {"card_type": "IMAGE_WEBSITE", "card_uri": "card://k1", "components": [CARD]},
        "k2": {"card_type": "VIDEO_WEBSITE", "card_uri": "card://k2", "components": [CARD]},
    },
    "ads": {
        "a1": {"line_item_id": "i1", "post_id": "p1", "approval_status": "ACCEPTED", "created_at": MADE},
        "a2": {"line_item_id": "i1", "post_id": "p2", "approval_status": "ACCEPTED", "created_at": MADE},
    },
    "targeting": {
        "t1": {
            "line_item_id": "i1",
            "targeting_type": "LOCATION",
            "targeting_value": "de",
            "operator_type": "EQ",
        },
        "t2": {"line_item_id": "i1", "targeting_type": "CUSTOM_AUDIENCE", "targeting_value": "u1"},
    },
    "tags": {"w1": {"name": "Orders", "status": "TRACKING", "last_tracked_at": "2026-11-18T10:00:00Z"}},
    "trackers": {},
    "sets": {"s1": {"name": "Shoes", "type": "MANUAL", "product_ids": ["1"]}},
    "bidding": {
        "EUR": {
            "currency": "EUR",
            "minimum_cpe_bid_local_micro": 10_000,
            "maximum_cpe_bid_local_micro": 1_000_000_000,
        }
    },
    # Of each day; a list has the last days, and its first number stands for those before.
    "numbers": {
        "c1": {
            "spend": 20,
            "impressions": 2000,
            "clicks": 40,
            "url_clicks": 30,
            "conversion_purchases_post_view": 1,
            "conversion_purchases_post_engagement": 1,
            "conversion_purchases_sale_amount": 50,
        },
        "i1": {"spend": 20, "impressions": 2000, "clicks": 40, "url_clicks": 30},
    },
    "hours": {},  # of yesterday, by campaign: what was spent
    "reach": {"c1": 2.0},
    "estimates": {"i1": 100_000},
    "pages": {},
    "wanted": {},
    "period": {"since": "2026-11-11"},
    "many": {},
}
LISTS = {
    "campaigns list": "campaigns",
    "line-items list": "line_items",
    "funding-instruments list": "funding",
    "audiences list": "audiences",
    "posts list": "posts",
    "cards list": "cards",
    "promoted posts list": "ads",
    "promoted accounts list": "",
    "promoted media list": "",
    "measurement web-event-tags list": "tags",
    "tracking-tags list": "trackers",
    "catalog sets list": "sets",
    "lookup bidding-rules": "bidding",
}


def changed(changes):
    """Return the clean account with changes; a new record is a copy of the first of its kind."""
    account = copy.deepcopy(CLEAN)
    for kind, own in changes.items():
        for id, fields in own.items():
            if kind == "wanted":
                account[kind][id] = fields
            elif fields is None:
                del account[kind][id]
            elif isinstance(fields, dict):
                model = account[kind].get(id) or next(iter(account[kind].values()), {})
                named = {"name": f"Another {id}"} if id not in account[kind] and "name" in model else {}
                account[kind][id] = {**copy.deepcopy(model), **named, **fields}
            else:
                account[kind][id] = fields
    for kind, count in account.pop("many").items():
        for number in range(2, count + 1):
            account[kind][f"m{number}"] = {**CLEAN[kind]["c1"], "name": f"Campaign {number}"}
    return account


class MemorySource:
    """A source whose records and numbers are in memory; it counts what is read."""

    days = None

    def __init__(self, account, refused=()):
        self.account, self.refused, self.reads = account, refused, []

    def records(self, command):
        self.reads.append(command)
        if command in self.refused:
            raise CannotLook(f"'{command}' was refused: no right")
        return [{"id": id, **record} for id, record in self.account.get(LISTS[command], {}).items()]

    def criteria(self, line_items):
        self.reads.append(("targeting list", *line_items))
        listed = self.account["targeting"].items()
        return [{"id": id, **record} for id, record in listed if record["line_item_id"] in line_items]

    def numbers(self, entity, period, granularity, metrics, currencies):
        self.reads.append((entity, period, granularity))
        if granularity == "HOUR":
            return {
                id: [
                    {"start": (period.start + hour * DAY / 24).isoformat(), "spend": Decimal(spend)}
                    for hour, spend in enumerate(spent)
                ]
                for id, spent in self.account["hours"].items()
            }
        rows = {}
        for id, metric in self.account["numbers"].items():
            if id in currencies:
                days = [
                    self._day(period.start + at * DAY, metric)
                    for at in range((period.end - period.start).days)
                ]
                rows[id] = days if granularity == "DAY" else [self._sum(days)]
        return rows

    def _day(self, start, numbers):
        back = (self._today - start.date()).days
        return {"start": start.isoformat()} | {
            name: Decimal(value[max(len(value) - back, 0)] if isinstance(value, list) else value)
            for name, value in numbers.items()
        }

    @cached_property
    def _today(self):
        return date(2026, 11, 18)

    def _sum(self, days):
        names = {name for day in days for name in day if name not in ("start", *DERIVED) or name == "spend"}
        return {"start": days[0]["start"]} | {
            name: sum(day[name] for day in days) for name in names - {"start"}
        }

    def asked_at(self, entity, period):
        return None

    def reach(self, campaigns, period):
        return {id: {"id": id, "average_frequency": self.account["reach"].get(id)} for id in campaigns}

    def estimate(self, line_item, criteria):
        return self.account["estimates"].get(line_item)

    def page_status(self, address):
        return self.account["pages"].get(address)


def facts_of(changes, refused=(), now=NOW):
    """Return the facts of the clean account with changes."""
    account = changed(changes)
    calendar = Calendar(account["account"]["account"]["timezone"], now)
    wanted = parse_wanted(account["wanted"], "profile shop")
    period = calendar.period(account["period"]["since"], None, "TOTAL")
    return Facts(account["account"]["account"], MemorySource(account, refused), calendar, period, wanted)
