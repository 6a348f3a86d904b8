"""Changes of config.yaml: under a lock, atomic, and with the comments kept."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..api.names import SERVICES
from ..errors import StateError, UsageError
from ..numbers import parse_count
from ..output import FORMATS
from ..output.text import listed
from ..spelling import suggestion
from .addresses import ADDRESSES, check_address
from .atomic_files import atomic, make_folder
from .file_locks import locked
from .settings import (
    ALIAS,
    BOOLEANS,
    GOAL_KEYS,
    LOCAL,
    PROFILE_KEYS,
    RECIPES,
    SEVERAL_PROFILES,
    SIGN_IN,
    TOKEN_STORES,
    Settings,
    check_profile_name,
)

OF_RECIPES = f"{RECIPES}."  # before a pattern of files: the key of its recipe
OF_ALIASES = f"{ALIAS}."  # before the name of one
GUARD = "guard."  # begins the names of limits
CHOICES = {
    "service": tuple(SERVICES),
    "sandbox": BOOLEANS,
    "output": tuple(name for name, format in FORMATS.items() if not format.is_binary),
    "token_store": TOKEN_STORES,
}


def edit(settings: Settings, change: Callable[[dict[str, Any]], None]) -> None:
    """Change config.yaml; `change` gets the whole document, with a mapping under `profiles`."""
    from ruamel.yaml import YAML

    folder, path = settings.config_dir, settings.config_file
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096  # keeps long lines whole
    try:
        make_folder(folder)
        with locked(folder / "config.lock"):
            settings.read_config()  # raises a clear error if the file is invalid
            config = (yaml.load(path) if path.exists() else None) or {}
            config["profiles"] = config.get("profiles") or {}
            for name in config["profiles"]:
                if not isinstance(name, str):  # 12: is no text here, and a second profile would be written
                    hint = "write it in quotes, as in '12':"
                    raise StateError(f"{path}: the profile {name} has a name without quotes", hint=hint)
            change(config)
            with atomic(path) as stream:
                yaml.dump(config, stream)
    except OSError as error:
        raise StateError(f"{folder} cannot be written: {error.strerror}") from error


def update(settings: Settings, profile: str, values: dict[str, Any]) -> None:
    """Set values of a profile, which is created if it does not exist. None removes a value."""
    store(settings, profile, checked_values(settings, profile, values))


def checked_values(settings: Settings, profile: str, values: Mapping[str, str | None]) -> dict[str, Any]:
    """Return values of a profile as config.yaml has them; raise UsageError for what it cannot have."""
    checked = {name: _checked(name, value) for name, value in values.items()}
    check_new_name(settings, profile)
    refuse_local(profile)
    if (named := checked.get(SIGN_IN)) and (problem := settings.sign_in_problem(profile, str(named))):
        raise UsageError(f"{SIGN_IN}: {problem}")
    if named and (others := settings.users_of_sign_in(profile)):
        raise UsageError(f"{SIGN_IN}: {listed(others)} use the sign-in of {profile!r} itself")
    settings.profile_values(profile)  # raises StateError for a profile that is no mapping
    return checked


def store(settings: Settings, profile: str, checked: Mapping[str, Any]) -> None:
    """Write values that were checked into config.yaml."""

    def change(config: dict[str, Any]) -> None:
        stored = config["profiles"][profile] = config["profiles"].get(profile) or {}
        for name, value in checked.items():
            section, _, key = name.partition(".")  # of recipes or limits; other settings have no dot
            holder = stored
            if key:
                holder = stored[section] = stored.get(section) or {}
                if not isinstance(holder, dict):
                    raise StateError(
                        f"{settings.config_file}: profiles.{profile}.{section} must be a mapping"
                    )
            if value is None:
                holder.pop(key or name, None)
            else:
                holder[key or name] = value
            if key and not holder:
                del stored[section]
        config["profile"] = config.get("profile") or profile

    edit(settings, change)


def check_new_name(settings: Settings, profile: str) -> None:
    """Raise UsageError for a name that a profile cannot have; one that exists stays as it is."""
    check_profile_name(profile)
    if not SEVERAL_PROFILES.isdisjoint(profile) and profile not in (
        settings.read_config().get("profiles") or {}
    ):
        raise UsageError(
            f"{profile!r} cannot be the name of a profile: --profile takes it for several",
            hint="name each of them; limits of the guard for all are in the file that ADSCTL_GUARD names",
        )


def guard_values(values: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the limits among the values of a profile, by their keys."""
    return {name.removeprefix(GUARD): value for name, value in values.items() if name.startswith(GUARD)}


def _checked_limit(key: str, value: str | None) -> str | list[str] | None:
    from .guard import KEYS, Limit, parse_value

    if key not in KEYS:
        raise UsageError(
            f"{GUARD}{key} is not a key of the guard{suggestion(key, KEYS)}", hint=f"keys: {', '.join(KEYS)}"
        )
    if value is None:
        return None
    try:
        text = Limit(key, parse_value(key, value), "").text
    except ValueError as error:
        raise UsageError(f"{GUARD}{key}: {error}", hint="adsctl guard show --help") from None
    return text.split(",") if key == "deny" else text


def refuse_local(profile: str) -> None:
    """Raise UsageError for the built-in profile, which cannot be changed."""
    if profile == LOCAL:
        raise UsageError(
            "the profile local is built in: the emulator on this machine, always signed in",
            hint="set a profile of your own; limits of local are those of the file that ADSCTL_GUARD names, "
            "as in 'max_daily_budget: 100 EUR'",
        )


def _checked(name: str, value: str | None) -> str | list[str] | None:
    if name.startswith(GUARD):
        return _checked_limit(name.removeprefix(GUARD), value)
    if name.startswith(OF_ALIASES):
        return value
    if name.startswith(OF_RECIPES) and len(name) > len(OF_RECIPES):
        return value and str(Path(value).absolute())
    if name.partition(".")[0] in GOAL_KEYS:
        from .goals import check_goal

        if value is not None:
            check_goal(name, value)
        return value
    if name == RECIPES and value is not None:
        raise UsageError(f"{RECIPES} needs a pattern of files", hint=f"as in '{OF_RECIPES}*.csv=shop.yaml'")
    if name not in PROFILE_KEYS:
        raise UsageError(
            f"{name!r} is not a setting of a profile{suggestion(name, PROFILE_KEYS)}",
            hint=f"settings: {', '.join(PROFILE_KEYS)}",
        )
    if value is None:
        return None
    if name in ADDRESSES:
        return check_address(value, name, UsageError)
    if name == "changes_days":
        return str(parse_count(value, name))
    if name in CHOICES and value not in CHOICES[name]:
        allowed = ", ".join(CHOICES[name])
        raise UsageError(f"{name}: {value!r} is not one of {allowed}{suggestion(value, CHOICES[name])}")
    return value
