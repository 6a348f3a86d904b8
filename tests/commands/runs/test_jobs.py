"""`jobs list`."""

import json

from tests.commands.test_changes import read_terminal
from tests.conftest import feed


def test_a_limit_lists_the_newest_jobs(adsctl):
    for number in range(3):
        adsctl.file(f"{number}.csv", feed(1, title=f"Mug {number}"))
        adsctl.local("products", "push", f"{number}.csv")
    files = [job["file"] for job in json.loads(adsctl("jobs", "list", "-o", "json").stdout)]
    assert len(files) == 3
    for limit in (1, 2, 5):
        shown = json.loads(adsctl("jobs", "list", "--limit", limit, "-o", "json").stdout)
        assert [job["file"] for job in shown] == files[-limit:]
    assert "--limit" in adsctl("jobs", "list", "--limit", 0, code=2).stderr


def test_what_this_machine_remembers_says_the_names_of_catalogs_and_lists(adsctl):
    """Names that a command has seen are shown without a request, in every list of what was sent."""
    adsctl.file("feed.csv", feed(1))
    adsctl.file("people.csv", "email\nann@shop.example\n")
    adsctl.local("products", "push", "feed.csv")
    adsctl.local("audiences", "sync", "people.csv", "--audience", "Readers of the newsletter")
    (adsctl.home / "feed.csv").unlink()
    names = {"Nordlicht Shop", "Readers of the newsletter"}
    jobs = json.loads(adsctl.local("jobs", "list", "-o", "json").stdout)
    assert {job["name"] for job in jobs} == names
    [ledger] = json.loads(adsctl.local("audiences", "remembered", "-o", "json").stdout)
    assert (ledger["name"], ledger["target"]) == ("Readers of the newsletter", "1nmu0")
    for words in (("jobs", "list"), ("audiences", "remembered"), ("jobs", "show", jobs[1]["job"])):
        shown = read_terminal(adsctl.terminal("--profile", "local", *words, width=160))
        assert "Readers of the newsletter" in shown, words
    assert "Readers of the newsletter (1nmu0)" in shown
