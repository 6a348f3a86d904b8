"""`accounts check`: what is wrong in an account, as a linter says it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypedDict

import typer

from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...console.shown import Result, posts, shows
from ...errors import DIFFERENCES_FOUND, RefusedError
from ...numbers import parse_count
from ...output.text import counted
from ...spelling import comma_list
from ..runs.options import ShownOptions, with_options

if TYPE_CHECKING:
    from ...checks.facts import Facts
    from ...checks.rule import Rule
    from ...checks.run import Found
    from .posting import PostFindings


class CheckFinding(TypedDict):
    """What a rule found, or could not look at: then its severity is `unknown`."""

    code: str
    severity: str
    kind: str
    name: str
    message: str
    command: str | None
    id: str
    rule: str
    hint: str | None
    profile: str | None
    account: str


class FindingsData(TypedDict):
    """Findings that were not posted before."""

    event_type: Literal["findings"]
    profile: str | None
    account: str
    time: str  # of the check
    findings: list[CheckFinding]


class PostedFindings(TypedDict):
    """What --post-to posts."""

    data: FindingsData


OTHER_COLUMNS = ("rule", "hint", "profile", "account")
FINDINGS = Result(
    CheckFinding, named=tuple(name for name in CheckFinding.__annotations__ if name not in OTHER_COLUMNS)
)
REPORTED, POSTED = "findings told", "findings posted"  # kinds of notes: of --new and of --post-to
PAGE_TIMEOUT_SECONDS = 10.0
FromMirror = Annotated[
    str | None, option("sqlite:FILE|ADDRESS", "Read a mirror, and ask the service for nothing", "--from")
]
Codes = "The beginnings of codes, or names, with commas: D, B101, no-ads"


class Checked(NamedTuple):
    """What rules found in an account."""

    account: dict[str, Any]
    rules: "Sequence[Rule]"
    findings: "list[Found]"  # to be shown
    unknown: "list[Found]"
    known: int  # findings that are not shown


@shows(FINDINGS)
@posts(PostedFindings)
@with_options(shown=ShownOptions)
def check(
    ctx: typer.Context,
    since: Annotated[
        str, option("TIME", "Numbers from then until last midnight, as in 7d, yesterday or 2026-03-01")
    ] = "7d",
    select: Annotated[str | None, option("CODES", f"Only these rules. {Codes}")] = None,
    ignore: Annotated[str | None, option("CODES", "All rules but these")] = None,
    strict: Annotated[bool, flag("End with 10 where a rule could not look, too")] = False,
    unknown: Annotated[bool, flag("Show what rules could not look at as records")] = False,
    online: Annotated[bool, flag("Ask for the pages that ads lead to")] = False,
    baseline: Annotated[
        str | None,
        option("FILE", "Show what is not in FILE; the first run writes it: what it found is known"),
    ] = None,
    new: Annotated[bool, flag("Show what an earlier run with --new has not shown")] = False,
    remind: Annotated[str, option("DAYS", "Show it again with --new after so many days, as in 7d")] = "7d",
    post_to: Annotated[
        str | None, option("URL", "Post findings there as signed JSON, each once until it changes")
    ] = None,
    report: Annotated[str | None, option("FILE.html", "Write a page about this run, for a browser")] = None,
    from_: FromMirror = None,
    *,
    shown: ShownOptions,
) -> None:
    """Find what is wrong in an account, and what will be.

    Rules look at delivery, budgets, audiences, ads, measurement and names; 'adsctl help rules' lists them.
    Nothing is changed: the command of a finding is what to type next. The exit code is 10 where anything is
    found. What a rule could not look at is counted, and no finding. A profile states goals and thresholds:
    'adsctl profile set shop goals.cost_per_result=12EUR'.

    For example: adsctl accounts check --since 7d
    """
    from ...checks.registry import selected
    from .page import CheckReport
    from .posting import poster

    call = Invocation.of(ctx, mutates=False)
    wanted = wanted_of(call)
    chosen = comma_list(select) if select else wanted.select
    left_out = comma_list(ignore) if ignore else wanted.ignore
    rules = selected(chosen, left_out)
    wait = timedelta(days=parse_count(remind.removesuffix("d"), "--remind"))
    page = CheckReport(call, report)
    post = poster(call, post_to) if post_to else None
    with page.written(), opened_facts(call, since, from_, online=online) as (call, facts):
        page.call = call
        checked = _checked(call, facts, rules, baseline, wait if new else None)
        page.checked = checked
        _show(call, checked, shown, unknown=unknown)
        if post:
            _post_new(call, checked, facts.now, wait, post)
        if checked.findings or (strict and checked.unknown):
            raise typer.Exit(DIFFERENCES_FOUND)


def wanted_of(call: Invocation) -> Any:
    """Read what the profile states; raise StateError for what cannot be used."""
    from ...config.goals import parse_wanted

    values = call.settings.profile_values(call.settings.profile or "")
    return parse_wanted(values, f"{call.settings.config_file}: profiles.{call.settings.profile}")


@contextmanager
def opened_facts(
    call: Invocation, since: str, mirror: str | None, *, online: bool = False
) -> "Iterator[tuple[Invocation, Facts]]":
    """Open an account, and say in which one the invocation works.

    It is that of the invocation at the service, else in a mirror, of which the service is asked nothing.
    """
    if mirror is None:
        call.client.open()
        yield call, facts_of(call, since, online=online)
        return
    from ...checks.facts import Facts
    from ...console.mirror_address import opened_mirror
    from ..stats.mirrored import the_account
    from .mirrored import MirrorSource

    with opened_mirror(call, mirror) as destination:
        account = the_account(call, destination)
        call.messages.note(account.words)
        if call.settings.get("account") != account.account:
            call = call.with_flags({"account": account.account})
        source, calendar = MirrorSource(account, _page_status if online else None), account.calendar
        period = calendar.period(since, None, "TOTAL")
        yield call, Facts(source.account(), source, calendar, period, wanted_of(call))


def facts_of(call: Invocation, since: str, *, online: bool = False) -> "Facts":
    """Return the facts of the account, which are read when they are needed."""
    from ...checks.facts import Facts
    from ...checks.source import ServiceSource
    from ...console.account_zone import account_with_zone
    from ...statistics.periods import Calendar, utc_now

    account = account_with_zone(call)
    calendar = Calendar(account["timezone"], utc_now())
    ask_page = _page_status if online else None
    source = ServiceSource(call.client, call.account, call.find_catalog, calendar, ask_page)
    return Facts(account, source, calendar, calendar.period(since, None, "TOTAL"), wanted_of(call))


@contextmanager
def required() -> Iterator[None]:
    """Raise the error of the service where a command cannot do without what was refused."""
    from ...checks.outcome import CannotLook

    try:
        yield
    except CannotLook as why:
        raise why.__cause__ or RefusedError(str(why)) from None


def _page_status(address: str) -> int:
    """Return the status with which a page answers a browser's request; 0 where it cannot be reached."""
    import httpx

    try:
        with httpx.stream("GET", address, follow_redirects=True, timeout=PAGE_TIMEOUT_SECONDS) as response:
            return response.status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return 0


def _checked(
    call: Invocation, facts: "Facts", rules: "Sequence[Rule]", baseline: str | None, remind: timedelta | None
) -> Checked:
    """Apply the rules, and leave out what is known."""
    from ...checks.known import key_of, read_baseline, write_baseline
    from ...checks.outcome import Finding
    from ...checks.run import apply_rules

    outcomes = [*apply_rules(rules, facts)]
    found = [one for one in outcomes if isinstance(one.outcome, Finding)]
    found.sort(key=lambda one: (_rank(one), one.rule.code))
    shown = found
    if baseline:
        known = read_baseline(Path(baseline), call.account)
        if known is None:
            write_baseline(Path(baseline), call.account, found)
            call.messages.note(f"{baseline}: {counted(len(found), 'finding')} taken as known")
        else:
            shown = [one for one in shown if key_of(one) not in known]
    if remind is not None:
        shown, remember = _new(call, REPORTED, shown, facts.now, remind)
        remember()
    unknown = [one for one in outcomes if not isinstance(one.outcome, Finding)]
    return Checked(dict(facts.account), rules, shown, unknown, len(found) - len(shown))


def _new(
    call: Invocation, kind: str, found: "Sequence[Found]", now: datetime, remind: timedelta
) -> "tuple[list[Found], Callable[[], None]]":
    """Return the findings that were not reported, and what remembers that they are."""
    from ...checks.known import Reported, to_report
    from ...store.notes import Notes

    notes, key = Notes(call.settings.state_dir, kind), f"{call.service} {call.account}"
    new, remembered = to_report(found, notes.find(key, dict[str, Reported]) or {}, now, remind)
    return new, lambda: notes.put(key, remembered)


def _post_new(
    call: Invocation, checked: Checked, now: datetime, remind: timedelta, post: "PostFindings"
) -> None:
    """Post the findings that were not posted before, and remember them once the receiver has them."""
    new, remember = _new(call, POSTED, checked.findings, now, remind)
    if new:
        post([*records(call, new)], now)
    remember()


def _rank(found: "Found") -> int:
    from ...checks.rule import Severity

    return [*Severity].index(found.rule.severity)


def _show(call: Invocation, checked: Checked, options: ShownOptions, *, unknown: bool) -> None:
    from .view import draw

    shown = [*checked.findings, *(checked.unknown if unknown else ())]
    if call.printer.is_for_people and not (options.where or options.sort):
        draw(call, shown)
    else:
        columns = (*FINDINGS.columns, *OTHER_COLUMNS)
        narrowed = options.applied([*records(call, shown)], columns, "findings", FINDINGS.key)
        call.printer.show(narrowed, FINDINGS.columns, FINDINGS.key, OTHER_COLUMNS)
    call.messages.say(summary(checked))
    if unknown:
        return
    codes_by_reason: dict[str, list[str]] = {}
    for rule, outcome in checked.unknown:
        codes_by_reason.setdefault(outcome.message, []).append(rule.code)
    left = Counter[str]()
    for reason, codes in codes_by_reason.items():
        if len({*codes}) > 1:  # a list or a number that several rules need
            call.messages.note(f"{', '.join(dict.fromkeys(codes))} unknown: {reason}")
        else:
            left.update(codes)
    if left:
        count = counted(left.total(), "check")
        call.messages.note(f"{count} unknown: {', '.join(left)}; --unknown shows why")


def summary(checked: Checked) -> str:
    """Count the findings by severity."""
    counts = Counter(one.rule.severity.value for one in checked.findings)
    parts = [counted(count, severity) for severity, count in counts.items()] or ["nothing found"]
    known = f"; {counted(checked.known, 'finding')} known before" if checked.known else ""
    return f"{', '.join(parts)} by {counted(len(checked.rules), 'rule')}{known}"


def records(call: Invocation, shown: "Sequence[Found]") -> Iterator[CheckFinding]:
    """Yield what rules said, as programs read it."""
    from ...checks.outcome import Finding
    from ...console.drawing import next_command

    for rule, outcome in shown:
        found = outcome if isinstance(outcome, Finding) else None
        yield {
            "code": rule.code,
            "rule": rule.name,
            "severity": rule.severity.value if found else "unknown",
            "kind": outcome.kind,
            "id": outcome.id,
            "name": outcome.name,
            "message": outcome.message,
            "hint": rule.advice if found else None,
            "command": next_command(call, found.command) if found else None,
            "profile": call.settings.profile,
            "account": call.account,
        }
