"""Poll cards."""

from typing import Annotated

from msgspec import Meta

from .cards import ListOlderCards, OneCard
from .conditions import requires
from .endpoint import endpoint
from .types import Id, InAccount, Name

POLL_COLUMNS = "id name first_choice second_choice end_time card_uri deleted"
Choice = Annotated[str, Meta(min_length=1, max_length=25)]
Minutes = Annotated[int, Meta(ge=5, le=10080, description="How long the poll runs, in minutes")]
PollMedia = Annotated[
    Id, Meta(description="A video, or an image of 1.91:1 and 800 px or wider, from the media library")
]


@endpoint(
    "GET /12/accounts/{account_id}/cards/poll",
    "cards poll list",
    columns=POLL_COLUMNS,
    example="--q Favourite",
)
class ListPolls(ListOlderCards):
    """List poll cards."""


@endpoint(
    "GET /12/accounts/{account_id}/cards/poll/{card_id}",
    "cards poll get",
    columns=POLL_COLUMNS,
    example="7cqt1",
)
class GetPoll(OneCard):
    """Show one poll card."""


@endpoint(
    "POST /12/accounts/{account_id}/cards/poll",
    "cards poll create",
    columns=POLL_COLUMNS,
    example="--name 'Tea or coffee' --duration-in-minutes 1440 --first-choice Tea --second-choice Coffee",
)
@requires("fourth_choice", "third_choice")
class CreatePoll(InAccount):
    """Create a poll card; it cannot be updated afterwards."""

    name: Name
    duration_in_minutes: Minutes
    first_choice: Choice
    second_choice: Choice
    third_choice: Choice | None = None
    fourth_choice: Choice | None = None
    media_key: PollMedia | None = None


@endpoint(
    "DELETE /12/accounts/{account_id}/cards/poll/{card_id}",
    "cards poll delete",
    columns=POLL_COLUMNS,
    confirm_prompt="Delete the poll card {card_id}; this cannot be undone",
    example="7cqt1",
)
class DeletePoll(InAccount):
    """Delete a poll card; this cannot be undone."""

    card_id: Id
