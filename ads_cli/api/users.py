"""People, sent to custom audiences and to do-not-reach lists; the bodies are packed elsewhere."""

from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .endpoint import endpoint
from .rates import AUDIENCE_USERS
from .time import Time
from .types import Id, InAccount
from .validation import rule

MOST_OPERATIONS = 2500  # in a request
MOST_BYTES = 5_000_000  # of a request's body

Digest = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}\Z", extra={"expected": "a SHA-256 hash, 64 hex digits in lower case"})
]
Digests = Annotated[list[Digest], Meta(min_length=1)]
Identifiers = Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1)]


class User(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Somebody, by any identifiers; all but the partner's own are hashed."""

    email: Digests | None = None
    device_id: Digests | None = None
    handle: Digests | None = None
    platform_id: Digests | None = None
    phone_number: Digests | None = None
    partner_user_id: Identifiers | None = None

    @rule("")
    def has_an_identifier(self) -> str | None:
        """Hold a user to an identifier at least."""
        hashed = self.email or self.device_id or self.handle or self.platform_id or self.phone_number
        return None if hashed or self.partner_user_id else "needs an identifier"


class UnreachedUser(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Somebody who is not to be reached."""

    email: Digests | None = None
    phone_number: Digests | None = None

    @rule("")
    def has_an_identifier(self) -> str | None:
        """Hold a user to an identifier at least."""
        return None if self.email or self.phone_number else "needs an e-mail address or a phone number"


class Stay(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Until when users are in."""

    expires_at: Time | None = None

    @rule("expires_at")
    def expires_later(self) -> str | None:
        """Keep the end behind the beginning."""
        begins = getattr(self, "effective_at", None)
        if self.expires_at is None:
            return None
        if begins is not None:
            return None if self.expires_at.moment > begins.moment else "must be later than effective_at"
        return None if self.expires_at.moment > datetime.now(UTC) else "must be later than now"


class Params(Stay, kw_only=True):
    """Who comes or goes, and from when to when."""

    users: Annotated[list[User], Meta(min_length=1)]
    effective_at: Time | None = None


class UnreachedParams(Stay, kw_only=True):
    """Who comes or goes, and until when."""

    users: Annotated[list[UnreachedUser], Meta(min_length=1)]


class Operation(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Users who come to a custom audience, or go."""

    operation_type: Literal["Update", "Delete"]
    params: Params


class UnreachedOperation(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Users who come to a do-not-reach list, or go."""

    operation_type: Literal["Update", "Delete"]
    params: UnreachedParams


@endpoint(
    "POST /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users",
    "",
    params_in="json",
    retry=True,
    rate=AUDIENCE_USERS,
    sensitive=True,
)
class UpdateAudienceUsers(InAccount):
    """Add users to a custom audience, or take them away."""

    custom_audience_id: Annotated[Id, Meta(extra={"option": "audience"})]


@endpoint(
    "POST /12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users",
    "",
    params_in="json",
    retry=True,
    sensitive=True,
)
class UpdateDoNotReachUsers(InAccount):
    """Add users to a do-not-reach list, or take them away."""

    do_not_reach_list_id: Annotated[Id, Meta(extra={"option": "list"})]
