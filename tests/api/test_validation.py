"""Which field msgspec's error is about is read from its text: `api/validation.py` depends on its form."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from ads_cli.api.time import Time
from ads_cli.api.validation import check

AS_A_PATH = "x - at `$.other`"  # a value that looks like the end of an error


class Leaf(msgspec.Struct, tag="LEAF", tag_field="type", forbid_unknown_fields=True):
    size: int


class Twig(msgspec.Struct, tag="TWIG", tag_field="type"):
    leaf: Leaf


class Tree(msgspec.Struct, kw_only=True):
    other: str = ""
    count: Annotated[int, Meta(ge=1)] = 1
    word: Annotated[str, Meta(pattern="^a+$")] = "a"
    kind: Literal["OAK", "ASH"] = "OAK"
    planted: Time | None = None
    leaves: list[Leaf | Twig] = []
    names: dict[str, int] = {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("count", AS_A_PATH),
        ("count", "0"),
        ("word", AS_A_PATH),
        ("kind", AS_A_PATH),
        ("planted", AS_A_PATH),
        ("leaves", [{"type": "LEAF", "size": AS_A_PATH}]),
        ("leaves", [{"type": "LEAF", "size": 1}, {"type": AS_A_PATH}]),
        ("leaves", [{"type": "LEAF", "size": 1, AS_A_PATH: 1}]),
        ("leaves", [{"type": "TWIG", "leaf": {"size": None}}]),
        ("leaves", AS_A_PATH),
        ("names", {AS_A_PATH: "two"}),
        ("names", 5),
    ],
)
def test_every_error_of_msgspec_names_the_field_that_it_is_about(field, value):
    problems = check(Tree, {"other": "y", field: value})[1]
    assert {problem.field for problem in problems} == {field}


def test_all_invalid_fields_are_found_whatever_their_order():
    values = {"kind": "ELM", "planted": "soon", "leaves": [{}], "count": "0", "word": "b"}
    assert [problem.field for problem in check(Tree, values)[1]] == [
        "count",
        "word",
        "kind",
        "planted",
        "leaves",
    ]
