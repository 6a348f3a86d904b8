"""--report: the page about files of media."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...console.invocation import Invocation
from ...console.output_file import RunReport, failure_details, time_made
from ...errors import AdsctlError, ContentError
from ...media.upload import Status
from ...numbers import size_text
from ...output.text import counted, listed
from ...report import (
    Badge,
    Cell,
    Column,
    Level,
    MediaType,
    Picture,
    ReportPage,
    ReportTable,
    Section,
    Tally,
    Thumbnail,
    web_address,
)
from .files import CheckedMedia, CheckResult, MediaFile

NAMED_FILES = 3  # the most that a title or a note names
# Types that browsers show.
PICTURE_TYPES: tuple[MediaType, ...] = ("image/png", "image/jpeg", "image/gif", "image/webp")
PICTURE_BYTES, PICTURES_BYTES = 256 * 1024, 2 * 1024 * 1024  # of a picture inside a page, and of all
LEVELS: dict[Status, Level] = {
    "valid": "good",
    "invalid": "error",
    "not sent": "neutral",
    "failed": "error",
    "uploaded": "good",
    "unchanged": "good",
}
TALLIED_APART: tuple[Status, ...] = ("valid", "invalid")
OF_UPLOADS: frozenset[Status] = frozenset(("failed", "uploaded", "unchanged"))  # where one was begun


class MediaReport(RunReport):
    """The page about files; `verb` is what the run was to do with them."""

    def __init__(
        self, call: Invocation, name: str | None, files: list[MediaFile], verb: str, *, force: bool
    ) -> None:
        super().__init__(call, name, listed([file.label for file in files], NAMED_FILES), force=force)
        self._verb, self._total = verb, len(files)
        self._checked: list[CheckedMedia] = []
        self._unopened: list[AdsctlError] = []

    def add(self, result: CheckResult) -> None:
        """Add files that were checked; the run notes in them what becomes of them."""
        self._checked += result.checked
        self._unopened += result.unopened

    def page(self) -> ReportPage:
        """Return the page about the run."""
        error = self.error
        counts = Counter(each.status for each in self._checked)
        invalid = counts["invalid"]
        warned = sum(each.is_valid and bool(each.findings) for each in self._checked)
        in_headline = isinstance(error, ContentError) and bool(invalid)
        return ReportPage(
            title=self.subject,
            level="error" if error or invalid else "warning" if warned else "good",
            headline=self._headline(counts),
            details=[*failure_details(error, in_headline=in_headline)],
            facts=[
                time_made(),
                *([] if self._verb == "checked" else [("Profile", self.call.settings.profile)]),
            ],
            tallies=[
                Tally("files", self._total),
                Tally("with errors", invalid, "error" if invalid else "neutral"),
                *([Tally("with warnings", warned, "warning")] if warned else []),
                *(
                    Tally(status, count, LEVELS[status])
                    for status, count in counts.items()
                    if status not in TALLIED_APART
                ),
            ],
            sections=[*self._sections()],
        )

    def _headline(self, counts: Counter[Status]) -> str:
        total, invalid = self._total, counts["invalid"]
        if not OF_UPLOADS.isdisjoint(counts):
            done = ", ".join(f"{count:,} {status}" for status, count in counts.items())
            refused = len(self._refused)
            left = f"; {refused:,} not uploaded" if refused else ""
            return f"{counted(total, 'file')}: {done}{left}"
        if invalid:
            have = "breaks a rule" if invalid == 1 else "break rules"
            nothing = "" if self._verb == "checked" else "Nothing was uploaded: "
            return f"{nothing}{invalid:,} of {counted(total, 'file')} {have}"
        if self.error:
            return f"The files were not all {self._verb}"
        return "The file breaks no rule" if total == 1 else f"None of {counted(total, 'file')} breaks a rule"

    @property
    def _refused(self) -> list[CheckedMedia]:
        return [each for each in self._checked if each.refusal]

    def _sections(self) -> Iterator[Section]:
        wrong: list[list[Cell]] = []
        for each in self._checked:
            for finding in each.findings:
                severity = Badge(finding.severity, finding.severity)
                wrong.append([each.file.label, severity, finding.words, finding.hint, finding.rule])
        if wrong:
            names = ("File", "Severity", "What is wrong", "What to do", "Rule")
            table = ReportTable("Rules that files break", [*map(Column, names)], wrong, "finding")
            yield Section("What is wrong", [table])
        if self._unopened:
            columns = [Column("What happened"), Column("What to do")]
            unread: list[list[Cell]] = [[error.message, error.hint] for error in self._unopened]
            unopened = ReportTable("Files that cannot be opened", columns, unread, "file")
            yield Section("Not opened", [unopened])
        if self._refused:
            columns = [Column("File"), Column("Why")]
            refused: list[list[Cell]] = [[each.file.label, each.refusal] for each in self._refused]
            yield Section("Not uploaded", [ReportTable("Files", columns, refused, "file")])
        if self._checked:
            yield Section("All files", [self._files()])

    def _files(self) -> ReportTable:
        """List the files, with small pictures of images."""
        infos = [each.info for each in self._checked]
        columns: list[tuple[Column, Sequence[Cell]]] = [
            (Column("File"), [each.file.label for each in self._checked]),
            (Column("Status"), [Badge(each.status, LEVELS[each.status]) for each in self._checked]),
            (Column("Type"), [info.type or info.format or "unknown" for info in infos]),
            (Column("Size"), [size_text(info.bytes) for info in infos]),
            (Column("Pixels"), [f"{info.width}x{info.height}" if info.width else "" for info in infos]),
            (Column("Seconds"), [f"{info.seconds:.1f}" if info.seconds else "" for info in infos]),
        ]
        if any(pictures := self._pictures()):
            is_inside = any(isinstance(picture, Thumbnail) for picture in pictures)
            columns.insert(0, (Column("Picture", "text" if is_inside else "picture"), pictures))
        if any(keys := [(each.media or {}).get("media_key") or "" for each in self._checked]):
            columns.append((Column("Media key"), keys))
        rows = zip(*(cells for _, cells in columns), strict=True)
        return ReportTable("Files", [column for column, _ in columns], [[*row] for row in rows], "file")

    def _pictures(self) -> list[Cell]:
        """Return a picture of each file: small local images themselves, as many as a page has room for."""
        pictures: list[Cell] = []
        left = PICTURES_BYTES
        for each in self._checked:
            info, content = each.info, b""
            shown = next((type for type in PICTURE_TYPES if type == info.type), None)
            if shown and not info.damage and info.bytes <= min(left, PICTURE_BYTES):
                content = each.file.local_content(PICTURE_BYTES)
            if shown and content:
                left -= len(content)
                pictures.append(Thumbnail(shown, content))
            elif address := web_address(each.file.label) if info.kind == "image" else "":
                pictures.append(Picture(address))
            else:
                pictures.append("")
        return pictures
