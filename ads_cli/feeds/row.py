"""A row of a feed, and the steps and fixes that change it before validation, in their order."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import msgspec

# Which rows with the same id are kept; "identical": one of equal ones.
DuplicatePolicy = Literal["first", "last", "identical"]


class AppliedFix(NamedTuple):
    """What a fix changed in a row."""

    fix: str  # its name
    field: str
    before: Any
    after: Any


class Row(msgspec.Struct, gc=False):
    """A record: its first line, its values by field, and why it could not be read, if so.

    Empty, blank and null values are left out. A column that is not a field keeps its name.
    """

    line: int
    values: dict[str, Any]
    problem: str = ""
    record: int = 0  # number in the file, from 1
    left_out: bool = False  # counted, neither validated nor sent
    changes: tuple[AppliedFix, ...] = ()
    # The values as read, by column, where steps change them: a dict for each row of an assembled product.
    raw: tuple[dict[str, Any], ...] = ()
    problem_rule: str = ""  # of `problem`, where it has a name
    has_signs: bool = False  # of spreadsheets or of HTML, so that its texts are looked at

    @property
    def unchanged(self) -> dict[str, Any]:
        """The values before they were changed, as far as changes were noted."""
        values = dict(self.values)
        for change in reversed(self.changes):
            values[change.field] = change.before
        return {field: value for field, value in values.items() if value is not None}


KeyOf = Callable[[str], str]  # the key in `Row.values` of a column, as the file names it, or of a field


class Step(msgspec.Struct, frozen=True):
    """Changes rows between reading and validation.

    Its fields are settings alone, since they are part of a job's identity, and worker processes get a copy.
    """

    option: ClassVar[str] = ""  # that it comes from, where it names columns
    follows_fixes: ClassVar[bool] = False  # whether it applies again to a row that a fix has changed

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns that it reads, as the file does, or fields."""
        return ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that it fills; later steps can read them."""
        return ()

    @property
    def leaves_out(self) -> bool:
        """Tell whether it may leave rows out."""
        return False

    def bound(self, key_of: KeyOf) -> "Step":
        """Return the step with the key in `Row.values` in place of each column."""
        return self

    def apply(self, row: Row) -> None:
        """Change `row.values` in place, or set `row.left_out`."""
        raise NotImplementedError


class ColumnStep(Step, frozen=True):
    """A step that reads one column."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the column."""
        return (self.column,)

    def bound(self, key_of: KeyOf) -> "ColumnStep":
        """Return the step with the key of the column."""
        return msgspec.structs.replace(self, column=key_of(self.column))


class RowFixes(Protocol):
    """Changes what breaks a rule; a Struct, as a step is."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name the fixes."""

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row, which may break no rule."""

    def fix_rules(self, row: Row) -> None:
        """Fix the values of a row that breaks a rule."""


class RowTransform:
    """The steps that change the rows of one feed, in their order, and its fixes. It can be pickled."""

    def __init__(
        self, steps: Sequence[Step] = (), keep: DuplicatePolicy | None = None, fixes: RowFixes | None = None
    ) -> None:
        self.steps = tuple(steps)
        self.keep = keep
        self.fixes = fixes
        self._bound = self.steps

    @property
    def columns(self) -> set[str]:
        """Name the columns that the steps read."""
        return {column for step in self.steps for column in step.columns}

    @property
    def fields(self) -> set[str]:
        """Name the fields that the steps fill."""
        return {field for step in self.steps for field in step.fields}

    @property
    def leaves_out(self) -> bool:
        """Tell whether rows may be left out."""
        return self.keep is not None or any(step.leaves_out for step in self.steps)

    @property
    def has_steps(self) -> bool:
        """Tell whether rows are changed before they are validated."""
        return bool(self.steps)

    def has_fix(self, name: str) -> bool:
        """Tell whether a fix is applied."""
        return self.fixes is not None and name in self.fixes.names

    @property
    def digest(self) -> str:
        """Return what identifies the steps and their settings; empty where rows stay as they are."""
        if not (self.steps or self.keep or self.fixes):
            return ""
        from hashlib import blake2b  # worker processes need none

        settings = [self.keep, self.fixes, *((type(step).__name__, step) for step in self.steps)]
        return blake2b(msgspec.json.encode(settings, order="deterministic"), digest_size=16).hexdigest()

    def bind(self, key_of: KeyOf) -> None:
        """Have each step read the key of a column that it names."""
        self._bound = tuple(step.bound(key_of) for step in self.steps)

    def apply(self, row: Row) -> None:
        """Change a row in place; one that could not be read stays as it is. `Completion` overrides it."""
        if not row.problem:
            for step in self._bound:
                step.apply(row)
                if row.left_out:
                    return

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row in place, which may break no rule."""
        if self.fixes:
            self.fixes.fix_texts(row)
            if row.changes:
                self._apply_again(row)

    def fix_rules(self, row: Row) -> bool:
        """Fix a row that breaks a rule, in place; tell whether anything was changed."""
        before = len(row.changes)
        if self.fixes:
            self.fixes.fix_rules(row)
        if len(row.changes) == before:
            return False
        self._apply_again(row)
        return True

    def _apply_again(self, row: Row) -> None:
        """Apply defaults again to what a fix has emptied, and complete them.

        `SeveralTransforms` overrides it.
        """
        for step in self._bound:
            if step.follows_fixes:
                step.apply(row)
