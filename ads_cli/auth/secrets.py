"""The secrets of one invocation, read when a request needs them."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..client.prepared_request import Credentials, UserKeys
from ..config.addresses import ADDRESSES, is_same_address
from ..config.settings import Settings
from ..errors import AccessError, StateError
from ..masking import Mask
from ..spelling import as_variable
from . import CLIENT_SECRET, GRANT, MAX_GRANT_LENGTH, MAX_SECRET_LENGTH, Secret, check_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .grants import Send
    from .secret_stores import SecretStore


def refuse_grant(settings: Settings) -> None:
    """Raise AccessError for a profile whose sign-in cannot be used on several machines."""
    if settings.uses_grant:
        raise AccessError(
            f"the profile {settings.profile} is signed in by OAuth 2.0, which is for one machine: "
            "its refresh token changes with every use",
            hint=f"sign in by OAuth 1.0a: adsctl auth login --profile {settings.sign_in_profile}",
        )


class FoundSecret(msgspec.Struct, frozen=True):
    """A secret, and where it was found, for the user."""

    secret: Secret
    origin: str


class Secrets:
    """Finds secrets in the environment, then in the store that the profile signed in with."""

    def __init__(self, settings: Settings, mask: Mask, files: dict[str, str]) -> None:
        self._settings = settings
        self._mask = mask  # learns every secret that is found
        self._files = files  # the contents of files that were read, by their variables
        self.prefers_store = settings.profile_outranks_environment
        self.replaces_stored = False  # what is stored and cannot be read is as if it were not there

    @cached_property
    def store(self) -> "SecretStore":
        """The store chosen by variable or profile, by default the OS keyring."""
        return self.open(self._settings.get("token_store") or "")

    def open(self, kind: str) -> "SecretStore":
        """Open the store `keyring` or `file`; raise StateError for another one."""
        from .secret_stores import open_store

        return open_store(kind, self._settings.state_dir, self._settings.config_dir)

    @property
    def stores(self) -> "Iterator[SecretStore]":
        """The store that the profile names, and the one that was chosen in its place."""
        settings = self._settings
        named = settings.profile_values(settings.sign_in_profile).get("token_store")
        chosen = settings.get("token_store") if self.has_store else None
        return map(self.open, dict.fromkeys(str(kind) for kind in (named, chosen) if kind))

    @property
    def has_store(self) -> bool:
        """Whether a store was chosen; without one, nothing was ever stored."""
        chosen = self._settings.find("token_store")
        return chosen is not None and chosen.origin != "default"

    def find(self, name: str) -> FoundSecret | None:
        """Find a secret; raise AccessError if it was issued for another address."""
        sources = [self._from_environment, self._from_store]
        if self.prefers_store:
            sources.reverse()
        stored = next(filter(None, (source(name) for source in sources)), None)
        if stored:
            self._mask.add(stored.secret.value)
        return stored

    def _from_store(self, name: str) -> FoundSecret | None:
        settings = self._settings
        if not self.has_store or (secret := self._stored(name)) is None:
            return None
        for base in ADDRESSES:
            address = (settings.get(base) or "").rstrip("/")
            if address and not any(is_same_address(address, bound) for bound in secret.addresses):
                shown = name.replace("_", " ")
                raise AccessError(
                    f"the stored {shown} was not issued for {address} and is not sent there",
                    hint=f"run: {settings.sign_in_command()}",
                )
        origin = f"stored ({settings.get('token_store')})"
        longest = MAX_GRANT_LENGTH if name == GRANT else MAX_SECRET_LENGTH
        value = check_secret(secret.value, f"the {origin} {name.replace('_', ' ')}", max_length=longest)
        return FoundSecret(msgspec.structs.replace(secret, value=value), origin)

    def _stored(self, name: str) -> Secret | None:
        from .secret_stores import UnreadableSecretError

        try:
            return self.store.get(self._settings.sign_in_profile, name)
        except UnreadableSecretError:
            if self.replaces_stored:
                return None
            raise

    def user(self, send: "Send | None" = None) -> Credentials:
        """Return what signs as the user; raise AccessError if it is missing.

        `send` renews a token that has expired; without it, what is returned is not used for requests.
        """
        settings = self._settings
        if settings.uses_grant:
            from .grants import RenewedGrant

            return RenewedGrant(
                self.store,
                settings.sign_in_profile,
                self.stored_grant,
                self.client_secret,
                send,
                self._mask,
                lambda grant: settings.sign_in_command(read_only=grant.is_read_only),
            )
        setting = {name: self.find(name) for name in UserKeys._fields}
        values = {name: origin.secret.value for name, origin in setting.items() if origin}
        if len(values) == len(setting):
            return UserKeys(**values)
        missing = ", ".join(as_variable(name) for name in setting if name not in values)
        raise AccessError(
            "not signed in",
            hint=f"run: adsctl auth login --profile {settings.sign_in_profile}; or set {missing} "
            "(also with _FILE); to try adsctl on this machine, add --profile local",
        )

    def client_secret(self) -> str | None:
        """Return the secret of the profile's app; None of a public one, whatever the environment has."""
        stored = self.find(CLIENT_SECRET) if self._from_store(CLIENT_SECRET) else None
        return stored.secret.value if stored else None

    def client_secret_of(self, client_id: str) -> str | None:
        """Return the secret to sign in with an app: of the environment, or the stored one of this app."""
        stored = self._from_environment(CLIENT_SECRET)
        if not stored and client_id == self._settings.client_id:
            stored = self._from_store(CLIENT_SECRET)
        if stored:
            self._mask.add(stored.secret.value)
        return stored.secret.value if stored else None

    def stored_grant(self) -> Secret:
        """Return the secret of the grant, as it is stored now."""
        if stored := self._from_store(GRANT):
            return stored.secret
        command = self._settings.sign_in_command()
        raise AccessError("not signed in: no sign-in by OAuth 2.0 is stored", hint=f"run: {command}")

    @property
    def user_id(self) -> str:
        """What identifies the user: the id in the token, or of its owner, else the token."""
        user = self.user()
        if not isinstance(user, UserKeys):
            return user.holder
        token, setting = user.access_token, self.find("access_token")
        id, dash, _ = token.partition("-")
        owner = setting.secret.owner.rpartition("(")[2].rstrip(")") if setting else ""
        return id if dash and id.isdecimal() else owner or token

    def app(self) -> tuple[str, str] | None:
        """Return the consumer key and secret, or None if one is missing."""
        key, secret = self.find("consumer_key"), self.find("consumer_secret")
        return (key.secret.value, secret.secret.value) if key and secret else None

    def _from_environment(self, name: str) -> FoundSecret | None:
        """Read a secret from its variable, or from the file named by its `_FILE` variable."""
        environ, variable = self._settings.environ, as_variable(name)
        if value := check_secret(environ.get(variable, ""), variable):
            return FoundSecret(Secret(value), variable)
        variable = f"{variable}_FILE"
        if path := environ.get(variable):
            value = check_secret(self._content(path, variable), f"{path} ({variable})")
            return FoundSecret(Secret(value), variable) if value else None
        return None

    def _content(self, path: str, variable: str) -> str:
        """Read a file of a secret, once: it may be a pipe."""
        if variable not in self._files:
            try:
                with Path(path).open("rb") as file:
                    self._files[variable] = file.read(MAX_SECRET_LENGTH + 1).decode("utf-8", "replace")
            except OSError as error:
                raise StateError(f"{variable}: {path} cannot be read: {error.strerror}") from error
        return self._files[variable]
