"""The results of statistics jobs: downloaded, checked, unpacked."""

import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..api.statistics import ListJobs
from ..errors import UnavailableError
from ..hosts import PrivateHostError, is_loopback, require_public_name
from ..http.response_body import parse_json

if TYPE_CHECKING:
    import httpx

    from ..client.client import Client

MAX_RESULT_BYTES = 512 * 1024 * 1024  # unpacked; the largest that a job can have is far smaller
GZIP = 31  # window bits of zlib that expect a header of gzip
ADDRESS = re.compile(r"[!-\[\]-~]+")  # of ASCII, without a backslash, which some take for a slash


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


def download(client: "Client", url: str, check: Callable[[bytes], Any] = decompressed) -> bytes:
    """Return the result at an address, which gets no credentials.

    `check` raises UnavailableError for one that cannot be read, which is then requested again.
    """
    import httpx

    from ..client.prepared_request import PreparedRequest
    from ..http.connections import parse_http_address

    parsed = parse_http_address(url) if ADDRESS.fullmatch(url) else None
    if parsed is None or parsed.userinfo:
        raise UnavailableError("the service named an address of a job's result that is not valid")
    client.trace.add_secrets(*parsed.raw_path.decode().split("?"))  # whoever knows them can read the result
    is_own = _is_of_service_here(parsed, client)
    if not is_own and parsed.scheme != "https":
        raise UnavailableError(f"the result of a job is at {parsed.host}, and not at an https address")
    prepared = PreparedRequest(
        *("GET", str(parsed), b"", "", "GET result"), retry=True, sensitive=True, to_stranger=not is_own
    )
    try:
        if not is_own:
            require_public_name(parsed.raw_host.decode())
        response = client.send_untracked(
            prepared, auth=httpx.Auth(), parse=bytes, check=lambda response: check(response.body)
        )
    except PrivateHostError as error:
        raise UnavailableError(f"the result of a job was not downloaded: {error}") from None
    except UnavailableError as error:
        if 300 <= (error.http_status or 0) < 400:
            raise UnavailableError("the result of a job is redirected, which is not followed") from None
        raise
    return bytes(response.body)


def _is_of_service_here(url: "httpx.URL", client: "Client") -> bool:
    """Tell whether an address has scheme, host and port of the service, which runs on this machine."""
    import httpx

    service = httpx.URL(client.address(ListJobs.endpoint.base))
    return is_loopback(url.host) and (url.scheme, url.netloc) == (service.scheme, service.netloc)


def unpack(packed: bytes) -> Any:
    """Return the data of a result; raise UnavailableError where it is cut off or not a document of JSON."""
    try:
        body = parse_json(decompressed(packed))
    except (ValueError, RecursionError) as error:
        raise UnavailableError(f"the result of a job cannot be read: {error}") from None
    return body.get("data") if isinstance(body, dict) else None
