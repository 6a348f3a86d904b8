"""Posts that are created with a file of campaigns: known by their content, so that each is created once."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Request
from ..api.parts import media_file_fields
from ..api.posts import CreatePost, CreatePostAsAdvertiser, ListPosts
from ..api.registry import requests_for
from ..api.validation import check, convert, errors_in
from ..client.response import not_understood
from ..errors import ContentError
from ..feeds.locations import is_remote
from ..media.references import MediaReferences
from ..runs.job import Acknowledgement
from ..spelling import as_stored, comma_list, suggestion
from .account import list_all
from .memory import ApplyMemory, Mark, look_for_lost
from .model import Entry, NewPost, each_entry

if TYPE_CHECKING:
    from ..client.client import Client

NEW_POST = {"text", "media", "media_key", "media_keys", "card"}  # keys of an ad whose post is new
KEYS_OF_EXISTING = ("id", "post", "post_id", "scheduled_post", "scheduled_post_id")  # of an ad
NOT_OF_REQUEST = (*KEYS_OF_EXISTING, "key", "card", "media", "media_key")
OWN = ("account_id", "trim_user", "post_mode")  # of the request, and no part of the post
POST, CARD = "post", "card"  # kinds of marks in the memory of applies
SHORT_CARDS = ({"website", "title"}, {"app", "button"})
CARD_WORDS = (
    "must be {website: URL, title: TEXT}, {app: {...}, button: INSTALL}, or the fields of "
    "'adsctl cards create'; with kind those of another card"
)
LINK = "https://t.co/"  # the service adds a link to the media of a post to its text
SOME_KEY = "3_1"  # what stands for the media key of a file
Note = Callable[[str, str], None]
Say = Callable[[str], None] | None  # says for what is waited; None where nothing may be waited for


class CardRequest(NamedTuple):
    """What makes the card of a post."""

    kind: type[Request]
    fields: dict[str, Any]
    references: MediaReferences  # to its files


def read_post(ad: Mapping[str, Any], folder: Path, note: Note) -> NewPost | None:
    """Read the post of an ad. Note by key why it cannot be one, and return None."""
    if existing := next((key for key in KEYS_OF_EXISTING if ad.get(key) is not None), None):
        note(existing, "cannot be used with what makes a new post")
        return None
    if isinstance(keys := ad.get("media_keys"), str):
        ad = {**ad, "media_keys": comma_list(keys) or [""]}
    values = {key: value for key, value in ad.items() if key not in NOT_OF_REQUEST}
    fields = _fields() | {"media", "card"}
    mistakes = [
        (key, f"is not a field of a new post{suggestion(key, fields)}") for key in values.keys() - _fields()
    ]
    card = ad.get("card")
    if card is not None and (mistake := _card_mistake(card, ad)):
        mistakes.append(("card", mistake))
    if "media_key" in ad:
        values["media_keys"] = [ad["media_key"]]
        if ad.get("media_keys") is not None:
            mistakes.append(("media_key", "cannot be used with media_keys"))
    if values.get("media_keys") is not None and not _are_texts(values["media_keys"]):
        is_one = "media_key" in ad
        what = "a media key" if is_one else "a list of media keys"
        mistakes.append(("media_key" if is_one else "media_keys", f"must be {what}"))
    names = ad.get("media", [])
    names = names if isinstance(names, list) else [names]
    if not _are_texts(names):
        mistakes.append(("media", "must be the name of a file, or a list of them"))
        names = []
    elif names and "media_keys" in values:
        mistakes.append(("media", "cannot be used with media keys"))
        names = []
    places = [name if is_remote(name) else str(folder / name) for name in names]
    digests = []
    for name, place in zip(names, places, strict=True):
        try:
            digests.append(place if is_remote(place) else _digest(place))
        except OSError as error:
            mistakes.append(("media", f"{name} cannot be read: {error.strerror}"))
    for key, text in mistakes:
        note(key, text)
    if mistakes:
        return None
    post = NewPost(values, names, places, "", None if card is None else dict(card), "", str(folder))
    if post.card:
        try:
            digests += _digests_in_card(post)
        except OSError as error:
            note("card", f"{error.filename} cannot be read: {error.strerror}")
            return None
        except ContentError as error:
            note("card", error.message)
            return None
        post.card_digest = _digest_of([post.card, digests, values.get("media_keys")])
    # The digest is the key in the memory of applies, of earlier versions too. A post that the file does not
    # change must keep it, or it is created again. So a post without a card is hashed without one.
    post.digest = _digest_of([values, digests] if post.card is None else [values, digests, post.card])
    return post


def has_changed(post: NewPost) -> bool:
    """Tell whether the files of a post are others than those that it was read with."""
    again = read_post(post.shown, Path(post.folder), lambda key, text: None)
    return again is None or again.digest != post.digest


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) and value for value in values)


def _digests_in_card(post: NewPost) -> list[str]:
    """Return digests of the files that a card names itself, such as those of its slides."""
    files = [reference.file for _, reference in card_of(post).references if reference.file not in post.places]
    return [file if is_remote(file) else _digest(file) for file in files]


def _digest_of(values: Any) -> str:
    text = json.dumps(values, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


@cache
def card_kinds() -> Mapping[str, tuple[type[Request], type[Request]]]:
    """Return the requests that create and list cards, by kind; those of components have none."""
    kinds = {kind.endpoint.command: kind for kind in requests_for("generic")}
    return {
        command.removeprefix("cards").removesuffix("create").strip(): (
            kind,
            kinds[f"{command.removesuffix('create')}list"],
        )
        for command, kind in kinds.items()
        if command.startswith("cards ") and command.endswith(" create")
    }


def _card_mistake(card: Any, ad: Mapping[str, Any]) -> str:
    """Return what is wrong with the card of a new post, before its values are looked at."""
    if not isinstance(card, Mapping):
        return CARD_WORDS
    name, keys = str(card.get("kind", "")), card.keys() - {"kind"}
    if name not in card_kinds():
        return f"kind {name!r} is not one of {', '.join(filter(None, card_kinds()))}"
    kind = card_kinds()[name][0]
    file_fields = media_file_fields(kind)
    field_names = {*kind.__struct_fields__, *file_fields} - {"account_id", "media"}
    is_short = not name and keys in SHORT_CARDS
    if not is_short and not (keys and (name or {"components", "slides"} & keys)):
        return CARD_WORDS
    if not is_short and (other := sorted(map(str, keys - field_names))):
        return f"{other[0]} is not a field of this card" + suggestion(other[0], field_names)
    if "website" in card and not str(card["website"]).startswith(("https://", "http://")):
        return "website must be an address, as in https://shop.example/mugs"
    if is_short and "app" in card and not isinstance(card["app"], Mapping):
        return "app must be a mapping, as in {country_code: DE, ios_app_store_identifier: '123'}"
    if not isinstance(card.get("components"), list | None):
        return "components must be a list"
    if "card_uri" in ad:
        return "cannot be used with card_uri"
    media = next((ad[key] for key in ("media", "media_key", "media_keys") if key in ad), None)
    if is_short and not media:
        return "needs media: what it shows above its title"
    if isinstance(media, list) and len(media) > 1 and file_fields["media"] == "media_key":
        return "takes one file or media key"
    return ""


@cache
def _fields() -> frozenset[str]:
    names = {*CreatePost.__struct_fields__, *CreatePostAsAdvertiser.__struct_fields__}
    return frozenset(names.difference(OWN))


def _digest(place: str) -> str:
    if not Path(place).is_file():
        raise OSError(2, "it is not a file", place)
    with Path(place).open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def find_posts(
    service: str, entries: Iterable[Entry], memory: ApplyMemory, note: Callable[..., None]
) -> None:
    """Give ads the posts that were created for them before; note what is wrong with those to be created."""
    for entry in each_entry([*entries]):
        if entry.post is None:
            continue
        if id := memory.ids.get(mark_of_post(entry.post)):
            entry.values["post_id"] = int(id)
            continue
        post, own = entry.post, dict(entry.post.values)
        if post.places:
            own["media_keys"] = [SOME_KEY] * len(post.places)
        if post.card:
            own.pop("media_keys", None)
            card = card_of(post)
            for problem in errors_in(check(card.kind, {"account_id": "-", **card.fields})[1]):
                note(entry, f"{problem.path}: {problem.message}", "card")
        for problem in errors_in(check(request_kind(service), {"account_id": "-", **own})[1]):
            note(entry, problem.message, problem.field)


def card_of(post: NewPost) -> CardRequest:
    """Return what makes the card of a post; its name tells it from all others."""
    assert post.card
    values = deepcopy(post.card)
    kind = card_kinds()[values.pop("kind", "")][0]
    title = values.get("name") or values.get("title") or values.get("button") or "Card"
    if "website" in values:
        website = {"type": "WEBSITE", "url": values["website"]}
        values = {"components": [{"type": "DETAILS", "title": values["title"], "destination": website}]}
    elif "app" in values:
        label = {"type": "ENUM", "value": values["button"]}
        app = {"type": "APP", **values["app"]}
        values = {"components": [{"type": "BUTTON", "label": label, "destination": app}]}
    references, keys = MediaReferences(kind), post.values.get("media_keys")
    if keys and "media_key" in kind.__struct_fields__:
        values["media_key"] = keys[0]
    elif keys:
        several = {"type": "SWIPEABLE_MEDIA", "media_keys": [*keys]}
        component = {"type": "MEDIA", "media_key": keys[0]}
        own = values.get("components") or []
        values["components"] = [component if len(keys) == 1 else several, *own]
    if post.names:
        values["media"] = [*post.names]
    references.take_record(values, post.folder)
    named = {"name": f"{str(title)[:60]} {post.card_digest[:12]}"}
    return CardRequest(kind, values | named, references)


def request_kind(service: str) -> type[Request]:
    """Return the request that creates a post."""
    return next(kind for kind in requests_for(service) if kind.endpoint.command == "posts create")


def mark_of_post(post: NewPost) -> Mark:
    """Return under what a post is remembered."""
    return Mark(POST, "", post.digest)


def make_post(
    client: "Client", account: str, post: NewPost, request: Request, memory: ApplyMemory, say: Say
) -> str:
    """Create a post, unless a run without a response has; return its id."""
    mark = mark_of_post(post)
    if lost := _found_lost(client, memory, mark, lambda: _find(client, account, post, memory), say):
        return lost
    return _create_once(client, request, memory, mark, "id", str.isdecimal)


def make_card(
    client: "Client", account: str, post: NewPost, request: Request, memory: ApplyMemory, say: Say
) -> str:
    """Create the card of a post, unless an earlier run has; return its address."""
    mark = Mark(CARD, "", post.card_digest)
    if known := memory.ids.get(mark):
        return known
    name = as_stored(str(getattr(request, "name", "")))
    listing = next(listed for kind, listed in card_kinds().values() if isinstance(request, kind))

    def find() -> str | None:
        for page in client.pages(convert(listing, {"account_id": account, "q": name})):
            for record in page.records:
                if as_stored(str(record.get("name"))) == name and record.get("card_uri"):
                    return str(record["card_uri"])
        return None

    if lost := _found_lost(client, memory, mark, find, say):
        return lost
    return _create_once(client, request, memory, mark, "card_uri", bool)


def _found_lost(
    client: "Client", memory: ApplyMemory, mark: Mark, find: Callable[[], str | None], say: Say
) -> str | None:
    """Return what a request without a response has created, once it is certain whether there is one."""
    if mark not in memory.lost:
        return None

    def look() -> tuple[str | None, list[Mark]]:
        record = find()
        return record, [] if record else [mark]

    if lost := look_for_lost(client, memory, look, say):
        memory.remember({mark: lost})
    return lost


def _create_once(
    client: "Client",
    request: Request,
    memory: ApplyMemory,
    mark: Mark,
    field: str,
    is_valid: Callable[[str], bool],
) -> str:
    """Send a request that creates, noted before it is sent; return a field of what it has created."""
    assert memory.journal
    batch = memory.next_batch()
    with memory.journal.attempt(batch, [mark.stored]) as on_send:
        response = client.exchange(client.prepare(request), on_send=on_send)
    record = response.neutral_data
    id = str((record.get(field) if isinstance(record, dict) else "") or "")
    if not is_valid(id):
        raise not_understood(f"the {mark.kind} has no {field}")
    memory.acknowledge(Acknowledgement(batch, {}), {mark: id})
    return id


def _find(client: "Client", account: str, post: NewPost, memory: ApplyMemory) -> str | None:
    """Return the newest post with a text that no ad of a file has."""
    remembered = {id for (kind, *_), id in memory.ids.items() if kind == POST}
    author = {"user_id": post.values["as_user_id"]} if post.values.get("as_user_id") else {}
    published = {"account_id": account, "post_type": "PUBLISHED", "timeline_type": "ALL", **author}
    ids = [
        str(record.get("id"))
        for record in list_all(client, ListPosts, **published)
        if _has_text(record, post)
    ]
    return max((id for id in ids if id not in remembered and id.isdecimal()), key=int, default=None)


def _has_text(record: Mapping[str, Any], post: NewPost) -> bool:
    own, shown = (as_stored(str(text or "")) for text in (post.values.get("text"), record.get("full_text")))
    return shown == own or shown.startswith(f"{own} {LINK}".lstrip())


def new_posts(entries: Iterable[Entry]) -> Iterator[tuple[Entry, NewPost]]:
    """Yield the ads whose posts are not created yet, each post once."""
    seen = set()
    for entry in entries:
        post = entry.post
        if post and entry.values["post_id"] == post.stand_in and post.digest not in seen:
            seen.add(post.digest)
            yield entry, post
