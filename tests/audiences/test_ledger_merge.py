"""Which identifiers of a ledger are of one person, and when who has them was removed, in any order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.audiences.ledger_merge import BEFORE, _Tags

TAGS = (b"a", b"b", b"c", b"d", b"e")
EVENTS = st.lists(st.tuples(st.booleans(), st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=12)


@settings(max_examples=500)
@given(EVENTS)
def test_a_removal_is_of_those_who_were_one_person_before_it(events):
    tags, people, removed = _Tags(), {tag: {tag} for tag in TAGS}, dict.fromkeys(TAGS, BEFORE)
    last = {one: step for step, (is_join, one, _) in enumerate(events) if not is_join}
    for step, (is_join, one, other) in enumerate(events):
        if is_join:
            tags.join(one, other, step)
            both = people[one] | people[other]
            people |= dict.fromkeys(both, both)
        else:
            tags.remove(one, step)
            if last[one] == step:  # the last one by an identifier counts
                removed |= dict.fromkeys(people[one], step)
    tags.settle()
    found = {tag: tags.find(tag) for tag in TAGS}
    assert {tag: removal for tag, (_, removal) in found.items()} == removed
    for tag in TAGS:
        assert {other for other in TAGS if found[other][0] == found[tag][0]} == people[tag]
