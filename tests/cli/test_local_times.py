"""Times of the command line without an offset are those of the account's time zone, and it is said."""

import pytest

UPDATE = ("line-items", "update", "9d4c2")


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("2027-07-01T08:00", "2027-07-01T06:00:00Z"),  # Berlin, in summer
        ("2027-01-15 08:00:30", "2027-01-15T07:00:30Z"),
        ("2027-01-15T08:00Z", "2027-01-15T08:00:00Z"),
        ("2027-01-15T08:00+05:00", "2027-01-15T03:00:00Z"),
    ],
)
def test_a_time_without_an_offset_is_in_the_zone_of_the_account(adsctl, typed, moment):
    shown = adsctl.local(*UPDATE, "--end-time", typed, "--dry-run")
    assert moment.replace(":", "%3A") in shown.stdout
    is_said = f"--end-time {typed} is in Europe/Berlin, the account's zone: {moment}" in shown.stderr
    assert is_said == ("+" not in typed and "Z" not in typed)


def test_a_day_begins_at_midnight_where_the_account_is(adsctl):
    words = ("posts", "scheduled", "create", "--text", "x", "--scheduled-at", "2026-12-24", "--dry-run")
    assert "2026-12-23T23" in adsctl.local(*words).stdout


def test_a_dry_run_asks_no_service_and_says_so(remote):
    words = ("posts", "scheduled", "create", "--text", "x", "--as-user-id", "1", "-A", "a1", "--dry-run")
    shown = remote(*words, "--scheduled-at", "2026-12-24")
    assert "2026-12-24T00" in shown.stdout and "does not ask for the time zone" in shown.stderr
    assert "needs an offset" in remote(*words, "--scheduled-at", "2026-12-24T08:00", code=2).stderr


def test_what_is_no_time_is_still_told_by_its_option(adsctl):
    assert "--end-time: 'soon' is not allowed" in adsctl.local(*UPDATE, "--end-time", "soon", code=2).stderr


@pytest.mark.parametrize(
    ("words", "option"),
    [(UPDATE, "--end-time"), (("posts", "scheduled", "create", "--text", "x"), "--scheduled-at")],
)
def test_what_is_no_time_is_told_where_times_are_read(adsctl, words, option):
    for shown in (
        adsctl.local(*words, option, "2027-13-01", code=2).stderr,
        adsctl(*words[:2], *words[2:3] * (words[2] == "create"), "--help").stdout,
    ):
        shown = " ".join(shown.split())
        assert "a day or a time where the account is, such as 2026-03-01 or 2026-03-01T08:00" in shown
        assert "in UTC" not in shown and "ISO 8601" not in shown


def test_a_time_of_a_file_still_needs_its_offset(adsctl):
    adsctl.file("line.yaml", "end_time: 2027-01-15T08:00\n")
    assert "ISO 8601 with an offset" in adsctl.local(*UPDATE, "-f", "line.yaml", code=3).stderr
