"""Debian's OpenSSH server, run by the user of the tests on a port of its own."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

START_SECONDS = 30.0
CONFIGURATION = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
"""


class SshServer(NamedTuple):
    """A running server, and what a user needs to reach it."""

    port: int
    folder: Path  # of the keys; feeds may lie in it too
    user: str = getpass.getuser()

    def address(self, path: Path | str) -> str:
        return f"sftp://{self.user}@127.0.0.1:{self.port}{path}"

    def trust(self, home: Path) -> None:
        """Let a user know the key of the host, as after a first connection by `ssh`."""
        kind, key, *_ = (self.folder / "host_key.pub").read_text().split()
        _ssh_folder(home).joinpath("known_hosts").write_text(f"[127.0.0.1]:{self.port} {kind} {key}\n")

    def admit(self, home: Path) -> None:
        """Give a user the key that the server admits."""
        key = shutil.copyfile(self.folder / "user_key", _ssh_folder(home) / "id_ed25519")
        key.chmod(0o600)


def _ssh_folder(home: Path) -> Path:
    folder = home / ".ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def running_sshd(folder: Path) -> Iterator[SshServer]:
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = folder / "sshd_config"
    configuration.write_text(CONFIGURATION.format(port=port, folder=folder))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # for the separation of privileges
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    assert sshd, "apt-get install openssh-server"
    log = folder / "sshd.log"
    server = subprocess.Popen([sshd, "-D", "-f", configuration, "-E", log])
    try:
        _wait_until_listening(port, log)
        yield SshServer(port, folder)
    finally:
        server.terminate()
        server.wait(START_SECONDS)


def _wait_until_listening(port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
