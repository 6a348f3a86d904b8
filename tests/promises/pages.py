"""The pages of the documentation, and what their commands print when they are run."""

import re
import shutil
from typing import NamedTuple

import pexpect

from tests.conftest import EXAMPLES, ROOT

# What differs from run to run: times, speeds, ids of records and of posts, today.
PARTICULAR = [
    (r"[\d,.]+ s, [\d,]+ rows/s", "SPEED"),
    (r"\d+ requests?, \d+ of them retries", "REQUESTS"),
    (r"\b[a-z0-9]{11}\b", "ID"),
    (r"\b\d{19}\b", "POST"),
    (r"\b20\d\d-\d\d-\d\d\b", "DAY"),
    (r" +$", ""),
]
WIDTH = 100


class Quoted(NamedTuple):
    """A command of a page, with the output that the page quotes."""

    command: str
    output: str


def text_of(page: str) -> str:
    return (ROOT / page).read_text()


def quoted(page: str) -> list[Quoted]:
    """Return the commands in the console blocks of a page."""
    return [
        Quoted(command, output)
        for block in re.findall(r"```console\n(.*?)```", text_of(page), re.S)
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]
        for command, _, output in [part.partition("\n")]
    ]


def run(adsctl, page: str) -> list[str]:
    """Run the commands of a page one after the other in one shell on a terminal; return what each prints."""
    lines = [
        f"{command}\ncode=$?; test $code = 0 || echo \"[exit $code]\"; echo '@@'"
        for command, _ in quoted(page)
    ]
    script = adsctl.file("page.sh", "\n".join(lines))
    shutil.copytree(EXAMPLES, adsctl.home / "examples")
    adsctl.copy_emulator()
    environment = adsctl.installed() | {"NO_COLOR": "1", "TERM": "dumb"}
    shell = pexpect.spawn(
        *("bash", [str(script)]), env=environment, cwd=str(adsctl.home), dimensions=(60, WIDTH), timeout=120
    )
    *printed, rest = seen(shell.read().decode()).split("@@\n")
    shell.close()
    assert rest == ""
    return printed


def seen(text: str) -> str:
    """Return what a terminal shows in the end: without escape sequences and lines that were overwritten."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.replace("\r\n", "\n"))
    return "\n".join(line.rpartition("\r")[2] for line in text.split("\n"))


def plain(text: str) -> str:
    """Replace what differs from run to run."""
    for pattern, word in PARTICULAR:
        text = re.sub(pattern, word, text, flags=re.M)
    return text.strip()
