"""The secrets of one call, read only when a request needs them, and never shown."""

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ..client.credentials import Credentials
from ..config.addresses import ADDRESSES
from ..config.settings import Settings
from ..errors import AccessError, StateError
from ..spelling import as_variable
from .secret_stores import Secret, SecretStore, open_store


class Found(NamedTuple):
    """A secret, and where it was found, in words."""

    secret: Secret
    origin: str


class Secrets:
    """Finds secrets: environment, then the store that the profile signed in with."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.prefers_store = settings.profile_outranks_environment

    @cached_property
    def store(self) -> SecretStore:
        """Open the store that is chosen: by variable, by the profile, else the OS keyring."""
        settings = self._settings
        return open_store(settings.get("token_store") or "", settings.state_dir, settings.config_dir)

    @property
    def has_store(self) -> bool:
        """Tell whether something may be stored: without a choice, nothing ever was."""
        chosen = self._settings.find("token_store")
        return chosen is not None and chosen.origin != "default"

    def find(self, name: str) -> Found | None:
        """Find a secret; raise AccessError where it was issued for other addresses."""
        places = [self._in_environment, self._in_store]
        if self.prefers_store:
            places.reverse()
        return next(filter(None, (look(name) for look in places)), None)

    def _in_store(self, name: str) -> Found | None:
        settings = self._settings
        if not self.has_store or (secret := self.store.get(settings.profile, name)) is None:
            return None
        for base in ADDRESSES:
            address = (settings.get(base) or "").rstrip("/")
            if address and address not in secret.addresses:
                kind = name.replace("_", " ")
                raise AccessError(
                    f"the stored {kind} was not issued for {address}, and is not sent there",
                    hint=f"run: adsctl auth login --profile {settings.profile}",
                )
        return Found(secret, f"stored ({settings.get('token_store')})")

    def user(self) -> Credentials:
        """Gather the four secrets of a signed request; raise AccessError where one is missing."""
        found = {name: self.find(name) for name in Credentials._fields}
        values = {name: each.secret.value for name, each in found.items() if each}
        if len(values) == len(found):
            return Credentials(**values)
        missing = ", ".join(as_variable(name) for name in found if name not in values)
        raise AccessError(
            "not signed in",
            hint=f"run: adsctl auth login --profile {self._settings.profile}; or set {missing} "
            "(or each with _FILE); to try things out on this machine, add --profile local",
        )

    def app(self) -> tuple[str, str] | None:
        """Give the consumer key and secret, where both are known."""
        key, secret = self.find("consumer_key"), self.find("consumer_secret")
        return (key.secret.value, secret.secret.value) if key and secret else None

    def _in_environment(self, name: str) -> Found | None:
        """Read a secret from its variable, or from the file that its `_FILE` variable names."""
        environ, variable = self._settings.environ, as_variable(name)
        if value := environ.get(variable):
            return Found(Secret(value), variable)
        if path := environ.get(f"{variable}_FILE"):
            try:
                value = Path(path).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise StateError(f"{variable}_FILE: {path} cannot be read: {error}") from error
            return Found(Secret(value), f"{variable}_FILE") if value else None
        return None
