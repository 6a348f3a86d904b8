"""The share of the service's rate limits that the processes of one worker may use."""

from pathlib import Path

import msgspec

from ..errors import StateError

VARIABLE = "ADSCTL_ALLOWANCE"
ALL = ""  # the scope of whatever has no share of its own


class Share(msgspec.Struct, frozen=True):
    """A number of equal parts of each limit."""

    parts: int = 1
    total: int = 1

    def of(self, requests: int) -> int:
        """Return how many requests of a window may be used: at least one, or a run could never end."""
        return max(1, requests * self.parts // self.total)


def token_scope(access_token: str) -> str:
    """Name the scope of limits that a token has; the token cannot be found from it."""
    return f"token-{_digest(access_token)}"


def account_scope(account: str) -> str:
    """Name the scope of limits that an account has."""
    return f"account-{_digest(account)}"


class Allowance:
    """A folder of one worker, with the windows that its processes share and the worker's shares.

    A share is read before each request, so that it may grow and shrink while processes run. Where none is
    granted, the worker has the whole limit.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_machine(cls, state_dir: Path) -> "Allowance":
        """Return the one of all processes of a state folder, which share windows in a fleet or not."""
        return cls(state_dir / "pace")

    def environment(self) -> dict[str, str]:
        """Return the variables that make a process of adsctl keep to this allowance."""
        return {VARIABLE: str(self.folder)}

    def grant(self, share: Share, scope: str = ALL) -> None:
        """Store the share of a scope; it holds for requests that are sent from now on."""
        from ..config.atomic_files import atomic, make_folder

        make_folder(self.folder)
        with atomic(self._path(scope)) as file:
            file.write(f"{share.parts}/{share.total}")

    def share(self, scope: str) -> Share:
        """Return the share of a scope; raise StateError if the file cannot be read."""
        for path in (self._path(scope), self._path(ALL)):
            try:
                return _parse(path.read_text(encoding="ascii"))
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                raise StateError(
                    f"{path} is not a share of rate limits, such as 1/3: {error}",
                    hint=f"remove {self.folder}, or do not set {VARIABLE}",
                ) from error
        return Share()

    def _path(self, scope: str) -> Path:
        return self.folder / (f"share-{scope}" if scope else "share")


def _parse(text: str) -> Share:
    parts, _, total = text.partition("/")
    share = Share(int(parts), int(total))
    if not 0 < share.parts <= share.total:
        raise ValueError(f"{text} is not between 0 and 1")
    return share


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:16]
