"""Secret stores: the OS keyring, or a file with mode 0600.

Each item has one secret of one profile, and the addresses that it was issued for. It is never sent to another
address.
"""

import json
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..config.settings import CACHES
from ..config.trusted_files import check_writers
from ..errors import StateError
from . import CLIENT_SECRET, GRANT, Secret

SERVICE = "adsctl"
BEARER = "bearer_token"
APP_SECRETS = ("consumer_key", "consumer_secret")
# Of one sign-in, by OAuth 1.0a or 2.0.
SIGN_IN_SECRETS = ("access_token", "access_token_secret", GRANT, CLIENT_SECRET)
SECRET_NAMES = (*APP_SECRETS, BEARER, *SIGN_IN_SECRETS)
KEYRING_TIMEOUT_SECONDS = 3.0
T = TypeVar("T")


class UnreadableSecretError(StateError):
    """What is stored is no secret: it can be replaced and deleted, but not used."""


class SecretStore(ABC):
    """Stores the secrets of profiles, each as a text; StateError says that the store cannot be used."""

    @abstractmethod
    def check(self) -> None:
        """Raise StateError if the store cannot be used, before the user is asked for anything."""

    def get(self, profile: str, name: str) -> Secret | None:
        """Return a secret by its name (see SECRET_NAMES), or None; raise UnreadableSecretError."""
        text = self._text(profile, name)
        return _decode(text) if text else None

    @abstractmethod
    def _text(self, profile: str, name: str) -> str | None:
        """Return what is stored, whether it can be decoded or not."""

    @abstractmethod
    def put(self, profile: str, secrets: dict[str, Secret]) -> None:
        """Store all of these secrets, or none of them."""

    @abstractmethod
    def delete(self, profile: str, names: tuple[str, ...]) -> None:
        """Delete secrets, of which some may not be stored."""

    @abstractmethod
    def lock_path(self, profile: str) -> Path:
        """Name the lock of a profile's grant, for all that share this store; its folder exists."""


class FileStore(SecretStore):
    """Stores secrets in a file with mode 0600; rejects a file that others can read.

    Windows has no such modes: who can read the file there is what its folder grants.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def check(self) -> None:
        """Raise StateError if others can read the file."""
        self._read()

    def _text(self, profile: str, name: str) -> str | None:
        return self._read().get(profile, {}).get(name)

    def put(self, profile: str, secrets: dict[str, Secret]) -> None:
        """Store secrets in one write."""
        self._change(profile, lambda stored: stored.update({k: _encode(s) for k, s in secrets.items()}))

    def delete(self, profile: str, names: tuple[str, ...]) -> None:
        """Delete secrets in one write."""
        self._change(profile, lambda stored: [stored.pop(name, None) for name in names])

    def lock_path(self, profile: str) -> Path:
        """Name a file beside that of the secrets."""
        return _lock_in(self.path.parent, profile)

    def _change(self, profile: str, change: Callable[[dict[str, str]], Any]) -> None:
        from ..config.atomic_files import atomic, make_folder
        from ..config.file_locks import locked

        try:
            make_folder(self.path.parent)
            with locked(self.path.with_suffix(".lock")):
                content = self._read()
                change(content.setdefault(profile, {}))
                with atomic(self.path) as stream:
                    json.dump(content, stream)
        except OSError as error:
            raise StateError(f"{self.path} cannot be written: {error.strerror}") from error

    def _read(self) -> dict[str, dict[str, str]]:
        check_writers(self.path, holds_secrets=True)
        try:
            with self.path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode & 0o777
                if sys.platform != "win32" and mode & 0o077:
                    raise StateError(
                        f"{self.path} can be read by others (mode {mode:o})", hint=f"chmod 600 {self.path}"
                    )
                return msgspec.json.decode(file.read(), type=dict[str, dict[str, str]])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StateError(f"{self.path} cannot be read: {reason}") from error


class KeyringStore(SecretStore):
    """Stores secrets in the OS keyring. Caches the name of its backend, since a search is slow."""

    def __init__(self, backend_cache: Path) -> None:
        self._backend_cache = backend_cache

    def check(self) -> None:
        """Raise StateError if the keyring does not respond, to a search for whatever item."""
        self._text("", "")

    def _text(self, profile: str, name: str) -> str | None:
        value: str | None = self._run("get_password", profile, name)
        return value

    def put(self, profile: str, secrets: dict[str, Secret]) -> None:
        """Store secrets; restore the previous texts if one fails.

        A keyring that has not responded in time may still store that one, after its text was restored.
        """
        before = {name: self._text(profile, name) for name in secrets}
        try:
            for name, secret in secrets.items():
                self._run("set_password", profile, name, _encode(secret))
        except BaseException as error:  # a signal too
            left = [name for name, previous in before.items() if not self._restore(profile, name, previous)]
            if left and isinstance(error, StateError):
                error.message += f"; {', '.join(left)} of the profile {profile} may be left in it"
            raise

    def _restore(self, profile: str, name: str, previous: str | None) -> bool:
        """Restore a text; return whether the keyring allowed it."""
        try:
            if previous is None:
                self.delete(profile, (name,))
            elif self._text(profile, name) != previous:
                self._run("set_password", profile, name, previous)
        except StateError:
            return False
        return True

    def delete(self, profile: str, names: tuple[str, ...]) -> None:
        """Delete secrets one by one."""
        for name in names:
            if self._text(profile, name) is not None:
                self._run("delete_password", profile, name)

    def lock_path(self, profile: str) -> Path:
        """Name a file of the user, whose keyring it is, and not of a state folder."""
        from platformdirs import user_runtime_path

        return _lock_in(user_runtime_path("adsctl"), profile)

    def _run(self, operation: str, profile: str, name: str, *text: str) -> Any:
        """Run an operation of the keyring on an item; raise StateError if it fails or takes too long."""
        item = SERVICE, f"{profile}/{name}", *text

        def attempt() -> Any:
            try:
                return getattr(self._backend(cached=True), operation)(*item)
            except Exception:  # the cache may be outdated: search again
                self._backend_cache.unlink(missing_ok=True)
                return getattr(self._backend(cached=False), operation)(*item)

        return _with_timeout(KEYRING_TIMEOUT_SECONDS, attempt)

    def _backend(self, *, cached: bool) -> Any:
        from keyring import core
        from keyring.backends.fail import Keyring as NoKeyring

        from ..config.atomic_files import make_folder, open_private

        name = ""
        with suppress(OSError, UnicodeDecodeError):
            name = self._backend_cache.read_text().strip()
        if cached and name:
            return core.load_keyring(name)
        backend = core.get_keyring()
        if isinstance(backend, NoKeyring):
            raise StateError("no keyring")
        backend_type = type(backend)
        with suppress(OSError):  # without a cache the next start searches again
            make_folder(self._backend_cache.parent)
            with open_private(self._backend_cache, "w") as file:
                file.write(f"{backend_type.__module__}.{backend_type.__name__}")
        return backend


def open_store(kind: str, state_dir: Path, config_dir: Path) -> SecretStore:
    """Open the store `keyring` or `file`."""
    if kind == "keyring":
        # A file and no note in the database: a command that only reads from the service need not open that.
        return KeyringStore(state_dir / CACHES / "keyring-backend")
    if kind == "file":
        return FileStore(config_dir / "secrets.json")
    raise StateError(f"the token store {kind!r} is neither keyring nor file", hint="check ADSCTL_TOKEN_STORE")


def _with_timeout(seconds: float, operation: Callable[[], T]) -> T:
    """Run an operation in a thread: a locked keyring may wait for a user who is not there."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(operation())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if results:
        return results[0]
    timeout = f"it did not respond within {seconds:.0f} s"
    reason = (str(errors[0]) or type(errors[0]).__name__) if errors else timeout
    raise StateError(
        f"the OS keyring cannot be used: {reason}",
        hint="use a file with mode 0600: add --token-store file to auth login "
        "(ADSCTL_TOKEN_STORE=file); or set ADSCTL_CONSUMER_KEY, ADSCTL_CONSUMER_SECRET, ADSCTL_ACCESS_TOKEN "
        "and ADSCTL_ACCESS_TOKEN_SECRET (each also with _FILE)",
    )


def _lock_in(folder: Path, profile: str) -> Path:
    from ..config.atomic_files import make_folder

    try:
        make_folder(folder / "grants")
    except OSError as error:
        raise StateError(f"{folder / 'grants'} cannot be used: {error.strerror}") from error
    return folder / "grants" / f"{sha256(profile.encode()).hexdigest()[:16]}.lock"


def _encode(secret: Secret) -> str:
    return json.dumps([secret.value, list(secret.addresses), secret.owner])


def _decode(text: str) -> Secret:
    try:
        return Secret(*msgspec.json.decode(text, type=tuple[str, tuple[str, ...], str]))
    except (msgspec.DecodeError, UnicodeError):
        hint = "adsctl auth login stores a new one"
        raise UnreadableSecretError("a stored secret cannot be read", hint=hint) from None
