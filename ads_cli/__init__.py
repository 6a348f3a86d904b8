"""adsctl: manage an advertising service from the terminal, and from Python (docs/python.md).

Only what `__all__` names is public; `__init__.pyi` says where it is, for type checkers.
"""

__version__ = "0.1.0"

__all__ = [
    "AccessError",
    "AdsctlError",
    "Connection",
    "ContentError",
    "Finding",
    "GuardError",
    "IncompleteError",
    "NotConfirmedError",
    "NotFoundError",
    "Plan",
    "Progress",
    "PushResult",
    "RateLimitedError",
    "Record",
    "RefusedError",
    "RejectedRow",
    "Rows",
    "StateError",
    "UnavailableError",
    "UsageError",
    "connect",
]


def __getattr__(name: str) -> object:
    """Import what is public when it is first used: commands need none of it."""
    if name not in __all__:  # in another module, or nowhere
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    of_connection = ("Connection", "connect")
    module = "errors" if name.endswith("Error") else "library.results"
    module = "library.connection" if name in of_connection else module
    value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return value


def __dir__() -> list[str]:
    return [*__all__]
