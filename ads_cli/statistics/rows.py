"""Tidy rows: one for each entity, time, and segment, with a column for each metric."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, repeat
from types import NoneType
from typing import Any, NamedTuple

from ..api.money import decimals_of
from ..api.names import Names, neutral_name
from ..errors import UnavailableError
from .periods import Calendar, Period
from .question import AMOUNT, Part, Question, columns_of, is_money

BASE = ("entity", "entity_id", "name", "campaign", "start", "end", "placement", "segment")
CURRENCY = "currency"  # the last key, where amounts are in several
KEYS = (*BASE, CURRENCY)
NUMBERS = {int, float, NoneType}  # the types that a number of a series may have
Row = tuple[Any, ...]
Metrics = Mapping[str, Any]


class Table(NamedTuple):
    """Rows, and the names of their columns: what they are of, then their numbers."""

    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: Iterable[Row]

    @property
    def columns(self) -> tuple[str, ...]:
        """Name all columns."""
        return *self.keys, *self.metrics

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class Described(NamedTuple):
    """What a listing says of an entity."""

    name: str | None = None
    campaign: str | None = None  # its name, or its id where it has none
    currency: str | None = None


class Answer(NamedTuple):
    """What the service answers to one part of a question."""

    part: Part
    data: list[dict[str, Any]]


class Asked(NamedTuple):
    """What was asked, and what rows say of it beside the numbers."""

    question: Question
    described: Mapping[str, Described]
    calendar: Calendar
    names: Names
    unshown: set[str]  # numbers of conversions that no column has, as they are found

    @property
    def currencies(self) -> set[str | None]:
        """The currencies of the amounts that were asked for."""
        if not any(map(is_money, self.question.columns)):
            return set()
        return {self.described.get(id, Described()).currency for id in self.question.ids}

    @property
    def times(self) -> tuple[list[str], list[str]]:
        """The beginnings and the ends of the times that the numbers of a series are of."""
        granularity = self.question.granularity
        steps = self.question.period.steps(granularity)
        starts = [self.calendar.shown(step.start, granularity) for step in steps]
        return starts, [self.calendar.shown(step.end, granularity) for step in steps]


def table_of(asked: Asked, answers: Iterable[Sequence[Answer]], *, with_currency: bool = False) -> Table:
    """Return the rows of the answers about every few entities.

    They have their currency where there are amounts of several.
    """
    with_currency = with_currency or len(asked.currencies) > 1
    columns, times = tuple(map(asked.names.name, asked.question.columns)), asked.times
    rows = (_rows_of(asked, few, times, with_currency) for few in answers)
    return Table(KEYS if with_currency else BASE, columns, chain.from_iterable(rows))


def _rows_of(
    asked: Asked, answers: Sequence[Answer], times: tuple[list[str], list[str]], with_currency: bool
) -> Iterator[Row]:
    """Yield the rows of some entities from the answers to all their parts; raise UnavailableError."""
    question = asked.question
    found: dict[str, dict[str, _Series]] = {id: {} for answer in answers for id in answer.part.ids}
    windows = sorted({answer.part.window for answer in answers})
    for answer in answers:
        for id, segment, metrics in _series_in(answer):
            series = found[id].setdefault(segment, _Series(question, windows))
            asked.unshown.update(series.add(answer.part.window, metrics))
    named = asked.names.to_wire({"entity": question.entity, "placement": question.placement})
    for id, segments in found.items():
        known = asked.described.get(id, Described())
        before = [*map(repeat, (named["entity"], id, known.name, known.campaign))]
        currency = (known.currency,) if with_currency else ()
        for segment, series in segments.items():
            after = map(repeat, (named["placement"], segment or None, *currency))
            yield from zip(*before, *times, *after, *series.columns(known.currency), strict=False)


class _Series:
    """The numbers of one entity and one segment, as their windows are answered; it may be in some only."""

    def __init__(self, question: Question, windows: Iterable[Period]) -> None:
        self._question = question
        self._windows: dict[Period, dict[str, list[Any]]] = {window: {} for window in windows}  # by column

    def add(self, window: Period, metrics: Metrics) -> Iterator[str]:
        """Add the metrics of a window, and yield the names of numbers that have no column.

        Raises UnavailableError if the numbers are not those of its times.
        """
        values = self._windows[window]
        length = window.count(self._question.granularity)
        for metric in self._question.metrics:
            numbers, columns = metrics.get(metric), columns_of(metric)
            if isinstance(numbers, dict):
                named = {f"{metric}_{name}": own for name, own in numbers.items()}
            else:
                named = {columns[0] if len(columns) == 1 else metric: numbers}
            for column, own in named.items():
                if own is None:
                    continue
                if column in columns:
                    values[column] = _checked(column, own, length)
                else:
                    yield column

    def columns(self, currency: str | None) -> list[list[Any]]:
        """Return the values of each column over the times; those of a total are added up over the windows."""
        return [self._values(column, currency) for column in self._question.columns]

    def _values(self, column: str, currency: str | None) -> list[Any]:
        values: list[Any] = []
        for window, columns in self._windows.items():
            values += columns.get(column) or [None] * window.count(self._question.granularity)
        if self._question.granularity == "TOTAL":
            counted = [value for value in values if value is not None]
            values = [sum(counted) if counted else None]
        if column.endswith(AMOUNT):
            values = amounts(values, currency)
        return values


def _checked(column: str, numbers: Any, length: int) -> list[Any]:
    """Return the numbers of a metric; raise UnavailableError if they are none, or not as many."""
    if not isinstance(numbers, list) or len(numbers) != length:
        raise UnavailableError(f"{column} has not the {length} numbers of its period")
    if wrong := {*map(type, numbers)} - NUMBERS:
        raise UnavailableError(f"{column} has {wrong.pop().__name__} in place of a number")
    return numbers


def _series_in(answer: Answer) -> Iterator[tuple[str, str, Metrics]]:
    """Yield the entity, the segment and the metrics of each series; raise UnavailableError for wrong data."""
    seen = set()
    for record in answer.data:
        id, series = record.get("id"), record.get("id_data")
        if not isinstance(id, str) or id not in answer.part.ids or not isinstance(series, list):
            raise UnavailableError("the answer has statistics of an entity that was not asked for")
        seen.add(id)
        for one in series:
            metrics = one.get("metrics") if isinstance(one, dict) else None
            if not isinstance(metrics, dict):
                raise UnavailableError(f"the statistics of {id} have no metrics")
            neutral = {neutral_name(name): numbers for name, numbers in metrics.items()}
            yield id, _segment(one.get("segment")), neutral
    if missing := [id for id in answer.part.ids if id not in seen]:
        raise UnavailableError(f"the answer has no statistics of {missing[0]}")


def _segment(segment: Any) -> str:
    """Return what a segment is called."""
    if not isinstance(segment, dict):
        return ""
    return str(segment.get("segment_name") or segment.get("segment_value") or "")


def amounts(series: Iterable[Any], currency: str | None) -> list[Decimal | None]:
    """Return micro-units in units of a currency, with its decimals, or more where they need more."""
    digits = decimals_of(currency or "")
    smallest, found = 10 ** (6 - digits), list[Decimal | None]()
    for micros in series:
        if micros is None:
            found.append(None)
        elif micros % smallest:
            found.append(Decimal(micros).scaleb(-6).normalize())
        else:
            found.append(Decimal(int(micros // smallest)).scaleb(-digits))
    return found
