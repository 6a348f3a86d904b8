"""Columns that tell whether people agreed to be contacted or refused, and the options that use them."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

import msgspec

from ..errors import ContentError
from ..feeds.rows import FIRST_LINES
from ..feeds.transforms import Where
from ..output.text import counted, quoted_word, shell_command
from ..spelling import letters_and_digits
from .headers import (
    NEGATIONS,
    Consent,
    channel_of_column,
    consent_of_column,
    holds_codes,
    is_answer_time,
    is_status,
    is_subscription,
)

MAX_WORD_LENGTH = 40
DATE = re.compile(
    r"\d{1,4}[-/.年]\s?\d{1,2}[-/.月]|\d{10}(?:\d{3})?$"
    r"|[^\W\d]{3,9}\.? \d{1,2},? \d{4}|\d{1,2}\.? [^\W\d]{3,9}\.? \d{4}"
)
ZERO_DATE = re.compile(r"0{1,4}[-/.]0{1,2}[-/.]0{1,4}(?:[ t][0:.]+z?)?")  # as databases write none
MARK = "x"  # alone in a column, it means yes; beside other words, it may mean no
NO_LETTERS = ("Mn", "Cf")  # categories of accents, variants and what has no width
SAME_LETTERS = str.maketrans("ıłđ", "ild")


@lru_cache(1024)
def spelled(text: str) -> str:
    """Return a cell without case, accents, width, quotation marks, and spaces around it."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(letter for letter in letters if unicodedata.category(letter) not in NO_LETTERS)
    return plain.translate(SAME_LETTERS).strip(" '\"\t\r\n\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")


@lru_cache(1024)
def bare_word(text: str) -> str:
    """Return the letters and digits of a cell, as systems write words in many ways."""
    return letters_and_digits(spelled(text)) if len(text) <= MAX_WORD_LENGTH else text


_TABLE = tomllib.loads(files(__package__).joinpath("answers.toml").read_text(encoding="utf-8"))
YES, NO, NOTHING, QUOTABLE = (
    frozenset(map(spelled, _TABLE[name].split())) for name in ("yes", "no", "nothing", "quotable")
)
GRANTED, DENIED, SUBSCRIBED, UNSUBSCRIBED, UNREACHABLE, UNDECIDED = (
    frozenset(map(bare_word, _TABLE[name].split()))
    for name in ("granted", "denied", "subscribed", "unsubscribed", "unreachable", "undecided")
)


def answer_of(text: str) -> bool | None:
    """Return whether a cell says yes or no, or None where it says neither."""
    word = spelled(text)
    return True if word in YES else False if word in NO else None


def is_nothing(text: str) -> bool:
    """Tell whether a cell is empty, or says that nothing is there."""
    word = spelled(text)
    return not word or word in NOTHING or ZERO_DATE.fullmatch(word) is not None


def tells_by_itself(text: str) -> bool | None:
    """Return whether a word says that somebody may be contacted, whatever a header asks; else None."""
    word = bare_word(text)
    if word in SUBSCRIBED or word in UNSUBSCRIBED:
        return word in SUBSCRIBED
    negated = {*_without_negation(word)}
    return not negated & SUBSCRIBED if negated & (SUBSCRIBED | UNSUBSCRIBED) else None


def is_granted(text: str) -> bool | None:
    """Return whether a word of systems means yes or no of what a header asks, or None for another text."""
    word = bare_word(text)
    if word in GRANTED or word in DENIED:
        return word in GRANTED
    return None if GRANTED.isdisjoint(_without_negation(word)) else False


def _without_negation(word: str) -> Iterator[str]:
    """Yield what a word may negate, as `subscribed` in `not subscribed`."""
    return (word.removeprefix(negation) for negation in NEGATIONS if word.startswith(negation))


@lru_cache(1024)
def agrees(text: str, kind: Consent) -> bool | None:
    """Return whether a cell of a column of consent agrees to be contacted, or None for an unknown text."""
    if (by_itself := tells_by_itself(text)) is not None:
        return by_itself
    if bare_word(text) in UNREACHABLE:
        return False
    if is_nothing(text):
        return kind is Consent.REFUSED
    says_yes = answer_of(text) if (granted := is_granted(text)) is None else granted
    return None if says_yes is None else says_yes == (kind is not Consent.REFUSED)


def consent_of_answers(header: str, answers: Counter[str]) -> Consent | None:
    """Return what a column tells of people whose header does not: only the words of a status may.

    The words of orders, of regions, and of accounts that are more than active or not, tell nothing. A column
    in which everybody agrees tells nothing either.
    """
    texts = [answer for answer in +answers if answer]
    if all(agrees(answer, Consent.STATUS) for answer in +answers):
        return None
    if any(tells_by_itself(text) is not None for text in texts):
        return Consent.STATUS
    if not is_status(header):
        return None
    if any(bare_word(text) in UNREACHABLE for text in texts):
        return Consent.STATUS
    says = [is_granted(text) for text in texts] + [
        answer_of(text) for text in texts if is_subscription(header)
    ]
    has_others = OTHER in texts or TIME in texts
    return None if has_others or {*says} <= {None} else Consent.STATUS


class WhereAnswer(msgspec.Struct, frozen=True):
    """Take the rows whose cell says yes or no as a condition asks; an empty cell says neither."""

    where: Where

    @property
    def column(self) -> str:
        """Name the column."""
        return self.where.column

    def holds(self, text: str) -> bool:
        """Tell whether the condition holds for the text of a cell."""
        is_asked_for = answer_of(text) is answer_of(self.where.value)
        return is_asked_for == (self.where.operator == "=")


Condition = Where | WhereAnswer


@dataclass
class CellAnswers:
    """What the cells of a column say: those of some rows, then those of the whole list."""

    has_answers: bool = False  # one says yes or no
    others: Counter[str] = field(default_factory=Counter)  # "" for all that no message may quote
    rows: list[int] = field(default_factory=list)  # the first of some rows that say something else
    places: list[str] = field(default_factory=list)  # the first in the list

    @classmethod
    def of(cls, cells: Sequence[str]) -> "CellAnswers":
        """Return what the cells of some rows say."""
        kinds = {text: answer_of(text) for text in {*cells}}
        cell_answers = cls(any(answer is not None for answer in kinds.values()))
        others = {text for text, answer in kinds.items() if answer is None and spelled(text)}
        if others:
            rows = [row for row, text in enumerate(cells) if text in others]
            cell_answers.others.update(_quotable(cells[row]) for row in rows)
            cell_answers.rows = rows[:FIRST_LINES]
        return cell_answers

    def add(self, other: "CellAnswers", places: Iterable[str]) -> None:
        """Add what some rows say; `places` names theirs."""
        self.has_answers |= other.has_answers
        self.others += other.others
        if len(self.places) < FIRST_LINES:
            self.places = [*self.places, *places][:FIRST_LINES]


def asks_for_answer(where: Where) -> bool:
    """Tell whether a condition asks for yes or no, and its column has no codes, as of countries."""
    is_equality = where.operator in ("=", "!=")
    return is_equality and answer_of(where.value) is not None and not holds_codes(where.column)


def is_text(column: str, answers: CellAnswers) -> bool:
    """Tell whether a column is compared as text, whatever its other cells say."""
    return bool(answers.others) and not consent_of_column(column)


def compared_by(where: Where, answers: CellAnswers, label: str) -> Condition:
    """Return how a column is compared: as yes and no if its cells say nothing else, otherwise as text.

    Raise ContentError for a column of consent that says something else beside yes and no.
    """
    if not answers.has_answers or is_text(where.column, answers):
        return where
    if not answers.others:
        return WhereAnswer(where)
    example = quoted_word(f"{where.column}{where.operator.strip('=')}~^({where.value}|…)$")
    number = answers.others.total()
    what = "cell says" if number == 1 else "cells say"
    raise ContentError(
        f"{label}: {where.column!r} tells who may be contacted, and {number:,} {what} neither yes nor no:"
        f" {_listed(answers)}",
        hint="nothing was sent; correct or empty these cells, or say with a regular expression which texts"
        f" are meant, as in --where {example}",
    )


def undecided_remark(where: Where, answers: CellAnswers) -> str:
    """Say that a column of consent is compared as text though yes or no is asked for, or return ""."""
    if answers.has_answers or not answers.others or not consent_of_column(where.column):
        return ""
    return f"no cell of {where.column!r} says yes or no: --where compares it with {where.value!r} as text"


def _quotable(text: str) -> str:
    """Return a text that an error may quote, else nothing: it may be personal."""
    is_known = agrees(text, Consent.AGREED) is not None or bare_word(text) in UNDECIDED
    return text.strip() if is_known or spelled(text) in QUOTABLE else ""


def _listed(answers: CellAnswers) -> str:
    """List what cells say that is neither yes nor no, and where the first of them are."""
    kinds: Sequence[str] = [f"{text!r} ({count:,})" for text, count in answers.others.most_common() if text]
    if unquoted := answers.others[""]:
        kinds = [*kinds, counted(unquoted, "other text")]
    more = answers.others.total() - len(answers.places)
    return f"{', '.join(kinds)}; {', '.join(answers.places)}" + (f" and {more:,} more" if more else "")


# These stand for any other value, which may be personal.
TIME, OTHER = "…-…", "…"


def count_answers(cells: Iterable[str]) -> Counter[str]:
    """Count the answers in a column, as they are written."""
    answers: Counter[str] = Counter()
    for text, count in Counter(cells).items():
        answers[shown_answer(text)] += count
    return answers


@lru_cache(1024)
def shown_answer(text: str) -> str:
    """Return the answer of a cell as it is written. Any other text may be personal and is not shown."""
    answer = text.strip()
    return answer and (_quotable(answer) or (TIME if DATE.match(answer) else OTHER))


CHANNELS = {"email": "e-mail", "phone_number": "phone numbers"}


def describe_consent(
    kinds: Mapping[str, Consent],
    answers: Mapping[str, Counter[str]],
    sent: Collection[str],
    *,
    of_some: Collection[str] = (),
    wants_refusals: bool,
) -> list[str]:
    """Say which columns are not used, and which options would leave out the people they exclude.

    `sent` are the identifiers that the list has, and `of_some` the columns that not every file has.
    `wants_refusals` is for lists of people who must not be reached.
    """
    remarks, options = [], []
    for column, kind in kinds.items():
        own = +answers[column]  # without those of which all rows are left out
        ignore = f"--ignore {shell_command([column])} leaves out none"
        unused = f"{column!r} tells who may be contacted, and is not used"
        if column in of_some:  # each option is refused for a file without the column
            remarks.append(f"{unused}: not every file has it; write one header in all files")
        elif where := choose_condition(column, kind, own, wants_refusals=wants_refusals):
            left_out, rows = count_left_out(where, own), counted(own.total(), "row")
            option = f"--where {shell_command([f'{column}{where.operator}{where.value}'])}"
            remarks.append(f"{unused}: {option} leaves out {left_out:,} of {rows}, {ignore}")
            channel = channel_of_column(column)
            if channel and channel not in sent and not CHANNELS.keys().isdisjoint(sent):
                remarks[-1] += f"; it tells of {CHANNELS[channel]}, which the list does not have"
            else:
                options.append(option)
        else:
            remarks.append(
                f"{unused}: no cell has a known answer, so say with --where whom to take; {ignore}"
            )
    if len(options) > 1 and not wants_refusals:  # several conditions take those who meet all of them
        remarks.append(f"{len(options)} columns tell who may be contacted; to use all: {' '.join(options)}")
    return remarks


def choose_condition(
    column: str, kind: Consent, answers: Counter[str], *, wants_refusals: bool
) -> Where | None:
    """Return a condition that takes who agreed, or all others. None means that no answer is known.

    A text that is not known is not an agreement.
    """
    all_answers = [answer for answer, _ in answers.most_common()]
    texts, nothing = [*filter(None, all_answers)], [*filter(is_nothing, all_answers)]
    words = [answer for answer in texts if answer not in nothing]
    yes_or_no = [answer for answer in texts if answer_of(answer) is not None]
    equal, unequal = ("!=", "=") if wants_refusals else ("=", "!=")
    if texts and texts == yes_or_no:
        says_yes = next(filter(answer_of, texts), "yes")  # stands for any spelling
        return Where(column, unequal if kind is Consent.REFUSED else equal, says_yes)
    agreements = {answer: agrees(answer, kind) for answer in all_answers}
    if {*map(spelled, words)} == {MARK}:
        agreements |= dict.fromkeys(words, kind is Consent.AGREED)
    if all(agreements[answer] is None for answer in words):
        if is_answer_time(column) or (kind is Consent.REFUSED and {*words} == {TIME}):
            return _one_of(column, unequal if kind is Consent.AGREED else equal, nothing or [""])
        if words:
            return None
    agreed = [answer for answer in all_answers if agreements[answer]]
    if kind is Consent.STATUS and not agreed:
        agreed = nothing or ["subscribed"]  # a status that only those have who refused
    agreed = agreed or ["yes" if kind is Consent.AGREED else "no"]
    # Where some cells say neither, --where COLUMN=yes refuses to guess.
    return _one_of(column, equal, agreed, as_text=bool(yes_or_no) and answer_of(agreed[0]) is not None)


def _one_of(column: str, operator: str, texts: Sequence[str], *, as_text: bool = False) -> Where:
    """Return the condition that a cell is one of some texts, or none of them."""
    if len(texts) == 1 and not as_text:
        return Where(column, operator, texts[0])
    return Where(column, operator.replace("=", "~"), f"^({'|'.join(map(re.escape, texts))})$")


def count_left_out(where: Where, answers: Counter[str]) -> int:
    """Count the rows that --where leaves out where a column has these answers."""
    condition: Condition = where
    if asks_for_answer(where):
        condition = compared_by(where, CellAnswers.of([*answers]), where.column)
    return sum(rows for answer, rows in answers.items() if not condition.holds(answer))
