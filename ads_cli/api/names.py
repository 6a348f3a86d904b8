"""The names of the public service on the wire, beside the neutral names of the declarations.

A service is `generic`, whose names are the neutral ones, or `x`, the public service. Each name that differs
stands here once. Names are translated where a request becomes bytes and where a response is read for its
meaning, never in between. What is typed or read from a file may have either name, whatever the service.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

# Fields of requests and records, and the path parameters: neutral name, name on the wire.
FIELDS = {
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
# Segments of paths.
SEGMENTS = {
    "draft_posts": "draft_tweets",
    "post": "tweet",
    "post_previews": "tweet_previews",
    "posts": "tweets",
    "promoted_posts": "promoted_tweets",
    "scheduled_posts": "scheduled_tweets",
    "scheduled_promoted_posts": "scheduled_promoted_tweets",
}
# Headers of deliveries to webhooks, in lower case.
HEADERS = {
    "x-platform-webhooks-signature": "x-twitter-webhooks-signature",
    "x-platform-webhooks-signature-oauth2": "x-twitter-webhooks-signature-oauth2",
}
# Values of enum fields, by the name of the field, which is the same under every service.
PLACEMENTS = {
    "ALL_ON_PLATFORM": "ALL_ON_TWITTER",
    "PLATFORM_PROFILE": "TWITTER_PROFILE",
    "PLATFORM_REPLIES": "TWITTER_REPLIES",
    "PLATFORM_SEARCH": "TWITTER_SEARCH",
    "PLATFORM_TIMELINE": "TWITTER_TIMELINE",
}
PROMOTED = {"PROMOTED_POST": "PROMOTED_TWEET"}
VALUES = {
    "attribute": {"store_product_category": "google_product_category"},
    "entity": {**PROMOTED, "ORGANIC_POST": "ORGANIC_TWEET"},
    "entity_type": {**PROMOTED, "promoted_posts": "promoted_tweets"},
    "list_type": {"PLATFORM_ID": "TWITTER_ID"},
    "media_category": {"POST_GIF": "TWEET_GIF", "POST_IMAGE": "TWEET_IMAGE", "POST_VIDEO": "TWEET_VIDEO"},
    "permissions": {"POST_COMPOSER": "TWEET_COMPOSER"},
    "placement": PLACEMENTS,
    "placements": PLACEMENTS,
    "product_type": {"PROMOTED_POSTS": "PROMOTED_TWEETS"},
    "promotable_user_type": {"REPOSTS_ONLY": "RETWEETS_ONLY"},
    "resource_type": {"post": "tweet"},
}

WORD = re.compile(r"'([^']*)'|(\w+)")  # what a message quotes, or a word of it
Table = Mapping[str, str]
NO_TABLE: Table = {}
UNNAMED = frozenset((bool, int, float, type(None)))  # values that have no names
ENUMS = frozenset(VALUES)  # the fields whose values are translated, unless they are texts of the same name


class Names:
    """The names that one service uses on the wire; without tables they are the neutral ones."""

    def __init__(
        self, fields: Table, segments: Table, values: Mapping[str, Table], headers: Table = NO_TABLE
    ) -> None:
        self._headers = headers
        self._to_wire = _Renaming(fields, values)
        self._names = {name: new for table in values.values() for name, new in table.items()} | {**fields}
        self._to_neutral = self._to_wire.inverse()
        self._segments = segments

    def to_wire(self, value: Any, enums: Collection[str] = ENUMS) -> Any:
        """Rename the keys of a value, at any depth, and the values of the fields `enums`."""
        return self._to_wire(value, enums)

    def to_neutral(self, value: Any, enums: Collection[str] = ENUMS) -> Any:
        """Undo `to_wire`."""
        return self._to_neutral(value, enums)

    def foreign(self, value: Any, enums: Collection[str] = ENUMS) -> Iterator[str]:
        """Yield the paths in a value of names and enum values that this service has other names for."""
        return self._to_wire.found_in(value, enums)

    def name(self, field: str) -> str:
        """Return the name of a field on the wire."""
        return self._to_wire.fields.get(field, field)

    def dotted(self, path: str) -> str:
        """Return the names in the path of a field, such as `components[1].destination.url`, on the wire."""
        return re.sub(r"\w+", lambda match: self.name(match[0]), path)

    def text(self, message: str) -> str:
        """Rename what a message names: fields, values and posts. In quotes, rename fields and values only."""

        def renamed(match: re.Match[str]) -> str:
            quoted, word = match.groups()
            if quoted is not None:
                return f"'{self._names.get(quoted, quoted)}'"
            return self._names.get(word) or self._segments.get(word, word)

        return WORD.sub(renamed, message)

    def segment(self, segment: str) -> str:
        """Return the name of a segment of a path on the wire."""
        return self._segments.get(segment, segment)

    def header(self, header: str) -> str:
        """Return the name of a header on the wire, in lower case."""
        return self._headers.get(header, header)

    def path(self, path: str) -> str:
        """Rename the segments of a declared path, and its parameters."""
        segments = (
            f"{{{self.name(part[1:-1])}}}" if part.startswith("{") else self.segment(part)
            for part in path.split("/")
        )
        return "/".join(segments)

    def encoded(self, body: bytes | memoryview, fields: Collection[str]) -> bytes | memoryview:
        """Rename keys of JSON as msgspec writes it, without blanks, whose values hold no enums.

        A name between quotes and a colon is a key: quotes in a text are escaped.
        """
        for field, wire in self._to_wire.fields.items():
            if field in fields:
                body = bytes(body).replace(b'"%s":' % field.encode(), b'"%s":' % wire.encode())
        return body


class _Renaming:
    """Renames keys, and the values of enum fields: {"post_id": "1", "placements": ["ALL_ON_PLATFORM"]}.

    `enums` are the fields whose values are renamed; `table` is that of the field which a value stands in. A
    list hands it on to its items, an object does not: its own keys say which table holds.
    """

    def __init__(self, fields: Table, values: Mapping[str, Table]) -> None:
        self.fields = fields
        self.values = values

    def inverse(self) -> "_Renaming":
        """Return what undoes this."""
        values = {name: _inverse(table) for name, table in self.values.items()}
        return _Renaming(_inverse(self.fields), values)

    def __call__(self, value: Any, enums: Collection[str], table: Table = NO_TABLE) -> Any:
        """Return a value renamed. A key whose new name is there already stays, so that it is unknown."""
        if not (self.fields or self.values):
            return value
        if isinstance(value, str):
            return table.get(value, value)
        if isinstance(value, list):
            return [self(item, enums, table) for item in value]
        if not isinstance(value, dict):
            return value
        renamed = {}
        for name, inner in value.items():
            new = self.fields.get(name, name)
            if inner.__class__ is str:
                if name in self.values and name in enums:
                    inner = self.values[name].get(inner, inner)
            elif inner.__class__ not in UNNAMED:
                inner = self(inner, enums, self._table(name, enums))
            renamed[name if new in value else new] = inner
        return renamed

    def found_in(
        self, value: Any, enums: Collection[str], path: str = "", table: Table = NO_TABLE
    ) -> Iterator[str]:
        """Yield the paths of keys and enum values that would be renamed."""
        if isinstance(value, str) and value in table:
            yield path
        elif isinstance(value, list):
            for number, item in enumerate(value):
                yield from self.found_in(item, enums, f"{path}[{number}]", table)
        elif isinstance(value, dict):
            for name, inner in value.items():
                if name in self.fields:
                    yield f"{path}.{name}" if path else str(name)
                elif inner.__class__ is str:  # as most are, and as nearly all are that have no table
                    if name in self.values and name in enums and inner in self.values[name]:
                        yield f"{path}.{name}" if path else str(name)
                elif inner.__class__ not in UNNAMED:
                    at = f"{path}.{name}" if path else str(name)
                    yield from self.found_in(inner, enums, at, self._table(name, enums))

    def _table(self, name: str, enums: Collection[str]) -> Table:
        return self.values.get(name, NO_TABLE) if name in enums else NO_TABLE


def _inverse(table: Table) -> Table:
    return {new: name for name, new in table.items()}


GENERIC = Names({}, {}, {})
X = Names(FIELDS, SEGMENTS, VALUES, HEADERS)
SERVICES = {"generic": GENERIC, "x": X}
# The names in events, which have new names for most of what requests have old ones for.
EVENT_FIELDS = {
    "post_create_events": "tweet_create_events",
    "post_delete_events": "tweet_delete_events",
    "repost_count": "retweet_count",
}
EVENTS = {"generic": GENERIC, "x": Names(EVENT_FIELDS, {}, {"type": {"reposted": "retweeted"}})}
_NEUTRAL = _inverse(FIELDS)
WIRE_NAMES = frozenset(_NEUTRAL)


def neutral_name(field: str) -> str:
    """Return the neutral name of a field that may have its name on the wire."""
    return _NEUTRAL.get(field, field)


def to_neutral(value: Any) -> Any:
    """Rename what may have the names of any service, such as a file or an answer, to the neutral names."""
    return X.to_neutral(value)


def with_neutral_keys(record: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the keys of a record, not those of values in it; a key beside its neutral name stays."""
    if WIRE_NAMES.isdisjoint(record):
        return dict(record)
    neutral = {name: neutral_name(name) for name in record}
    return {name if neutral[name] in record else neutral[name]: value for name, value in record.items()}
