"""Where secrets live: the OS keyring, or a file that nobody else can read.

One item holds one secret of one profile, and the addresses that it was issued for; it is never
given out for another.
"""

import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..errors import StateError

SERVICE = "adsctl"
BEARER = "bearer_token"
KINDS = ("consumer_key", "consumer_secret", "access_token", "access_token_secret", BEARER)
PATIENCE = 3.0  # seconds that a keyring has for its answer
T = TypeVar("T")


class Secret(NamedTuple):
    """A secret, the addresses it may be sent to, and what is known of whose it is."""

    value: str
    addresses: tuple[str, ...] = ()
    owner: str = ""

    def __repr__(self) -> str:
        return "Secret(***)"


class SecretStore(ABC):
    """Keeps the secrets of profiles."""

    @abstractmethod
    def prove(self) -> None:
        """Raise StateError where nothing could be kept, before anybody is asked for anything."""

    @abstractmethod
    def get(self, profile: str, kind: str) -> Secret | None:
        """Find a secret: `consumer_key`, `access_token` and so on."""

    @abstractmethod
    def put(self, profile: str, secrets: dict[str, Secret]) -> None:
        """Keep secrets: all of them, or none where one cannot be kept."""

    @abstractmethod
    def drop(self, profile: str, kinds: tuple[str, ...]) -> None:
        """Forget secrets; those that are not there are forgotten already."""


class FileStore(SecretStore):
    """Keeps secrets in a file of mode 0600; refuses one that others can read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prove(self) -> None:
        """Refuse a file that others can read."""
        self._read()

    def get(self, profile: str, kind: str) -> Secret | None:
        """Find a secret."""
        found = self._read().get(profile, {}).get(kind)
        return _decoded(found) if found else None

    def put(self, profile: str, secrets: dict[str, Secret]) -> None:
        """Keep secrets, in one write."""
        self._change(profile, lambda kept: kept.update({k: _encoded(s) for k, s in secrets.items()}))

    def drop(self, profile: str, kinds: tuple[str, ...]) -> None:
        """Forget secrets."""
        self._change(profile, lambda kept: [kept.pop(kind, None) for kind in kinds])

    def _change(self, profile: str, change: Callable[[dict[str, str]], Any]) -> None:
        from filelock import FileLock

        from ..config.atomic_files import atomic

        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), mode=0o600):
                content = self._read()
                change(content.setdefault(profile, {}))
                with atomic(self.path) as stream:
                    json.dump(content, stream)
        except OSError as error:
            raise StateError(f"{self.path} cannot be written: {error.strerror}") from error

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            with self.path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode & 0o777
                if mode & 0o077:
                    raise StateError(
                        f"{self.path} can be read by others (mode {mode:o})", hint=f"chmod 600 {self.path}"
                    )
                return msgspec.json.decode(file.read(), type=dict[str, dict[str, str]])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            raise StateError(f"{self.path} cannot be read: {error}") from error


class KeyringStore(SecretStore):
    """Keeps secrets in the OS keyring; the backend that was found is remembered, so that it is found fast."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory

    def prove(self) -> None:
        """Ask the keyring for something, whatever its answer."""
        self.get("", "")

    def get(self, profile: str, kind: str) -> Secret | None:
        """Find a secret."""
        found = self._ask(lambda backend: backend.get_password(SERVICE, f"{profile}/{kind}"))
        return _decoded(found) if found else None

    def put(self, profile: str, secrets: dict[str, Secret]) -> None:
        """Keep secrets; what was there before comes back where one of them cannot be kept."""
        before = {kind: self.get(profile, kind) for kind in secrets}
        try:
            for kind, secret in secrets.items():
                self._set(profile, kind, secret)
        except BaseException as error:  # a signal too
            left = [kind for kind, earlier in before.items() if not self._restored(profile, kind, earlier)]
            if left and isinstance(error, StateError):
                error.message += f"; {', '.join(left)} of the profile {profile} may be left in it"
            raise

    def _restored(self, profile: str, kind: str, earlier: Secret | None) -> bool:
        """Put back what was there; tell whether the keyring has let us."""
        try:
            if earlier is None:
                self.drop(profile, (kind,))
            elif self.get(profile, kind) != earlier:
                self._set(profile, kind, earlier)
        except StateError:
            return False
        return True

    def drop(self, profile: str, kinds: tuple[str, ...]) -> None:
        """Forget secrets."""
        for kind in kinds:
            if self.get(profile, kind) is not None:
                self._ask(partial(_delete, f"{profile}/{kind}"))

    def _set(self, profile: str, kind: str, secret: Secret) -> None:
        self._ask(lambda backend: backend.set_password(SERVICE, f"{profile}/{kind}", _encoded(secret)))

    def _ask(self, question: Callable[[Any], T]) -> T:
        """Ask the keyring; raise StateError where it does not answer, or there is none."""

        def ask() -> T:
            try:
                return question(self._backend(remembered=True))
            except Exception:  # a wrong memory: look for the backend once more
                self._memory.unlink(missing_ok=True)
                return question(self._backend(remembered=False))

        return _within(PATIENCE, ask)

    def _backend(self, *, remembered: bool) -> Any:
        from keyring import core
        from keyring.backends.fail import Keyring as NoKeyring

        if remembered:
            name = _text_of(self._memory)
            if name:
                return core.load_keyring(name)
        backend = core.get_keyring()
        if isinstance(backend, NoKeyring):
            raise StateError("no keyring")
        kind = type(backend)
        with suppress(OSError):  # else the next start has to search again
            self._memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._memory.write_text(f"{kind.__module__}.{kind.__name__}")
        return backend


def open_store(kind: str, state_dir: Path, config_dir: Path) -> SecretStore:
    """Open the store that was chosen: `keyring` or `file`."""
    if kind == "keyring":
        return KeyringStore(state_dir / "keyring-backend")
    if kind == "file":
        return FileStore(config_dir / "secrets.json")
    raise StateError(f"token store {kind!r} is neither keyring nor file", hint="look at ADSCTL_TOKEN_STORE")


def _within(seconds: float, ask: Callable[[], T]) -> T:
    """Wait for an answer, but never hang: a locked keyring may ask a person who is not there."""
    answer: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(ask())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if answer:
        return answer[0]
    late = f"it did not answer in {seconds:.0f} s"
    why = (str(failed[0]) or type(failed[0]).__name__) if failed else late
    raise StateError(
        f"the OS keyring cannot be used: {why}",
        hint="two other ways: 'adsctl auth login --token-store file' keeps secrets in a file of mode 0600 "
        "(ADSCTL_TOKEN_STORE=file), or set ADSCTL_CONSUMER_KEY, ADSCTL_CONSUMER_SECRET, ADSCTL_ACCESS_TOKEN "
        "and ADSCTL_ACCESS_TOKEN_SECRET (each also with _FILE)",
    )


def _delete(name: str, backend: Any) -> None:
    backend.delete_password(SERVICE, name)


def _encoded(secret: Secret) -> str:
    return json.dumps([secret.value, list(secret.addresses), secret.owner])


def _decoded(text: str) -> Secret:
    try:
        value, addresses, owner = json.loads(text)
        return Secret(value, tuple(addresses), owner)
    except (ValueError, TypeError):
        hint = "adsctl auth login stores a new one"
        raise StateError("a stored secret cannot be read", hint=hint) from None


def _text_of(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
