"""What a person knows the ads of a plan by: the texts of their posts, the names of their files."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..api.media import GetLibraryMedia, ListAccountMedia
from ..api.posts import ListPosts
from ..errors import AdsctlError
from .account import chunks, list_all
from .kinds import MEDIA, POST, SCHEDULED_POST, Kind
from .model import Entry, Stored
from .plan import CampaignPlan

if TYPE_CHECKING:
    from ..client.client import Client

POST_TYPES = {POST: "PUBLISHED", SCHEDULED_POST: "SCHEDULED"}
MOST_FILES = 20  # whose names are asked for, one by one


def ad_names(client: "Client", account: str, plan: CampaignPlan) -> dict[str, str]:
    """Return texts and names by the ids of the posts and media of a plan, as `names_of_ads` does."""
    return names_of_ads(client, account, {kind: _ids(kind, plan) for kind in (*POST_TYPES, MEDIA)})


def names_of_ads(client: "Client", account: str, ids: Mapping[Kind, Sequence[str]]) -> dict[str, str]:
    """Return texts and names by the ids of posts and media; those that cannot be read are left out."""
    names: dict[str, str] = {}
    with suppress(AdsctlError):
        names.update(_post_texts(client, account, ids))
    with suppress(AdsctlError):
        names.update(_file_names(client, account, {*ids[MEDIA][:MOST_FILES]}))
    return names


def _post_texts(
    client: "Client", account: str, ids: Mapping[Kind, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    for kind, type_ in POST_TYPES.items():
        for some in chunks(ids[kind]):
            query = {"post_type": type_, "timeline_type": "ALL", "post_ids": some}
            for post in list_all(client, ListPosts, account_id=account, **query):
                yield str(post.get("id")), str(post.get("full_text") or post.get("text") or "")


def _file_names(client: "Client", account: str, ids: Collection[str]) -> Iterator[tuple[str, str]]:
    if not ids:
        return
    for media in list_all(client, ListAccountMedia, account_id=account):
        if media.get("id") in ids and (key := media.get("video_id")):
            stored = client.call(GetLibraryMedia(account_id=account, media_key=str(key))).neutral_data
            yield str(media["id"]), str(stored.get("file_name") or stored.get("name") or "")
        elif media.get("id") in ids:
            yield str(media["id"]), str(media.get("media_url")).rpartition("/")[2]


def _ids(kind: Kind, plan: CampaignPlan) -> list[str]:
    """Return the ids of the posts or media of one kind of ads, each once."""
    records: list[Stored | Entry | None] = [change.stored or change.entry for change in plan.changes]
    values = (
        record.fields if isinstance(record, Stored) else record.values
        for record in (*records, *plan.staying)
        if record and record.kind is kind and not (isinstance(record, Entry) and record.post)
    )
    return [*dict.fromkeys(str(fields.get(kind.own_fields[0])) for fields in values)]
