"""What to type after a check: the options that its findings imply, tried on the feed in memory."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from time import perf_counter
from typing import Any, NamedTuple, cast

import msgspec

from ...api.iso_codes import CURRENCIES
from ...console.invocation import Invocation
from ...errors import AdsctlError, ContentError
from ...feeds import DUPLICATES
from ...feeds.decoding import UTF_8, NotUtf8Error
from ...feeds.row import Row
from ...feeds.rows import Rows
from ...masking import mask_address
from ...output.text import counted, shell_command
from ...products.feeds.fixes import NAMES, parse_fixes
from ...products.feeds.fixes.money import SHARED_SIGN, SYMBOLS
from ...products.feeds.hints import OPEN, column_for, list_separator, template_of_nested
from ...products.feeds.transforms import ABSOLUTE, IMAGES, LINKS, PRICES, is_bare_amount
from ...products.normal_form import PRODUCT_SCHEMA
from ...validation import Finding
from ...validation.report import ValidationReport, has_no_required_column
from ...validation.validator import Validator
from ..uploads.reports import with_further_options
from .options import ProductFeedOptions

SAMPLE_ROWS = 2000  # on which options are found out
SEARCHED_ROWS = 20_000  # for the rows of findings that are further on
MAX_TRIED_ROWS = 100_000
MIN_TRIED_ROWS = 10_000  # however long they take; of further ones as many as a check takes the time for
MAX_ROUNDS = 6  # an option may show what else is wrong
ADDRESS = f"https://{OPEN}"
SINGLE = ("currency", "base_url", "keep", "encoding")  # parameters that are no lists
# What stands for a value that only its owner knows, while options are tried.
STAND_INS = {
    "availability": "in stock",
    "condition": "new",
    "currency": "EUR",
    "price": "1.00 EUR",
    "link": "https://stand-in.invalid/",
    "image_link": "https://stand-in.invalid/image.jpg",
    "base_url": "https://stand-in.invalid",
}


class AdvisedOption(NamedTuple):
    """An option that findings imply."""

    name: str  # of the parameter, as `base_url`
    value: str  # as it is typed
    subject: str = ""  # the field that it gives, where it is one of several
    stand_in: str = ""  # tried in place of a value that is open, where not every one will do

    @property
    def is_open(self) -> bool:
        """Whether the value is to be completed."""
        return OPEN in self.value

    @property
    def words(self) -> tuple[str, str]:
        """The option as it is typed."""
        return f"--{self.name.replace('_', '-')}", self.value

    @property
    def tried(self) -> str:
        """The value with which it is tried."""
        if not self.is_open:
            return self.value
        stand_in = self.stand_in or STAND_INS.get(self.subject or self.name, "x")
        return f"{self.subject}={stand_in}" if self.subject else stand_in


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
        return {"command": self.command, "choices": choices, **counts}

    @property
    def certain(self) -> tuple[AdvisedOption, ...]:
        """The options whose values are known."""
        return tuple(option for option in self.options if not option.is_open)

    @property
    def open_pairs(self) -> dict[str, list[str]]:
        """The values that are to be named, by option."""
        found: dict[str, list[str]] = {}
        for option in self.options:
            if option.is_open:
                found.setdefault(option.words[0].removeprefix("--"), []).append(option.value)
        return found


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
        found = _without_useless(call, feed, rows, _options_found(call, feed, rows, report, error))
        if not found:
            return None
        outcome = try_options(call, with_options_of(feed, found), rows, whole=whole, deadline=deadline)
        before = report.valid if report else 0
        if report and outcome.is_part and outcome.valid < before:  # which is of all rows
            before = _first_report(feed.read_again(call, rows), outcome.read).valid
    except AdsctlError:
        return None  # what was found on the first rows does not hold for the others
    # As many valid rows are worth it where other findings of the same rows remain for a person.
    if outcome.valid < before or (report is None and not outcome.valid):
        return None
    words = _with_advised(call.command_line, found, feed)
    return Advice(words, f"{outcome} then", outcome, tuple(found), whole)


def _options_found(
    call: Invocation,
    feed: ProductFeedOptions,
    rows: Rows,
    report: ValidationReport | None,
    error: ContentError | None,
) -> list[AdvisedOption]:
    """Find the options that the findings imply, and what else is wrong once they are given."""
    wanted = {line for finding in report.findings for line in finding.lines} if report else set()
    found: list[AdvisedOption] = []
    current, tried = feed, rows
    for _ in range(MAX_ROUNDS):
        try:
            if isinstance(error, NotUtf8Error):
                raise error
            report = report or _first_report(tried)
            new = [*_implied(report, _Sample(tried, wanted))]
        except NotUtf8Error as undecoded:
            new = [AdvisedOption("encoding", undecoded.encoding)] if undecoded.encoding else []
        new = [option for option in new if not _is_given(current, option)]
        if not new:
            break
        found += new
        current = with_options_of(current, new)
        tried, report, error = current.read_again(call, rows), None, None
    return found


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
    call: Invocation,
    feed: ProductFeedOptions,
    rows: Rows,
    found: Sequence[AdvisedOption],
) -> list[AdvisedOption]:
    """Leave out defaults that make no row valid, as of a row of totals that lacks every field."""

    def valid_rows(options: Sequence[AdvisedOption]) -> int:
        return _first_report(with_options_of(feed, options).read_again(call, rows)).valid

    kept, defaults = [*found], [option for option in found[::-1] if option.name == "default"]
    valid = valid_rows(kept) if defaults else 0
    for option in defaults:
        others = [other for other in kept if other is not option]
        if valid_rows(others) == valid:
            kept = others
    return kept


def _first_report(rows: Rows, limit: int = SAMPLE_ROWS) -> ValidationReport:
    """Validate the first rows; where a table has none of the required columns, all of them are missing."""
    try:
        return _FirstRows(rows, limit).validated()
    except ContentError:
        if not has_no_required_column(rows, PRODUCT_SCHEMA.required):
            raise
        return ValidationReport(missing=dict.fromkeys(PRODUCT_SCHEMA.required, ""))


class Outcome(NamedTuple):
    """How many rows of a feed are valid by some options."""

    valid: int
    rows: int  # without those that are left out
    is_part: bool  # further rows were not tried
    read: int = 0  # rows, with those that are left out

    def __str__(self) -> str:
        return f"{self.valid:,} of {'the first ' * self.is_part}{counted(self.rows, 'row')} valid"


def try_options(
    call: Invocation,
    feed: ProductFeedOptions,
    rows: Rows,
    *,
    whole: bool,
    deadline: float = inf,
) -> Outcome:
    """Validate an opened feed by other options, at most its first 100,000 rows; `whole` if it has no more."""
    first = _FirstRows(feed.read_again(call, rows), MAX_TRIED_ROWS, deadline)
    report = first.validated()
    is_part = first.is_cut or (not whole and report.rows == MAX_TRIED_ROWS)
    return Outcome(report.valid, report.rows - report.left_out, is_part, report.rows)


class _FirstRows:
    """The first rows of a feed, which one process reads."""

    table = None

    def __init__(self, rows: Rows, limit: int, deadline: float = inf) -> None:
        self._rows, self._limit, self._deadline = rows, limit, deadline
        self.is_cut = False  # by the deadline

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def __iter__(self) -> Iterator[Row]:
        for number, row in enumerate(islice(iter(self._rows), self._limit)):
            if number >= MIN_TRIED_ROWS and not self.is_cut and perf_counter() > self._deadline:
                self.is_cut, self._limit = True, number  # any further reading is of the same rows
                return
            yield row

    def validated(self) -> ValidationReport:
        """Validate these rows."""
        return Validator(cast(Rows, self), PRODUCT_SCHEMA).run()


class _Sample:
    """Values of the first rows, and of rows with findings."""

    def __init__(self, rows: Rows, wanted: Collection[int]) -> None:
        self.records: list[Mapping[str, Any]] = []
        self._wanted: list[Mapping[str, Any]] = []
        for number, row in enumerate(islice(iter(rows), SEARCHED_ROWS)):
            if number >= SAMPLE_ROWS and len(self._wanted) >= len(wanted):
                break
            if row.left_out or row.problem:
                continue
            if row.line in wanted:
                self._wanted.append(row.values)
            elif number < SAMPLE_ROWS:
                self.records.append(row.values)
        self.columns = dict(zip(rows.columns, rows.fields, strict=True))  # with their fields

    def values(self, name: str) -> list[Any]:
        """Return the values of a column or field, those of findings first."""
        return [record[name] for record in (*self._wanted, *self.records) if name in record]


def _is_given(feed: ProductFeedOptions, option: AdvisedOption) -> bool:
    given = getattr(feed, option.name)
    if option.name == "encoding":
        return bool(given != UTF_8)
    if option.name == "fix":
        return option.value in parse_fixes(given or ())
    if isinstance(given, list):
        fields = (
            text.rpartition("=")[2] if option.name == "map" else text.partition("=")[0] for text in given
        )
        return option.subject in map(str.strip, fields)
    return given is not None


def with_options_of(feed: ProductFeedOptions, options: Sequence[AdvisedOption]) -> ProductFeedOptions:
    """Return the options of a feed with further ones; those that are open with what stands for them."""
    changes: dict[str, Any] = {}
    for option in options:
        if option.name in SINGLE:
            changes[option.name] = option.tried
        else:
            given = changes.get(option.name, getattr(feed, option.name)) or []
            changes[option.name] = [*given, option.tried]
    return msgspec.structs.replace(feed, **changes)


def _implied(report: ValidationReport, sample: _Sample) -> Iterator[AdvisedOption]:
    """Yield the options that findings imply; the same one at most once."""
    yielded: set[AdvisedOption] = set()
    findings = report.findings
    repeats = [each for each in findings if each.field == "id" and "is also " in each.problem]
    differ = any(not each.fix for each in repeats)
    for finding in findings:
        for option in _of_finding(finding, sample, is_missing=finding.field in report.missing):
            if option.value == DUPLICATES and differ:
                continue  # --keep decides about all rows with the same id
            if option.name in SINGLE and any(option.name == other.name for other in yielded):
                continue
            if option not in yielded:
                yielded.add(option)
                yield option
    for name in ("image_link", IMAGES):  # two addresses may look like one that is valid
        if name in sample.columns.values():
            yield from set(_split(name, sample.values(name))) - yielded
    if differ and repeats[0].severity == "error":
        yield AdvisedOption("keep", "first")


def _of_finding(finding: Finding, sample: _Sample, *, is_missing: bool) -> Iterator[AdvisedOption]:
    field, problem = finding.field, finding.problem
    if finding.fix:
        yield AdvisedOption("fix", finding.fix)
    elif finding.severity != "error":
        return
    elif is_missing or problem.startswith("is required"):
        yield from _filled(field, sample, is_missing=is_missing)
    elif nested := template_of_nested(field, {field: sample.values(field)}):
        yield AdvisedOption("set", f"{field}={nested}", field)
    elif field in PRICES and ("--currency" in problem or any(map(is_bare_amount, sample.values(field)))):
        yield from _currency(field, sample)
        if SHARED_SIGN in problem:
            yield AdvisedOption("fix", "price")
    elif field in (*LINKS, IMAGES):
        yield from _addresses(field, sample)


def _filled(field: str, sample: _Sample, *, is_missing: bool) -> Iterator[AdvisedOption]:
    """Yield what gives a required field: another column, what others say, or a value to be named."""
    unsent = [
        column
        for column, name in sample.columns.items()
        if name not in PRODUCT_SCHEMA.known and sample.values(name)
    ]
    for wanted in (field, "gtin", "mpn") if field == "brand" else (field,):
        if column := column_for(wanted, unsent):
            if wanted in sample.columns.values():
                yield AdvisedOption("default", f"{wanted}={{{column}}}", wanted)
            else:
                yield AdvisedOption("map", f"{column}={wanted}", wanted)
                yield from _split(wanted, sample.values(column))
            return
    if nested := template_of_nested(field, {column: sample.values(column) for column in unsent}):
        yield AdvisedOption("set", f"{field}={nested}", field)
    elif field == "description" and sample.values("title"):
        yield AdvisedOption("default", "description={title}", field)
    elif field == "condition":
        yield AdvisedOption("default", "condition=new", field)
    elif field == "availability" and sample.values("inventory"):
        yield AdvisedOption("default", "availability={inventory}", field)
        yield AdvisedOption("fix", "availability")
    elif field in ("brand", "availability") or (is_missing and field != "id"):  # which must differ
        yield AdvisedOption("default", f"{field}={ADDRESS if field == 'link' else OPEN}", field)


def _currency(field: str, sample: _Sample) -> Iterator[AdvisedOption]:
    """Yield the currency of bare prices: that of a column, of other prices, or one to be named."""
    for column, name in sample.columns.items():
        if "currency" in column.casefold() or "währung" in column.casefold():
            codes = {str(value).strip().upper() for value in sample.values(name)}
            if codes and codes <= CURRENCIES:
                if len(codes) == 1:
                    yield AdvisedOption("currency", codes.pop())
                elif len(sample.values(field)) == len(sample.values("id")):
                    yield AdvisedOption("set", f"{field}={{{field}}} {{{column}}}", field)
                return
    prices = [str(value) for name in PRICES for value in sample.values(name)]
    heads = [column for column, name in sample.columns.items() if name in PRICES]
    named = Counter(
        code for text in (*prices, *heads) for code in re.findall(r"\b[A-Z]{3}\b", text) if code in CURRENCIES
    )
    named.update("EUR" for text in (*prices, *heads) if "€" in text)
    certain = len(named) == 1
    shared = (codes[0] for sign, codes in SYMBOLS.items() if any(sign in text.lower() for text in prices))
    yield AdvisedOption("currency", next(iter(named)) if certain else OPEN, stand_in=next(shared, ""))


def _split(field: str, values: Sequence[Any]) -> Iterator[AdvisedOption]:
    """Yield how the values of a field are split, where they are lists of images."""
    separators = Counter(filter(None, map(list_separator, values)))
    if separators and field in ("image_link", IMAGES):
        separator = separators.most_common(1)[0][0]
        if not (field == IMAGES and separator == ","):
            yield AdvisedOption("split", f"{field}={separator}", field)


def _addresses(field: str, sample: _Sample) -> Iterator[AdvisedOption]:
    """Yield how a list of images is split, and relative addresses are completed."""
    values = sample.values(field)
    if split := [*_split(field, values)]:
        yield from split
        return
    texts = [str(value) for value in values]
    if any(text and not ABSOLUTE.match(text) and " " not in text.strip() for text in texts):
        links = map(str, sample.values("link"))
        hosts = {found[0] for link in links if (found := HOST.match(link))} - {STAND_INS["base_url"]}
        yield AdvisedOption("base_url", hosts.pop() if len(hosts) == 1 else ADDRESS)


HOST = re.compile(r"https://[a-z0-9.-]+(?=/|\Z)", re.IGNORECASE)
