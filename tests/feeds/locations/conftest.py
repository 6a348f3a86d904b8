"""Servers of feeds on this machine."""

import ssl
from collections.abc import Iterator

import pytest

from tests.adsctl import Adsctl
from tests.feeds.locations.file_server import FileServer, serving
from tests.feeds.locations.s3_server import S3Server, running_s3
from tests.feeds.locations.ssh_server import SshServer, running_ssh_server


@pytest.fixture
def shop_server(tls: ssl.SSLContext, trusted: dict[str, str], adsctl: Adsctl) -> Iterator[FileServer]:
    """A feed at an https address, whose authority `adsctl` trusts."""
    adsctl.env |= trusted
    with serving(tls) as server:
        yield server


@pytest.fixture
def other_server(tls: ssl.SSLContext) -> Iterator[FileServer]:
    """Another https server under the same authority."""
    with serving(tls) as server:
        yield server


@pytest.fixture
def plain_server() -> Iterator[FileServer]:
    """A feed at an http address."""
    with serving() as server:
        yield server


@pytest.fixture
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """An SFTP server."""
    with running_ssh_server(tmp_path_factory.mktemp("there")) as server:
        yield server


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 server with the bucket `shop`."""
    with running_s3() as server:
        server.put("shop")
        yield server
