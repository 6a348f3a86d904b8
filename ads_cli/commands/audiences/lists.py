"""The lists of people that commands read: their options, and the plan of their upload."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

import msgspec

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...errors import ContentError, UsageError
from ...output.text import counted, shell_command
from ..runs.options import FeedOptions, Recipe, RejectedOptions

if TYPE_CHECKING:
    from ...audiences.list_columns import ListColumns
    from ...audiences.plan import ListPlan, ListSettings
    from ...audiences.upload import UserUpload
    from ...feeds.locations import Location
    from ...feeds.rows import Rows


AllowClearText = Annotated[bool, flag("Allow e-mail addresses and phone numbers as partner_user_id")]


class AudienceTarget(msgspec.Struct, frozen=True):
    """A custom audience that people are sent to."""

    field: ClassVar[str] = "custom_audience_id"
    audience: Annotated[str, option("ID", "The custom audience, by id or name")]
    allow_clear_text: AllowClearText = False

    @property
    def id(self) -> str:
        """Its id, or its name."""
        return self.audience

    def upload(self, account: str, id: str) -> "UserUpload":
        """Return the upload of people to it, by its id."""
        from ...audiences.upload import audience_upload

        return audience_upload(account, id)


class DoNotReachTarget(msgspec.Struct, frozen=True):
    """A do-not-reach list that people are sent to."""

    field: ClassVar[str] = "do_not_reach_list_id"
    list_: Annotated[str, option("ID", "The do-not-reach list, by id or name", "--list")]
    allow_clear_text: ClassVar[bool] = False

    @property
    def id(self) -> str:
        """Its id, or its name."""
        return self.list_

    def upload(self, account: str, id: str) -> "UserUpload":
        """Return the upload of people to it, by its id."""
        from ...audiences.upload import do_not_reach_upload

        return do_not_reach_upload(account, id)


Target: TypeAlias = AudienceTarget | DoNotReachTarget


class ListOptions(FeedOptions, frozen=True):
    """How a list of people is read."""

    recipe: Recipe = None
    ignore: Annotated[list[str] | None, option("COLUMN", "Leave a column out, without a word about it")] = (
        None
    )
    where: Annotated[
        list[str] | None, option("COLUMN=VALUE", "Take only these people; also != > < >= <=, ~ for a regex")
    ] = None
    allow_empty: Annotated[bool, flag("End with 0 where --where leaves out everybody")] = False
    region: Annotated[str | None, option("REGION", "Country of national phone numbers, as in DE")] = None
    region_column: Annotated[
        str | None, option("COLUMN", "Column of countries, for national numbers, before --region")
    ] = None
    keep_partial: Annotated[bool, flag("Keep people for their valid identifiers where one is invalid")] = (
        False
    )

    def list_columns(self, upload: "UserUpload") -> "ListColumns":
        """Return what columns of lists are, by the options; raise UsageError."""
        from ...audiences.list_columns import ColumnOptions, ListColumns
        from ...audiences.operations import PARAMS_FIELDS
        from ...feeds.transforms import Where

        mapping = self.mapping((*upload.identifiers, *PARAMS_FIELDS))
        ignored = frozenset(map(str.strip, self.ignore or ()))
        for column in sorted(ignored & {*mapping, self.region_column}):
            raise UsageError(f"--ignore: {column!r} is named by another option too")
        conditions = [*map(Where.parse, self.where or ())]
        options = ColumnOptions(mapping, ignored, self.region_column, conditions)
        return ListColumns(options, upload.identifiers)

    def open_all(self, call: Invocation, files: list[str], columns: "ListColumns") -> "Rows":
        """Open the files that arguments name as one list; raise AdsctlError."""
        from ...audiences.headers import KnownHeaders
        from ...audiences.user_rows import UserRows
        from ...feeds.reader import open_source, read_rows
        from ...feeds.several import open_several

        # The service's own documents are read too.
        headers = KnownHeaders({*columns.options.mapping, "params", "users"})

        def open_list(location: "Location") -> "Rows":
            source = open_source(location, self.format, self.encoding, options=self.read_options)
            rows = read_rows(source, roots=("users", "operations"), known=headers)
            rows.sensitive = rows.numbers_repeated_columns = True
            return rows if rows.table else UserRows(rows)

        return open_several(files, self.access(call), open_list)


def checked_region(region: str | None) -> str | None:
    """Return --region as its code; raise UsageError where it is not a country."""
    if not region:
        return None
    from phonenumbers import SUPPORTED_REGIONS

    code = region.upper()
    if code not in SUPPORTED_REGIONS:
        raise UsageError(f"--region: {code} is not a country code", hint="two letters, as in DE")
    return code


def plan_list(call: Invocation, files: list[str], feed: ListOptions, settings: "ListSettings") -> "ListPlan":
    """Open the files that arguments name as one list; raise AdsctlError."""
    from ...audiences.plan import ListPlan

    return ListPlan(feed.open_all(call, files, settings.columns), settings)


def require_people(call: Invocation, plan: "ListPlan", feed: ListOptions) -> None:
    """Say where --where leaves out everybody; raise ContentError unless `--allow-empty` is given."""
    report = plan.report
    if not report.rows or report.left_out < report.rows:
        return
    conditions = " ".join(shell_command(["--where", text]) for text in feed.where or ())
    message = f"{plan.rows.source.label}: {conditions} leaves out everybody, {counted(report.rows, 'row')}"
    if not feed.allow_empty:
        hint = "compare the condition with the cells of its column; --allow-empty if nobody is right"
        raise ContentError(message, hint=hint)
    call.messages.warn(message)


@contextmanager
def clear_text_notice(call: Invocation, rejected: RejectedOptions) -> Iterator[None]:
    """Say at the end, whatever it is, that the file of `--failed-out` holds people in clear."""
    try:
        yield
    finally:
        if rejected.failed_out and Path(rejected.failed_out).is_file():
            mode = Path(rejected.failed_out).stat().st_mode & 0o777
            readers = "others can read it too" if mode & 0o077 else "only you can read it"
            whose = f"contains people as you gave them; {readers} (mode {mode:04o})"
            call.messages.say(f"{rejected.failed_out} {whose}")
