"""A run that schedules posts is resumed though the time of those that it has sent has passed."""

import json

import pytest
import time_machine

FILE = "posts.csv"
WORDS = ("posts", "scheduled", "create", "-f", FILE)
MORNING, TEN_O_CLOCK, NOON = "2027-03-01T08:00:00Z", "2027-03-01T10:30:00Z", "2027-03-01T12:00:00Z"
POSTS = "text,scheduled_at\nOne,2027-03-01T10:00Z\nTwo,2027-03-01T11:00Z\n"


def new_posts(adsctl) -> list[str]:
    texts = json.loads(adsctl("posts", "scheduled", "list", "--query", "[].text", "-o", "json").stdout)
    return sorted(text for text in texts if text in ("One", "Two"))


@pytest.fixture
def interrupted(adsctl, service, monkeypatch):
    """A run that was stopped after its first post; yields what moves the time."""
    respond, sent = service.answer, []

    def answer(environ, start_response):
        if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith("/scheduled_posts"):
            sent.append(environ)
            service.fail(*["POST */scheduled_posts status=429"] * (len(sent) == 2))
        return respond(environ, start_response)

    monkeypatch.setattr(service, "answer", answer)
    adsctl.file(FILE, POSTS)
    with time_machine.travel(MORNING, tick=True) as traveller:
        adsctl(*WORDS, "--max-attempts", "1", code=7)
        service.fail()
        yield traveller


def test_only_what_is_still_to_be_sent_must_be_to_come(adsctl, interrupted):
    interrupted.move_to(TEN_O_CLOCK)
    adsctl(*WORDS, "--resume")
    assert new_posts(adsctl) == ["One", "Two"]


def test_what_is_not_sent_in_its_time_is_corrected_in_the_file(adsctl, interrupted):
    interrupted.move_to(NOON)
    message = adsctl(*WORDS, "--resume", code=3).stderr
    assert "posts.csv:3: scheduled_at: 2027-03-01T11:00:00Z is in the past\n1 of 1 row invalid" in message
    assert "correct the file and run it again with --resume" in message and new_posts(adsctl) == ["One"]
    adsctl.file(FILE, POSTS.replace("T11:00Z", "T13:00Z"))
    adsctl(*WORDS, "--resume")
    assert new_posts(adsctl) == ["One", "Two"]


def test_a_time_that_has_passed_is_refused_where_nothing_is_resumed(adsctl, service):
    adsctl.file(FILE, POSTS.replace("2027", "2020"))
    assert "is in the past" in adsctl(*WORDS, code=3).stderr
