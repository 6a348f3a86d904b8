"""One call of adsctl: its options, settings, messages, results and client, each made when it is needed."""

import sys
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ..config.settings import EMULATOR_URL, Settings
from ..errors import NotConfirmedError, UsageError
from ..output.presentation import COLORS
from .options import OPTIONS_KEY

if TYPE_CHECKING:
    from ..auth.secrets import Secrets
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..emulator.app import Emulator
    from ..output.messages import Messages
    from ..output.printer import Printer


class Invocation:
    """What a command works with."""

    def __init__(self, flags: dict[str, Any]) -> None:
        self.flags = flags
        self.concurrency = 8  # requests at once, at most
        self.settings = Settings(flags)

    @classmethod
    def of(cls, context: Any, *, changes: bool = True) -> "Invocation":
        """Make the invocation of a Typer context, from the options remembered along the way.

        What changes nothing is done even with --dry-run.
        """
        flags = dict(context.meta.get(OPTIONS_KEY, {}))
        return cls(flags if changes else flags | {"dry_run": False})

    @cached_property
    def messages(self) -> "Messages":
        """Speak to the person, on stderr."""
        from ..output.messages import Messages

        return Messages(
            quiet=bool(self.flags.get("quiet")), verbose=bool(self.flags.get("verbose")), color=self._color
        )

    @cached_property
    def printer(self) -> "Printer":
        """Print results, on stdout."""
        from ..output.printer import Printer

        return Printer(
            sys.stdout,
            output=self.settings.get("output"),
            columns=self.flags.get("columns"),
            query=self.flags.get("query"),
            csv_safe=bool(self.flags.get("csv_safe")),
            color=self._color,
            say=self.messages.say,
            aftermath=self._aftermath,
        )

    def _aftermath(self) -> str:
        """Say that something was changed, where it was."""
        client: Client | None = self.__dict__.get("client")
        return "what was to be changed is changed all the same" if client and client.has_mutated else ""

    @cached_property
    def emulator(self) -> "Emulator":
        """Open the emulator of this machine, in this process."""
        from ..emulator.app import Emulator

        return Emulator(self.settings.emulator_database)

    @cached_property
    def secrets(self) -> "Secrets":
        """Find the secrets of the profile."""
        from ..auth.secrets import Secrets

        return Secrets(self.settings)

    @cached_property
    def client(self) -> "Client":
        """Make the client; nothing is sent before it is used."""
        from ..client.client import Client
        from ..client.credentials import Credentials
        from ..client.shared_window import SharedWindow
        from ..client.trace import Trace

        settings, local = self.settings, self.settings.is_local
        _ = self.printer  # a format that is none is told before anything is sent
        self.warn_of_strange_settings()
        if local:
            self.messages.say("using the emulator on this machine (profile local): nothing leaves it")
        return Client(
            address=cache(settings.address),
            credentials=(lambda: Credentials(*self.emulator.credentials)) if local else self.secrets.user,
            app=self.emulator if local else None,
            timeout=settings.seconds("timeout", may_be_zero=False),
            max_attempts=settings.max_attempts,
            max_wait=settings.seconds("max_wait"),
            concurrency=self.concurrency,
            trace=Trace(
                show=self.messages.show if self.flags.get("debug") else None,
                log_file=self.flags.get("log_file"),
            ),
            on_retry=self.messages.detail,
            on_wait=self.messages.say,
            on_mutation=self._forget_changed_catalog,
            sign_in_hint=settings.sign_in_hint,
            shared_window=lambda rate: SharedWindow(settings.state_dir / "pace", self.service, rate),
        )

    def _forget_changed_catalog(self, request: "PreparedRequest") -> None:
        """Keep the sync state of catalogs true, whatever command changes their products."""
        from ..products.sync_state import forget_changed_catalog

        forget_changed_catalog(self.settings.state_dir, self.service, request)

    def warn_of_strange_settings(self) -> None:
        """Say which keys of the profile mean nothing."""
        for strange in self.settings.strange():
            self.messages.warn(strange)

    @property
    def service(self) -> str:
        """Name the service that is spoken to: its address, and of emulators which world it is."""
        address = self.settings.address("ads")
        if self.settings.is_local:
            return f"{EMULATOR_URL}#{self.emulator.database_id}"
        environ = self.settings.environ
        served = environ.get("ADSCTL_ADS_URL"), environ.get("ADSCTL_ADS_SANDBOX_URL")
        world = environ.get("ADSCTL_EMULATOR") if address in served else None
        return f"{EMULATOR_URL}#{world}" if world else address  # its port is another one each time

    @property
    def account(self) -> str:
        """Name the account to work in; raise UsageError where there is none."""
        return self.settings.get("account") or (
            self.emulator.account if self.settings.is_local else self.settings.require("account")
        )

    @cached_property
    def catalog(self) -> str:
        """Name the catalog to work in; where none is set, ask the service for the only one."""
        if named := self.settings.get("catalog"):
            return named
        if self.dry_run:
            return "CATALOG"  # asking would send something
        from ..api.catalog import ListCatalogs

        found = [catalog for answer in [self.client.call(ListCatalogs())] for catalog in answer.neutral_data]
        if len(found) == 1:
            self.messages.detail(f"catalog {found[0]['id']} ({found[0].get('name')})")
            return str(found[0]["id"])
        if not found:
            raise UsageError("you have no product catalog yet", hint="adsctl catalog create --name 'My shop'")
        listed = ", ".join(f"{catalog['id']} ({catalog.get('name')})" for catalog in found)
        raise UsageError(f"you have several product catalogs: {listed}", hint="name one with --catalog")

    @property
    def command_line(self) -> tuple[str, ...]:
        """Return the words that were typed after the program's name."""
        return tuple(sys.argv[1:])

    @property
    def dry_run(self) -> bool:
        """Tell whether nothing may be sent that changes anything."""
        return bool(self.flags.get("dry_run"))

    def confirm(self, consequence: str) -> None:
        """Ask before something is destroyed; raise NotConfirmedError without a yes."""
        if self.flags.get("yes"):
            return
        where = f"profile {self.settings.profile}"
        if account := self.settings.get("account"):
            where += f", account {account}"
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise NotConfirmedError(
                f"not confirmed: {consequence} ({where})", hint="there is no terminal to ask on; add --yes"
            )
        print(f"{consequence} ({where})? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise NotConfirmedError("nothing was changed")

    @property
    def _color(self) -> str:
        color = str(self.flags.get("color") or "auto")
        if color not in COLORS:
            raise UsageError(f"--color: {color!r} is not one of {', '.join(COLORS)}")
        return color
