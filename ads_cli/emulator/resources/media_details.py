"""Details of media: alternative texts, subtitles, and lookups by key."""

import msgspec

from ...api.media_uploads import (
    LOOKUP_FIELDS,
    SUBTITLED,
    AddSubtitles,
    DeleteSubtitles,
    LookUpMedia,
    SetMetadata,
)
from ..core.handlers import RequestContext, handler
from ..core.responses import HttpResponse
from ..storage import Record, Store
from .media import HOST, UPLOAD, find_uploaded
from .media_uploads import answer, owner_of, rated, refuse


@handler(SetMetadata)
def set_metadata(context: RequestContext, request: SetMetadata) -> HttpResponse:
    """Set the alternative text of an upload, or of media in a library."""
    text = request.metadata.alt_text.text
    with context.store.transaction():
        _note(context, request.id, {"alt_text": text})
    metadata = {"alt_text": {"text": text}}
    return rated(context, {"id": request.id, "associated_metadata": metadata})


def _known(store: Store, id: str) -> list[tuple[str, Record, str]]:
    """Return the kind, the record and the owner of media: an upload, or what libraries have of others."""
    if upload := find_uploaded(store, id):
        return [(UPLOAD, upload, owner_of(store, id))]
    query = "SELECT id, owner FROM records WHERE kind = 'library_media' AND NOT deleted AND id LIKE ?"
    rows = store.connection.execute(query, (f"%{id}",)).fetchall()
    keys = [(key, owner) for key, owner in rows if key.partition("_")[2] == id]
    found = [(store.find("library_media", key, owner=owner), owner) for key, owner in keys]
    return [("library_media", record, owner) for record, owner in found if record]


def _note(context: RequestContext, id: str, changes: Record) -> None:
    """Store what is said of media, which need not be an upload of this emulator."""
    known = _known(context.store, id)
    if not known:
        raise refuse(f"media id {id} does not exist", 404, "Not Found")
    for kind, record, owner in known:
        key = id if kind == UPLOAD else record["media_key"]
        context.store.update(kind, key, changes, owner=owner)


@handler(AddSubtitles)
def add_subtitles(context: RequestContext, request: AddSubtitles) -> HttpResponse:
    """Attach a track to a video."""
    track = find_uploaded(context.store, request.subtitles.id)
    if track is None or track["media_category"] != "subtitles":
        raise refuse(f"subtitles.id: {request.subtitles.id} is not an upload of subtitles")
    with context.store.transaction():
        tracks = _subtitles_of(context, request.id, request.media_category)
        tracks[request.subtitles.language_code] = msgspec.to_builtins(request.subtitles)
        _note(context, request.id, {"subtitles": tracks})
    shown = {"id": request.id, "media_category": request.media_category}
    return rated(context, shown | {"associated_subtitles": [*tracks.values()]})


@handler(DeleteSubtitles)
def delete_subtitles(context: RequestContext, request: DeleteSubtitles) -> HttpResponse:
    """Remove the track of a language."""
    with context.store.transaction():
        tracks = _subtitles_of(context, request.id, request.media_category)
        if tracks.pop(request.language_code, None) is None:
            detail = f"media id {request.id} has no subtitles in {request.language_code}"
            raise refuse(detail, 404, "Not Found")
        _note(context, request.id, {"subtitles": tracks})
    return rated(context, {"deleted": True})


def _subtitles_of(context: RequestContext, id: str, category: str) -> Record:
    """Return the tracks of a video by language; raise ProblemError for one of another category."""
    for kind, video, _ in _known(context.store, id):
        if kind == UPLOAD and SUBTITLED.get(video["media_category"]) != category:
            raise refuse(f"media id {id} is of the category {video['media_category']}, not {category}")
        return dict(video.get("subtitles") or {})
    return {}


@handler(LookUpMedia)
def look_up(context: RequestContext, request: LookUpMedia) -> HttpResponse:
    """Return media by their keys, and a problem for each that does not exist."""
    found: list[Record] = []
    problems: list[Record] = []
    for key in dict.fromkeys(request.media_keys):
        if record := _looked_up(context.store, key):
            names = request.media_fields or ()
            found.append({n: v for n, v in record.items() if not names or n in names or n == "media_key"})
        else:
            detail = f"Could not find media with media_keys: [{key}]."
            missing = {"type": "/problems/resource-not-found", "title": "Not Found Error", "detail": detail}
            problems.append(missing | {"status": 404, "value": key, "resource_type": "media"})
    body: Record = {"data": found} if found else {}
    return answer(body | ({"errors": problems} if problems else {}), headers=context.headers)


def _looked_up(store: Store, key: str) -> Record | None:
    upload = find_uploaded(store, key.partition("_")[2])
    library = store.find("library_media", key)
    if upload is None and library is None:
        return None
    facts = (library or {}) | {n: v for n, v in (upload or {}).items() if v is not None}
    kind = {"3": "photo", "16": "animated_gif"}.get(key.partition("_")[0], "video")
    seconds = facts.get("seconds") or facts.get("duration")
    known: Record = {
        "media_key": key,
        "type": kind,
        "width": facts.get("width"),
        "height": facts.get("height"),
        "alt_text": facts.get("alt_text"),
        "duration_ms": round(1000 * seconds) if seconds else None,
        "url": (library or {}).get("media_url") or f"{HOST}/{key}",
    }
    return {name: known[name] for name in LOOKUP_FIELDS if known.get(name) is not None}
