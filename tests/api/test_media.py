"""The media requests against the limits of the specification, transcribed a second time."""

import pytest

from ads_cli.api.media import (
    AddLibraryMedia,
    DeleteAccountMedia,
    DeleteLibraryMedia,
    GetAccountMedia,
    GetLibraryMedia,
    ListAccountMedia,
    ListLibraryMedia,
    UpdateLibraryMedia,
)
from ads_cli.api.validation import convert
from ads_cli.emulator.core.request import value_or_default

from .declared import ESCAPED_ID, SPECIAL_ID, check, ids, sent

IN = {"account_id": "a1"}
ACCOUNT = "ads://12/accounts/a1/account_media"
LIBRARY = "ads://12/accounts/a1/media_library"
CREATIVE_TYPES = (
    "BANNER, BANNER_TABLET, INTERSTITIAL, INTERSTITIAL_LANDSCAPE, INTERSTITIAL_LANDSCAPE_TABLET, "
    "INTERSTITIAL_TABLET, MEDIUM_RECTANGLE, PREROLL, VAST_PREROLL"
)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (ListAccountMedia, {}, f"GET {ACCOUNT}"),
        (
            ListAccountMedia,
            {"count": 2, "account_media_ids": ["1", "2"], "creative_types": ["BANNER"]},
            f"GET {ACCOUNT}?count=2&account_media_ids=1%2C2&creative_types=BANNER",
        ),
        (
            GetAccountMedia,
            {"account_media_id": "m1", "with_deleted": "true"},
            f"GET {ACCOUNT}/m1?with_deleted=true",
        ),
        (DeleteAccountMedia, {"account_media_id": SPECIAL_ID}, f"DELETE {ACCOUNT}/{ESCAPED_ID}"),
        (
            ListLibraryMedia,
            {"media_type": "GIF", "q": "a b", "count": "5", "cursor": "x"},
            f"GET {LIBRARY}?media_type=GIF&q=a%20b&count=5&cursor=x",
        ),
        (GetLibraryMedia, {"media_key": "3_1"}, f"GET {LIBRARY}/3_1"),
        (
            AddLibraryMedia,
            {"media_key": "13_1", "name": "n", "file_name": "f", "title": "t", "description": "d"},
            f"POST {LIBRARY}?name=n&file_name=f&title=t&description=d&media_key=13_1",
        ),
        (
            UpdateLibraryMedia,
            {"media_key": "13_1", "poster_media_key": "3_1"},
            f"PUT {LIBRARY}/13_1?poster_media_key=3_1",
        ),
        (DeleteLibraryMedia, {"media_key": "3_1"}, f"DELETE {LIBRARY}/3_1"),
    ],
)
def test_media_requests_are_sent_as_specified(kind, values, expected):
    assert sent(kind, **IN | values) == expected


@pytest.mark.parametrize(
    ("kind", "most", "default"), [(ListAccountMedia, 1000, 200), (ListLibraryMedia, 50, 20)]
)
def test_pages_of_media_have_the_specified_sizes(kind, most, default):
    for count in ("1", str(most)):
        assert check(kind, **IN, count=count) == []
    for count in ("0", str(most + 1)):
        assert check(kind, **IN, count=count) == [f"count: '{count}' is not allowed: 1 to {most}"]
    assert value_or_default(convert(kind, IN), "count") == default


def test_filters_of_account_media_keep_their_limits():
    assert check(ListAccountMedia, **IN, account_media_ids=ids(200)) == []
    assert check(ListAccountMedia, **IN, account_media_ids=ids(201)) == [
        "account_media_ids: has 201 items, at most 200 are allowed"
    ]
    assert check(ListAccountMedia, **IN, creative_types=CREATIVE_TYPES.split(", ")) == []
    assert check(ListAccountMedia, **IN, creative_types=["POSTER"]) == [
        f"creative_types[0]: 'POSTER' is not one of {CREATIVE_TYPES}"
    ]


def test_filters_of_the_library_keep_their_limits():
    for media_type in ("GIF", "IMAGE", "VIDEO"):
        assert check(ListLibraryMedia, **IN, media_type=media_type) == []
    assert check(ListLibraryMedia, **IN, media_type="AUDIO") == [
        "media_type: 'AUDIO' is not one of GIF, IMAGE, VIDEO"
    ]
    assert check(ListLibraryMedia, **IN, q="x") == check(ListLibraryMedia, **IN, q="x" * 255) == []
    assert check(ListLibraryMedia, **IN, q="") == ["q: is empty"]
    assert check(ListLibraryMedia, **IN, q="x" * 256) == ["q: has 256 characters, at most 255 are allowed"]


@pytest.mark.parametrize("name", ["sort_by", "with_deleted", "with_total_count"])
def test_the_library_rejects_some_common_parameters(name):
    assert check(ListLibraryMedia, **IN, **{name: "true"}) == [f"{name}: is not a known field"]


@pytest.mark.parametrize("kind", [AddLibraryMedia, UpdateLibraryMedia])
@pytest.mark.parametrize(
    ("name", "most"), [("name", 100), ("file_name", 255), ("title", 70), ("description", 200)]
)
def test_texts_of_media_have_the_specified_lengths(kind, name, most):
    assert check(kind, **IN, media_key="13_1", **{name: "x" * most}) == []
    assert check(kind, **IN, media_key="13_1", **{name: "x" * (most + 1)}) == [
        f"{name}: has {most + 1} characters, at most {most} are allowed"
    ]


def test_adding_media_requires_its_key():
    assert check(AddLibraryMedia, **IN, name="x") == ["media_key: is required"]


def test_media_library_list_reports_every_problem_by_option(adsctl):
    done = adsctl.local(
        "media", "library", "list", "--q", "", "--count", "51", "--media-type", "GIFT", code=2
    )
    assert "--q: is empty" in done.stderr and "--count: '51' is not allowed: 1 to 50" in done.stderr
    assert "--media-type: 'GIFT' is not one of GIF, IMAGE, VIDEO; did you mean 'GIF'?" in done.stderr
