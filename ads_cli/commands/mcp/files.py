"""Which files an assistant may name: regular ones below the folders that the server was started with."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from ...config.atomic_files import open_regular, read_limited
from ...errors import UsageError
from ...feeds.locations import is_remote


class CheckedFile(NamedTuple):
    """A file that a command may read, and no other one under its name."""

    path: str = ""  # or an address
    digest: str = ""  # SHA-256; empty of an address

    @property
    def expected(self) -> dict[str, str]:
        """The digest by the path."""
        return {self.path: self.digest} if self.digest else {}


NO_FILE = CheckedFile()


class OpenFolders:
    """The folders of --files, and whether addresses may be named too."""

    def __init__(self, folders: Sequence[str], *, allow_urls: bool) -> None:
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        self._allow_urls = allow_urls
        for name, folder in zip(folders, self._folders, strict=True):
            if not folder.is_dir():
                raise UsageError(f"--files: {name} is not a folder")

    def checked(self, file: str) -> CheckedFile:
        """Return what a command is given for a file; raise UsageError where it may not be read."""
        if is_remote(file) and self._allow_urls and not file.startswith("@"):
            if file.lower().startswith("sftp:"):  # no rule says which of its hosts are public
                raise UsageError(
                    "file: an address of SFTP cannot be named here", hint="name an https address"
                )
            return CheckedFile(file)  # the command refuses what is no public address of a feed
        path, stream = self._opened(file)
        with stream:
            return CheckedFile(path, file_digest(stream, "sha256").hexdigest())

    def checked_campaigns(self, file: str) -> CheckedFile:
        """Return what a command is given for a file of campaigns, which must not read other files."""
        from ...campaigns.file import MAX_MIB, reads_other_files
        from ...campaigns.stored_plan import is_stored_plan

        path, content = "", b""
        if not is_remote(file):
            path, stream = self._opened(file)
            with stream:
                content = read_limited(stream, MAX_MIB, file)
        if is_remote(file) or is_stored_plan(content) or reads_other_files(content, file):
            raise UsageError(
                f"file: {file[:200]!r} is an address, a stored plan, or has loops or media, which read other "
                "files"
            )
        return CheckedFile(path, sha256(content).hexdigest())

    def checked_local(self, file: str) -> CheckedFile:
        """Return what a command that sends a file is given for it: no address, whose bytes may change."""
        if is_remote(file):
            raise UsageError("file: an address cannot be sent from here", hint="name a file below --files")
        return self.checked(file)

    def _opened(self, file: str) -> tuple[str, BufferedReader]:
        """Open a file below the folders. Return it with its path without links, or raise UsageError."""
        if file.startswith("@") or file == "-":
            raise UsageError(f"file: {file[:100]!r} is not a file that can be named here")
        if is_remote(file):
            hint = "--allow-urls lets the server fetch them"
            raise UsageError("file: an address cannot be named here", hint=hint)
        if not self._folders:
            raise UsageError(
                "file: no folder is open",
                hint="start the server with --files FOLDER to let it read feeds there",
            )
        for folder in self._folders:
            with suppress(OSError, ValueError):  # a name that is too long, or no name
                path = os.path.realpath(folder / file)
                if Path(path).is_relative_to(folder):
                    stream = open_regular(path)
                    if Path(_path_of(stream, path)).is_relative_to(folder):  # no link has come in between
                        return path, stream
                    stream.close()
        raise UsageError(
            f"file: {file[:200]!r} is not a file below {', '.join(map(str, self._folders))}",
            hint="--files names the folders that are open",
        )


def _path_of(stream: BufferedReader, path: str) -> str:
    """Return where an open file is, by its descriptor where the system tells that."""
    if sys.platform == "linux":
        return str(Path(f"/proc/self/fd/{stream.fileno()}").readlink())
    real = Path(os.path.realpath(path))
    return str(real) if os.path.samestat(real.stat(), os.fstat(stream.fileno())) else os.devnull
