"""The components of cards against the limits of the specification, transcribed a second time."""

import pytest

from ads_cli.api.cards import CreateCard

from .declared import ID_WORDS, check, ids

IN = {"account_id": "a1"}
MEDIA = {"type": "MEDIA", "media_key": "3_1"}
SWIPED = {"type": "SWIPEABLE_MEDIA", "media_keys": ["3_1", "3_2"]}
WEBSITE = {"type": "WEBSITE", "url": "https://shop.example"}
DETAILS = {"type": "DETAILS", "title": "Mugs", "destination": WEBSITE}
APP = {"type": "APP", "country_code": "DE", "android_store_app_id": "example.shop"}
LABEL = {"type": "ENUM", "value": "OPEN"}
BUTTON = {"type": "BUTTON", "label": LABEL, "destination": APP}


def without(values, *names):
    return {name: value for name, value in values.items() if name not in names}


def card_told(*components):
    return check(CreateCard, **IN, name="x", components=list(components))


NO_MEDIA = "needs one MEDIA or SWIPEABLE_MEDIA component, and has"
NO_WAY = "needs one DETAILS or BUTTON component, and has"


@pytest.mark.parametrize(
    ("components", "problem"),
    [
        ([MEDIA, DETAILS], None),
        ([BUTTON, MEDIA], None),
        ([SWIPED, BUTTON], None),
        ([], f"{NO_MEDIA} 0; {NO_WAY} 0"),
        ([MEDIA], f"{NO_WAY} 0"),
        ([DETAILS], f"{NO_MEDIA} 0"),
        ([MEDIA, SWIPED, DETAILS], f"{NO_MEDIA} 2"),
        ([MEDIA, DETAILS, BUTTON], f"{NO_WAY} 2"),
    ],
)
def test_a_card_has_one_media_component_and_one_with_a_destination(components, problem):
    assert card_told(*components) == ([f"components: {problem}"] if problem else [])
    slides = check(CreateCard, **IN, name="x", slides=[[MEDIA, DETAILS], components])
    assert slides == ([f"slides: slides[1] {problem}"] if problem else [])


def test_slides_are_not_empty():
    assert check(CreateCard, **IN, name="x", slides=[]) == ["slides: is empty"]


@pytest.mark.parametrize(
    ("count", "words"), [(1, "1 item, at least 2 are needed"), (7, "7 items, at most 6 are allowed")]
)
def test_swipeable_media_are_2_to_6(count, words):
    def swiped(number):
        return card_told({"type": "SWIPEABLE_MEDIA", "media_keys": ids(number)}, DETAILS)

    assert swiped(2) == swiped(6) == []
    assert swiped(count) == [f"components[0].media_keys: has {words}"]


@pytest.mark.parametrize(
    ("component", "problem"),
    [
        ({"type": "VIDEO"}, ".type: 'VIDEO' is not one of MEDIA, SWIPEABLE_MEDIA, DETAILS, BUTTON"),
        ({"media_key": "3_1"}, ".type: is required"),
        ("MEDIA", ": must be an object, not text"),
        ({"type": "MEDIA"}, ".media_key: is required"),
        (MEDIA | {"media_key": "a/b"}, f".media_key: 'a/b' {ID_WORDS}"),
        (MEDIA | {"colour": "red"}, ".colour: is not a field of MEDIA"),
        ({"type": "SWIPEABLE_MEDIA"}, ".media_keys: is required"),
        (without(DETAILS, "title"), ".title: is required"),
        (without(DETAILS, "destination"), ".destination: is required"),
        (DETAILS | {"label": LABEL}, ".label: is not a field of DETAILS"),
        (DETAILS | {"destination": APP}, ".destination.type: must be WEBSITE, not 'APP'"),
        (DETAILS | {"destination": {"type": "WEBSITE"}}, ".destination.url: is required"),
        (without(BUTTON, "label"), ".label: is required"),
        (without(BUTTON, "destination"), ".destination: is required"),
        (BUTTON | {"destination": WEBSITE}, ".destination.type: must be APP, not 'WEBSITE'"),
        (BUTTON | {"label": {"value": "OPEN"}}, ".label.type: is required"),
        (BUTTON | {"label": LABEL | {"type": "TEXT"}}, ".label.type: must be ENUM, not 'TEXT'"),
        (
            BUTTON | {"label": LABEL | {"value": "BUY"}},
            ".label.value: 'BUY' is not one of BOOK, CONNECT, INSTALL, OPEN, ORDER, PLAY, SHOP",
        ),
    ],
)
def test_an_invalid_component_is_reported_with_its_path(component, problem):
    beside = DETAILS if "MEDIA" in str(component) else MEDIA
    assert card_told(component, beside) == [f"components[0]{problem}"]
    slide = check(CreateCard, **IN, name="x", slides=[[MEDIA, BUTTON], [beside, component]])
    assert slide == [f"slides[1][1]{problem}"]


IOS = {"type": "APP", "country_code": "AT", "ios_app_store_identifier": "106"}
COUNTRY = "is not a country of ISO 3166-1; write two capital letters, such as DE"


@pytest.mark.parametrize(
    ("app", "problems"),
    [
        (APP, []),
        (IOS, []),
        (APP | IOS | {"android_store_deep_link": "shop://a", "ios_deep_link": "shop://i"}, []),
        (without(APP, "country_code"), ["country_code: is required"]),
        (APP | {"country_code": "UK"}, [f"country_code: 'UK' {COUNTRY}"]),
        (APP | {"country_code": "de"}, [f"country_code: 'de' {COUNTRY}"]),
        (APP | {"country_code": "DEU"}, [f"country_code: 'DEU' {COUNTRY}"]),
        (
            without(APP, "android_store_app_id"),
            ["ios_app_store_identifier: is required unless android_store_app_id is set"],
        ),
        (APP | {"ios_deep_link": "shop://i"}, ["ios_deep_link: needs ios_app_store_identifier"]),
        (IOS | {"android_store_deep_link": "x://"}, ["android_store_deep_link: needs android_store_app_id"]),
    ],
)
def test_an_app_requires_a_country_and_a_store(app, problems):
    expected = [f"components[1].destination.{problem}" for problem in problems]
    assert card_told(MEDIA, BUTTON | {"destination": app}) == expected


def test_all_problems_of_a_card_are_reported_together():
    components = [{"type": "MEDA"}, BUTTON | {"destination": {"type": "APP", "ios_deep_link": "x://"}}]
    assert set(check(CreateCard, **IN, components=components)) == {
        "name: is required",
        "components[0].type: 'MEDA' is not one of MEDIA, SWIPEABLE_MEDIA, DETAILS, BUTTON",
        "components[1].destination.country_code: is required",
        "components[1].destination.ios_app_store_identifier: is required unless android_store_app_id is set",
        "components[1].destination.ios_deep_link: needs ios_app_store_identifier",
    }
    assert set(check(CreateCard, **IN, components=[MEDIA])) == {  # rules are checked beside missing fields
        "name: is required",
        f"components: {NO_WAY} 0",
    }


def test_cards_create_reports_every_problem_by_option_and_path(adsctl):
    done = adsctl.local(
        *("cards", "create", "--components"),
        '[{"type": "DETAILS", "title": "x", "destination": {"type": "WEBSITE"}}, {"type": "MEDA"}]',
        code=2,
    )
    assert "--name: is required" in done.stderr
    assert "--components components[0].destination.url: is required" in done.stderr
    assert "--components components[1].type: 'MEDA' is not one of MEDIA, SWIPEABLE_MEDIA" in done.stderr
    assert "did you mean 'MEDIA'?" in done.stderr
    poll = adsctl.local("cards", "poll", "create", "--first-choice", "x" * 26, "--fourth-choice", "d", code=2)
    assert "--first-choice: has 26 characters, at most 25 are allowed" in poll.stderr
    assert "--fourth-choice: needs third_choice" in poll.stderr and "--name: is required" in poll.stderr
