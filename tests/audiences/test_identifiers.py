"""Identifiers: what they are made into, and what is refused; the vectors are published."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.audiences import operations
from ads_cli.audiences.columns import encode_column
from ads_cli.audiences.identifiers import PLACEHOLDER_WORDS, PLAIN_PLACEHOLDERS, identifier_types
from ads_cli.audiences.operations import (
    MAX_BODY_BYTES,
    MAX_OPERATIONS,
    OperationParams,
    Operations,
    body_pieces,
    split_requests,
)
from ads_cli.audiences.packing import PackingOptions, pack_rows

KEYS = identifier_types("DE")
UPDATE = OperationParams("Update")


def one(name: str, cell: object) -> list[str]:
    """Give the hashed values of one cell."""
    made = encode_column(KEYS[name], [cell])
    assert not made.problems, made.problems
    return json.loads("{" + made.members[0] + "}").get(name, [])


def refused(name: str, cell: object) -> str:
    return "; ".join(encode_column(KEYS[name], [cell]).problems[0])


@pytest.mark.parametrize(
    ("name", "value", "digest"),
    [
        ("email", "abc@twitter.com", "4798b8bbdcf6f2a52e527f46a3d7a7c9aefb541afda03af79c74809ecc6376f3"),
        ("email", "edf@twitter.com", "5bf13d5ad4200407c5bc8b9bb578e425d05ef936fd488e3799a9d0806669223c"),
        ("handle", "adsapi", "49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d"),
        ("handle", "twitter", "7352f353c460e74c7ae226952d04f8aa307b12329c5512ec8cb6f1a0f8f9b2cb"),
    ],
)
def test_published_vectors(name, value, digest):
    assert one(name, value) == [digest]
    assert one(name, f"  {value.upper()}\u00a0") == [digest]
    assert one(name, digest.upper()) == [digest]  # hashed already, and never hashed twice
    assert one(name, f"{value};{digest}; ") == [digest]  # each once
    assert one(name, json.dumps([value])) == one(name, [value]) == [digest]


@pytest.mark.parametrize(
    ("name", "written", "normal"),
    [
        ("email", "mailto:Abc@Twitter.com", "abc@twitter.com"),
        ("email", "ａｂｃ＠ｔｗｉｔｔｅｒ.com", "abc@twitter.com"),
        ("email", "a\u200bbc@twitter.com\ufeff", "abc@twitter.com"),
        ("email", "info@Müller.de", "info@xn--mller-kva.de"),
        ("handle", "@AdsAPI", "adsapi"),
        ("platform_id", " 12345 ", "12345"),
        ("device_id", "6D92078A-8246-4BA4-AE5B-76104861E7DC", "6d92078a-8246-4ba4-ae5b-76104861e7dc"),
        ("phone_number", "0170 1234567", "+491701234567"),
        ("phone_number", "+1 (415) 555-2671", "+14155552671"),
        ("phone_number", "+491701234567", "+491701234567"),
    ],
)
def test_identifiers_are_normalized_before_hashing(name, written, normal):
    assert one(name, written) == [sha256(normal.encode()).hexdigest()]


def test_partner_ids_are_not_hashed():
    assert one("partner_user_id", ' K-"17" ') == ['K-"17"']


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("email", "nobody"), ("email", "a b@x.de"), ("email", "a@b"), ("email", "@x.de"), ("email", "ä@x.de"),
        ("email", "x" * 250 + "@x.de"), ("email", "a@-x.de"), ("email", "ann@x.123"),
        ("email", "ann@10.0.0.1"), ("email", "ann@x.１２３"), ("email", "ann@x.de.42"),
        ("handle", "two words"), ("platform_id", "12a"),
        ("platform_id", "１２"[:1] + "x"), ("phone_number", "12"), ("phone_number", "call me"),
    ],
)  # fmt: skip
def test_an_invalid_identifier_is_refused_without_its_value(name, value):
    assert value not in refused(name, value)


def test_a_national_number_needs_a_country():
    assert "--region" in "; ".join(
        encode_column(identifier_types(None)["phone_number"], ["0170 1234567"]).problems[0]
    )


TEXTS = st.one_of(
    st.sampled_from(
        ["abc@twitter.com", "A@B.de", "", " ", "x", "4" * 64, "a@b.de;c@d.de", "K@x.de", "ſ@x.de"]
    ),
    st.text(max_size=12),
    st.emails(),
)


@given(st.lists(TEXTS, min_size=1, max_size=8), st.sampled_from(sorted(KEYS)))
def test_a_column_encodes_like_its_cells_one_by_one(cells, name):
    together = encode_column(KEYS[name], cells)
    alone = [encode_column(KEYS[name], [cell]) for cell in cells]
    assert together.members == [column.members[0] for column in alone]
    assert together.problems == {n: column.problems[0] for n, column in enumerate(alone) if column.problems}
    assert together.raw == sum(column.raw for column in alone)


FRAGMENTS = [
    *(PLACEHOLDER_WORDS.split("|")),
    *(PLAIN_PLACEHOLDERS.split("|")),
    "0",
    "_",
    "-",
    "@",
    "x",
    "md5",
    "sha1",
    "a" * 32,
    "1" * 31,
    "+49",
    "170",
    ".de",
    "b",
]


@given(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join), st.sampled_from(sorted(KEYS))
)
@example("null_", "handle")
@example("blank", "handle")
@example("empty", "device_id")
@example("0none", "device_id")
@example("0@0.null", "email")
@example("md5-" + "a" * 32, "device_id")
def test_what_needs_no_look_is_what_reading_returns_unchanged(text, name):
    if re.fullmatch(KEYS[name].normal_form([text]), text):
        assert KEYS[name].read(text) == text


@pytest.mark.parametrize("name", sorted(KEYS))
def test_half_a_character_is_a_problem_of_its_row(name):
    column = encode_column(KEYS[name], ["ok@shop.de", "a\ud800@shop.de"])
    assert column.problems[1] and not column.texts[1]


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=400),
    st.sampled_from([None, 1, 7]),
    st.sampled_from([UPDATE, OperationParams("Delete", expires_at="2027-01-01T00:00:00Z")]),
)
def test_packing_keeps_every_user_in_order(sizes, most_users, head):
    cells = [";".join(f"u{n}.{i}@x.de" for i in range(size)) for n, size in enumerate(sizes)]
    packed = pack_rows({"email": [cells]}, head, PackingOptions(users_per_operation=most_users))
    single = [operation for some in packed.operations for operation in some]
    rows = [row for operation in single for row in operation.rows]
    checked = pack_rows({"email": [cells]}, head, PackingOptions(users_per_operation=most_users, sends=False))
    assert [replace(some, body=b"") for some in packed.operations] == checked.operations
    assert all([*operation.body_ends] == [len(operation.body)] for operation in single)
    assert rows == [n for n, size in enumerate(sizes) if size]
    assert set(packed.problems) == {n for n, size in enumerate(sizes) if not size}
    users = []
    for operation in single:
        body = json.loads(bytes(operation.body))
        assert body["operation_type"] == head.operation_type and len(body["params"]["users"]) == len(
            operation.rows
        )
        assert not most_users or len(operation.rows) <= most_users
        users += body["params"]["users"]
    assert users == [
        {"email": [sha256(f"u{n}.{i}@x.de".encode()).hexdigest() for i in range(size)]}
        for n, size in enumerate(sizes)
        if size
    ]


def test_ids_in_any_script_are_packed_where_the_operations_end():
    ids = ["Müller-Große", "顧客-1", 'Zoë "Z"', "1😀"]
    packed = pack_rows({"partner_user_id": [ids]}, UPDATE, PackingOptions(users_per_operation=1))
    (only,) = packed.operations
    assert only.body_ends[-1] == len(only.body)
    assert [json.loads(bytes(operations.body))["params"]["users"] for operations in only] == [
        [{"partner_user_id": [own]}] for own in ids
    ]


def test_operations_are_as_large_as_both_limits_allow():
    packed = pack_rows({"email": [[f"user{n}@x.de" for n in range(60_000)]]}, UPDATE, PackingOptions())
    (only,) = packed.operations
    assert len(only) == MAX_OPERATIONS
    assert 0.95 * MAX_BODY_BYTES < len(b"".join(body_pieces([only]))) <= MAX_BODY_BYTES


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=30), max_size=20), st.integers(10, 60), st.integers(1, 9)
)
def test_batches_meet_both_limits_and_are_as_full_as_they_can_be(sizes, most_bytes, most_operations):
    number, packed = 0, []
    for some in sizes:
        singles = [b"%d" % (10 ** (size - 1)) for size in some]
        ends = [*accumulate(len(operation) + 1 for operation in singles)]
        rows = range(number, number := number + len(some))
        stops = range(1, len(some) + 1)
        packed.append(Operations(b",".join(singles), [end - 1 for end in ends], stops, rows))
    every = [size for some in sizes for size in some]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(operations, "MAX_BODY_BYTES", most_bytes)
        patched.setattr(operations, "MAX_OPERATIONS", most_operations)
        requests = [*split_requests(packed)]
    bodies = [json.loads(b"".join(body_pieces(batch))) for batch in requests]
    assert [len(str(operation)) for body in bodies for operation in body] == every
    assert [row for batch in requests for some in batch for row in some.rows] == [*range(len(every))]
    for batch, following in pairwise([*requests, None]):
        count, size = sum(map(len, batch)), sum(map(len, body_pieces(batch)))
        assert count <= most_operations and (size <= most_bytes or count == 1)
        if following:
            more = len(next(iter(following[0])).body) + 1
            assert count == most_operations or size + more > most_bytes
