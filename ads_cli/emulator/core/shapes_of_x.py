"""The shapes of answers that service x gives otherwise than the neutral service."""

import re
from collections.abc import Callable
from datetime import datetime

from ..storage import Record, without
from .responses import Result

# What a post and an author have besides, with the values that they have here.
POST_DEFAULTS: Record = {
    "truncated": False,
    "lang": "de",
    "source": '<a href="https://ads.example" rel="nofollow">Ads</a>',
    "entities": {"hashtags": [], "symbols": [], "user_mentions": [], "urls": []},
    **dict.fromkeys(("contributors", "coordinates", "geo", "place")),
    **dict.fromkeys(("in_reply_to_status_id", "in_reply_to_status_id_str", "in_reply_to_user_id")),
    **dict.fromkeys(("in_reply_to_user_id_str", "in_reply_to_screen_name")),
    "reposted": False,
    "repost_count": 0,
    "favorited": False,
    "favorite_count": 0,
    "scopes": {"followers": False},
}
AUTHOR_DEFAULTS: Record = {
    "location": "Hamburg",
    "description": "",
    "url": "https://shop.example",
    **dict.fromkeys(("protected", "verified", "geo_enabled", "contributors_enabled"), False),
    **dict.fromkeys(("is_translator", "is_translation_enabled"), False),
    **dict.fromkeys(("followers_count", "friends_count", "listed_count", "favourites_count"), 0),
    "statuses_count": 0,
    "created_at": "Fri Mar 01 09:15:00 +0000 2024",
    **dict.fromkeys(("lang", "time_zone", "utc_offset")),
    "translator_type": "none",
    **dict.fromkeys(("following", "follow_request_sent", "notifications")),
    "withheld_in_countries": [],
    "default_profile": True,
    "default_profile_image": True,
    "profile_image_url": "http://images.example/profile.png",
    "profile_image_url_https": "https://images.example/profile.png",
    "profile_banner_url": "https://images.example/banner.png",
    **dict.fromkeys(("profile_background_image_url", "profile_background_image_url_https")),
    "profile_background_tile": False,
    "profile_use_background_image": True,
    "profile_background_color": "F5F8FA",
    "profile_link_color": "1DA1F2",
    "profile_text_color": "333333",
    "profile_sidebar_border_color": "C0DEED",
    "profile_sidebar_fill_color": "DDEEF6",
}


def classic_post(post: Record) -> Record:
    """Return a post with a number as its id, and the time in the older form."""
    created_at = datetime.fromisoformat(post["created_at"]).strftime("%a %b %d %H:%M:%S +0000 %Y")
    entities = POST_DEFAULTS["entities"] | {"urls": _urls(post.get("full_text") or post.get("text") or "")}
    return (
        POST_DEFAULTS
        | without(post, "updated_at", "deleted")
        | _classic_id(post)
        | {"created_at": created_at, "user": _classic_user(post["user"]), "entities": entities}
    )


def _urls(text: str) -> list[Record]:
    """Return the addresses in a text; no short forms of them are made here."""
    return [
        {"url": url[0], "expanded_url": url[0], "display_url": url[1], "indices": [*url.span()]}
        for url in re.finditer(r"https?://(\S+)", text)
    ]


def renamed_post(post: Record) -> Record:
    """Return a post as the answer to its new name has it."""
    text = post.pop("text")
    fields = {"post_id": post["id"], "post_type": "PUBLISHED", "scheduled_status": None}
    return classic_post(post) | fields | {"full_text": text, "display_text_range": [0, len(text)]}


def _classic_user(user: Record) -> Record:
    """Return an author, whole unless it was asked for as an id alone."""
    author = AUTHOR_DEFAULTS | {"name": user["screen_name"]} if "screen_name" in user else {}
    return author | user | _classic_id(user)


def _classic_id(record: Record) -> Record:
    return {"id": int(record["id"]), "id_str": record["id"]}


# Commands whose `data` is a list with one record, where others answer with the record itself.
ONE_IN_A_LIST = ("accounts create", "cards get", "cards update", "cards delete")
# The public SDK of the service, whose reference lists what the SDK reads as one object.
SDK_USER_AGENT = "twitter-ads version:"


def in_shape_of_x(result: Result, command: str, user_agent: str) -> Result:
    """Return the result of a command as service x answers it to a client."""
    change = SHAPES.get(command) or SHAPES.get(command.rpartition(" ")[0])
    data = result.data
    if change:
        data = [*map(change, data)] if isinstance(data, list) else change(data)
    if command in ONE_IN_A_LIST and not user_agent.startswith(SDK_USER_AGENT):
        data = [data]
    return result._replace(data=data)


def _unmanaged(record: Record) -> Record:
    return without(record, "created_at", "updated_at", "deleted")


def _scheduled_feed(record: Record) -> Record:
    """Return a scheduled feed with its times, in milliseconds, though no record beside it has them."""
    times = {name: record[name].replace("Z", ".000Z") for name in ("created_at", "updated_at")}
    return _unmanaged(record) | times


def _older_card(card: Record) -> Record:
    """Return a card whose numbers are texts, without what is not set."""
    fields = ((name, value) for name, value in card.items() if value is not None)
    return {name: value if isinstance(value, bool) else str(value) for name, value in fields}


def _changed_audience(audience: Record) -> Record:
    """Return an audience with whether the account owns it in place of who does; only the owner changes it."""
    return without(audience, "owner_account_id") | {"is_owner": True}


# By command, or by the group whose commands all answer so.
SHAPES: dict[str, Callable[[Record], Record]] = {
    "audiences update": _changed_audience,
    "catalog": _unmanaged,
    "catalog feeds": _scheduled_feed,
    "catalog sets": _unmanaged,
    "cards image-conversation": _older_card,
    "cards poll": _older_card,
    "cards video-conversation": _older_card,
    "posts create": classic_post,
    "posts list": classic_post,
    "posts rename": renamed_post,
}
