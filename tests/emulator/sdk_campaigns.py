"""The life of a campaign with the public SDK, as in `sdk_session`: python sdk_campaigns.py STEPS..."""

import sys
from datetime import UTC, datetime, timedelta

from sdk_session import ACCOUNT, gone
from twitter_ads.campaign import Campaign, FundingInstrument, LineItem
from twitter_ads.enum import ENTITY_STATUS, OBJECTIVE, PLACEMENT, PRODUCT
from twitter_ads.error import BadRequest

EURO_MICRO = 1_000_000


def funding() -> str:
    """List what pays for campaigns, and find what is able to."""
    listed = list(ACCOUNT.funding_instruments())
    assert len(listed) > 2 and all(record.currency == "EUR" for record in listed)
    able = next(record for record in listed if record.able_to_fund)
    loaded = FundingInstrument.load(ACCOUNT, able.id)
    assert (loaded.type, loaded.entity_status) == (able.type, "ACTIVE")
    return able.id


def campaign() -> Campaign:
    """Create a campaign, load it, change it as it was loaded, and find it in the list."""
    made = Campaign(ACCOUNT)
    made.funding_instrument_id, made.name = funding(), "Autumn mugs"
    made.daily_budget_amount_local_micro = 25 * EURO_MICRO
    made.entity_status = ENTITY_STATUS.PAUSED
    made.save()
    assert made.id and made.currency == "EUR" and made.effective_status == "PAUSED" and not made.servable
    loaded = Campaign.load(ACCOUNT, made.id)
    loaded.total_budget_amount_local_micro = 500 * EURO_MICRO
    loaded.entity_status = ENTITY_STATUS.ACTIVE
    loaded.save()
    changed = Campaign.load(ACCOUNT, made.id)
    assert changed.total_budget_amount_local_micro == 500 * EURO_MICRO
    assert changed.daily_budget_amount_local_micro == 25 * EURO_MICRO and changed.entity_status == "ACTIVE"
    assert made.id in [campaign.id for campaign in ACCOUNT.campaigns(count=2)]
    return changed


def line_item() -> None:
    """Create a line item in a campaign, change it, and delete both, children last."""
    parent = campaign()
    made = LineItem(ACCOUNT)
    made.campaign_id, made.name = parent.id, "Visits"
    made.objective, made.product_type = OBJECTIVE.WEBSITE_CLICKS, PRODUCT.PROMOTED_TWEETS
    made.placements = [PLACEMENT.ALL_ON_TWITTER]
    made.start_time = datetime.now(UTC).replace(microsecond=0, tzinfo=None) + timedelta(hours=1)
    made.entity_status = ENTITY_STATUS.ACTIVE
    made.save()
    assert (made.goal, made.pay_by, made.currency) == ("LINK_CLICKS", "IMPRESSION", "EUR")
    loaded = LineItem.load(ACCOUNT, made.id)
    assert loaded.placements == ["ALL_ON_TWITTER"] and loaded.product_type == "PROMOTED_TWEETS"
    loaded.bid_strategy, loaded.bid_amount_local_micro = "MAX", 400_000
    loaded.save()
    assert LineItem.load(ACCOUNT, made.id).bid_amount_local_micro == 400_000
    assert Campaign.load(ACCOUNT, parent.id).servable is True
    loaded.bid_amount_local_micro = 600 * EURO_MICRO
    try:
        loaded.save()
    except BadRequest as error:
        assert "bid_amount_local_micro" in str(error.details)
    else:
        raise AssertionError("a bid of more than the budget was accepted")
    assert made.id in [line_item.id for line_item in ACCOUNT.line_items(campaign_ids=[parent.id])]
    parent.delete()
    assert parent.deleted and gone(lambda: Campaign.load(ACCOUNT, parent.id))
    assert made.id not in [line_item.id for line_item in ACCOUNT.line_items()]
    loaded.delete()
    assert loaded.deleted and gone(lambda: LineItem.load(ACCOUNT, made.id))


if __name__ == "__main__":
    for step in sys.argv[1:]:
        globals()[step]()
