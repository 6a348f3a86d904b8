"""Type in real shells: what they complete, and what they run."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pexpect
import pytest

from tests.adsctl import ROOT
from tests.programs import needs

FILES = {"bash": "adsctl.bash", "zsh": "_adsctl", "fish": "adsctl.fish", "powershell": "adsctl.ps1"}
SHELLS = ("bash", pytest.param("zsh", marks=needs("zsh")), pytest.param("fish", marks=needs("fish")))
# bash 3.2, as macOS has it, has no compopt.
TYPISTS = (*SHELLS, "bash without compopt")
START = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"]}
SET_UP = {
    "bash": "source {script}",
    "zsh": "autoload -U compinit && compinit -u -D; source {script}",
    "fish": "source {script}",
    "bash without compopt": "source {script}; enable -n compopt",
}


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


def run_by_typing(person, shell: str, lines: Iterable[str], *, then: str = "") -> list[list[str]]:
    """Type each line, TAB, `then` and Enter in a shell; return the words that adsctl was run with."""
    program = shell.split()[0]
    child = pexpect.spawn(
        program, START[program], env=person.environment | {"TERM": "dumb", "INPUTRC": "/dev/null"},
        cwd=str(person.home / "here"), encoding="utf-8", dimensions=(200, 200), timeout=20,
    )  # fmt: skip
    child.sendline(SET_UP[shell].format(script=ROOT / "completions" / FILES[program]) + "; echo re''ady")
    child.expect("ready\r\n")
    words, run = person.home / "words", []
    for number, line in enumerate(lines):
        words.unlink(missing_ok=True)
        child.send(f"{line}\t{then}\r")
        child.send(f"\x15echo do''ne{number}\r")
        if child.expect([f"done{number}\r\n", pexpect.TIMEOUT], timeout=3):  # a quote that is still open
            child.sendintr()
            child.expect(pexpect.TIMEOUT, timeout=1)  # it discards what is typed too early
            child.sendline(f"echo do''ne{number}")
            child.expect(f"done{number}\r\n")
        run.append(words.read_text().split("\0")[:-1] if words.exists() else [])
    child.close(force=True)
    return run


def nothing_ran(home: Path) -> bool:
    return not [*home.rglob("ran")]
