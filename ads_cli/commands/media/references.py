"""Upload the files that stand for the media keys of a request."""

from typing import Any

import msgspec

from ...api.cards import Button
from ...api.endpoint import Request
from ...console.invocation import Invocation
from ...errors import AdsctlError, ContentError
from ...feeds.locations.locate import parse_location
from ...media.references import MediaReferences, replace_placeholders
from ...media.rules import Use, default_category
from ...media.upload import Details
from ...output.text import safe
from .check import CheckedMedia, check_files, raise_unopened
from .files import MediaFile
from .upload import make_uploader, upload_file


def check_references(call: Invocation, request: Request, references: MediaReferences) -> list[CheckedMedia]:
    """Look at the files; raise ContentError where one breaks a rule of its use."""
    from ...console.remote_access import make_access

    results = []
    for _, reference in references:
        uses = [
            Use.app_card if _is_of_app(request) and use is Use.website_card else use for use in reference.uses
        ]
        if reference.leaves_folder:
            call.messages.detail(f"{safe(reference.name)} is outside of the folder of its document")
        access = lambda: make_access(call, 2**31)  # noqa: E731
        file = MediaFile(parse_location(reference.file, access))
        results.append(check_files(call, [file], uses, None))
    raise_unopened([error for result in results for error in result.unopened])
    checked = [each for result in results for each in result.checked]
    broken = [
        f"{safe(each.file.label)}: {finding.words} ({finding.rule}); {finding.hint}"
        for each in checked
        for finding in each.findings
        if finding.severity == "error"
    ]
    if broken:
        raise ContentError("\n".join(broken), hint="nothing was sent; correct the files")
    return checked


def upload_references(call: Invocation, request: Request, references: MediaReferences) -> None:
    """Upload the files, and put their media keys into the request; a dry run puts words there."""
    if not references:
        return
    checked = check_references(call, request, references)
    if call.dry_run:
        replace_placeholders(request, references.in_words())
        return
    author = getattr(request, "as_user_id", None)
    uploader = make_uploader(call, owners=(str(author),) if author else (), resume=True)
    keys: dict[str, str] = {}
    for (placeholder, _), each in zip(references, checked, strict=True):
        category = default_category(each.info)
        assert category
        try:
            keys[placeholder] = upload_file(call, uploader, each, category, Details())["media_key"]
        except AdsctlError as error:
            error.may_be_applied = False  # nothing that names the media was sent
            raise
    replace_placeholders(request, keys)


def _is_of_app(value: Any) -> bool:
    """Tell whether a card leads to an app."""
    if isinstance(value, list):
        return any(map(_is_of_app, value))
    if isinstance(value, Button):
        return True
    names = value.__struct_fields__ if isinstance(value, msgspec.Struct) else ()
    return any(_is_of_app(getattr(value, name)) for name in names)
