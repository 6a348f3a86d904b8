"""A session of the public SDK, unchanged but for its addresses: python sdk_session.py STEPS...

It runs in an environment of its own, without adsctl; the variables of `emulator exec` name the emulator.
"""

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import twitter_ads
from twitter_ads.account import Account
from twitter_ads.audience import CustomAudience
from twitter_ads.campaign import ScheduledPromotedTweet, TargetingCriteria, Tweet
from twitter_ads.client import Client
from twitter_ads.creative import (
    Card,
    CardsFetch,
    DraftTweet,
    ImageConversationCard,
    MediaCreative,
    MediaLibrary,
    PollCard,
    PromotedAccount,
    PromotedTweet,
    ScheduledTweet,
    TweetPreview,
    Tweets,
    VideoConversationCard,
)
from twitter_ads.error import Forbidden, NotFound
from twitter_ads.http import Request

# The SDK shows all deprecations, of what Python has deprecated since, too.
warnings.filterwarnings("ignore", r"datetime\.datetime\.utc", DeprecationWarning, "twitter_ads")

Request._DEFAULT_DOMAIN = os.environ["ADSCTL_ADS_URL"]
Request._SANDBOX_DOMAIN = os.environ["ADSCTL_ADS_SANDBOX_URL"]
NAMES = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_TOKEN_SECRET")
CLIENT = Client(*(os.environ[f"ADSCTL_{name}"] for name in NAMES))
ACCOUNT = Account.load(CLIENT, os.environ["ADSCTL_ACCOUNT"])


def accounts() -> None:
    """List the accounts page by page, and load one."""
    listed = [account.id for account in Account.all(CLIENT, count=1, with_deleted=True)]
    assert len(listed) > 1 and ACCOUNT.id in listed and len(set(listed)) == len(listed)
    assert ACCOUNT.name and ACCOUNT.timezone and ACCOUNT.created_at
    try:
        Account.load(CLIENT, "nobody")
    except Forbidden as error:
        assert error.code == 403 and error.details[0]["code"] == "ACCOUNT_NOT_FOUND"
    else:
        raise AssertionError("an account that does not exist was loaded")


def features() -> None:
    """List the features of the account."""
    available = ACCOUNT.features()
    assert available and all(isinstance(key, str) for key in available)


def media() -> None:
    """List the media of the account and its library; load, change and delete an entry of the library."""
    shown = list(ACCOUNT.account_media())
    assert shown and ACCOUNT.account_media(shown[0].id).media_url == shown[0].media_url
    library = list(MediaLibrary.all(ACCOUNT, count=2))
    assert len(library) > 2 and all(media.media_key for media in library)
    entry = library[0]
    entry.name = "Renamed by the SDK"
    assert entry.update().name == "Renamed by the SDK"
    assert entry.reload().name == "Renamed by the SDK"
    unused = next(media for media in library if not media.tweeted)
    unused.delete()
    assert unused.deleted or unused.media_key not in [media.media_key for media in MediaLibrary.all(ACCOUNT)]


def image() -> str:
    """Find the key of an image in the library."""
    return next(media.media_key for media in MediaLibrary.all(ACCOUNT) if media.media_type == "IMAGE")


def cards() -> None:
    """Create a card, load it, change it, and find it in the list; create and change a video card."""
    card = Card(ACCOUNT)
    card.name = "Mugs"
    site = {"type": "WEBSITE", "url": "https://shop.example/mugs"}
    card.components = [
        {"type": "MEDIA", "media_key": image()},
        {"type": "DETAILS", "title": "Mugs", "destination": site},
    ]
    card.save()
    assert card.id and card.card_uri == f"card://{card.id}"
    loaded = Card.load(ACCOUNT, card.id)
    assert loaded.components[1]["title"] == "Mugs"
    loaded.name = "Blue mugs"
    assert loaded.save().name == "Blue mugs"
    assert "Blue mugs" in [card.name for card in ACCOUNT.cards()]
    video = next(media.media_key for media in MediaLibrary.all(ACCOUNT) if media.media_type == "VIDEO")
    conversation = VideoConversationCard(ACCOUNT)
    conversation.name, conversation.title, conversation.media_key = "Talk", "Which mug?", video
    conversation.first_cta, conversation.first_cta_tweet = "#bluemug", "The blue one"
    conversation.thank_you_text = "Thanks"
    conversation.save()
    conversation.title = "Which of them?"
    assert conversation.save().title == "Which of them?"
    assert VideoConversationCard.load(ACCOUNT, conversation.id).title == "Which of them?"


def conversations() -> None:
    """Create an image conversation, change it, fetch it by its address and by its id, and delete it."""
    card = ImageConversationCard(ACCOUNT)
    card.name, card.title, card.media_key = "Talk", "Which mug?", image()
    card.first_cta, card.first_cta_tweet = "#bluemug", "The blue one"
    card.thank_you_text = "Thanks"
    card.save()
    card.title = "Which of them?"
    assert card.save().title == "Which of them?"
    assert card.id in [card.id for card in ImageConversationCard.all(ACCOUNT)]
    (fetched,) = CardsFetch.load(ACCOUNT, card_uris=[card.card_uri])
    by_id = CardsFetch.load(ACCOUNT, card_id=card.id)
    assert fetched.title == by_id.title == "Which of them?" and fetched.first_cta == "#bluemug"
    assert (fetched.image_display_width, fetched.card_type) == ("800", "IMAGE_CONVERSATION")
    card.delete()
    assert card.deleted and gone(lambda: ImageConversationCard.load(ACCOUNT, card.id))


def drafts() -> None:
    """Create a draft, load it, change it, preview it, and delete it."""
    draft = DraftTweet(ACCOUNT)
    draft.text, draft.media_keys = "The blue mugs are back", [image()]
    draft.save()
    assert draft.id and draft.nullcast is True and draft.media_keys == [image()]
    loaded = DraftTweet.load(ACCOUNT, draft.id)
    loaded.text = "The blue mugs are here"
    assert loaded.save().text == "The blue mugs are here"
    assert draft.id in [post.id for post in DraftTweet.all(ACCOUNT, count=1)]
    (shown,) = TweetPreview.load(ACCOUNT, tweet_ids=[draft.id], tweet_type="DRAFT")
    assert shown.tweet_id == draft.id and "<iframe" in shown.preview
    assert draft.id in [post["tweet_id"] for post in Tweets.all(ACCOUNT, tweet_type="DRAFT")]
    loaded.delete()
    assert gone(lambda: DraftTweet.load(ACCOUNT, draft.id))


def scheduled() -> None:
    """Schedule a post, load it, move it, and delete it."""
    time = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=2)
    post = ScheduledTweet(ACCOUNT)
    post.text, post.scheduled_at, post.nullcast = "Good morning", time, False
    post.save()
    assert (post.scheduled_status, post.scheduled_at, post.tweet_id) == ("SCHEDULED", z(time), None)
    loaded = ScheduledTweet.load(ACCOUNT, post.id)
    loaded.scheduled_at = time + timedelta(hours=1)
    assert loaded.save().scheduled_at == z(time + timedelta(hours=1))
    assert post.id in [post.id for post in ScheduledTweet.all(ACCOUNT, count=1)]
    listed = list(Tweets.all(ACCOUNT, tweet_type="SCHEDULED", timeline_type="ORGANIC"))
    assert [(record["tweet_id"], record["full_text"]) for record in listed] == [(post.id, "Good morning")]
    loaded.delete()
    assert gone(lambda: ScheduledTweet.load(ACCOUNT, post.id))


def z(time: datetime) -> str:
    """Write a time as the service does."""
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def gone(load: Callable[[], object]) -> bool:
    """Tell whether what is loaded does not exist."""
    try:
        load()
    except NotFound:
        return True
    return False


def polls() -> None:
    """Create a poll, and load it."""
    poll = PollCard(ACCOUNT)
    poll.name, poll.duration_in_minutes = "Mugs", 60
    poll.first_choice, poll.second_choice = "Blue", "White"
    poll.save()
    loaded = PollCard.load(ACCOUNT, poll.id)
    assert (loaded.first_choice, loaded.second_choice) == ("Blue", "White") and loaded.card_uri
    assert poll.id in [card.id for card in PollCard.all(ACCOUNT)]


def targeting() -> None:
    """Search values, target some of them by a line item, load and list the criteria, and delete one."""
    line_item = os.environ["LINE_ITEM"]
    place = TargetingCriteria.locations(ACCOUNT, q="hamburg", location_type="REGIONS").first
    interests = list(TargetingCriteria.interests(ACCOUNT, count=5))
    assert place["country_code"] == "DE" and len(interests) > 50
    criterion = TargetingCriteria(ACCOUNT)
    criterion.line_item_id, criterion.targeting_type = line_item, place["targeting_type"]
    criterion.targeting_value, criterion.operator_type = place["targeting_value"], "EQ"
    criterion.save()
    assert criterion.id and criterion.name == place["name"] and criterion.operator_type == "EQ"
    loaded = TargetingCriteria.load(ACCOUNT, criterion.id)
    assert loaded.targeting_value == place["targeting_value"] and not loaded.deleted
    listed = [
        criterion.id for criterion in TargetingCriteria.all(ACCOUNT, line_item_ids=[line_item], count=2)
    ]
    assert len(listed) > 2 and criterion.id in listed
    keyword = TargetingCriteria.create(
        ACCOUNT,
        line_item_id=line_item,
        operator_type="NE",
        targeting_type="BROAD_KEYWORD",
        targeting_value="wool +hats",
    )
    keyword.delete()
    assert keyword.deleted
    assert keyword.id not in [
        criterion.id for criterion in TargetingCriteria.all(ACCOUNT, line_item_ids=[line_item])
    ]
    words = [TargetingCriteria(ACCOUNT) for _ in range(3)]
    for number, word in enumerate(words):
        word.line_item_id, word.targeting_type = line_item, "PHRASE_KEYWORD"
        word.targeting_value, word.operator_type = f"wool hat {number}", "EQ"
    TargetingCriteria.batch_save(ACCOUNT, words)
    assert [word.name for word in words] == ["wool hat 0", "wool hat 1", "wool hat 2"]
    words[0].to_delete = True
    TargetingCriteria.batch_save(ACCOUNT, words[:1])
    listed = [criterion.id for criterion in TargetingCriteria.all(ACCOUNT, line_item_ids=[line_item])]
    assert words[0].deleted and words[0].id not in listed and {words[1].id, words[2].id} < {*listed}
    shows = TargetingCriteria.tv_shows(ACCOUNT, locale=TargetingCriteria.tv_markets(ACCOUNT).first["locale"])
    assert shows.first["locales"] and TargetingCriteria.platforms(ACCOUNT).first["name"]


def promotions() -> None:
    """Promote posts, an account, a scheduled post and media; load, list and delete the promotions."""
    line_item = os.environ["LINE_ITEM"]
    posts = [Tweet.create(ACCOUNT, text=f"Mugs {number}")["id_str"] for number in range(2)]
    first, second = PromotedTweet.attach(ACCOUNT, line_item_id=line_item, tweet_ids=posts)
    assert [first.tweet_id, second.tweet_id] == posts and first.approval_status == "ACCEPTED"
    assert PromotedTweet.load(ACCOUNT, first.id).tweet_id == posts[0]
    first.delete()
    promoted = [promotion.id for promotion in ACCOUNT.promoted_tweets(line_item_ids=[line_item])]
    assert first.deleted and first.id not in promoted and second.id in promoted
    account = PromotedAccount.create(ACCOUNT, line_item_id=os.environ["FOLLOWERS"], user_id=17)
    assert account.id in [account.id for account in PromotedAccount.all(ACCOUNT)] and account.user_id == "17"
    scheduled = next(iter(ScheduledPromotedTweet.all(ACCOUNT)))
    assert scheduled.scheduled_tweet_id and scheduled.tweet_id is None
    scheduled.delete()
    assert scheduled.deleted
    creative = MediaCreative(ACCOUNT)
    creative.line_item_id, creative.account_media_id = line_item, ACCOUNT.account_media().first.id
    creative.landing_url = "https://shop.example/"
    creative.save()
    assert MediaCreative.load(ACCOUNT, creative.id).line_item_id == line_item


def users() -> None:
    """Add people to an audience by two kinds of identifiers, and remove one."""
    audience = CustomAudience(ACCOUNT)
    audience._id = os.environ["AUDIENCE"]
    people = [hashlib.sha256(text.encode()).hexdigest() for text in ("ana@shop.example", "1184672519")]
    user = {"email": [people[0]], "twitter_id": [people[1]]}
    assert audience.users([{"operation_type": "Update", "params": {"users": [user, user]}}]) == (2, 2)
    assert audience.users([{"operation_type": "Delete", "params": {"users": [user]}}]) == (1, 1)


def products() -> None:
    """Put products with the SDK's own request, page through the catalog, and delete one."""
    path = f"/{twitter_ads.API_VERSION}/product_catalogs/{os.environ['ADSCTL_CATALOG']}/products"
    product = json.loads(os.environ["PRODUCT"]) | {"google_product_category": "Home & Garden"}
    body = json.dumps({"products": [product, product | {"id": "sku-2"}]})
    headers = {"Content-Type": "application/json"}
    put = Request(CLIENT, "put", path, headers=headers, body=body).perform()
    results = put.body["data"]["products_response"]
    assert [result["status"] for result in results] == ["CREATE_SUCCESS"] * 2
    listed = Request(CLIENT, "get", path, params={"count": 1}).perform().body
    assert listed["data"][0]["google_product_category"] == "Home & Garden" and listed["next_cursor"]
    body = json.dumps({"product_keys": [results[0]["product_key"]]})
    deleted = Request(CLIENT, "delete", path, headers=headers, body=body).perform().body["data"]
    assert deleted["delete_products"][0]["product_key"] == results[0]["product_key"]


if __name__ == "__main__":
    for step in sys.argv[1:]:
        globals()[step]()
