"""A connection of a program to an advertising account: each method runs a command in this process."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, cast, overload

from ..config.settings import Settings
from ..console.options import CommandLine, words_of
from ..errors import (
    AdsctlError,
    ContentError,
    IncompleteError,
    NotConfirmedError,
    NotFoundError,
    ReportedError,
    StateError,
    UsageError,
)
from .results import Plan, PushResult, Record, Rows, push_result, unsent_result

if TYPE_CHECKING:
    from .host import CallHost, OnProgress
    from .resources import GetResource, ListResource

Confirm = bool | Callable[[str], object]
File = str | os.PathLike[str]
PLAN_FILE = "plan.json"
NOT_CONFIRMED_HINT = "pass confirm=True, or a function that gets the question and returns whether to go on"


def connect(
    profile: str | None = None,
    account: str | None = None,
    *,
    sandbox: bool = False,
    catalog: str | None = None,
    service: str | None = None,
    env_file: File | None = None,
    timeout: str | None = None,
    max_attempts: int | None = None,
    max_wait: str | None = None,
    confirm: Confirm = False,
) -> "Connection":
    """Return a connection for `with`; the parameters are the options of every command.

    The environment and the profile in use are read here, and hold until the connection is closed. `confirm`
    answers what a command would ask: True, or a function that gets the question. No request is sent yet.
    """
    place: dict[str, Any] = {"profile": profile, "account": account, "sandbox": sandbox, "catalog": catalog}
    place |= {"service": service, "env_file": env_file and os.fspath(env_file)}
    place |= {"timeout": timeout, "max_attempts": max_attempts, "max_wait": max_wait}
    return Connection(place, confirm)


class Sending(Protocol):
    """How `push` and `sync` are called: a list of people is named."""

    @overload
    def __call__(
        self,
        resource: Literal["products"],
        /,
        *files: File,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> PushResult: ...

    @overload
    def __call__(
        self,
        resource: Literal["audiences"],
        /,
        *files: File,
        audience: str,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> PushResult: ...

    @overload
    def __call__(
        self,
        resource: Literal["audiences do-not-reach"],
        /,
        *files: File,
        list: str,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> PushResult: ...


def _sending(method: Callable[..., PushResult]) -> Sending:
    return cast(Sending, method)


class Connection:
    """Runs commands under one profile, with the checks, guard, log, locks and limits that they have anywhere.

    Any thread may use it. A call raises an AdsctlError, and prints nothing. Use it as a context manager: it
    is closed at the end of the block. A fork of the process must not use it.
    """

    def __init__(self, place: dict[str, Any], confirm: Confirm) -> None:
        from .host import Shared

        given = {name: value for name, value in place.items() if value not in (None, False)}
        self._place = words_of(given, place)
        if CommandLine(self._place).names_profiles:
            raise UsageError(f"profile: {given['profile']!r} is several", hint="connect to each of them")
        environ = dict(os.environ)
        settings = Settings(given, environ)
        environ["ADSCTL_PROFILE"] = settings.profile  # whatever `profile use` does meanwhile
        self._state_dir = settings.state_dir
        self._shared, self._confirm = Shared(environ), confirm
        self._is_closed = False

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close what is open; further calls raise StateError. What other threads have begun goes on."""
        if self._is_closed:
            return
        self._is_closed = True
        self._shared.close()
        from ..store import store_in

        store_in(self._state_dir).close()

    def list(
        self, resource: "ListResource", /, *, limit: int | None = None, **options: Any
    ) -> Iterator[Record]:
        """Yield the records of a list, page by page as they are taken; `limit` ends it earlier."""
        from .command_words import is_paged

        command = f"{resource} list"
        if limit is not None:
            options["limit"] = limit
        elif is_paged(command):
            options.setdefault("all", True)
        host, line = self._prepared(command, (), options)
        host.is_lazy = is_paged(command)
        return self._records(host, line)

    def get(self, resource: "GetResource", /, id: object = None, **options: Any) -> Record:
        """Return a record by its id, or the only one; raise NotFoundError where there is none."""
        arguments = () if id is None else (id,)
        rows = self.call(f"{resource} get", *arguments, **options)
        if not rows:
            raise NotFoundError(f"there is no such record of {resource}")
        return rows[0]

    def call(
        self,
        command: str,
        /,
        *arguments: object,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> Rows:
        """Run any command by its name, as in `call("campaigns update", id="8yxb2", name="Spring")`.

        Keywords are its options with underscores, lists of values are lists. Raises UsageError for one that
        needs a terminal, or runs until it is stopped.
        """
        host, line = self._prepared(command, arguments, options, confirm, progress)
        with self._running(host, line) as code:
            return host.rows(code)

    def stats(self, *, progress: "OnProgress | None" = None, **options: Any) -> Rows:
        """Return what ads cost and brought, a row for each entity and time: `adsctl stats get`."""
        return self.call("stats get", progress=progress, **options)

    @_sending
    def push(
        self,
        resource: str,
        /,
        *files: File,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> PushResult:
        """Send the rows of files: `adsctl products push`. Rejected rows are in the result.

        Raises the error of what stops it early; `resume=True` sends the rest.
        """
        return self._pushed(f"{resource} push", files, confirm, progress, options)

    @_sending
    def sync(
        self,
        resource: str,
        /,
        *files: File,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> PushResult:
        """Make a catalog or a list what files say: `adsctl products sync`. Otherwise it is like `push`."""
        return self._pushed(f"{resource} sync", files, confirm, progress, options)

    def plan(self, file: File, *, progress: "OnProgress | None" = None, **options: Any) -> Plan:
        """Return what differs between a file of campaigns and the account; change nothing."""
        with TemporaryDirectory() as folder:
            out = Path(folder, PLAN_FILE)
            changes = self.call("campaigns plan", file, progress=progress, out=out, **options)
            return Plan(os.fspath(file), changes, out.read_bytes())

    def apply(
        self,
        plan: Plan | File,
        *,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> Rows:
        """Carry out a plan, or what differs by now from a file of campaigns; return the changes.

        A plan is refused with NotConfirmedError where what it touches has changed since.
        """
        with ExitStack() as stack:
            if isinstance(plan, Plan):
                file: File = Path(stack.enter_context(TemporaryDirectory()), PLAN_FILE)
                Path(file).write_bytes(plan.content)
            else:
                file = plan
            return self.call("campaigns apply", file, confirm=confirm, progress=progress, **options)

    def upload(
        self,
        *files: File,
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
        **options: Any,
    ) -> Rows:
        """Upload images and videos to the library of the account, once: `adsctl media upload`."""
        return self.call("media upload", *files, confirm=confirm, progress=progress, **options)

    def _require_open(self) -> None:
        if self._is_closed:
            raise StateError("the connection is closed", hint="use it inside its with block")

    def _prepared(
        self,
        command: str,
        arguments: Iterable[object],
        options: Mapping[str, Any],
        confirm: Confirm | None = None,
        progress: "OnProgress | None" = None,
    ) -> tuple["CallHost", CommandLine]:
        """Return a command line, and the host that it is to run in."""
        from .command_words import command_words
        from .host import CallHost

        self._require_open()
        answer = self._confirm if confirm is None else confirm
        words = command_words(command, arguments, options)
        line = CommandLine([*self._place, *(["--yes"] if answer is True else []), *words])
        host = line.host = CallHost(self._shared, line.mask, progress)

        def require_yes(question: str) -> None:
            if not (callable(answer) and host.run(answer, question)):
                raise NotConfirmedError(f"not confirmed: {question}", hint=NOT_CONFIRMED_HINT)

        line.answer = require_yes
        return host, line

    @contextmanager
    def _running(self, host: "CallHost", line: CommandLine) -> Iterator[int]:
        """Run a command; the block takes what it gives. Raises its error, which has that too."""
        from ..cli.error_boundary import as_error
        from ..cli.tree import invoke, running

        try:
            with running(line):
                yield invoke(line)
        except Exception as error:
            with suppress(AdsctlError):
                line.resources.close()
            if error is host.own_error:
                raise
            ours = error if isinstance(error, ReportedError) else as_error(error, line)
            self._complete(ours, host, line)
            if ours is error:
                raise
            raise ours from error
        except BaseException:
            with suppress(AdsctlError):
                line.resources.close()
            raise
        line.resources.close()

    @staticmethod
    def _complete(error: ReportedError, host: "CallHost", line: CommandLine) -> None:
        """Mask an error, and tell with it what the command has given before, and what to do next."""
        error.message, error.hint = line.mask(error.message), line.mask(error.hint)
        error.result = host.rows()
        if line.result and isinstance(error, AdsctlError):
            error.result = push_result(line.result, error)
        elif line.report and isinstance(error, ContentError):
            error.result = unsent_result(line.report, error)
        if error.hint:
            error.add_note(f"hint: {error.hint}")

    def _records(self, host: "CallHost", line: CommandLine) -> Iterator[Record]:
        """Run a list, and yield its records as they are read."""
        with self._running(host, line):
            for record in host.records:
                yield record
                self._require_open()

    def _pushed(
        self,
        command: str,
        files: Iterable[File],
        confirm: Confirm | None,
        progress: "OnProgress | None",
        options: Mapping[str, Any],
    ) -> PushResult:
        """Run a push; an error of rows alone is that of its result."""
        if options.get("dry_run"):
            hint = f"ads.call({command!r}, ..., dry_run=True) gives what would be sent"
            raise UsageError("dry_run: nothing is sent, and there is no result", hint=hint)
        host, line = self._prepared(command, files, options, confirm, progress)
        try:
            with self._running(host, line):
                pass
        except IncompleteError as error:
            if not (line.result and line.result.is_complete):
                raise
            return push_result(line.result, error)
        assert line.result
        return push_result(line.result, None)
