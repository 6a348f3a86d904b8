"""The audience requests against the limits of the specification, transcribed a second time."""

import pytest

from ads_cli.api.audience_insights import SearchKeywords
from ads_cli.api.audiences import (
    CombineAudience,
    DeleteDoNotReachList,
    GrantPermission,
    ListPermissions,
    ListTargeted,
    RevokePermission,
)

from .declared import ESCAPED_ID, SPECIAL_ID, check, ids, sent

TIME_WORDS = "ISO 8601 with an offset, such as 2026-03-01T08:00:00Z"
DAY_OR_TIME_WORDS = f"{TIME_WORDS}, or a day in UTC, such as 2026-03-01"

SEARCH = {
    "granularity": "DAY",
    "keywords": ["mug"],
    "start_time": "2026-03-01T00:00:00Z",
    "end_time": "2026-03-02T00:00:00Z",
}
SHARED = {"account_id": "a1", "tailored_audience_id": "t1"}
GRANT = SHARED | {"granted_account_id": "a2", "permission_level": "READ_ONLY"}
PERMISSIONS = "ads://5/accounts/a1/tailored_audiences/t1/permissions"


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (
            SearchKeywords,
            SEARCH | {"negative_keywords": ["a", "b"], "location": "x1"},
            "GET ads://12/insights/keywords/search?keywords=mug&granularity=DAY"
            "&start_time=2026-03-01T00%3A00%3A00Z&end_time=2026-03-02T00%3A00%3A00Z"
            "&location=x1&negative_keywords=a%2Cb",
        ),
        (
            ListPermissions,
            SHARED | {"count": 5, "sort_by": "id-asc", "granted_account_ids": ["a", "b"]},
            f"GET {PERMISSIONS}?count=5&sort_by=id-asc&granted_account_ids=a%2Cb",
        ),
        (
            GrantPermission,
            GRANT,
            f"POST {PERMISSIONS}?granted_account_id=a2&permission_level=READ_ONLY",
        ),
        (
            RevokePermission,
            SHARED | {"tailored_audience_permission_id": SPECIAL_ID},
            f"DELETE {PERMISSIONS}/{ESCAPED_ID}",
        ),
        (
            ListTargeted,
            {"account_id": "a1", "custom_audience_id": "c1", "with_active": "false", "cursor": "x"},
            "GET ads://12/accounts/a1/custom_audiences/c1/targeted?with_active=false&cursor=x",
        ),
        (
            DeleteDoNotReachList,
            {"account_id": "a1", "do_not_reach_list_id": "d1"},
            "DELETE ads://12/accounts/a1/do_not_reach_lists/d1",
        ),
    ],
)
def test_audience_requests_are_sent_as_specified(kind, values, expected):
    assert sent(kind, **values) == expected


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"granularity": "HOUR"}, []),
        ({"granularity": "WEEK"}, ["granularity: 'WEEK' is not one of DAY, HOUR"]),
        ({"granularity": "day"}, ["granularity: 'day' is not one of DAY, HOUR"]),
        ({"granularity": None}, ["granularity: is required"]),
        ({"keywords": None}, ["keywords: is required"]),
        ({"keywords": []}, ["keywords: is empty"]),
        ({"keywords": ["mug", ""]}, ["keywords[1]: is empty"]),
        ({"start_time": None}, ["start_time: is required"]),
        ({"keywords": ids(10)}, []),
        (
            {"keywords": ids(11)},
            ["keywords: are 11 with negative_keywords, at most 10 are allowed together"],
        ),
        ({"keywords": ids(4), "negative_keywords": ids(6)}, []),
        (
            {"keywords": ids(4), "negative_keywords": ids(7)},
            ["keywords: are 11 with negative_keywords, at most 10 are allowed together"],
        ),
        ({"end_time": "2026-03-08T00:00:00Z"}, []),
        ({"end_time": "2026-03-08T02:00:00+02:00"}, []),
        ({"end_time": "2026-03-08T00:00:01Z"}, ["end_time: is more than 7 days after start_time"]),
        ({"end_time": "2026-03-01T00:00:00Z"}, ["end_time: is not after start_time"]),
        ({"end_time": "2026-02-27T00:00:00Z"}, ["end_time: is not after start_time"]),
        (
            {"start_time": "2026-03-01T08:00"},
            [f"start_time: '2026-03-01T08:00' is not allowed: {DAY_OR_TIME_WORDS}"],
        ),
        ({"location": "0fc2e8f588955000"}, []),
        ({"location": "us,de"}, ["location: accepts one country"]),
        (
            {"keywords": ids(11), "end_time": "2026-04-01T00:00:00Z", "location": "a,b", "granularity": "X"},
            [
                "granularity: 'X' is not one of DAY, HOUR",
                "keywords: are 11 with negative_keywords, at most 10 are allowed together",
                "end_time: is more than 7 days after start_time",
                "location: accepts one country",
            ],
        ),
    ],
)
def test_keyword_insights_keep_their_limits(changes, problems):
    assert check(SearchKeywords, **SEARCH | changes) == problems


@pytest.mark.parametrize(
    ("start", "problems"),
    [
        ("2026-03-08T11:00:00Z", []),
        ("2026-03-01T12:00:00Z", []),
        ("2026-03-01T11:59:59Z", ["end_time: is now, which is more than 7 days after start_time"]),
        ("2026-03-08T12:00:01Z", ["end_time: is now, which is not after start_time"]),
    ],
)
def test_the_period_of_insights_ends_now_by_default(time_machine, start, problems):
    time_machine.move_to("2026-03-08T12:00:00Z", tick=False)
    assert check(SearchKeywords, **SEARCH | {"start_time": start, "end_time": None}) == problems


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"count": 1}, []),
        ({"count": 1000}, []),
        ({"count": "0"}, ["count: '0' is not allowed: 1 to 1000"]),
        ({"count": "1001"}, ["count: '1001' is not allowed: 1 to 1000"]),
        ({"granted_account_ids": ids(200), "tailored_audience_permission_ids": ids(200)}, []),
        (
            {"granted_account_ids": ids(201)},
            ["granted_account_ids: has 201 items, at most 200 are allowed"],
        ),
        (
            {"tailored_audience_permission_ids": ids(201)},
            ["tailored_audience_permission_ids: has 201 items, at most 200 are allowed"],
        ),
        ({"with_total_count": "true"}, []),
        (
            {"with_total_count": "true", "cursor": "x"},
            ["with_total_count: cannot be used with cursor"],
        ),
        ({"with_deleted": "true"}, ["with_deleted: is not a known field"]),
        ({"tailored_audience_id": None}, ["tailored_audience_id: is required"]),
    ],
)
def test_lists_of_permissions_keep_their_limits(changes, problems):
    assert check(ListPermissions, **SHARED | changes) == problems


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"permission_level": "READ_WRITE"}, []),
        ({"permission_level": "WRITE"}, ["permission_level: 'WRITE' is not one of READ_ONLY, READ_WRITE"]),
        ({"permission_level": None}, ["permission_level: is required"]),
        ({"granted_account_id": None}, ["granted_account_id: is required"]),
    ],
)
def test_a_grant_requires_an_account_and_a_level(changes, problems):
    assert check(GrantPermission, **GRANT | changes) == problems


def test_problems_of_audience_commands_name_the_options(adsctl):
    done = adsctl(
        *("audiences", "keywords", "--keywords", "a,b,c,d,e,f", "--negative-keywords", "g,h,i,j,k"),
        *("--granularity", "MONTH", "--start-time", "2026-03-01T00:00Z", "--end-time", "2026-03-09T00:00Z"),
        code=2,
    )
    assert "--granularity: 'MONTH' is not one of DAY, HOUR" in done.stderr
    assert "--keywords: are 11 with negative_keywords, at most 10" in done.stderr
    assert "--end-time: is more than 7 days after start_time" in done.stderr
    words = ("audiences", "permissions", "grant", "-A", "a1", "--granted-account-id", "a2")
    done = adsctl(*words, "--permission-level", "ALL", code=2)
    assert "--audience: is required" in done.stderr and "--permission-level: 'ALL'" in done.stderr


def test_audiences_targeted_takes_the_audience_as_an_argument(adsctl):
    assert (
        "CUSTOM_AUDIENCE_ID: 'a/b' is not allowed"
        in adsctl("audiences", "targeted", "a/b", "-A", "a1", code=2).stderr
    )


def test_a_segment_is_an_audience_or_a_tree_of_at_most_ten():
    leaves = [{"custom_audience_id": f"a{number}", "child_segments": []} for number in range(11)]
    values = {"account_id": "a1", "name": "Users", "audience_type": "FLEXIBLE"}
    tree = {"boolean_operator": "AND", "child_segments": leaves[:10]}
    assert check(CombineAudience, **values, segments=tree) == []
    assert check(CombineAudience, **values, segments=tree | {"child_segments": leaves}) == [
        "segments: name 11 audiences, at most 10 are allowed"
    ]
    both = tree | {"custom_audience_id": "a10"}
    assert check(CombineAudience, **values, segments=both) == [
        "segments.custom_audience_id: cannot be used with child_segments"
    ]
