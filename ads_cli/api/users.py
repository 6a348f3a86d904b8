"""People, sent to custom audiences and to do-not-reach lists; the bodies are packed elsewhere."""

from .endpoint import endpoint
from .rates import AUDIENCE_USERS
from .types import Id, InAccount


@endpoint(
    "POST /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users",
    "",
    travels="json",
    retry=True,
    rate=AUDIENCE_USERS,
    private=True,
)
class UpdateAudienceUsers(InAccount):
    """Add users to a custom audience, or take them away."""

    custom_audience_id: Id


@endpoint(
    "POST /12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users",
    "",
    travels="json",
    retry=True,
    private=True,
)
class UpdateDoNotReachUsers(InAccount):
    """Add users to a do-not-reach list, or take them away."""

    do_not_reach_list_id: Id
