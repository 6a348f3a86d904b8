"""Columns that tell whether people agreed to be contacted, or refused, and the option that uses one."""

import shlex
from collections import Counter
from collections.abc import Iterable

from ..output.text import counted
from .folding import fold
from .headers import Consent

# Answers, folded. Any other value of such a column is a time or a text: it tells by being there.
YES = frozenset(
    fold(word)
    for word in (
        *(
            "yes",
            "y",
            "true",
            "t",
            "1",
            "on",
            "x",
            "subscribed",
            "confirmed",
            "active",
            "accepted",
            "granted",
        ),
        *("given", "opted-in", "opt-in", "double_opt-in", "single_opt-in", "ja", "j", "wahr", "oui", "vrai"),
        *("sí", "verdadero", "sim", "verdadeiro", "vero", "tak", "ano", "igen", "da", "evet", "kyllä"),
        *("да", "так", "はい", "是", "예"),
    )
)
OPPOSITES = {  # what people answer who do not say that
    fold(no): yes
    for no, yes in {
        "no": "yes", "n": "y", "false": "true", "f": "t", "0": "1", "off": "on", "nein": "ja",
        "falsch": "wahr", "non": "oui", "faux": "vrai", "falso": "vero", "não": "sim", "nie": "tak",
        "ne": "ano", "nem": "igen", "hayır": "evet", "ei": "kyllä", "нет": "да", "ні": "так",
        "いいえ": "はい", "否": "是", "아니요": "예",
        "unsubscribed": "subscribed", "not_subscribed": "subscribed", "never_subscribed": "subscribed",
    }.items()
}  # fmt: skip
OTHER = "…"  # stands for any other value, which may be personal


def count_answers(cells: Iterable[object]) -> Counter[str]:
    """Count the answers in a column, as they are written."""
    answers: Counter[str] = Counter()
    for text, count in Counter(map(str, cells)).items():
        answer = text.strip()
        word = fold(answer)
        answers[answer if not answer or word in YES or word in OPPOSITES else OTHER] += count
    return answers


def describe_consent(column: str, kind: Consent, answers: Counter[str], *, wants_refusals: bool) -> str:
    """Say that a column is not used, and which option leaves out whom it excludes.

    `wants_refusals` is for lists of people who must not be reached.
    """
    given = [answer for answer, _ in answers.most_common() if answer not in ("", OTHER)]
    yes = next((answer for answer in given if fold(answer) in YES), None)
    answer = yes or (OPPOSITES[fold(given[0])] if given else "")
    # Where nothing is answered with yes or no, an empty cell is the opposite of an answer.
    is_equal = ((kind is Consent.AGREED) != wants_refusals) == bool(answer)
    left_out = answers.total() - answers[answer] if is_equal else answers[answer]
    where = shlex.quote(f"{column}{'=' if is_equal else '!='}{answer}")
    return (
        f"{column!r} tells who may be contacted, and is not used: --where {where} leaves out"
        f" {left_out:,} of {counted(answers.total(), 'row')}, --ignore {shlex.quote(column)} leaves out none"
    )
