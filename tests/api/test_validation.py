"""All problems are found at once. Which field an error of msgspec is about, only its text tells."""

import threading
from typing import Annotated, ClassVar, Literal

import msgspec
import pytest
from msgspec import Meta

from ads_cli.api.time import Time
from ads_cli.api.users import AudienceParams, DoNotReachParams
from ads_cli.api.validation import check, rule

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
        ("leaves", [{"type": "LEAF", 5: 1}]),
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


def test_keys_that_are_no_texts_are_passed_over():
    assert check(Tree, {5: 6, "count": "0"})[1][0].field == "count"


class Measured(msgspec.Struct):
    LEAST: ClassVar[int] = 2
    count: int
    size: int

    @property
    def is_small(self) -> bool:
        return self._by_method() and self.size < self.LEAST

    def _by_method(self) -> bool:
        return True

    @rule("size")
    def large(self) -> str | None:
        """Require a size; `missing` is no field."""
        return "is small" if self.is_small and getattr(self, "missing", True) else None

    @rule("size")
    def larger_than_count(self) -> str | None:
        """Compare a field that is invalid."""
        return "is less" if self.size < self.count else None


def test_a_rule_that_reads_no_invalid_field_is_checked_beside_other_problems():
    assert list(map(str, check(Measured, {"count": 3, "size": 1})[1])) == ["size: is small", "size: is less"]
    problems = check(Measured, {"count": "many", "size": 1})[1]
    assert [problem.field for problem in problems] == ["count", "size"], problems


def test_an_end_that_has_passed_is_found_beside_an_invalid_user():
    values = {"users": [{"email": ["x"]}], "expires_at": "2020-01-01T00:00:00Z"}
    for params in (AudienceParams, DoNotReachParams):
        assert [problem.path for problem in check(params, values)[1]] == ["users[0].email[0]", "expires_at"]


def test_no_thread_converts_to_a_type_that_another_is_compiling(monkeypatch):
    """msgspec would crash the process, now and then."""
    new = msgspec.defstruct("New", [("size", int)])
    compile_type, events = msgspec.json.Decoder, []
    has_begun, may_end = threading.Event(), threading.Event()

    def slowly(*args, **kwargs):
        events.append("begins")
        has_begun.set()
        may_end.wait(10)
        events.append("ends")
        return compile_type(*args, **kwargs)

    def convert():
        check(new, {"size": 1}, lambda item: [])
        events.append("converted")

    monkeypatch.setattr(msgspec.json, "Decoder", slowly)
    threads = [threading.Thread(target=convert) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert has_begun.wait(10) and events == ["begins"]
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert events[:2] == ["begins", "ends"] and events[-1] == "converted" and len(events) >= 5
