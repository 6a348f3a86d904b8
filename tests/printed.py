"""Hold what commands print in tests against their schemas: each record of `-o json` and `-o jsonl`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from ads_cli.api.names import SERVICES
from ads_cli.cli.tree import root
from ads_cli.commands.schema.documents import document_of
from ads_cli.commands.schema.effects import AS_OTHERS
from ads_cli.config.settings import SEVERAL_PROFILES
from ads_cli.console.options import LONG_OPTIONS, SHORT_OPTIONS, find_common_options

WHERE = "say so in ads_cli/commands/schema/effects.py"
MAX_CODE = 128  # above it a signal has ended the command


def command_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the command that words name, without its options."""
    node, path, rest = root(), [], iter(words)
    for word in rest:
        option = LONG_OPTIONS.get(word) or SHORT_OPTIONS.get(word[1:])
        if word.startswith("-"):
            if option and option.metavar:
                next(rest, None)
        elif word in getattr(node, "commands", ()):
            node = node.commands[word]
            path.append(word)
        else:
            break
    return tuple(path)


@cache
def described(words: tuple[str, ...], service: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the schema of a command says, and the definitions that it shares."""
    document = document_of(root(), service, words)
    by_name = document.get("commands", {})  # a group may be a command
    return by_name.get(" ".join(words), document), document["$defs"]


@cache
def validator_of(words: tuple[str, ...], service: str, format: str) -> Draft202012Validator:
    """Return what holds a document of a command against its schema."""
    schema, definitions = described(words, service)
    output = schema["output"]  # none of a command that prints no record
    printed = output.get(format, next(iter(output.values()))) if output else {"not": {}}
    return Draft202012Validator({"$defs": definitions} | printed)


def require_declared(words: Sequence[str], environment: Mapping[str, str], code: int, printed: bytes) -> None:
    """Raise AssertionError for what a command has printed, or ended with, and its schema does not say."""
    options = dict(find_common_options(words))
    format = options.get("output", environment.get("ADSCTL_OUTPUT"))
    is_of_several = not SEVERAL_PROFILES.isdisjoint(options.get("profile", ""))
    command = command_of(words)
    if command in ((), ("schema",)) or is_of_several:
        return
    service = options.get("service") or environment.get("ADSCTL_SERVICE") or "generic"
    if service not in SERVICES:
        return
    codes = described(command, service)[0].get("exit_codes")  # none of a group
    name = " ".join(command)
    codes = None if name in AS_OTHERS else codes
    assert not codes or str(code) in codes or code > MAX_CODE, f"'{name}' ends with {code}: {WHERE}"
    if format not in ("json", "jsonl") or "query" in options or not printed.lstrip().startswith((b"{", b"[")):
        return
    validator = validator_of(command, service, format)
    for document in _documents(printed, format):
        error = next(validator.iter_errors(document), None)
        assert error is None, f"'{name}' prints what its schema lacks (@shows): {error.message}"


def _documents(printed: bytes, format: str) -> Iterator[object]:
    texts = printed.splitlines() if format == "jsonl" else [printed]
    for text in texts:
        try:
            yield json.loads(text)
        except ValueError:  # of a command that was stopped
            return
