"""What the official examples of the public SDK do, as in `sdk_session`: python sdk_examples.py STEPS..."""

import hashlib
import os
import sys
from datetime import UTC, datetime, timedelta

from sdk_session import ACCOUNT, CLIENT, image
from twitter_ads import API_VERSION
from twitter_ads.audience import CustomAudience
from twitter_ads.campaign import Campaign, LineItem, TargetingCriteria, Tweet
from twitter_ads.creative import (
    Card,
    DraftTweet,
    MediaCreative,
    MediaLibrary,
    PollCard,
    PromotedTweet,
    ScheduledTweet,
    TweetPreview,
)
from twitter_ads.cursor import Cursor
from twitter_ads.enum import (
    ENTITY_STATUS,
    GRANULARITY,
    MEDIA_TYPE,
    METRIC_GROUP,
    OBJECTIVE,
    PLACEMENT,
    PRODUCT,
    TWEET_TYPE,
)
from twitter_ads.http import Request
from twitter_ads.targeting import AudienceEstimate

EURO_MICRO = 1_000_000
BERLIN = next(iter(TargetingCriteria.locations(ACCOUNT, q="berlin")))["targeting_value"]


def new_campaign(name: str) -> Campaign:
    """Describe a paused campaign."""
    campaign = Campaign(ACCOUNT)
    campaign.funding_instrument_id = next(
        instrument.id for instrument in ACCOUNT.funding_instruments() if instrument.able_to_fund
    )
    campaign.daily_budget_amount_local_micro = EURO_MICRO
    campaign.name, campaign.entity_status = name, ENTITY_STATUS.PAUSED
    return campaign


def new_line_item(campaign: Campaign, name: str) -> LineItem:
    """Describe a paused line item."""
    line_item = LineItem(ACCOUNT)
    line_item.campaign_id, line_item.name = campaign.id, name
    line_item.product_type, line_item.placements = PRODUCT.PROMOTED_TWEETS, [PLACEMENT.ALL_ON_TWITTER]
    line_item.objective, line_item.bid_amount_local_micro = OBJECTIVE.ENGAGEMENTS, 10_000
    line_item.entity_status = ENTITY_STATUS.PAUSED
    line_item.start_time = datetime.now(UTC) + timedelta(hours=1)
    return line_item


def criterion(line_item: LineItem, targeting_type: str, value: str) -> TargetingCriteria:
    """Describe a criterion of a line item."""
    target = TargetingCriteria(ACCOUNT)
    target.line_item_id, target.targeting_type, target.targeting_value = line_item.id, targeting_type, value
    target.operator_type = "EQ"
    return target


def quick_start() -> None:
    """Create a campaign, its line item, and whom it targets; promote a new post by it."""
    campaign = new_campaign("my first campaign")
    campaign.save()
    line_item = new_line_item(campaign, "my first ad")
    line_item.save()
    place = criterion(line_item, "LOCATION", BERLIN)
    place.save()
    assert campaign.id and line_item.id and place.id
    post = Tweet.create(ACCOUNT, text="There can be only one...")
    PromotedTweet.attach(ACCOUNT, line_item_id=line_item.id, tweet_ids=[post["id"]])
    assert post["id_str"] in [
        promotion.tweet_id for promotion in ACCOUNT.promoted_tweets(line_item_ids=[line_item.id])
    ]
    assert next(iter(ACCOUNT.line_items(None, campaign_ids=campaign.id))).id == line_item.id


def batches() -> None:
    """Create, change and delete campaigns, line items and criteria, several to a request."""
    campaigns = [new_campaign(f"batch {number}") for number in range(2)]
    Campaign.batch_save(ACCOUNT, campaigns)
    for campaign in campaigns:
        campaign.name += " changed"
    Campaign.batch_save(ACCOUNT, campaigns)
    assert Campaign.load(ACCOUNT, campaigns[1].id).name == "batch 1 changed"
    line_items = [new_line_item(campaigns[0], f"ad {number}") for number in range(2)]
    LineItem.batch_save(ACCOUNT, line_items)
    criteria = [criterion(line_items[0], "LOCATION", BERLIN)]
    criteria += [criterion(line_items[0], "PHRASE_KEYWORD", "righteous dude")]
    TargetingCriteria.batch_save(ACCOUNT, criteria)
    assert all(line_item.id for line_item in (*line_items, *criteria))
    for kind, records in ((TargetingCriteria, criteria), (LineItem, line_items), (Campaign, campaigns)):
        for id in records:
            id.to_delete = True
        kind.batch_save(ACCOUNT, records)
        assert all(record.deleted for record in records), kind


def analytics() -> None:
    """Ask for the statistics of one line item, of several, by a job, and of those that were active."""
    line_items = list(ACCOUNT.line_items(None, count=10))[:10]
    groups, ids = [METRIC_GROUP.BILLING], [line_item.id for line_item in line_items]
    assert line_items[0].stats(groups) and len(LineItem.all_stats(ACCOUNT, ids, groups)) == len(ids)
    job = LineItem.queue_async_stats_job(ACCOUNT, ids, groups)
    assert LineItem.async_stats_job_result(ACCOUNT, job_ids=[job.id]).first.id == job.id
    today = datetime.now(UTC).date()
    active = LineItem.active_entities(ACCOUNT, today - timedelta(days=1), today)
    records = [line_item["entity_id"] for line_item in active]
    end = datetime.now(UTC).replace(minute=0, second=0, microsecond=0, tzinfo=None)
    options = {"granularity": GRANULARITY.HOUR, "placement": PLACEMENT.ALL_ON_TWITTER}
    times = {"start_time": end - timedelta(hours=1), "end_time": end}
    assert not records or LineItem.all_stats(ACCOUNT, records, [METRIC_GROUP.ENGAGEMENT], **options, **times)


def cards() -> None:
    """Find a card by names that the reference lacks, and send its media with what describes them."""
    card = Card.all(ACCOUNT, card_ids="7cqs1").first
    video = MediaLibrary(ACCOUNT).all(ACCOUNT, media_type=MEDIA_TYPE.VIDEO).first
    described = {"type": "VIDEO", "url": video.media_url, "width": 640, "height": 360, "video_duration": 7967}
    site = {"url": "http://shop.example/newvalue", "type": "WEBSITE"}
    components = [
        {"media_key": video.media_key, "media_metadata": {video.media_key: described}, "type": "MEDIA"},
        {"title": "Mugs", "destination": site, "type": "DETAILS"},
    ]
    made = Card(account=ACCOUNT)
    made.name, made.components = "my new card", components
    made.save()
    loaded = Card.load(account=ACCOUNT, id=made.id)
    loaded.components = components
    loaded.save()
    assert card.id and "media_metadata" not in Card.load(account=ACCOUNT, id=made.id).components[0]
    assert Tweet.create(ACCOUNT, text="Created from the SDK", card_uri=made.card_uri)["id"]


def posts() -> None:
    """Draft, schedule, preview and poll."""
    draft = DraftTweet(ACCOUNT)
    draft.text, draft.as_user_id = "draft tweet - new", ACCOUNT.promotable_users().first.user_id
    draft = draft.save()
    draft = draft.load(ACCOUNT, draft.id)
    draft.text = "draft tweet - update"
    assert draft.save().text == "draft tweet - update" and len([*DraftTweet.all(ACCOUNT)]) > 1
    made = Tweet.create(ACCOUNT, text=draft.text, as_user_id=draft.user_id)
    later = ScheduledTweet(ACCOUNT)
    later.text, later.scheduled_at = "Future", datetime.now(UTC) + timedelta(days=2)
    assert later.save().id
    shown = TweetPreview.load(ACCOUNT, tweet_ids=[made["id_str"]], tweet_type=TWEET_TYPE.PUBLISHED)
    assert [record.tweet_id for record in shown] == [made["id_str"]]
    video = MediaLibrary(ACCOUNT).all(ACCOUNT, media_type=MEDIA_TYPE.VIDEO).first
    poll = PollCard(ACCOUNT)
    poll.duration_in_minutes, poll.first_choice, poll.second_choice = 10080, "Northern", "Southern"
    poll.name, poll.media_key = f"{video.name} poll card from SDK", video.media_key
    poll.save()
    assert poll.content_duration_seconds.isdecimal()
    assert Tweet.create(ACCOUNT, text="Which hemisphere do you prefer?", card_uri=poll.card_uri)["id"]


def people() -> None:
    """Fill a new audience, and estimate another one."""
    audience = CustomAudience.create(ACCOUNT, "test CA")
    digest = hashlib.sha256(b"test-email@test.example").hexdigest()
    user = [{"operation_type": "Update", "params": {"users": [{"email": [digest]}]}}]
    assert audience.users(user) == (1, 1)
    values = (("LOCATION", BERLIN), ("BROAD_KEYWORD", "cats"), ("SIMILAR_TO_FOLLOWERS_OF_USER", "14230524"))
    criteria = [{"targeting_type": kind, "targeting_value": value} for kind, value in values]
    estimate = AudienceEstimate.load(account=ACCOUNT, params={"targeting_criteria": criteria})
    assert estimate.audience_size["min"] < estimate.audience_size["max"]


def media() -> None:
    """List what a line item shows, and add media to it."""
    assert ACCOUNT.media_creatives().first.id and image()
    creative = MediaCreative(ACCOUNT)
    creative.line_item_id = os.environ["LINE_ITEM"]
    creative.account_media_id, creative.landing_url = (
        ACCOUNT.account_media().first.id,
        "https://my-landing-url.example",
    )
    creative.save()
    creative.delete()
    assert creative.deleted


def manual() -> None:
    """Send requests of one's own, and follow the pages of one."""
    path = f"/{API_VERSION}/accounts/{ACCOUNT.id}/features"
    response = Request(CLIENT, "get", path, params={"feature_keys": "REACH_FREQUENCY_CAP"}).perform()
    assert response.body["data"] == ["REACH_FREQUENCY_CAP"]
    assert response.headers["x-current-api-version"] == "12"
    places = Request(
        CLIENT, "get", f"/{API_VERSION}/targeting_criteria/locations", params={"q": "ham", "count": 1}
    )
    assert [record["name"] for record in Cursor(None, places)]


if __name__ == "__main__":
    for step in sys.argv[1:]:
        globals()[step]()
