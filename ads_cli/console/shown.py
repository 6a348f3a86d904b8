"""What a command prints, declared beside the function that prints it.

    class JobRecord(TypedDict):
        job: str
        state: str

    JOBS = Result(JobRecord, "job")

    @shows(JOBS)
    def list_jobs(ctx: typer.Context) -> None: ...

`adsctl schema` and assistants describe the command by it.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Result(NamedTuple):
    """Records of one type, or one document."""

    # A TypedDict, whose fields are the columns unless `named` has others; a NamedTuple, a Struct, a declared
    # request for the records that it shows, or one of these as module:name, which is imported for a schema
    # alone; or the kind of a file.
    record: Any
    key: str = "id"  # the field that `-o ids` prints
    is_list: bool = True
    named: tuple[str, ...] = ()
    document: Any = None  # the type of what json and yaml have in place of the records
    is_open: bool = False  # whether a record may have more fields
    formats: tuple[str, ...] = ()  # those that it is printed in, where `-o` has not all of them

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of table, tsv, csv and xlsx."""
        return self.named or tuple(getattr(imported(self.record), "__annotations__", ()))


def imported(record: Any) -> Any:
    """Return the type of a record, which may be named as module:name."""
    if not (isinstance(record, str) and ":" in record):
        return record
    module, _, name = record.partition(":")
    return getattr(import_module(module), name)


def shows(*results: Result) -> Callable[[F], F]:
    """Declare what a command prints: one of `results`, by its options."""

    def declare(function: F) -> F:
        function.results = results  # type: ignore[attr-defined]
        return function

    return declare


def posts(document: Any) -> Callable[[F], F]:
    """Declare the type of the body that a command posts to an address of --post-to."""

    def declare(function: F) -> F:
        function.posted = document  # type: ignore[attr-defined]
        return function

    return declare
