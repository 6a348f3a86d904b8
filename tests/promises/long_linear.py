"""No text makes a regular expression of adsctl slow: time grows with the length, whatever the text is."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from ads_cli.audiences.columns import _all_lines
from ads_cli.audiences.identifiers import identifier_types
from ads_cli.audiences.phones import _plain_national, _prefix_abroad, assigned_form, mobile_form
from ads_cli.products.feeds.fixes.texts import RAW_END, TAG, without_tags
from ads_cli.products.feeds.kinds import NamePatterns
from tests.growth import is_linear
from tests.promises.expressions import AT_START, Attack, Expression, attacks, expressions

NUMBERS = [f"+{code}" for code in (1, 7, 44, 49, 39, 52, 54, 55, 61, 81, 91, 998)]
REGIONS = ("US", "DE", "GB", "IT", "MX", "AR", "BR", "AU", "JP", "IN", "RU", "BY", "FI", "SG", "CO", "KR")
NORMAL_FORMS = [kind.normal_form(NUMBERS) for kind in identifier_types().values()]
# The functions by which all text reaches an expression that is linear only as they call it.
CALLERS = {TAG: without_tags}
# Expressions that are made while a function runs: examples of each, or who bounds it.
MADE: dict[str, list[re.Pattern[Any]] | str] = {
    r"api.amounts: f'\\b{micros_of(texts[name])}\\b'": "a number, which repeats nothing",
    r"audiences.columns: f'(?>(?:(?:{pattern}|)\n)*)(?:{pattern}|)'.encode()": [
        *map(_all_lines, NORMAL_FORMS)
    ],
    "audiences.columns: kind.normal_form((value for values in values_of_rows for value in values))": [
        *map(re.compile, NORMAL_FORMS)
    ],
    "audiences.identifiers: self.usual_form([normalized])": [
        re.compile(assigned_form([f"+{code}"])) for code in (1, 7, 39, 44, 49, 56, 86, 91)
    ],
    "audiences.phones: mobile_form([e164])": [
        re.compile(mobile_form([f"+{code}"])) for code in (1, 7, 39, 44, 49, 56, 86, 91)
    ],
    "audiences.phones: normal_form([e164])": [re.compile(NORMAL_FORMS[4])],
    r"audiences.phones: f'(?!{code}|{_prefix_abroad(region)})(?>(?:{trunk})?)(?P<rest>[0-9]+)'": [
        _plain_national(region)[1] for region in REGIONS
    ],
    "audiences.phones: _prefix_abroad(region)": [re.compile(_prefix_abroad(region)) for region in REGIONS],
    "feeds.transforms: where.value": "whoever runs the command writes it",
    "feeds.transforms: self.value": "whoever runs the command writes it",
    r"products.feeds.fixes.texts: f'</{name}(?=[\\t\\n\\f\\r />])'": [*RAW_END.values()],
    "products.feeds.kinds: '|'.join(wild)": [
        pattern for pattern in [NamePatterns(["a*b*c*d", "*x*x*x"])._wild] if pattern
    ],
    # A choice of fixed words, each tried once.
    "api.media_uploads: f'^(?:{pattern})\\\\Z'": "tests/api/test_any_request.py",
    "encodings: pattern": "tests/test_masking.py",
    r"spelling: f'(?<![\\w-]){re.escape(word)}(?![\\w-])'": "a fixed text, which repeats nothing",
    "people_masking: f'{bounds}{re.escape(value)}{bounds}'": "a fixed text, which repeats nothing",
}


def test_no_text_makes_an_expression_slow():
    found = [*expressions()]
    assert {each for each in found if isinstance(each, str)} == MADE.keys()
    known = [each for each in found if isinstance(each, Expression)]
    assert len(known) > 150  # that none was found would be a mistake of this test
    for place, patterns in MADE.items():
        if not isinstance(patterns, str):
            known += [Expression(place, pattern, frozenset({"match", "fullmatch"})) for pattern in patterns]
    slow = {expression.place: attack for expression in known if (attack := first_slow(expression))}
    assert not slow


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+b",
        r"(a|a)*b",
        r"a*a*b",
        r"\s*;",
        r"(<!--.*?-->\s*)*<html",
        r"<[a-z][^>]*>",
        r"x(?:@|%40)[^@]+!",
        r'<c (?=[^>]*t="e")[^>]*?r="[A-Z]+[0-9]+"[^>]*>.*?<v>',
        rb"[0-9]+(?:\.[0-9]*?)?0*x",
    ],
)
def test_an_expression_that_backtracks_is_found(pattern):
    assert first_slow(Expression("", re.compile(pattern, re.DOTALL), frozenset({"search"})))


@pytest.mark.parametrize("pattern", [r"(?>a+)b?", r"\s++;|x", r"(?:<!--.*?-->\s*+)*+<html", r"[a-z]+"])
def test_an_expression_that_matches_nothing_twice_is_linear(pattern):
    assert not first_slow(Expression("", re.compile(pattern), frozenset({"match"})))


def first_slow(expression: Expression) -> Attack | None:
    """Return a text on which an expression does not take linear time; None if none is found."""
    run = runner(expression)
    return next((attack for attack in attacks(expression.pattern) if not is_linear(run, attack.of)), None)


def runner(expression: Expression) -> Callable[[str], object]:
    """Return what applies an expression to a text by each of its methods."""
    pattern, methods = expression.pattern, expression.methods
    if caller := CALLERS.get(pattern):
        return caller
    calls: list[Callable[[Any], object]] = [getattr(pattern, name) for name in sorted(methods & AT_START)]
    if methods - AT_START:
        calls.append(lambda text: sum(1 for _ in pattern.finditer(text)))
    encoded = isinstance(pattern.pattern, bytes)
    return lambda text: [call(text.encode("latin-1", "replace") if encoded else text) for call in calls]
