"""The page of `media check --report` and `media upload --report`: one row a file, with what is wrong."""

import os
import re
from base64 import b64decode

import pytest
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By

from tests.browser import needs_chromium
from tests.media.made import gif, picture, sample
from tests.report.conftest import HOSTILE, open_page, requested
from tests.report.reading import read


@pytest.fixture
def ads(adsctl):
    """A good image, a video with a warning, and two files that break a rule."""
    adsctl.file("hero.png", picture("PNG", 1200, 628))
    adsctl.file("clip.mp4", sample("main.mp4"))
    adsctl.file("long.gif", gif(400))
    adsctl.file("notes.png", "notes")
    return adsctl


FILES = ("hero.png", "clip.mp4", "long.gif", "notes.png")


def test_a_check_says_of_each_file_what_is_wrong_and_what_to_do(ads):
    ads("media", "check", *FILES, "--report", "page.html", code=3)
    text = read(ads.home / "page.html").text
    assert "2 of 4 files break rules" in text
    for file, rule in (
        ("long.gif", "gif_frames"),
        ("notes.png", "media_type"),
        ("clip.mp4", "video_profile"),
    ):
        assert file in text and rule in text
    assert "has 400 frames, at most 350 are allowed" in text and "leave frames out" in text
    assert "1200x628" in text and "image/png" in text


def test_an_upload_says_what_became_of_each_file(ads, service):
    service.fail("POST /2/media/upload/*/finalize processing=failed")
    ads("media", "upload", *FILES, "--skip-invalid", "--report", "page.html", code=9)
    text = read(ads.home / "page.html").text
    assert "1 uploaded" in text and "could not process it" in text
    assert "3 not uploaded" in text and text.count("invalid") >= 2
    service.fail()
    ads("media", "upload", "hero.png", "clip.mp4", "--report", "page.html")
    text = read(ads.home / "page.html").text
    assert "2 files: 1 unchanged, 1 uploaded" in text and "13_" in text


GOOD = ("good", "The file breaks no rule", {"files": 1, "with errors": 0})
WARNED = ("warning", "None of 2 files breaks a rule", {"files": 2, "with errors": 0, "with warnings": 1})
WRONG = ("error", "1 of 2 files breaks a rule", {"files": 2, "with errors": 1})
UNOPENED = ("error", "1 of 3 files breaks a rule", {"files": 3, "with errors": 1})
FAILED = (
    "error",
    "1 file: 1 failed; 1 not uploaded",
    {"files": 1, "with errors": 0, "with warnings": 1, "failed": 1},
)


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        ("check hero.png", 0, GOOD),
        ("check hero.png clip.mp4", 0, WARNED),
        ("check hero.png notes.png", 3, WRONG),
        ("check hero.png notes.png none.png", 2, UNOPENED),
        ("upload clip.mp4", 6, FAILED),
    ],
)
def test_the_top_of_a_page_says_how_bad_it_is_and_why(ads, service, words, code, expected):
    service.fail("POST /2/media/upload/*/finalize processing=failed")
    said = ads("media", *words.split(), "--report", "page.html", code=code).stderr
    page = (ads.home / "page.html").read_text()
    level, headline = re.findall(r'<header class="level-(.*?)">|<h1>(.*?)</h1>', page)
    tallies = {name: int(count) for name, count in re.findall(r"<dt>(.*?)</dt><dd>(\d+)<", page)}
    assert (level[0], headline[1], tallies) == expected
    details = re.findall('<p class="detail"><bdi>(.*?)</bdi></p>', page)
    reasons = said.partition("error: ")[2].partition("\nhint: ")[0].splitlines()
    is_in_headline = expected in (GOOD, WARNED, WRONG)
    assert details[:-1] == ([] if is_in_headline else reasons) and bool(details) == bool(code)
    assert (">Not opened<" in page) is (expected is UNOPENED)
    assert (">Profile<" in page) is (expected is FAILED)


def test_a_damaged_picture_is_not_shown(adsctl):
    adsctl.file("cut.png", picture("PNG", 1200, 628)[:-30])
    adsctl("media", "check", "cut.png", "--report", "page.html", code=3)
    assert "<img" not in (adsctl.home / "page.html").read_text()


def test_small_images_are_shown_and_large_ones_do_not_make_the_page_large(adsctl):
    small, noise = picture("PNG", 1200, 628), os.urandom(300 * 1024)
    adsctl.file("small.png", small)
    adsctl.file("large.png", small + noise)
    adsctl.file("notes.png", "notes")
    adsctl("media", "check", "small.png", "large.png", "notes.png", "--report", "page.html", code=3)
    page = (adsctl.home / "page.html").read_text()
    found = re.findall(r'<img src="data:image/png;base64,([^"]+)"', page)
    assert [*map(b64decode, found)] == [small] and "img-src data:;" in page
    names = [f"{number}.png" for number in range(20)]
    for name in names:
        adsctl.file(name, small + noise[: 200 * 1024])
    adsctl("media", "check", *names, "--report", "page.html", "--force")
    page = (adsctl.home / "page.html").read_text()
    assert 0 < page.count("<img src=") < 20 and len(page) < 3.5 * 1024 * 1024
    assert all(name in page for name in names)


def test_a_run_that_sends_nothing_has_a_page_too(ads, service):
    ads("media", "upload", *FILES, "--report", "page.html", code=3)
    assert "Nothing was uploaded: 2 of 4 files break rules" in read(ads.home / "page.html").text
    ads("media", "upload", "hero.png", "--dry-run", "--report", "page.html")
    assert "not sent" in read(ads.home / "page.html").text
    ads("media", "check", "hero.png", "none.png", "--report", "page.html", code=2)
    assert "none.png cannot be opened" in read(ads.home / "page.html").text


@pytest.mark.parametrize("name", ["hero.png", "-", "no/page.html", "failed.csv"])
def test_a_page_that_cannot_be_written_is_refused_before_anything_is_sent(ads, service, name):
    words = ("hero.png", "--failed-out", "failed.csv", "--force", "--report", name)
    assert "--report: " in ads("media", "upload", *words, code=2).stderr
    assert (ads.home / "hero.png").read_bytes() == picture("PNG", 1200, 628)
    assert "hero.png" not in ads("media", "library", "list", "--all").stdout


def test_a_file_beside_a_video_is_one_of_the_files(ads, service):
    words = ("media", "upload", "clip.mp4", "--poster", "notes.png", "--report", "page.html", "--force")
    ads(*words, code=3)
    text = read(ads.home / "page.html").text
    assert "Nothing was uploaded: 1 of 2 files breaks a rule" in text and "clip.mp4, notes.png" in text
    ads(*(word.replace("notes", "hero") for word in words))
    text = read(ads.home / "page.html").text
    assert "2 files: 2 uploaded" in text and "not sent" not in text
    used = ("--poster", "hero.png", "--report", "hero.png", "--force")
    assert "--report: " in ads("media", "upload", "clip.mp4", *used, code=2).stderr
    assert (ads.home / "hero.png").read_bytes() == picture("PNG", 1200, 628)


@needs_chromium
def test_a_reader_sees_every_file_and_no_name_of_a_file_runs(ads, browser):
    name = HOSTILE.replace("/", "\u2215") + ".png"
    ads.file(name, "notes")
    ads("media", "check", *FILES, name, "--report", "page.html", code=3)
    open_page(browser, ads.home / "page.html")
    titles = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".table h3")]
    assert titles == ["Rules that files break", "Files"]
    rows = browser.find_elements(By.CSS_SELECTOR, ".table:last-of-type tbody tr")
    assert any("hero.png" in row.text and "valid" in row.text for row in rows)
    assert browser.execute_script("return window.ran") is None
    assert [each for each in requested(browser) if each.startswith("http")] == []
    assert Axe().run(browser)["violations"] == []


def table_rows(page) -> list[str]:
    """Return the texts of the rows of the last table."""
    body = page.read_text().rpartition("<tbody>")[2].partition("</tbody>")[0]
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in body.split("</tr>")[:-1]]


def test_files_beside_a_video_are_counted_and_named_with_what_became_of_them(ads, service):
    page = ads.home / "page.html"
    ads("media", "upload", "clip.mp4", "--poster", "hero.png", "--report", "page.html")
    assert "2 files: 2 uploaded" in read(page).text
    assert [row.split()[:2] for row in table_rows(page)] == [
        ["clip.mp4", "uploaded"],
        ["hero.png", "uploaded"],
    ]
    ads("media", "upload", "clip.mp4", "--poster", "notes.png", "--report", "page.html", code=3)
    assert "Nothing was uploaded: 1 of 2 files breaks a rule" in read(page).text
    assert [row.split()[:2] for row in table_rows(page)][1] == ["notes.png", "invalid"]


def test_rows_of_a_table_that_name_one_file_have_each_what_became_of_it(ads, service):
    ads.file("files.csv", "file,name\nhero.png,A\nhero.png,B\n")
    ads("media", "upload", "-f", "files.csv", "--report", "page.html")
    assert "2 files: 1 uploaded, 1 unchanged" in read(ads.home / "page.html").text
    found = [" ".join(row.split()[:2]) for row in table_rows(ads.home / "page.html")]
    assert [each.split()[-1] for each in found] == ["uploaded", "unchanged"]


def test_a_file_whose_upload_fails_is_said_to_have_failed(ads, service):
    service.fail("POST /2/media/upload/*/finalize processing=failed")
    ads("media", "upload", "clip.mp4", "--report", "page.html", code=6)
    assert "1 file: 1 failed" in read(ads.home / "page.html").text
    assert table_rows(ads.home / "page.html")[0].startswith("clip.mp4 failed")
