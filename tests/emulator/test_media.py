"""Account media and the media library."""

import pytest

from tests.emulator.seeded import BANNER, DELETED, GIF, IMAGE, PARTNER, SQUARE, TALL, VIDEO

from .client import errors, is_not_found, is_without_account
from .wire_names import service_name  # noqa: F401 - every test runs under both

NEW_IMAGE, NEW_VIDEO, NEW_GIF = (f"{prefix}_1790420000000000001" for prefix in (3, 13, 16))


@pytest.fixture
def media(local):
    return f"/12/accounts/{local.emulator.account}/account_media"


@pytest.fixture
def library(local):
    return f"/12/accounts/{local.emulator.account}/media_library"


def keys(local, path, **query):
    response = local.get(path, **query)
    assert response.status_code == 200, response.text
    return [record["media_key"] for record in response.json()["data"]]


def test_library_media_has_the_fields_of_the_specification(local, library):
    for record in local.get(library).json()["data"]:
        assert set(record) == {
            "media_key", "media_type", "media_category", "media_status", "name", "file_name", "title",
            "description", "posted", "media_url", "poster_media_url", "poster_media_key", "duration",
            "aspect_ratio", "created_at", "updated_at", "deleted",
        }  # fmt: skip
        assert record["media_status"] == "TRANSCODE_COMPLETED"
        assert local.get(f"{library}/{record['media_key']}").json()["data"] == record


def test_the_library_is_filtered_by_type(local, library):
    assert keys(local, library) == [IMAGE, SQUARE, VIDEO, TALL, GIF]
    assert keys(local, library, media_type="IMAGE") == [IMAGE, SQUARE]
    assert keys(local, library, media_type="GIF") == [GIF]
    assert keys(local, library, media_type="VIDEO", q="kiln") == [TALL]


@pytest.mark.parametrize(
    ("q", "matches"),
    [
        ("spring", [IMAGE, VIDEO]),  # in a name, in a description
        ("HATS", [SQUARE]),  # in any case
        ("blue hats", [SQUARE]),
        ("hats spring", []),  # every term
        ("mug", [VIDEO]),  # in a title
        ("jpg", [IMAGE, SQUARE]),  # in a file's name
        ("work", []),  # only a part of a term
        ("-", []),
    ],
)
def test_q_searches_words_in_all_text_fields(local, library, q, matches):
    assert keys(local, library, q=q) == matches


def test_the_library_has_20_media_per_page(local, library):
    assert local.get(library).json()["request"]["params"] == {
        "account_id": local.emulator.account,
        "count": 20,
    }
    first = local.get(library, count="3").json()
    assert keys(local, library, count="3", cursor=first["next_cursor"]) == [TALL, GIF]


@pytest.mark.parametrize(
    ("key", "media_type"), [(NEW_IMAGE, "IMAGE"), (NEW_VIDEO, "VIDEO"), (NEW_GIF, "GIF")]
)
def test_uploaded_media_is_added_once(local, library, key, media_type):
    added = local.send("POST", library, media_key=key, name="New", file_name="new.bin").json()["data"]
    assert (added["media_key"], added["media_type"], added["name"]) == (key, media_type, "New")
    assert keys(local, library, q="new") == [key]
    assert errors(local.send("POST", library, media_key=key)) == [("INVALID_PARAMETER", "media_key")]


@pytest.mark.parametrize("key", ["100", "9_100", "3_", "3-100", "3_100", "9_1790420000000000001"])
def test_a_key_that_is_not_an_upload_is_rejected(local, library, key):
    assert errors(local.send("POST", library, media_key=key)) == [("INVALID_PARAMETER", "media_key")]


def test_a_video_for_ads_becomes_account_media(local, library, media):
    before = len(local.get(media).json()["data"])
    local.send("POST", library, media_key=NEW_IMAGE)
    added = local.send("POST", library, media_key=NEW_VIDEO).json()["data"]
    assert added["media_category"] == "AMPLIFY_VIDEO"
    (new,) = local.get(media).json()["data"][before:]
    assert (new["creative_type"], new["video_id"]) == ("PREROLL", NEW_VIDEO)
    assert new["media_url"] == added["media_url"]


@pytest.mark.parametrize("name", ["title", "description", "poster_media_key"])
@pytest.mark.parametrize(("key", "stored"), [(NEW_IMAGE, IMAGE), (NEW_GIF, GIF)])
def test_video_fields_are_rejected_for_other_media(local, library, name, key, stored):
    fields = {name: IMAGE}
    for response in (
        local.send("POST", library, media_key=key, **fields),
        local.send("PUT", f"{library}/{stored}", **fields),
    ):
        assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", name)])
    assert local.send("POST", library, media_key=NEW_VIDEO, **fields).status_code == 200
    assert local.send("PUT", f"{library}/{VIDEO}", **fields).json()["data"][name] == IMAGE


@pytest.mark.parametrize("poster", ["3_none", VIDEO])
def test_a_poster_must_be_an_image_of_the_library(local, library, poster):
    response = local.send("PUT", f"{library}/{VIDEO}", poster_media_key=poster)
    assert errors(response) == [("INVALID_PARAMETER", "poster_media_key")]


def test_a_poster_replaces_the_first_frame(local, library):
    first_frame = local.get(f"{library}/{VIDEO}").json()["data"]["poster_media_url"]
    changed = local.send("PUT", f"{library}/{VIDEO}", poster_media_key=IMAGE).json()["data"]
    assert changed["poster_media_url"] == local.get(f"{library}/{IMAGE}").json()["data"]["media_url"]
    assert changed["poster_media_url"] != first_frame


def test_library_media_is_updated(local, library):
    before = local.get(f"{library}/{IMAGE}").json()["data"]
    after = local.send("PUT", f"{library}/{IMAGE}", name="Tisch", file_name="ä.jpg").json()["data"]
    changed = {"name": "Tisch", "file_name": "ä.jpg", "updated_at": after["updated_at"]}
    assert after == before | changed == local.get(f"{library}/{IMAGE}").json()["data"]


def test_deleted_media_can_be_added_again(local, library):
    path = f"{library}/{IMAGE}"
    assert local.send("DELETE", path).json()["data"]["deleted"] is True
    for response in (local.send("DELETE", path), local.get(path), local.send("PUT", path, name="x")):
        assert is_not_found(local, response, "MEDIA_NOT_FOUND")
    assert IMAGE not in keys(local, library)
    again = local.send("POST", library, media_key=IMAGE).json()["data"]
    assert (again["name"], again["deleted"]) == (None, False)


def test_account_media_has_the_fields_of_the_specification(local, media):
    for record in local.get(media).json()["data"]:
        assert set(record) == {
            "id", "creative_type", "video_id", "media_url", "created_at", "updated_at", "deleted",
        }  # fmt: skip
        assert local.get(f"{media}/{record['id']}").json()["data"] == record


def test_account_media_is_filtered(local, media):
    def types(**query):
        return [record["creative_type"] for record in local.get(media, **query).json()["data"]]

    assert types() == ["PREROLL", "PREROLL", "BANNER"]
    assert types(creative_types="BANNER,INTERSTITIAL") == ["BANNER"]
    assert types(account_media_ids=f"{BANNER},none") == ["BANNER"]
    assert types(account_media_ids=BANNER, creative_types="PREROLL") == []
    assert types(sort_by="creative_type-asc", count="1") == ["BANNER"]


def test_account_media_is_deleted_once(local, media):
    path = f"{media}/{BANNER}"
    assert local.send("DELETE", path).json()["data"]["deleted"] is True
    assert local.send("DELETE", path).status_code == local.get(path).status_code == 404
    assert local.get(path, with_deleted="true").json()["data"]["deleted"] is True
    assert local.get(media, with_total_count="true").json()["total_count"] == 2
    assert local.get(media, with_total_count="true", with_deleted="true").json()["total_count"] == 3


@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
@pytest.mark.parametrize(
    "line",
    [
        "GET account_media",
        f"GET account_media/{BANNER}",
        f"DELETE account_media/{BANNER}",
        "GET media_library",
        f"GET media_library/{IMAGE}",
        f"PUT media_library/{IMAGE}",
        f"DELETE media_library/{IMAGE}",
        f"POST media_library?media_key={NEW_IMAGE}",
    ],
)
def test_media_of_inaccessible_accounts_are_not_found(local, line, account):
    method, address = line.split()
    path, _, query = address.partition("?")
    response = local.send(
        method, f"/12/accounts/{account}/{path}", **dict([query.split("=")] if query else [])
    )
    assert is_without_account(local, response, account)


def test_media_commands(adsctl):
    added = adsctl.local("media", "library", "add", "--media-key", NEW_VIDEO, "--title", "Kiln", "-o", "ids")
    assert added.stdout.strip() == NEW_VIDEO
    adsctl.local("media", "library", "update", NEW_VIDEO, "--name", "Kiln at night")
    assert "Kiln at night" in adsctl.local("media", "library", "get", NEW_VIDEO).stdout
    assert adsctl.local("media", "library", "list", "--q", "night", "-o", "ids").stdout.split() == [NEW_VIDEO]
    assert NEW_VIDEO in adsctl.local("media", "account", "list", "--creative-types", "PREROLL").stdout
    assert "--yes" in adsctl.local("media", "library", "delete", NEW_VIDEO, code=12).stderr
    adsctl.local("media", "library", "delete", NEW_VIDEO, "--yes")
    adsctl.local("media", "library", "get", NEW_VIDEO, code=5)
    adsctl.local("media", "account", "delete", BANNER, "--yes")
    assert "true" in adsctl.local("media", "account", "get", BANNER, "--with-deleted").stdout
