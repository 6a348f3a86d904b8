"""A location names what is read, for messages, jobs and the check that output is not the input."""

import io

import pytest

from ads_cli.errors import UsageError
from ads_cli.feeds.locations import FileLocation, InMemory, StandardInput, parse_location


def test_a_path_names_itself_in_messages_and_jobs(feeds, monkeypatch):
    feeds.write("a.csv", "id\n")
    monkeypatch.chdir(feeds.folder)
    location = parse_location("./a.csv")
    assert isinstance(location, FileLocation)
    assert location.label == location.identity == location.file_name == "./a.csv"
    assert location.open().read() == b"id\n"


def test_a_path_is_the_same_file_through_links_and_other_spellings(feeds, monkeypatch):
    path = feeds.write("a.csv", "id\n")
    (feeds.folder / "link.csv").symlink_to(path)
    monkeypatch.chdir(feeds.folder)
    location = parse_location("a.csv")
    assert all(map(location.is_same_file, [path, "link.csv", "./a.csv", f"../{feeds.folder.name}/a.csv"]))
    assert not location.is_same_file("b.csv")


def test_standard_input_and_values_are_never_the_output_file(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"id\n1\n")))
    location = parse_location("-")
    assert isinstance(location, StandardInput)
    assert location.label == location.identity == "standard input" and location.file_name is None
    assert not location.is_same_file("standard input") and not location.is_same_file("-")
    stream = location.open()
    assert stream.read() == b"id\n1\n" and stream.seek(0) == 0 and stream.read(2) == b"id"
    assert not InMemory(b"", "command line").is_same_file("command line")


def test_standard_input_is_read_from_its_beginning_each_time(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"id\n1\n")))
    location = parse_location("-")
    assert [location.open().read(), location.open().read()] == [b"id\n1\n"] * 2


@pytest.mark.parametrize(("name", "reason"), [("nowhere.csv", "No such file"), ("a\0.csv", "null"), ("", "")])
def test_a_path_that_cannot_be_opened_is_a_usage_error(name, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"cannot be opened: .*{reason}"):
        parse_location(name).open()
