"""Random numbers and rules over many nights: no record is changed against its rule, too often or too far."""

from collections import Counter
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.watch.replay import replay
from ads_cli.watch.rules import parse_rules
from tests.checks.accounts import DAY, MemorySource, changed, facts_of

NIGHTS = 30
DAILY = "daily_budget_amount_local_micro"


def text_of(rules):
    lines = ["rules:"]
    for number, rule in enumerate(rules):
        lines.append(f"- name: rule {number}")
        lines += [f"  {key}: {value}" for key, value in rule.items()]
    return "\n".join(lines).encode()


rule = st.fixed_dictionaries(
    {
        "of": st.just("campaigns"),
        "when": st.integers(0, 60).flatmap(
            lambda limit: st.sampled_from([f"spend > {limit}", f"spend < {limit}"])
        ),
        "over": st.integers(1, 5).map(lambda days: f"{days}d"),
        "fresh": st.sampled_from(["yes", "no"]),
        "do": st.sampled_from(["pause", "activate", "tell"])
        | st.integers(-50, 50).filter(bool).map(lambda share: f"set daily_budget={share:+d}%"),
        "at_most": st.tuples(st.integers(1, 3), st.integers(1, 9)).map(
            lambda pair: f"{pair[0]} in {pair[1]}d"
        ),
    }
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(rule, min_size=1, max_size=4),
    st.lists(st.integers(0, 30), min_size=NIGHTS + 80, max_size=NIGHTS + 80),
    st.integers(10, 30),
    st.integers(30, 50),
)
def test_no_record_is_changed_against_a_rule_too_often_or_too_far(rules, spent, floor, ceiling):
    bounded = [
        {**own, "floor": floor, "ceiling": ceiling} if own["do"].startswith("set") else own for own in rules
    ]
    parsed = parse_rules(text_of(bounded), "rules.yaml")
    made = {"campaigns": {"c1": {"created_at": "2026-01-01T00:00:00Z"}}, "numbers": {"c1": {"spend": spent}}}
    facts = facts_of(made)
    today = facts.calendar.today.date()
    on_day = {today - (at + 1) * DAY: amount for at, amount in enumerate(reversed(spent))}
    acted = Counter()
    days_of = {own.name: [] for own in parsed}
    status, budget, by_rule = "ACTIVE", Decimal(25), False
    for day, decision, _ in replay(parsed, facts, MemorySource(changed(made)), today - NIGHTS * DAY):
        if decision.why_not:
            continue
        own = decision.rule
        end = day if own.fresh else day - 2 * DAY
        window = sum(on_day[end - (at + 1) * DAY] for at in range(int(own.over[:-1])))
        sign, limit = own.when.sign, own.when.parts[1].value
        assert window > limit if sign == ">" else window < limit
        if own.do == "tell":
            continue
        assert (day, decision.id) not in acted
        acted[day, decision.id] += 1
        days_of[own.name].append(day)
        count, span = own.at_most
        assert sum(day - earlier < span for earlier in days_of[own.name]) <= count
        if own.do == "set":
            assert Decimal(decision.before) == budget
            after = Decimal(decision.after)
            raised = own.change.share > 1
            assert after > budget if raised else after < budget
            assert after <= ceiling if raised else after >= floor
            budget = after
        else:
            assert decision.before == status != decision.after
            assert own.do == "pause" or by_rule
            status, by_rule = decision.after, own.do == "pause"
