"""The keys and tokens that sign a request."""

from typing import NamedTuple


class Credentials(NamedTuple):
    """What signs a request with OAuth 1.0a, in a user's name."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    def __repr__(self) -> str:
        return "Credentials(***)"
