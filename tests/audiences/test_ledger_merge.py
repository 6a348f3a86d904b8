"""Which identifiers of a ledger are of one person, and when who has them was removed, in any order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.audiences.ledger_merge import BEFORE, _Tags
from tests.effort import tries

TAGS = (b"a", b"b", b"c", b"d", b"e")
EVENTS = st.lists(st.tuples(st.booleans(), st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=12)


@settings(max_examples=tries(60, 500))
@given(EVENTS)
def test_a_removal_is_of_those_who_were_one_person_before_it(events):
    tags, people, removed = _Tags(), {tag: {tag} for tag in TAGS}, dict.fromkeys(TAGS, BEFORE)
    last = {first: step for step, (is_join, first, _) in enumerate(events) if not is_join}
    for step, (is_join, first, other) in enumerate(events):
        if is_join:
            tags.join(first, other, step)
            both = people[first] | people[other]
            people |= dict.fromkeys(both, both)
        else:
            tags.remove(first, step)
            if last[first] == step:  # the last one by an identifier counts
                removed |= dict.fromkeys(people[first], step)
    tags.settle()
    persons = {tag: tags.find(tag) for tag in TAGS}
    assert {tag: removal for tag, (_, removal) in persons.items()} == removed
    for tag in TAGS:
        assert {other for other in TAGS if persons[other][0] == persons[tag][0]} == people[tag]
