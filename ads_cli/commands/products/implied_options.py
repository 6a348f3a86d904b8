"""The options that the findings of a check imply."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from ...api.iso_codes import CURRENCIES
from ...feeds import DUPLICATES
from ...feeds.rows import Rows
from ...products.feeds.addresses import IMAGES, LINKS, found_in, is_relative, list_separator, parted
from ...products.feeds.fixes.money import SHARED_SIGN, SYMBOLS
from ...products.feeds.hints import OPEN, column_for, fields_of_columns, options_for, template_of_nested
from ...products.feeds.transforms import PRICES, is_bare_amount
from ...products.normal_form import PRODUCT_SCHEMA
from ...validation import Finding
from ...validation.report import ValidationReport

SAMPLE_ROWS = 2000  # on which options are found out
SEARCHED_ROWS = 20_000  # for the rows of findings that are further on
DISTINCT = ("id", "link")  # fields whose values differ from product to product
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


class Sample:
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
        self.parts = rows.parts  # columns of which fields are made already

    def values(self, name: str) -> list[Any]:
        """Return the values of a column or field, those of findings first."""
        return [record[name] for record in (*self._wanted, *self.records) if name in record]


def implied_options(report: ValidationReport, sample: Sample) -> Iterator[AdvisedOption]:
    """Yield the options that findings imply; the same one at most once."""
    yielded: set[AdvisedOption] = set()
    findings = report.findings
    repeats = [problem for problem in findings if problem.field == "id" and "is also " in problem.problem]
    differ = any(not repeat.fix for repeat in repeats)
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
    if mapped := {option.value.rpartition("=")[0] for option in yielded if option.name == "map"}:
        yield from _further_columns(sample, mapped, {option.subject for option in yielded})


def _unsent(sample: Sample) -> dict[str, Any]:
    """Return the columns that are not sent, with a value of each."""
    return {
        column: values[0]
        for column, name in sample.columns.items()
        if name not in PRODUCT_SCHEMA.known and column not in sample.parts and (values := sample.values(name))
    }


def _further_columns(
    sample: Sample, mapped: Collection[str], given: Collection[str]
) -> Iterator[AdvisedOption]:
    """Yield what sends the columns of fields that no product needs, where others are to be mapped anyhow."""
    unsent = {column: value for column, value in _unsent(sample).items() if column not in mapped}
    free = {*PRODUCT_SCHEMA.known}.difference(sample.columns.values(), given, PRODUCT_SCHEMA.required)
    for column, field in fields_of_columns([*unsent], free, unsent).items():
        if options_for(field, unsent[column]) is not None:
            yield AdvisedOption("map", f"{column}={field}", field)


def _of_finding(finding: Finding, sample: Sample, *, is_missing: bool) -> Iterator[AdvisedOption]:
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


def _filled(field: str, sample: Sample, *, is_missing: bool) -> Iterator[AdvisedOption]:
    """Yield what gives a required field: another column, what others say, or a value to be named."""
    unsent = _unsent(sample)
    for wanted in (field, "gtin", "mpn") if field == "brand" else (field,):
        column = column_for(wanted, [*unsent], unsent)
        if column and not _is_same_for_all(wanted, sample.values(column)):
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


def _is_same_for_all(field: str, values: Sequence[Any]) -> bool:
    """Tell whether a column has one value for all products, such as the shop's page, and the field many."""
    return field in DISTINCT and len(values) > 2 and len({*map(str, values)}) == 1


def _currency(field: str, sample: Sample) -> Iterator[AdvisedOption]:
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
    if field not in ("image_link", IMAGES):
        return
    separators = Counter(filter(None, map(list_separator, values)))
    if field == IMAGES and not any(isinstance(value, list) for value in values):
        del separators[","], separators[", "]  # as the field is written
    if separators:
        yield AdvisedOption("split", f"{field}={separators.most_common(1)[0][0]}", field)


def _addresses(field: str, sample: Sample) -> Iterator[AdvisedOption]:
    """Yield how a list of images is split, and relative addresses are completed."""
    values = sample.values(field)
    if split := [*_split(field, values)]:
        yield from split
        return
    texts = [value for value in values if isinstance(value, str)]
    if any(map(found_in, texts)):
        yield AdvisedOption("fix", "url")
    parts = (found_in(text) or (parted(text) if field == IMAGES else [text]) for text in texts)
    if any(map(is_relative, chain.from_iterable(parts))):
        links = map(str, sample.values("link"))
        hosts = {match[0] for link in links if (match := HOST.match(link))} - {STAND_INS["base_url"]}
        yield AdvisedOption("base_url", hosts.pop() if len(hosts) == 1 else ADDRESS)


HOST = re.compile(r"https://[a-z0-9.-]+(?=/|\Z)", re.IGNORECASE)
