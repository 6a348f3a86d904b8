"""What is remembered of products, packed: it holds what was put in last, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.products.digest_index import (
    ID_BYTES,
    Changes,
    DigestIndex,
    key_hash,
    product_digest,
    split_records,
)
from ads_cli.products.sync_state import SyncState, UnknownError
from ads_cli.store.epochs import UploadTarget, WriteEpochs

UNIQUE = st.text(st.characters(codec="utf-8"), max_size=5)
CONTENTS = st.dictionaries(UNIQUE, st.binary(max_size=3), max_size=40)


def products(contents: dict[str, bytes]) -> list[tuple[bytes, int]]:
    return [(product_digest(id, content), key_hash(f"key of {id}")) for id, content in contents.items()]


def held(records: DigestIndex, contents: dict[str, bytes]) -> bool:
    return all(records.contains(product_digest(*content)) for content in contents.items())


@given(CONTENTS, CONTENTS, st.booleans())
def test_an_index_contains_the_last_version_of_each_product(first, second, keep):
    before = DigestIndex.of(Changes(products(first)))
    changes = Changes(products(second))
    data = b"".join(before.updated(changes, keep=keep))
    after = DigestIndex(data)
    expected = {id: content for id, content in first.items() if id not in second} | (second if keep else {})
    assert held(before, first) and held(after, expected) and len(after) == len(expected)
    assert list(split_records(data)) == sorted(split_records(data))
    left = DigestIndex(b"".join(after.without({key_hash(f"key of {id}") for id in second})))
    assert {
        id for id in first if left.contains(product_digest(id, b"")[:ID_BYTES])
    } == first.keys() - second.keys()
    others = {id: content for id, content in (first | second).items() if expected.get(id) != content}
    assert not any(after.contains(product_digest(*content)) for content in others.items())
    assert all(
        after.contains(product_digest(id, b"")[:ID_BYTES]) == (id in expected) for id in first | second
    )


@given(CONTENTS, st.data())
def test_a_sync_state_is_read_as_written_or_not_at_all(tmp_path_factory, contents, data):
    state = tmp_path_factory.mktemp("state")
    memory = SyncState(state, "https://ads.example", "c 1")
    epoch = WriteEpochs(state).begin(UploadTarget("https://ads.example", "product_catalog", "c 1"))
    memory.invalidate("", epoch, [])
    assert memory.commit(epoch, products(contents))
    expected_epoch, index = memory.read()
    assert expected_epoch == epoch and len(index) == len(contents) and held(index, contents)
    assert not memory.commit("another", products({"x": b"later"}))
    (path,) = (state / "acknowledged").glob("[0-9a-f]*")
    whole = path.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    for spoiled in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
        path.write_bytes(spoiled)
        with pytest.raises(UnknownError):
            memory.read()
