"""Users of custom audiences and do-not-reach lists, as the service validates them.

A push does not pass through these types: ads_cli/audiences builds its bodies from hashed rows.
"""

from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .endpoint import endpoint
from .rates import AUDIENCE_USERS, Rate
from .time import Time
from .types import Id, InAccount
from .validation import rule

MAX_OPERATIONS = 2500  # in a request of either kind
MAX_BODY_BYTES = 5_000_000  # of a request's body

Digest = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}\Z", extra={"expected": "a SHA-256 hash, 64 hex digits in lower case"})
]
Digests = Annotated[list[Digest], Meta(min_length=1)]
Identifiers = Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1)]


class User(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A user by any identifiers; all but partner_user_id are hashed."""

    email: Digests | None = None
    device_id: Digests | None = None
    handle: Digests | None = None
    platform_id: Digests | None = None
    phone_number: Digests | None = None
    partner_user_id: Identifiers | None = None

    @rule("")
    def has_an_identifier(self) -> str | None:
        """Require an identifier."""
        hashed = self.email or self.device_id or self.handle or self.platform_id or self.phone_number
        return None if hashed or self.partner_user_id else "needs an identifier"


class DoNotReachUser(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A user who sees no ads."""

    email: Digests | None = None
    phone_number: Digests | None = None

    @rule("")
    def has_an_identifier(self) -> str | None:
        """Require an identifier."""
        return None if self.email or self.phone_number else "needs an e-mail address or a phone number"


class Membership(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How long users are members."""

    expires_at: Time | None = None

    @rule("expires_at")
    def expires_later(self) -> str | None:
        """Require an end in the future."""
        is_past = self.expires_at is not None and self.expires_at.moment <= datetime.now(UTC)
        return "must be later than now" if is_past else None


class AudienceParams(Membership, kw_only=True):
    """Users to add or remove, and their membership."""

    users: Annotated[list[User], Meta(min_length=1)]
    effective_at: Time | None = None

    @rule("expires_at")
    def expires_after_start(self) -> str | None:
        """Require an end after the start."""
        if self.expires_at is None or self.effective_at is None:
            return None
        is_earlier = self.expires_at.moment <= self.effective_at.moment
        return "must be later than effective_at" if is_earlier else None


class DoNotReachParams(Membership, kw_only=True):
    """Users to add or remove, and the end of their membership."""

    users: Annotated[list[DoNotReachUser], Meta(min_length=1)]


class AudienceOperation(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Add users to a custom audience, or remove them."""

    operation_type: Literal["Update", "Delete"]
    params: AudienceParams


class DoNotReachOperation(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Add users to a do-not-reach list, or remove them."""

    operation_type: Literal["Update", "Delete"]
    params: DoNotReachParams


@endpoint(
    "POST /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users",
    "audiences push",
    params_in="json",
    retry=True,
    rate=AUDIENCE_USERS,
    x_rate=msgspec.structs.replace(AUDIENCE_USERS, per="account"),
    sensitive=True,
)
class UpdateAudienceUsers(InAccount):
    """Add users to a custom audience, or remove them."""

    custom_audience_id: Annotated[Id, Meta(extra={"option": "audience"})]


@endpoint(
    "POST /12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users",
    "audiences do-not-reach push",
    params_in="json",
    retry=True,
    x_rate=Rate("do-not-reach-users", 1500, 60.0, "account"),
    sensitive=True,
)
class UpdateDoNotReachUsers(InAccount):
    """Add users to a do-not-reach list, or remove them."""

    do_not_reach_list_id: Annotated[Id, Meta(extra={"option": "list"})]
