"""Find out why adsctl does not work yet: one check after the other, each with its hint."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import msgspec
import typer

from ...api.record_names import cannot_be_id
from ...console.invocation import Invocation
from ...console.parameters import flag
from ...console.shown import Result, shows
from ...errors import (
    AccessError,
    AdsctlError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    UnavailableError,
    UsageError,
)
from ...http.retry import http_date
from ...http.trace import Trace
from ...masking import mask_address
from ...output.text import counted
from ..runs.options import ShownOptions, with_options
from . import machine
from .diagnosis import UNKNOWN, Diagnosis, as_error, ok, warning

if TYPE_CHECKING:
    from ...client.client import Client

DATE = re.compile(r"[A-Z][a-z]{2}, [^,]{1,40}GMT")


Status = Literal["ok", "warning", "error"]


class CheckRecord(TypedDict):
    """What a check has found."""

    check: str
    status: Status
    message: str
    hint: str | None


CHECKS = Result(CheckRecord, "check")
MAX_SKEW_SECONDS = 60.0
FEW_LEFT = 0.1  # of a rate limit
CHANGING_ROLES = ("ACCOUNT_ADMIN", "AD_MANAGER", "CREATIVE_MANAGER", "CAMPAIGN_MANAGER")
APP_CODES = ("UNAUTHORIZED_CLIENT_APPLICATION",)
BAD_TIMESTAMP = 135


class LastResponse(Trace):
    """A trace that keeps the status and the headers of the last response."""

    headers: Mapping[str, str] = {}

    def response(self, method: str, url: str, status: int, headers: Any, body: bytes, seconds: float) -> None:
        """Keep the headers of a response."""
        self.headers = headers
        super().response(method, url, status, headers, body, seconds)


class Doctor:
    """The checks of one invocation, in their order."""

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.trace = LastResponse(
            show=call.messages.show if call.flags.get("debug") else None,
            log_file=call.flags.get("log_file"),
            mask=call.mask,
        )
        self.accounts: list[dict[str, Any]] = []
        self.problem: AdsctlError | None = None  # of the first request; there is none offline

    def checks(self, *, offline: bool) -> Iterator[tuple[str, Callable[[], Diagnosis]]]:
        """Yield the name of each check, and the check."""
        yield "version", machine.version
        yield "path", machine.path
        yield "configuration", partial(machine.configuration, self.call)
        yield "keyring", partial(machine.keyring, self.call)
        if not offline:
            self._ask()
            yield "clock", self.clock
        yield "addresses", self.addresses
        yield "sign_in", self.sign_in
        if not offline:
            yield "app_access", self.app_access
            dependent = {
                "accounts": self.accounts_and_role,
                "catalog": self.catalog,
                "early_access": self.early_access,
            }
            for name, check in dependent.items():
                yield name, ((lambda: UNKNOWN) if self.problem else check)
            yield "rate_limits", self.rate_limits
        yield "state", partial(machine.state, self.call)
        yield "completion", machine.completion

    def _ask(self) -> None:
        """Ask for the accounts, which needs all of network, clock, sign-in and access."""
        from ...api.accounts import ListAccounts

        try:
            pages = self._client.pages(ListAccounts(count=1000))
            self.accounts = [account for page in pages for account in page.records]
        except Exception as error:
            self.problem = as_error(error, "accounts")

    @property
    def _client(self) -> "Client":
        return msgspec.structs.replace(self.call.client, trace=self.trace, max_attempts=1)

    def _send(self, request: Any) -> Any:
        return self._client.call(request)

    def clock(self) -> Diagnosis:
        """Compare the clock with the service's."""
        # What is between may add a date of its own, before that of the service.
        dates = DATE.findall(self.trace.headers.get("date", ""))
        date = http_date(dates[-1]) if dates else None
        skew = None if date is None else time.time() - date
        if skew is not None and abs(skew) > MAX_SKEW_SECONDS:
            way = "ahead of" if skew > 0 else "behind"
            message = f"the clock is {abs(skew):,.0f} s {way} the service's"
            raise AccessError(message, hint="set the clock of this machine")
        if isinstance(self.problem, AccessError) and self.problem.api_code == BAD_TIMESTAMP:
            raise self.problem
        if not self.trace.headers:
            return UNKNOWN
        return ok("as the service's") if skew is not None else ok("the service tells no time")

    def addresses(self) -> Diagnosis:
        """Say where requests go, and by which proxy; raise UnavailableError where nothing answers there."""
        import httpx

        from ...http.connections import client_proxy

        address = self.call.settings.address("ads")
        proxy = client_proxy(httpx.URL(address))
        if isinstance(self.problem, UnavailableError):
            hint = "check the address, the network and the proxy (HTTPS_PROXY, NO_PROXY)"
            if self.problem.http_status:
                hint = "wait, and try again: the service has answered, with an error of its own"
            raise UnavailableError(self.problem.message, hint=self.problem.hint or hint)
        return ok(address + (f", by the proxy {mask_address(proxy)}" if proxy else ""))

    def sign_in(self) -> Diagnosis:
        """Look for a token, and say whether the service takes it."""
        settings = self.call.settings
        origin = ""
        if not settings.is_local:
            self.call.client.credentials()
            if not settings.uses_grant and (token := self.call.secrets.find("access_token")):
                origin = token.origin
        if isinstance(self.problem, AccessError) and not self._is_of_app():
            raise self.problem
        if self.problem:
            return UNKNOWN
        if settings.is_local:
            return ok("the emulator on this machine is always signed in")
        if origin.startswith("ADSCTL_"):
            return ok(f"the token of {origin}")
        user = settings.get("user")
        return ok(f"a token is stored{f' for {user}' if user else ''}")

    def app_access(self) -> Diagnosis:
        """Say whether the app may use the advertising interface."""
        if self.problem and self._is_of_app():
            hint = "ask the service for access to the advertising interface for this app, then sign in again"
            raise AccessError(self.problem.message, hint=self.problem.hint or hint)
        if self.problem and not isinstance(self.problem, AccessError | UnavailableError | RateLimitedError):
            raise self.problem
        return UNKNOWN if self.problem else ok("the app may use the advertising interface")

    def accounts_and_role(self) -> Diagnosis:
        """Say whether there is an account, and what the user may do in it."""
        from ...api.settings import GetUserAccess

        settings = self.call.settings
        ids = [str(listed.get("id")) for listed in self.accounts if not listed.get("deleted")]
        if not ids:
            hint = "have the user added to an account, by its administrator"
            raise AccessError("the user has no advertising account", hint=hint)
        account = self._chosen_account() or (self.call.account if settings.is_local else None)
        if account is None:
            hint = f"adsctl profile set {settings.profile} account={ids[0]}"
            return warning(f"{counted(len(ids), 'account')}, and none is chosen", hint)
        if account not in ids:
            message = f"the user has no access to the account {account}"
            raise AccessError(message, hint=f"accounts: {', '.join(ids[:5])}")
        data = self._send(GetUserAccess(account_id=account)).data
        permissions = data.get("permissions") if isinstance(data, dict) else None
        roles = [str(permission) for permission in permissions] if isinstance(permissions, list) else []
        if roles and not set(roles) & {*CHANGING_ROLES}:
            hint = "have an administrator of the account give the user another role, to change anything"
            return warning(f"in {account} the user may only read: {', '.join(roles)}", hint)
        return ok(
            f"{counted(len(ids), 'account')}; {account}: {', '.join(roles) or 'a role that is not told'}"
        )

    def _chosen_account(self) -> str | None:
        """Return the id of the account that is set; raise AccessError where its name is no only one."""
        try:
            return self.call.chosen_account
        except (NotFoundError, UsageError) as error:
            raise AccessError(error.message, hint=error.hint) from None

    def catalog(self) -> Diagnosis:
        """Say whether there is a product catalog."""
        from ...api.catalog import ListCatalogs

        try:
            catalogs = self._send(ListCatalogs()).records
        except (AccessError, NotFoundError, RefusedError) as error:
            return warning(f"catalogs cannot be listed: {error.message}", "see the check early_access")
        if not catalogs:
            return warning("there is no product catalog", "adsctl catalog create --name 'My shop'")
        named, chosen = [str(record.get("id")) for record in catalogs], self.call.settings.get("catalog")
        if chosen and cannot_be_id(chosen):
            chosen = self.call.find_catalog()
        if chosen and chosen not in named:
            message = f"the catalog {chosen} is not one of the user's"
            raise AccessError(message, hint=f"catalogs: {', '.join(named[:5])}")
        if len(named) > 1 and not chosen:
            return warning(f"{len(named)} catalogs, and none is chosen", "choose one with --catalog")
        return ok(f"catalog {chosen or named[0]}")

    def early_access(self) -> Diagnosis:
        """Say which features the service has not opened to this app."""
        from ...api.audiences import ListAudiences
        from ...api.catalog import ListCatalogs

        account = self._chosen_account() or next((record.get("id") for record in self.accounts), None)
        if account is None:
            return UNKNOWN
        requests = {"catalogs": ListCatalogs(), "users": ListAudiences(account_id=str(account))}
        missing = []
        for name, request in requests.items():
            try:
                self._send(request)
            except (AccessError, NotFoundError, RefusedError) as error:
                missing.append(f"{name} ({error.message})")
        if missing:
            hint = "ask the service to open these features to the app and the account"
            return warning(f"not open to this app: {', '.join(missing)}", hint)
        return ok("catalogs and users can be read")

    def rate_limits(self) -> Diagnosis:
        """Say how many requests are left."""
        if isinstance(self.problem, RateLimitedError):
            hint = self.problem.hint or "wait: adsctl waits by itself, up to --max-wait"
            raise RateLimitedError(self.problem.message, hint=hint)
        if self.problem:
            return UNKNOWN
        for prefix in ("x-account-rate-limit-", "x-rate-limit-"):
            texts = [self.trace.headers.get(prefix + name, "") for name in ("remaining", "limit")]
            if all(text.isdecimal() for text in texts):
                left, limit = map(int, texts)
                if left < FEW_LEFT * limit:
                    return warning(f"{left:,} of {limit:,} requests are left", "wait: adsctl waits by itself")
                return ok(f"{left:,} of {limit:,} requests are left")
        return ok("the service tells none")

    def _is_of_app(self) -> bool:
        problem = self.problem
        return problem is not None and (problem.api_code in APP_CODES or problem.http_status == 403)


@shows(CHECKS)
@with_options(shown=ShownOptions)
def doctor(
    ctx: typer.Context,
    offline: Annotated[bool, flag("Check this machine only; ask nobody")] = False,
    *,
    shown: ShownOptions,
) -> None:
    """Find out why adsctl does not work.

    It checks installation, sign-in, access, accounts, limits and state, and changes nothing. It ends with the
    exit code of the first error.

    For example: adsctl doctor --offline
    """
    call = Invocation.of(ctx, mutates=False, is_help=True)
    records, first = list[CheckRecord](), None
    for name, check in Doctor(call).checks(offline=offline):
        status: Status = "error"
        error = None
        try:
            status, message, hint = check()
        except Exception as raised:
            error = as_error(raised, name)
        if error:
            message, hint = call.mask(error.message), error.hint
            first = first or type(error)(f"{name}: {message}", hint=hint)
        records.append({"check": name, "status": status, "message": message, "hint": hint or None})
    shown.show(call, records, CHECKS.columns, "checks", CHECKS.key)
    if first:
        raise first
