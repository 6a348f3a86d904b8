"""The contract with scripts, as a shell would use it: pipes, cron, full disks and `||`."""

import shlex
import subprocess

import pytest

from tests.adsctl import ROOT

STRICT = "set -euo pipefail; "
LISTS = ("accounts list", "cards list -o json", "media library list -o yaml", "accounts list -o csv")


@pytest.fixture
def shell(adsctl):
    """Run a line in bash; adsctl is on the path and uses the emulator."""
    environment = adsctl.installed() | {"ADSCTL_PROFILE": "local"}

    def run(line: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["bash", "-c", STRICT + line],
            env=environment | env,
            cwd=adsctl.home,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
        return done

    run.home, run.python, run.environment = adsctl.home, adsctl.command()[0], environment
    return run


def bare(shell, **env) -> str:
    """Begin a line that runs adsctl with these environment variables only."""
    given = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in env.items())
    return f"env -i PYTHONPATH={ROOT} {given} {shell.home}/bin/adsctl -p local"


@pytest.mark.parametrize("words", LISTS)
def test_a_pipe_closed_after_one_line_ends_silently(shell, words):
    done = shell(f"{{ adsctl -q {words} || echo $? >&2; }} | head -1")
    assert len(done.stdout.splitlines()) == 1 and done.stderr.strip() in ("", "141")


@pytest.mark.parametrize("words", ["--version", "--help", "-q accounts list", "completion zsh"])
def test_a_pipe_that_is_already_closed_ends_with_141(shell, words):
    done = shell(f"exec 3> >(:); wait $! || :; adsctl {words} >&3 || echo $?")
    assert done.stdout == "141\n" and done.stderr == ""


def test_json_is_read_by_another_program(shell):
    read = f"{shell.python} -c 'import json, sys; print(json.load(sys.stdin)[0][\"name\"])'"
    assert shell(f"adsctl accounts list -o json --sort-by id-asc | {read}").stdout == "Nordlicht Shop\n"
    shell(f"adsctl cards list -o json | {shell.python} -m json.tool > cards.json; test -s cards.json")


def test_ids_feed_the_next_command(shell):
    line = "adsctl -q cards list -o ids | while read -r id; do adsctl -q cards get $id -o ids; done"
    assert shell(line).stdout.split() == shell("adsctl -q cards list -o ids").stdout.split() != []


def test_a_variable_takes_one_value(shell):
    assert shell('id=$(adsctl -q catalog list -o ids); test -n "$id"; echo "$id"').stdout.strip().isdigit()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("accounts get nobody", 5),
        ("accounts lst", 2),
        ("catalog delete 7310248000000000001", 12),
        ("catalog sets create -f -", 3),
        ("-p nobody accounts list", 2),
        ("catalog create --name Second", 6),
    ],
)
def test_a_script_branches_on_the_exit_code(shell, words, code):
    assert shell(f"adsctl {words} </dev/null >/dev/null || echo $?").stdout == f"{code}\n"
    shell(f"if adsctl {words} </dev/null; then exit 99; fi")


def test_the_first_failure_ends_a_strict_script(shell):
    assert "after" not in shell("adsctl accounts get nobody; echo after", code=5).stdout
    shell("adsctl accounts get nobody | cat", code=5)


def test_cron_gives_an_empty_environment(shell):
    done = shell(f"cd /; {bare(shell, HOME=shell.home)} accounts list -o csv")
    assert "Café Kastanie" in done.stdout and len(done.stdout.splitlines()) == 3


def test_there_may_be_no_home(shell):
    done = shell(f"{bare(shell, ADSCTL_STATE_DIR=shell.home / 'state')} accounts list -o ids")
    assert len(done.stdout.split()) == 2


def test_a_home_that_cannot_be_written_ends_with_11(shell):
    done = shell(f"{bare(shell, HOME='/proc')} accounts list -o json || echo $?")
    assert done.stdout == "11\n" and '"exit_code": 11' in done.stderr
    assert "/proc" in done.stderr


@pytest.mark.parametrize(
    ("locale", "output"), [({"LANG": "C"}, "tsv"), ({"LC_ALL": "C"}, "json"), ({"LC_ALL": "POSIX"}, "table")]
)
def test_umlauts_survive_or_are_escaped_in_any_locale(shell, locale, output):
    shell("adsctl -q accounts update 18ce54d4x5t --name 'Süßes & Ödes'", **locale)
    shown = shell(f"adsctl -q accounts get 18ce54d4x5t -o {output} > out; cat out", **locale).stdout
    assert "Süßes & Ödes" in shown or "S\\xfc\\xdfes & \\xd6des" in shown


def test_arguments_that_are_not_utf8_are_refused(shell):
    done = shell("adsctl accounts update 18ce54d4x5t --name $'\\xfc' 2>&1 || echo $?")
    assert "--name: '\\udcfc' is not UTF-8" in done.stdout
    assert done.stdout.endswith("\n2\n")


@pytest.mark.parametrize("words", ["--version", "--help", "help files", "accounts list", "completion bash"])
@pytest.mark.parametrize("shape", ["", "-o json"])
def test_a_full_disk_ends_with_11(shell, words, shape):
    if words == "--version" and shape:
        shape = "-q"
    options = f"{shape} {words}" if shape else words
    done = shell(f"adsctl {options} >/dev/full || echo $?")
    assert done.stdout == "11\n" and "standard output: no space left on device" in done.stderr


def test_a_campaign_whose_result_a_full_disk_cannot_take_is_said_to_be_there(shell):
    line = "adsctl campaigns create --name Spring --funding-instrument-id 4a1n0 --daily-budget 5"
    said = shell(f"{line} >/dev/full || echo $?").stderr
    assert "standard output: no space left on device" in said
    assert "the request was applied all the same" in said
    assert "Spring" in shell("adsctl campaigns list --all").stdout
    assert "applied" not in shell("adsctl campaigns list >/dev/full || echo $?").stderr


def test_a_full_disk_that_cannot_even_hold_the_message_ends_with_11(shell):
    assert shell("adsctl accounts list >/dev/full 2>/dev/full || echo $?").stdout == "11\n"
