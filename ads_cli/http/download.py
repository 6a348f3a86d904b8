"""Downloads of files of any size, resumed after failures; what the responses of a file server mean."""

import re
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from .. import __version__
from ..errors import AccessError, NotFoundError, RefusedError, UnavailableError, UsageError
from ..hosts import PrivateHostError, is_loopback
from ..masking import MASK, mask_address
from .response_body import is_certificate_error, network_error
from .retry import RETRIED_STATUSES, CopyRetries, FailedAttempt, http_date
from .trace import Trace

if TYPE_CHECKING:
    import httpx

    from .network import DownloadTransport


# The part that was asked for does not exist any more, or the server does not trust a first message.
RETRIED_OF_FILES = RETRIED_STATUSES | {416, 425}


def check_encrypted(url: str, label: str) -> None:
    """Raise UsageError for plain http to another machine: anybody on the way could change the feed."""
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UsageError(f"{label} is not https", hint="http is allowed for loopback addresses only")


def status_error(label: str, status: int, headers: Mapping[str, str], *, signed_in: bool) -> Exception:
    """Return the error of a status, or FailedAttempt if another attempt may succeed."""
    message = f"{label}: the server answered with status {status}"
    if status in RETRIED_OF_FILES:
        return FailedAttempt(UnavailableError(message, http_status=status), headers)
    if status in (401, 403):
        meaning = "it asks for a user name and password" if status == 401 else "it does not allow this"
        hint = "put them into ~/.netrc: machine HOST login USER password PASSWORD"
        if signed_in:
            meaning, hint = "it does not accept the user name and password", "check them"
        return AccessError(f"{message}: {meaning}", hint=hint, http_status=status)
    if status in (404, 410):
        return NotFoundError(f"{message}: no such file", hint="check the address", http_status=status)
    if status < 400:
        return UnavailableError(f"{message}, which does not send a file", http_status=status)
    return RefusedError(message, http_status=status)


MIN_TIMEOUT_SECONDS = 1.0  # of an attempt, however little of --max-wait is left
MIN_AGE_SECONDS = 1.0  # after which Last-Modified identifies a version (RFC 9110, 8.8.2.2)
MAX_REDIRECTS = 10
REDIRECTS = (301, 302, 303, 307, 308)
# An attempt ends where --timeout brings less than this; curl has the same limit as --speed-limit.
MIN_BYTES_PER_SECOND = 1000
STORED_ENCODINGS = ("", "identity", "gzip", "x-gzip")  # a feed is decompressed by its content anyway
CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,15})-[0-9]{1,15}/([0-9]{1,15}|\*)")


class Version(NamedTuple):
    """What a server names the version of a file by; empty where it does not."""

    etag: str = ""
    last_modified: str = ""

    @property
    def validator(self) -> str:
        """Return what identifies the version to the byte: `If-Range` takes no weak ETag."""
        return self.last_modified if not self.etag or self.etag.startswith("W/") else self.etag

    @property
    def conditions(self) -> dict[str, str]:
        """Return the headers with which a server sends another version only."""
        stated = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in stated.items() if value}


def version_of(headers: Mapping[str, str]) -> Version:
    """Read the version of a response.

    Without a strong ETag, a file that was changed in the second in which it was sent may change again in it.
    """
    etag, last_modified = headers.get("etag", ""), headers.get("last-modified", "")
    changed, sent = http_date(last_modified), http_date(headers.get("date", ""))
    is_settled = changed is not None and sent is not None and sent - changed >= MIN_AGE_SECONDS
    has_strong_etag = bool(etag) and not etag.startswith("W/")
    return Version(etag, last_modified if has_strong_etag or is_settled else "")


class Downloaded(NamedTuple):
    """The result of a download."""

    version: Version = Version()
    is_unchanged: bool = False  # the server has the version that was asked about, and sent nothing
    content_type: str = ""


@dataclass
class Download:
    """Downloads one file; `run` may be called once."""

    url: str
    label: str  # names it in messages
    credentials: tuple[str, str] | None  # user name and password; sent to the host of `url` only
    retries: CopyRetries
    trace: Trace
    on_progress: Callable[[int, int | None], None]
    known_version: Version | None = None  # nothing is sent if the server has this version still
    only_public: bool = False  # no host of this machine or its network, whatever redirects to it
    _version: Version = Version()  # noqa: RUF009 - of what is in the file so far
    _total: int | None = None  # bytes of that version
    _can_resume: bool = False

    def run(self, file: BinaryIO) -> Downloaded:
        """Write the content into an empty file; raise the error that ended the last attempt."""
        while True:
            try:
                return self._attempt(file)
            except PrivateHostError as error:
                raise UsageError(
                    f"{self.label}: {error}", hint="assistants name addresses on the public internet only"
                ) from None
            except FailedAttempt as failed:
                if not self._can_resume:
                    _empty(file)
                self.retries.wait(failed, file.tell())

    def _attempt(self, file: BinaryIO) -> Downloaded:
        """Send a request, follow redirects, and receive what is missing."""
        import httpx

        url = self.url
        for _ in range(MAX_REDIRECTS + 1):
            connection = _connect_to_public(url) if self.only_public else _connect(url)
            with closing(connection):
                try:
                    with closing(connection.handle_request(self._request(url, file.tell()))) as response:
                        self._trace(url, response)
                        if response.status_code not in REDIRECTS or "location" not in response.headers:
                            return self._receive(url, connection, response, file)
                        url = self._redirected(url, response.headers["location"])
                except (httpx.TransportError, httpx.DecodingError) as error:
                    raise self._network_error(error, url) from None
        raise UsageError(
            f"{self.label}: more than {MAX_REDIRECTS} redirects", hint="name the address that they lead to"
        )

    def _request(self, url: str, offset: int) -> "httpx.Request":
        """Build the request for everything from `offset` on."""
        import httpx

        # Compressed on the way, a feed could be resumed from few servers.
        headers = {"Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
        headers["User-Agent"] = f"adsctl/{__version__}"
        if offset:
            headers |= {"Range": f"bytes={offset}-", "If-Range": self._version.validator}
        elif self.known_version:
            headers |= self.known_version.conditions
        if self.credentials and self._is_own(url):
            headers["Authorization"] = _basic_auth(*self.credentials)
        deadline = max(self.retries.silence_ends_at, time.monotonic() + MIN_TIMEOUT_SECONDS)
        times = dict.fromkeys(("connect", "read", "write", "pool"), self.retries.limits.timeout)
        request = httpx.Request(
            "GET", url, headers=headers, extensions={"timeout": times, "deadline": deadline}
        )
        self.trace.request("GET", mask_address(url), request.headers, b"")
        return request

    def _is_own(self, url: str) -> bool:
        """Whether an address is on the host that was named, and not on one that it redirects to."""
        return _origin(url) == _origin(self.url)

    def _trace(self, url: str, response: "httpx.Response") -> None:
        headers = {name.lower(): value for name, value in response.headers.items()}
        if location := headers.get("location"):
            from .connections import parse_http_address

            headers["location"] = mask_address(str(parse_http_address(location, url) or MASK))
        self.trace.response("GET", mask_address(url), response.status_code, headers, b"", 0.0)

    def _redirected(self, url: str, location: str) -> str:
        """Return where a redirect leads to; raise UsageError unless it is https."""
        from .connections import parse_http_address

        target = parse_http_address(location, url)  # its user name and password, if any, are not used
        if target is None or target.scheme != "https":
            shown = mask_address(str(target)) if target else "something"
            raise UsageError(
                f"{self.label} redirects to {shown}, which is not https",
                hint="nothing is read over a connection that others can change",
            )
        return str(target)

    def _receive(
        self, url: str, connection: "DownloadTransport", response: "httpx.Response", file: BinaryIO
    ) -> Downloaded:
        """Write the body of a response; raise what its status means."""
        status, headers = response.status_code, response.headers
        version = version_of(headers)
        if status == 304 and self.known_version and not file.tell():
            return Downloaded(version if any(version) else self.known_version, is_unchanged=True)
        if status == 206 and file.tell():
            self._check_range(headers, file.tell())
        elif status == 200:
            _empty(file)
            length = headers.get("content-length", "")
            self._version, self._total = version, int(length) if length.isdecimal() else None
        else:
            self._can_resume = self._can_resume and status != 416
            signed_in = self.credentials is not None and self._is_own(url)
            error = status_error(self.label, status, headers, signed_in=signed_in)
            if isinstance(error, AccessError) and not self._is_own(url):
                error.hint = f"name the address that it redirects to: {mask_address(url)}"
            raise error
        encoding = headers.get("content-encoding", "").strip().lower()
        if encoding not in STORED_ENCODINGS:
            raise UnavailableError(
                f"{self.label}: sent with the encoding {encoding[:60]!r}, which was not requested"
            )
        total = self._total
        self.retries.check_size(total or 0, self.label)
        self._can_resume = bool(self._version.validator) and headers.get("accept-ranges", "") != "none"
        self._copy(connection, response, file, total)
        if total is not None and file.tell() != total:
            raise FailedAttempt(UnavailableError(f"{self.label}: {file.tell():,} of {total:,} bytes"), {})
        return Downloaded(self._version, content_type=headers.get("content-type", ""))

    def _copy(
        self, connection: "DownloadTransport", response: "httpx.Response", file: BinaryIO, total: int | None
    ) -> None:
        """Write a body as it arrives; a server that drips is left at the end of a period of --timeout."""
        period = self.retries.limits.timeout
        expected = file.tell() + MIN_BYTES_PER_SECOND * period
        connection.extend_deadline(time.monotonic() + period)
        for part in response.iter_raw():
            file.write(part)
            received = file.tell()
            self.retries.check_size(received, self.label)
            self.on_progress(received, total)
            if received >= expected:
                self.retries.record_progress()
                expected = received + MIN_BYTES_PER_SECOND * period
                connection.extend_deadline(time.monotonic() + period)

    def _check_range(self, headers: Mapping[str, str], offset: int) -> None:
        """Raise FailedAttempt if a partial response is another part, or one of another version.

        A server that does not know `If-Range` sends the part of whatever it has now: one that does names the
        version and says where it ends.
        """
        match = CONTENT_RANGE.fullmatch(headers.get("content-range", "").strip())
        etag, validator = self._version.etag, self._version.validator
        is_named = validator in (headers.get("etag"), headers.get("last-modified"))
        is_same_version = is_named and headers.get("etag", etag) == etag
        total = self._total if not match or match[2] == "*" else int(match[2])
        is_other_part = not match or int(match[1]) != offset or total is None
        if is_other_part or not is_same_version or self._total not in (None, total):
            self._can_resume = False
            raise FailedAttempt(UnavailableError(f"{self.label}: the server sent another part of it"), {})
        self._total = total

    def _network_error(self, error: Exception, url: str) -> Exception:
        described = network_error(error, url)
        described.message = f"{self.label}: {described.message}"
        return described if is_certificate_error(error) else FailedAttempt(described, {})


def _connect_to_public(url: str) -> "DownloadTransport":
    """Make a connection. Raise PrivateHostError, here or at its request, unless the host is public."""
    import httpx

    from .connections import tls_context
    from .network import DownloadTransport, connect_to_public

    return connect_to_public(httpx.URL(url), tls_context, kind=DownloadTransport)


def _connect(url: str) -> "DownloadTransport":
    import httpx

    from .connections import through_proxy, tls_context
    from .network import DownloadTransport

    parsed = httpx.URL(url)
    return through_proxy(DownloadTransport, parsed, tls_context(parsed.scheme == "https"))


def _basic_auth(user: str, password: str) -> str:
    from base64 import b64encode

    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def _origin(url: str) -> tuple[str, bytes, int | None]:
    """Return the scheme, host and port, which are the same however they are spelled."""
    import httpx

    parsed = httpx.URL(url)  # it writes `müller` as `xn--mller-kva`, and leaves out the usual port
    return parsed.scheme, parsed.raw_host, parsed.port


def _empty(file: BinaryIO) -> None:
    file.seek(0)
    file.truncate()
