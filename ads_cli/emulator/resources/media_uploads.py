"""Uploads of media: at once or in segments, with processing in real time.

The `state` of an upload is `open` until it is finalized. Then an image is `done`, and a video is `processing`
until its `ready_at`. An upload with a `problem` has failed then.
"""

import tempfile
import time
from typing import BinaryIO, cast

from ...api import media_uploads
from ...media_files import DamagedError, MediaFacts, read_header
from ...media_files.images import READERS
from ...media_files.mp4 import read_mp4
from ...media_files.webm import read_webm
from ...spelling import comma_list
from ..core.faults import PROCESSING
from ..core.handlers import RequestContext, handler
from ..core.responses import HttpResponse, ProblemError
from ..storage import Record, Store, random_number
from .media import UPLOAD, owner_of


def put_segment(store: Store, upload: str, number: int, content: bytes) -> None:
    """Store a segment, in place of an earlier one of its number."""
    with store.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO media_segments (upload, number, content) VALUES (?, ?, ?)",
            (upload, number, content),
        )


def open_media(store: Store, upload: str) -> BinaryIO:
    """Return the whole content as a temporary file."""
    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - the caller closes it
    query = "SELECT content FROM media_segments WHERE upload = ? ORDER BY number"
    for (content,) in store.connection.execute(query, (upload,)):
        file.write(content)
    file.seek(0)
    return file


MAX_SEGMENT_BYTES = 4 * 1024 * 1024
EXPIRES_AFTER_SECONDS = 86_400
PROCESSING_SECONDS = 0.8
CHECK_AFTER_SECONDS = 1
PREFIXES = {"amplify_video": "13", "gif": "16", "image": "3", "video": "7"}
BYTES = {"image": 5 * 1024 * 1024, "gif": 15 * 1024 * 1024, "video": 512 * 1024 * 1024, "subtitles": 2**24}
FAILED, NEVER = PROCESSING


def _facts_of(stream: BinaryIO) -> MediaFacts:
    """Return what the bytes say; raise DamagedError where they are not whole."""
    facts = MediaFacts()
    first = stream.read(64 * 1024)
    facts.format = read_header(first).format
    if facts.format in READERS:
        facts.kind = "image"
        facts.type, read = READERS[facts.format]
        read(stream, facts)
    elif first.startswith(b"\x1a\x45\xdf\xa3"):
        read_webm(stream, facts)
    elif first[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        facts.kind, facts.type = "video", "video/mp4"
        read_mp4(stream, facts)
    elif first.lstrip(b"\xef\xbb\xbf").startswith(b"WEBVTT") or b" --> " in first:
        facts.kind = "subtitles"
    return facts


def _kind(category: str) -> str:
    """Return what a category is for: image, gif, video or subtitles."""
    return category.rpartition("_")[2]


def _processed(store: Store, upload: Record) -> tuple[Record, str]:
    """Look at the whole content: return its facts, and why it cannot be used."""
    with open_media(store, upload["id"]) as stream:
        try:
            facts, problem = _facts_of(stream), ""
        except DamagedError as error:
            return {}, f"InvalidMedia: the file is damaged: {error}"
    kind = _kind(upload["media_category"])
    if facts.kind != kind and not (kind == "gif" and facts.type == "image/gif"):
        content = facts.kind or "no media"
        problem = f"InvalidMedia: the content is {content}, and {upload['media_category']} is not for it"
    properties = {name: getattr(facts, name) for name in ("width", "height", "seconds")}
    return properties, problem


def _create_upload(
    context: RequestContext, category: str, media_type: str, total: int, owners: list[str]
) -> Record:
    """Store a new upload that waits for its segments."""
    kind = _kind(category)
    if total > BYTES[kind]:
        limit = f"at most {BYTES[kind]:,} are allowed for {category}"
        raise ProblemError(f"total_bytes: {total:,} bytes, {limit}")
    id, prefix = random_number(), PREFIXES.get(category) or PREFIXES.get(kind)
    fields: Record = {
        "media_key": f"{prefix}_{id}" if prefix else None,
        "media_type": media_type,
        "media_category": category,
        "total_bytes": total,
        "owners": owners,
        "expires_at": time.time() + EXPIRES_AFTER_SECONDS,
        "state": "open",
    }
    return context.store.add(UPLOAD, id, fields, owner=context.user)


def _require_upload(context: RequestContext, id: str) -> Record:
    """Return an upload of the user that has not expired; raise ProblemError."""
    upload = context.store.find(UPLOAD, id)
    if upload is None or upload["expires_at"] < time.time():
        raise ProblemError(f"media id {id}: there is no such upload, or it has expired", 404, "Not Found")
    if not (context.store.find(UPLOAD, id, owner=context.user) or context.user in upload["owners"]):
        raise ProblemError(f"media id {id} belongs to another user", 403, "Forbidden")
    return upload


def _append(context: RequestContext, id: str, number: int, content: bytes) -> Record:
    """Store a segment of an upload."""
    upload = _require_upload(context, id)
    if len(content) > MAX_SEGMENT_BYTES:
        raise ProblemError(f"a segment has at most {MAX_SEGMENT_BYTES:,} bytes", 413, "Payload Too Large")
    if not content:
        raise ProblemError(f"segment {number} is empty")
    if upload["state"] != "open":
        raise ProblemError(f"media id {id}: the upload was finalized")
    put_segment(context.store, id, number, content)
    return upload


def _finalize(context: RequestContext, id: str) -> Record:
    """End an upload whose segments are complete; a video or GIF is processed from now on."""
    upload = _require_upload(context, id)
    if upload["state"] != "open":
        return upload
    query = "SELECT count(*) - 1, max(number), sum(length(content)) FROM media_segments WHERE upload = ?"
    expected_last, last, total = context.store.row(query, id)
    if last != expected_last:
        raise ProblemError(f"media id {id}: segments are missing")
    if total != upload["total_bytes"]:
        raise ProblemError(f"media id {id}: total_bytes is {upload['total_bytes']:,}, {total:,} were sent")
    facts, problem = _processed(context.store, upload)
    if context.fault == FAILED:
        problem = "InternalError: the media could not be processed (fault on demand)"
    changes: Record = facts | {"problem": problem, "bytes": total, "ready_at": time.time()}
    if _kind(upload["media_category"]) in ("image", "subtitles"):
        if problem:
            raise ProblemError(f"media id {id}: {problem}")
        changes["state"] = "done"
    else:
        changes["state"] = "processing"
        changes["ready_at"] += PROCESSING_SECONDS if context.fault != NEVER else 10 * EXPIRES_AFTER_SECONDS
    return context.store.update(UPLOAD, id, changes, owner=owner_of(context.store, id))


def _processing_info(upload: Record) -> Record | None:
    """Return how far the processing is; None where nothing is processed."""
    if upload["state"] != "processing":
        return None
    left = upload["ready_at"] - time.time()
    if left > 0:
        percent = max(0, min(99, round(100 * (1 - left / PROCESSING_SECONDS))))
        state = "in_progress" if percent else "pending"
        return {"state": state, "check_after_secs": CHECK_AFTER_SECONDS, "progress_percent": percent}
    if problem := upload["problem"]:
        name, _, message = problem.partition(": ")
        return {"state": "failed", "error": {"code": 1, "name": name, "message": message}}
    return {"state": "succeeded", "progress_percent": 100}


def _uploaded(upload: Record) -> Record:
    kind = _kind(upload["media_category"])
    shown: Record = {
        "id": upload["id"],
        "media_key": upload["media_key"],
        "expires_after_secs": max(0, round(upload["expires_at"] - time.time())),
        "size": upload.get("bytes"),
        "processing_info": _processing_info(upload),
    }
    if upload["state"] == "done" and kind == "image":
        image_type = upload["media_type"] or "image/png"
        shown["image"] = {"w": upload["width"], "h": upload["height"], "image_type": image_type}
    if kind == "video" and upload["state"] != "open":
        shown["video"] = {"video_type": upload["media_type"]}
    return {name: value for name, value in shown.items() if value is not None}


def _response_of(upload: Record) -> HttpResponse:
    return HttpResponse.json({"data": _uploaded(upload)})


@handler(media_uploads.InitializeUpload)
def _initialize_upload(context: RequestContext, request: media_uploads.InitializeUpload) -> HttpResponse:
    default = {"image": "tweet_image", "video": "tweet_video", "text": "subtitles"}
    of_type = "tweet_gif" if request.media_type == "image/gif" else default[request.media_type.split("/")[0]]
    category = media_uploads.service_category(request.media_category or of_type)
    owners = request.additional_owners or []
    with context.store.transaction():
        return _response_of(
            _create_upload(context, category, request.media_type, request.total_bytes, owners)
        )


@handler(media_uploads.AppendSegment)
def _append_segment(context: RequestContext, request: media_uploads.AppendSegment) -> HttpResponse:
    upload = _append(context, request.media_id, request.segment_index, request.media)
    return HttpResponse.json({"data": {"expires_at": round(upload["expires_at"])}})


@handler(media_uploads.FinalizeUpload)
def _finalize_upload(context: RequestContext, request: media_uploads.FinalizeUpload) -> HttpResponse:
    return _response_of(_finalize(context, request.media_id))


@handler(media_uploads.UploadMedia)
def _upload_media(context: RequestContext, request: media_uploads.UploadMedia) -> HttpResponse:
    owners = comma_list(request.additional_owners or "")
    category = media_uploads.service_category(request.media_category)
    with context.store.transaction():
        upload = _create_upload(context, category, "", len(request.media), owners)
        put_segment(context.store, upload["id"], 0, request.media)
        return _response_of(_finalize(context, upload["id"]))


@handler(media_uploads.GetUploadStatus)
def _get_upload_status(context: RequestContext, request: media_uploads.GetUploadStatus) -> HttpResponse:
    return _response_of(_require_upload(context, request.media_id))
