"""Each rule finds its own fault, and nothing in an account that is right."""

import re
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest

from ads_cli.checks.facts import Facts
from ads_cli.checks.outcome import Finding
from ads_cli.checks.registry import RULES
from ads_cli.checks.rule import Severity
from ads_cli.checks.run import apply_rules
from ads_cli.config.goals import THRESHOLDS
from ads_cli.errors import StateError
from tools.write_reference import with_rules

from .accounts import facts_of

FACTORS = ("2", "0.5", "10", "20", "1000", "0.0001")


def findings(rules, changes, **about):
    return [
        found
        for found in apply_rules(rules, facts_of(changes, **about))
        if isinstance(found.outcome, Finding)
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_finds_its_fault_and_leaves_what_nearly_is_one(rule):
    broken = findings([rule], rule.breaks)
    assert broken, rule.breaks
    assert findings([rule], rule.nearly) == []
    outcome = broken[0].outcome
    assert outcome.kind and outcome.name and outcome.message[0].islower()
    assert outcome.command and all(isinstance(word, str) for word in outcome.command)


def test_an_account_without_faults_has_no_finding_and_nothing_unknown():
    found = [(found.rule.code, found.outcome.message) for found in apply_rules(RULES, facts_of({}))]
    assert found == []


def test_codes_and_names_are_those_of_one_rule_and_the_texts_are_sentences():
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES) >= 55
    for rule in RULES:
        assert re.fullmatch("[DBACMN]1[0-9]{2}", rule.code) and rule.severity in Severity
        for text in (rule.summary, rule.why, rule.advice, rule.ignore):
            assert text[0].isupper() and text.endswith("."), (rule.code, text)


def test_each_list_and_each_number_is_read_once():
    facts = facts_of({})
    list(apply_rules(RULES, facts))
    reads = facts.source.reads
    assert len(reads) == len(set(reads))


def test_only_what_the_selected_rules_need_is_read():
    facts = facts_of({})
    list(apply_rules([rule for rule in RULES if rule.code == "D105"], facts))
    assert facts.source.reads == ["line-items list", "campaigns list"]


def test_what_cannot_be_looked_at_is_unknown_and_says_why():
    rules = [rule for rule in RULES if rule.code in ("M102", "M103", "D105")]
    found = [*apply_rules(rules, facts_of({}, refused=["measurement web-event-tags list"]))]
    assert {(one.rule.code, one.outcome.message) for one in found} == {
        ("M102", "'measurement web-event-tags list' was refused: no right"),
        ("M103", "'measurement web-event-tags list' was refused: no right"),
    }


def test_the_page_of_the_docs_lists_the_rules_as_they_are():
    page = Path("docs/accounts-check.md").read_text(encoding="utf-8")
    assert with_rules(page) == page


def test_each_threshold_is_one_that_a_rule_looks_at(monkeypatch):
    looked_at = set()
    monkeypatch.setattr(
        Facts, "threshold", lambda self, name: looked_at.add(name) or self.wanted.thresholds[name]
    )
    for rule in RULES:
        for changes in (rule.breaks, rule.nearly):
            list(apply_rules([rule], facts_of(changes)))
    assert looked_at == {*THRESHOLDS}


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_threshold_of_the_profile_changes_what_is_found(name):
    """With another value some rule says something else of its own examples."""

    def said(value):
        stated = {"check": {name: str(value)}}
        return [
            (found.rule.code, type(found.outcome).__name__, found.outcome.id)
            for rule in RULES
            for changes in (rule.breaks, rule.nearly)
            for found in apply_rules(
                [rule], facts_of({**changes, "wanted": {**changes.get("wanted", {}), **stated}})
            )
        ]

    def differs(value):
        with suppress(StateError):  # out of range
            return said(value) != said(default)

    default = THRESHOLDS[name]
    assert any(differs(default * factor) for factor in map(Decimal, FACTORS))


@pytest.mark.parametrize(
    ("goal", "count", "said"),
    [
        ("APP_INSTALLS", {}, "aims at APP_INSTALLS, which no number that is read counts"),
        ("SITE_VISITS", {"url_clicks": 25}, "aims at SITE_VISITS, which no number that is read counts"),
        ("VIEW_6S", {"video_6s_views": 25}, "pays 0.80 EUR for a video view, and aims at 0.40 EUR"),
        (None, {"url_clicks": 25}, "pays 0.80 EUR for a link click, and aims at 0.40 EUR"),
    ],
)
def test_what_a_line_item_pays_is_told_of_what_it_aims_at(goal, count, said):
    item = {"bid_strategy": "TARGET", "bid_amount_local_micro": 400_000, "goal": goal}
    numbers = {"spend": 20, "url_clicks": 0, **count}
    facts = facts_of({"line_items": {"i1": item}, "numbers": {"i1": numbers}})
    (found,) = apply_rules([rule for rule in RULES if rule.code == "B109"], facts)
    assert found.outcome.message == said
