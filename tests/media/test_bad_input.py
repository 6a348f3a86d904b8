"""Files that are no media, or cannot be read: told by file, rule and remedy, and nothing is sent."""

import json
import os
import subprocess

import pytest

from tests.chaos.fault_plan import drop_file_capabilities
from tests.media.long_interrupted_uploads import Counted
from tests.media.made import animated_webp, gif, picture

COMMANDS = ("check", "upload")
BROKEN = {
    "empty.png": (b"", "media_empty", "is empty"),
    "text.png": (b"not an image\n", "media_type", "is text"),
    "cut.png": (picture("PNG", 1200, 628)[:-40], "media_damaged", "it is cut off"),
    "large.gif": (
        gif(2)[:-1] + b"!\xfe" + (b"\xff" + b"x" * 255) * 65_536 + b"\0;",
        "gif_bytes",
        "15,728,640",
    ),
    "long.gif": (gif(400), "gif_frames", "400 frames, at most 350"),
    "print.jpg": (picture("JPEG", mode="CMYK"), "image_color", "CMYK"),
    "moving.webp": (animated_webp(), "image_animated", "animated"),
    "two\nlines.png": (b"text", "media_type", "is text"),
}


@pytest.fixture
def requests(service):
    return Counted(service)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_breaks_a_rule_is_told_and_not_sent(adsctl, requests, tmp_path, command, name):
    content, rule, words = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    done = adsctl("media", command, name, code=3)
    shown = name.replace("\n", r"\n")
    (line,) = [line for line in f"{done.stdout}{done.stderr}".splitlines() if rule in line]
    assert shown in line and words in line and requests.paths == []
    error = json.loads(adsctl("media", command, name, "-q", "-o", "json", code=3).stderr.splitlines()[-1])[
        "error"
    ]
    assert error["exit_code"] == 3 and error["hint"] and not error["retryable"]
    if command == "upload":
        assert rule in error["message"] and words in error["message"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["folder", "pipe", "nothing", "permission"])
def test_what_cannot_be_opened_is_told_and_keeps_the_others_from_being_sent(
    adsctl, requests, tmp_path, command, kind
):
    path = tmp_path / "odd.png"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "permission":
        path.write_bytes(picture("PNG", 1200, 628))
        path.chmod(0)
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    words = ("media", command, "odd.png", "hero.png")
    if kind == "permission":
        done = subprocess.run(
            adsctl.command(*words),
            env=adsctl.environment,
            cwd=adsctl.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            preexec_fn=drop_file_capabilities,
            check=False,
        )
    else:
        done = adsctl(*words, code=2)
    assert done.returncode == 2 and "odd.png" in done.stderr and "hint: " in done.stderr
    assert requests.paths == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_wrong_files_of_many_are_named(adsctl, requests, tmp_path, command):
    (tmp_path / "ads").mkdir()
    wrong = ("03", "11", "19")
    for number in range(20):
        name = f"{number:02}"
        content = b"text" if name in wrong else picture("PNG", 800 + number, 800, "L")
        (tmp_path / "ads" / f"{name}.png").write_bytes(content)
    done = adsctl("media", command, "ads/*.png", code=3)
    message = f"{done.stdout}{done.stderr}"
    assert all(f"ads/{name}.png" in message for name in wrong) and "ads/01.png" not in message
    assert requests.paths == []


def test_many_wrong_files_do_not_fill_the_screen(adsctl, requests, tmp_path):
    for number in range(30):
        (tmp_path / f"{number:02}.png").write_bytes(b"text")
    done = adsctl("media", "upload", "*.png", code=3)
    assert "19.png" in done.stderr and "20.png" not in done.stderr
    assert "10 more findings: adsctl media check lists all" in done.stderr and requests.paths == []


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_input_is_taken(adsctl, service, command):
    done = adsctl("media", command, "-", "-q", "-o", "json", input=picture("PNG", 1200, 628))
    records = json.loads(done.stdout)
    assert records == [] or records[0]["status"] == "uploaded"


def test_an_empty_segment_is_refused(adsctl, service, tmp_path):
    upload = {"media_type": "video/mp4", "media_category": "amplify_video", "total_bytes": 10}
    adsctl.file("upload.json", json.dumps(upload))
    post = ("api", "POST", "--base", "platform", "-o", "json")
    begun = adsctl(
        *post, "/2/media/upload/initialize", "--input", "upload.json", "-H", "Content-Type:application/json"
    )
    adsctl.file("nothing.mp4", "")
    form = ("--form", "media=@nothing.mp4", "--form", "segment_index=0")
    done = adsctl(*post, f"/2/media/upload/{json.loads(begun.stdout)['id']}/append", *form, code=6)
    assert "segment 0 is empty" in done.stderr
