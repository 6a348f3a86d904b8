"""What requests of a user are authenticated with: keys of OAuth 1.0a, or a token of OAuth 2.0."""

from typing import NamedTuple, Protocol


class UserKeys(NamedTuple):
    """The four secrets of an OAuth 1.0a signature by a user."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    @property
    def holder(self) -> str:
        """Whom the limits of the service count for."""
        return self.access_token

    def __repr__(self) -> str:
        return "UserKeys(***)"


class RenewedToken(Protocol):
    """A bearer token of a user, which is renewed when it expires."""

    holder: str  # whom the limits of the service count for, whichever token is current

    @property
    def access_token(self) -> str:
        """The current token; an expired one is renewed first."""

    def renew(self, rejected: str) -> str:
        """Return another token than the one that the service rejected; raise AccessError if there is none."""


Credentials = UserKeys | RenewedToken
