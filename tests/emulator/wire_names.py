"""The names of service x, written a second time: a slip in the table must not be on both sides of a test."""

import json
import re
from typing import Any

import httpx
import pytest

X_NAMES = {
    "android_store_app_id": "googleplay_app_id",
    "android_store_deep_link": "googleplay_deep_link",
    "draft_post_id": "draft_tweet_id",
    "off_platform_engagement_time": "non_twitter_engagement_time",
    "off_platform_engagement_type": "non_twitter_engagement_type",
    "platform_attribution": "twitter_attribution",
    "platform_auth_access_type": "x_auth_access_type",
    "platform_click_id": "twclid",
    "platform_id": "twitter_id",
    "post_fields": "tweet_fields",
    "post_id": "tweet_id",
    "post_ids": "tweet_ids",
    "post_mode": "tweet_mode",
    "post_type": "tweet_type",
    "post_volume": "tweet_volume",
    "posted": "tweeted",
    "posts_send": "tweets_send",
    "promoted_post_id": "promoted_tweet_id",
    "promoted_post_ids": "promoted_tweet_ids",
    "repost_count": "retweet_count",
    "reposted": "retweeted",
    "reposts": "retweets",
    "scheduled_post_id": "scheduled_tweet_id",
    "scheduled_promoted_post_id": "scheduled_promoted_tweet_id",
    "scheduled_promoted_post_ids": "scheduled_promoted_tweet_ids",
    "store_product_category": "google_product_category",
    "top_posts": "top_tweets",
}
X_VALUES = {
    "ORGANIC_POST": "ORGANIC_TWEET",
    "PLATFORM_ID": "TWITTER_ID",
    "POST_COMPOSER": "TWEET_COMPOSER",
    "PROMOTED_POST": "PROMOTED_TWEET",
    "PROMOTED_POSTS": "PROMOTED_TWEETS",
    "REPOSTS_ONLY": "RETWEETS_ONLY",
    "promoted_posts": "promoted_tweets",
    "POST_IMAGE": "TWEET_IMAGE",
    "POST_GIF": "TWEET_GIF",
    "POST_VIDEO": "TWEET_VIDEO",
    "ALL_ON_PLATFORM": "ALL_ON_TWITTER",
    "PLATFORM_PROFILE": "TWITTER_PROFILE",
    "PLATFORM_REPLIES": "TWITTER_REPLIES",
    "PLATFORM_SEARCH": "TWITTER_SEARCH",
    "PLATFORM_TIMELINE": "TWITTER_TIMELINE",
    "store_product_category": "google_product_category",
}
X_SEGMENTS = {
    "draft_posts": "draft_tweets",
    "post": "tweet",
    "post_previews": "tweet_previews",
    "posts": "tweets",
    "promoted_posts": "promoted_tweets",
    "scheduled_posts": "scheduled_tweets",
    "scheduled_promoted_posts": "scheduled_promoted_tweets",
}
Table = dict[str, str]


@pytest.fixture(params=["generic", "x"])
def service_name(request) -> str:
    """Both services, for the modules that import this fixture."""
    return request.param


# For tests of what the services do otherwise, names apart.
generic_only = pytest.mark.parametrize("service_name", ["generic"])
x_only = pytest.mark.parametrize("service_name", ["x"])


def renamed(value: Any, names: Table, values: Table) -> Any:
    """Rename keys and values at any depth."""
    if isinstance(value, dict):
        return {names.get(name, name): renamed(inner, names, values) for name, inner in value.items()}
    if isinstance(value, list):
        return [renamed(inner, names, values) for inner in value]
    return values.get(value, value) if isinstance(value, str) else value


def sent_to_x(path: str, query: dict[str, Any], body: Any) -> tuple[str, dict[str, Any], Any]:
    """Write a request with neutral names as service x has it."""
    path = "/".join(X_SEGMENTS.get(segment, segment) for segment in path.split("/"))
    values = {name: _listed(value) for name, value in query.items()}
    if not isinstance(body, bytes):
        body = renamed(body, X_NAMES, X_VALUES)
    return path, renamed(values, X_NAMES, {}), body


def _listed(value: Any) -> Any:
    """Rename the values of a comma list."""
    if not isinstance(value, str):
        return value
    return ",".join(X_VALUES.get(part, part) for part in value.split(","))


def read_from_x(response: httpx.Response, path: str) -> httpx.Response:
    """Read a response of service x with neutral names; also in what its errors say of parameters.

    A card comes as a list of one.
    """
    if "json" not in response.headers.get("content-type", ""):
        return response
    back = {wire: name for name, wire in X_NAMES.items()}
    body = renamed(response.json(), back, {wire: value for value, wire in X_VALUES.items()})
    is_card = re.fullmatch(r"/12/accounts/[^/]+/cards/(?!all$)[^/]+", path) and "next_cursor" not in body
    if is_card and isinstance(body.get("data"), list):
        (body["data"],) = body["data"]
    for error in body.get("errors") or [] if isinstance(body, dict) else []:
        for member in ("parameter", "message"):
            if isinstance(error.get(member), str):
                error[member] = re.sub(r"\w+", lambda word: back.get(word[0], word[0]), error[member])
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    return httpx.Response(response.status_code, headers=headers, content=json.dumps(body).encode())
