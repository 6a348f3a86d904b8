"""The settings of one invocation: flag > environment > profile > default.

Two exceptions protect a real service from tests and trials. A profile named by the flag `--profile` precedes
the environment's addresses, service, secrets, account and catalog. The profile `local`, the embedded
emulator, always ignores these.
"""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from ..api.names import SERVICES, Names
from ..errors import StateError, UsageError
from ..numbers import parse_count, parse_duration
from ..spelling import as_option, as_variable, suggestion
from .addresses import ADDRESSES, SERVICE_ADDRESSES, check_address

CACHES = "caches"  # in the state folder: what may be lost at any time
LOCAL = "local"
DEFAULT_PROFILE = "default"
EMULATOR_URL = "http://emulator.localhost"
OF_X = "the platform's own names and addresses"
SERVICE_X = f"x is {OF_X}: --service x"
# Settings that a profile named by flag does not take from the environment.
SERVICE_SETTINGS = ("service", *ADDRESSES, "account", "catalog")
PROFILE_KEYS = (
    *SERVICE_SETTINGS,
    "sandbox",
    "output",
    "token_store",
    "recipes",
    "user",
    "client_id",
    "changes_days",
    "sign_in",
)
SIGN_IN = "sign_in"  # of a profile: the name of another one, whose sign-in it uses
OF_SIGN_IN = ("service", *ADDRESSES, "token_store", "user")  # that it takes from there, unless it has its own
# What a profile states of its account, for `accounts check` (goals.py).
GOAL_KEYS = ("goals", "check", "monthly_budget", "name_pattern", "utm", "buyers")
CONFIG_KEYS = ("profile", "profiles")  # of config.yaml
ALIAS = "alias"  # of a profile: command lines by their names
RECIPES = "recipes"  # of a profile: patterns of files, each with the recipe for them
TOKEN_STORES = ("keyring", "file")
BOOLEANS = ("true", "false")
TRUE, FALSE = frozenset(("true", "1", "yes", "on")), frozenset(("false", "0", "no", "off"))  # as people write
DEFAULTS = {
    "service": "generic",
    "timeout": "30s",
    "max_attempts": "6",
    "max_wait": "15m",
    "token_store": "keyring",
    "changes_days": "400",
}


CORRECT_HINT = "correct the file, or move it away"
READABLE_HINT = "make it readable for this user, or set ADSCTL_CONFIG_DIR to another folder"
NO_PROFILE = "--profile names no profile"
NO_PROFILE_HINT = "a variable of your script may be empty; without the option, the default profile is used"
SEVERAL_PROFILES = frozenset("*?[,")  # in what --profile is given: a pattern, or names


def check_profile_name(name: str) -> None:
    """Raise UsageError for a name that would lead out of the folders that are named after profiles."""
    if name in ("", ".", ".."):
        raise UsageError(f"{name!r} cannot be the name of a profile", hint="rename it, also in config.yaml")


class Setting(NamedTuple):
    """A value, and where it was found: `--output`, `ADSCTL_OUTPUT`, `profile shop` or `default`."""

    value: str
    origin: str


class Settings:
    """The settings of one invocation."""

    def __init__(self, flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> None:
        self.flags = flags
        self.process_environ = environ  # without the variables of `--env-file`
        self.may_create_profile = False  # then the profile need not exist

    @cached_property
    def environ(self) -> Mapping[str, str]:
        """The environment, with the variables of `--env-file`."""
        path = self.flags.get("env_file")
        if path is None:
            return self.process_environ
        from .environment import with_env_file

        return with_env_file(self.process_environ, path)

    @cached_property
    def profile(self) -> str:
        """The name of the profile in use; raise UsageError if it does not exist."""
        if self.flags.get("profile") == "":
            raise UsageError(NO_PROFILE, hint=NO_PROFILE_HINT)
        named = self.flags.get("profile") or self.environ.get("ADSCTL_PROFILE")
        name = str(named or self._config.get("profile") or DEFAULT_PROFILE)
        check_profile_name(name)
        profiles = self._config.get("profiles") or {}
        if name not in (LOCAL, DEFAULT_PROFILE, *profiles) and not self.may_create_profile:
            names = [*profiles, LOCAL]
            missing = f"there is no profile {name!r}{suggestion(name, names)}"
            if named:
                raise UsageError(missing, hint=f"profiles: {', '.join(names)}")
            hint = f"run: adsctl profile use NAME; profiles: {', '.join(names)}"
            raise StateError(f"{self.config_file}: {missing}", hint=hint)
        return name

    @property
    def profile_origin(self) -> str:
        """Where the name of the profile was found."""
        if self.flags.get("profile"):
            return "--profile"
        if self.environ.get("ADSCTL_PROFILE"):
            return "ADSCTL_PROFILE"
        return "config.yaml" if self._config.get("profile") else "default"

    @property
    def is_local(self) -> bool:
        """Whether the service is the embedded emulator."""
        return self.profile == LOCAL

    @property
    def profile_outranks_environment(self) -> bool:
        """Whether the profile was named by flag."""
        return bool(self.flags.get("profile"))

    def find(self, name: str) -> Setting | None:
        """Find a setting: flag, environment, profile, default."""
        if (flag := self.flags.get(name)) is not None:
            return Setting(str(flag), as_option(name))
        sources = [self._in_environment, self._in_profile]
        if self.profile_outranks_environment and name in SERVICE_SETTINGS:
            sources.reverse()
        for source in sources:
            if setting := source(name):
                return setting
        if name in ADDRESSES and (address := SERVICE_ADDRESSES.get(self.service, {}).get(name)):
            return Setting(address, f"service {self.service}")
        return Setting(DEFAULTS[name], "default") if name in DEFAULTS else None

    @property
    def service(self) -> str:
        """The service, whose names are used on the wire: a key of SERVICES."""
        setting = self.find("service")
        assert setting  # it has a default
        if setting.value not in SERVICES:
            error = UsageError if setting.origin == "--service" else StateError
            hint = f"it is one of {', '.join(SERVICES)}{suggestion(setting.value, SERVICES)}"
            raise error(f"{setting.value!r} (from {setting.origin}) is not a service", hint=hint)
        return setting.value

    @property
    def names(self) -> Names:
        """The names that the service uses on the wire."""
        return SERVICES[self.service]

    def _in_environment(self, name: str) -> Setting | None:
        variable = as_variable(name)
        value = None if self.is_local and name in SERVICE_SETTINGS else self.environ.get(variable)
        return Setting(value, variable) if value else None

    def _in_profile(self, name: str) -> Setting | None:
        value, profile = self._profile.get(name), self.profile
        if value is None and name in OF_SIGN_IN:
            profile = self.sign_in_profile
            value = self.profile_values(profile).get(name)
        if name == RECIPES and isinstance(value, dict):
            value = ", ".join(f"{pattern}={path}" for pattern, path in value.items())
        return None if value is None else Setting(str(value), f"profile {profile}")

    @cached_property
    def sign_in_profile(self) -> str:
        """The profile whose sign-in is used: this one, unless it names another; raise StateError."""
        if (named := self._profile.get(SIGN_IN)) is None:
            return self.profile
        if problem := self.sign_in_problem(self.profile, str(named)):
            hint = f"adsctl profile set {self.profile} {SIGN_IN}=NAME"
            raise StateError(f"{self.config_file}: profiles.{self.profile}.{SIGN_IN}: {problem}", hint=hint)
        return str(named)

    def sign_in_problem(self, profile: str, named: str) -> str:
        """Say why a profile cannot use the sign-in of the one that it names; "" where it can."""
        profiles = self._config.get("profiles") or {}
        if named in (LOCAL, profile):
            return f"{named!r} is not another profile that is signed in"
        if named not in profiles:
            return f"there is no profile {named!r}{suggestion(named, profiles)}"
        if other := self.profile_values(named).get(SIGN_IN):
            return f"{named!r} uses the sign-in of {other!r} itself"
        return ""

    def users_of_sign_in(self, profile: str) -> list[str]:
        """Return the other profiles that use the sign-in of one."""
        profiles = self.read_config().get("profiles") or {}
        return [name for name in profiles if self.profile_values(name).get(SIGN_IN) == profile]

    @property
    def recipes(self) -> Mapping[str, str]:
        """The recipes of the profile, by patterns of files; raise StateError where they are no mapping."""
        recipes = self._profile.get(RECIPES) or {}
        if not isinstance(recipes, dict):
            raise StateError(
                f"{self.config_file}: profiles.{self.profile}.recipes must be a mapping",
                hint="of patterns to files, as in '*.csv: shop.yaml'",
            )
        return {str(pattern): str(path) for pattern, path in recipes.items()}

    @property
    def aliases(self) -> dict[str, str]:
        """The command lines of the profile, by their names; raise StateError where they are no mapping."""
        aliases = self._profile.get(ALIAS) or {}
        if not isinstance(aliases, dict):
            raise StateError(
                f"{self.config_file}: profiles.{self.profile}.{ALIAS} must be a mapping",
                hint="of names to command lines, as in 'spend: stats get --since 7d'",
            )
        return {str(name): str(text) for name, text in aliases.items()}

    def unknown_keys(self) -> list[str]:
        """Describe the keys of the profile that are not settings."""
        place = f"{self.config_file}: profile {self.profile}"
        return [
            f"{place}: unknown key {name!r}{suggestion(str(name), PROFILE_KEYS)}"
            for name in self._profile
            if name not in (*PROFILE_KEYS, *GOAL_KEYS, "guard", ALIAS)
        ] + [
            f"{self.config_file}: unknown key {name!r}{suggestion(str(name), CONFIG_KEYS)}"
            for name in self._config
            if name not in CONFIG_KEYS
        ]

    def overridden(self) -> list[str]:
        """List the environment variables that override a different value of the profile."""
        names = SERVICE_SETTINGS if not (self.is_local or self.profile_outranks_environment) else ()
        both = ((name, self._in_environment(name), self._in_profile(name)) for name in names)
        return [as_variable(n) for n, outer, inner in both if outer and inner and outer[0] != inner[0]]

    def get(self, name: str) -> str | None:
        """Return the value of a setting, or None."""
        setting = self.find(name)
        return setting.value if setting else None

    def require_account(self) -> str:
        """Return the advertising account to work in; raise UsageError if none is set."""
        if (account := self.get("account")) is not None:
            return account
        self.address("ads")  # without it no other setting is of use
        for_good = f"adsctl profile set {self.profile} account=ID"
        hint = f"add --account ID, or: {for_good}; adsctl accounts list shows yours"
        raise UsageError("no account is set", hint=hint)

    def flag(self, name: str) -> bool:
        """Return a boolean setting; raise StateError for what is neither true nor false."""
        setting = self.find(name)
        value = setting.value.lower() if setting else "false"
        if setting and value not in TRUE | FALSE:
            raise StateError(
                f"{name}: {setting.value!r} (from {setting.origin}) is neither true nor false",
                hint="write true or false",
            )
        return value in TRUE

    def seconds(self, name: str, *, may_be_zero: bool = True) -> float:
        """Return a duration in seconds."""
        return parse_duration(self.get(name) or "", as_option(name), may_be_zero=may_be_zero)

    @property
    def max_attempts(self) -> int:
        """The most attempts of one request, at least 1."""
        return parse_count(self.get("max_attempts") or "", "--max-attempts")

    @property
    def changes_days(self) -> int:
        """How long the log of changes is kept; raise StateError for what is no number of days."""
        setting = self.find("changes_days")
        assert setting  # it has a default
        try:
            return parse_count(setting.value, f"changes_days (from {setting.origin})")
        except UsageError as error:
            raise StateError(error.message) from None

    def address(self, base: str) -> str:
        """Return the address of an API, without a final slash: `platform`, `ads` or `sandbox`."""
        if base == "ads" and self.flag("sandbox"):
            base = "sandbox"
        name = {"platform": "base_url", "ads": "ads_url", "sandbox": "ads_sandbox_url"}[base]
        setting = self.find(name)
        if setting is None:
            raise StateError(
                f"the address of the service is not set: {name}",
                hint=f"sign in: adsctl auth login --service x ({OF_X}); "
                f"or set {as_variable(name)}; to try adsctl on this machine, add --profile local",
            )
        return check_address(*setting)

    @cached_property
    def config_dir(self) -> Path:
        """The folder of config.yaml."""
        if folder := self.environ.get("ADSCTL_CONFIG_DIR"):
            return Path(folder)
        from platformdirs import user_config_path

        return user_config_path("adsctl")

    @property
    def config_file(self) -> Path:
        """The file of profiles, config.yaml."""
        return self.config_dir / "config.yaml"

    @cached_property
    def state_dir(self) -> Path:
        """The folder of all that is kept between runs."""
        if folder := self.environ.get("ADSCTL_STATE_DIR"):
            return Path(folder)
        from platformdirs import user_state_path

        return user_state_path("adsctl")

    @property
    def emulator_database(self) -> Path:
        """The database of the emulator."""
        return self.state_dir / "emulator.db"

    @property
    def sign_in_hint(self) -> str:
        """What to do if the service does not accept the token."""
        if self.uses_grant:
            return (
                f"run: {self.sign_in_command()}; to change anything, without --read-only; and where the "
                "service refuses tokens of OAuth 2.0, without --oauth2"
            )
        if not (variables := self._token_variables):
            return f"run: {self.sign_in_command()}"
        return f"the token comes from the environment: check {' and '.join(variables)}"

    @property
    def _token_variables(self) -> list[str]:
        """The variables of the environment that the token comes from; none where it does not."""
        if self.profile_outranks_environment:
            return []
        pairs = ((name, f"{name}_FILE") for name in ("ADSCTL_ACCESS_TOKEN", "ADSCTL_ACCESS_TOKEN_SECRET"))
        variables = [next(filter(self.environ.get, pair), "") for pair in pairs]
        return [*filter(None, variables)] if variables[0] else []

    @property
    def uses_grant(self) -> bool:
        """Whether the profile signed in by OAuth 2.0; a token of the environment replaces that."""
        return bool(self.client_id) and not self._token_variables

    @property
    def client_id(self) -> str | None:
        """The app of OAuth 2.0 that the profile signed in with."""
        app = self.profile_values(self.sign_in_profile).get("client_id")
        return str(app) if app else None

    def sign_in_command(self, *, read_only: bool = False) -> str:
        """Return the command that signs in to the profile again."""
        app = f" --oauth2 --client-id {quote(self.client_id or '')}" if self.uses_grant else ""
        return f"adsctl auth login{app}{' --read-only' if read_only else ''} --profile {self.sign_in_profile}"

    @cached_property
    def _profile(self) -> Mapping[str, Any]:
        return self.profile_values(self.profile)

    def profile_values(self, name: str) -> Mapping[str, Any]:
        """Return the values of a profile."""
        if name == LOCAL:
            return dict.fromkeys(ADDRESSES, EMULATOR_URL)
        profile = (self._config.get("profiles") or {}).get(name) or {}
        if not isinstance(profile, dict):
            raise StateError(f"{self.config_file}: profiles.{name} must be a mapping")
        return profile

    @cached_property
    def _config(self) -> Mapping[str, Any]:
        return self.read_config()

    def check_folders(self) -> list[str]:
        """Raise StateError for a folder that others may change; warn of what a group may."""
        from .trusted_files import check_writers

        checked = (self.config_dir, self.config_file, self.state_dir)
        return [warning for path in checked if (warning := check_writers(path))]

    def read_config(self) -> Mapping[str, Any]:
        """Read config.yaml, not from a cache; an empty mapping if it does not exist."""
        from .trusted_files import read_settings

        path = self.config_file
        try:
            config = read_settings(path, str(path), CORRECT_HINT, unreadable_hint=READABLE_HINT) or {}
        except FileNotFoundError:
            return {}
        if not isinstance(config, dict) or not isinstance(config.get("profiles") or {}, dict):
            raise StateError(f"{path} must be a mapping with 'profile' and 'profiles'")
        return config
