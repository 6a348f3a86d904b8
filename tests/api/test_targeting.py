"""Targeting and promotions against the limits of the service, transcribed a second time."""

import pytest

from ads_cli.api.promoted import (
    CreateCallToAction,
    CreateMediaCreative,
    CreatePromotedAccount,
    CreatePromotedPosts,
    CreateScheduledPromotedPost,
    UpdateCallToAction,
)
from ads_cli.api.targeting import AddCriterion, DeleteCriterion, ListCriteria, ListSuggestions
from ads_cli.api.targeting_search import SearchEvents, SearchLocations, SearchTvShows

from .declared import check, ids, sent

IN = {"account_id": "a1"}
ITEM = IN | {"line_item_id": "l1"}
LOOKALIKES = (
    "APP_STORE_CATEGORY_LOOKALIKE CAMPAIGN_ENGAGEMENT_LOOKALIKE "
    "CUSTOM_AUDIENCE_EXPANDED USER_ENGAGEMENT_LOOKALIKE"
)
ENGAGEMENTS = "IMPRESSION ENGAGEMENT VIDEO_VIEW VIDEO_VIEW_PARTIAL VIDEO_VIEW_COMPLETE"


def criterion(targeting_type: str, value: str = "1", operator: str | None = None) -> list[str]:
    given = {"targeting_type": targeting_type, "targeting_value": value, "operator_type": operator}
    return check(AddCriterion, **ITEM, **given)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (
            ListCriteria,
            IN | {"line_item_ids": ["l1", "l2"], "lang": "de", "count": "1000"},
            "GET ads://12/accounts/a1/targeting_criteria?count=1000&line_item_ids=l1%2Cl2&lang=de",
        ),
        (
            AddCriterion,
            ITEM | {"targeting_type": "AGE", "targeting_value": "AGE_OVER_35", "operator_type": "EQ"},
            "POST ads://12/accounts/a1/targeting_criteria?line_item_id=l1&targeting_type=AGE"
            "&targeting_value=AGE_OVER_35&operator_type=EQ",
        ),
        (
            DeleteCriterion,
            IN | {"targeting_criterion_id": "t1"},
            "DELETE ads://12/accounts/a1/targeting_criteria/t1",
        ),
        (
            SearchLocations,
            {"q": "new york", "location_type": "METROS", "country_code": "US"},
            "GET ads://12/targeting_criteria/locations?q=new%20york&location_type=METROS&country_code=US",
        ),
        (
            ListSuggestions,
            IN | {"suggestion_type": "KEYWORD", "targeting_values": ["wool", "hats"]},
            "GET ads://12/accounts/a1/targeting_suggestions?suggestion_type=KEYWORD&targeting_values=wool%2Chats",
        ),
        (
            CreatePromotedPosts,
            ITEM | {"post_ids": ["11", "12"]},
            "POST ads://12/accounts/a1/promoted_posts?line_item_id=l1&post_ids=11%2C12",
        ),
        (
            CreateCallToAction,
            ITEM | {"call_to_action": "SHOP", "call_to_action_url": "https://shop.example"},
            "POST ads://12/accounts/a1/preroll_call_to_actions?line_item_id=l1&call_to_action=SHOP"
            "&call_to_action_url=https%3A%2F%2Fshop.example",
        ),
    ],
)
def test_requests_are_sent_as_the_service_reads_them(kind, values, expected):
    assert sent(kind, **values) == expected


@pytest.mark.parametrize("lookalike", LOOKALIKES.split())
def test_a_lookalike_audience_cannot_be_excluded(lookalike):
    assert criterion(lookalike) == criterion(lookalike, operator="EQ") == []
    assert criterion(lookalike, operator="NE") == [f"operator_type: NE is not for {lookalike}, which has EQ"]


@pytest.mark.parametrize(
    ("targeting_type", "allowed"),
    [
        ("APP_LIST", {"NE"}),
        ("CONTENT_PUBLISHER_USER", {"NE"}),
        ("NETWORK_ACTIVATION_DURATION", {"LT", "GTE"}),
        ("BROAD_KEYWORD", {"EQ", "NE", None}),
        ("LOCATION", {"EQ", "NE", None}),
    ],
)
def test_a_type_has_its_operators(targeting_type, allowed):
    accepted = {
        operator
        for operator in ("EQ", "NE", "LT", "GTE", None)
        if not criterion(targeting_type, "1", operator)
    }
    assert accepted == allowed


@pytest.mark.parametrize(
    ("targeting_type", "values", "wrong"),
    [
        ("GENDER", "1 2", "0 3 female"),
        ("AGE", "AGE_21_TO_34 AGE_OVER_50", "21 AGE_21 AGE_A_TO_B"),
        ("ENGAGEMENT_TYPE", ENGAGEMENTS, "CLICK impression"),
        ("USER_ENGAGEMENT", "1184672520", "@nordlicht 12a"),
        ("SIMILAR_TO_FOLLOWERS_OF_USER", "12", "nordlicht"),
    ],
)
def test_the_values_of_a_type_have_its_form(targeting_type, values, wrong):
    assert [value for value in values.split() if criterion(targeting_type, value)] == []
    for value in wrong.split():
        (message,) = criterion(targeting_type, value)
        assert message.startswith(f"targeting_value: {value!r} is not allowed for {targeting_type}: ")


def test_all_mistakes_of_a_criterion_are_told_at_once():
    assert [message.partition(":")[0] for message in criterion("GENDER", "3", "LT")] == [
        *("targeting_value", "operator_type")
    ]


@pytest.mark.parametrize(
    ("kind", "values", "problems"),
    [
        (ListCriteria, IN, ["line_item_ids: is required"]),
        (ListCriteria, IN | {"line_item_ids": ids(200)}, []),
        (
            ListCriteria,
            IN | {"line_item_ids": ids(201)},
            ["line_item_ids: has 201 items, at most 200 are allowed"],
        ),
        (CreatePromotedPosts, ITEM | {"post_ids": ids(51)[1:]}, []),
        (
            CreatePromotedPosts,
            ITEM | {"post_ids": [str(n) for n in range(1, 52)]},
            ["post_ids: has 51 items, at most 50 are allowed"],
        ),
        (CreatePromotedPosts, ITEM | {"post_ids": ["0"]}, ["post_ids[0]: '0' is not allowed: at least 1"]),
        (CreatePromotedAccount, ITEM, ["user_id: is required"]),
        (CreateScheduledPromotedPost, ITEM, ["scheduled_post_id: is required"]),
        (CreateMediaCreative, ITEM, ["account_media_id: is required"]),
        (CreateMediaCreative, ITEM | {"account_media_id": "m1"}, []),
        (CreateCallToAction, ITEM, ["call_to_action: is required", "call_to_action_url: is required"]),
        (
            UpdateCallToAction,
            IN | {"preroll_call_to_action_id": "c1", "call_to_action": "BUY"},
            ["call_to_action: 'BUY' is not one of GO_TO, SEE_MORE, SHOP, VISIT_SITE, WATCH_NOW"],
        ),
        (SearchEvents, {}, []),
        (
            SearchEvents,
            {"country_codes": ["FR", "de"]},
            ["country_codes[1]: 'de' is not allowed: two capital letters, as in US"],
        ),
        (
            SearchTvShows,
            {"locale": "en-US", "count": "51"},
            ["count: '51' is not allowed: 1 to 50"],
        ),
        (
            ListSuggestions,
            IN | {"suggestion_type": "USER_ID", "targeting_values": ["12", "wool"]},
            ["targeting_values: 'wool' is not a user id; for suggestion_type USER_ID all values are ids"],
        ),
        (
            ListSuggestions,
            IN | {"suggestion_type": "USER_ID", "targeting_values": ["١٢"]},
            ["targeting_values: '١٢' is not a user id; for suggestion_type USER_ID all values are ids"],
        ),
    ],
)
def test_limits_are_kept(kind, values, problems):
    assert check(kind, **values) == problems
