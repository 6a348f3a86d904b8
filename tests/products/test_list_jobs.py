"""jobs list, show and clean: what ran, how it ended, and a command that resumes it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import feed

UNREACHABLE = {"ADSCTL_ADS_URL": "http://127.0.0.1:9"}


def listed(adsctl) -> list[dict]:
    return json.loads(adsctl("jobs", "list", "-o", "json").stdout)


def stop(adsctl, service, *words: object) -> str:
    """Run a push that the service refuses for now; return the id of its job."""
    service.fail("PUT * status=503")
    adsctl("--max-attempts", "1", *words, code=8)
    service.fail()
    return listed(adsctl)[-1]["job"]


def resume(adsctl, job: str, cwd: Path | None = None) -> None:
    """Run the command that `jobs show` gives in a shell."""
    command = json.loads(adsctl("jobs", "show", job, "-o", "json").stdout)["resume"]
    environment = adsctl.installed()
    done = subprocess.run(["sh", "-c", command], env=environment, cwd=cwd or adsctl.home, capture_output=True)
    assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize(
    "name",
    [
        "my feed.csv",
        'it\'s "the" $HOME `feed`.csv',
        "-feed.csv",
        "two\nlines.csv",
        "last\n",
        "tab\t\u200e.csv",
        "caf\udce9.csv",
        "100%\x1b\\n.csv",
    ],
)
def test_a_shell_runs_the_command_that_resumes_a_job(adsctl, service, name):
    (adsctl.home / name).write_text(feed(30))
    options = ("-q", "--failed-out", "re fused.csv")
    words = ("products", "push", "--format=csv", *options, *(["--"] if name.startswith("-") else []), name)
    job = stop(adsctl, service, *words)
    resume(adsctl, job)
    assert [(entry["job"], entry["state"]) for entry in listed(adsctl)] == [(job, "ended")]
    assert len(service.stored) == 30


def test_a_job_is_resumed_from_any_folder_with_the_options_that_it_had(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    adsctl.file("my.env", "".join(f"{name}={value}\n" for name, value in adsctl.env.items()))
    adsctl.env.clear()
    adsctl("profile", "set", "shop", "output=json")
    job = stop(
        adsctl, service, "-p", "shop", "--env-file=my.env", "products", "push", "feed.csv", "-A", "a;b"
    )
    (adsctl.home / "other place").mkdir()
    resume(adsctl, job, cwd=adsctl.home / "other place")
    assert [(entry["job"], entry["state"]) for entry in listed(adsctl)] == [(job, "ended")]


def test_a_job_shows_what_it_did_and_for_whom(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    service.fail("PUT * partial")
    adsctl("products", "push", "feed.csv", code=9)
    service.fail()
    adsctl("profile", "set", "shop", "account=x")
    key = adsctl("products", "list", "-o", "ids").stdout.split()[0]
    adsctl("products", "delete", key, "--yes", ADSCTL_PROFILE="shop")
    adsctl.file("people.csv", "email\na@b.example\n")
    adsctl("audiences", "push", "people.csv", "--audience", "1nmth", "--operation", "delete")
    push, delete, people = listed(adsctl)
    names = ("action", "noun", "rows", "sent", "failed", "profile")
    assert [push[name] for name in names] == ["push", "products", 30, 30, 16, "default"]
    assert [delete[name] for name in names] == ["delete", "products", 1, 1, 0, "shop"]
    assert [people[name] for name in names[:3]] == ["delete", "users", 1]


def test_the_counts_are_visible_on_a_narrow_terminal(adsctl, service):
    adsctl.file("a-feed-with-a-rather-long-name-for-a-terminal.csv", feed(130))
    service.fail("PUT * partial")
    adsctl("products", "push", "a-feed-with-a-rather-long-name-for-a-terminal.csv", code=9)
    job = listed(adsctl)[0]
    assert job["failed"] == 5 * 13 + 3
    for words in (("list",), ("show", job["job"])):
        child = adsctl.terminal("jobs", *words, width=80)
        shown = child.read()
        child.close()
        assert all(str(number) in shown for number in (job["job"], "ended", 130, job["failed"])), words
        assert "a-feed" in shown


def test_one_job_is_removed_by_its_id(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    adsctl("products", "push", "feed.csv")
    unfinished = stop(adsctl, service, "products", "push", "feed.csv")
    adsctl.file("feed.csv", feed(31))
    adsctl("products", "push", "feed.csv")
    ended, _, last = (entry["job"] for entry in listed(adsctl))
    assert "job 'nope' does not exist" in adsctl("jobs", "clean", ended, "nope", code=5).stderr
    assert len(listed(adsctl)) == 3
    assert "1 job removed" in adsctl("jobs", "clean", ended).stderr
    assert [entry["job"] for entry in listed(adsctl)] == [unfinished, last]
    adsctl("jobs", "clean", unfinished, "--all", code=2)


def test_an_unfinished_job_is_removed_by_its_id_only_after_a_question(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    job = stop(adsctl, service, "products", "push", "feed.csv")
    assert "1 unfinished job" in adsctl("jobs", "clean", job, code=12).stderr
    assert "would remove 1 job" in adsctl("jobs", "clean", job, "--dry-run").stderr
    assert len(listed(adsctl)) == 1
    adsctl("jobs", "clean", job, "--yes")
    assert listed(adsctl) == []


def test_an_unfinished_delete_is_not_called_a_push(adsctl, service):
    adsctl.file("feed.csv", feed(3))
    adsctl("products", "push", "feed.csv")
    adsctl.file("keys.txt", adsctl("products", "list", "-o", "ids").stdout)
    words = ("products", "delete", "--from", "keys.txt", "--yes")
    service.fail("DELETE * status=503")
    message = adsctl(*words, "--resume", "--max-attempts", "1", code=8).stderr
    assert (
        "nothing to resume, starting from the beginning: no earlier delete of this file is known" in message
    )
    again = adsctl(*words, "--max-attempts", "1", code=8).stderr
    assert "an earlier delete of this file is unfinished, and this one begins again" in again
    assert "resume it in place of that with: adsctl products delete" in again
