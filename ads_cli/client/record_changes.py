"""Compare changes of records with their values before: what begins to serve, which limits rise."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from ..api.endpoint import Request
from ..api.fields import marked_fields
from ..api.spending import (
    ACTIVE,
    END,
    STATUS,
    lifting_fields,
    may_serve,
    parent_of_ad,
    puts_off,
    surely_serves,
)
from ..api.types import MAX_MICROS
from .record_names import record_words
from .spending import Record, field_of
from .writes import Operation

LIMITS = ("daily budget", "total budget", "bid")  # of spending, as `limit` declares them


class Step(NamedTuple):
    """A limit of spending that an update sets or lifts: millionths, None without one, -1 if unreadable."""

    name: str
    old: int | None
    new: int | None

    @property
    def is_raise(self) -> bool:
        """Whether more may be spent, as far as the values can be read."""
        # A limit where there was none is a cut.
        if self.old is None:
            return False
        return self.new is None or min(self.old, self.new) < 0 or self.new > self.old


class RecordChange(NamedTuple):
    """An operation in its account, and the record that it changes, if any."""

    account: str
    operation: Operation
    digest: bytes  # of what it changes, and how
    before: Record = {}
    switch: str = ""  # what lets the record serve, where that is a change of another one

    @property
    def after(self) -> Record:
        """The record as the operation leaves it."""
        return self.operation.applied_to(self.before)

    @property
    def subject(self) -> str:
        """The record, in words."""
        op = self.operation
        return record_words(field_of(op), op.id, self.before if op.id else op.values)

    @property
    def begins(self) -> bool:
        """Whether the record begins to serve by the operation, as far as it can be read."""
        op, now = self.operation, datetime.now(UTC)
        if op.activates and (op.action == "create" or self.before.get(STATUS) != ACTIVE):
            return True
        is_kept = op.action == "update" and END in op.values and may_serve(self.after, now)
        return is_kept and not surely_serves(self.before, now)

    @property
    def may_spend_more(self) -> bool:
        """Whether more may be spent after it, by a record that may serve."""
        op = self.operation
        is_put_off = op.action == "update" and END in op.values and puts_off(op.values[END], self.before)
        is_raised = any(step.is_raise for step in self.steps())
        is_more = self.begins or is_put_off or is_raised or bool(named_by(op))
        return is_more and may_serve(self.after, datetime.now(UTC))

    def steps(self) -> Iterator[Step]:
        """Yield the limits that an update sets or lifts, before and after."""
        op = self.operation
        for field, name in limits_of(op).items() if op.action == "update" else ():
            lifts = is_lifted(op, field)
            if lifts or field in op.values:
                yield Step(name, micros(self.before, field), None if lifts else micros(op.values, field))


@cache
def limited_fields(kind: type[Request]) -> Mapping[str, str]:
    """Return the name of each limit of spending that a request may set, by its field."""
    return {field: name for field, name in marked_fields(kind, "limit").items() if name in LIMITS}


def limits_of(op: Operation) -> Mapping[str, str]:
    """Return the names of the limits that an operation may set, by field."""
    return limited_fields(op.kind) if op.kind else {}


def touched(op: Operation) -> set[str]:
    """Return the names of the limits that an operation sets or lifts."""
    return {name for field, name in limits_of(op).items() if field in op.values or is_lifted(op, field)}


def switches(op: Operation) -> bool:
    """Whether a record may begin to serve by an operation."""
    return op.activates or bool(named_by(op)) or (op.action == "update" and END in op.values)


def named_by(op: Operation) -> str:
    """Name the field of the record that an operation adds an ad to; empty where it adds none."""
    return (parent_of_ad(op.kind) or "") if op.kind else ""


def key_of(op: Operation) -> tuple[str, str]:
    """Return the field of the record that an operation changes or adds an ad to, and its id."""
    field = named_by(op)
    return (field, str(op.values.get(field) or "")) if field else op.key


def micros(record: Record, field: str) -> int | None:
    """Return an amount of a request or a record; None where it has none, -1 where it cannot be read."""
    value: Any = record.get(field, -1)
    if value is None or value == "":
        return None
    text = str(value)
    is_amount = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_MICROS))
    return int(text) if is_amount and not isinstance(value, bool) and int(text) <= MAX_MICROS else -1


def is_lifted(op: Operation, field: str) -> bool:
    """Whether a change lets the service choose a limit, as with `bid_strategy: AUTO`."""
    name, lifted = lifting_fields(op.kind).get(field, ("", "")) if op.kind else ("", "")
    return name in op.values and str(op.values[name] or lifted).upper() == lifted
