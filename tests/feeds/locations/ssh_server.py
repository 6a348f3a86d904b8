"""An SFTP server in the process of the tests, for one user with a key and a password."""

import asyncio
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh
from asyncssh.packet import Byte, SSHPacket, String, UInt32

USER, PASSWORD = "shop", "hush-hush"
TIMEOUT_SECONDS = 30.0


class SshServer:
    """A running server, and what a user needs to reach it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # of the feeds: the home folder, and all that the server shows
        self.port = 0
        self.host_key, self.user_key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
        self.sign_ins: list[str] = []  # the users who began to sign in
        self.breaks_at: list[int] = []  # bytes of a file after which each connection in turn breaks off
        self.on_read: Callable[[int], object] = lambda offset: None  # called before a file is read
        self.open: set[asyncssh.SSHServerConnection] = set()
        self.changed = threading.Condition()

    def address(self, name: str) -> str:
        return f"sftp://{USER}@127.0.0.1:{self.port}/{name}"

    def trust(self, home: Path) -> None:
        """Let a user know the key of the host, as after a first connection by `ssh`."""
        known = f"[127.0.0.1]:{self.port} {self.host_key.export_public_key().decode()}"
        ssh_folder(home).joinpath("known_hosts").write_text(known)

    def admit(self, home: Path, name: str = "id_ed25519") -> None:
        """Give a user the key that the server admits."""
        ssh_folder(home).joinpath(name).write_bytes(self.user_key.export_private_key())

    def wait_until_left(self) -> None:
        """Wait until no connection is open."""
        with self.changed:
            assert self.changed.wait_for(lambda: not self.open, TIMEOUT_SECONDS), "a connection is still open"


def ssh_folder(home: Path) -> Path:
    folder = home / ".ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


class Session(asyncssh.SSHServer):
    """One connection to a server."""

    def __init__(self, server: SshServer) -> None:
        self.server = server

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.server.open.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        with self.server.changed:
            self.server.open.discard(self.connection)
            self.server.changed.notify_all()

    def begin_auth(self, username: str) -> bool:
        self.server.sign_ins.append(username)
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return username == USER and key.public_data == self.server.user_key.public_data

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == (USER, PASSWORD)


class Files(asyncssh.SFTPServer):
    """The files of a server."""

    def __init__(self, channel: asyncssh.SSHServerChannel, server: SshServer) -> None:
        super().__init__(channel, chroot=bytes(server.folder))
        self.server = server

    def read(self, file_obj: object, offset: int, size: int) -> object:
        self.server.on_read(offset)
        if self.server.breaks_at and offset >= self.server.breaks_at[0]:
            del self.server.breaks_at[0]
            self.connection.abort()
        return super().read(file_obj, offset, size)


@contextmanager
def running_ssh_server(folder: Path) -> Iterator[SshServer]:
    server = SshServer(folder)
    loop = asyncio.new_event_loop()
    listener = loop.run_until_complete(
        asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=lambda: Session(server),
            server_host_keys=[server.host_key],
            sftp_factory=lambda channel: Files(channel, server),
        )
    )
    server.port = listener.get_port()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def close() -> None:
        listener.close()
        for connection in [*server.open]:
            connection.abort()
        await listener.wait_closed()

    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(close(), loop).result(TIMEOUT_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def running_agent(path: Path, key: asyncssh.SSHKey) -> Iterator[None]:
    """Serve what `ssh-agent` does with one key."""

    class Agent(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while length := self.rfile.read(4):
                request = SSHPacket(self.rfile.read(int.from_bytes(length)))
                self.wfile.write(String(answer(request.get_byte(), request)))

    def answer(kind: int, request: SSHPacket) -> bytes:
        if kind == 11:  # which keys there are
            return Byte(12) + UInt32(1) + String(key.public_data) + String("")
        assert kind == 13, kind  # a signature
        assert request.get_string() == key.public_data
        return Byte(14) + String(key.sign(request.get_string(), key.algorithm))

    with socketserver.ThreadingUnixStreamServer(str(path), Agent) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
