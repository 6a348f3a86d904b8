"""A served S3, in an environment of its own."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import httpx

from tests.environments import made_python
from tests.ports import free_port

START_SECONDS = 120.0


class S3Server(NamedTuple):
    """A running server; whoever has an access key may read."""

    address: str

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL_S3": self.address,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "hush-hush",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def put(self, path: str, content: bytes = b"") -> None:
        """Make a bucket, or an object in one."""
        httpx.put(f"{self.address}/{path}", content=content, timeout=60, verify=False).raise_for_status()

    def replace(self, path: str, content: bytes) -> None:
        """Write an object that exists, for which a request must be signed."""
        from s3fs import S3FileSystem

        options = {"endpoint_url": self.address, "skip_instance_cache": True}
        S3FileSystem(key="testing", secret="hush-hush", **options).pipe(path, content)


@contextmanager
def running_s3() -> Iterator[S3Server]:
    port = free_port()
    command = [made_python("s3"), "-c", "from moto.server import main; main()", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < deadline and server.poll() is None, "moto does not start"
                time.sleep(0.05)
        yield S3Server(f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        server.wait(START_SECONDS)
