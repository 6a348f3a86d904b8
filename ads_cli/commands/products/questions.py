"""The questions of an interactive check: which column a field is, and what only the owner of a feed knows."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len, set_cell_size

from ...console.invocation import Invocation
from ...errors import AdsctlError
from ...feeds.rows import Rows
from ...feeds.transforms import Template
from ...output.messages import fitted, terminal_width
from ...output.text import Lines, cell, cut_to_width, listed, safe, shell_command
from ...products.feeds.hints import column_for, options_for, template_of_nested
from ...products.normal_form import PRODUCT_SCHEMA
from ...spelling import folded, suggestion
from .advice import MAX_TRIED_ROWS, Advice, Outcome, advise, try_options, with_options_of
from .implied_options import AdvisedOption, Sample
from .options import ProductFeedOptions

ANSWERS = "number or name of a column; =TEXT for each row; - for none; ? for the columns"
# What advice gives where it knows the other columns.
DEFAULTS = {"condition": "condition=new", "description": "description={title}"}
EMPTY = ("", None)
LOSING = "keep"  # the option that leaves rows out: only a person decides it
IDENTIFYING = ("brand", "gtin", "mpn")  # a product needs one of them
MAX_NAME_WIDTH = 30  # of a column, in a list of them
SEEN_VALUES = 200  # from which a column is proposed
IMAGE = re.compile(r"(?i)\.(?:jpe?g|png|gif|webp)(?:[?#]|\Z)")
ADDRESS = re.compile(r"(?i)\A(?:https?:/)?/\S++\Z")
AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)|[€$£]|\b[A-Z]{3}\b")


class Questions:
    """Asks on a terminal, and has what was answered as `feed`, with what comes of it as `outcome`."""

    def __init__(self, call: Invocation, feed: ProductFeedOptions, rows: Rows, count: int | None) -> None:
        self.feed = feed
        self.outcome: Outcome | None = None
        self._call, self._rows = call, rows
        self._whole = count is not None and count <= MAX_TRIED_ROWS
        self._accepted: list[AdvisedOption] = []  # without questions
        self._named: list[AdvisedOption] = []  # in answer to questions for columns
        self._asked: set[str] = set()  # the fields whose column was asked for
        self._has_ended = False  # the input

    def ask(self, advice: Advice | None) -> None:
        """Ask for each value that is open, once; show what each option comes to."""
        certain = _without_loss(advice)
        self._take([option for option in certain if option.name != "default"])
        defaults = [option for option in certain if option.name == "default"]
        if self._ask_for_columns({option.subject: option.value for option in defaults}) or advice is None:
            again = self.feed.read_again(self._rows)
            advice = advise(self._call, self.feed, again, None, None, seconds=0) or advice
        self._take(_without_loss(advice))
        for option in advice.options if advice else ():
            if (option.is_open or option.name == LOSING) and option.subject not in self._asked:
                self._ask_for_value(option)

    def _take(self, options: Sequence[AdvisedOption]) -> None:
        """Accept options whose values are known, but for fields that were asked for. All fixes are one."""
        left = [
            option for option in options if option not in self._accepted and option.subject not in self._asked
        ]
        self._accepted += left
        fixes = [option for option in left if option.name == "fix"]
        for group in [fixes, *([option] for option in left if option not in fixes)]:
            if group:
                self._try(group)

    def _try(self, options: Sequence[AdvisedOption]) -> bool:
        """Add options, and show what comes of them; return whether they can be used."""
        changed = with_options_of(self.feed, options)
        try:
            outcome = try_options(changed, self._rows, whole=self._whole)
        except AdsctlError as error:
            self._call.messages.warn(error.message)
            return False
        self.feed, self.outcome = changed, outcome
        words = shell_command(word for option in options for word in option.words)
        self._call.messages.show(f"{words}: {outcome}")
        return True

    def _ask_for_value(self, option: AdvisedOption) -> None:
        while typed := self._answer(f"{shell_command(option.words)} (empty to leave it out):"):
            if option.name == LOSING and typed not in ("first", "last"):
                self._call.messages.show(f"{typed!r} is neither first nor last")
                continue
            value = f"{option.subject}={typed}" if option.subject else typed
            if self._try([option._replace(value=value)]):
                return

    def _answer(self, question: str, proposed: str = "") -> str:
        """Return what is typed, or what is proposed; nothing once the input has ended."""
        if self._has_ended:
            return ""
        self._call.messages.ask(question)
        line = sys.stdin.readline()
        if not line:
            self._has_ended = True
            self._call.messages.show("")  # the terminal has not begun a line
            return ""
        return line.strip() or proposed

    def _ask_for_columns(self, defaults: Mapping[str, str]) -> bool:
        """Ask for the column of each field that no row has; return whether one was named.

        `defaults` are proposed where no column looks like the field.
        """
        columns = FileColumns(Sample(self.feed.read_again(self._rows), ()))
        if not (missing := columns.missing_fields):
            return False
        lacking = f"{self._rows.source.label} has no column for {listed(missing)}. Its columns:"
        self._call.messages.show(Lines(fitted(safe(lacking), sys.stderr).split("\n")))
        self._show(columns)
        for field in missing:
            self._asked.add(field)
            default = (defaults.get(field) or DEFAULTS.get(field, "")).removeprefix(field)
            proposed = columns.propose(field) or default
            if option := self._column_or_value(field, columns, proposed):
                self._named.append(option)
        return bool(self._named) and self._try(self._named)

    def _show(self, columns: "FileColumns") -> None:
        self._call.messages.show(Lines(columns.lines(terminal_width(sys.stderr))))
        self._call.messages.show(ANSWERS)

    def _column_or_value(self, field: str, columns: "FileColumns", proposed: str) -> AdvisedOption | None:
        """Ask until an answer can be used; return None where the field is left out."""
        question = f"{field} [{columns.label(proposed)}]:" if proposed else f"{field}:"
        while True:
            typed = self._answer(question, proposed)
            if typed in ("", "-"):
                return None
            if typed == "?":
                self._show(columns)
            elif typed.startswith("="):
                option = AdvisedOption("default", f"{field}={typed[1:].strip()}", field)
                if self._can_be_read(option) and self._is_valid(field, typed[1:].strip()):
                    return option
            elif (column := columns.find(typed)) is None:
                self._call.messages.show(f"{typed!r} is not a column{suggestion(typed, columns.names)}")
            elif self._can_be_read(option := columns.option(field, column)):
                columns.take(column)
                return option

    def _can_be_read(self, option: AdvisedOption) -> bool:
        changed = with_options_of(self.feed, [*self._named, option])
        try:
            next(iter(changed.read_again(self._rows)), None)
        except AdsctlError as error:
            self._call.messages.warn(error.message)
            return False
        return True

    def _is_valid(self, field: str, text: str) -> bool:
        options = options_for(field, text)
        if field == "id" and not Template.parse(text).columns:
            self._call.messages.show(f"{text!r} would be the id of every row: name a column, as in ={{sku}}")
            return False
        if "{" in text or (options is not None and "--fix" not in options):  # a template differs by row
            return True
        choices = PRODUCT_SCHEMA.choices.get(field, ())
        one_of = f"; one of {', '.join(choices)}" if choices else ""
        self._call.messages.show(f"{text!r} is not a valid {field}{one_of}")
        return False


def _without_loss(advice: Advice | None) -> list[AdvisedOption]:
    """Return the options whose values are known, but for those that leave rows out."""
    return [option for option in (advice.certain if advice else ()) if option.name != LOSING]


class Column(NamedTuple):
    """A column of a file, the field that it is read as, and its values in the first rows."""

    name: str
    field: str
    values: Sequence[Any]

    @property
    def texts(self) -> list[str]:
        """The values as texts."""
        return [cell(value) for value in self.values]

    def template_of(self, field: str) -> str | None:
        """Return the template that fills a field from a key of nested values."""
        nested = template_of_nested(field, {field: self.values})
        return nested and nested.replace(f"{{{field}.", f"{{{self.name}.")

    @property
    def is_unique(self) -> bool:
        """Whether no value is there twice."""
        return len(set(self.texts)) == len(self.texts)


class FileColumns:
    """The columns of a file, with the fields that none of them is read as."""

    def __init__(self, sample: Sample) -> None:
        self._columns = [
            Column(name, field, [value for value in sample.values(field) if value not in EMPTY][:SEEN_VALUES])
            for name, field in sample.columns.items()
        ]
        self._free = [column for column in self._columns if column.field not in PRODUCT_SCHEMA.known]
        filled = {name for record in sample.records for name in record if record[name] not in EMPTY}
        lacking = [field for field in PRODUCT_SCHEMA.required if field not in filled]
        self.missing_fields = [*lacking, *(["brand"] if filled.isdisjoint(IDENTIFYING) else [])]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self._columns]

    def lines(self, width: int) -> Iterator[str]:
        """Yield a line for each column: its number, its name and a value."""
        digits = len(str(len(self._columns)))
        names = [safe(name) for name in self.names]
        name_width = min(max(map(cell_len, names), default=0), MAX_NAME_WIDTH)
        for number, (name, column) in enumerate(zip(names, self._columns, strict=True), 1):
            value = safe(next(iter(column.texts), ""))
            shown = set_cell_size(cut_to_width(name, name_width), name_width)
            line = f"{number:>{digits + 2}}  {shown}  "
            yield (line + cut_to_width(value, max(width - cell_len(line), 10))).rstrip()

    def find(self, typed: str) -> Column | None:
        """Return the column of a name or number."""
        by_name = {folded(column.name): column for column in reversed(self._columns)}
        exact = {column.name: column for column in self._columns}
        if match := exact.get(typed) or by_name.get(folded(typed)):
            return match
        numbers = {str(number): column for number, column in enumerate(self._columns, 1)}
        return numbers.get(typed)

    def take(self, column: Column) -> None:
        """Propose a column for no further field."""
        self._free = [other for other in self._free if other is not column]

    def label(self, answer: str) -> str:
        """Return an answer as it is proposed: a column with its number."""
        return f"{self.names.index(answer) + 1} {answer}" if answer in self.names else answer

    def option(self, field: str, column: Column) -> AdvisedOption:
        """Return the option that reads a column as a field, be it that of another or beside an empty one."""
        if nested := column.template_of(field):
            return AdvisedOption("set", f"{field}={nested}", field)
        if column not in self._free or any(chosen.field == field for chosen in self._columns):
            return AdvisedOption("set", f"{field}={{{column.name}}}", field)
        return AdvisedOption("map", f"{column.name}={field}", field)

    def propose(self, field: str) -> str:
        """Return the answer that is proposed for a field: by the name of a column, or by its values."""
        if column := column_for(field, [column.name for column in self._free]):
            return column
        fits = [column for column in self._free if column.values and _looks_like(field, column)]
        if field == "description":
            fits.sort(key=lambda column: -sum(map(len, column.texts)))
        return fits[0].name if fits else ""


def _looks_like(field: str, column: Column) -> bool:
    """Whether all values of a column look like those of a field."""
    texts = column.texts
    if any(isinstance(value, dict) for value in column.values):
        return field == "price" and column.template_of(field) is not None
    if field in ("link", "image_link"):
        is_image = field == "image_link"
        return all(map(ADDRESS.match, texts)) and all(bool(IMAGE.search(text)) == is_image for text in texts)
    if any(map(ADDRESS.match, texts)):
        return False
    if field == "price":
        return all(AMOUNT.search(text) and options_for(field, text) is not None for text in texts)
    if field in ("availability", "condition"):
        return all(not text.isdecimal() and options_for(field, text) is not None for text in texts)
    has_words = any(" " in text for text in texts)
    if field == "id":
        return column.is_unique and not has_words and not _looks_like("price", column)
    is_text = column.is_unique and all(any(map(str.isalpha, text)) for text in texts)
    return field in ("title", "description") and is_text and not _looks_like("price", column)
