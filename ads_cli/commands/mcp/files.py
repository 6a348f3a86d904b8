"""Which files an assistant may name: regular ones below the folders that the server was started with."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...errors import UsageError
from ...feeds.locations import is_remote


class OpenFolders:
    """The folders of --files, and whether addresses may be named too."""

    def __init__(self, folders: Sequence[str], *, allow_urls: bool) -> None:
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        self._allow_urls = allow_urls
        for name, folder in zip(folders, self._folders, strict=True):
            if not folder.is_dir():
                raise UsageError(f"--files: {name} is not a folder")

    def checked(self, file: str) -> str:
        """Return what a command is given for a file; raise UsageError where it may not be read."""
        if file.startswith("@") or file == "-":
            raise UsageError(f"file: {file[:100]!r} is not a file that can be named here")
        if is_remote(file):
            if file.lower().startswith("sftp:"):  # no rule says which of its hosts are public
                raise UsageError(
                    "file: an address of SFTP cannot be named here", hint="name an https address"
                )
            if self._allow_urls:
                return file  # the command refuses what is no address of a feed on the public internet
            hint = "--allow-urls lets the server fetch them"
            raise UsageError("file: an address cannot be named here", hint=hint)
        if not self._folders:
            raise UsageError(
                "file: no folder is open",
                hint="start the server with --files FOLDER to let it read feeds there",
            )
        for folder in self._folders:
            with suppress(OSError, ValueError):  # a name that is too long, or no name
                path = Path(os.path.realpath(folder / file))
                if path.is_relative_to(folder) and path.is_file():
                    return str(path)
        raise UsageError(
            f"file: {file[:200]!r} is not a file below {', '.join(map(str, self._folders))}",
            hint="--files names the folders that are open",
        )

    def checked_campaigns(self, file: str) -> str:
        """Return what a command is given for a file of campaigns, which must not read other files."""
        from ...campaigns.file import MAX_MIB, reads_other_files
        from ...campaigns.stored_plan import is_stored_plan
        from ...config.atomic_files import read_whole

        path = self.checked(file)
        content = b"" if is_remote(path) else read_whole(path, MAX_MIB)
        if is_remote(path) or is_stored_plan(content) or reads_other_files(content, file):
            raise UsageError(
                f"file: {file[:200]!r} is an address, a stored plan, or has loops or media, which read other "
                "files"
            )
        return path

    def checked_local(self, file: str) -> str:
        """Return what a command that sends a file is given for it: no address, whose bytes may change."""
        if is_remote(file):
            raise UsageError("file: an address cannot be sent from here", hint="name a file below --files")
        return self.checked(file)
