"""Webhooks of the platform, what may be delivered to them besides events, and connections of streams."""

from functools import partial
from typing import Annotated, Literal, get_args

from msgspec import Meta

from .endpoint import OF_APP_ALONE, Request, Resource, Token
from .rates import QUARTER_HOUR_SECONDS, Rate
from .types import Cursor, Id

BEARER_OR_USER1: tuple[Token, ...] = ("bearer", "user1")
USER_TOKENS: tuple[Token, ...] = ("user1", "user2")


def rate(name: str, requests: int) -> Rate:
    """Limit an endpoint in a quarter of an hour, by its headers where they are sent."""
    return Rate(name, requests, QUARTER_HOUR_SECONDS, kept="without headers")


NumberId = Annotated[
    str, Meta(pattern=r"^[0-9]{1,19}\Z", extra={"expected": "an id of 1 to 19 digits", "is_id": True})
]
WebhookId = Annotated[Id, Meta(description="The webhook", extra={"alias": "webhook"})]
CallbackUrl = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="Where events are delivered", extra={"argument": "URL"}),
]
# A minute of UTC.
ReplayTime = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{12}\Z", extra={"expected": "a minute in UTC as yyyymmddhhmm, such as 202603010800"}
    ),
]
PAGE_NAMES = {"count": "max_results", "cursor": "pagination_token"}  # of lists of the platform
FieldList = Annotated[str, Meta(min_length=1, description="Fields, separated by commas")]

WEBHOOKS = Resource(
    "/2/webhooks",
    "webhook_id",
    group="webhooks",
    columns="id url valid created_at",
    base="platform",
    params_in="json",
    example="1790415000000000101",
)


@WEBHOOKS.create(rate=rate("webhooks-create", 450), tokens=BEARER_OR_USER1)
class CreateWebhook(Request):
    """Register a URL that events are delivered to."""

    url: CallbackUrl


WebhookFields = Annotated[
    list[Literal["created_at", "id", "url", "valid"]], Meta(min_length=1, description="Only these fields")
]


@WEBHOOKS.list(
    rate=rate("webhooks-list", 450), tokens=OF_APP_ALONE, wire_names={"fields": "webhook_config.fields"}
)
class ListWebhooks(Request):
    """List the webhooks of the app."""

    fields: WebhookFields | None = None


@WEBHOOKS.update(
    "webhooks validate",
    rate=rate("webhooks-validate", 450),
    tokens=BEARER_OR_USER1,
    params_in="query",
    columns="valid",
    example="1790415000000000101",
)
class ValidateWebhook(Request):
    """Let the service challenge a webhook now; one that passes gets events again."""

    webhook_id: Id


@WEBHOOKS.delete(
    rate=rate("webhooks-delete", 450),
    tokens=BEARER_OR_USER1,
    columns="deleted",
    confirm_prompt="Delete the webhook {webhook_id}; nothing is delivered to it any longer",
)
class DeleteWebhook(Request):
    """Delete a webhook."""

    webhook_id: Id


@WEBHOOKS.endpoint(
    "POST /replay",
    "webhooks replay",
    rate=rate("webhooks-replay", 100),
    tokens=OF_APP_ALONE,
    params_in="json",
    columns="job_id created_at",
    record_id="job_id",
    example="--webhook 1790415000000000101 --from-date 202603010800 --to-date 202603010900",
)
class ReplayDeliveries(Request, kw_only=True):
    """Deliver the events of the last 24 hours again, from one minute to another.

    At the end the webhook gets a message with the state of the job. The service does not say whether events
    that are delivered again are billed again.
    """

    webhook_id: WebhookId
    from_date: ReplayTime
    to_date: ReplayTime


# Enterprise: what matches the rules of the filtered stream goes to webhooks too.
LINKS = Resource(
    "/2/posts/search/webhooks",
    "webhook_id",
    group="webhooks links",
    columns="webhook_id application_id fields created_at",
    extra_fields="business_user_id instance_id",
    record_id="webhook_id",
    record_kind="stream_link",
    base="platform",
    example="1790415000000000101",
)
FIELD_NAMES = {
    "post_fields": "post.fields",
    "tweet_fields": "tweet.fields",
    "media_fields": "media.fields",
    "poll_fields": "poll.fields",
    "user_fields": "user.fields",
    "place_fields": "place.fields",
}


@LINKS.list(tokens=OF_APP_ALONE, data_key="links")
class ListLinks(Request):
    """List the webhooks that get what matches the rules of the filtered stream."""


@LINKS.endpoint(
    "POST /{webhook_id}",
    "webhooks links create",
    tokens=OF_APP_ALONE,
    columns="provisioned",
    wire_names=FIELD_NAMES,
    retry=True,
    example="1790415000000000102 --post-fields id,text",
)
class CreateLink(Request, kw_only=True):
    """Deliver what matches the rules of the filtered stream to a webhook.

    It is for Enterprise apps; each delivered post counts towards the cap of posts.
    """

    webhook_id: Id
    post_fields: FieldList | None = None
    expansions: FieldList | None = None
    media_fields: FieldList | None = None
    poll_fields: FieldList | None = None
    user_fields: FieldList | None = None
    place_fields: FieldList | None = None


@LINKS.delete(tokens=OF_APP_ALONE, columns="deleted")
class DeleteLink(Request):
    """Deliver no more of the filtered stream to a webhook."""

    webhook_id: Id


StreamName = Literal[
    "filtered_stream",
    "sample_stream",
    "sample10_stream",
    "firehose_stream",
    "tweets_compliance_stream",
    "users_compliance_stream",
    "tweet_label_stream",
    "firehose_stream_lang_en",
    "firehose_stream_lang_ja",
    "firehose_stream_lang_ko",
    "firehose_stream_lang_pt",
    "likes_firehose_stream",
    "likes_sample10_stream",
    "likes_compliance_stream",
]
STREAM_NAMES: tuple[str, ...] = get_args(StreamName)
# Names are kept as they are sent, as categories of media are.
StreamText = Annotated[
    str,
    Meta(
        pattern=rf"^(?:{'|'.join(STREAM_NAMES)})\Z",
        extra={"expected": f"one of {', '.join(STREAM_NAMES)}", "seen": STREAM_NAMES},
    ),
]
CONNECTION_FIELDS = "id endpoint_name connected_at client_ip disconnected_at disconnect_reason"
ConnectionField = Literal[
    "client_ip", "connected_at", "disconnect_reason", "disconnected_at", "endpoint_name", "id"
]
ConnectionFields = Annotated[list[ConnectionField], Meta(min_length=1, description="Only these fields")]
CONNECTIONS = Resource("/2/connections", record_kind="connection", base="platform", columns=CONNECTION_FIELDS)
KILLS = partial(
    CONNECTIONS.endpoint,
    command="events connections delete",
    tokens=OF_APP_ALONE,
    columns="successful_kills failed_kills results",
    id_field="",
)
MAX_CONNECTIONS = 100


@CONNECTIONS.list(
    "events connections list",
    tokens=OF_APP_ALONE,
    wire_names={**PAGE_NAMES, "fields": "connection.fields"},
    example="--status all",
)
class ListConnections(Request):
    """List the connections of streams, the open ones by default."""

    status: Annotated[Literal["active", "inactive", "all"], Meta(extra={"default": "active"})] | None = None
    endpoints: Annotated[list[StreamText], Meta(min_length=1)] | None = None
    count: (
        Annotated[int, Meta(ge=1, le=100, description="Records per page", extra={"default": 10})] | None
    ) = None
    cursor: Cursor | None = None
    fields: Annotated[list[ConnectionField], Meta(min_length=1, description="Only these fields")] | None = (
        None
    )


@KILLS("DELETE", params_in="json")
class DeleteConnections(Request):
    """Close connections of streams by their ids."""

    uuids: Annotated[list[Id], Meta(min_length=1, max_length=MAX_CONNECTIONS, extra={"records": True})]


@KILLS("DELETE /{endpoint_id}")
class DeleteConnectionsOfEndpoint(Request):
    """Close all connections of one stream."""

    endpoint_id: Id


@KILLS("DELETE /all", rate=rate("connections-all", 25))
class DeleteAllConnections(Request):
    """Close all connections of streams."""


# The older product, which the service calls deprecated: all activities of the users who have signed in.
ACCOUNT_ACTIVITY = Resource(
    "/2/account_activity",
    base="platform",
    columns="subscribed",
)
OF_WEBHOOK = "--webhook 1790415000000000101"


class OfWebhook(Request, kw_only=True):
    """A request about the users of a webhook."""

    webhook_id: WebhookId


@ACCOUNT_ACTIVITY.endpoint(
    "POST /webhooks/{webhook_id}/subscriptions/all",
    "webhooks account-activity create",
    tokens=USER_TOKENS,
    params_in="json",
    retry=True,
    example="--webhook 1790415000000000102",
)
class SubscribeUser(OfWebhook):
    """Deliver all activities of the signed-in user to a webhook; the service has deprecated this."""


@ACCOUNT_ACTIVITY.endpoint(
    "GET /webhooks/{webhook_id}/subscriptions/all",
    "webhooks account-activity check",
    tokens=USER_TOKENS,
    example=OF_WEBHOOK,
)
class CheckUser(OfWebhook):
    """Show whether the activities of the signed-in user are delivered to a webhook."""


@ACCOUNT_ACTIVITY.endpoint(
    "GET /webhooks/{webhook_id}/subscriptions/all/list",
    "webhooks account-activity list",
    tokens=OF_APP_ALONE,
    data_key="subscriptions",
    columns="user_id",
    record_id="user_id",
    example=OF_WEBHOOK,
)
class ListUsers(OfWebhook):
    """List the users whose activities are delivered to a webhook."""


@ACCOUNT_ACTIVITY.endpoint(
    "DELETE /webhooks/{webhook_id}/subscriptions/{user_id}/all",
    "webhooks account-activity delete",
    tokens=OF_APP_ALONE,
    id_field="user_id",
    confirm_prompt="Deliver no more activities of the user {user_id} to the webhook {webhook_id}",
    example=f"1184672519 {OF_WEBHOOK}",
)
class UnsubscribeUser(OfWebhook, kw_only=True):
    """Deliver no more activities of a user to a webhook."""

    user_id: Id


@ACCOUNT_ACTIVITY.endpoint(
    "GET /subscriptions/count",
    "webhooks account-activity count",
    tokens=OF_APP_ALONE,
    columns="account_name provisioned_count subscriptions_count_all subscriptions_count_direct_messages",
    record_id="account_name",
)
class CountUsers(Request):
    """Count the users whose activities are delivered."""
