"""Where declarations differ from the facts, by endpoint and difference, each with a reason."""

UPLOAD = "an upload shows counts of its own, no records"
AUTHOR = "the text of the reference says who is the default"
CTA = "a pattern counts the characters after a leading #"
EXAMPLE = "the reference's own example leaves it out"
CTAS = dict.fromkeys((f"{n}_cta: max_length" for n in ("first", "second", "third", "fourth")), CTA)

# The difference is the name of the parameter on the wire, and what differs.
DEVIATIONS: dict[str, dict[str, str]] = {
    "account_history.list": {"start_time: required": EXAMPLE, "end_time: required": EXAMPLE},
    "custom_audiences.users.create": {"name: no such field": UPLOAD},
    "do_not_reach_lists.users.batch": {"name: no such field": UPLOAD},
    "insights.keywords.search.list": {
        "keywords: max_items": "a rule limits both lists together",
        "negative_keywords: max_items": "a rule limits both lists together",
    },
    "product_catalogs.products.update": {
        f"{field}: no such field": "the answer has one result for each product"
        for field in ("errors", "product_key", "status", "warnings")
    }
    | {"products: unknown": "the facts name what each product holds, and not the list"},
    "product_catalogs.products.delete": {
        f"{field}: no such field": "the answer has lists of keys"
        for field in ("failed_product_key", "message", "product_key")
    },
    "cards.list": {"card_ids: unknown": "every other list of cards names it so"},
    "features.list": {"feature_keys: values": "answers have many more than it names"},
    "targeting_criteria.events.list": {
        "event_types: comma_list": "the name is a plural, as of every list",
        "country_codes: comma_list": "the name is a plural, as of every list",
    },
    "cards.image_conversation.create": CTAS,
    "cards.image_conversation.update": CTAS,
    "cards.video_conversation.create": CTAS,
    "cards.video_conversation.update": CTAS,
    "tweet.create": {"as_user_id: required": AUTHOR},
    "draft_tweets.create": {"as_user_id: required": AUTHOR},
    "draft_tweets.preview": {"message: no such field": "the answer is a message beside no data"},
    "scheduled_tweets.create": {"as_user_id: required": AUTHOR},
    "campaigns.create": {"entity_status: default": "a command sends PAUSED unless it is told otherwise"},
    "line_items.create": {
        "start_time: required": "a draft does without, which a rule says",
        "end_time: required": "the reference's own example leaves it out",
    },
    "ab_tests.update": {"user_groups: required": "marked so, although what is not sent stays as it is"},
    "tweets.name.update": {
        "name: required": "nothing else can be changed",
        "tweet_id: type": "an id is text everywhere",
    },
    "user_settings.get": {"user_id: type": "an id is text everywhere"},
    "user_settings.update": {"user_id: type": "an id is text everywhere"},
    "targeting_criteria.create": {
        "targeting_type: values": "other pages of the reference name categories and publishers",
    },
    "targeting_criteria.network_operators.list": {
        "account_id: missing": "the path of the endpoint has no account",
    },
}
