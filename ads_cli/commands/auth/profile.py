"""Profiles: addresses and defaults, by name."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ...auth.secret_stores import SECRET_NAMES
from ...config.guard import loosened
from ...config.profiles import OF_RECIPES, checked_values, edit, guard_values, refuse_local, store
from ...config.settings import LOCAL, PROFILE_KEYS, RECIPES, Setting, check_profile_name
from ...console.invocation import Invocation
from ...console.parameters import argument, flag
from ...errors import UsageError
from ...spelling import suggestion

Name = Annotated[str, argument("NAME", "The name of the profile")]


def list_profiles(ctx: typer.Context) -> None:
    """List the profiles, and which one is in use.

    For example: adsctl profile list
    """
    call = Invocation.of(ctx)
    settings = call.settings
    config = settings.read_config()
    records = [
        {"profile": name, "in_use": name == settings.profile, **_settings_of(settings.profile_values(name))}
        for name in (*(config.get("profiles") or {}), LOCAL)
    ]
    call.printer.show(
        records, ("profile", "in_use", "ads_url", "account", "catalog", "user", "client_id"), "profile"
    )


def show(
    ctx: typer.Context,
    name: Annotated[str | None, argument("NAME", "The profile (default: the one in use)")] = None,
    show_origin: Annotated[bool, flag("Show where each value comes from")] = False,
) -> None:
    """Show the settings in use, from all sources; never a secret.

    For example: adsctl profile show --show-origin
    """
    call = Invocation.of(ctx)
    if name:
        call = call.with_flags({"profile": name})
    settings = call.settings
    call.warn_unknown_keys()
    shown = {"profile": Setting(settings.profile, "NAME" if name else settings.profile_origin)}
    shown |= {name: setting for name in PROFILE_KEYS if (setting := settings.find(name))}
    columns = ("setting", *(Setting._fields if show_origin else Setting._fields[:1]))
    records = [dict(zip(columns, (name, *setting), strict=False)) for name, setting in shown.items()]
    call.printer.show(records, columns, "setting")


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
    values: Annotated[list[str], argument("KEY=VALUE...", f"Keys: {', '.join(PROFILE_KEYS)}, guard.KEY")],
) -> None:
    """Set values of a profile; KEY= removes a value.

    A recipe for files is set by its pattern: 'recipes.feeds/*.csv=shop.yaml'.

    For example: adsctl profile set shop ads_url=https://ads.example account=18ce54d4x5t
    """
    pairs: dict[str, str | None] = {}
    for key, value in map(_key_and_value, values):
        if key in pairs:
            raise UsageError(f"{key} is given twice")
        pairs[key] = value
    call = Invocation.of(ctx)
    checked = checked_values(call.settings, name, pairs)
    _confirm_looser(call, name, guard_values(pairs))
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
    return {name: value for name, value in values.items() if name in (*PROFILE_KEYS, "guard")}


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


def _confirm_looser(call: Invocation, profile: str, limits: dict[str, str | None]) -> None:
    """Ask before a limit of the guard is loosened, which a script cannot do."""
    looser = loosened(call.settings, profile, limits) if limits else []
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
