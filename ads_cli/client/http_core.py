"""httpcore, without the optional libraries that it looks for: asynchronous ones, HTTP/2, SOCKS."""

from typing import TYPE_CHECKING

from ..lean_imports import import_without

if TYPE_CHECKING:
    import httpcore
else:
    httpcore = import_without("httpcore", "anyio", "trio", "h2", "socksio")

__all__ = ["httpcore"]
