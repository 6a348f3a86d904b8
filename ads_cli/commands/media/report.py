"""--report: the page about files of media."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...console.invocation import Invocation
from ...console.output_file import RunReport, failure_details, made
from ...errors import ContentError
from ...numbers import size_text
from ...output.text import counted, listed
from .files import CheckedMedia, CheckResult, MediaFile, UploadRecords

if TYPE_CHECKING:
    from ...report import Cell, Level, MediaType, ReportPage, ReportTable, Section

NAMED_FILES = 3  # the most that the title names
# Types that browsers show.
PICTURE_TYPES: "tuple[MediaType, ...]" = ("image/png", "image/jpeg", "image/gif", "image/webp")
PICTURE_BYTES, PICTURES_BYTES = 256 * 1024, 2 * 1024 * 1024  # of a picture inside a page, and of all
LEVELS: dict[str, "Level"] = {
    "uploaded": "good",
    "unchanged": "good",
    "valid": "good",
    "invalid": "error",
    "failed": "error",
}


class MediaReport(RunReport):
    """The page about files; `verb` is what the run was to do with them."""

    def __init__(
        self, call: Invocation, name: str | None, files: list[MediaFile], verb: str, *, force: bool
    ) -> None:
        super().__init__(call, name, listed([file.label for file in files], NAMED_FILES), force=force)
        self._verb, self._total = verb, len(files)
        self.checks: list[CheckResult] = []
        self.records: UploadRecords | None = None  # of an upload, once it has begun
        self.refused: list[tuple[MediaFile, str]] = []  # files that were not uploaded, and why

    def page(self) -> "ReportPage":
        """Return the page about the run."""
        from ...report import ReportPage, Tally

        checked, error = self._checked, self.error
        invalid = sum(not each.is_valid for each in checked)
        warned = sum(each.is_valid and bool(each.findings) for each in checked)
        counts = Counter(self._status(each) for each in checked)
        counted_apart = {"valid", "invalid"}
        in_headline = isinstance(error, ContentError) and bool(invalid)
        return ReportPage(
            title=self.subject,
            level="error" if error or invalid else "warning" if warned else "good",
            headline=self._headline(invalid),
            details=[*failure_details(error, in_headline=in_headline)],
            facts=[
                made(),
                *([] if self._verb == "checked" else [("Profile", self.call.settings.profile)]),
            ],
            tallies=[
                Tally("files", self._total),
                Tally("with errors", invalid, "error" if invalid else "neutral"),
                *([Tally("with warnings", warned, "warning")] if warned else []),
                *(
                    Tally(name, count, LEVELS.get(name, "neutral"))
                    for name, count in counts.items()
                    if name not in counted_apart
                ),
            ],
            sections=[*self._sections()],
        )

    @property
    def _checked(self) -> "list[CheckedMedia]":
        return [each for check in self.checks for each in check.checked]

    def _headline(self, invalid: int) -> str:
        total = self._total
        if self.records is not None:
            statuses = Counter(map(self._status, self._checked))
            done = ", ".join(f"{count:,} {status}" for status, count in statuses.items())
            left = f"; {len(self.refused):,} not uploaded" if self.refused else ""
            return f"{counted(total, 'file')}: {done}{left}"
        if invalid:
            have = "breaks a rule" if invalid == 1 else "break rules"
            nothing = "" if self._verb == "checked" else "Nothing was uploaded: "
            return f"{nothing}{invalid:,} of {counted(total, 'file')} {have}"
        if self.error:
            return f"The files were not all {self._verb}"
        return "The file breaks no rule" if total == 1 else f"None of {counted(total, 'file')} breaks a rule"

    def _status(self, checked: "CheckedMedia") -> str:
        """Say what became of a file."""
        if not checked.is_valid:
            return "invalid"
        if record := self._record(checked):
            return str(record["status"])
        return "valid" if self._verb == "checked" else "not sent"

    def _record(self, checked: "CheckedMedia") -> dict[str, Any]:
        return (self.records or {}).get(id(checked), {})

    def _sections(self) -> "Iterator[Section]":
        from ...report import Badge, Column, ReportTable, Section

        wrong: list[list[Cell]] = []
        for each in self._checked:
            for finding in each.findings:
                severity = Badge(finding.severity, finding.severity)
                wrong.append([each.file.label, severity, finding.words, finding.hint, finding.rule])
        if wrong:
            names = ("File", "Severity", "What is wrong", "What to do", "Rule")
            table = ReportTable("Rules that files break", [*map(Column, names)], wrong, "finding")
            yield Section("What is wrong", [table])
        unread: list[list[Cell]] = [
            [error.message, error.hint] for check in self.checks for error in check.unopened
        ]
        if unread:
            columns = [Column("What happened"), Column("What to do")]
            unopened = ReportTable("Files that cannot be opened", columns, unread, "file")
            yield Section("Not opened", [unopened])
        if self.refused:
            columns = [Column("File"), Column("Why")]
            rows: list[list[Cell]] = [[file.label, reason] for file, reason in self.refused]
            yield Section("Not uploaded", [ReportTable("Files", columns, rows, "file")])
        if self._checked:
            yield Section("All files", [self._files()])

    def _files(self) -> "ReportTable":
        """List the files, with small pictures of images."""
        from ...report import Badge, Column, ReportTable, Thumbnail

        pictures = self._pictures()
        has_keys = self.records is not None
        rows: list[list[Cell]] = []
        for each, picture in zip(self._checked, pictures, strict=True):
            info, status = each.info, self._status(each)
            rows.append(
                [
                    *([picture] if any(pictures) else []),
                    each.file.label,
                    Badge(status, LEVELS.get(status, "neutral")),
                    info.type or info.format or "unknown",
                    size_text(info.bytes),
                    f"{info.width}x{info.height}" if info.width else "",
                    f"{info.seconds:.1f}" if info.seconds else "",
                    *([self._record(each).get("media_key") or ""] if has_keys else []),
                ]
            )
        is_inside = any(isinstance(picture, Thumbnail) for picture in pictures)
        names = ("File", "Status", "Type", "Size", "Pixels", "Seconds", *(("Media key",) if has_keys else ()))
        columns = [Column("Picture", "text" if is_inside else "picture")] if any(pictures) else []
        return ReportTable("Files", [*columns, *map(Column, names)], rows, "file")

    def _pictures(self) -> "list[Cell]":
        """Return a picture of each file: small local images themselves, as many as a page has room for."""
        from ...report import Picture, Thumbnail, web_address

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
