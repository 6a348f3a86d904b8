"""One event, as its JSON says it."""

from hashlib import sha256
from typing import Any, NamedTuple, TypedDict

from ..http.response_body import parse_json

MAX_EVENT_BYTES = 4 * 1024 * 1024
MAX_ID_LENGTH = 200  # an id is opaque; a longer one is not kept in memory


class EventData(TypedDict, total=False):
    """An event of a subscription."""

    event_type: str
    event_uuid: str | int
    filter: dict[str, Any]
    tag: str
    payload: dict[str, Any]


class EventDocument(TypedDict, total=False):
    """What is delivered; activities of users and matches of the filtered stream have other keys."""

    data: EventData


class Event(NamedTuple):
    """One event."""

    id: str  # empty where it has none
    kind: str  # such as post.create; empty where it has none
    content: bytes  # the JSON, as received
    document: dict[str, Any]
    headers: tuple[tuple[str, str], ...] = ()  # of its delivery, which a receiver behind this one checks too

    @property
    def digest(self) -> bytes:
        """What tells its content from that of another event."""
        return sha256(self.content).digest()

    @property
    def title(self) -> str:
        """The event as messages name it."""
        return " ".join(filter(None, (self.kind or "event", self.id)))


def read_event(content: bytes, headers: tuple[tuple[str, str], ...] = ()) -> Event:
    """Read an event; raise ValueError for what is not a JSON object."""
    try:
        document = parse_json(content)
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start + 1:,}") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise ValueError("it is not an object of JSON")
    data = document.get("data")
    named = data if isinstance(data, dict) else {}
    kind = named.get("event_type")
    id = _id_of(named.get("event_uuid"))
    return Event(id, kind if isinstance(kind, str) else "", content, document, headers)


def _id_of(value: object) -> str:
    """Return an id as text; a whole number counts, since it is one in some examples of the service."""
    text = str(value) if type(value) in (str, int) else ""
    return text if len(text) <= MAX_ID_LENGTH else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
