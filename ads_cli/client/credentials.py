"""The keys and tokens that sign a request."""

from typing import NamedTuple


class Credentials(NamedTuple):
    """The four secrets of an OAuth 1.0a signature by a user."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    @property
    def user(self) -> str:
        """What identifies the user: the id with which a token begins, else the whole token."""
        id, dash, _ = self.access_token.partition("-")
        return id if dash and id.isdecimal() else self.access_token

    def __repr__(self) -> str:
        return "Credentials(***)"
