"""docs/campaigns.md: a walk from an empty account to a paused campaign prints what the page quotes."""

import re

import pexpect

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "campaigns.md").read_text()
# What differs from run to run: ids of records, of posts, and today.
PARTICULAR = [
    (r"\b[a-z0-9]{11}\b", "ID"),
    (r"\b\d{19}\b", "POST"),
    (r"\b20\d\d-\d\d-\d\d\b", "DAY"),
    (r" +$", ""),
]


def commands() -> list[tuple[str, str]]:
    """Return each command of the page with its output."""
    parts = [
        part
        for block in re.findall(r"```console\n(.*?)```", PAGE, re.S)
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]
    ]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def plain(text: str) -> str:
    for pattern, word in PARTICULAR:
        text = re.sub(pattern, word, text, flags=re.M)
    return text.strip()


def test_the_walk_prints_what_the_page_quotes(adsctl):
    """One shell runs all commands, since they set variables."""
    lines = [
        f"{command}\ncode=$?; test $code = 0 || echo \"[exit $code]\"; echo '@@'" for command, _ in commands()
    ]
    script = adsctl.file("walk.sh", "\n".join(lines))
    adsctl.copy_emulator()
    environment = adsctl.installed() | {"NO_COLOR": "1", "TERM": "dumb"}
    shell = pexpect.spawn(
        "bash", [str(script)], env=environment, cwd=str(adsctl.home), dimensions=(60, 100), timeout=120
    )
    shown = shell.read().decode().replace("\r\n", "\n").split("@@\n")
    shell.close()
    assert len(shown) == len(commands()) + 1 and shown[-1] == ""
    for (command, expected), printed in zip(commands(), shown, strict=False):
        assert plain(printed) == plain(expected), command
