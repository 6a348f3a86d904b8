"""The secrets of one call, read only when a request needs them, and never shown."""

from pathlib import Path
from typing import NamedTuple

from ..errors import AccessError, StateError
from ..settings import Settings


class Credentials(NamedTuple):
    """What signs a request with OAuth 1.0a, in a user's name."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    def __repr__(self) -> str:
        return "Credentials(***)"


def find_secret(settings: Settings, name: str) -> str | None:
    """Read a secret from its variable, or from the file that its `_FILE` variable names."""
    if settings.isolated:
        return None
    variable = f"ADSCTL_{name.upper()}"
    if value := settings.environ.get(variable):
        return value
    if path := settings.environ.get(f"{variable}_FILE"):
        try:
            return Path(path).read_text(encoding="utf-8").strip() or None
        except (OSError, UnicodeDecodeError) as error:
            raise StateError(f"{variable}_FILE: {path} cannot be read: {error}") from error
    return None


def user_credentials(settings: Settings) -> Credentials:
    """Gather the four secrets of a signed request; raise AccessError where one is missing."""
    found = {name: find_secret(settings, name) for name in Credentials._fields}
    missing = [f"ADSCTL_{name.upper()}" for name, value in found.items() if value is None]
    if missing:
        aside = (
            "the environment's secrets are left aside, since --profile names a profile"
            if settings.isolated
            else f"set {', '.join(missing)} (or each with _FILE)"
        )
        raise AccessError(
            "not signed in", hint=f"{aside}; to try things out on this machine, add --profile local"
        )
    return Credentials(**{name: value or "" for name, value in found.items()})
