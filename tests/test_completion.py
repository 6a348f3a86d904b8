"""Completion in real shells, without starting a program."""

import re
import shutil
import subprocess

import pexpect
import pytest

from tests.adsctl import ROOT
from tests.conftest import feed

FILES = {"bash": "adsctl.bash", "zsh": "_adsctl", "fish": "adsctl.fish", "powershell": "adsctl.ps1"}
SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", FILES)
def test_the_completion_files_are_up_to_date(adsctl, shell):
    assert adsctl("completion", shell).stdout == (ROOT / "completions" / FILES[shell]).read_text()


@pytest.fixture
def typist(adsctl):
    """A home where a shell finds adsctl; the file `started` records each start of it."""
    (adsctl.home / "bin").mkdir()
    run = f'#!/bin/sh\necho x >> "{adsctl.home}/started"\nexec {" ".join(adsctl.command())} "$@"\n'
    adsctl.file("bin/adsctl", run).chmod(0o755)
    adsctl.env["PATH"] = f"{adsctl.home}/bin:{adsctl.environment['PATH']}"
    adsctl.file("feed.csv", "")
    return adsctl


def completions(person, shell: str, line: str) -> list[str]:
    """Return the completions at the end of a line."""
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    script = ROOT / "completions" / FILES[shell]
    if shell == "zsh":
        return in_zsh(person, script, line)
    program = f'source {script}; complete -C "{line}"'
    if shell == "bash":
        program = f"""
            COMP_WORDBREAKS=$' \\t\\n"=' ; source {script}
            line={line!r}; read -ra COMP_WORDS <<< "${{line//=/ = }}"
            [[ $line == *[\\ =] ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _adsctl adsctl; printf '%s\\n' "${{COMPREPLY[@]}}"
        """
    done = subprocess.run(
        [shell, "-c", program], env=person.environment, cwd=person.home, capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [word for offered in done.stdout.splitlines() if (word := offered.split("\t")[0])]


def in_zsh(person, script, line: str) -> list[str]:
    """Have zsh complete on a terminal, listing instead of inserting."""
    child = pexpect.spawn(
        "zsh", ["-f", "-i"], env=person.environment | {"TERM": "dumb", "PS1": "> "}, cwd=str(person.home),
        encoding="utf-8", dimensions=(200, 200), timeout=20,
    )  # fmt: skip
    listing = (
        'compadd () { local -a found; builtin compadd -O found "$@"; print -rl -- $found >> offered;'
        ' builtin compadd "$@" }'
    )
    child.sendline(
        f"PS1='' ; autoload -U compinit && compinit -u -D; source {script}; {listing}; print re''ady"
    )
    child.expect("ready\r\n")
    child.send(f"{line}\t")
    child.send("\x15print do''ne\r")
    child.expect("done\r\n")
    child.close(force=True)
    offered = person.home / "offered"
    return list(dict.fromkeys(offered.read_text().split())) if offered.exists() else []


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("adsctl prod", ["products"]),
        ("adsctl products pu", ["push", "pull"]),
        ("adsctl -p local products pus", ["push"]),
        ("adsctl products push --fa", ["--failed-out"]),
        ("adsctl products push --max-w", ["--max-wait"]),
        ("adsctl catalog sets create --type ", ["MANUAL", "FILTERED"]),
        ("adsctl catalog sets create --type=FI", ["FILTERED"]),
        ("adsctl products list -o js", ["json", "jsonl"]),
        ("adsctl -o js", ["json", "jsonl"]),
        ("adsctl accounts list --with", ["--with-deleted", "--with-total-count"]),
        ("adsctl products push fee", ["feed.csv"]),
        ("adsctl completion fi", ["fish"]),
        ("adsctl products push --format json", ["json", "jsonl"]),
        ("adsctl products push --format=y", ["yaml"]),
        ("adsctl audiences hash --format t", ["tsv"]),
        ("adsctl products pull --format ts", ["tsv"]),
        ("adsctl api P", ["POST", "PUT", "PATCH"]),
        ("adsctl api GET --base pl", ["platform"]),
        ("adsctl help exit", ["exit-codes"]),
        ("adsctl help form", ["formats"]),
        ("adsctl help audi", ["audiences"]),
        ("adsctl help products pu", ["push", "pull"]),
        ("adsctl help audiences do-not-reach pus", ["push"]),
    ],
)
def test_completion_starts_no_process(typist, shell, line, expected):
    offered = completions(typist, shell, line)
    if shell == "fish":  # which filters by itself what it is given
        offered = [word.partition("=")[2] or word for word in offered]
    begun = re.split("[ =]", line)[-1]
    assert sorted(word for word in offered if word.startswith(begun)) == sorted(expected)
    assert not (typist.home / "started").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_recorded_ids_are_completed(typist, shell):
    typist.local("accounts", "list")
    for line in ("adsctl -p local accounts get 18ce5", "adsctl -p local products list --account 18ce5"):
        assert completions(typist, shell, line) == ["18ce54d4x5t", "18ce55gze09"]
        (typist.home / "offered").unlink(missing_ok=True)
    assert "18ce54d4x5t" not in completions(typist, shell, "adsctl accounts get ")  # another profile


@pytest.mark.parametrize("shell", SHELLS)
def test_listed_products_are_completed_for_a_delete(typist, shell):
    typist.file("feed.csv", feed(3))
    typist.local("products", "push", "feed.csv")
    keys = typist.local("products", "list", "-o", "ids").stdout.split()
    assert sorted(completions(typist, shell, "adsctl -p local products delete ")) == sorted(keys)
    (typist.home / "offered").unlink(missing_ok=True)
    assert sorted(completions(typist, shell, f"adsctl -p local products delete {keys[0]} ")) == sorted(keys)


@pytest.mark.parametrize("shell", SHELLS)
def test_listed_line_items_are_completed_where_one_is_named(typist, shell):
    typist.local("line-items", "list")
    line = "adsctl -p local targeting add --line-item 9d4c"
    assert {"9d4c1", "9d4c2", "9d4c3"} <= {*completions(typist, shell, line)}


def test_a_failing_completion_prints_nothing(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", "profiles: [")
    for words in (("accounts",), ("profiles",), ("jobs",), (), ("nothing", "-p", "nobody")):
        done = adsctl("__ids", *words)
        assert done.stdout == "" and done.stderr == ""
    assert adsctl("__ids", "accounts", ADSCTL_STATE_DIR="/proc/nope").stderr == ""
