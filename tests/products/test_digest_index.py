"""What is remembered of products, packed: it holds what was put in last, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.products.digest_index import ID, Changes, Records, cut, key_of, print_of
from ads_cli.products.sync_state import SyncState, UnknownError

UNIQUE = st.text(st.characters(codec="utf-8"), max_size=5)
CONTENTS = st.dictionaries(UNIQUE, st.binary(max_size=3), max_size=40)


def products(contents: dict[str, bytes]) -> list[tuple[bytes, int]]:
    return [(print_of(id, content), key_of(f"key of {id}")) for id, content in contents.items()]


def held(records: Records, contents: dict[str, bytes]) -> bool:
    return all(records.holds(print_of(*content)) for content in contents.items())


@settings(deadline=None)
@given(CONTENTS, CONTENTS, st.booleans())
def test_records_hold_what_was_put_in_last(first, second, keep):
    before = Records.of(Changes(products(first)))
    changes = Changes(products(second))
    data = b"".join(before.updated(changes, keep=keep))
    after = Records(data)
    expected = {id: content for id, content in first.items() if id not in second} | (second if keep else {})
    assert held(before, first) and held(after, expected) and len(after) == len(expected)
    assert list(cut(data)) == sorted(cut(data))
    left = Records(b"".join(after.without({key_of(f"key of {id}") for id in second})))
    assert {id for id in first if left.holds(print_of(id, b"")[:ID])} == first.keys() - second.keys()
    others = {id: content for id, content in (first | second).items() if expected.get(id) != content}
    assert not any(after.holds(print_of(*content)) for content in others.items())
    assert all(after.holds(print_of(id, b"")[:ID]) == (id in expected) for id in first | second)


@settings(deadline=None)
@given(CONTENTS, st.data())
def test_a_memory_that_is_read_is_the_one_that_was_written(tmp_path_factory, contents, data):
    state = tmp_path_factory.mktemp("state")
    memory = SyncState(state, "https://ads.example", "c 1")
    memory.invalidate("job", [], alone_since=lambda last: True)
    assert memory.commit("job", products(contents))
    assert len(memory.read()) == len(contents) and held(memory.read(), contents)
    assert not memory.commit("job", products({"x": b"later"}))
    (path,) = (state / "acknowledged").glob("[0-9a-f]*")
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    for spoiled in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
        path.write_bytes(spoiled)
        with pytest.raises(UnknownError):
            memory.read()
