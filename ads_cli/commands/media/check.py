"""Check files of media, offline."""

from typing import Annotated

import typer

from ...api.media_uploads import Category
from ...console.invocation import Invocation
from ...console.parameters import choice, flag, option
from ...console.progress import progress
from ...console.shown import shows
from ...errors import (
    AccessError,
    AdsctlError,
    ContentError,
    NotFoundError,
    RefusedError,
    UnavailableError,
    UsageError,
)
from ...media.inspection import MediaInfo
from ...media.rules import Use, findings, unchecked_rules
from ...media.upload import Status
from ...output.messages import fitted
from ...output.text import Lines, counted, listed, safe
from ...runs.rejected_rows import check_failed_out
from ..runs.options import FeedOptions, RejectedOptions, with_options
from .files import (
    FINDINGS,
    CheckedMedia,
    CheckResult,
    Files,
    MediaFile,
    Table,
    media_files,
    write_refused,
)

NAMED_FILES = 3  # the most that a note names
UNOPENED = (UsageError, AccessError, NotFoundError, RefusedError, UnavailableError)  # of one file


Uses = Annotated[
    list[Use] | None,
    choice("Add the rules of what the files are meant for; may be given several times", "--for"),
]
CategoryOption = Annotated[
    Category | None, option("NAME", f"{', '.join(Category)} (default: by the content)")
]


def check_files(
    call: Invocation,
    files: list[MediaFile],
    uses: list[Use],
    category: Category | None,
    *,
    strict: bool = False,
    valid: Status = "valid",
) -> CheckResult:
    """Look at each file; say which rules could not be looked at.

    `valid` is the status of a file that breaks no rule.
    """
    result = CheckResult([], [])
    unchecked: dict[tuple[str, ...], list[str]] = {}
    with progress(call.messages, "Checking media", len(files)) as on_progress:
        for number, file in enumerate(files, 1):
            try:
                info = file.inspect()
            except UNOPENED as error:
                result.unopened.append(error)
                continue
            finally:
                on_progress(number)
            breaches = findings(info, uses, category)
            if strict:
                breaches = [finding._replace(severity="error") for finding in breaches]
            is_invalid = any(finding.severity == "error" for finding in breaches)
            result.checked.append(CheckedMedia(file, info, breaches, "invalid" if is_invalid else valid))
            call.messages.detail(f"{safe(file.label)}: {safe(_described(info))}")
            if rules := unchecked_rules(info, breaches):
                unchecked.setdefault(rules, []).append(safe(file.label))
    for rules, names in unchecked.items():
        call.messages.note(
            f"not looked at, since the bytes do not tell: {', '.join(rules)}: {listed(names, NAMED_FILES)}"
        )
    return result


def show_findings(call: Invocation, result: CheckResult) -> None:
    """Print the findings of all files."""
    if not call.printer.is_for_people:
        records = [record for file in result.checked for record in file.records()]
        call.printer.show(records, FINDINGS.columns, FINDINGS.key)
        return
    for file in result.checked:
        for finding in file.findings:
            mark = "warning: " if finding.severity == "warning" else ""
            print(fitted(file.line(finding, mark), call.out), file=call.out)


def raise_unopened(errors: list[AdsctlError]) -> None:
    """Raise the first error of files that cannot be opened, naming the others."""
    if errors:
        errors[0].message = Lines(error.message for error in errors)
        raise errors[0]


@shows(FINDINGS)
@with_options(feed=FeedOptions, rejected=RejectedOptions)
def check(
    ctx: typer.Context,
    files: Files = None,
    table: Table = None,
    uses: Uses = None,
    category: CategoryOption = None,
    strict: Annotated[bool, flag("Treat warnings as errors")] = False,
    *,
    feed: FeedOptions,
    rejected: RejectedOptions,
) -> None:
    """Check images, GIFs and videos, offline, by their bytes, and send nothing.

    Every file is checked by the rules of its category, which its content chooses. With --for it is checked by
    the rules of its use too, such as the ratios of cards. A finding is the file, the rule, what is wrong, and
    what to do. What the service asks for, but may accept otherwise, is a warning.

    For example: adsctl media check hero.png clip.mp4 --for website-card
    """
    call = Invocation.of(ctx, mutates=False)
    named = media_files(call, files, table, feed)
    check_failed_out(rejected.failed_out_file, [file.location for file in named])
    result = check_files(call, named, [*(uses or ())], category, strict=strict)
    show_findings(call, result)
    write_refused(rejected.failed_out_file, result.refused)
    raise_unopened(result.unopened)
    if result.invalid:
        raise ContentError(result.summary, hint="correct the files, as the findings say")
    call.messages.say(f"{counted(len(result.checked), 'file')} checked, all valid")


def _described(info: MediaInfo) -> str:
    parts = [
        info.type or info.format or "unknown",
        counted(info.bytes, "byte"),
        f"{info.width}x{info.height}" if info.width else "",
        counted(info.frames, "frame") if info.frames and info.kind == "gif" else "",
        f"{info.seconds:.1f} s" if info.seconds else "",
        " ".join(filter(None, (info.video_codec, info.video_profile, info.pixel_format, info.scan))),
        f"{info.frame_rate:.4g} frames a second" if info.frame_rate else "",
        " ".join(filter(None, (info.audio_codec, info.audio_profile))),
        counted(info.audio_channels, "channel") if info.audio_codec and info.audio_channels else "",
    ]
    return ", ".join(filter(None, parts))
