"""config.yaml, changed: under a lock, whole or not at all, and with its comments."""

from collections.abc import Callable
from typing import Any

from ..errors import StateError, UsageError
from ..output.presentation import FORMATS
from ..suggestions import suggestion
from .atomic_files import atomic
from .settings import ADDRESSES, KEYS, LOCAL, TOKEN_STORES, TRUTHS, Settings, check_address

CHOICES = {"sandbox": TRUTHS, "output": FORMATS, "token_store": TOKEN_STORES}


def edit(settings: Settings, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the configuration: `change` gets the whole of it, with a mapping under `profiles`."""
    from filelock import FileLock
    from ruamel.yaml import YAML

    folder = settings.config_dir
    path = folder / "config.yaml"
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096  # no line is broken that was not
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / "config.lock", mode=0o600):
            settings.read_config()  # which tells in words what is wrong with the file
            config = (yaml.load(path) if path.exists() else None) or {}
            config["profiles"] = config.get("profiles") or {}
            change(config)
            with atomic(path) as stream:
                yaml.dump(config, stream)
    except OSError as error:
        raise StateError(f"{folder} cannot be written: {error.strerror}") from error


def update(settings: Settings, profile: str, values: dict[str, Any]) -> None:
    """Set values of a profile, made where it is not there yet; None takes a value away."""
    checked = {name: _checked(name, value) for name, value in values.items()}

    def change(config: dict[str, Any]) -> None:
        kept = config["profiles"][profile] = config["profiles"].get(profile) or {}
        kept.update({name: value for name, value in checked.items() if value is not None})
        for name in (name for name, value in checked.items() if value is None):
            kept.pop(name, None)
        config.setdefault("profile", profile)

    refuse_local(profile)
    edit(settings, change)


def refuse_local(profile: str) -> None:
    """Keep the built-in profile as it is."""
    if profile == LOCAL:
        raise UsageError("the profile local is built in: the emulator on this machine, always signed in")


def _checked(name: str, value: str | None) -> str | None:
    if name not in KEYS:
        raise UsageError(f"{name!r} is no setting of a profile{suggestion(name, KEYS)}", hint=", ".join(KEYS))
    if value is None:
        return None
    if name in ADDRESSES:
        return check_address(value, name)
    if name in CHOICES and value not in CHOICES[name]:
        allowed = ", ".join(CHOICES[name])
        raise UsageError(f"{name}: {value!r} is not one of {allowed}{suggestion(value, CHOICES[name])}")
    return value
