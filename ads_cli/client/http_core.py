"""httpcore, without the parts that it does without where other libraries are missing."""

from typing import TYPE_CHECKING

from ..lean_imports import import_without

# What is asynchronous, HTTP/2 and SOCKS: each part with the library that it needs.
OPTIONAL = (
    *("anyio", "httpcore._backends.anyio"),
    *("trio", "httpcore._backends.trio"),
    *("httpcore._async.http2", "httpcore._sync.http2"),
    *("httpcore._async.socks_proxy", "httpcore._sync.socks_proxy"),
)

if TYPE_CHECKING:
    import httpcore
else:
    httpcore = import_without("httpcore", *OPTIONAL)

__all__ = ["httpcore"]
