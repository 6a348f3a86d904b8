"""The rules of the Containerfile that hadolint does not know, written plainly."""

import re
import shlex
from collections.abc import Iterator
from itertools import groupby
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


def bases(text: str) -> list[str]:
    """Return the images that the stages are built on."""
    return [each.words.partition("=")[2] for each in parse(text)[0] if each.name == "ARG"]


def digest_check(stage: list[Instruction]) -> str | None:
    """Return the command that ends a build on a tag, if it is the first of this stage."""
    first = next((each.words for each in stage if each.name == "RUN"), "")
    return first if first.startswith('case "$PYTHON" in *@sha256:* | localhost/*) ;; *) ') else None


def problems(text: str, allowed: set[str]) -> Iterator[str]:
    """Yield what is wrong; `allowed` are the paths that a build is sent."""
    before, *builds, final = parse(text)
    every = [each for stage in (before, *builds, final) for each in stage]
    for base in bases(text):
        if not re.search(r":(?!latest@|latest$)[\w.-]*\d[\w.-]*(@sha256:[0-9a-f]{64})?$", base):
            yield f"{base} has not the tag of a version"
    if not (builds and digest_check(builds[0])):
        yield "the first stage does not begin with the check that the base has a digest"
    for each in every:
        if each.name in ("ENV", "ARG") and SECRET.search(each.words):
            yield f"{each.name} {each.words}: a secret would be in the image"
        if each.name == "ADD":
            yield "ADD unpacks and downloads; COPY does neither"
        if each.name == "COPY" and "--from" not in each.words:
            yield from (
                f"{path} is not sent to a build" for path in _sources(each.words) if path not in allowed
            )
        if each.name == "RUN":
            yield from _problems_of_pip(each.words)
    yield from _problems_of_final(final)


def _problems_of_pip(command: str) -> Iterator[str]:
    """Yield what pip could install that is no wheel with a known hash, or ours, which was just built."""
    for words in _commands(command):
        if "pip" not in words or not {"install", "wheel", "download"} & {*words}:
            continue
        options, named = words[words.index("pip") + 2 :], words[-1]
        if "--no-deps" not in options:
            yield f"pip looks for what {named} needs"
        if "wheel" in words or named.endswith(".whl"):
            if "--no-index" not in options:
                yield f"pip asks an index about {named}"
            continue
        if "--require-hashes" not in options:
            yield f"pip installs {named} whatever its hash"
        if "--only-binary :all:" not in " ".join(options):
            yield "pip installs more than wheels"


def _commands(command: str) -> Iterator[list[str]]:
    tokens = shlex.shlex(command, posix=True, punctuation_chars=True)
    tokens.whitespace_split = True
    for is_operator, words in groupby(tokens, lambda word: not word.strip("();<>|&")):
        if not is_operator:
            yield [*words]


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
