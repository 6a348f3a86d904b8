"""Where each value comes from: flag > environment > profile > default.

Two exceptions keep tests and trials off a real service: a profile named by the flag `--profile`
outranks the environment's addresses, secrets, account and catalog; the profile `local`, the
embedded emulator, never looks at them.
"""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..durations import parse_duration
from ..errors import ContentError, StateError, UsageError
from ..loopback import is_loopback
from ..spelling import as_option, as_variable
from ..suggestions import suggestion

LOCAL = "local"
DEFAULT_PROFILE = "default"
EMULATOR_URL = "http://emulator.localhost"
ADDRESSES = ("base_url", "ads_url", "ads_sandbox_url")
# What a profile of one's own choosing must not inherit from the environment.
BOUND = (*ADDRESSES, "account", "catalog")
# What a profile in config.yaml may hold.
KEYS = (*BOUND, "sandbox", "output", "token_store", "user")
TOKEN_STORES = ("keyring", "file")
TRUTHS = ("true", "false")
DEFAULTS = {
    "timeout": "30s",
    "max_attempts": "6",
    "max_wait": "15m",
    "color": "auto",
    "token_store": "keyring",
}


class Setting(NamedTuple):
    """A value and where it was found, in words."""

    value: str
    origin: str


class Settings:
    """The settings of one call."""

    def __init__(self, flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> None:
        self.flags = flags
        self.environ = environ
        self.may_be_new = False  # a sign-in makes the profile that it names

    @cached_property
    def profile(self) -> str:
        """Name the profile in use."""
        named = self.flags.get("profile") or self.environ.get("ADSCTL_PROFILE")
        name = str(named or self._config.get("profile") or DEFAULT_PROFILE)
        profiles = self._config.get("profiles") or {}
        if named and name not in (LOCAL, DEFAULT_PROFILE, *profiles) and not self.may_be_new:
            known = [*profiles, LOCAL]
            raise UsageError(
                f"there is no profile {name!r}{suggestion(name, known)}",
                hint=f"known profiles: {', '.join(known)}",
            )
        return name

    @property
    def profile_origin(self) -> str:
        """Say what chose the profile."""
        if self.flags.get("profile"):
            return "--profile"
        if self.environ.get("ADSCTL_PROFILE"):
            return "ADSCTL_PROFILE"
        return "config.yaml" if self._config.get("profile") else "default"

    @property
    def is_local(self) -> bool:
        """Tell whether the embedded emulator is the service."""
        return self.profile == LOCAL

    @property
    def named_profile(self) -> bool:
        """Tell whether the profile was named by flag, and so outranks the environment."""
        return bool(self.flags.get("profile"))

    def find(self, name: str) -> Setting | None:
        """Look a setting up in the order of the contract."""
        if (flag := self.flags.get(name)) is not None:
            return Setting(str(flag), as_option(name))
        places = [self._in_environment, self._in_profile]
        if self.named_profile and name in BOUND:
            places.reverse()
        for look in places:
            if found := look(name):
                return found
        return Setting(DEFAULTS[name], "default") if name in DEFAULTS else None

    def _in_environment(self, name: str) -> Setting | None:
        variable = as_variable(name)
        value = None if self.is_local and name in BOUND else self.environ.get(variable)
        return Setting(value, variable) if value else None

    def _in_profile(self, name: str) -> Setting | None:
        value = self._profile.get(name)
        return None if value is None else Setting(str(value), f"profile {self.profile}")

    def strange(self) -> list[str]:
        """Say which keys of the profile mean nothing, and what may be meant."""
        path = self.config_dir / "config.yaml"
        return [
            f"{path}: {name!r} of the profile {self.profile} means nothing{suggestion(str(name), KEYS)}"
            for name in self._profile
            if name not in KEYS
        ]

    def shadowed(self) -> list[str]:
        """Name the variables of the environment that outrank a value of the profile."""
        names = BOUND if not (self.is_local or self.named_profile) else ()
        both = ((name, self._in_environment(name), self._in_profile(name)) for name in names)
        return [as_variable(n) for n, outer, inner in both if outer and inner and outer[0] != inner[0]]

    def get(self, name: str) -> str | None:
        """Give the value of a setting, or None."""
        found = self.find(name)
        return found.value if found else None

    def require(self, name: str) -> str:
        """Give the value of a setting that the command cannot do without."""
        if (value := self.get(name)) is not None:
            return value
        hint = f"name one with {as_option(name)}, {as_variable(name)} or the profile"
        raise UsageError(f"no {name} was given", hint=hint)

    def flag(self, name: str) -> bool:
        """Give a yes-or-no setting."""
        return str(self.get(name)).lower() in ("true", "1", "yes")

    def seconds(self, name: str, *, may_be_zero: bool = True) -> float:
        """Give a duration in seconds."""
        return parse_duration(self.get(name) or "", as_option(name), may_be_zero=may_be_zero)

    @property
    def max_attempts(self) -> int:
        """Give the most tries of one request, at least 1."""
        text = self.get("max_attempts") or ""
        if not text.isdigit() or int(text) < 1:
            raise UsageError(f"--max-attempts: {text!r} is not a whole number of 1 or more")
        return int(text)

    def address(self, base: str) -> str:
        """Give the address of an interface area: `platform`, `ads` or `sandbox`; never with a final slash."""
        if base == "ads" and self.flag("sandbox"):
            base = "sandbox"
        name = {"platform": "base_url", "ads": "ads_url", "sandbox": "ads_sandbox_url"}[base]
        found = self.find(name)
        if found is None:
            raise StateError(
                f"no address of the service is known: {name} is not set",
                hint=f"set {as_variable(name)}, or {name} in the profile; "
                "to try things out on this machine, add --profile local",
            )
        return check_address(*found)

    @cached_property
    def config_dir(self) -> Path:
        """Give the folder of config.yaml."""
        if given := self.environ.get("ADSCTL_CONFIG_DIR"):
            return Path(given)
        from platformdirs import user_config_path

        return user_config_path("adsctl")

    @cached_property
    def state_dir(self) -> Path:
        """Give the folder of job journals and of the emulator's database."""
        if given := self.environ.get("ADSCTL_STATE_DIR"):
            return Path(given)
        from platformdirs import user_state_path

        return user_state_path("adsctl")

    @property
    def emulator_database(self) -> Path:
        """Give the file that holds the emulator's world."""
        return self.state_dir / "emulator.db"

    @property
    def sign_in_hint(self) -> str:
        """Say what to do about a token that the service does not accept."""
        if self.named_profile or not self.environ.get("ADSCTL_ACCESS_TOKEN"):
            return f"run: adsctl auth login --profile {self.profile}"
        return (
            "the token comes from the environment: look at ADSCTL_ACCESS_TOKEN and ADSCTL_ACCESS_TOKEN_SECRET"
        )

    @cached_property
    def _profile(self) -> Mapping[str, Any]:
        return self.profile_values(self.profile)

    def profile_values(self, name: str) -> Mapping[str, Any]:
        """Give what a profile holds."""
        if name == LOCAL:
            return dict.fromkeys(ADDRESSES, EMULATOR_URL)
        profile = (self._config.get("profiles") or {}).get(name) or {}
        if not isinstance(profile, dict):
            raise StateError(f"{self.config_dir / 'config.yaml'}: profiles.{name} must be a mapping")
        return profile

    @cached_property
    def _config(self) -> Mapping[str, Any]:
        return self.read_config()

    def read_config(self) -> Mapping[str, Any]:
        """Read config.yaml as it is now; an empty mapping where there is none."""
        path = self.config_dir / "config.yaml"
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise StateError(f"{path} cannot be read: {error}") from error
        from .strict_yaml import load

        try:
            config = load(text, str(path)) or {}
        except ContentError as error:
            raise StateError(error.message, hint="mend it, or move it away") from None
        if not isinstance(config, dict) or not isinstance(config.get("profiles") or {}, dict):
            raise StateError(f"{path} must be a mapping with 'profile' and 'profiles'")
        return config


def check_address(address: str, origin: str) -> str:
    """Refuse an address that would send credentials in the clear; loopback is the exception."""
    try:
        parts = urlsplit(address.rstrip("/"))
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise StateError(f"{address!r} (from {origin}) is not an address: {error}") from error
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or parts.username:
        raise StateError(
            f"{address!r} (from {origin}) is not an address",
            hint="write it as in https://host or https://host/path",
        )
    if parts.scheme == "http" and not is_loopback(host):
        raise StateError(
            f"{address!r} (from {origin}) is not https",
            hint="only this machine itself may be spoken to by http",
        )
    return address.rstrip("/")
