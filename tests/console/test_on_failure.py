"""--on-failure: a command for nights that nobody watches, told what has happened."""

import json
import shlex
import signal
import subprocess
import sys

import pytest

from tests.adsctl import TIMEOUT_SECONDS, wait_until
from tests.conftest import EXAMPLES, SECRETS, feed
from tests.products.stopping import stop_at

TELL = """
import json, os, sys
report = {"words": sys.argv[1:], "document": json.load(sys.stdin), "environment": dict(os.environ)}
open("report.json", "w").write(json.dumps(report))
print("hook was here")
"""


@pytest.fixture
def hook_report(adsctl):
    """Return what the command was told, or None if it was not run."""

    def read() -> dict | None:
        path = adsctl.home / "report.json"
        if not path.exists():
            return None
        report = json.loads(path.read_text())
        path.unlink()
        return report

    return read


@pytest.fixture
def hook(adsctl) -> str:
    program = adsctl.file("tell.py", TELL)
    return shlex.join([sys.executable, str(program), "feed of", "the shop"])


def test_a_failed_push_runs_it_with_the_summary(adsctl, service, hook, hook_report):
    adsctl.file("feed.csv", feed(60))
    service.fail("PUT * partial")
    done = adsctl("products", "push", "feed.csv", "--on-failure", hook, "-o", "json", code=9)
    report = hook_report()
    assert report["words"] == ["feed of", "the shop"]
    error = json.loads(done.stderr.splitlines()[-2])["error"]
    assert report["document"] == json.loads(done.stdout) | {"error": error}
    assert report["document"]["failed"] == 31
    assert report["environment"]["ADSCTL_EXIT_CODE"] == "9"
    assert "31 rows rejected by the service" in report["environment"]["ADSCTL_ERROR"]
    assert done.stderr.splitlines()[-1] == "hook was here"  # standard output is that of the push


def test_a_message_longer_than_a_variable_may_be_is_cut_and_still_told(adsctl, hook, hook_report):
    adsctl.local("products", "push", f"{'a' * 200_000}.csv", "--on-failure", hook, code=2)
    report = hook_report()
    assert len(report["document"]["error"]["message"]) > 200_000
    assert len(report["environment"]["ADSCTL_ERROR"]) == 10_000


@pytest.mark.parametrize("unread", ["| true", "> /dev/full"])
def test_a_push_that_fails_says_so_where_nobody_reads_its_summary(adsctl, service, hook, hook_report, unread):
    adsctl.file("feed.csv", feed(60) + "only-an-id\n")
    words = ("products", "push", "feed.csv", "--skip-invalid", "-q", "--on-failure", hook)
    line = f"{shlex.join(adsctl.command(*words))} {unread}; exit ${{PIPESTATUS[0]}}"
    environment = {"env": adsctl.environment, "cwd": adsctl.home}
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, **environment)
    assert done.returncode == 9 and "1 invalid row not sent" in done.stderr
    assert hook_report()["environment"]["ADSCTL_EXIT_CODE"] == "9"


def test_a_failed_push_of_people_runs_it_with_the_summary(adsctl, service, hook, hook_report):
    adsctl.file("people.csv", "email\nana@shop.example\n")
    service.fail("POST * status=503")
    words = ("audiences", "push", "people.csv", "--audience", "1nmth", "--max-attempts", "1")
    adsctl(*words, "--on-failure", hook, code=8)
    document = hook_report()["document"]
    assert (document["rows"], document["valid"], document["accepted"]) == (1, 1, 0)
    assert document["error"]["exit_code"] == 8 and "ana@" not in json.dumps(document)


def test_differences_are_no_failure(adsctl, service, hook, hook_report):
    adsctl.file("feed.csv", feed(3))
    adsctl("products", "diff", "feed.csv", "--on-failure", hook, code=10)
    assert hook_report() is None
    adsctl("products", "diff", "missing.csv", "--on-failure", hook, code=2)
    assert hook_report()["document"]["error"]["exit_code"] == 2


def test_a_success_does_not_run_it(adsctl, service, hook, hook_report):
    adsctl.file("feed.csv", feed(3))
    adsctl("products", "push", "feed.csv", "--on-failure", hook)
    assert hook_report() is None


def test_an_invalid_feed_runs_it_with_the_counts(adsctl, hook, hook_report):
    file = EXAMPLES / "products-with-mistakes.csv"
    adsctl.local("products", "push", file, "--on-failure", hook, code=3)
    report = hook_report()
    document = report["document"]
    assert (document["rows"], document["invalid"]) == (12, 7)
    assert (
        document["error"]["exit_code"] == 3
        and "'44,90 EUR' is not allowed" in report["environment"]["ADSCTL_ERROR"]
    )


@pytest.mark.parametrize(
    ("is_first", "words", "code"),
    [
        (True, ("products", "push", "missing.csv"), 2),
        (True, ("products", "push", "feed.csv", "--no-such-option"), 2),
        (False, ("products", "push", "feed.csv", "--no-such-option"), 2),
        (False, ("products", "push"), 2),
        (True, ("products", "push", "feed.csv", "--min-rows", "10"), 12),
        (False, ("audiences", "push", "people.csv", "--audience", "nobody"), 5),
        (True, ("audiences", "do-not-reach", "push", "missing.csv", "--list", "3k1a7"), 2),
        (False, ("accounts", "get", "nobody"), 5),
    ],
)
def test_any_failure_of_any_command_runs_it(adsctl, hook, hook_report, is_first, words, code):
    adsctl.file("feed.csv", feed(3))
    adsctl.file("people.csv", "email\nana@shop.example\n")
    option = ("--on-failure", hook)
    adsctl.local(*(option + words if is_first else words + option), code=code)
    report = hook_report()
    assert report["document"]["error"]["exit_code"] == code
    assert report["environment"]["ADSCTL_EXIT_CODE"] == f"{code}"


def test_no_secret_is_passed_on(adsctl, remote, httpserver, hook, hook_report):
    httpserver.expect_request("/12/product_catalogs").respond_with_json({"data": [{"id": "7"}]})
    adsctl.file("feed.csv", feed(2, price=SECRETS["ADSCTL_ACCESS_TOKEN_SECRET"]))
    done = adsctl("products", "push", "feed.csv", "--changed", "--on-failure", hook, code=3)
    text = json.dumps(hook_report())
    assert "price: '***' is not allowed" in text and "price: '***' is not allowed" in done.stderr
    assert not any(secret in text for secret in SECRETS.values())


SECRET_VARIABLES = {
    "FEED": "https://me:sesame@shop.example/feed.csv",
    "OTHER": "https://shop.example/?sesame",
    "AWS_SECRET_ACCESS_KEY": "sesame",
    "AWS_SESSION_TOKEN": "sesame",
    "AZURE_STORAGE_CONNECTION_STRING": "AccountKey=sesame",
    "AZURE_CLIENT_SECRET": "sesame",
    "FSSPEC_S3": '{"secret": "sesame"}',
}
ORDINARY = {
    "AWS_PROFILE": "night",
    "AWS_REGION": "eu",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/x",
    "CHANNEL": "ops",
}


@pytest.fixture
def variables(adsctl):
    adsctl.env.update(SECRET_VARIABLES | ORDINARY)


def test_it_gets_no_address_of_a_variable_and_no_key_of_a_cloud(adsctl, variables, hook, hook_report):
    words = ("products", "check", "@FEED", "--recipe=@OTHER", "--no-such-option")
    adsctl.local(*words, "--on-failure", hook, code=2)
    environment = hook_report()["environment"]
    assert "sesame" not in json.dumps(environment)
    assert ORDINARY.items() <= environment.items()


def test_it_gets_no_address_of_a_variable_that_a_task_of_a_fleet_names(adsctl, variables, hook, hook_report):
    adsctl.file("fleet.yaml", "tasks: [{name: a, run: products check '@FEED' --no-such-option}]")
    adsctl.local("fleet", "run", "fleet.yaml", "--on-failure", hook, code=3)
    assert "FEED" not in hook_report()["environment"]


def test_it_gets_the_variables_that_are_named_for_it(adsctl, variables, hook, hook_report):
    names = "FEED, AWS_SESSION_TOKEN"
    words = ("products", "check", "@FEED", "--no-such-option", "--on-failure-env", names)
    adsctl.local(*words, "--on-failure", hook, code=2)
    environment = hook_report()["environment"]
    assert {name for name in SECRET_VARIABLES if name in environment} >= {"FEED", "AWS_SESSION_TOKEN"}
    assert "AWS_SECRET_ACCESS_KEY" not in environment


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("NO_SUCH_VARIABLE", "--on-failure-env: NO_SUCH_VARIABLE is not set"),
        ("ADSCTL_ACCESS_TOKEN", "--on-failure-env: ADSCTL_ACCESS_TOKEN is never passed on"),
    ],
)
def test_a_variable_that_it_cannot_get_is_refused_before_anything_is_done(
    adsctl, hook, hook_report, names, said
):
    words = ("products", "check", "missing.csv", "--on-failure", hook, "--on-failure-env", names)
    assert said in adsctl.local(*words, code=2).stderr
    assert hook_report() is None


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("false", "warning: --on-failure: false ended with 1"),
        ("sh -c 'kill -9 $$'", "warning: --on-failure: sh was stopped by SIGKILL"),
        ("sh -c 'kill -40 $$'", "warning: --on-failure: sh was stopped by signal 40"),
        ("sleep 60", "warning: --on-failure: sleep did not end within 0.2 s, and was stopped"),
        ("./none", "warning: --on-failure: ./none cannot be run: Exec format error"),
        ("true", None),  # which does not read its standard input
    ],
)
def test_its_own_failure_is_told_and_changes_nothing(adsctl, monkeypatch, command, said):
    monkeypatch.setattr("ads_cli.console.programs.TIMEOUT_SECONDS", 0.2)
    adsctl.file("none", b"\x7fELF, or so").chmod(0o755)
    done = adsctl.local("products", "push", "missing.csv", "--on-failure", command, code=2)
    lines = done.stderr.splitlines()
    assert "missing.csv cannot be opened" in done.stderr
    assert lines[-1] == said if said else "--on-failure" not in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program --now", "'no-such-program' is not a program that can be run"),
        ("mail -s 'no end", "cannot be parted into words"),
        ("", "names no command"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused_before_anything_is_done(adsctl, service, command, said):
    adsctl.file("feed.csv", feed(3))
    done = adsctl("products", "push", "feed.csv", "--on-failure", command, code=2)
    assert said in done.stderr and done.stderr.count("--on-failure") == 1 and service.puts == []


def test_no_shell_reads_the_command(adsctl, hook_report, hook):
    adsctl.local("products", "push", "missing.csv", "--on-failure", f"{hook} $HOME ; touch mark", code=2)
    assert (
        hook_report()["words"][2:] == ["$HOME", ";", "touch", "mark"] and not (adsctl.home / "mark").exists()
    )


@pytest.mark.parametrize(("signum", "is_failure"), [(signal.SIGTERM, True), (signal.SIGINT, False)])
def test_a_run_that_was_stopped_has_failed_unless_a_person_did_it(
    adsctl, service, hook, hook_report, signum, is_failure
):
    adsctl.file("feed.csv", feed(60))
    process = stop_at(adsctl, service, 0, signum, "--on-failure", hook)
    assert process.returncode == 128 + signum
    report = hook_report()
    assert bool(report) == is_failure
    assert not report or report["environment"]["ADSCTL_ERROR"] == "stopped by SIGTERM"


def test_a_signal_while_an_error_is_reported_ends_the_program_as_always(adsctl):
    hook = adsctl.file("hook.sh", "#!/bin/sh\n[ -e begun ] && exit 0\ntouch begun\nexec sleep 60\n")
    hook.chmod(0o755)
    process = adsctl.popen("products", "push", "missing.csv", "--on-failure", str(hook))
    wait_until((adsctl.home / "begun").exists, "the command of --on-failure runs")
    process.send_signal(signal.SIGTERM)
    _, shown = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 128 + signal.SIGTERM
    first, *_, last = shown.decode().splitlines()
    assert first.startswith("error: missing.csv") and last == "stopped by SIGTERM"
