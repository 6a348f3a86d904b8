"""The rules of the Containerfile that hadolint does not know, written plainly."""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

SECRET = re.compile(r"(KEY|SECRET|TOKEN|PASSWORD)(?!\w*_FILE)", re.IGNORECASE)
BUILD_TOOLS = ("apt-get", "apk", "gcc", "pip install", "curl", "wget")


class Instruction(NamedTuple):
    """One instruction, with its continued lines joined."""

    name: str
    words: str


def parse(text: str) -> list[list[Instruction]]:
    """Return the instructions of each stage; what stands before the first is a stage of its own."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    stages: list[list[Instruction]] = [[]]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if not line.strip():
            continue
        name, _, words = line.strip().partition(" ")
        if name.upper() == "FROM":
            stages.append([])
        stages[-1].append(Instruction(name.upper(), words.strip()))
    return stages


def problems(text: str, allowed: set[str]) -> Iterator[str]:
    """Yield what is wrong; `allowed` are the paths that a build is sent."""
    before, *builds, final = parse(text)
    every = [each for stage in (before, *builds, final) for each in stage]
    bases = [each.words.partition("=")[2] for each in before if each.name == "ARG"]
    for base in bases:
        if not re.search(r"@sha256:[0-9a-f]{64}$|:(?!latest$)[\w.-]*\d[\w.-]*$", base):
            yield f"{base} has neither a digest nor the tag of a version"
    for each in every:
        if each.name in ("ENV", "ARG") and SECRET.search(each.words):
            yield f"{each.name} {each.words}: a secret would be in the image"
        if each.name == "ADD":
            yield "ADD unpacks and downloads; COPY does neither"
        if each.name == "COPY" and "--from" not in each.words:
            yield from (
                f"{path} is not sent to a build" for path in _sources(each.words) if path not in allowed
            )
        if "pip install" in each.words and each.words.count("pip install") != each.words.count(":all:"):
            yield "pip installs more than wheels"
    yield from _problems_of_final(final)


def _sources(words: str) -> list[str]:
    return [word for word in shlex.split(words) if not word.startswith("--")][:-1]


def _problems_of_final(stage: list[Instruction]) -> Iterator[str]:
    last = {each.name: each.words for each in stage}
    user = last.get("USER", "root").partition(":")[0]
    if not user.isdigit() or int(user) < 1000:
        yield f"the last stage runs as {user}, which Kubernetes cannot tell from root"
    for name in ("HEALTHCHECK", "ENTRYPOINT", "CMD", "WORKDIR"):
        if name not in last:
            yield f"the last stage has no {name}"
    for each in stage:
        if each.name == "COPY" and "--from=build" not in each.words:
            yield f"COPY {each.words}: the last stage takes only what was built"
        for tool in BUILD_TOOLS:
            if each.name == "RUN" and tool in each.words:
                yield f"the last stage uses {tool}"
