"""The keys and tokens that sign a request."""

from typing import NamedTuple


class Credentials(NamedTuple):
    """The four secrets of an OAuth 1.0a signature by a user."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    def __repr__(self) -> str:
        return "Credentials(***)"
