"""Columns that tell whether people agreed to be contacted, or refused, and the option that uses one."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable

from ..output.text import counted
from .answers import answer_of, spelled
from .folding import fold
from .headers import Consent

# What systems write instead of yes, and what is asked for where nobody has that answer.
GRANTED_WORDS = """
x subscribed confirmed active accepted granted given opted-in opt-in double_opt-in single_opt-in"""
GRANTED = frozenset(map(fold, GRANTED_WORDS.split()))
OPPOSITES = {
    "no": "yes",
    "n": "y",
    "false": "true",
    "f": "t",
    "0": "1",
    "off": "on",
    "nein": "ja",
    "falsch": "wahr",
}
OPPOSITES |= dict.fromkeys(("unsubscribed", "notsubscribed", "neversubscribed"), "subscribed")
OTHER = "…"  # stands for any other value, which may be personal


def count_answers(cells: Iterable[object]) -> Counter[str]:
    """Count the answers in a column, as they are written."""
    answers: Counter[str] = Counter()
    for text, count in Counter(map(str, cells)).items():
        answer = text.strip()
        word = fold(answer)
        is_known = answer_of(answer) is not None or word in GRANTED or word in OPPOSITES
        answers[answer if is_known else OTHER if spelled(answer) else ""] += count
    return answers


def describe_consent(column: str, kind: Consent, answers: Counter[str], *, wants_refusals: bool) -> str:
    """Say that a column is not used, and which option leaves out whom it excludes.

    `wants_refusals` is for lists of people who must not be reached.
    """
    given = [answer for answer, _ in answers.most_common() if answer not in ("", OTHER)]
    says_yes = [answer for answer in given if answer_of(answer)]
    has_answers = any(answer_of(answer) is not None for answer in given)
    granted = says_yes or [answer for answer in given if not has_answers and fold(answer) in GRANTED]
    answer = granted[0] if granted else OPPOSITES.get(fold(given[0]), "yes") if given else ""
    # Where nothing is answered with yes or no, an empty cell is the opposite of an answer.
    is_equal = ((kind is Consent.AGREED) != wants_refusals) == bool(answer)
    operator = "=" if is_equal else "!="
    meant = {*says_yes} if has_answers else {answer}
    if has_answers and (answers[OTHER] or any(answer_of(each) is None for each in given)):
        # Some cells say neither, which --where COLUMN=yes refuses to guess.
        answer = f"^({'|'.join(map(re.escape, says_yes or [answer]))})$"
        operator = "~" if is_equal else "!~"
    equal = sum(answers[each] for each in meant)
    left_out = answers.total() - equal if is_equal else equal
    where = shlex.quote(f"{column}{operator}{answer}")
    return (
        f"{column!r} tells who may be contacted, and is not used: --where {where} leaves out"
        f" {left_out:,} of {counted(answers.total(), 'row')}, --ignore {shlex.quote(column)} leaves out none"
    )
