"""The results of statistics jobs: downloaded, checked, unpacked."""

import zlib
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from ..errors import UnavailableError
from ..loopback import is_loopback

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.response import Response

MAX_RESULT_BYTES = 512 * 1024 * 1024  # unpacked; the largest that a job can have is far smaller
GZIP = 31  # window bits of zlib that expect a header of gzip
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def download(client: "Client", url: str) -> bytes:
    """Return the result at an address, which gets no credentials; raise UnavailableError if it is damaged."""
    import httpx

    from ..client.prepared_request import PreparedRequest

    parts = urlsplit(url)
    if not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))):
        raise UnavailableError("the result of a job has no https address")
    client.trace.add_secrets(parts.path)  # whoever knows it can read the result
    prepared = PreparedRequest("GET", url, b"", "", "GET result", retry=True, sensitive=True)
    response = client.upload(prepared, auth=httpx.Auth(), parse=bytes, check=_check)
    return bytes(response.body)


def unpack(packed: bytes) -> Any:
    """Return the data of a result; raise UnavailableError where it is cut off or no JSON."""
    try:
        return _decode(decompressed(packed)).get("data")
    except msgspec.DecodeError as error:
        raise UnavailableError(f"the result of a job cannot be read: {error}") from None


def _check(response: "Response") -> None:
    """Raise UnavailableError for what is no complete result, which is then requested again."""
    decompressed(response.body)


def decompressed(packed: bytes) -> bytes:
    """Return the JSON of a result, whose checksum is right; raise UnavailableError where it is cut off."""
    try:
        unpacking = zlib.decompressobj(GZIP)
        content = unpacking.decompress(packed, MAX_RESULT_BYTES)
    except zlib.error as error:
        raise UnavailableError(f"the result of a job cannot be read: {error}") from None
    if unpacking.unconsumed_tail:
        raise UnavailableError("the result of a job is larger than 512 MiB")
    if not unpacking.eof:
        raise UnavailableError("the result of a job is cut off")
    return content
