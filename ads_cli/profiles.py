"""config.yaml, changed: under a lock, and whole or not at all."""

from collections.abc import Callable
from typing import Any

from .errors import StateError, UsageError
from .files import atomic
from .nearest import nearest
from .settings import ADDRESSES, KEYS, LOCAL, Settings, check_address


def edit(settings: Settings, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the configuration: `change` gets the whole of it, with a mapping under `profiles`."""
    import yaml
    from filelock import FileLock

    folder = settings.config_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / "config.lock", mode=0o600):
            config = dict(settings.read_config())
            config["profiles"] = dict(config.get("profiles") or {})
            change(config)
            with atomic(folder / "config.yaml") as stream:
                yaml.safe_dump(config, stream, allow_unicode=True, sort_keys=False)
    except OSError as error:
        raise StateError(f"{folder} cannot be written: {error.strerror}") from error


def update(settings: Settings, profile: str, values: dict[str, Any]) -> None:
    """Set values of a profile, made where it is not there yet; None takes a value away."""
    checked = {name: _checked(name, value) for name, value in values.items()}

    def change(config: dict[str, Any]) -> None:
        kept = dict(config["profiles"].get(profile) or {})
        kept.update(checked)
        config["profiles"][profile] = {name: value for name, value in kept.items() if value is not None}
        config.setdefault("profile", profile)

    refuse_local(profile)
    edit(settings, change)


def refuse_local(profile: str) -> None:
    """Keep the built-in profile as it is."""
    if profile == LOCAL:
        raise UsageError("the profile local is built in: the emulator on this machine, always signed in")


def _checked(name: str, value: Any) -> Any:
    if name not in KEYS:
        raise UsageError(f"{name!r} is no setting of a profile{nearest(name, KEYS)}", hint=", ".join(KEYS))
    if name in ADDRESSES and value is not None:
        return check_address(str(value), name)
    if name == "sandbox" and value is not None:
        if str(value).lower() not in ("true", "false"):
            raise UsageError(f"sandbox: {value!r} is neither true nor false")
        return str(value).lower() == "true"
    return value
