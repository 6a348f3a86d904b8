"""The activity interface: subscriptions to kinds of events, and the stream that delivers them."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from .conditions import at_least_one
from .endpoint import OF_APP_ALONE, Request, Resource, Token
from .types import Cursor, Id, Moment
from .validation import rule
from .webhooks import PAGE_NAMES, NumberId, WebhookId, rate

ANY_TOKEN: tuple[Token, ...] = ("bearer", "user1", "user2")
EventKind = Literal[
    "post.create",
    "post.delete",
    "post.mention.create",
    "post.reply.create",
    "post.quote.create",
    "post.repost.create",
    "like.create",
    "follow.follow",
    "follow.unfollow",
    "profile.update.bio",
    "profile.update.profile_picture",
    "profile.update.banner_picture",
    "profile.update.screenname",
    "profile.update.handle",
    "profile.update.geo",
    "profile.update.url",
    "profile.update.verified_badge",
    "profile.update.affiliate_badge",
    "chat.received",
    "chat.sent",
    "chat.conversation.join",
    "chat.conversation_join",
    "chat.conversation.member_added",
    "chat.conversation.member_removed",
    "chat.conversation.admin_added",
    "chat.conversation.admin_removed",
    "chat.update.group_name",
    "chat.update.restrictions",
    "dm.received",
    "dm.sent",
    "dm.read",
    "dm.indicate_typing",
    "news.new",
    "spaces.start",
    "spaces.end",
    "mute.mute",
    "mute.unmute",
    "block.block",
    "block.unblock",
    "broadcast.start",
    "broadcast.end",
    "broadcast.chat",
    "oauth.revoke",
]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
DEPRECATED_KINDS = {"chat.conversation_join": "chat.conversation.join"}  # still sent, by what it is now
# Kinds that only the user whom they are about may subscribe to, and the scope that their token needs.
PRIVATE_SCOPES = {
    **dict.fromkeys((kind for kind in EVENT_KINDS if kind.startswith(("chat.", "dm."))), "dm.read"),
    **dict.fromkeys((kind for kind in EVENT_KINDS if kind.startswith("mute.")), "mute.read"),
    **dict.fromkeys((kind for kind in EVENT_KINDS if kind.startswith("block.")), "block.read"),
    **{f"post.{what}.create": "tweet.read" for what in ("mention", "reply", "quote", "repost")},
    "like.create": "like.read",
    "broadcast.chat": "broadcast.read",
}
OF_KEYWORD, OF_APP = ("news.new",), ("oauth.revoke",)  # all others are of a user
OF_UNKNOWN = ("chat.conversation.", "chat.update.")  # whose filter is not stated
WITH_DIRECTION = ("like.", "dm.", "chat.")  # beginnings; the service's pages differ on the last two
PRICES_FROM = "August 2026"  # of the service's page of prices
# US dollars for a delivered event, once for the same one within a day of UTC; 0 is not billed. Kinds that are
# missing have no price on that page.
PRICES = {
    **dict.fromkeys(("post.create", "news.new", "spaces.start", "spaces.end"), 0.005),
    **dict.fromkeys((kind for kind in EVENT_KINDS if kind.startswith("profile.")), 0.005),
    **dict.fromkeys(("follow.follow", "follow.unfollow", "chat.received", "dm.received"), 0.010),
    **dict.fromkeys(("mute.mute", "mute.unmute", "block.block", "block.unblock"), 0.001),
    **dict.fromkeys(("chat.sent", "chat.conversation.join", "chat.conversation_join"), 0.0),
    **dict.fromkeys(("post.delete", "dm.sent", "dm.read", "dm.indicate_typing"), 0.0),
}


def is_private(kind: str) -> bool:
    """Tell whether a kind of events needs the token of the user whom it is about."""
    return kind in PRIVATE_SCOPES


def price_of(kind: str) -> str:
    """Say what an event of a kind costs, with the date of the source."""
    price = PRICES.get(kind)
    if price is None:
        return f"the service's list of prices ({PRICES_FROM}) has no price for {kind}"
    if not price:
        return f"{kind} is not billed ({PRICES_FROM})"
    return f"each delivered {kind} costs {price:.3f} USD ({PRICES_FROM}), the same one once a day"


Keyword = Annotated[str, Meta(min_length=1, max_length=150, description="A word, for news.new")]
Tag = Annotated[
    str, Meta(min_length=1, max_length=200, description="A name of your own, sent with each event")
]
Direction = Literal["inbound", "outbound"]
DirectionOfLikes = Annotated[
    Direction, Meta(description="Of like.create: likes that the user gets, or gives; both unless stated")
]


class EventFilter(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Whom or what events are about."""

    user_id: Annotated[NumberId, Meta(description="The user whom events are about")] | None = None
    keyword: Keyword | None = None
    direction: DirectionOfLikes | None = None


SUBSCRIPTIONS = Resource(
    "/2/activity/subscriptions",
    "subscription_id",
    columns="subscription_id event_type filter tag webhook_id created_at",
    extra_fields="updated_at",
    record_id="subscription_id",
    record_kind="activity_subscription",
    base="platform",
    params_in="json",
    example="1790415000000000201",
)


@SUBSCRIPTIONS.create(
    "events subscribe",
    rate=rate("subscriptions-create", 500),
    tokens=ANY_TOKEN,
    data_key="subscription",
)
class CreateSubscription(Request, kw_only=True):
    """Subscribe to a kind of events."""

    event_type: Annotated[EventKind, Meta(description="The kind of events", extra={"argument": "KIND"})]
    filter: EventFilter
    tag: Tag | None = None
    webhook_id: Annotated[WebhookId, Meta(description="Deliver events to this webhook too")] | None = None

    @rule("filter")
    def filter_fits_kind(self) -> str | None:
        """Require what events of the kind are about, and nothing else."""
        kind, about = self.event_type, self.filter
        if kind in OF_KEYWORD:
            return _only(kind, "keyword", about.keyword, user_id=about.user_id, direction=about.direction)
        if about.direction and not kind.startswith(WITH_DIRECTION):
            return f"{kind} has no direction"
        if kind in OF_APP or kind.startswith(OF_UNKNOWN):
            return None
        return _only(kind, "user_id", about.user_id, keyword=about.keyword)


def _only(kind: str, name: str, value: str | None, **others: str | None) -> str | None:
    if extra := next((other for other, given in others.items() if given), None):
        return f"{kind} is not filtered by {extra}"
    return None if value else f"{kind} needs {name}"


@SUBSCRIPTIONS.list(
    "events subscriptions",
    rate=rate("subscriptions-list", 500),
    tokens=ANY_TOKEN,
    wire_names=PAGE_NAMES,
)
class ListSubscriptions(Request):
    """List the subscriptions of the app to events."""

    count: (
        Annotated[int, Meta(ge=1, le=1000, description="Records per page", extra={"default": 1000})] | None
    ) = None
    cursor: Cursor | None = None


@SUBSCRIPTIONS.update(
    "events update",
    rate=rate("subscriptions-update", 500),
    tokens=OF_APP_ALONE,
    data_key="subscription",
    example="1790415000000000201 --tag 'Shop posts'",
)
@at_least_one("tag", "webhook_id")
class UpdateSubscription(Request, kw_only=True):
    """Change the tag or the webhook of a subscription; for another kind or filter, delete and create it."""

    subscription_id: Id
    tag: Tag | None = None
    webhook_id: WebhookId | None = None


@SUBSCRIPTIONS.delete(
    "events unsubscribe", rate=rate("subscriptions-delete", 500), tokens=OF_APP_ALONE, columns="deleted"
)
class DeleteSubscription(Request):
    """End a subscription to events."""

    subscription_id: Id


MAX_DELETIONS = 100


@SUBSCRIPTIONS.endpoint(
    "DELETE",
    "events unsubscribe",
    tokens=OF_APP_ALONE,
    id_field="",
    columns="subscription_id deleted reason message",
)
class DeleteSubscriptions(Request):
    """End several subscriptions to events at once."""

    ids: Annotated[list[Id], Meta(min_length=1, max_length=MAX_DELETIONS, extra={"records": True})]


STREAM = Resource("/2/activity/stream", base="platform")


@STREAM.endpoint("GET", "events listen", rate=rate("activity-stream", 450), tokens=OF_APP_ALONE)
class ListenToEvents(Request):
    """Read the stream of events: a line of JSON for each, and an empty line at least every 20 seconds."""

    backfill_minutes: (
        Annotated[int, Meta(ge=0, le=5, description="Repeat the events of these minutes")] | None
    ) = None
    start_time: Annotated[Moment, Meta(description="Events since then, up to 24 hours back")] | None = None
    end_time: Annotated[Moment, Meta(description="End once the events until then are sent")] | None = None
