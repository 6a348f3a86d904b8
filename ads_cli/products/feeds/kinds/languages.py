"""Exports whose platform writes the header in the language of the shop."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from . import FOLDER, FeedKind, NamePatterns

MIN_COLUMNS = 5  # in the language of an export, of those that its platform writes

Names = Mapping[str, Sequence[str]]  # header in English to its wordings in another language


class LanguageTable(msgspec.Struct, frozen=True):
    """The header of an export in several languages."""

    names: dict[str, str]  # by code
    values: list[str]  # of one of the columns, in every language
    headers: dict[str, dict[str, str]]  # in English, to code, to wordings that | parts; in their order

    def words(self, code: str) -> Names:
        """Return the header in a language."""
        return {english: words[code].split("|") for english, words in self.headers.items() if code in words}


@cache
def language_table(name: str) -> LanguageTable:
    """Load the languages of a kind."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    document = yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), Loader=loader)
    return msgspec.convert(document, LanguageTable)


class Localized(NamedTuple):
    """A kind with the header of a feed."""

    kind: FeedKind
    language: str = ""  # none where the header is in English


def localized(kind: FeedKind, columns: Sequence[str], records: Collection[Mapping[str, Any]]) -> Localized:
    """Return a kind in the language in which a feed has its header."""
    if not kind.languages or kind.recognizes(columns):
        return Localized(kind)
    table = language_table(kind.languages)
    if not any(value in table.values for record in records for value in record.values() if value):
        return Localized(kind)
    found = {code: _located(table.words(code), columns) for code in table.names}
    code = max(found, key=lambda code: len(found[code]))
    if len(found[code]) < MIN_COLUMNS:
        return Localized(kind)
    names = _with_other_wordings(table, table.words(code), found[code], columns)
    return Localized(_translated(kind, names), table.names[code])


def _located(names: Names, columns: Sequence[str]) -> dict[str, int]:
    """Return the numbers of the columns that have a header in a language."""
    patterns = {english: NamePatterns(words) for english, words in names.items() if "*" not in english}
    found: dict[str, int] = {}
    for number, column in enumerate(columns):
        english = next((each for each, words in patterns.items() if column in words), None)
        if english:
            found.setdefault(english, number)
    return found


def _with_other_wordings(
    table: LanguageTable, names: Names, found: Mapping[str, int], columns: Sequence[str]
) -> Names:
    """Add columns that stand where the exporter has others of the same number, whatever they are called."""
    others: defaultdict[str, list[str]] = defaultdict(list)
    order = [english for english in table.headers if english in found]
    headers = [*table.headers]
    for before, after in pairwise(order):
        between = headers[headers.index(before) + 1 : headers.index(after)]
        strangers = columns[found[before] + 1 : found[after]]
        if len(between) == len(strangers):
            for english, column in zip(between, strangers, strict=True):
                others[english].append(column)
    return {english: [*words, *others[english]] for english, words in names.items()}


def _translated(kind: FeedKind, names: Names) -> FeedKind:
    """Return a kind that knows its columns by other names too."""

    def wordings(columns: Sequence[str]) -> list[str]:
        return [word for column in columns for word in (column, *names.get(column, ()))]

    return msgspec.structs.replace(
        kind,
        columns={word: field for column, field in kind.columns.items() for word in wordings([column])},
        roles={role: wordings(columns) for role, columns in kind.roles.items()},
        left_out={word: values for column, values in kind.left_out.items() for word in wordings([column])},
        ignored=wordings(kind.ignored),
        own=wordings(kind.own),
    )
