"""What to type after a check: the options that its findings imply, tried on the feed in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from math import inf
from time import perf_counter
from typing import Any, NamedTuple, cast

import msgspec

from ...api.problems import Problem
from ...console.invocation import Invocation
from ...errors import AdsctlError, ContentError
from ...feeds import DUPLICATES
from ...feeds.decoding import UTF_8, NotUtf8Error
from ...feeds.row import Row
from ...feeds.rows import Rows
from ...masking import mask_address
from ...output.text import counted, shell_command
from ...products.feeds.fixes import NAMES, parse_fixes
from ...products.feeds.fixes.values import Length
from ...products.normal_form import PRODUCT_SCHEMA
from ...validation.report import ValidationReport, has_no_required_column
from ...validation.validator import Validator
from ..runs.reports import with_further_options
from .implied_options import SAMPLE_ROWS, SINGLE, AdvisedOption, Sample, implied_options
from .options import ProductFeedOptions

MAX_TRIED_ROWS = 100_000
MIN_TRIED_ROWS = 10_000  # however long they take; of further ones as many as a check takes the time for
MAX_ROUNDS = 6  # an option may show what else is wrong


class Advice(NamedTuple):
    """What to type next, and what comes of it."""

    words: Sequence[str]  # of the command line
    effect: str
    outcome: "Outcome"
    options: tuple[AdvisedOption, ...] = ()  # that are added to those that were typed
    whole: bool = True  # the feed has no further rows

    @property
    def command(self) -> str:
        """The command as a shell takes it."""
        return shell_command(["adsctl", *self.words])

    @property
    def record(self) -> dict[str, Any]:
        """It as programs read it; `choices` are the fields and options whose value is to be named."""
        choices = [option.subject or option.name for option in self.options if option.is_open]
        counts = {"valid": self.outcome.valid, "rows": self.outcome.rows}
        return {"command": self.command, "choices": choices, **counts, **asdict(self.outcome.losses)}

    @property
    def certain(self) -> tuple[AdvisedOption, ...]:
        """The options whose values are known."""
        return tuple(option for option in self.options if not option.is_open)

    @property
    def open_pairs(self) -> dict[str, list[str]]:
        """The values that are to be named, by option."""
        pairs: dict[str, list[str]] = {}
        for option in self.options:
            if option.is_open:
                pairs.setdefault(option.words[0].removeprefix("--"), []).append(option.value)
        return pairs


def advise(
    call: Invocation,
    feed: ProductFeedOptions,
    rows: Rows,
    report: ValidationReport | None,
    error: ContentError | None,
    *,
    seconds: float,
) -> Advice | None:
    """Find the options that make rows of a checked feed valid; None where there are none.

    There is an error and no report where a table has none of the required columns, or another encoding.
    More than 10,000 rows are tried only while that takes no more than some `seconds`; the same rows without
    the options may take as long again.
    """
    deadline = perf_counter() + seconds
    whole = report is not None and report.rows <= MAX_TRIED_ROWS
    try:
        options = _without_useless(feed, rows, _options_found(feed, rows, report, error, deadline))
        if not options:
            return None
        outcome = try_options(with_options_of(feed, options), rows, whole=whole, deadline=deadline)
        before = report.valid if report else 0
        if report and outcome.is_part and outcome.valid < before:  # which is of all rows
            before = _first_report(feed.read_again(rows), outcome.read).valid
    except AdsctlError:
        return None  # what was found on the first rows does not hold for the others
    # As many valid rows are worth it where other findings of the same rows remain for a person.
    if outcome.valid < before or (report is None and not outcome.valid):
        return None
    words = _with_advised(call.command_line, options, feed)
    effect = str(outcome)
    if ids := next(
        (option.value for option in options if option.name == "set" and option.subject == "id"), ""
    ):
        effect += ", with other ids" + ", which change with the title" * ("{title}" in ids)
    return Advice(words, effect, outcome, tuple(options), whole)


def _options_found(
    feed: ProductFeedOptions,
    rows: Rows,
    report: ValidationReport | None,
    error: ContentError | None,
    deadline: float,
) -> list[AdvisedOption]:
    """Find the options that the findings imply, and what else is wrong once they are given."""
    wanted = {line for finding in report.findings for line in finding.lines} if report else set()
    options: list[AdvisedOption] = []
    current, tried = feed, rows
    for _ in range(MAX_ROUNDS):
        try:
            if isinstance(error, NotUtf8Error):
                raise error
            report = report or _first_report(tried)
            new = [*implied_options(report, Sample(tried, wanted))]
            if any(option.name == "keep" for option in new):
                new = _without_loss(new, current, tried, deadline)
        except NotUtf8Error as undecoded:
            new = [AdvisedOption("encoding", undecoded.encoding)] if undecoded.encoding else []
        new = [option for option in new if not _is_given(current, option)]
        if not new:
            break
        options += new
        current = with_options_of(current, new)
        tried, report, error = current.read_again(rows), None, None
    return options


def _without_loss(
    options: Sequence[AdvisedOption], feed: ProductFeedOptions, rows: Rows, deadline: float
) -> list[AdvisedOption]:
    """Return options that give each row an id of its own in place of --keep, where that is possible."""
    from .distinct_ids import distinct_id

    template = distinct_id(rows, _FirstRows(rows, MAX_TRIED_ROWS, deadline))
    by_id = AdvisedOption("set", f"id={template}", "id")
    if template is None or _is_given(feed, by_id):
        return [*options]
    return [by_id if option.name == "keep" else option for option in options]


def _with_advised(
    typed: Sequence[str], options: Sequence[AdvisedOption], feed: ProductFeedOptions
) -> list[str]:
    """Return the command line that was typed, with further options; all fixes are one option."""
    words = [mask_address(word) for word in typed]
    fixes = [option.value for option in options if option.name == "fix"]
    if fixes and not any(word == "--fix" or word.startswith("--fix=") for word in words):
        fixes += parse_fixes(feed.fix or ())  # those of a recipe, which the typed ones replace
    added = ["--fix", ",".join(name for name in NAMES if name in fixes)] if fixes else []
    for option in options:
        if option.name != "fix":
            added += option.words
    return with_further_options(words, added)


def _without_useless(
    feed: ProductFeedOptions, rows: Rows, advised: Sequence[AdvisedOption]
) -> list[AdvisedOption]:
    """Leave out defaults that make no row valid, as of a row of totals that lacks every field.

    So are columns of fields that no product needs, where these make rows invalid.
    """

    def valid_rows(options: Sequence[AdvisedOption]) -> int:
        return _first_report(with_options_of(feed, options).read_again(rows)).valid

    kept, defaults = [*advised], [option for option in advised[::-1] if option.name == "default"]
    needless = {*PRODUCT_SCHEMA.known}.difference(PRODUCT_SCHEMA.required)
    further = [option for option in advised if option.name == "map" and option.subject in needless]
    valid = valid_rows(kept) if defaults or further else 0
    for option in (*further, *defaults):
        others = [other for other in kept if other is not option]
        without = valid_rows(others)
        if without > valid or (option.name == "default" and without == valid > 0):
            kept, valid = others, without
    return kept


def _first_report(rows: Rows, limit: int = SAMPLE_ROWS) -> ValidationReport:
    """Validate the first rows; where a table has none of the required columns, all of them are missing."""
    try:
        return _FirstRows(rows, limit).validated()[0]
    except ContentError:
        if not has_no_required_column(rows, PRODUCT_SCHEMA.required):
            raise
        return ValidationReport(missing=dict.fromkeys(PRODUCT_SCHEMA.required, ""))


@dataclass
class Losses:
    """Count what of a feed options lose; as statistics it takes each validated row."""

    left_out: int = 0  # rows for others with the same id
    merged: int = 0  # rows into identical ones
    shortened: int = 0  # rows with a text that was too long
    emptied: int = 0  # rows with a value that was dropped

    def note(self, row: Row, problems: list[Problem], record: int) -> None:
        """Count what the fixes of a row lose."""
        fixes = {change.fix for change in row.changes}
        self.merged += DUPLICATES in fixes
        self.shortened += Length.name in fixes
        self.emptied += any(change.after in (None, "") for change in row.changes if change.fix != DUPLICATES)

    def add(self, later: "Losses", records: int) -> None:
        """Add what later rows lose."""
        self.merged += later.merged
        self.shortened += later.shortened
        self.emptied += later.emptied

    def __str__(self) -> str:
        counts = {name: count for name, count in asdict(self).items() if count and name != "left_out"}
        return "".join(f", {count:,} {name}" for name, count in counts.items())


class Outcome(NamedTuple):
    """How many rows of a feed are valid by some options, and what the options lose."""

    valid: int
    rows: int  # without those that are left out
    is_part: bool  # further rows were not tried
    read: int = 0  # rows, with those that are left out
    losses: Losses = Losses()

    def __str__(self) -> str:
        first, left_out = "the first " * self.is_part, self.losses.left_out
        valid = f"{self.valid:,} of {first}{counted(self.rows, 'row')} valid"
        if not left_out:
            return f"{valid}, 0 left out{self.losses}"
        verb = "is" if left_out == 1 else "are"
        products = counted(self.rows + left_out, "product")
        return f"{left_out:,} of {first}{products} {verb} left out; {valid}{self.losses}"


def try_options(feed: ProductFeedOptions, rows: Rows, *, whole: bool, deadline: float = inf) -> Outcome:
    """Validate an opened feed by other options, at most its first 100,000 rows; `whole` if it has no more."""
    first = _FirstRows(feed.read_again(rows), MAX_TRIED_ROWS, deadline)
    report, losses = first.validated()
    losses.left_out = report.left_out - first.left_out - losses.merged
    is_part = first.is_cut or (not whole and report.rows == MAX_TRIED_ROWS)
    return Outcome(report.valid, report.rows - report.left_out, is_part, report.rows, losses)


class _FirstRows:
    """The first rows of a feed, which one process reads."""

    table = None

    def __init__(self, rows: Rows, limit: int, deadline: float = inf) -> None:
        self._rows, self._limit, self._deadline = rows, limit, deadline
        self.is_cut = False  # by the deadline
        self.left_out = 0  # rows, by steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def __iter__(self) -> Iterator[Row]:
        self.left_out = 0
        for number, row in enumerate(islice(iter(self._rows), self._limit)):
            if number >= MIN_TRIED_ROWS and not self.is_cut and perf_counter() > self._deadline:
                self.is_cut, self._limit = True, number  # any further reading is of the same rows
                return
            self.left_out += row.left_out
            yield row

    def validated(self) -> tuple[ValidationReport, Losses]:
        """Validate these rows, and count what is lost of them."""
        validator = Validator(cast(Rows, self), PRODUCT_SCHEMA)
        validator.gather(Losses)
        report = validator.validate()
        return report, cast(Losses, validator.stats)


def _is_given(feed: ProductFeedOptions, option: AdvisedOption) -> bool:
    value = getattr(feed, option.name)
    if option.name == "encoding":
        return bool(value != UTF_8)
    if option.name == "fix":
        return option.value in parse_fixes(value or ())
    if isinstance(value, list):
        fields = (
            text.rpartition("=")[2] if option.name == "map" else text.partition("=")[0] for text in value
        )
        return option.subject in map(str.strip, fields)
    return value is not None


def with_options_of(feed: ProductFeedOptions, options: Sequence[AdvisedOption]) -> ProductFeedOptions:
    """Return the options of a feed with further ones; those that are open with what stands for them."""
    changes: dict[str, Any] = {}
    for option in options:
        if option.name in SINGLE:
            changes[option.name] = option.tried
        else:
            values = changes.get(option.name, getattr(feed, option.name)) or []
            changes[option.name] = [*values, option.tried]
    return msgspec.structs.replace(feed, **changes)
