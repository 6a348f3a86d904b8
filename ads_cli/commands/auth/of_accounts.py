"""Profiles of all accounts of one user, who signs in once."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Annotated, Any, TypedDict

import typer

from ...api.accounts import ListAccounts
from ...config.profiles import check_new_name, edit, refuse_local
from ...config.settings import SIGN_IN
from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...console.shown import Result, shows
from ...errors import UsageError
from ...output.text import counted
from ...spelling import comma_list
from ..runs.options import ShownOptions, with_options

MOST_LETTERS = 24  # of the name of an account, in that of its profile


class AccountProfile(TypedDict):
    """The profile of an account."""

    profile: str
    account: str
    name: str
    status: str  # created, unchanged


PROFILES = Result(AccountProfile, "profile")


@shows(PROFILES)
@with_options(shown=ShownOptions)
def create(
    ctx: typer.Context,
    accounts: Annotated[str | None, option("A,B", "Of these accounts")] = None,
    all_accounts: Annotated[bool, flag("Of all accounts that you may use")] = False,
    prefix: Annotated[str, option("TEXT", "Before the name of each, as in client-")] = "",
    *,
    shown: ShownOptions,
) -> None:
    """Create a profile for each account of who is signed in.

    The profiles use the sign-in of the profile in use, and its limits hold for all of them. They are named
    after their accounts. Run it again for new accounts: a profile that exists stays as it is.

    For example: adsctl profile create --all-accounts --prefix client- --profile agency
    """
    call = Invocation.of(ctx)
    settings = call.settings
    refuse_local(settings.profile)
    if all_accounts == bool(accounts):
        raise UsageError("give --all-accounts, or --accounts A,B")
    wanted = call.records.ids_of("account_id", comma_list(accounts or ""))
    pages = call.client.pages(ListAccounts(count=1000, account_ids=wanted or None))
    listed = [account for page in pages for account in page.records]
    stored: Mapping[str, Any] = settings.read_config().get("profiles") or {}
    holder = settings.sign_in_profile
    own = {SIGN_IN: holder} if holder in stored else {}  # else the environment has it
    records = [*_profiles(call, stored, own, listed, prefix)]
    new = {
        record["profile"]: {"account": record["account"], **own}
        for record in records
        if record["status"] == "created"
    }
    if call.is_dry_run(f"create {counted(len(new), 'profile')}: {', '.join(new)}" if new else "create none"):
        return
    if new:
        edit(settings, lambda config: config["profiles"].update(new))
    shown.show(call, [dict(record) for record in records], PROFILES.columns, "profiles", PROFILES.key)
    if prefix and records:
        call.messages.say(f"for all of them: adsctl --profile '{prefix}*' overview")


def _profiles(
    call: Invocation,
    stored: Mapping[str, Any],
    own: Mapping[str, str],
    accounts: list[dict[str, Any]],
    prefix: str,
) -> Iterator[AccountProfile]:
    """Yield the profile of each account: that which exists, or a new one with a name of its own."""
    existing = {
        str(values["account"]): name
        for name in stored
        if (values := call.settings.profile_values(name)).get("account")
        and name.startswith(prefix)
        and name != call.settings.profile
        and own.items() <= values.items()
    }
    by_name = sorted(accounts, key=_slug)
    for slug, group in groupby(by_name, key=_slug):
        same = [*group]
        for account in same:
            id = str(account["id"])
            if name := existing.get(id):
                status = "unchanged"
            else:
                name, status = f"{prefix}{slug}", "created"
                if name in stored or len(same) > 1 or not slug:
                    name = f"{prefix}{slug}-{id}" if slug else f"{prefix}{id}"
                check_new_name(call.settings, name)
            yield {"profile": name, "account": id, "name": str(account.get("name") or ""), "status": status}


def _slug(account: Mapping[str, Any]) -> str:
    """Return the name of an account, without what is in brackets, in small letters, digits and dashes."""
    name = re.sub(r"\([^()]*\)", " ", str(account.get("name") or ""))
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = "".join(letter if letter.isalnum() else " " for letter in plain.lower()).split()
    return "-".join(words)[:MOST_LETTERS].rstrip("-")
