"""What the log and the records say of changes by others."""

from datetime import timedelta

import pytest

from ads_cli.checks.source import ServiceSource
from ads_cli.store.changes import ChangeLog
from ads_cli.watch.history import History
from ads_cli.watch.rules import parse_rules
from tests.checks.accounts import NOW, facts_of

BACK = b"rules:\n- {name: back, of: campaigns, when: spend > 1, do: activate}\n"


def stored(ago):
    return f"{NOW - ago:%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize(
    ("changed_ago", "why_not"),
    [
        (timedelta(days=2, minutes=-1), ""),  # the pause itself
        (timedelta(days=1), "something else has changed it since a rule paused it"),
    ],
)
def test_what_somebody_else_has_changed_since_a_pause_is_not_activated(changed_ago, why_not):
    pause = {"ids": ["c1"], "fields": {"entity_status": "PAUSED"}, "by": "rule stop"}
    history = History([pause | {"time": stored(timedelta(days=2))}])
    record = {"id": "c1", "updated_at": stored(changed_ago)}
    (rule,) = parse_rules(BACK, "rules.yaml")
    assert history.why_not(rule, record, facts_of({})) == why_not


SHARE = b"rules:\n- {name: more, of: campaigns, when: spend > 1, do: set daily_budget=+10%}\n"


DAYS, HOURS = timedelta(days=9), timedelta(hours=-3)  # a negative time is in the future
CHANGED_LATER = "it was changed later than now: is the clock of this machine right?"
PAUSED_LATER = "the log says that it was paused later than now: is the clock of this machine right?"
ELSE = "something else has changed it since a rule paused it"


@pytest.mark.parametrize(
    ("rule", "log", "changed_ago", "why_not"),
    [
        (SHARE, [], HOURS, CHANGED_LATER),  # by another machine, it may be, a moment ago
        (SHARE, [], timedelta(minutes=-2), "it was changed 0 hours ago, and may be once in 1 days"),
        (SHARE, [("rule more", HOURS)], DAYS, "it acted 1 times in 1 days, and may 1"),
        (BACK, [("rule stop", timedelta(days=2))], HOURS, ELSE),
        (BACK, [("rule stop", HOURS)], DAYS, PAUSED_LATER),
    ],
)
def test_a_clock_that_was_set_back_holds_what_it_cannot_tell(rule, log, changed_ago, why_not):
    changes = [
        {"ids": ["c1"], "fields": {"entity_status": "PAUSED"}, "by": by, "time": stored(ago)}
        for by, ago in log
    ]
    record = {"id": "c1", "updated_at": stored(changed_ago), "created_at": stored(timedelta(days=30))}
    (parsed,) = parse_rules(rule, "rules.yaml")
    assert History(changes).why_not(parsed, record, facts_of({})) == why_not


def test_the_log_is_read_after_the_records_so_that_it_has_what_another_run_did_to_them(adsctl, monkeypatch):
    read = []
    for kind, name in ((ServiceSource, "records"), (ChangeLog, "changes")):
        method = getattr(kind, name)

        def spy(self, *words, method=method, name=name):
            read.append(name)
            return method(self, *words)

        monkeypatch.setattr(kind, name, spy)
    adsctl.file("rules.yaml", BACK.decode())
    adsctl.local("watch", "plan", "rules.yaml")
    assert read.index("records") < read.index("changes")
