"""Make the posts of ads that a file of campaigns has with text and media."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...api.endpoint import Request
from ...api.media_uploads import InitializeUpload
from ...api.validation import convert
from ...campaigns.memory import ApplyMemory
from ...campaigns.model import Entry, NewPost
from ...campaigns.new_posts import card_of, has_changed, make_card, make_post, new_posts, request_kind
from ...campaigns.plan import CampaignPlan
from ...console.invocation import Invocation
from ...errors import AdsctlError, ContentError, RefusedError
from ...media.references import MediaReferences
from ..media.references import check_references, upload_references


class DuePost(NamedTuple):
    """A post to be made, for the first ad that needs it."""

    entry: Entry
    post: NewPost
    request: Request
    card: Request | None  # is created before
    references: MediaReferences  # to its files, in the request of the card where there is one


class Posting:
    """The posts that a plan needs.

    `requests` and `check` come before `make`, which puts media keys into the same requests. Until `make` has
    ended, changes name posts that do not exist yet by numbers that must not be sent: a failure ends the run.
    """

    def __init__(self, call: Invocation, plan: CampaignPlan, *, resume: bool) -> None:
        self._call, self._plan = call, plan
        self._say = call.messages.say if resume else None  # of what may be waited for
        self._due: list[DuePost] = []
        kind, account = request_kind(call.settings.service), {"account_id": call.account}
        for entry, post in new_posts(change.entry for change in plan.changes if change.entry):
            values, card = dict(post.values), None
            if post.card:
                values.pop("media_keys", None)
                of_card = card_of(post)
                references = of_card.references
                card = convert(of_card.kind, {**account, **of_card.fields})
            else:
                references = MediaReferences(kind)
                if post.places:
                    options: dict[str, Any] = {"media": post.places}
                    references.take_options(options)
                    values["media_keys"] = options["media_keys"].split(",")
            request = convert(kind, {**account, **values})
            self._due.append(DuePost(entry, post, request, card, references))

    def requests(self) -> Iterator[Request]:
        """Yield what the guard is to judge: all that may be sent, each file and card once for each post."""
        upload = InitializeUpload(media_type="image/png", media_category="tweet_image", total_bytes=1)
        for due in self._due:
            yield from (upload for _ in due.references)
            yield from filter(None, (due.card, due.request))

    def check(self) -> None:
        """Raise ContentError where a file breaks a rule of media."""
        for due in self._due:
            check_references(self._call, due.card or due.request, due.references)

    def make(self, memory: ApplyMemory) -> None:
        """Upload all files, then create the posts, and give their ids to the ads."""
        for due in self._due:
            upload_references(self._call, due.card or due.request, due.references)
        for due in self._due:
            if has_changed(due.post):
                words = "a file of its post has changed since the plan was made"
                raise ContentError(f"{due.entry.path}: {words}", hint="no post was made; run it again")
        post_ids, client, account = {}, self._call.client, self._call.account
        for entry, post, request, card, _ in self._due:
            try:
                if card:
                    uri = make_card(client, account, post, card, memory, self._say)
                    request = replace(request, card_uri=uri)
                post_ids[post.digest] = int(make_post(client, account, post, request, memory, self._say))
            except RefusedError as error:
                error.message = f"{entry.path}: {error.message}"
                raise
            except AdsctlError as error:
                error.hint = error.hint or "run it again with --resume: nothing is created twice"
                raise
        for change in self._plan.changes:
            entry_of = change.entry
            if entry_of and entry_of.post and entry_of.post.digest in post_ids:
                change.values["post_id"] = entry_of.values["post_id"] = post_ids[entry_of.post.digest]
