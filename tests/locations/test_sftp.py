"""A feed on an SFTP server, whose host key must be known."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh
import pytest

from tests.conftest import feed

CHECK = ("products", "check", "-o", "json", "--max-wait", "5s", "--max-attempts", "2")


@pytest.fixture
def remote_feed(sshd, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("there") / "feed.csv"
    path.write_text(feed(60))
    return path


def test_a_feed_on_an_sftp_server_is_pushed(adsctl, service, sshd, remote_feed):
    sshd.trust(adsctl.home)
    sshd.admit(adsctl.home)
    done = adsctl("products", "push", sshd.address(remote_feed), "-o", "json")
    assert json.loads(done.stdout)["created"] == 60 == len(service.stored)
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["file"] == sshd.address(remote_feed)


@pytest.mark.parametrize("name", ["f??d.csv", "fe?d#1.csv"])
def test_a_pattern_on_an_sftp_server_stands_for_its_files(adsctl, sshd, remote_feed, name):
    sshd.trust(adsctl.home)
    sshd.admit(adsctl.home)
    remote_feed.rename(remote_feed.with_name("feed#1.csv")) if "#" in name else None
    address = sshd.address(remote_feed.with_name(name))
    assert json.loads(adsctl(*CHECK, address).stdout)["rows"] == 60


def test_a_large_file_arrives_whole(adsctl, sshd, remote_feed):
    sshd.trust(adsctl.home)
    sshd.admit(adsctl.home)
    remote_feed.write_text(feed(8_000))
    assert json.loads(adsctl(*CHECK, sshd.address(remote_feed)).stdout)["rows"] == 8_000
    done = adsctl(*CHECK, sshd.address(remote_feed), "--max-size", "1MB", code=3)
    assert "is larger than 1 MB" in done.stderr


def test_an_unknown_host_key_is_refused_before_any_key_or_password_is_sent(adsctl, sshd, remote_feed):
    sshd.admit(adsctl.home)
    done = adsctl(*CHECK, sshd.address(remote_feed), code=8)
    assert "not trusted" in done.stderr and "ssh-keyscan" in done.stderr


def test_a_user_who_is_not_admitted_ends_with_4(adsctl, sshd, remote_feed):
    sshd.trust(adsctl.home)
    done = adsctl(*CHECK, sshd.address(remote_feed), code=4)
    assert "not allowed" in done.stderr and "ssh-agent" in done.stderr


@pytest.mark.parametrize("name", ["nowhere.csv", ""])
def test_what_does_not_exist_or_is_a_folder_ends_with_5(adsctl, sshd, remote_feed, name):
    sshd.trust(adsctl.home)
    sshd.admit(adsctl.home)
    done = adsctl(*CHECK, sshd.address(remote_feed.parent / name), "--format", "csv", code=5)
    assert "does not exist" in done.stderr


def test_a_server_that_is_not_there_ends_with_8(adsctl):
    done = adsctl(*CHECK, "sftp://127.0.0.1:9/feed.csv", code=8)
    assert "Connect" in done.stderr or "connect" in done.stderr


class PasswordServer(asyncssh.SSHServer):
    """Admits one user by password."""

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == ("shop", "hush-hush")


@contextmanager
def password_server(home: Path, folder: Path) -> Iterator[int]:
    """Serve a folder to one user, whose home knows the host."""
    loop, key = asyncio.new_event_loop(), asyncssh.generate_private_key("ssh-ed25519")

    def sftp(channel: asyncssh.SSHServerChannel) -> asyncssh.SFTPServer:
        return asyncssh.SFTPServer(channel, chroot=str(folder))

    listening = asyncssh.listen(
        "127.0.0.1", 0, server_factory=PasswordServer, server_host_keys=[key], sftp_factory=sftp
    )
    server = loop.run_until_complete(listening)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    (home / ".ssh").mkdir(mode=0o700)
    known = f"[127.0.0.1]:{server.get_port()} {key.export_public_key().decode()}"
    (home / ".ssh" / "known_hosts").write_text(known)
    try:
        yield server.get_port()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.run_until_complete(server.wait_closed())
        loop.close()


@pytest.mark.parametrize("where", ["address", "netrc", "variable"])
def test_a_password_comes_from_the_address_or_netrc_and_is_shown_nowhere(adsctl, tmp_path_factory, where):
    folder = tmp_path_factory.mktemp("there")
    (folder / "feed.csv").write_text(feed(3))
    with password_server(adsctl.home, folder) as port:
        address = f"sftp://shop:hush-hush@127.0.0.1:{port}/feed.csv"
        if where == "netrc":
            adsctl.file(".netrc", "machine 127.0.0.1 login shop password hush-hush\n")
            typed = f"sftp://shop@127.0.0.1:{port}/feed.csv"
        else:
            typed = address if where == "address" else "@FEED"
        done = adsctl(*CHECK, typed, "--debug", FEED=address)
        assert json.loads(done.stdout)["rows"] == 3
        assert "hush" not in done.stdout + done.stderr
        assert ("shows in the list of processes" in done.stderr) == (where == "address")
        wrong = address.replace("hush-hush", "wrong")
        assert "not allowed" in adsctl(*CHECK, wrong, code=4).stderr
