"""`media check` names every rule that a file breaks, from its bytes, and what to do."""

import json
import os
import re
from pathlib import Path

import pytest

from ads_cli.api.media_uploads import Category
from tests.media.made import animated_webp, gif, padded_png, picture, sample, turned_jpg


def rules(result):
    """Return file and rule of each finding of `-o json`."""
    return [(record["file"].rpartition("/")[2], record["rule"]) for record in json.loads(result.stdout)]


@pytest.fixture
def media_check(adsctl):
    """Run `media check`; any exit code will do."""
    return lambda *words, **options: adsctl("media", "check", *words, code=None, **options)


@pytest.fixture
def check(media_check, tmp_path):
    """Check a file of this content; return its rules."""

    def run(content, *words, name="file.bin"):
        path = tmp_path / name
        path.write_bytes(content)
        result = media_check(str(path), *words, "-o", "json")
        findings = json.loads(result.stdout)
        assert all(finding["words"] and finding["hint"] for finding in findings)
        assert result.returncode == (
            3 if any(finding["severity"] == "error" for finding in findings) else 0
        ), result.stderr
        return [finding["rule"] for finding in findings]

    return run


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("high.mp4", []), ("movie.mov", []), ("silent.mp4", []), ("portrait.mp4", []), ("rotated.mp4", [])),
        *(("fragmented.mp4", []), ("main.mp4", ["video_profile"]), ("hevc.mp4", ["video_codec"])),
        *(("surround.mp4", ["video_audio_channels"]), ("fps61.mp4", ["video_frame_rate"])),
        *(("interlaced.mp4", ["video_scan"]), ("vp9.webm", ["video_type", "video_codec", "video_audio"])),
    ],
)
def test_each_video_breaks_the_rules_that_it_breaks(check, name, expected):
    assert check(sample(name)) == expected


def test_a_video_that_is_cut_off_is_damaged(check):
    content = sample("high.mp4")
    assert check(content[: len(content) * 7 // 10]) == ["media_damaged"]
    assert check(content[:-9]) == ["media_damaged"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ["media_empty"]),
        (b"hello", ["media_type"]),
        (picture("PNG")[:-20], ["media_damaged"]),
        (picture("JPEG", mode="CMYK"), ["image_color"]),
        (animated_webp(), ["image_animated"]),
        (picture("BMP", 40, 40), ["image_type"]),
        (picture("TIFF", 40, 40), ["image_type"]),
        (padded_png(5_242_880), []),
        (padded_png(5_242_881), ["image_bytes"]),
        (gif(350), []),
        (gif(400), ["gif_frames"]),
        (gif(2, 1281, 2), ["gif_pixels"]),
        (gif(2, 1280, 1080), []),
        (gif(2, 2, 1081), ["gif_pixels"]),
        (gif(300, 1024, 1000), ["gif_total_pixels"]),
        (gif(2)[:-1] + b"!\xfe" + b"\xff" * 256 * 65_000 + b"\0;", ["gif_bytes"]),
        (sample("high.mp4").replace(b"vide", b"meta"), ["media_type"]),
        (picture("GIF", 900, 900), []),
        (sample("high.mp4").replace(b"ftypisom", b"ftyp3gp5"), ["video_type"]),
    ],
)
def test_each_file_breaks_the_rules_that_it_breaks_whatever_its_name(check, content, expected):
    assert check(content, name="picture.png") == expected


SQUARE, WIDE, TALL = (picture("JPEG", *sides) for sides in ((800, 800), (1200, 628), (800, 1000)))
SMALL = picture("JPEG", 799, 799)


@pytest.mark.parametrize(
    ("content", "uses", "expected"),
    [
        (SQUARE, ["website-card"], []),
        (WIDE, ["website-card", "app-card", "poll", "conversation", "poster", "post"], []),
        (picture("PNG", 1200, 630), ["poll"], []),
        (TALL, ["website-card"], ["card_ratio"]),
        (turned_jpg(1200, 628, 6), ["website-card"], ["card_width", "card_ratio"]),
        (turned_jpg(1200, 628, 3), ["website-card"], []),
        (turned_jpg(628, 1200, 8), ["website-card"], []),
        (SQUARE, ["poll"], ["card_ratio"]),
        (SQUARE, ["conversation"], ["card_ratio"]),
        (SMALL, ["app-card"], ["card_width"]),
        (SMALL, ["post"], []),
        (padded_png(3_145_728), ["app-card"], []),
        (padded_png(3_145_729), ["app-card"], ["card_bytes"]),
        (picture("BMP", 800, 800), ["website-card"], []),
        (picture("WEBP", 800, 800), ["website-card"], ["card_type"]),
        (picture("WEBP", 800, 800), ["poster"], ["poster_type"]),
        (gif(), ["website-card"], ["card_type"]),
        (gif(), ["promoted-video"], ["promoted_type"]),
        (sample("high.mp4"), ["website-card", "poll", "promoted-video"], []),
        (sample("portrait.mp4"), ["website-card"], ["card_ratio"]),
        (sample("high.mp4"), ["poster"], ["poster_type"]),
        (sample("vp9.webm"), ["post"], ["video_codec", "video_audio"]),
    ],
)
def test_each_use_adds_its_rules(check, content, uses, expected):
    assert check(content, *(word for use in uses for word in ("--for", use))) == expected


def resized(name, width, height):
    """Return a video that states other pixels, those of its codec's parameters apart."""
    content = sample(name)
    at = content.index(b"avc1", content.index(b"stsd")) + 4 + 24
    return content[:at] + width.to_bytes(2) + height.to_bytes(2) + content[at + 4 :]


def lasting(name, seconds):
    """Return a video whose header states another duration."""
    content = sample(name)
    at = content.index(b"mvhd") + 4 + 12
    return content[:at] + (1000).to_bytes(4) + round(seconds * 1000).to_bytes(4) + content[at + 8 :]


WEBM = ("video_type", "video_codec", "video_audio")


@pytest.mark.parametrize(
    ("content", "words", "expected"),
    [
        (resized("high.mp4", 1280, 1024), ["--for", "post"], []),
        (resized("high.mp4", 720, 1280), ["--for", "post"], []),
        (resized("high.mp4", 1920, 1080), ["--for", "post"], ["video_pixels"]),
        (resized("high.mp4", 30, 40), [], ["video_pixels"]),
        (resized("high.mp4", 1000, 300), [], ["video_ratio"]),
        (lasting("high.mp4", 141), [], []),
        (lasting("high.mp4", 141), ["--for", "post"], ["video_seconds"]),
        (lasting("high.mp4", 141), ["--for", "post", "--for", "promoted-video"], ["video_seconds"]),
        (resized("high.mp4", 1920, 1080), ["--for", "post", "--for", "promoted-video"], ["video_pixels"]),
        (resized("high.mp4", 1920, 1080), [], ["video_pixels"]),
        (sample("vp9.webm"), ["--for", "post", "--for", "promoted-video"], [*WEBM]),
        (lasting("high.mp4", 0.4), ["--for", "post"], ["video_seconds"]),
        (lasting("high.mp4", 141), ["--category", "tweet_video"], ["video_seconds"]),
        (lasting("high.mp4", 600), [], []),
        (lasting("high.mp4", 601), [], ["video_seconds"]),
    ],
)
def test_pixels_and_seconds_of_videos_have_limits(check, content, words, expected):
    assert check(content, *words) == expected


def test_a_category_is_for_its_kind_of_file(check):
    assert check(SQUARE, "--category", "tweet_video") == ["media_category"]
    assert check(gif(), "--category", "tweet_image") == ["media_category"]
    assert check(picture("GIF"), "--category", "tweet_gif") == []
    assert check(b"WEBVTT\n\n", "--category", "subtitles") == []


def test_warnings_end_well_unless_they_count_as_errors(media_check, tmp_path):
    path = tmp_path / "main.mp4"
    path.write_bytes(sample("main.mp4"))
    assert media_check(str(path)).returncode == 0
    strict = media_check(str(path), "--strict", "-o", "json")
    assert (strict.returncode, rules(strict)) == (3, [("main.mp4", "video_profile")])


def test_of_a_hundred_files_the_three_that_are_wrong_are_named(media_check, tmp_path):
    for number in range(100):
        content = b"hello" if number in (3, 50, 99) else SQUARE
        (tmp_path / f"{number:03}.jpg").write_bytes(content)
    result = media_check(str(tmp_path / "*.jpg"), "-o", "json")
    assert result.returncode == 3 and "3 of 100 files invalid" in result.stderr
    assert rules(result) == [(f"{number:03}.jpg", "media_type") for number in (3, 50, 99)]


def test_findings_are_records_in_every_format(media_check, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"")
    columns = ["file", "rule", "words", "hint", "severity"]
    values = [str(path), "media_empty", "is empty", "export it again", "error"]
    expected = {"tsv": "\t".join(columns) + "\n" + "\t".join(values) + "\n"}
    expected |= {"csv": ",".join(columns) + "\n" + ",".join(values) + "\n", "ids": f"{path}\n", "none": ""}
    expected |= {"table": f"{path}: is empty (media_empty); export it again\n"}
    for format, text in expected.items():
        result = media_check(str(path), "-q", "-o", format)
        assert (result.returncode, result.stdout.replace("\r\n", "\n")) == (3, text)
    lines = media_check(str(path), "-q", "-o", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [dict(zip(columns, values, strict=True))]
    assert media_check(str(path), "--columns", "rule", "-o", "tsv").stdout == "rule\nmedia_empty\n"


def test_valid_files_are_counted_and_described_when_asked(media_check, tmp_path):
    path = tmp_path / "clip"
    path.write_bytes(sample("high.mp4"))
    result = media_check(str(path), "-v", "-o", "json")
    assert (result.returncode, json.loads(result.stdout)) == (0, [])
    assert "128x72, 0.6 s, H.264 High 4:2:0 progressive, 30 frames a second, AAC LC" in result.stderr
    assert "video_gop" in result.stderr and "1 file checked, all valid" in result.stderr
    assert media_check(str(path), "-q", "-o", "json").stderr == ""


def test_a_table_names_files_relative_to_its_folder(media_check, tmp_path):
    folder = tmp_path / "season"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(SQUARE)
    (tmp_path / "b.jpg").write_bytes(b"hello")
    table = folder / "media.csv"
    table.write_text(f"file,name\na.jpg,A\n../b.jpg,B\n{folder / 'a.jpg'},again\n")
    result = media_check("-f", str(table), "-o", "json")
    assert (result.returncode, rules(result)) == (3, [("b.jpg", "media_type")])
    assert "1 of 3 files invalid" in result.stderr


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("file\n", 3, "no row below the header"),
        ("name\nx\n", 3, "names no file in the column 'file'"),
        ("file,name\n,x\n", 3, "names no file in the column 'file'"),
        ("file\nmissing.png\n", 2, "missing.png cannot be opened"),
    ],
)
def test_a_table_that_names_no_files_is_wrong(media_check, tmp_path, text, code, message):
    table = tmp_path / "media.csv"
    table.write_text(text)
    result = media_check("-f", str(table))
    assert result.returncode == code and message in result.stderr


def test_a_column_may_be_read_as_that_of_the_files(media_check, tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"hello")
    (tmp_path / "media.csv").write_text("Image\na.jpg\n")
    words = ("-f", str(tmp_path / "media.csv"), "--map", "Image=file", "-o", "json")
    assert rules(media_check(*words)) == [("a.jpg", "media_type")]


def test_without_files_the_command_is_wrong(media_check):
    result = media_check()
    assert result.returncode == 2 and "name the files" in result.stderr


def test_what_cannot_be_opened_ends_with_2_and_the_others_are_checked(media_check, tmp_path):
    good, bad, pipe = tmp_path / "good.jpg", tmp_path / "bad.png", tmp_path / "pipe"
    good.write_bytes(SQUARE)
    bad.write_bytes(b"hello")
    os.mkfifo(pipe)
    words = [str(path) for path in (tmp_path, good, pipe, tmp_path / "missing.gif", bad)]
    result = media_check(*words, "-o", "json")
    assert (result.returncode, rules(result)) == (2, [("bad.png", "media_type")])
    for text in ("Is a directory", "pipe is not a regular file", "missing.gif cannot be opened"):
        assert text in result.stderr
    assert media_check(str(pipe)).returncode == 2
    assert media_check(str(tmp_path / "*.nothing")).returncode == 2


def test_a_file_without_permission_ends_with_2(media_check, monkeypatch, tmp_path):
    path = tmp_path / "private.png"
    path.write_bytes(SQUARE)

    open_path = Path.open

    def refuse(self, *words, **options):  # root may read every file
        if self == path:
            raise PermissionError(13, "Permission denied")
        return open_path(self, *words, **options)

    monkeypatch.setattr(Path, "open", refuse)
    result = media_check(str(path))
    assert result.returncode == 2 and f"{path} cannot be opened: Permission denied" in result.stderr


@pytest.mark.parametrize("reads", ["_look", "_sha256"])
@pytest.mark.parametrize("command", ["check", "upload"])
def test_a_file_that_cannot_be_read_ends_with_2(adsctl, monkeypatch, tmp_path, command, reads):
    path = tmp_path / "lost.png"
    path.write_bytes(SQUARE)

    def fail(source):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(f"ads_cli.media.inspection.{reads}", fail)
    result = adsctl.local("media", command, str(path), code=2)
    assert result.returncode == 2 and f"{path} cannot be read: Input/output error" in result.stderr


@pytest.mark.parametrize("format", ["tsv", "table"])
def test_a_name_of_any_characters_stays_in_its_line(media_check, tmp_path, format):
    path = tmp_path / "two\nlines\t\x1b[31m.png"
    path.write_bytes(b"hello")
    result = media_check(str(path), "-v", "-o", format)
    assert result.returncode == 3 and "\x1b" not in result.stdout + result.stderr
    assert "two\\nlines\\t\\x1b[31m.png" in result.stdout
    assert len(result.stdout.splitlines()) == (2 if format == "tsv" else 1)
    missing = media_check(str(tmp_path / "no\nsuch.png"))
    assert missing.returncode == 2 and "no\\nsuch.png" in missing.stderr


def test_standard_input_is_a_file_too(media_check):
    result = media_check("-", "-o", "json", input="hello")
    assert (result.returncode, rules(result)) == (3, [("standard input", "media_type")])


def test_nothing_is_sent_and_no_account_is_needed(media_check, tmp_path):
    path = tmp_path / "a.jpg"
    path.write_bytes(SQUARE)
    result = media_check(str(path), "--debug", "--dry-run")
    assert result.returncode == 0 and "GET" not in result.stderr and "POST" not in result.stderr


def test_the_page_names_every_rule():
    root = Path(__file__).parent.parent.parent
    made = set(re.findall(r'Breach\(f?"([a-z{}_]+)"', (root / "ads_cli/media/rules.py").read_text()))
    kinds = ("image", "gif", "video", "subtitles")
    made = {rule.replace("{kind}", kind) for rule in made for kind in kinds}
    page = (root / "docs/media.md").read_text().partition("## Upload")[0]
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", page))
    assert made == named - {*Category}


def test_a_file_of_a_server_is_checked_and_one_that_is_missing_hides_no_finding(media_check, httpserver):
    httpserver.expect_request("/a").respond_with_data(b"hello")
    httpserver.expect_request("/missing.png").respond_with_data(b"", status=404)
    words = (httpserver.url_for("/missing.png"), httpserver.url_for("/a"))
    result = media_check(*words, "-o", "json")
    assert (result.returncode, rules(result)) == (5, [("a", "media_type")])
    assert "missing.png" in result.stderr


@pytest.mark.parametrize("width", [60, 80])
def test_findings_on_a_terminal_break_at_words(adsctl, tmp_path, width):
    (tmp_path / "clip.mp4").write_bytes(sample("hevc.mp4"))
    terminal = adsctl.terminal("-q", "media", "check", "clip.mp4", width=width)
    terminal.expect("error")
    lines = terminal.before.rpartition("\x1b")[0].splitlines()
    finding = [line for line in lines if line.startswith(("clip.mp4: ", "    "))]
    assert len(finding) > 1 and max(map(len, lines)) <= width
    words = " ".join(line.strip() for line in finding)
    piped = adsctl("media", "check", "clip.mp4", "-o", "table", code=3).stdout
    assert words == piped.strip()


def test_a_table_of_refused_files_names_them_as_they_were_given(media_check, httpserver, adsctl):
    httpserver.expect_request("/a.png").respond_with_data(b"no picture")
    address = httpserver.url_for("/a.png?signature=abc&until=9")
    (adsctl.home / "lists").mkdir()
    (adsctl.home / "lists" / "list.csv").write_text(f"file,note\n{address},hello\n-,input\n")
    words = ("-f", "lists/list.csv", "--failed-out", "lists/failed.csv")
    first = media_check(*words, input=b"no picture")
    assert first.returncode == 3 and "abc" not in first.stdout + first.stderr
    rows = [line.split(",")[:2] for line in (adsctl.home / "lists" / "failed.csv").read_text().splitlines()]
    assert rows == [["file", "note"], [address, "hello"], ["-", "input"]]
    again = media_check("-f", "lists/failed.csv", input=b"no picture")
    assert again.returncode == 3 and again.stdout == first.stdout, "what is named can be opened"
    media_check("-", "--failed-out", "typed.csv", input=b"no picture")
    assert (adsctl.home / "typed.csv").read_text().splitlines()[1].startswith("-,1,")
