"""A list of people, checked and packed in one reading, and packed again to be sent."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from ..api.validation import Problem
from ..errors import ContentError
from ..feeds.rows import Row, Rows, TableRows
from ..output.text import counted
from ..uploads.upload import Batch, Batches
from ..validation.report import ValidationReport
from ..validation.row_validator import Checked
from ..validation.validator import UnreadableError, Validator
from .blocks import PackedBlock, Table, pack_block
from .operation_params import FIELDS
from .operations import Operations, batches
from .packing import Packed, Packing, Purpose, pack
from .rows import KEYS, UserRows

if TYPE_CHECKING:
    from .upload import UserUpload

ROWS = 5000  # of other formats
# Packed rows, the number of each one's record, and the lines of those that are wrong.
Part = tuple[Packed, Sequence[int], dict[int, int]]


class UserValidator(Validator):
    """Checks and packs a list of people; no message holds a value of it."""

    block = 512 * 1024  # bytes of a table that are packed at once
    upload: type["UserUpload"]  # type: ignore[assignment]

    def __init__(self, rows: Rows, upload: "UserUpload", *, rehearsal: bool = False) -> None:
        super().__init__(UserRows(rows), type(upload))  # type: ignore[arg-type]
        rows.sensitive = True
        self._plain = rows
        self._table = rows.table
        self._heads, self._packing = upload.heads, upload.packing
        self._purpose = Purpose.REHEARSE if rehearsal else Purpose.CHECK
        self._raw: Counter[str] = Counter()
        self._hashed: Counter[str] = Counter()
        self._batch_count = 0

    def run(self, tick: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read everything, say what is wrong, and count the requests that the rest will take."""
        self.findings, self._tick = ValidationReport(), tick
        self._batch_count = sum(1 for _ in batches(self._operations(self._purpose)))
        if not self.findings.rows:
            raise ContentError(f"{self.rows.source.label}: no row of people in it")
        self.findings.warnings = [*self._plain.notes, *self._remarks()]
        return self.findings

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Count the values of each kind: how many came raw, and how many hashed."""
        return {
            key: {"raw": self._raw[key], "hashed": self._hashed[key]}
            for key in KEYS
            if self._raw[key] or self._hashed[key]
        }

    @property
    def mixes_heads(self) -> bool:
        """Tell whether rows say by themselves what is to be done with them."""
        return bool(set(FIELDS) & set(self.rows.fields))

    @property
    def batch_count(self) -> int:
        """Count the batches of a file that was checked."""
        return self._batch_count

    @staticmethod
    def begun(threads: int) -> int:
        """Say how many batches may be under way or wait for a thread: few, since each has 5 MB."""
        return threads + 1

    def rehearsal(self) -> Iterable[Batch]:
        """Give one batch without anybody in it: the check has packed all others already."""
        return [Batch(0, [])][: self._batch_count]

    def batches(self) -> Batches:
        """Read the file again, and cut it into batches, the same ones each time."""
        for number, operations in enumerate(batches(self._operations(Purpose.SEND))):
            yield Batch(number, operations)

    def __iter__(self) -> Iterator[Checked]:
        """Read the file again, and check each row by itself."""
        packing = self._packing._replace(purpose=Purpose.CHECK)
        for some in self._some():
            packed = self._packed(some, packing)
            for number, row in enumerate(some):
                yield Checked(row, None, [Problem(*each) for each in packed.problems.get(number, [])])

    def again(self) -> Iterator[Checked]:
        """Check all of them once more."""
        return iter(self)

    def _operations(self, purpose: Purpose) -> Iterator[Operations]:
        """Read the file, and give its operations, with the numbers of their records."""
        packing = self._packing._replace(purpose=purpose)
        parts = self._of_table(packing) if self._table else self._of_documents(packing)
        for packed, numbers, lines in parts:
            if purpose is self._purpose:
                self._note(packed, numbers, lines)
            for some in packed.operations:
                if some:
                    yield some.numbered(numbers)

    def _of_table(self, packing: Packing) -> Iterator[Part]:
        """Pack a table block by block."""
        before = 0
        try:
            for block, done in self.by_blocks(packing):
                numbers = _numbers(before, done)
                before += done.rows - len(done.blank)
                yield done.packed, numbers, {row: block.line + at for row, at in done.lines.items()}
        except UnreadableError:
            self._explain()

    def work(self, rows: TableRows) -> Callable[..., PackedBlock | None]:
        """Have the rows of a block packed."""
        fields = tuple(name if name in self.upload.known else "" for name in rows.cell_fields)
        return partial(pack_block, Table(rows.delimiter, fields, self._heads))

    def _of_documents(self, packing: Packing) -> Iterator[Part]:
        """Pack records as they are read."""
        for some in self._some():
            lines = {number: row.line for number, row in enumerate(some)}
            yield self._packed(some, packing), [row.record for row in some], lines

    def _some(self) -> Iterator[list[Row]]:
        rows = iter(self.rows)
        while some := list(islice(rows, ROWS)):
            yield some

    def _packed(self, rows: list[Row], packing: Packing) -> Packed:
        """Pack rows that were read one by one."""
        names = dict.fromkeys(name for row in rows for name in row.values if name in self.upload.known)
        columns: dict[str, Any] = {name: [row.values.get(name, "") for row in rows] for name in names}
        wrong = {number: [("", row.problem)] for number, row in enumerate(rows) if row.problem}
        heads, wrong_heads = self._heads.of(columns, len(rows))
        columns = columns or {self.upload.keys[0]: [""] * len(rows)}
        for number, problems in wrong_heads.items():
            wrong.setdefault(number, []).extend(problems)
        return pack(columns, heads, packing, wrong)

    def _note(self, packed: Packed, numbers: Sequence[int], lines: dict[int, int]) -> None:
        """Note what is wrong, and what there is."""
        for row, problems in sorted(packed.problems.items()):
            place = Row(lines.get(row, 0), {}, record=numbers[row])
            self.findings.add(place, [Problem(*problem) for problem in problems])
        self._raw += packed.raw
        self._hashed += packed.hashed
        self.findings.rows = numbers[-1] if numbers else self.findings.rows
        self._tick(self.findings.rows)

    def _explain(self) -> NoReturn:
        """Read line by line what could not be packed: that tells where it is wrong."""
        for _ in self._plain:
            pass
        raise ContentError(f"{self.rows.source.label} cannot be read as {self._plain.source.format.name}")

    def _demand_columns(self) -> None:
        """Refuse a table that names no identifier; a header may be a person, and is not repeated."""
        if not set(self.upload.keys) & set(self._plain.fields):
            raise ContentError(
                f"{self.rows.source.label}: the first line names no identifier",
                hint=f"it must name columns: {', '.join(self.upload.keys)}; or --map 'Your column=email'",
            )

    def _remarks(self) -> list[str]:
        """Say how columns were understood, and what is odd about their values."""
        rows, remarks = self._plain, []
        for column, name in zip(rows.columns, rows.fields, strict=True):
            if name in self.upload.known and column != name and not dict.__contains__(rows.rename, column):
                remarks.append(f"the column {column!r} is read as {name}")
        remarks += self._unknown_columns()
        for key, came in self.counts.items():
            if came["raw"] and came["hashed"]:
                remarks.append(
                    f"{key}: {counted(came['hashed'], 'value')} came hashed and {came['raw']:,} did not;"
                    " each is taken for what it looks like"
                )
        return remarks


def _numbers(before: int, block: PackedBlock) -> Sequence[int]:
    """Number the records of a block; blank rows are none."""
    if not block.blank:
        return range(before + 1, before + 1 + block.rows)
    blank, numbers = set(block.blank), []
    for row in range(block.rows):
        before += row not in blank
        numbers.append(before)
    return numbers
