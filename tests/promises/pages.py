"""The pages of the documentation, and what their commands print when they are run."""

import re
import shutil
from typing import NamedTuple

import pexpect

from tests.conftest import EXAMPLES, ROOT

# What differs from run to run: times, speeds, ids of records and of posts, today.
PARTICULAR = [
    (r"(?<=retries, )[\d.]+ s(, [\d,]+ rows/s)?", "SPEED"),
    (r"\d+ requests?, \d+ of them retries", "REQUESTS"),
    (r"\b[a-z0-9]{11}\b", "ID"),
    (r"\b\d{19}\b", "POST"),
    (r"\b20\d\d-\d\d-\d\dT[\d:]+Z", "INSTANT"),
    (r"\b20\d\d-\d\d-\d\d\b", "DAY"),
    (r"\b\d\d:\d\d\b", "TIME"),
    (r" +$", ""),
]
WIDTH = 100


class Quoted(NamedTuple):
    """A command of a page, with the output that the page quotes; None where it quotes none."""

    command: str
    output: str | None


def text_of(page: str) -> str:
    return (ROOT / page).read_text()


def quoted(page: str) -> list[Quoted]:
    """Return the commands of a page: of console blocks with their output, of sh blocks without."""
    commands = []
    for kind, block in re.findall(r"```(console|sh)\n(.*?)```", text_of(page), re.S):
        if kind == "sh":
            commands += [Quoted(line, None) for line in block.splitlines()]
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            commands.append(Quoted(command, output))
    return commands


def files_of(page: str) -> dict[str, str]:
    """Return the files that a page shows, each after its name."""
    return dict(re.findall(r"^`([\w.-]+)`(?: [^`\n]*)?:\n\n```\w+\n(.*?)```", text_of(page), re.M | re.S))


def run(adsctl, page: str) -> list[str]:
    """Run the commands of a page one after the other in one shell on a terminal; return what each prints."""
    lines = [
        f"{command}\ncode=$?; test $code = 0 || echo \"[exit $code]\"; echo '@@'"
        for command, _ in quoted(page)
    ]
    script = adsctl.file("page.sh", "\n".join(lines))
    shutil.copytree(EXAMPLES, adsctl.home / "examples")
    for name, content in files_of(page).items():
        adsctl.file(name, content)
    adsctl.copy_emulator()
    environment = adsctl.installed() | {"NO_COLOR": "1", "TERM": "dumb"}
    shell = pexpect.spawn(
        *("bash", [str(script)]), env=environment, cwd=str(adsctl.home), dimensions=(60, WIDTH), timeout=120
    )
    *printed, rest = seen(shell.read().decode()).split("@@\n")
    shell.close()
    assert rest == ""
    return printed


def write(page: str, printed: list[str]) -> None:
    """Put what commands print now into a page, where it differs from what the page quotes."""
    text = text_of(page)
    for (command, expected), output in zip(quoted(page), printed, strict=True):
        if expected is not None and plain(output) != plain(expected):
            shown = re.sub(r" +$", "", output, flags=re.M)
            text = text.replace(f"$ {command}\n{expected}", f"$ {command}\n{shown}", 1)
    (ROOT / page).write_text(text)


def seen(text: str) -> str:
    """Return what a terminal shows in the end: without escape sequences and lines that were overwritten."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.replace("\r\n", "\n"))
    return "\n".join(line.rpartition("\r")[2] for line in text.split("\n"))


def plain(text: str) -> str:
    """Replace what differs from run to run."""
    for pattern, word in PARTICULAR:
        text = re.sub(pattern, word, text, flags=re.M)
    return text.strip()
