"""The plan of a user upload: one reading validates and counts, another packs and sends."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NoReturn

from ..api.validation import Problem
from ..errors import ContentError
from ..feeds.rows import Row, Rows, TableRows
from ..output.text import counted
from ..uploads.batch import Batch, Batches
from ..uploads.job_key import JobKey, JobOptions, Place
from ..uploads.journal import Journal
from ..uploads.plan import this_second
from ..validation.block_runner import BlockRunner, UnreadableError
from ..validation.columns import unknown_columns
from ..validation.report import ValidationReport
from ..validation.result import CheckedRow
from .blocks import PackedBlock, TableLayout, pack_block
from .operation_params import PARAMS_FIELDS, ParamsResolver
from .operations import Operations, split_requests
from .packing import PackedRows, PackingOptions, Purpose, pack_rows
from .rows import IDENTIFIERS, HeaderMapping, UserRows, unasked_ids
from .upload import UserUpload

CHUNK_ROWS = 5000  # rows packed at once where they are read one by one
BLOCK_BYTES = 512 * 1024  # of a table, packed at once
# Packed rows, the record number of each, and the lines of those with problems.
Part = tuple[PackedRows, Sequence[int], dict[int, int]]


class UserPlan:
    """Send the people of a list; no message contains a value of it."""

    noun = "users"

    def __init__(
        self,
        rows: Rows,
        upload: UserUpload,
        resolver: ParamsResolver,
        options: PackingOptions,
        *,
        dry_run: bool = False,
    ) -> None:
        rows.sensitive = True
        self.rows: Rows = UserRows(rows)
        self.upload = upload
        self.report = ValidationReport()
        self.started = this_second()
        self.read_in = None
        self._reader = rows
        self._resolver, self._options = resolver, options
        self._purpose = Purpose.DRY_RUN if dry_run else Purpose.VALIDATE
        self._blocks = rows.table and BlockRunner(
            rows.table, self._make_task, on_header=self._require_identifier, block_bytes=BLOCK_BYTES
        )
        self._raw: Counter[str] = Counter()
        self._hashed: Counter[str] = Counter()
        self._placeholders: Counter[str] = Counter()
        self._batch_count = 0

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole list, and count the requests that its valid rows need."""
        self.report = ValidationReport()
        self._resolver = self._resolver.at(self.started)
        if self._blocks:
            self._blocks.close()  # its task has the resolver of an earlier validation
        operations = self._operations(self._purpose, on_progress)
        self._batch_count = sum(1 for _ in split_requests(operations))
        if not self.report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no row of people in it")
        self.report.warnings = [*self._reader.notes, *self._warnings()]
        return self.report

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Count the values of each kind of identifier: raw ones, and hashed ones."""
        return {
            name: {"raw": self._raw[name], "hashed": self._hashed[name]}
            for name in IDENTIFIERS
            if self._raw[name] or self._hashed[name]
        }

    @property
    def has_params_columns(self) -> bool:
        """Tell whether rows carry parameters of their own."""
        return bool(set(PARAMS_FIELDS) & set(self.rows.fields))

    @property
    def depends_on_time(self) -> bool:
        """Tell whether people may expire."""
        return self.has_params_columns or bool(self._resolver.default.expires_at)

    @property
    def due(self) -> int:
        """Count the people to be sent."""
        return self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return self._batch_count

    def max_pending(self, threads: int) -> int:
        """Allow one batch more than there are threads, since each has up to 5 MB."""
        return threads + 1

    def sample_batches(self) -> Iterable[Batch]:
        """Return one batch without people: validating a dry run has packed all others already."""
        return [Batch(0, [])][: self._batch_count]

    def batches(self) -> Batches:
        """Read the list again and pack its valid rows into requests."""
        for number, request in enumerate(split_requests(self._operations(Purpose.SEND))):
            yield Batch(number, request)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the list again and yield each row with its problems."""
        options = self._options._replace(purpose=Purpose.VALIDATE)
        for rows in self._chunks():
            packed = self._pack(rows, options)
            for number, row in enumerate(rows):
                yield CheckedRow(row, None, [Problem(*found) for found in packed.problems.get(number, [])])

    def place(self, service: str) -> Place:
        """Return the place that is changed."""
        return Place(service, self.upload.kind, self.upload.target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        source, conversion = self.rows.source, self._reader.conversion
        options = JobOptions(
            skip_invalid=skip_invalid,
            format=source.format.name,
            encoding=source.encoding,
            mapping=dict(self.rows.rename),
            conversion=conversion.digest if conversion else "",
            reading=source.options.of_content,
            upload={
                "account": getattr(self.upload.request, "account_id", ""),
                **{name: str(value) for name, value in self._resolver.default._asdict().items()},
                "region": self._options.region,
                "users_per_operation": self._options.users_per_operation,
                "allow_clear_text": self._options.allow_clear_text,
            },
        )
        return JobKey(self.place(service), "push", source.digest, options)

    def begin(self, journal: Journal) -> None:
        """Do nothing: nothing is remembered of an audience."""

    def finish(self, journal: Journal) -> str:
        """Do nothing."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": report.valid}

    def _operations(
        self, purpose: Purpose, on_progress: Callable[[int], None] | None = None
    ) -> Iterator[Operations]:
        """Read the list and yield its operations, with record numbers; report while validating."""
        options = self._options._replace(purpose=purpose)
        for packed, records, lines in (
            self._pack_blocks(options) if self._blocks else self._pack_rows(options)
        ):
            if on_progress:
                self._add_to_report(packed, records, lines)
                on_progress(self.report.rows)
            for operations in packed.operations:
                if operations:
                    yield operations.with_records(records)

    def _pack_blocks(self, options: PackingOptions) -> Iterator[Part]:
        """Pack a table block by block."""
        assert self._blocks
        before = 0
        try:
            for block, result in self._blocks.run(options):
                records = _record_numbers(before, result)
                before += result.rows - len(result.blank)
                lines = {row: block.line + at for row, at in result.lines.items()}
                yield result.packed, records, lines
        except UnreadableError:
            self._raise_content_error()

    def _make_task(self, rows: TableRows) -> Callable[..., PackedBlock | None]:
        fields = tuple(name if name in self.upload.known else "" for name in rows.cell_fields)
        return partial(pack_block, TableLayout(rows.delimiter, fields, self._resolver))

    def _pack_rows(self, options: PackingOptions) -> Iterator[Part]:
        """Pack rows as they are read."""
        for rows in self._chunks():
            lines = {number: row.line for number, row in enumerate(rows)}
            yield self._pack(rows, options), [row.record for row in rows], lines

    def _chunks(self) -> Iterator[list[Row]]:
        rows = iter(self.rows)
        while chunk := list(islice(rows, CHUNK_ROWS)):
            yield chunk

    def _pack(self, rows: list[Row], options: PackingOptions) -> PackedRows:
        known, identifiers = self.upload.known, self.upload.identifiers
        names = dict.fromkeys(name for row in rows for name in row.values if name in known)
        columns: dict[str, Any] = {name: [row.values.get(name, "") for row in rows] for name in names}
        problems = {number: [("", row.problem)] for number, row in enumerate(rows) if row.problem}
        params, params_problems = self._resolver.resolve(columns, len(rows))
        columns = columns or {identifiers[0]: [""] * len(rows)}
        for number, found in params_problems.items():
            problems.setdefault(number, []).extend(found)
        return pack_rows(columns, params, options, problems)

    def _add_to_report(self, packed: PackedRows, records: Sequence[int], lines: dict[int, int]) -> None:
        for row, problems in sorted(packed.problems.items()):
            place = Row(lines.get(row, 0), {}, record=records[row])
            self.report.add(place, [Problem(*problem) for problem in problems])
        self._raw += packed.raw
        self._hashed += packed.hashed
        self._placeholders += packed.placeholders
        self.report.rows = records[-1] if records else self.report.rows

    def _raise_content_error(self) -> NoReturn:
        """Read by lines what could not be packed, which raises the error with its line."""
        for _ in self._reader:
            pass
        raise ContentError(f"{self.rows.source.label} cannot be read as {self._reader.source.format.name}")

    def _require_identifier(self) -> None:
        """Refuse a table without a column of identifiers; its header may be data, and is not quoted."""
        if not set(self.upload.identifiers) & set(self._reader.fields):
            raise ContentError(
                f"{self.rows.source.label}: the first line names no identifier",
                hint=f"columns: {', '.join(self.upload.identifiers)}; or --map 'Your column=email'",
            )

    def _warnings(self) -> list[str]:
        """Say how columns were read, and which have both raw and hashed values."""
        rows, mapping, warnings = self._reader, self._reader.rename, []
        for column, name in zip(rows.columns, rows.fields, strict=True):
            if name in self.upload.known and isinstance(mapping, HeaderMapping) and mapping.is_alias(column):
                warnings.append(f"the column {column!r} is read as {name}")
        warnings += unknown_columns(self.rows, self.upload.known, self.rows.columns)
        warnings += unasked_ids(rows, self.upload.known)
        for name, number in self._placeholders.items():
            if number:
                placeholders = counted(number, "placeholder")
                warnings.append(f"{name}: {placeholders} such as n/a or noreply@ not sent")
        for name, count in self.counts.items():
            if count["raw"] and count["hashed"]:
                warnings.append(
                    f"{name}: {counted(count['hashed'], 'value')} came hashed and {count['raw']:,} did not;"
                    " each is treated as what it looks like"
                )
        return warnings


def _record_numbers(before: int, block: PackedBlock) -> Sequence[int]:
    """Number the rows of a block as records of the file; blank rows are not counted."""
    if not block.blank:
        return range(before + 1, before + 1 + block.rows)
    blank, records = set(block.blank), []
    for row in range(block.rows):
        before += row not in blank
        records.append(before)
    return records
