"""Uploads as the platform takes them: segments, their limits, and what survives."""

import json
import time

import pytest

from tests.emulator_data import update_record
from tests.media.made import picture, sample

from .client import HOST, Client, InProcess, authorization
from .wire_names import service_name  # noqa: F401 - every test runs under both

UPLOAD = "/2/media/upload"


def sent(local: Client, method: str, path: str, body: bytes = b"", kind: str = "application/json"):
    """Send a body that the signature does not cover."""
    url = HOST + path
    headers = authorization(local.emulator.credentials, method, url) | {"Content-Type": kind}
    return InProcess(local.emulator).request(method, url, content=body, headers=headers)


def form(local: Client, path: str, **fields: str | bytes):
    body = b""
    for name, value in fields.items():
        is_file = isinstance(value, bytes)
        head = f'--b\r\nContent-Disposition: form-data; name="{name}"' + ('; filename="f"' if is_file else "")
        body += head.encode() + b"\r\n\r\n" + (value if is_file else value.encode()) + b"\r\n"
    return sent(local, "POST", path, body + b"--b--\r\n", "multipart/form-data; boundary=b")


def begun(local: Client, size: int, kind: str = "video/mp4", category: str = "amplify_video") -> str:
    values = {"media_type": kind, "media_category": category, "total_bytes": size}
    response = sent(local, "POST", f"{UPLOAD}/initialize", json.dumps(values).encode())
    assert response.status_code == 200, response.text
    return response.json()["data"]["id"]


def status(local: Client, id: str) -> dict:
    return local.get(UPLOAD, command="STATUS", media_id=id).json()["data"]["processing_info"]


def test_a_segment_has_at_most_4_mib(local):
    id = begun(local, 5 * 1024 * 1024)
    refused = form(local, f"{UPLOAD}/{id}/append", media=bytes(4 * 1024 * 1024 + 1), segment_index="0")
    assert refused.status_code == 413
    assert form(local, f"{UPLOAD}/{id}/append", media=b"", segment_index="0").status_code == 400


def test_segments_must_be_whole(local):
    id = begun(local, 6)
    assert form(local, f"{UPLOAD}/{id}/append", media=b"abc", segment_index="1").status_code == 200
    refused = sent(local, "POST", f"{UPLOAD}/{id}/finalize")
    assert refused.status_code == 400 and "segments are missing" in refused.text


def test_an_upload_survives_that_the_database_is_opened_again(local):
    video = sample("high.mp4")
    id = begun(local, len(video))
    form(local, f"{UPLOAD}/{id}/append", media=video[:1000], segment_index="0")
    local.emulator.close()
    form(local, f"{UPLOAD}/{id}/append", media=video[1000:], segment_index="1")
    ended = sent(local, "POST", f"{UPLOAD}/{id}/finalize").json()["data"]
    assert ended["processing_info"]["state"] in ("pending", "in_progress")
    assert ended["processing_info"]["check_after_secs"] == 1 and ended["media_key"] == f"13_{id}"
    library = f"/12/accounts/{local.emulator.account}/media_library"
    early = local.send("POST", library, media_key=f"13_{id}")
    assert early.status_code == 400 and "still processed" in early.text
    until = time.monotonic() + 30
    while status(local, id)["state"] != "succeeded":
        assert time.monotonic() < until
        time.sleep(0.1)
    added = local.send("POST", library, media_key=f"13_{id}").json()["data"]
    assert (added["aspect_ratio"], added["duration"]) == ("16:9", pytest.approx(0.6, abs=0.1))


def test_an_upload_expires(local):
    id = begun(local, 6)
    update_record(local.emulator, "media_upload", id, {"expires_at": 1.0}, owner=owner_of(local, id))
    assert form(local, f"{UPLOAD}/{id}/append", media=b"abc", segment_index="0").status_code == 404


def owner_of(local: Client, id: str) -> str:
    query = "SELECT owner FROM records WHERE kind = 'media_upload' AND id = ?"
    return local.emulator.store.connection.execute(query, (id,)).fetchone()[0]


def test_an_image_in_one_request_is_looked_at(local):
    good = form(local, UPLOAD, media=picture("PNG", 40, 20), media_category="tweet_image").json()["data"]
    assert good["media_key"].startswith("3_") and good["image"]["w"] == 40
    bad = form(local, UPLOAD, media=b"text", media_category="tweet_image")
    assert bad.status_code == 400 and "no media" in bad.json()["errors"][0]["detail"]
    promoted = form(local, UPLOAD, media=sample("high.mp4"), media_category="amplify_video")
    assert promoted.status_code == 400


def test_a_card_refuses_an_image_that_is_too_narrow(local):
    key = form(local, UPLOAD, media=picture("PNG", 400, 400), media_category="tweet_image").json()["data"]
    account = f"/12/accounts/{local.emulator.account}"
    assert local.send("POST", f"{account}/media_library", media_key=key["media_key"]).status_code == 200
    parts = [
        {"type": "MEDIA", "media_key": key["media_key"]},
        {"type": "DETAILS", "title": "T", "destination": {"type": "WEBSITE", "url": "https://shop.example"}},
    ]
    body = json.dumps({"name": "C", "components": parts}).encode()
    refused = sent(local, "POST", f"{account}/cards", body)
    assert refused.status_code == 400 and "is 400 pixels wide" in refused.text
