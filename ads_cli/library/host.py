"""The host of a command that a program calls: it takes results and messages, and prints nothing."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import IO, Any, TypeVar

from ..console.host import Host
from ..output import Presentation, Progress, ResultShape
from ..output.messages import Messages
from ..output.printer import Printer
from ..output.text import safe_lines
from .results import Record, Rows

T = TypeVar("T")
OnProgress = Callable[[Progress], object]

LOGGER = logging.getLogger("ads_cli")
LOGGER.addHandler(logging.NullHandler())  # else Python prints warnings where a program has set up no logging


class Shared:
    """What the calls of a connection share: its environment, and what they have opened."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self._lock = threading.RLock()
        self._opened: dict[str, Any] = {}

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Return what has a name; make it where there is nothing of this name yet."""
        with self._lock:
            if name not in self._opened:
                self._opened[name] = make()
            opened: T = self._opened[name]
            return opened

    def close(self) -> None:
        """Close what is open. A call that runs in another thread keeps what it uses."""
        with self._lock:
            opened, self._opened = self._opened, {}
        for value in opened.values():
            if close := getattr(value, "close", None):
                close()


class CallHost(Host):
    """The host of one call."""

    presentation = Presentation("json", "never")  # whole records
    keeps = True
    is_terminal = False

    def __init__(self, shared: Shared, mask: Callable[[str], str], on_progress: OnProgress | None) -> None:
        self.environ, self.mask = shared.environ, mask
        self.keep = shared.keep  # type: ignore[method-assign]
        self.is_lazy = False  # whether a list is read when its records are taken, after the command has ended
        self.records: Iterable[Record] = ()
        self.columns: tuple[str, ...] = ()
        self.warnings: list[str] = []
        self.own_error: BaseException | None = None  # of a function of the program
        self._on_progress, self._text = on_progress, StringIO()

    @property
    def out(self) -> IO[str]:
        """Where texts are printed that are no records."""
        return self._text

    def messages(self, presentation: Presentation) -> Messages:
        """Make what logs messages."""
        return _LoggedMessages(self, presentation)

    def printer(self, presentation: Presentation, **options: Any) -> Printer:
        """Make what takes results."""
        return _TakenResults(self, presentation, **options)

    def rows(self, exit_code: int = 0) -> Rows:
        """Return what the command has given."""
        text, warnings = self._text.getvalue(), self.warnings
        records = () if self.is_lazy else self.records
        return Rows(records, self.columns, text=text, warnings=warnings, exit_code=exit_code)

    def take(self, records: Iterable[Record], shape: ResultShape) -> None:
        """Take records that a command shows."""
        if not self.is_lazy:
            records = [*self.records, *records]
        self.records, self.columns = records, shape.columns

    def tell(self, progress: Progress) -> None:
        """Tell the program of progress."""
        if self._on_progress:
            self.run(self._on_progress, progress)

    def run(self, function: Callable[[T], object], value: T) -> object:
        """Call a function of the program, whose error is not one of ours."""
        try:
            return function(value)
        except BaseException as error:
            self.own_error = error
            raise


class _TakenResults(Printer):
    """Hands results over as records, whose fields have the names of options."""

    def __init__(self, host: CallHost, presentation: Presentation, **options: Any) -> None:
        super().__init__(host.out, presentation, **options)
        self._host = host

    @property
    def streams(self) -> bool:
        """Records are taken one by one."""
        return True

    def show(
        self,
        document: Any,
        columns: Sequence[str],
        key: str,
        others: Sequence[str] = (),
        *,
        asked: Sequence[str] = (),
    ) -> None:
        """Take the records of a document, or the only one that it is."""
        records = document if isinstance(document, list) else [document]
        self.show_records(records, columns, key, others, asked=asked)

    def show_records(
        self,
        records: Iterable[Any],
        columns: Sequence[str],
        key: str,
        others: Sequence[str] = (),
        *,
        asked: Sequence[str] = (),
        is_one: bool = False,
    ) -> None:
        """Take records; a plain value in place of one is its id."""
        names, shape = self._names(), ResultShape(tuple(columns), key, tuple(others), tuple(asked))
        self._note_shape(shape)
        named = (record if isinstance(record, dict) else {key: record} for record in records)
        self._host.take(map(names.to_neutral, named), shape)


LEVELS = {"warning": logging.WARNING, "error": logging.ERROR}


class _LoggedMessages(Messages):
    """Hands messages over to the logger `ads_cli`: warnings, and the rest as information."""

    def __init__(self, host: CallHost, presentation: Presentation) -> None:
        super().__init__(presentation)
        self._host = host
        self.on_progress = host.tell

    def draw(self, lines: Iterable[str]) -> None:
        """Leave out what is drawn."""

    def show(self, text: str) -> None:
        """Log a detail."""
        LOGGER.debug("%s", self._host.mask(safe_lines(text)))

    def write(self, label: str, text: str) -> None:
        """Log a message, and keep a warning for the result."""
        shown = self._host.mask(safe_lines(text))
        if label == "warning":
            self._host.warnings.append(shown)
        LOGGER.log(LEVELS.get(label, logging.INFO), "%s", shown)
