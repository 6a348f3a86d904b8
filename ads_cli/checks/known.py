"""Findings that are known: those of a baseline, and those that were reported before."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from ..config.atomic_files import atomic
from ..errors import ContentError, UsageError
from .outcome import Finding
from .run import Found

NUMBERS = re.compile(r"[0-9][0-9.,: ]*")
VERSION = 1


class Baseline(msgspec.Struct, forbid_unknown_fields=True):
    """The findings that a file takes as known, by code, kind and id."""

    version: int
    account: str
    findings: list[tuple[str, str, str]]


class Reported(msgspec.Struct):
    """When a finding was reported last, and in which words."""

    at: datetime
    words: str


def key_of(found: Found) -> tuple[str, str, str]:
    """Return what identifies a finding, whatever its numbers are."""
    return found.rule.code, found.outcome.kind, found.outcome.id


def read_baseline(path: Path, account: str) -> set[tuple[str, str, str]] | None:
    """Return the findings of a file; None where there is none. Raise ContentError for another file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"--baseline: {path}: {error.strerror}") from None
    try:
        baseline = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "name a file that --baseline wrote, or one that is not there yet"
        raise ContentError(f"--baseline: {path} is not a baseline: {error}", hint=hint) from None
    if baseline.account != account:
        hint = "each account has a baseline of its own"
        raise ContentError(f"--baseline: {path} is of the account {baseline.account}", hint=hint)
    return {*baseline.findings}


def write_baseline(path: Path, account: str, found: Iterable[Found]) -> None:
    """Write the findings of the first run."""
    baseline = Baseline(VERSION, account, sorted({key_of(one) for one in found}))
    with atomic(path, is_output=True) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(baseline)).decode() + "\n")


def to_report(
    found: Iterable[Found], reported: Mapping[str, Reported], now: datetime, remind: timedelta
) -> tuple[list[Found], dict[str, Reported]]:
    """Return the findings to report, and what was reported then.

    A finding is reported again where its words change, other than their numbers, after `remind`, and once
    it was gone in between.
    """
    due, remembered = list[Found](), dict[str, Reported]()
    for one in found:
        assert isinstance(one.outcome, Finding)
        key, words = " ".join(key_of(one)), NUMBERS.sub("0", one.outcome.message)
        before = reported.get(key)
        if before and before.words == words and now - before.at < remind:
            remembered[key] = before
        else:
            due.append(one)
            remembered[key] = Reported(now, words)
    return due, remembered
