"""A command for several records that is killed in the middle: what was computed is changed once."""

import json
from collections.abc import Callable

import pytest

from tests.emulator.seeded import CARD
from tests.stored import restore_from_copy

DAY = "daily_budget_amount_local_micro"
COUNT = 50  # of which 40 are in the first request
RAISED = ("campaigns", "update", "--where", "name~^Mass", "--where", "daily_budget<10.50", "-y")
SHARE = (*RAISED, "--set", "daily_budget=+10%", "-o", "json")


@pytest.fixture
def campaigns(adsctl) -> Callable[[], list[int]]:
    """Create campaigns; return what tells their budgets."""
    made = [{"name": f"Mass {n}", "funding_instrument_id": CARD, "daily_budget": 10} for n in range(COUNT)]
    adsctl("campaigns", "create", "-f", adsctl.file("mass.json", json.dumps(made)), "-y")

    def budgets() -> list[int]:
        done = adsctl("-q", "campaigns", "get", "--where", "name~^Mass", "-o", "json")
        return [record[DAY] for record in json.loads(done.stdout)]

    return budgets


@pytest.mark.parametrize("is_applied", [True, False])
@pytest.mark.parametrize("request_number", [1, 2])
def test_a_share_is_added_once_though_its_command_is_killed(
    adsctl, service, campaigns, request_number, is_applied
):
    answer, left, process = service.answer, [request_number], []

    def answer_and_kill(environ, start_response):
        if environ["REQUEST_METHOD"] == "GET":
            return answer(environ, start_response)
        left[0] -= 1
        if left[0] == 0 and not is_applied:
            process[0].kill()
            process[0].wait()
            environ = environ | {"PATH_INFO": "/nowhere"}
        body = answer(environ, start_response)
        if left[0] == 0 and is_applied:
            process[0].kill()
            process[0].wait()
        return body

    service.answer = answer_and_kill
    process.append(adsctl.popen(*SHARE))
    process[0].communicate()
    service.settle()
    assert left[0] == 0, "it was killed while a request was in flight"
    service.answer = answer
    is_known = adsctl(*SHARE, code=11).stderr
    assert "may have changed some of its records" in is_known and "--resume" in is_known
    done = adsctl(*SHARE, "--resume")
    assert len(json.loads(done.stdout)) == COUNT
    assert campaigns() == [11_000_000] * COUNT


def test_a_run_in_a_copied_state_folder_is_not_resumed(adsctl, service, campaigns):
    service.fail("POST /12/batch/* reset-after times=1")
    adsctl(*SHARE, "--max-attempts", "1", code=8)
    restore_from_copy(adsctl)
    refused = adsctl(*SHARE, "--max-attempts", "1", "--resume", code=11).stderr
    assert "the state folder may be a copy" in refused


def test_resume_computes_nothing_of_another_command(adsctl, service, campaigns):
    service.fail("POST /12/batch/* reset-after times=1")
    adsctl(*SHARE, "--max-attempts", "1", code=8)
    other = ("campaigns", "update", "--where", "name=Mass 7", "--set", "daily_budget=+50%", "-y")
    assert "no unfinished run of this command" in adsctl(*other, "--resume", code=11).stderr
    assert "'name~^Mass' --where" in adsctl(*other, code=11).stderr, "its amount may be changed twice"
    assert 15_000_000 not in campaigns()


def test_resume_deletes_nothing_of_another_command(adsctl, service, campaigns):
    service.fail("POST /12/batch/* reset-after times=1")
    adsctl(*RAISED, "--daily-budget", "11", "--max-attempts", "1", code=8)
    adsctl("campaigns", "delete", "--where", "name=Mass 7", "-y", "--resume")
    assert len(campaigns()) == COUNT - 1


def test_what_somebody_else_has_changed_meanwhile_is_not_overwritten(adsctl, service, campaigns):
    service.fail("POST /12/batch/* reset times=1")
    adsctl(*SHARE, "--max-attempts", "1", code=8)
    id, *_ = adsctl("-q", "campaigns", "get", "--where", "name=Mass 7", "-o", "ids").stdout.split()
    adsctl("campaigns", "update", id, "--daily-budget", "2", "-y")
    refused = adsctl(*SHARE, "--resume", code=11).stderr
    assert f"campaign {id}" in refused and "jobs discard" in refused
    assert campaigns().count(2_000_000) == 1 and campaigns().count(10_000_000) == COUNT - 1


def test_what_was_answered_is_changed_again_though_its_run_could_not_show_it(adsctl, service, campaigns):
    adsctl(*RAISED, "--set", "daily_budget=+1%", "--columns", "nope", code=2)
    adsctl("campaigns", "update", "--where", "name=Mass 7", "--set", "daily_budget=+1", "-y")
    assert sorted({*campaigns()}) == [10_100_000, 11_100_000]
