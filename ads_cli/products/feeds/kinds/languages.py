"""Exports whose platform writes the header in the language of the shop."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from . import FeedKind, NamePatterns, read_table

OTHER_LANGUAGE = "another language"
MIN_COLUMNS = 5  # in the language of an export, of those that its platform writes

DEAR = ("SKU", "Published", "In stock?", "Sale price", "Regular price")  # to be mistaken for others

NUMBER = re.compile(r"\d+")
ATTRIBUTE_NAME, ATTRIBUTE_VALUES = "Attribute * name", "Attribute * value(s)"

Names = dict[str, list[str]]  # header in English to its wordings in another language


class LanguageTable(msgspec.Struct, frozen=True):
    """The header of an export in several languages."""

    names: dict[str, str]  # by code
    values: dict[str, list[str]]  # of columns whose values are the same in every language; * as in names
    headers: dict[str, dict[str, str]]  # in English, to code, to wordings that | parts; in their order

    def words(self, code: str) -> Names:
        """Return the header in a language."""
        return {english: words[code].split("|") for english, words in self.headers.items() if code in words}


@cache
def language_table(name: str) -> LanguageTable:
    """Load the languages of a kind."""
    return msgspec.convert(read_table(name), LanguageTable)


class Localized(NamedTuple):
    """A kind with the header of a feed."""

    kind: FeedKind
    language: str = ""  # none where the header is in English
    by_order: Mapping[str, str] = {}  # columns that are known by their place alone, by their names in English


def localized(kind: FeedKind, columns: Sequence[str], records: Collection[Mapping[str, Any]]) -> Localized:
    """Return a kind in the language in which a feed has its header."""
    if not kind.languages or kind.recognizes(columns):
        return Localized(kind)
    ((file, values),) = kind.languages.items()
    if not any(value in values for record in records for value in record.values() if isinstance(value, str)):
        return Localized(kind)
    table = language_table(file)
    by_code = {code: _located(table.words(code), columns) for code in table.names}
    code, located = max(by_code.items(), key=lambda item: len(item[1]))
    if len(located) >= MIN_COLUMNS:
        others = _other_wordings(table, located, columns)
        wordings = table.words(code) | others
        return Localized(_translated(kind, wordings), table.names[code], _by_order(others, located))
    located = _located_by_values(table, columns, records)
    if len(located) < len(table.values):
        return Localized(kind)
    attributes = _attributes(columns[max(located.values()) + 1 :])
    if names := attributes[ATTRIBUTE_NAME]:
        located[ATTRIBUTE_NAME] = columns.index(names[0])
    others = _other_wordings(table, located, columns)
    return Localized(_translated(kind, others | attributes), OTHER_LANGUAGE, _by_order(others, located))


def _by_order(others: Names, located: Collection[str]) -> dict[str, str]:
    """Return the columns whose mistaking is dear, where only their place tells what they are."""
    return {
        name: others[name][0]
        for name in DEAR
        if name in others and name not in located and name not in others[name]
    }


def _located_by_values(
    table: LanguageTable, columns: Sequence[str], records: Collection[Mapping[str, Any]]
) -> dict[str, int]:
    """Return the numbers of the columns whose values are the same in every language, in their order."""
    located: dict[str, int] = {}
    begin = 0
    for english, names in table.values.items():
        patterns = NamePatterns(names)
        for number, column in enumerate(columns[begin:], begin):
            values = [value for record in records if (value := record.get(column))]
            if values and all(value in patterns for value in values):
                located[english], begin = number, number + 1
                break
    return located


def _located(names: Names, columns: Sequence[str]) -> dict[str, int]:
    """Return the numbers of the columns that have a header in a language."""
    patterns = {english: NamePatterns(words) for english, words in names.items() if "*" not in english}
    located: dict[str, int] = {}
    for number, column in enumerate(columns):
        english = next((header for header, words in patterns.items() if column in words), None)
        if english:
            located.setdefault(english, number)
    return located


def _other_wordings(table: LanguageTable, located: Mapping[str, int], columns: Sequence[str]) -> Names:
    """Return the columns that are located, and those between them where the exporter has as many others."""
    others = {english: [columns[number]] for english, number in located.items()}
    headers = [*table.headers]
    header, column = 0, 0  # after the last that is located
    for english in (name_of_table for name_of_table in headers if name_of_table in located):
        between = headers[header : headers.index(english)]
        strangers = columns[column : located[english]]
        if len(between) == len(strangers):
            others |= {name: [name_of_table] for name, name_of_table in zip(between, strangers, strict=True)}
        header, column = headers.index(english) + 1, located[english] + 1
    return others


def _attributes(columns: Sequence[str]) -> Names:
    """Return the columns of the name and the values of each attribute: the first two with its number."""
    by_number: defaultdict[str, list[str]] = defaultdict(list)
    for column in columns:
        if number := NUMBER.search(column):
            by_number[number[0]].append(column)
    pairs = [numbered[:2] for numbered in by_number.values() if len(numbered) > 1]
    return {ATTRIBUTE_NAME: [name for name, _ in pairs], ATTRIBUTE_VALUES: [values for _, values in pairs]}


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
