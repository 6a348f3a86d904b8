"""Completion in real shells, without starting a program."""

import re
import subprocess

import pexpect
import pytest

from tests.adsctl import ROOT
from tests.conftest import feed
from tests.programs import needs

FILES = {"bash": "adsctl.bash", "zsh": "_adsctl", "fish": "adsctl.fish", "powershell": "adsctl.ps1"}
SHELLS = ("bash", pytest.param("zsh", marks=needs("zsh")), pytest.param("fish", marks=needs("fish")))


@pytest.mark.parametrize("shell", FILES)
def test_the_completion_files_are_up_to_date(adsctl, shell):
    assert adsctl("completion", shell).stdout == (ROOT / "completions" / FILES[shell]).read_text()


@pytest.fixture
def typist(adsctl):
    """A home where a shell finds adsctl; the file `started` records each start of it."""
    (adsctl.home / "bin").mkdir()
    run = f'#!/bin/sh\necho x >> "{adsctl.home}/started"\nexec {" ".join(adsctl.forked())} "$@"\n'
    adsctl.file("bin/adsctl", run).chmod(0o755)
    adsctl.env["PATH"] = f"{adsctl.home}/bin:{adsctl.environment['PATH']}"
    adsctl.file("feed.csv", "")
    return adsctl


def completions(person, shell: str, *lines: str) -> dict[str, list[str]]:
    """Return the completions at the end of each line, in one shell."""
    script = ROOT / "completions" / FILES[shell]
    if shell == "zsh":
        return in_zsh(person, script, lines)
    program = f"source {script}\n" + "echo END\n".join(LINE_OF[shell].format(line=line) for line in lines)
    done = subprocess.run(
        [shell, "-c", program], env=person.environment, cwd=person.home, capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    shown = [offered.splitlines() for offered in done.stdout.split("END\n")]
    words = [[word for each in offered if (word := each.split("\t")[0])] for offered in shown]
    return dict(zip(lines, words, strict=True))


LINE_OF = {
    "fish": 'complete -C "{line}"\n',
    "bash": """
        COMP_WORDBREAKS=$' \\t\\n"=' COMPREPLY=()
        line="{line}"; read -ra COMP_WORDS <<< "${{line//=/ = }}"
        [[ $line == *[\\ =] ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _adsctl adsctl; printf '%s\\n' "${{COMPREPLY[@]}}"
    """,
}


def in_zsh(person, script, lines: tuple[str, ...]) -> dict[str, list[str]]:
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
    offered, found = person.home / "offered", {}
    for line in lines:
        offered.write_text("")
        child.send(f"{line}\t")
        child.send("\x15print do''ne\r")
        child.expect("done\r\n")
        found[line] = list(dict.fromkeys(offered.read_text().split()))
    child.close(force=True)
    return found


EXPECTED = {
    "adsctl prod": ["products"],
    "adsctl products pu": ["push", "pull"],
    "adsctl -p local products pus": ["push"],
    "adsctl products push --fa": ["--failed-out"],
    "adsctl products push --max-w": ["--max-wait"],
    "adsctl catalog sets create --type ": ["MANUAL", "FILTERED"],
    "adsctl catalog sets create --type=FI": ["FILTERED"],
    "adsctl products list -o js": ["json", "jsonl"],
    "adsctl -o js": ["json", "jsonl"],
    "adsctl accounts list --with": ["--with-deleted", "--with-total-count"],
    "adsctl products push fee": ["feed.csv"],
    "adsctl completion fi": ["fish"],
    "adsctl products push --format json": ["json", "jsonl"],
    "adsctl products push --format=y": ["yaml"],
    "adsctl audiences hash --format t": ["tsv"],
    "adsctl products pull --format ts": ["tsv"],
    "adsctl api P": ["POST", "PUT", "PATCH"],
    "adsctl api GET --base pl": ["platform"],
    "adsctl help exit": ["exit-codes"],
    "adsctl help form": ["formats"],
    "adsctl help audi": ["audiences"],
    "adsctl help products pu": ["push", "pull"],
    "adsctl help audiences do-not-reach pus": ["push"],
}


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_starts_no_process(typist, shell):
    found = {}
    for line, offered in completions(typist, shell, *EXPECTED).items():
        begun = re.split("[ =]", line)[-1]
        if shell == "fish":  # which filters by itself what it is given
            offered = [word.partition("=")[2] or word for word in offered]
        found[line] = sorted(word for word in offered if word.startswith(begun))
    assert found == {line: sorted(words) for line, words in EXPECTED.items()}
    assert not (typist.home / "started").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_recorded_ids_are_completed(typist, shell):
    typist.local("accounts", "list")
    lines = ("adsctl -p local accounts get 18ce5", "adsctl -p local products list --account 18ce5")
    of_another_profile = "adsctl accounts get "
    found = completions(typist, shell, *lines, of_another_profile)
    assert [found[line] for line in lines] == [["18ce54d4x5t", "18ce55gze09"]] * 2
    assert "18ce54d4x5t" not in found[of_another_profile]


@pytest.mark.parametrize("shell", SHELLS)
def test_listed_products_are_completed_for_a_delete(typist, shell):
    typist.file("feed.csv", feed(3))
    typist.local("products", "push", "feed.csv")
    keys = typist.local("products", "list", "-o", "ids").stdout.split()
    lines = ("adsctl -p local products delete ", f"adsctl -p local products delete {keys[0]} ")
    found = completions(typist, shell, *lines)
    assert [sorted(found[line]) for line in lines] == [sorted(keys)] * 2


@pytest.mark.parametrize("shell", SHELLS)
def test_listed_line_items_are_completed_where_one_is_named(typist, shell):
    typist.local("line-items", "list")
    line = "adsctl -p local targeting add --line-item 9d4c"
    assert {"9d4c1", "9d4c2", "9d4c3"} <= {*completions(typist, shell, line)[line]}


def test_a_failing_completion_prints_nothing(adsctl):
    (adsctl.home / "config").mkdir()
    adsctl.file("config/config.yaml", "profiles: [")
    for words in (("accounts",), ("profiles",), ("jobs",), (), ("nothing", "-p", "nobody")):
        done = adsctl("__ids", *words)
        assert done.stdout == "" and done.stderr == ""
    assert adsctl("__ids", "accounts", ADSCTL_STATE_DIR="/proc/nope").stderr == ""
