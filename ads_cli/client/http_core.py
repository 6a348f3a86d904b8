"""httpcore, without the asynchronous libraries that it looks for: importing those takes longer than it."""

import sys

_HIDDEN = [name for name in ("anyio", "trio") if name not in sys.modules]

for _name in _HIDDEN:
    sys.modules[_name] = None  # type: ignore[assignment]  # its import raises ImportError
try:
    import httpcore
finally:
    for _name in _HIDDEN:
        del sys.modules[_name]

__all__ = ["httpcore"]
