"""Media of the library that nothing of the account shows: list them, and delete them."""

from collections import Counter
from typing import Annotated, Any, TypedDict

import typer

from ...api.media import DeleteLibraryMedia, ListLibraryMedia
from ...console.conditions import Narrowing
from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...console.request_input import request_from_input
from ...console.shown import Result, shows
from ...errors import AdsctlError, IncompleteError, NotFoundError, UsageError
from ...media.usage import Usage, library
from ...numbers import parse_count
from ...output.text import counted, safe
from ...store.changes import ChangeLog
from .upload import stops


class UnusedMedia(TypedDict):
    """Media that nothing shows, and what became of it."""

    media_key: str
    media_type: str | None
    name: str | None
    file_name: str | None
    status: str


UNUSED = Result(UnusedMedia, "media_key")
DECIDED_TOGETHER = 50  # deletions; what shows media is read again before each so many
TYPES = ("GIF", "IMAGE", "VIDEO")


def show_list(
    call: Invocation,
    request: Any,
    *,
    envelope: bool | None,
    all: bool,
    limit: str | None,
    narrowing: Narrowing | None = None,
) -> None:
    """Print the media of a list that nothing shows, from all its pages, as `--unused` asks."""
    if envelope or request.cursor:
        raise UsageError("--unused: cannot be used with --envelope or --cursor", hint="it reads all pages")
    most = None if limit is None else parse_count(limit, "--limit")
    media = library(call.client, request)
    records = _read_usage_and_warn(call).unused(media) if media else []
    records = [*narrowing.applied(records)] if narrowing else records
    endpoint = request.endpoint
    call.printer.noun = "library"
    call.printer.show(records[:most], endpoint.columns, endpoint.record_id, endpoint.extra_fields)
    call.messages.say(f"{counted(len(records), 'medium', 'media')} of {len(media):,} unused")


@shows(UNUSED)
def clean(
    ctx: typer.Context,
    media_type: Annotated[str | None, option(f"[{'|'.join(TYPES)}]", "Only these", offers=TYPES)] = None,
    q: Annotated[str | None, option("TEXT", "Words in name, title, file_name and description")] = None,
    unlocked: Annotated[bool, flag("Delete those too that a conversation card may unlock")] = False,
) -> None:
    """Delete media of the library that nothing of the account shows.

    These are what `media library list --unused` lists. Whether anything shows them is read again right before
    they are deleted. The service does not name what a conversation card unlocks. Where a card was created or
    changed elsewhere, images and videos that are older than its last change are kept.

    For example: adsctl media library clean --media-type IMAGE --dry-run
    """
    call = Invocation.of(ctx)
    values = {"account_id": call.account, "media_type": media_type, "q": q}
    listing = request_from_input(ListLibraryMedia, values)
    call.client.open()
    unused: list[dict[str, Any]] = []
    uncertain: list[dict[str, Any]] = []
    if media := library(call.client, listing):
        usage = _read_usage_and_warn(call)
        for record in usage.unused(media):
            is_uncertain = usage.may_be_unlocked(record) and not unlocked
            (uncertain if is_uncertain else unused).append(record)
    requests = [
        DeleteLibraryMedia(account_id=call.account, media_key=record["media_key"]) for record in unused
    ]
    if requests:
        call.writes.approve(map(call.client.prepare, requests))
        if not call.dry_run or call.is_plan:
            of = counted(len(unused), "medium", "media")
            call.confirm(f"Delete {of} from the media library, which nothing shows")
    records = [_record(record, "kept") for record in uncertain]
    if call.dry_run:
        records += [_record(record, "not deleted") for record in unused]
        call.printer.show(records, UNUSED.columns, UNUSED.key)
        call.messages.say(f"dry run: would delete {counted(len(unused), 'medium', 'media')}")
        return
    try:
        _delete(call, listing, unused, records, unlocked=unlocked)
    finally:
        call.printer.show(records, UNUSED.columns, UNUSED.key)
    _end(call, records)


def _read_usage_and_warn(call: Invocation) -> Usage:
    """Read what shows media, and warn of what the service does not name."""
    usage = _read_usage(call)
    if elsewhere := usage.made_elsewhere:
        cards = counted(len(elsewhere), "conversation card")
        call.messages.warn(f"{cards} may unlock media, which the service does not name: check these first")
    return usage


def _read_usage(call: Invocation) -> Usage:
    usage = Usage(call.client, call.account)
    if usage.conversations:
        usage.add_unlocked(ChangeLog(call.settings.state_dir).changes())
    return usage


def _delete(
    call: Invocation,
    listing: Any,
    unused: list[dict[str, Any]],
    records: list[dict[str, Any]],
    *,
    unlocked: bool,
) -> None:
    """Delete media that are unused still; note in `records` what became of each."""
    for start in range(0, len(unused), DECIDED_TOGETHER):
        usage = _read_usage(call)
        still = {
            record["media_key"]
            for record in usage.unused(library(call.client, listing))
            if unlocked or not usage.may_be_unlocked(record)
        }
        for record in unused[start : start + DECIDED_TOGETHER]:
            if record["media_key"] not in still:
                records.append(_record(record, "kept"))
                continue
            request = DeleteLibraryMedia(account_id=call.account, media_key=record["media_key"])
            try:
                call.client.call(request)
            except NotFoundError:
                records.append(_record(record, "gone"))
            except AdsctlError as error:
                records.append(_record(record, "failed"))
                if stops(error):
                    raise
                call.messages.warn(safe(f"{record['media_key']}: {error.message}"))
            else:
                records.append(_record(record, "deleted"))


def _record(media: dict[str, Any], status: str) -> dict[str, Any]:
    return {name: media.get(name) for name in UNUSED.columns[:-1]} | {"status": status}


def _end(call: Invocation, records: list[dict[str, Any]]) -> None:
    """Say what became of the media; raise where some could not be deleted."""
    counts = Counter(record["status"] for record in records)
    call.note_summary({"media": dict(counts)})
    if counts["failed"]:
        message = f"{counts['failed']:,} of {counted(len(records), 'medium', 'media')} not deleted"
        raise IncompleteError(message, hint="adsctl media library list --unused shows what is left")
    kept = f"; {counts['kept']:,} kept, since something shows or may unlock them (--unlocked)"
    call.messages.say(f"{counts['deleted']:,} deleted{kept if counts['kept'] else ''}")
