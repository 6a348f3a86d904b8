"""Upload the files that stand for the media keys of requests."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from ...api.endpoint import Request
from ...console.invocation import Invocation
from ...errors import AdsctlError, ContentError
from ...media.library import Details
from ...media.references import MediaReferences, folder_of, replace_placeholders
from ...media.rules import default_category
from ...output.text import Lines, safe
from ...runs.journal import Journal
from ..runs.reports import how_to_resume
from .check import check_files, raise_unopened
from .files import CheckedMedia, MediaFile
from .upload import STOPPING, make_uploader, upload_file

MAX_BYTES = 2**31  # of a file that is downloaded


def check_references(
    call: Invocation, request: Request, references: MediaReferences
) -> dict[str, CheckedMedia]:
    """Look at the files of a request; raise ContentError where one breaks a rule of its use."""
    references.add_for(request)
    checked = check_all(call, references)
    _require_alone([request], checked)
    return checked


def _require_alone(requests: Iterable[Request], checked: dict[str, CheckedMedia]) -> None:
    """Raise ContentError where a GIF or a video is not the only file of a post."""
    for request in requests:
        keys = getattr(request, "media_keys", None) or ()
        moving = [
            checked[key].file.label for key in keys if key in checked and checked[key].info.kind != "image"
        ]
        if len(keys) > 1 and moving:
            words = f"{moving[0]}: a post has up to 4 images, or one GIF, or one video"
            raise ContentError(words, hint="nothing was sent; make a post for each")


def check_all(call: Invocation, references: MediaReferences) -> dict[str, CheckedMedia]:
    """Look at files. Return them by placeholder, or raise ContentError if one breaks a rule of its use."""
    access = partial(call.remote_access, MAX_BYTES)
    results = {}
    for placeholder, reference in references:
        if reference.leaves_folder:
            call.messages.detail(f"{safe(reference.name)} is outside of the folder of its document")
        file = MediaFile.of(reference.file, access)
        results[placeholder] = check_files(call, [file], reference.uses, None)
    raise_unopened([error for result in results.values() for error in result.unopened])
    checked = {placeholder: result.checked[0] for placeholder, result in results.items()}
    if broken := [
        checked_file.line(finding) for checked_file in checked.values() for finding in checked_file.errors
    ]:
        raise ContentError(Lines(broken), hint="nothing was sent; correct the files")
    return checked


def upload_references(call: Invocation, request: Request, references: MediaReferences) -> None:
    """Upload the files, and put their media keys into the request. A dry run puts words there."""
    if not references:
        return
    checked, planned = check_references(call, request, references), call.client.prepare(request)
    if call.dry_run:
        replace_placeholders(request, references.in_words())
        return
    replace_placeholders(request, upload_all(call, references, checked))
    call.writes.guard.note_completed(planned, call.client.prepare(request))


def upload_all(
    call: Invocation, references: MediaReferences, checked: dict[str, CheckedMedia]
) -> dict[str, str]:
    """Upload files, and return their media keys by placeholder."""
    keys = {}
    for placeholder, reference in references:
        file = checked[placeholder]
        category = default_category(file.info)
        assert category
        uploader = make_uploader(call, owners=reference.owners)
        try:
            keys[placeholder] = upload_file(call, uploader, file, category, Details())["media_key"] or ""
        except AdsctlError as error:
            error.may_be_applied = False  # nothing that names the media was sent
            raise
    return keys


class MediaOfRecords:
    """The files that the records of a document name: all uploaded before the first record is sent."""

    def __init__(
        self,
        call: Invocation,
        references: MediaReferences,
        for_components: Sequence[str],
        document: str,
        *,
        is_of_table: bool,
    ) -> None:
        self._call, self._references = call, references
        self._folder, self._is_of_table = folder_of(document), is_of_table
        self._for_components = for_components
        self._checked: dict[str, CheckedMedia] = {}
        self._keys: dict[str, str] = {}
        self._requests: list[Request] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Name the fields that name files."""
        return self._references.names

    def take(self, values: dict[str, Any]) -> None:
        """Put placeholders into a record, in place; raise ContentError where a field names no file."""
        self._references.take_record(values, self._folder, is_of_table=self._is_of_table)
        if self._for_components:
            self._references.fill_components(values, self._for_components)

    def add_for(self, request: Request) -> None:
        """Note what a whole request says of its files."""
        self._references.add_for(request)
        self._requests.append(request)

    def check(self) -> None:
        """Look at all files; raise ContentError where one breaks a rule of its use."""
        self._checked = check_all(self._call, self._references)
        _require_alone(self._requests, self._checked)
        if self._call.dry_run:
            self._keys = self._references.in_words()

    def upload(self, requests: list[Request], journal: Journal, *, is_only: bool) -> None:
        """Upload the files of requests; where one is refused, nothing has begun that could be resumed.

        The only record of a file is sent again without that.
        """
        try:
            self._keys = upload_all(self._call, self._references.only(requests), self._checked)
        except AdsctlError as error:
            if isinstance(error, STOPPING) and not is_only:
                error.hint = how_to_resume(error, self._call.command_line)
            elif not journal.resumed:
                journal.remove()
            raise

    def complete(self, request: Request) -> Request:
        """Return a request with media keys in place of its files."""
        completed: Request = replace_placeholders(deepcopy(request), self._keys)
        return completed
