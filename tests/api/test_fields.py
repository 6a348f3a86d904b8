"""What is read of the annotations of a declared field."""

from typing import Annotated

from msgspec import Meta

from ads_cli.api.fields import field_type_of

Inner = Annotated[str, Meta(max_length=3, extra={"expected": "a code", "default": "abc"})]


def test_the_outermost_annotation_wins_in_limits_and_in_words():
    inner = field_type_of(Annotated[Inner, Meta(max_length=5, extra={"expected": "a name"})])
    assert (inner.limit("max_length"), inner.extra("expected"), inner.extra("default")) == (
        5,
        "a name",
        "abc",
    )
    optional = field_type_of(Annotated[Inner | None, Meta(max_length=5)])
    assert (optional.limit("max_length"), optional.extra("default")) == (5, "abc")
