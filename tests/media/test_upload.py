"""media upload: from a file to an entry in the library."""

import json
import os
from email import message_from_bytes
from io import BytesIO

import pexpect
import pytest

from ads_cli.config.file_locks import try_lock
from tests.feeds.locations.file_server import serving
from tests.media.made import picture, sample


def test_an_image_is_uploaded_and_is_in_the_library(adsctl, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    done = adsctl.local("media", "upload", "hero.png", "-o", "json")
    (record,) = json.loads(done.stdout)
    assert list(record) == [
        "file", "media_key", "media_id", "media_category", "media_type", "status",
        "bytes", "width", "height", "seconds", "sha256",
    ]  # fmt: skip
    assert record["status"] == "uploaded" and record["media_category"] == "tweet_image"
    assert record["media_key"] == f"3_{record['media_id']}"
    library = json.loads(adsctl.local("media", "library", "get", record["media_key"], "-o", "json").stdout)
    assert (library["file_name"], library["width"], library["height"]) == ("hero.png", 1200, 628)


def test_a_terminal_of_80_columns_shows_what_became_of_each_file(adsctl, tmp_path):
    for number in range(2):
        (tmp_path / f"picture-of-the-summer-{number}.png").write_bytes(picture("PNG", 64 + number, 64))
    words = ("--profile", "local", "-q", "media", "upload", "picture-of-the-summer-*.png")
    for dry, status in (("--dry-run",), "not sent"), ((), "uploaded"), ((), "unchanged"):
        terminal = adsctl.terminal(*words, *dry, width=80, NO_COLOR="1")
        terminal.expect(pexpect.EOF)
        heading, *rows = terminal.before.splitlines()
        third = "MEDIA_CATEGORY" if dry else "MEDIA_KEY"  # what is not sent has no key
        assert heading.split()[:3] == ["FILE", "STATUS", third]
        assert [row.split("  ")[1] for row in rows[:2]] == [status, status]
    tsv = adsctl.local("-q", "media", "upload", "picture-of-the-summer-0.png").stdout.splitlines()[0]
    assert tsv.split("\t")[:3] == ["file", "media_key", "media_id"]


def test_a_video_is_uploaded_in_segments_and_awaited(adsctl, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
    (record,) = json.loads(adsctl.local("media", "upload", "clip.mp4", "-o", "json").stdout)
    assert record["status"] == "uploaded" and record["media_key"].startswith("13_")


def test_the_same_file_is_uploaded_once(adsctl, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    (tmp_path / "copy.png").write_bytes((tmp_path / "hero.png").read_bytes())
    first = json.loads(adsctl.local("media", "upload", "hero.png", "-o", "json").stdout)[0]
    second = json.loads(adsctl.local("media", "upload", "copy.png", "-o", "json").stdout)[0]
    assert second["status"] == "unchanged" and second["media_key"] == first["media_key"]


@pytest.fixture
def bodies(service) -> list[dict]:
    """The fields of each request that begins an upload, whatever way they travel."""
    bodies: list[dict] = []
    answer = service.answer

    def recorded(environ, start_response):
        if environ["PATH_INFO"] in ("/2/media/upload", "/2/media/upload/initialize"):
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = BytesIO(body)
            if body and environ["REQUEST_METHOD"] == "POST":
                bodies.append(fields(environ["CONTENT_TYPE"], body))
        return answer(environ, start_response)

    service.answer = recorded
    return bodies


def fields(content_type: str, body: bytes) -> dict:
    if content_type == "application/json":
        return json.loads(body)
    parts = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body).get_payload()
    named = ((part.get_param("name", header="content-disposition"), part) for part in parts)
    return {name: part.get_payload() for name, part in named if name != "media"}


def test_other_owners_are_named_to_the_service_and_have_uploads_of_their_own(
    adsctl, service, bodies, tmp_path
):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
    upload = ("media", "upload", "hero.png", "clip.mp4", "-o", "json")
    owners = ("--as-user-id", "1184672520", "--as-user-id", "1184672521")
    first = json.loads(adsctl(*upload, *owners).stdout)
    assert [body.get("additional_owners") for body in bodies] == [
        "1184672520,1184672521",
        ["1184672520", "1184672521"],
    ]
    again = json.loads(adsctl(*upload, *owners).stdout)
    assert [record["status"] for record in again] == ["unchanged", "unchanged"] and len(bodies) == 2
    alone = json.loads(adsctl(*upload).stdout)
    assert [record["status"] for record in alone] == ["uploaded", "uploaded"]
    assert {record["media_key"] for record in first}.isdisjoint(record["media_key"] for record in alone)
    assert [body.get("additional_owners") for body in bodies[2:]] == [None, None]


def library(adsctl) -> list[str]:
    listed = adsctl("media", "library", "list", "--all", "-o", "json")
    return [record["media_key"] for record in json.loads(listed.stdout)]


@pytest.mark.parametrize("name", ["hero.png", "clip.mp4"])
def test_an_upload_can_leave_the_library_out(adsctl, service, tmp_path, name):
    content = sample("high.mp4") if name == "clip.mp4" else picture("PNG", 1200, 628)
    (tmp_path / name).write_bytes(content)
    before = library(adsctl)
    upload = ("media", "upload", name, "-o", "json")
    (first,) = json.loads(adsctl(*upload, "--no-library").stdout)
    assert first["status"] == "uploaded" and library(adsctl) == before
    (again,) = json.loads(adsctl(*upload, "--no-library").stdout)
    assert (again["status"], again["media_key"]) == ("unchanged", first["media_key"])
    (added,) = json.loads(adsctl(*upload).stdout)
    assert added["status"] == "uploaded" and added["media_key"] in library(adsctl)


def test_files_at_an_address_are_uploaded(adsctl, service):
    with serving() as server:
        server.content = picture("PNG", 1200, 628)
        upload = ("media", "upload", server.address("/hero.png"), "-o", "json")
        (record,) = json.loads(adsctl(*upload).stdout)
        assert record["status"] == "uploaded" and record["file"].endswith("/hero.png")
        assert json.loads(adsctl(*upload).stdout)[0]["status"] == "unchanged"
    shown = json.loads(adsctl("media", "library", "get", record["media_key"], "-o", "json").stdout)
    assert (shown["file_name"], shown["width"]) == ("hero.png", 1200)


@pytest.mark.parametrize("is_named", [True, False])
def test_the_library_names_a_file_at_an_address_as_the_address_does(adsctl, service, is_named):
    with serving() as server:
        server.content = picture("PNG", 1200, 628)
        address = server.address("/a/big%20hero.png?token=hush-hush")
        words = ("media", "upload", "@HERO" if is_named else address, "-o", "json")
        (record,) = json.loads(adsctl(*words, HERO=address).stdout)
    shown = json.loads(adsctl("media", "library", "get", record["media_key"], "-o", "json").stdout)
    assert (shown["file_name"], shown["name"]) == ("big hero.png", "big hero")


def test_a_pattern_names_all_files_that_it_matches(adsctl, service, tmp_path):
    (tmp_path / "ads").mkdir()
    for number in (1, 2, 3):
        (tmp_path / "ads" / f"{number}.png").write_bytes(picture("PNG", 1200, 620 + number))
    (tmp_path / "ads" / "notes.txt").write_text("no media")
    records = json.loads(adsctl("media", "upload", "ads/*.png", "-o", "json").stdout)
    assert [record["file"] for record in records] == ["ads/1.png", "ads/2.png", "ads/3.png"]
    assert {record["status"] for record in records} == {"uploaded"}
    done = adsctl("media", "upload", "ads/*.webm", code=2)
    assert "ads/*.webm" in done.stderr


def test_files_that_were_not_uploaded_are_a_table_that_is_taken_again(adsctl, service, tmp_path):
    (tmp_path / "ads").mkdir()
    (tmp_path / "ads" / "hero.png").write_bytes(picture("PNG", 1200, 628))
    (tmp_path / "ads" / "notes.png").write_text("notes")
    (tmp_path / "ads" / "list.csv").write_text("file,name\nhero.png,Hero\nnotes.png,Notes\n")
    failed = tmp_path / "out" / "failed.csv"
    failed.parent.mkdir()
    words = ("-f", "ads/list.csv", "--skip-invalid", "--failed-out", str(failed))
    records = json.loads(adsctl("media", "upload", *words, "-o", "json", code=9).stdout)
    assert [record["status"] for record in records] == ["uploaded", "invalid"]
    shown = adsctl("media", "upload", *words[:3], "-o", "ids", code=9).stdout
    assert shown == f"{records[0]['media_key']}\n"
    assert failed.read_text().startswith("file,name,_line,_error\n../ads/notes.png,Notes,3,")
    (tmp_path / "ads" / "notes.png").write_bytes(picture("PNG", 1200, 627))
    again = json.loads(adsctl("media", "upload", "-f", str(failed), "-o", "json").stdout)
    assert [record["status"] for record in again] == ["uploaded"]
    adsctl("media", "upload", *words)
    assert not failed.exists()  # nothing is refused any more
    failed.write_text("a note")
    assert "--failed-out" in adsctl("media", "upload", *words, code=2).stderr
    assert failed.read_text() == "a note"


LONGEST = {"name": 100, "title": 70, "description": 200, "alt_text": 1000}


@pytest.mark.parametrize("name", LONGEST)
def test_a_text_of_a_table_that_is_too_long_is_refused_before_anything_is_sent(
    adsctl, service, bodies, tmp_path, name
):
    for number in (1, 2):
        (tmp_path / f"{number}.png").write_bytes(picture("PNG", 1200, 627 + number))
    long, longest = "x" * (LONGEST[name] + 1), "x" * LONGEST[name]
    (tmp_path / "list.csv").write_text(f"file,{name}\n1.png,{longest}\n2.png,{long}\n")
    done = adsctl("media", "upload", "-f", "list.csv", code=3)
    assert f"2.png: {name} of row 3 has more than {LONGEST[name]} characters (text_length)" in done.stderr
    assert bodies == []
    option = "--" + name.replace("_", "-")
    assert f"at most {LONGEST[name]}" in adsctl("media", "upload", "1.png", option, long, code=2).stderr
    words = ("-f", "list.csv", "--skip-invalid", "--failed-out", "failed.csv", "--dry-run", "-o", "json")
    (record,) = json.loads(adsctl("media", "upload", *words).stdout)
    assert record["file"] == "1.png"


def rows_of(path) -> list[str]:
    return [line.split(",")[0] for line in path.read_text().splitlines()[1:]]


@pytest.fixture
def files(tmp_path):
    """A folder with files that may be uploaded, and others."""
    (tmp_path / "img").mkdir()
    for name in ("bad.png", "worse.png"):
        (tmp_path / "img" / name).write_text("notes")
    for number, name in enumerate(("ok.png", "fine.png")):
        (tmp_path / "img" / name).write_bytes(picture("PNG", 1200, 627 + number))
    return tmp_path / "img"


def test_the_refused_files_are_written_where_nothing_is_sent_too(adsctl, service, files, tmp_path):
    failed, into = tmp_path / "failed.csv", ("--failed-out", "failed.csv")
    adsctl("media", "upload", "img/ok.png", "img/bad.png", *into, code=3)
    assert rows_of(failed) == ["img/bad.png"]
    adsctl("media", "upload", "img/bad.png", "img/worse.png", "--skip-invalid", *into, code=3)
    assert rows_of(failed) == ["img/bad.png", "img/worse.png"]
    adsctl("media", "upload", "img/worse.png", *into, code=3)
    assert rows_of(failed) == ["img/worse.png"]
    adsctl("media", "upload", "img/ok.png", "img/bad.png", "--skip-invalid", "--dry-run", *into)
    assert rows_of(failed) == ["img/bad.png"]


def test_the_file_of_refused_files_is_that_of_the_run_whatever_ends_it(adsctl, service, files, tmp_path):
    failed, words = tmp_path / "failed.csv", ("img/ok.png", "--failed-out", "failed.csv")
    service.fail("POST /2/media/upload status=400")
    adsctl("media", "upload", *words, code=6)
    assert rows_of(failed) == ["img/ok.png"]
    adsctl("media", "upload", "img/fine.png", *words, "--account", "nobody", code=None)
    assert rows_of(failed) == ["img/fine.png", "img/ok.png"]
    service.fail()
    adsctl("media", "upload", *words)
    assert not failed.exists()


def test_a_table_of_refused_files_is_read_again_wherever_it_is(adsctl, service, files, tmp_path):
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "out").symlink_to("real/deep")
    (tmp_path / "img" / "@bad").write_text("notes")
    (tmp_path / "img" / "-").write_text("notes")
    names = ("img/bad.png", "img/@bad", "img/-")
    for folder in ("out", "img"):
        where = f"{folder}/failed.csv"
        adsctl("media", "upload", *names, "--failed-out", where, code=3)
        findings = json.loads(adsctl("media", "check", "-f", where, "-o", "json", code=3).stdout)
        assert len({record["file"] for record in findings}) == 3, "each is opened, and no picture"
    assert rows_of(tmp_path / "img" / "failed.csv") == ["bad.png", "./@bad", "./-"]
    done = adsctl("media", "upload", "img/bad.png", "--failed-out", "/dev/stdout", code=None)
    assert "img/bad.png" in done.stdout and "../" not in done.stdout, done


@pytest.mark.parametrize("value", ["true", '["a","b"]', '{"x":1}'])
def test_a_detail_of_a_table_that_is_no_text_is_refused(adsctl, service, bodies, files, tmp_path, value):
    (tmp_path / "list.jsonl").write_text(f'{{"file":"img/ok.png","name":7,"alt_text":{value}}}\n')
    said = adsctl("media", "upload", "-f", "list.jsonl", code=3).stderr
    assert "alt_text of row 1 is no text (text_type)" in said and bodies == []
    (tmp_path / "list.jsonl").write_text('{"file":"img/ok.png","name":7,"alt_text":1.5}\n')
    adsctl("media", "upload", "-f", "list.jsonl")
    library = json.loads(adsctl("media", "library", "list", "-o", "json").stdout)
    assert "7" in {record["name"] for record in library}


def test_what_is_said_of_a_file_that_is_in_the_library_is_changed_there(adsctl, service, bodies, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    (tmp_path / "list.csv").write_text("file,name\nclip.mp4,Of a table\n")
    (record,) = json.loads(adsctl("media", "upload", "clip.mp4", "--title", "Clay", "-o", "json").stdout)

    def shown() -> dict:
        return json.loads(adsctl("media", "library", "get", record["media_key"], "-o", "json").stdout)

    words = ("--name", "ماگ", "--title", "茶碗", "--description", "Mugs", "--poster", "hero.png")
    (again,) = json.loads(adsctl("media", "upload", "clip.mp4", *words, "-o", "json").stdout)
    assert again["status"] == "unchanged" and again["media_key"] == record["media_key"]
    after = shown()
    assert (after["name"], after["title"], after["description"]) == ("ماگ", "茶碗", "Mugs")
    assert after["poster_media_key"] in library(adsctl)
    adsctl("media", "upload", "clip.mp4")
    assert shown() == after, "what is not given stays as it is"
    adsctl("media", "upload", "-f", "list.csv")
    assert (shown()["name"], shown()["title"]) == ("Of a table", "茶碗")


@pytest.mark.parametrize("option", ["--title", "--description"])
def test_what_is_for_videos_is_refused_of_an_image_before_anything_is_sent(
    adsctl, service, bodies, files, option
):
    assert (
        f"{option}: is for videos" in adsctl("media", "upload", "img/ok.png", option, "Mugs", code=2).stderr
    )
    assert bodies == []


@pytest.mark.parametrize(
    ("guard", "fault", "code"), [("deny: [media]", "", 12), ("", "POST /2/media/upload status=401", 4)]
)
def test_what_no_file_can_help_ends_a_run_with_its_own_code(
    adsctl, service, files, tmp_path, guard, fault, code
):
    (tmp_path / "guard.yaml").write_text(guard)
    if fault:
        service.fail(fault)
    words = ("media", "upload", "img/ok.png", "img/fine.png", "-o", "json")
    done = adsctl(*words, code=code, ADSCTL_GUARD=str(tmp_path / "guard.yaml"))
    assert "2 files not uploaded" in done.stderr and "correct these files" not in done.stderr
    assert [load["status"] for load in json.loads(done.stdout)] == ["failed", "not sent"]


def test_a_state_folder_that_cannot_be_used_ends_a_run_with_11(adsctl, service, files, bodies, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "locks").write_text("no folder")
    done = adsctl(
        "media", "upload", "img/ok.png", "img/fine.png", code=11, ADSCTL_STATE_DIR=str(tmp_path / "full")
    )
    assert "2 files not uploaded" in done.stderr and bodies == []


def test_a_file_that_is_not_allowed_keeps_no_other_from_being_sent(adsctl, service, files):
    service.fail("POST /2/media/upload status=403 times=1")
    done = adsctl("media", "upload", "img/ok.png", "img/fine.png", "-o", "json", code=9)
    assert [load["status"] for load in json.loads(done.stdout)] == ["failed", "uploaded"]


def test_a_file_that_another_run_uploads_keeps_no_other_from_being_sent(adsctl, service, files, tmp_path):
    adsctl("media", "upload", "img/ok.png")
    (lock,) = (tmp_path / "state" / "locks").glob("job-*.lock")
    with try_lock(lock):
        done = adsctl("media", "upload", "img/ok.png", "img/fine.png", "-o", "json", code=9)
    assert "another run is uploading the same img/ok.png" in done.stderr
    assert [load["status"] for load in json.loads(done.stdout)] == ["failed", "uploaded"]


def test_a_file_whose_name_is_not_utf_8_is_uploaded_once(adsctl, service, bodies, tmp_path):
    for name, content in ((b"caf\xe9.png", picture("PNG", 1200, 628)), (b"caf\xe9.mp4", sample("high.mp4"))):
        path = os.fsencode(tmp_path) + b"/" + name
        with open(path, "wb") as file:  # noqa: PTH123 - a path of bytes
            file.write(content)
    (first, second) = json.loads(adsctl("media", "upload", "caf*", "-o", "json").stdout)
    assert (first["status"], second["status"]) == ("uploaded", "uploaded")
    shown = json.loads(adsctl("media", "library", "get", second["media_key"], "-o", "json").stdout)
    assert (shown["name"], shown["file_name"]) == ("caf?", "caf?.png")
    again = json.loads(adsctl("media", "upload", "caf*", "-o", "json").stdout)
    assert [record["status"] for record in again] == ["unchanged", "unchanged"] and len(bodies) == 2


def test_subtitles_by_themselves_are_not_sent_for_the_library(adsctl, service, bodies, tmp_path):
    (tmp_path / "clip.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHi\n")
    assert "--subtitles FILE" in adsctl("media", "upload", "clip.srt", code=2).stderr
    assert bodies == []
    adsctl("media", "upload", "clip.srt", "--no-library")
    assert len(bodies) == 1
