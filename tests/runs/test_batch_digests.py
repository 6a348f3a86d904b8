"""The digest of a batch stands for what is sent and for the rows that it comes from."""

from hypothesis import given
from hypothesis import strategies as st

from ads_cli.runs.upload import digest_of

bodies = st.binary(max_size=20)
records = st.lists(st.integers(1, 2**40), max_size=5)


@given(bodies, records, bodies, records)
def test_batches_have_equal_digests_only_if_bodies_and_rows_are_equal(body, rows, other_body, other_rows):
    is_equal = (body, rows) == (other_body, other_rows)
    assert (digest_of([body], rows) == digest_of([other_body], other_rows)) == is_equal


@given(st.lists(bodies), records)
def test_it_does_not_matter_in_which_pieces_a_body_comes(pieces, rows):
    assert digest_of(pieces, rows) == digest_of([b"".join(pieces)], rows)


def test_a_batch_of_other_rows_has_another_digest():
    assert digest_of([b"same"], [1, 2]) != digest_of([b"same"], [1, 3])
    assert digest_of([b"same"], [1]) != digest_of([b"else"], [1])
