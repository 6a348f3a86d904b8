"""Profiles: addresses and defaults, by name."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, Required, TypedDict

import typer

from ...auth.secret_stores import SECRET_NAMES
from ...config.guard import loosened, read_guard
from ...config.profiles import (
    GUARD,
    OF_ALIASES,
    OF_RECIPES,
    checked_values,
    edit,
    guard_values,
    refuse_local,
    store,
)
from ...config.settings import (
    ALIAS,
    GOAL_KEYS,
    LOCAL,
    PROFILE_KEYS,
    RECIPES,
    SIGN_IN,
    Setting,
    check_profile_name,
)
from ...console.aliases import alias_words, check_alias_name
from ...console.invocation import Invocation
from ...console.parameters import argument, flag
from ...console.shown import Result, shows
from ...errors import StateError, UsageError
from ...output.text import listed
from ...spelling import suggestion
from ..runs.options import ShownOptions, with_options

Name = Annotated[str, argument("NAME", "The name of the profile")]


class ProfileRecord(TypedDict, total=False):
    """A profile, with the settings that it has."""

    profile: Required[str]
    in_use: Required[bool]
    ads_url: str
    ads_sandbox_url: str
    base_url: str
    account: str
    catalog: str
    user: str
    client_id: str
    service: str
    sandbox: str
    output: str
    token_store: str
    recipes: Any
    changes_days: str
    guard: Any
    sign_in: str


class SettingRecord(TypedDict):
    """A setting in use."""

    setting: str
    value: str
    origin: NotRequired[str]  # with --show-origin


PROFILES = Result(
    ProfileRecord,
    "profile",
    named=("profile", "in_use", "ads_url", "account", "catalog", "user", "client_id", "sign_in"),
)
SETTINGS = Result(SettingRecord, "setting")


@shows(PROFILES)
@with_options(shown=ShownOptions)
def list_profiles(ctx: typer.Context, *, shown: ShownOptions) -> None:
    """List the profiles, and which one is in use.

    For example: adsctl profile list --where user~nordlicht --sort account
    """
    call = Invocation.of(ctx)
    settings = call.settings
    config = settings.read_config()
    records = [
        {"profile": name, "in_use": name == settings.profile, **_settings_of(settings.profile_values(name))}
        for name in (*(config.get("profiles") or {}), LOCAL)
    ]
    # To a person, whose account it is says more than where the service is.
    left_out = ("ads_url",) if call.printer.is_for_people else ()
    columns = [name for name in PROFILES.columns if name not in left_out]
    call.printer.noun = "profiles"
    call.printer.show(
        shown.applied(records, PROFILES.columns, "profiles", PROFILES.key), columns, PROFILES.key
    )


@shows(SETTINGS)
@with_options(shown=ShownOptions)
def show(
    ctx: typer.Context,
    name: Annotated[str | None, argument("NAME", "The profile (default: the one in use)")] = None,
    show_origin: Annotated[bool, flag("Show where each value comes from")] = False,
    *,
    shown: ShownOptions,
) -> None:
    """Show the settings in use and the limits of the guard, from all sources; never a secret.

    For example: adsctl profile show --show-origin
    """
    call = Invocation.of(ctx)
    if name:
        call = call.with_flags({"profile": name})
    settings = call.settings
    call.warn_unknown_keys()
    found = {"profile": Setting(settings.profile, "NAME" if name else settings.profile_origin)}
    found |= {name: setting for name in PROFILE_KEYS if (setting := settings.find(name))}
    found |= {
        f"{OF_ALIASES}{name}": Setting(text, f"profile {settings.profile}")
        for name, text in settings.aliases.items()
    }
    found |= _goals(call)
    found |= _limits(call)
    columns = ("setting", *(Setting._fields if show_origin else Setting._fields[:1]))
    records = [dict(zip(columns, (name, *setting), strict=False)) for name, setting in found.items()]
    shown.show(call, records, columns, "settings", SETTINGS.key)


def _goals(call: Invocation) -> dict[str, Setting]:
    """Return what the profile states of its account, for `accounts check`."""
    values, origin = call.settings.profile_values(call.settings.profile), f"profile {call.settings.profile}"
    goals: dict[str, Setting] = {}
    for name in GOAL_KEYS:
        value = values.get(name)
        own = (
            {f"{name}.{key}": text for key, text in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
        goals |= {key: Setting(str(text), origin) for key, text in own.items() if text is not None}
    return goals


def _limits(call: Invocation) -> dict[str, Setting]:
    """Return the limits that hold; say why the guard cannot be read, which stops writes."""
    try:
        limits = read_guard(call.settings).strictest()
    except StateError as error:
        call.messages.warn(error.message)
        return {}
    return {f"{GUARD}{limit.key}": Setting(limit.text, limit.source) for limit in limits}


def use(ctx: typer.Context, name: Name) -> None:
    """Make a profile the default.

    For example: adsctl profile use shop
    """
    check_profile_name(name)
    call = Invocation.of(ctx)
    if name != LOCAL:
        _require_profile(call, name)
    if not call.is_dry_run(f"make {name} the default profile"):
        edit(call.settings, lambda config: config.update(profile=name))
    if call.settings.environ.get("ADSCTL_PROFILE", name) not in ("", name):
        call.messages.warn(f"ADSCTL_PROFILE in the environment outranks it: unset it to use {name}")


def set_values(
    ctx: typer.Context,
    name: Name,
    values: Annotated[
        list[str],
        argument("KEY=VALUE...", f"Keys: {', '.join((*PROFILE_KEYS, *GOAL_KEYS))}, guard.KEY, alias.NAME"),
    ],
) -> None:
    """Set values of a profile; KEY= removes a value.

    A recipe for files is set by its pattern: 'recipes.feeds/*.csv=shop.yaml'. An alias stands for the
    beginning of a command line: 'alias.spend=stats get --since 7d', then: adsctl spend --active.

    For example: adsctl profile set shop ads_url=https://ads.example account=18ce54d4x5t
    """
    pairs: dict[str, str | None] = {}
    for key, value in map(_key_and_value, values):
        if key in pairs:
            raise UsageError(f"{key} is given twice")
        pairs[key] = value
    _check_aliases(pairs, ctx.find_root().command)
    call = Invocation.of(ctx)
    checked = checked_values(call.settings, name, pairs)
    _confirm_looser(call, name, pairs)
    if call.is_dry_run(f"set {', '.join(pairs)} of the profile {name}"):
        return
    config = call.settings.read_config()
    profiles, is_first = config.get("profiles") or {}, not config.get("profile")
    store(call.settings, name, checked)
    if profiles and name not in profiles:
        call.messages.note(f"{name} is a new profile{suggestion(name, profiles)}")
    if is_first:
        call.messages.say(f"{name} is now the default profile; 'adsctl profile use' chooses another")


def remove(ctx: typer.Context, name: Name) -> None:
    """Remove a profile and its stored secrets.

    For example: adsctl profile remove shop
    """
    call = Invocation.of(ctx)
    refuse_local(name)
    _require_profile(call, name)
    if others := call.settings.users_of_sign_in(name):
        hint = f"remove them first: adsctl profile remove {others[0]}"
        raise UsageError(f"{listed(others)} use the sign-in of {name}", hint=hint)
    if call.is_dry_run(f"remove the profile {name} and its stored secrets"):
        return
    has_guard = bool(call.settings.profile_values(name).get("guard"))
    what = f"the profile {name}, its guard" if has_guard else f"the profile {name}"
    call.confirm(f"Remove {what} and its stored secrets", at_service=False, needs_terminal=has_guard)
    other = call.with_flags({"profile": name})
    for place in other.secrets.stores:
        place.delete(name, SECRET_NAMES)

    def change(config: dict[str, Any]) -> None:
        del config["profiles"][name]
        if config.get("profile") == name:
            del config["profile"]

    edit(call.settings, change)


def _settings_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is a setting: anything else in config.yaml may be a secret."""
    known = (*PROFILE_KEYS, *GOAL_KEYS, "guard", ALIAS)
    return {name: value for name, value in values.items() if name in known}


def _key_and_value(pair: str) -> tuple[str, str | None]:
    """Split KEY=VALUE; in a pattern of files that is an address there may be other signs of equality."""
    is_recipe = pair.startswith(OF_RECIPES)
    key, equals, value = pair.rpartition("=") if is_recipe else pair.partition("=")
    if not equals:
        raise UsageError(f"{pair!r} is not KEY=VALUE", hint="as in account=18ce54d4x5t")
    if is_recipe and value and "=" in key and "://" not in key:
        hint = f"write it into config.yaml: {RECIPES} of the profile are a mapping of patterns to files"
        raise UsageError(f"{pair!r}: which = ends the pattern is not clear", hint=hint)
    return key, value or None


def _check_aliases(pairs: Mapping[str, str | None], root: Any) -> None:
    """Raise UsageError for an alias that would replace a command, or that stands for none."""
    for key, text in pairs.items():
        if key.startswith(OF_ALIASES) and text is not None:
            name = key.removeprefix(OF_ALIASES)
            check_alias_name(name, root.commands)
            alias_words(name, text, root.commands)


def _confirm_looser(call: Invocation, profile: str, values: Mapping[str, str | None]) -> None:
    """Ask before a limit of the guard is loosened, which a script cannot do."""
    limits, settings = guard_values(values), call.settings
    looser = loosened(settings, profile, limits) if limits else []
    holder = settings.profile_values(profile).get(SIGN_IN)
    if SIGN_IN in values and holder not in (None, values[SIGN_IN]):
        looser += ["that of the sign-in"] if settings.profile_values(str(holder)).get("guard") else []
    if looser and not call.dry_run:
        call.confirm(
            f"Loosen the guard of the profile {profile}: {', '.join(looser)}",
            at_service=False,
            needs_terminal=True,
        )


def _require_profile(call: Invocation, name: str) -> None:
    profiles = call.settings.read_config().get("profiles") or {}
    if name not in profiles:
        message = f"there is no profile {name!r}{suggestion(name, profiles)}"
        raise UsageError(message, hint="adsctl profile list")
