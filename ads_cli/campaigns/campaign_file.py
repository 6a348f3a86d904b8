"""What a file of campaigns says, and every mistake in it, with its line and path."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import ContentError
from ..output.text import Lines
from ..spelling import as_stored
from .model import Entry, FileProblem, content_of, each_entry, file_fields

ENCODINGS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
MAX_PROBLEMS = 100  # that are shown


@dataclass
class CampaignFile:
    """What a file says."""

    label: str
    account: str | None = None
    q: str | None = None
    identity: str = ""  # by which it is told from other files; empty where it is none
    is_whole: bool = False  # whether it has all campaigns of the account
    campaigns: list[Entry] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    content: bytes = b""
    value_names: dict[tuple[str, str], str] = field(default_factory=dict)  # of criteria, by type and value
    lined: "Callable[[], CampaignFile] | None" = None  # reads it again, with the lines of all records

    @property
    def text(self) -> str:
        """The content, in whichever encoding YAML allows."""
        mark, encoding = self._encoding
        return self.content[len(mark) :].decode(encoding)

    def encode(self, text: str) -> bytes:
        """Return a text as the file has it: in its encoding, with its byte order mark."""
        mark, encoding = self._encoding
        return mark + text.encode(encoding)

    @property
    def _encoding(self) -> tuple[bytes, str]:
        return next(
            (encoding for encoding in ENCODINGS if self.content.startswith(encoding[0])), (b"", "utf-8")
        )

    @property
    def may_prune(self) -> bool:
        """Whether campaigns that it does not have may be deleted."""
        return self.is_whole or self.q is not None

    def note(self, entry: Entry, text: str, field: str = "") -> None:
        """Note a mistake in a record, or in one of its fields."""
        self.find_lines()
        file_field = file_fields(entry.kind).get(field)
        path = f"{entry.path}.{file_field.key if file_field else field}" if field else entry.path
        self.problems.append(FileProblem(entry.line_of(field), path, text))

    def note_repeated(self) -> None:
        """Note records of one id, or of one key or content beside each other."""
        by_id: dict[str, Entry] = {}

        def check(siblings: list[Entry]) -> None:
            by_key: dict[Any, Entry] = {}
            for entry in siblings:
                if entry.id:
                    self._note_also(by_id.setdefault(entry.id, entry), entry, f"the id {entry.id}")
                if entry.kind.is_named:
                    mark: Any = entry.own_key or (None if entry.id else as_stored(entry.name or ""))
                    words = f"the {'key' if entry.own_key else 'name'} {mark!r}"
                else:
                    mark, words = (entry.kind, content_of(entry.kind, entry.values)), "it"
                if mark:
                    self._note_also(by_key.setdefault(mark, entry), entry, words)
                for inner in entry.below.values():
                    check(inner)

        check(self.campaigns)

    def _note_also(self, first: Entry, entry: Entry, words: str) -> None:
        if first is not entry:
            self.find_lines()
            hint = "; give each a key" if entry.kind.is_named and words.startswith("the name") else ""
            self.note(entry, f"{words} is also on line {first.line}{hint}")

    def find_lines(self) -> None:
        """Give records their places in the file, which is read without until something is said of one."""
        if self.lined:
            again = each_entry(self.lined().campaigns)
            for entry, same in zip(each_entry(self.campaigns), again, strict=True):
                entry.line, entry.column, entry.is_flow = same.line, same.column, same.is_flow
                entry.lines = same.lines
            self.lined = None

    def require_valid(self) -> None:
        """Raise ContentError with every problem."""
        if not self.problems:
            return
        ordered = sorted(dict.fromkeys(self.problems), key=lambda problem: problem.line)
        shown = [f"{self.label}:{problem.line}: {problem}" for problem in ordered[:MAX_PROBLEMS]]
        if (more := len(ordered) - MAX_PROBLEMS) > 0:
            shown.append(f"and {more:,} more")
        raise ContentError(
            Lines(shown),
            hint="nothing was sent; 'adsctl campaigns pull --example' shows what a file may have",
        )
