"""A sync state has what was acknowledged last in the write epoch of its catalog, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.products.digest_index import (
    DIGEST,
    NO_KEY,
    DigestIndex,
    ProductHashes,
    id_hash,
    key_hash,
    product_digest,
    repeat_digest,
    repeat_hash,
    unpaired_hash,
)
from ads_cli.products.sync_state import SyncState, UnknownError, remove_outdated
from ads_cli.store.epochs import UploadTarget, WriteEpochs

SERVICE = "https://ads.example"
UNIQUE = st.text(st.characters(codec="utf-8"), max_size=5)
CONTENTS = st.dictionaries(UNIQUE, st.binary(max_size=3), max_size=40)


def products(contents: dict[str, bytes], *, keys: bool = True) -> list[ProductHashes]:
    return [
        (*DIGEST.unpack(product_digest(id, content)), key_hash(f"key of {id}") if keys else NO_KEY)
        for id, content in contents.items()
    ]


def holds(index: DigestIndex, contents: dict[str, bytes]) -> bool:
    """Tell whether an index has these products and no others."""
    digests = [product_digest(id, content) for id, content in contents.items()]
    return len(index) == len(contents) and all(map(index.contains, digests))


class Catalog:
    """The sync state of a catalog, whose write epochs begin by hand."""

    def __init__(self, folder, id: str = "c 1") -> None:
        self.state = SyncState(folder, SERVICE, id)
        self._epochs, self._target = WriteEpochs(folder), UploadTarget(SERVICE, "product_catalog", id)

    def begin(self) -> tuple[str, str]:
        """Begin a write epoch; return the one before it and itself."""
        return self._epochs.current(self._target), self._epochs.begin(self._target)

    def remember(self, contents: dict[str, bytes], *, keys: bool = True) -> str:
        previous, epoch = self.begin()
        self.state.invalidate(previous, epoch, [])
        assert self.state.commit(epoch, products(contents, keys=keys))
        return epoch

    @property
    def index(self) -> DigestIndex:
        return self.state.read()[1]


@given(CONTENTS, CONTENTS)
def test_an_index_contains_the_last_version_of_each_product(first, second):
    index = DigestIndex.of(products(first) + products(second))
    expected = first | second
    assert holds(index, expected)
    others = {id: content for id, content in first.items() if expected[id] != content}
    assert not any(index.contains(product_digest(*content)) for content in others.items())
    assert {id for id in (*expected, "x" * 9) if id_hash(id) in index} == expected.keys()
    assert index.without_ids(second) == {unpaired_hash(id_hash(id)) for id in first.keys() - second.keys()}
    assert dict(index) == {id_hash(id): key_hash(f"key of {id}") for id in expected}


@given(UNIQUE, st.binary(max_size=3))
def test_a_noted_repeat_stands_beside_its_product(id, content):
    digest = product_digest(id, content)
    repeated = repeat_digest(digest, "seen")
    index = DigestIndex.of([(*DIGEST.unpack(kind), 7) for kind in (digest, repeated)])
    assert len(index) == 2 and index.key_of(digest) == index.key_of(repeated) == 7
    assert id_hash(id) in index and repeat_hash(id_hash(id)) in index and not index.without_ids([id])
    assert index.without_ids([]) == {unpaired_hash(id_hash(id))}


@given(CONTENTS, CONTENTS, CONTENTS)
def test_a_sync_state_is_what_was_committed_and_neither_sent_nor_deleted_since(
    tmp_path_factory, first, sent, deleted
):
    catalog = Catalog(tmp_path_factory.mktemp("state"))
    catalog.remember(first)
    assert holds(catalog.index, first)
    previous, epoch = catalog.begin()
    catalog.state.invalidate(previous, epoch, map(id_hash, sent))
    left = {id: content for id, content in first.items() if id not in sent}
    assert holds(catalog.index, left)
    assert catalog.state.commit(epoch, products(sent) + products(sent))
    assert holds(catalog.index, left | sent)
    previous, epoch = catalog.begin()
    catalog.state.invalidate_keys(previous, epoch, {key_hash(f"key of {id}") for id in deleted})
    rest = {id: content for id, content in (left | sent).items() if id not in deleted}
    assert holds(catalog.index, rest)


def test_a_product_whose_key_is_not_known_is_forgotten_by_any_delete(tmp_path):
    catalog = Catalog(tmp_path)
    catalog.remember({"a": b"1"}, keys=False)
    catalog.state.invalidate_keys(*catalog.begin(), {key_hash("another")})
    assert not len(catalog.index)


def test_nothing_is_committed_once_another_epoch_has_begun(tmp_path):
    catalog = Catalog(tmp_path)
    epoch = catalog.remember({"a": b"1"})
    catalog.begin()
    assert not catalog.state.commit(epoch, products({"b": b"2"}))
    with pytest.raises(UnknownError, match="something else may have changed this catalog"):
        catalog.state.read()


def test_a_push_after_something_else_begins_with_nothing(tmp_path):
    catalog = Catalog(tmp_path)
    catalog.remember({"a": b"1", "b": b"2"})
    catalog.begin()
    catalog.remember({"c": b"3"})
    assert holds(catalog.index, {"c": b"3"})


def test_a_commit_that_fails_in_the_middle_changes_nothing(tmp_path):
    catalog = Catalog(tmp_path)
    epoch = catalog.remember({"a": b"1"})

    def half():
        yield from products({"a": b"2", "b": b"2"})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catalog.state.commit(epoch, half())
    assert holds(catalog.index, {"a": b"1"})
    assert catalog.state.commit(epoch, products({"a": b"2"})) and holds(catalog.index, {"a": b"2"})


def test_each_catalog_has_its_own_products(tmp_path):
    one, other = Catalog(tmp_path, "c 1"), Catalog(tmp_path, "c 2")
    one.remember({"a": b"1"})
    assert not other.state.exists()
    with pytest.raises(UnknownError, match="nothing is known"):
        other.state.read()
    other.remember({"a": b"2", "b": b"2"})
    assert holds(one.index, {"a": b"1"}) and holds(other.index, {"a": b"2", "b": b"2"})
    one.begin()
    remove_outdated(tmp_path)
    assert not one.state.exists() and holds(other.index, {"a": b"2", "b": b"2"})
    one.remember({"c": b"3"})
    assert holds(one.index, {"c": b"3"})
