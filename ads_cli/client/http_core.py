"""httpcore, without the asynchronous libraries that it looks for."""

from typing import TYPE_CHECKING

from ..lean_imports import import_without

if TYPE_CHECKING:
    import httpcore
else:
    httpcore = import_without("httpcore", "anyio", "trio")

__all__ = ["httpcore"]
