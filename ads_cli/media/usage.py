"""Which media of a library nothing of its account shows.

The service has no list of it. Whatever of an account may show media is read, and media are in use where a
record names their key, their number or their address anywhere. A published post does not name its media:
the library says of these that they were posted. Nor does a conversation card name what it unlocks: that is
known of cards whose changes are in the log of this machine. Of other cards it is known that they unlock
nothing that came into the library after they were last changed.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec

from ..api.accounts import ListPromotableUsers
from ..api.cards import ListCards
from ..api.conversations import ListImageConversations, ListPolls, ListVideoConversations
from ..api.endpoint import Request
from ..api.media import ListAccountMedia, ListLibraryMedia
from ..api.names import to_neutral
from ..api.posts import ListDrafts, ListPosts, ListScheduledPosts
from ..api.promoted import ListMediaCreatives
from ..client.client import Client
from ..errors import UnavailableError
from ..spelling import as_stored

LIBRARY_PAGE = 50
SEARCHED = ("name", "title", "file_name", "description")  # by `q`
OLDER_CARDS = (ListImageConversations, ListVideoConversations, ListPolls)
UNLOCKED_TYPES = ("IMAGE", "VIDEO")
SOON_SECONDS = 120  # a request may take as long, and clocks differ
UNLOCKED = ("unlocked_image_media_key", "unlocked_video_media_key")
CONVERSATIONS = (ListImageConversations, ListVideoConversations)


class Usage:
    """What of an account shows media, as it was read. Raises AdsctlError if anything cannot be read."""

    def __init__(self, client: Client, account: str) -> None:
        self._client, self._account = client, account
        # Cards that may unlock media, which the service does not tell, and when each was last changed.
        self.conversations: dict[str, str] = {}
        self._named: set[str] = set()
        self._made_here: set[str] = set()  # ids of the log
        self._changed_here: dict[str, str] = {}
        self._read()

    def add_unlocked(self, changes: list[dict[str, Any]]) -> None:
        """Count what logged changes made the conversation cards unlock."""
        for change in changes:
            ids, fields = change.get("ids") or (), change.get("fields") or {}
            if not ids or not self.conversations.keys().isdisjoint(ids):
                self._named.update(str(fields[name]) for name in UNLOCKED if fields.get(name))
            if change.get("outcome") == "ok":
                self._changed_here |= dict.fromkeys(map(str, ids), str(change.get("time") or ""))
                if change.get("method") == "POST":
                    self._made_here.update(map(str, ids))

    @property
    def made_elsewhere(self) -> dict[str, str]:
        """The conversation cards of which it is not known what they unlock, and when each was changed."""
        return {
            id: changed
            for id, changed in self.conversations.items()
            if id not in self._made_here or not _is_soon_after(changed, self._changed_here[id])
        }

    def may_be_unlocked(self, media: dict[str, Any]) -> bool:
        """Tell whether a conversation card that was made or changed elsewhere may unlock media."""
        own = to_neutral(media)
        since, changed = own.get("created_at"), self.made_elsewhere.values()
        if own.get("media_type") not in UNLOCKED_TYPES or not changed:
            return False
        return not isinstance(since, str) or any(not when or since <= when for when in changed)

    def unused(self, media: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return those of some media of the library that nothing shows."""
        return [
            record
            for record in media
            if to_neutral(record).get("posted") is False and not self._named & _names(record)
        ]

    def _read(self) -> None:
        posts = [record for kind in (ListDrafts, ListScheduledPosts) for record in self._of_users(kind)]
        creatives = self._not_deleted(ListMediaCreatives(account_id=self._account))
        media = self._all_pages(ListAccountMedia(account_id=self._account, with_deleted=True))
        kept = {item.get("account_media_id") for item in creatives}
        cards = self._cards()
        shown = [*posts, *(item for item in media if not item.get("deleted") or item.get("id") in kept)]
        shown += [item for item in cards if not item.get("deleted")]
        deleted = [item for item in cards if item.get("deleted")]
        if deleted:  # posts keep their card
            published = self._of_users(ListPosts, post_type="PUBLISHED", timeline_type="ALL")
            uris = {item.get("card_uri") for item in (*posts, *published)}
            shown += [item for item in deleted if item.get("card_uri") in uris]
        for record in shown:
            self._named.update(map(_plain, _texts(record)))
        for item in library(self._client, ListLibraryMedia(account_id=self._account)):
            if poster := item.get("poster_media_key"):
                self._named.add(str(poster))

    @cached_property
    def _users(self) -> tuple[int, ...]:
        users = self._not_deleted(ListPromotableUsers(account_id=self._account))
        return tuple(dict.fromkeys(int(user["user_id"]) for user in users if user.get("user_id")))

    def _cards(self) -> list[dict[str, Any]]:
        of_all = ListCards(account_id=self._account, include_legacy_cards=True, with_deleted=True)
        cards = self._all_pages(of_all)
        for kind in OLDER_CARDS:
            every_card = self._all_pages(kind(account_id=self._account, with_deleted=True))
            if kind in CONVERSATIONS:
                live = [card for card in every_card if not card.get("deleted")]
                self.conversations |= {
                    str(card.get("id")): str(card.get("updated_at") or "") for card in live
                }
            cards += every_card
        return cards

    def _of_users(self, kind: Any, **values: Any) -> list[dict[str, Any]]:
        """List posts of every user that may post for the account."""
        if kind is ListPosts:
            values["include_mentions_and_replies"] = True
        requests = [kind(account_id=self._account, user_id=id, **values) for id in self._users or (None,)]
        return [record for request in requests for record in self._all_pages(request)]

    def _not_deleted(self, request: Request) -> list[dict[str, Any]]:
        return [record for record in self._all_pages(request) if not record.get("deleted")]

    def _all_pages(self, request: Request) -> list[dict[str, Any]]:
        return [to_neutral(record) for record in _records(self._client, request)]


def library(client: Client, listing: ListLibraryMedia) -> list[dict[str, Any]]:
    """List all media of the library that a request is for, as the service names their fields."""
    request = msgspec.structs.replace(listing, count=LIBRARY_PAGE)
    records = _records(client, request)
    if any(not isinstance(record.get("media_key"), str) for record in records):
        raise UnavailableError("the service listed media without a key")
    return [record for record in records if _is_meant(to_neutral(record), listing)]


def _is_meant(media: dict[str, Any], listing: ListLibraryMedia) -> bool:
    """Whether the filters of a list let media through: a service that ignores one lists others too."""
    texts = as_stored(" ".join(str(media.get(name) or "") for name in SEARCHED)).casefold()
    words = as_stored(listing.q or "").casefold().split()
    return listing.media_type in (None, media.get("media_type")) and all(word in texts for word in words)


def _records(client: Client, request: Request) -> list[dict[str, Any]]:
    """Fetch all pages of a list; raise UnavailableError where one is none."""
    records: list[dict[str, Any]] = []
    for page in client.pages(request):
        if not (isinstance(page.data, list) and all(isinstance(record, dict) for record in page.data)):
            command = request.endpoint.command
            raise UnavailableError(f"the answer to '{command}' is no list: what shows media is not known")
        records += page.data
    return records


def _names(media: dict[str, Any]) -> set[str]:
    """Return what records may name media by: its key, its number, its address."""
    key = media["media_key"]
    names = {key, key.partition("_")[2] or key}
    return names | {_plain(url) for url in [media.get("media_url")] if url}


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and numbers in a record, however deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str) or type(item) is int:
            yield str(item)


def _is_soon_after(changed: str, logged: str) -> bool:
    """Tell whether a change at the service is the logged one, or an earlier one."""
    try:
        apart = datetime.fromisoformat(changed) - datetime.fromisoformat(logged)
        return apart.total_seconds() <= SOON_SECONDS
    except (TypeError, ValueError):
        return False


def _plain(text: str) -> str:
    """Return an address without its scheme and query; another text as it is."""
    scheme, mark, rest = text.partition("://")
    return rest.partition("?")[0] if mark and scheme in ("http", "https") else text
