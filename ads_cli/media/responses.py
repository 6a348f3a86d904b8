"""What the responses to an upload say: its ids, when it expires, how far its processing is."""

import re
import time
from typing import Any

import msgspec

from ..api.media_uploads import Category
from ..api.types import ID_PATTERN
from ..client.response import Response, not_understood
from ..errors import UnavailableError
from ..http.response_body import parse_json
from ..output.text import shortened
from .journal import Begun

KEY_PREFIXES = {
    Category.amplify_video: "13",
    Category.tweet_video: "7",
    Category.tweet_gif: "16",
    Category.tweet_image: "3",
    **dict.fromkeys((Category.dm_gif, Category.dm_image, Category.dm_video, Category.subtitles), "3"),
}
CHECK_AFTER_SECONDS = 1.0  # where the service states no time
LONGEST_SECONDS = 1e9  # of what it states
OF_PROGRESS = ("state", "check_after_secs", "progress_percent")  # which say nothing of a failure


class StillProcessedError(UnavailableError):
    """A file is processed for longer than --max-wait."""


def read_begun(response: Response, segment_bytes: int) -> Begun:
    """Read the response that begins an upload; raise UnavailableError where it names no media."""
    data = response.data if isinstance(response.data, dict) else {}
    if not (id := _id_in(response, "id")):
        raise UnavailableError("the answer to the upload names no media id", http_status=response.status)
    seconds = data.get("expires_after_secs")
    now = time.time()
    expires_at = now + min(seconds, LONGEST_SECONDS) if isinstance(seconds, int | float) else None
    return Begun(
        media_id=id,
        media_key=_id_in(response, "media_key"),
        segment_bytes=segment_bytes,
        expires_at=expires_at,
        at=now,
    )


def _id_in(response: Response, name: str) -> str:
    """Return an id that a response may name; raise UnavailableError for what cannot be one."""
    value = response.data.get(name) if isinstance(response.data, dict) else None
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int) or not re.match(ID_PATTERN, str(value)):
        raise UnavailableError(
            shortened(f"the answer to the upload has a {name} that is not valid: {value!r}"),
            http_status=response.status,
        )
    return str(value)


def require_named(response: Response, name: str, id: str) -> None:
    """Raise UnavailableError where a response names other media than those that were sent."""
    if (answered := _id_in(response, name)) and answered != id:
        raise not_understood(f"it is about {answered}, and {id} was sent")


def read_media_key(begun: Begun, ended: Response, category: Category) -> str:
    """Return the media key that the first or the last response names, or else the one of the category."""
    return begun.media_key or _id_in(ended, "media_key") or f"{KEY_PREFIXES[category]}_{begun.media_id}"


def processing(response: Response) -> dict[str, Any]:
    """Return what is said of processing."""
    data = response.data
    info = data.get("processing_info") if isinstance(data, dict) else None
    return info if isinstance(info, dict) else {}


def state_of(response: Response) -> str | None:
    """Return the state of processing; None where nothing is left to wait for."""
    if not (info := processing(response)):
        return None
    state = info.get("state")
    return state if state and isinstance(state, str) else "not ready"


def progress_of(info: dict[str, Any]) -> tuple[int, float]:
    """Return the percent that is processed, and the seconds after which to ask again."""
    percent, seconds = info.get("progress_percent"), info.get("check_after_secs")
    if not (isinstance(seconds, int | float) and seconds > 0):
        seconds = CHECK_AFTER_SECONDS
    return max(0, min(percent, 100)) if isinstance(percent, int) else 0, min(seconds, LONGEST_SECONDS)


def reason_of(info: dict[str, Any]) -> str:
    """Return what is said of a failure, in whatever form."""
    stated = info.get("error") or info.get("errors")
    stated = stated or {name: value for name, value in info.items() if name not in OF_PROGRESS}
    error = stated[0] if stated and isinstance(stated, list) else stated
    if isinstance(error, dict):
        words = [str(error[name]) for name in ("name", "message", "detail", "title") if error.get(name)]
        error = ": ".join(words) or (msgspec.json.encode(error).decode() if error else "")
    return shortened(str(error)) if error else "no reason given"


def parse_segment_response(content: bytes) -> Any:
    """Read the response to a segment, which may be empty."""
    return parse_json(content) if content else {}
