"""One invocation of adsctl: settings, presentation, messages, printer and client, each made on first use."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, cached_property, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..config.addresses import canonical_address, is_same_address
from ..config.settings import EMULATOR_URL, Settings
from ..errors import NotConfirmedError
from ..masking import Mask
from .options import CommandLine, names_file
from .presentation import is_first_today, resolve_presentation

if TYPE_CHECKING:
    from datetime import tzinfo

    from ..api.rates import Rate
    from ..auth.secrets import Secrets
    from ..client.client import Client
    from ..client.prepared_request import Credentials, PreparedRequest
    from ..client.rate_limiter import Wait
    from ..client.record_names import Record, RecordNames
    from ..client.shared_window import SharedWindow
    from ..client.spending import StoredRecords
    from ..emulator.app import Emulator
    from ..feeds.locations import RemoteAccess
    from ..http.download import Version
    from ..http.trace import Trace
    from ..output.messages import Messages
    from ..output.printer import Printer
    from .writes import Writes

DEFAULT_CONCURRENCY = 8
QUESTION = "question: "  # before what a plan would ask


class Invocation:
    """What a command works with."""

    def __init__(self, flags: dict[str, Any], command_line: CommandLine) -> None:
        self.flags = flags  # values of the common options
        self.parsed = command_line  # its words, and what was found in them
        self.concurrency = DEFAULT_CONCURRENCY
        # Finds the version of a remote feed that need not be downloaded again, by its address.
        self.known_version: Callable[[str], Version | None] = lambda address: None
        self.settings = Settings(flags, command_line.host.environ)
        if command_line.mandate:
            command_line.mandate.require_place(self.settings)
        self._stored: dict[str, StoredRecords] = {}
        presentation = command_line.host.presentation or resolve_presentation(self.settings)
        self.presentation = command_line.presentation = presentation

    @classmethod
    def of(cls, context: Any, *, mutates: bool = True, is_help: bool = False) -> "Invocation":
        """Make the invocation of a Typer context; --dry-run is ignored by a command that changes nothing."""
        command_line: CommandLine = context.obj
        flags = command_line.parsed_options | ({"dry_run": True} if command_line.is_plan else {})
        if "on_failure" in flags:
            from .on_failure import parse_command, parse_variables

            parse_command(flags["on_failure"])  # a mistake in it is reported before anything is done
            parse_variables(flags.get("on_failure_env"))
        call = cls(flags if mutates else flags | {"dry_run": False}, command_line)
        call._check_files(context)
        if not is_help:
            for warning in call.settings.check_folders():
                call.messages.note(warning, "warning")
        return call

    def _check_files(self, context: Any) -> None:
        """Raise UsageError where a named file would be lost; ask before that of --to is replaced."""
        log, to = self.flags.get("log_file"), self.flags.get("to")
        command = getattr(context, "command", None)  # of a line for several profiles it is that of each
        named = (param for param in command.params if context.params.get(param.name)) if command else ()
        files = sum(map(names_file, named))
        if log or to or files > 1:
            from .named_files import ResultFile, check_log_file, check_outputs

            if log:
                check_log_file(log, context, self.settings)
            if files + bool(to) > 1:
                check_outputs(context, to)
            if to:
                file = ResultFile(to, partial(self.confirm, at_service=False), self.messages.say)
                self.parsed.open_result = file.open
                if not self.dry_run:
                    self.parsed.resources.callback(file.require_written)

    def with_flags(self, flags: Mapping[str, Any]) -> "Invocation":
        """Return the same invocation with other common options."""
        return Invocation({**self.flags, **flags}, self.parsed)

    @property
    def command_line(self) -> tuple[str, ...]:
        """The words after `adsctl`, as they were typed."""
        return self.parsed.words

    def note_summary(self, summary: dict[str, Any]) -> None:
        """Note the summary of a push, for the command of --on-failure."""
        self.parsed.summary = summary

    @property
    def mask(self) -> Mask:
        """What hides the secrets that were read."""
        return self.parsed.mask

    @cached_property
    def messages(self) -> "Messages":
        """Messages to who runs the command."""
        return self.parsed.host.messages(self.presentation)

    @property
    def out(self) -> IO[str]:
        """Where texts are printed that are no records."""
        return self.parsed.host.out

    @cached_property
    def printer(self) -> "Printer":
        """What takes results."""
        self.parsed.side_effects = self._side_effects
        return self.parsed.host.printer(
            self.presentation,
            names=lambda: self.settings.names,
            columns=self.flags.get("columns"),
            query=self.flags.get("query"),
            csv_safe=bool(self.flags.get("csv_safe")),
            say=self.messages.say,
            side_effects=self._side_effects,
            note_shape=self.parsed.note_shape,
            open_file=self.parsed.open_result,
            zone=self._account_zone,
        )

    def _account_zone(self) -> "tzinfo | None":
        """Return the zone of the account, where the service has been asked."""
        from .account_zone import zone_for

        return zone_for(self) if "client" in self.__dict__ else None

    def _side_effects(self) -> str:
        """Say that the request was applied although its result cannot be shown."""
        client: Client | None = self.__dict__.get("client")
        return "the request was applied all the same" if client and client.has_mutated else ""

    @cached_property
    def emulator(self) -> "Emulator":
        """The emulator of this machine, in this process."""
        from ..emulator.app import Emulator

        path, service, host = self.settings.emulator_database, self.settings.service, self.parsed.host
        emulator = host.keep("emulator", lambda: Emulator(path, service=service))
        if not host.keeps:
            self.parsed.resources.callback(emulator.close)
        return emulator

    @cached_property
    def secrets(self) -> "Secrets":
        """The secrets of the profile."""
        from ..auth.secrets import Secrets

        return Secrets(self.settings, self.parsed.mask, self.parsed.secret_files)

    @cached_property
    def trace(self) -> "Trace":
        """What --debug and --log-file record."""
        from ..http.trace import Trace

        trace = Trace(
            show=self.messages.show if self.flags.get("debug") else None,
            log_file=self.flags.get("log_file"),
            mask=self.parsed.mask,
        )
        self.parsed.resources.callback(trace.require_written)
        return trace

    @cached_property
    def client(self) -> "Client":
        """The client; making it sends nothing."""
        from ..client.client import Client

        _ = self.printer  # an invalid --query is reported before anything is sent
        self.warn_unknown_keys()
        if self.settings.is_local:
            text = "using the emulator on this machine (profile local); no service is contacted"
            if not self.messages.quiet and is_first_today(self.settings.state_dir):
                self.messages.say(text)
        settings = self.settings
        client = Client(
            address=cache(settings.address),
            credentials=lambda: self.credentials,
            app_token=self._app_token,
            app=self.emulator if settings.is_local else None,
            timeout=settings.seconds("timeout", may_be_zero=False),
            max_attempts=settings.max_attempts,
            max_wait=settings.seconds("max_wait"),
            concurrency=self.concurrency,
            trace=self.trace,
            on_retry=lambda message: self.messages.detail(self.trace.mask(message)),
            on_wait=self._report_wait,
            on_warning=self.messages.note,
            write_guard=self._begin_write_epoch,
            on_write=lambda prepared: self.writes.passing(prepared),
            check_answer=lambda prepared, response: self.writes.check_answer(prepared, response),
            sign_in_hint=settings.sign_in_hint,
            service=settings.service,
            names=settings.names,
            shared_window=self._shared_window,
            keep=self.parsed.host.keep,
        )
        self.parsed.locks.callback(client.stop)  # threads of a command that failed send nothing more
        return client

    def remote_access(self, max_bytes: int) -> "RemoteAccess":
        """Return the access to remote feeds with the limits, messages and environment of this invocation."""
        from ..feeds.locations import RemoteAccess
        from ..http.retry import CopyLimits
        from .progress import download_progress

        settings, messages = self.settings, self.messages
        return RemoteAccess(
            environ=settings.environ,
            limits=CopyLimits(
                timeout=settings.seconds("timeout", may_be_zero=False),
                max_attempts=settings.max_attempts,
                max_wait=settings.seconds("max_wait"),
                max_bytes=max_bytes,
            ),
            trace=self.trace,
            warn=messages.note,
            on_retry=lambda message: messages.detail(self.trace.mask(message)),
            known_version=self.known_version,
            progress=partial(download_progress, messages),
            only_public=bool(self.parsed.by),
            is_alone=not self.parsed.host.keeps,
        )

    @cached_property
    def credentials(self) -> "Credentials":
        """What requests are signed with."""
        from ..client.prepared_request import UserKeys

        if self.settings.is_local:
            return UserKeys(*self.emulator.credentials)
        return self.secrets.user(self.client.call)

    def _app_token(self) -> str | None:
        """Return the bearer token of the app: the emulator issues one, elsewhere it was stored."""
        if self.settings.is_local:
            return self.emulator.bearer_token()
        found = self.secrets.find("bearer_token")
        return found.secret.value if found else None

    def _shared_window(self, rate: "Rate") -> "SharedWindow":
        """Make the window of a rate, which counts every request if this process is part of a fleet."""
        from ..client.shared_window import VARIABLE, SharedWindow, windows_folder

        fleet_folder = self.settings.environ.get(VARIABLE)
        folder = Path(fleet_folder) if fleet_folder else windows_folder(self.settings.state_dir)
        holder = rate.account or self.credentials.holder
        return SharedWindow(folder, f"{self.service} {holder}", rate, in_fleet=bool(fleet_folder))

    def _report_wait(self, wait: "Wait") -> None:
        from .progress import wait_text

        self.messages.say(wait_text(wait))

    @cached_property
    def writes(self) -> "Writes":
        """What every write passes."""
        from .writes import Writes

        return Writes(self)

    @property
    def stored(self) -> "StoredRecords":
        """Records of the account as the service has them."""
        return self.stored_of(self.account)

    def stored_of(self, account: str) -> "StoredRecords":
        """Return the records of an account, each of which is read once."""
        from ..client.spending import StoredRecords
        from .logged_changes import recent_changes

        stored = StoredRecords(
            self.client, account, lambda: recent_changes(self.settings, self.service, account)
        )
        return self._stored.setdefault(account, stored)

    @cached_property
    def records(self) -> "RecordNames":
        """The records that names mean, and the names of records."""
        from ..client.record_names import RecordNames

        def place(option: str) -> str:
            return self.account if option == "account" else self.find_catalog()

        def read(field: str, id: str) -> "Record | None":
            from ..client.spending import SOURCES

            return self.stored.cached(field, id) if field in SOURCES else None

        def note(field: str, records: "Sequence[Record]") -> None:
            from ..api.record_names import GROUPS
            from .completion_ids import record_ids

            record_ids(self.settings, GROUPS[field], "id", records, self.mask)

        names = RecordNames(lambda: self.client, self.settings.service, place, read, note)
        self.parsed.not_found_hint = lambda message: names.not_found_hint(
            message, cache(lambda: self.with_flags({}).client)
        )
        return names

    @property
    def is_plan(self) -> bool:
        """Whether this dry run also tells what it would ask."""
        return self.parsed.is_plan

    def _begin_write_epoch(self, request: "PreparedRequest") -> AbstractContextManager[None]:
        """End the write epoch of the place that a request may change, if there is one."""
        from ..runs.targets import changing

        return changing(self.settings.state_dir, self.service, request)

    def warn_unknown_keys(self) -> None:
        """Warn about keys of the profile that are not settings."""
        for warning in self.settings.unknown_keys():
            self.messages.warn(warning)

    @cached_property
    def service(self) -> str:
        """The identity of the service: its canonical address, or for an emulator the world behind it.

        A served emulator gets another port each time, so its address does not identify it.
        """
        address = self.settings.address("ads")
        if self.settings.is_local:
            return f"{EMULATOR_URL}#{self.emulator.database_id}"
        environ = self.settings.environ
        served = environ.get("ADSCTL_ADS_URL", ""), environ.get("ADSCTL_ADS_SANDBOX_URL", "")
        is_served = any(is_same_address(address, other) for other in served)
        world = environ.get("ADSCTL_EMULATOR") if is_served else None
        return f"{EMULATOR_URL}#{world}" if world else canonical_address(address)

    @property
    def account(self) -> str:
        """The advertising account to work in; raise UsageError if none is set."""
        return self.chosen_account or (
            self.emulator.account if self.settings.is_local else self.settings.require_account()
        )

    @cached_property
    def chosen_account(self) -> str | None:
        """The id of the account that an option, the environment or the profile names; None if none does."""
        named = self.settings.get("account")
        return self.records.id_of("account_id", named) if named else None

    @cached_property
    def catalog(self) -> str:
        """The catalog to work in; if none is set, the user's only one."""
        if self.dry_run and not self.is_plan and not self.settings.get("catalog"):
            from ..api.records import ONLY_CATALOG

            return ONLY_CATALOG
        return self.find_catalog()

    def find_catalog(self) -> str:
        """Return the catalog to work in, in a dry run too, where requests depend on what it holds."""
        if named := self.settings.get("catalog"):
            return self.records.id_of("product_catalog_id", named)
        from .only_catalog import only_catalog

        return only_catalog(self)

    @property
    def dry_run(self) -> bool:
        """Whether no request that changes anything may be sent."""
        return bool(self.flags.get("dry_run"))

    def is_dry_run(self, action: str) -> bool:
        """Return whether this is a dry run, and say what it would do."""
        if self.dry_run:
            self.messages.say(f"dry run: would {action}")
        return self.dry_run

    def confirm(self, consequence: str, *, at_service: bool = True, needs_terminal: bool = False) -> None:
        """Ask before something is destroyed; raise NotConfirmedError unless the answer is yes.

        What is destroyed at the service is asked with the profile and the account. --yes does not answer what
        `needs_terminal`.
        """
        if self.flags.get("yes") and not needs_terminal:
            return
        if at_service:
            of_account = f", account {account}" if (account := self.settings.get("account")) else ""
            consequence += f" (profile {self.settings.profile}{of_account})"
        if self.is_plan:
            self.messages.show(f"{QUESTION}{consequence}")
            return
        if self.parsed.answer and not needs_terminal:
            self.parsed.answer(consequence)
            return
        if not self.parsed.host.is_terminal:
            how = "run it on a terminal; --yes does not answer" if needs_terminal else "add --yes"
            hint = f"there is no terminal to ask on; {how}"
            raise NotConfirmedError(f"not confirmed: {consequence}", hint=hint)
        from ..output.table_view import local_times

        self.messages.ask(f"{local_times(consequence, self._account_zone)}? [y/N]")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise NotConfirmedError("nothing was changed")
