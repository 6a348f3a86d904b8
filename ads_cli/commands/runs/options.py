"""The options of commands that read a feed or push it: declared once, and injected."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from ...api.names import WIRE_NAMES, neutral_name
from ...console.parameters import argument, flag, option
from ...errors import UsageError
from ...feeds import MAX_SHEET_ROWS
from ...feeds.registry import one_of, readable_formats
from ...numbers import parse_size
from ...output.text import quoted_word
from ...spelling import suggestion

if TYPE_CHECKING:
    from ...console.invocation import Invocation
    from ...feeds.locations import Location, RemoteAccess
    from ...feeds.rows import Rows
    from ...feeds.source import Feed, ReadOptions
    from ...runs.rejected_rows import FailedOut
    from .recipe import RecipeFile

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = one_of(map(str.upper, readable_formats()))
FILE_HELP = (
    f"{FORMATS}, also compressed; a path, - for standard input, https://, s3://, gs://, az:// or sftp://,"
    " or @NAME: the address in a variable"
)
File = Annotated[str, argument("FILE", FILE_HELP)]
Files = Annotated[list[str], argument("FILE...", f"{FILE_HELP}; several files and patterns are one feed")]
Lists = Annotated[list[str], argument("FILE...", f"{FILE_HELP}; several files and patterns are one list")]
Format = Annotated[
    str | None,
    option("FORMAT", f"{one_of(readable_formats())} (default: by extension)", offers=readable_formats()),
]
Recipe = Annotated[
    str | None, option("FILE", "Read the options of a feed from this file; those typed outrank it")
]
RecipeDraft = Annotated[
    str | None, option("FILE", "Write the options that make rows valid here, for --recipe", "--write-recipe")
]
Resume = Annotated[bool, flag("Resume the last unfinished run with this file")]
Strict = Annotated[bool, flag("Treat warnings about rows as errors")]


class ColumnMapping(dict[str, str]):
    """Fields by columns: what --map names, or else the neutral name of a column that has a wire name."""

    def get(self, column: str, default: Any = None) -> Any:
        """Return the field that a column is read as."""
        return super().get(column) or (neutral_name(column) if column in WIRE_NAMES else default)


class FeedOptions(msgspec.Struct, frozen=True):
    """How a file is read."""

    format: Format = None
    encoding: Annotated[
        str, option("NAME", "Encoding of the file, as in cp1252; cp1252! if it is UTF-8 too")
    ] = "utf-8"
    map: Annotated[list[str] | None, option("COLUMN=FIELD", "Read a column as another field")] = None
    record: Annotated[str | None, option("NAME", "The element of XML that is a record, as in product")] = None
    max_size: Annotated[str, option("SIZE", "Largest file to download, as in 500MB or 10GiB")] = "2GiB"
    sheet: Annotated[str | None, option("NAME", "The sheet of a workbook: its name, or its number")] = None
    max_rows: Annotated[int, option("N", "Rows of a workbook, which is loaded as a whole", min=1)] = (
        MAX_SHEET_ROWS
    )

    def open_rows(
        self, call: "Invocation", file: str, roots: tuple[str, ...], known: Collection[str]
    ) -> "Rows":
        """Open a file; `roots` may be the only key of a document, `known` are its fields."""
        mapping = self.mapping(known)
        return self.reader(call, file, roots, known)(mapping)

    def reader(
        self, call: "Invocation", file: "str | Location", roots: tuple[str, ...], known: Collection[str]
    ) -> "Callable[[Mapping[str, str]], Rows]":
        """Open a file, and return what reads its columns under the names that a mapping gives them."""
        from ...feeds.reader import open_source, read_rows

        access = self.access(call)
        source = open_source(file, self.format, self.encoding, options=self.read_options, access=access)
        return lambda mapping: read_rows(source, roots=roots, known=known, rename=mapping)

    @property
    def read_options(self) -> "ReadOptions":
        """Return what is said about files of certain formats."""
        from ...feeds.source import ReadOptions

        return ReadOptions(self.record, self.sheet, self.max_rows, self.format)

    def access(self, call: "Invocation") -> "Callable[[], RemoteAccess]":
        """Return what makes the access to remote feeds, for which more must be imported."""
        return functools.partial(call.remote_access, parse_size(self.max_size, "--max-size"))

    def mapping(self, known: Collection[str]) -> dict[str, str]:
        """Parse --map; raise UsageError where a field is not known."""
        mapping = ColumnMapping()
        for pair in self.map or []:
            column, _, name = pair.rpartition("=")
            if not column.strip():
                hint = "as in --map image_url=image_link"
                raise UsageError(f"--map: {pair!r} is not COLUMN=FIELD", hint=hint)
            name = neutral_name(name)
            if len(pairs := pair.split(",")) > 1 and all(_maps_to(known, one) for one in pairs):
                hint = " ".join(f"--map {quoted_word(one.strip())}" for one in pairs)
                raise UsageError("--map: takes one column; repeat it for others", hint=hint)
            if name not in known:
                raise UsageError(f"--map: {name!r} is not a known field{suggestion(name, known)}")
            column = column.strip()
            if (other := mapping.setdefault(column, name)) != name:
                raise UsageError(
                    f"--map: {column!r} is to be read as {other!r} and as {name!r}",
                    hint=f"name one of them; of products --set '{name}={{{column}}}' fills the other",
                )
        return mapping


def _maps_to(known: Collection[str], pair: str) -> bool:
    column, _, name = pair.rpartition("=")
    return bool(column) and neutral_name(name.strip()) in known


class RejectedOptions(msgspec.Struct, frozen=True):
    """Where rejected rows are written."""

    failed_out: Annotated[str | None, option("FILE", "Write rejected rows here, with _line and _error")] = (
        None
    )
    force: Annotated[bool, flag("Replace an existing file, whatever it holds")] = False

    @property
    def failed_out_file(self) -> "FailedOut | None":
        """Return the file of rejected rows, if one is named."""
        from ...runs.rejected_rows import FailedOut

        return FailedOut(self.failed_out, self.force) if self.failed_out else None


class SendOptions(RejectedOptions, frozen=True):
    """How batches are sent."""

    concurrency: Annotated[int, option("N", "Requests at once, at most", min=1, max=32)] = 8
    max_errors: Annotated[int | None, option("N", "Stop after N rejected rows", min=1)] = None
    resume: Resume = False


class PushOptions(SendOptions, frozen=True):
    """How a push treats invalid rows, and which job it resumes."""

    skip_invalid: Annotated[bool, flag("Send the valid rows, and end with 9")] = False
    job: Annotated[str | None, option("ID", "Resume this job")] = None


def recipe_file(call: "Invocation", path: str | None, feed: "Feed", *, force: bool) -> "RecipeFile | None":
    """Return the file of --write-recipe, if one is named; ask before an existing file is replaced."""
    if path is None:
        return None
    from .recipe import RecipeFile

    out = RecipeFile(path)
    out.check_differs(feed)
    out.confirm(call, force=force)
    return out


class ShownOptions(msgspec.Struct, frozen=True):
    """Which records of this machine are listed, and in which order."""

    where: Annotated[
        list[str] | None,
        option("CONDITION", "The records for which this holds, as in 'failed>0'; may be repeated"),
    ] = None
    sort: Annotated[
        str | None, option("[-]FIELD", "Sort the records by this field, as in -rows: largest first")
    ] = None

    def applied(
        self, records: Sequence[Mapping[str, Any]], columns: Sequence[str], noun: str, key: str
    ) -> Sequence[Mapping[str, Any]]:
        """Return the records that are shown; raise UsageError."""
        if not (self.where or self.sort):
            return records
        from ...console.conditions import Conditions, Narrowing, RecordFields

        conditions = Conditions.parse(RecordFields(noun, columns, key), self.where or ())
        return [*Narrowing(conditions, self.sort).applied(records)]

    def show(
        self,
        call: "Invocation",
        records: Sequence[Mapping[str, Any]],
        columns: Sequence[str],
        noun: str,
        key: str,
        *,
        asked: Sequence[str] = (),
    ) -> None:
        """Print the records that are shown, with the `asked` columns in any case; raise UsageError."""
        call.printer.noun = noun
        call.printer.show(self.applied(records, columns, noun, key), columns, key, asked=asked)


class PageOptions(msgspec.Struct, frozen=True):
    """Where a page about the run is written."""

    report: Annotated[str | None, option("FILE.html", "Write a page about this run here, for a browser")] = (
        None
    )


def with_options(
    *, default_concurrency: int | None = None, **groups: type[msgspec.Struct]
) -> Callable[[F], F]:
    """Replace parameters of a command by the options of their groups.

    A group is a Struct whose fields are annotated as Typer options; the command receives an instance.
    """

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def run(**values: Any) -> Any:
            filled: AbstractContextManager[dict[str, Any]] = nullcontext(values)
            if "recipe" in values:
                from .recipe import with_recipe

                filled = with_recipe(values["ctx"], values)
            with filled as values:
                for name, group in groups.items():
                    values[name] = group(**{field: values.pop(field) for field in group.__struct_fields__})
                return command(**values)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command).parameters.values():
            group = groups.get(parameter.name)
            parameters += inspect.signature(group).parameters.values() if group else [parameter]
        keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
        if default_concurrency:
            keyword = [
                p.replace(default=default_concurrency) if p.name == "concurrency" else p for p in keyword
            ]
        run.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in keyword}
        return run  # type: ignore[return-value]

    return decorate
