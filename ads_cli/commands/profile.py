"""Profiles: addresses and defaults, by name."""

from typing import Annotated, Any

import typer

from ..errors import UsageError
from ..invocation import Invocation
from ..profiles import edit, refuse_local, update
from ..settings import KEYS, LOCAL, Setting

Name = Annotated[str, typer.Argument(metavar="NAME", help="The profile's name")]


def list_profiles(ctx: typer.Context) -> None:
    """List the profiles; * marks the one in use."""
    call = Invocation.of(ctx)
    settings = call.settings
    config = settings.read_config()
    records = [
        {"profile": name, "in_use": name == settings.profile, **settings.profile_values(name)}
        for name in (*(config.get("profiles") or {}), LOCAL)
    ]
    call.printer.show(records, ("profile", "in_use", "ads_url", "account", "catalog", "user"), "profile")


def show(
    ctx: typer.Context,
    show_origin: Annotated[bool, typer.Option("--show-origin", help="Say where values come from")] = False,
) -> None:
    """Show the settings in force, wherever they come from; never a secret."""
    call = Invocation.of(ctx)
    settings = call.settings
    found = {"profile": Setting(settings.profile, settings.profile_origin)}
    found |= {name: setting for name in KEYS if (setting := settings.find(name))}
    columns = ("setting", *(Setting._fields if show_origin else Setting._fields[:1]))
    records = [dict(zip(columns, (name, *setting), strict=False)) for name, setting in found.items()]
    call.printer.show(records, columns, "setting")


def use(ctx: typer.Context, name: Name) -> None:
    """Make a profile the default."""
    settings = Invocation.of(ctx).settings
    if name != LOCAL and name not in (settings.read_config().get("profiles") or {}):
        raise UsageError(f"there is no profile {name!r}", hint="adsctl profile list shows them")
    edit(settings, lambda config: config.update(profile=name))


def set_values(
    ctx: typer.Context,
    name: Name,
    values: Annotated[list[str], typer.Argument(metavar="KEY=VALUE...", help=f"Keys: {', '.join(KEYS)}")],
) -> None:
    """Set values of a profile; KEY= takes one away.

    For example: adsctl profile set shop ads_url=https://ads.example account=18ce54d4x5t
    """
    pairs: dict[str, Any] = {}
    for pair in values:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"{pair!r} is not KEY=VALUE", hint="as in account=18ce54d4x5t")
        pairs[key] = value or None
    update(Invocation.of(ctx).settings, name, pairs)


def remove(ctx: typer.Context, name: Name) -> None:
    """Remove a profile, with the secrets that are stored for it."""
    call = Invocation.of(ctx)
    refuse_local(name)
    if name not in (call.settings.read_config().get("profiles") or {}):
        raise UsageError(f"there is no profile {name!r}", hint="adsctl profile list shows them")
    call.confirm(f"Remove the profile {name}, with its stored secrets")
    other = Invocation({**call.flags, "profile": name})
    if other.secrets.has_store:
        from ..auth.store import KINDS

        other.secrets.store.drop(name, KINDS)

    def change(config: dict[str, Any]) -> None:
        del config["profiles"][name]
        if config.get("profile") == name:
            del config["profile"]

    edit(call.settings, change)
