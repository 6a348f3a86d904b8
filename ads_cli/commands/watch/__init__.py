"""`watch`: rules as a file, with a plan, a limit, a log and a way back."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, option
from ...console.shown import Result, shows
from ...errors import DIFFERENCES_FOUND, GuardError, NotConfirmedError
from ...output.text import counted
from ...stored_times import stored_form
from ..checking import FromMirror, facts_of, opened_facts, required
from ..runs.options import ShownOptions, with_options

if TYPE_CHECKING:
    from ...watch.decide import Decision, Decisions
    from ...watch.replay import DayDecision
    from ...watch.rules import WatchRule


class DecisionRecord(TypedDict):
    """What a rule would do to a record, or has done; `state` says why it is held."""

    rule: str
    action: str
    kind: str
    name: str | None
    before: str | None
    after: str
    currency: str | None
    numbers: dict[str, str | None]  # what the conditions name
    state: str
    id: str


class DayRecord(DecisionRecord):
    """What a rule would have done on a day, with numbers that were asked for then, or later."""

    day: str
    asked_at: str | None


class WatchRuleRecord(TypedDict):
    """A rule of a file."""

    rule: str
    of: str
    action: str
    over: str
    line: int


DECISIONS, RULES = Result(DecisionRecord), Result(WatchRuleRecord, "rule")
DAYS = Result(DayRecord, named=("day", *DECISIONS.columns, "asked_at"))
File = Annotated[str, argument("FILE", "The file of rules")]
MaxChanges = Annotated[
    int | None,
    option("N", "Change nothing where more records would be (default: 10 % of those looked at)", min=0),
]
NOUNS = {"campaigns": "campaign", "line_items": "line item"}


@shows(RULES)
@with_options(shown=ShownOptions)
def check(ctx: typer.Context, file: File, *, shown: ShownOptions) -> None:
    """Check a file of rules, offline; every mistake is said at once, with line and column.

    For example: adsctl watch check rules.yaml
    """
    from ...watch.rules import read_rules

    call = Invocation.of(ctx, mutates=False)
    rules = read_rules(file)
    records = [
        {"rule": rule.name, "of": rule.of, "action": action_of(rule), "over": rule.over, "line": rule.line}
        for rule in rules
    ]
    shown.show(call, records, RULES.columns, "rules", RULES.key)
    call.messages.say(f"{file}: {counted(len(rules), 'rule')}")


@shows(DECISIONS)
@with_options(shown=ShownOptions)
def plan(ctx: typer.Context, file: File, max_changes: MaxChanges = None, *, shown: ShownOptions) -> None:
    """Show what rules would do, with the numbers that say so; nothing is changed.

    The exit code is 10 where anything would be done or told. What is held back says why.

    For example: adsctl watch plan rules.yaml
    """
    from ...watch.rules import read_rules
    from .view import draw

    call = Invocation.of(ctx, mutates=False)
    decisions = decided(call, read_rules(file))
    if call.printer.is_for_people and not (shown.where or shown.sort):
        draw(call, decisions)
    else:
        shown.show(call, [*records_of(decisions)], DECISIONS.columns, "decisions", DECISIONS.key)
    say_unknown(call, decisions)
    try:
        require_few(decisions, max_changes)
    except NotConfirmedError as error:
        call.messages.warn(error.message)
    _warn_of_guard(call, decisions)
    if decisions.due:
        raise typer.Exit(DIFFERENCES_FOUND)


@shows(DAYS)
@with_options(shown=ShownOptions)
def replay(
    ctx: typer.Context,
    file: File,
    since: Annotated[str, option("TIME", "From that day on, as in 90d or 2026-03-01")] = "30d",
    from_: FromMirror = None,
    *,
    shown: ShownOptions,
) -> None:
    """Show what rules would have done on each day of the past.

    A record that would have been paused counts as paused from then on. It shows no savings: nobody knows what
    the money would have done elsewhere. The numbers are those of today, or of a mirror, which says when they
    were asked for. What is charged for a day may have been an estimate then.

    For example: adsctl watch replay rules.yaml --since 90d
    """
    from ...watch.replay import replay as replayed
    from ...watch.rules import read_rules
    from .view import draw_days

    call = Invocation.of(ctx, mutates=False)
    rules = read_rules(file)
    with opened_facts(call, since, from_) as (call, facts), required():
        days = [*replayed(rules, facts, facts.source, facts.period.start.date())]
    if call.printer.is_for_people and not (shown.where or shown.sort):
        draw_days(call, rules, days, facts.period.start.date(), facts.calendar.today.date())
    else:
        records = [
            {
                "day": own.day.isoformat(),
                **record_of(own.decision, "would be"),
                "asked_at": own.asked_at and stored_form(own.asked_at),
            }
            for own in days
        ]
        shown.show(call, records, DAYS.columns, "decisions", DAYS.key)
    _say_which_numbers(call, days, is_of_mirror=from_ is not None)


def _say_which_numbers(call: Invocation, days: "Sequence[DayDecision]", *, is_of_mirror: bool) -> None:
    """Say which decisions rest on numbers that may have been others on their day."""
    if not is_of_mirror:
        call.messages.note("all numbers are those of today; on its day, a decision may have seen others")
    elif later := sum(own.is_later for own in days):
        what = f"{later:,} of {counted(len(days), 'decision')} rest on numbers asked for after that day"
        call.messages.note(f"{what}, and may have been others then: see asked_at")


def _warn_of_guard(call: Invocation, decisions: "Decisions") -> None:
    """Say which rules the guard would refuse, all of whose changes are one run."""
    from ..requests.computed import prepared
    from .applying import runs_of

    judging = call.with_flags({"dry_run": True})  # whose guard holds no lock
    for name, changes in runs_of(call, decisions.changes):
        try:
            judging.writes.guard.approve(prepared(judging, changes))
        except GuardError as error:
            call.messages.warn(f"the rule {name!r} would change nothing: {error.message}")


def decided(call: Invocation, rules: "Sequence[WatchRule]") -> "Decisions":
    """Read the account, and apply rules to it."""
    from ...store.changes import ChangeLog
    from ...watch.decide import decide, records_for
    from ...watch.history import History

    call.client.open()
    facts = facts_of(call, "7d")
    with required():
        for rule in rules:
            records_for(rule, facts)
    # Read after the records: what another run has changed in them, it has logged before.
    own = ChangeLog(call.settings.state_dir).changes(call.service, call.account)
    history = History([change for change in own if change["outcome"] in ("ok", "unknown")])
    with required():
        return decide(rules, facts, history)


def action_of(rule: "WatchRule") -> str:
    """Return the action of a rule as the file writes it."""
    change = rule.change
    if not change:
        return rule.do
    if change.share is not None:
        return f"set {change.name}={100 * (change.share - 1):+.4g}%"
    return f"set {change.name}={change.amount:f} {change.currency}".rstrip()


def records_of(decisions: "Decisions", due: str = "due") -> Iterator[DecisionRecord]:
    """Yield what would be done, and what is held, as programs read it."""
    from ...watch.decide import in_file_order

    return (record_of(decision, due) for decision in in_file_order(decisions))


def record_of(decision: "Decision", due: str) -> DecisionRecord:
    """Return what a rule would do to a record; `due` says what becomes of it."""
    rule, record = decision.rule, decision.record
    return {
        "rule": rule.name,
        "action": action_of(rule),
        "kind": NOUNS[rule.of],
        "id": decision.id,
        "name": record.get("name"),
        "before": decision.before or None,
        "after": decision.after,
        "currency": record.get("currency"),
        "numbers": numbers_of(decision),
        "state": f"held: {decision.why_not}" if decision.why_not else due,
    }


def numbers_of(decision: "Decision") -> dict[str, str | None]:
    """Return the values that the conditions name, as texts."""
    return {
        name: None if value is None else f"{value:f}" if hasattr(value, "as_tuple") else str(value)
        for name, value in decision.numbers.items()
    }


def say_unknown(call: Invocation, decisions: "Decisions") -> None:
    """Count what could not be judged, with the reasons; warn of rules that do nothing."""
    for warning in decisions.warnings:
        call.messages.warn(warning)
    if not decisions.unknown:
        return
    reasons: dict[str, int] = {}
    for rule, _, why in decisions.unknown:
        words = f"{rule.name}: {why}"
        reasons[words] = reasons.get(words, 0) + 1
    lines = [f"{counted(count, 'record')}: {words}" for words, count in reasons.items()]
    call.messages.note(f"{counted(len(decisions.unknown), 'judgement')} unknown, which never act")
    for line in lines:
        call.messages.note(line)


def require_few(decisions: "Decisions", max_changes: int | None) -> None:
    """Raise NotConfirmedError where more records would be changed than may be at once."""
    most = decisions.most_changes if max_changes is None else max_changes
    count = len(decisions.changes)
    if count > most:
        raise NotConfirmedError(
            f"the rules would change {count} of {counted(decisions.looked_at, 'record')}, more than {most};"
            " nothing was changed",
            hint=f"look at 'adsctl watch plan', then add --max-changes {count}",
        )
