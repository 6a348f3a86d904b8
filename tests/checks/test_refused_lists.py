"""A list or a number that the service refuses: rules are unknown, and what needs it ends with the error."""

import pytest

RULES = "rules:\n- {name: a, of: campaigns, when: spend > 1, do: pause}\n"
COMMANDS = ("watch plan rules.yaml", "watch apply rules.yaml --yes", "watch replay rules.yaml", "stats pace")


@pytest.mark.parametrize("status", [(403, 4), (404, 5)])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_cannot_do_without_a_list_ends_with_the_services_error(
    adsctl, service, command, status
):
    adsctl.file("rules.yaml", RULES)
    service.fail(f"GET */campaigns status={status[0]}")
    done = adsctl(*command.split(), code=status[1])
    assert f"status {status[0]}" in done.stderr and "a bug" not in done.stderr


@pytest.mark.parametrize("path", ["campaigns", "line_items", "funding_instruments", "cards", "stats*"])
def test_one_refused_list_leaves_the_other_rules_at_work(adsctl, service, path):
    service.fail(f"GET */{path} status=403")
    done = adsctl("accounts", "check", "--unknown", "-o", "json", code=10)
    assert '"severity": "unknown"' in done.stdout and "status 403" in done.stdout
    assert '"severity": "warning"' in done.stdout or path in ("campaigns", "line_items")


def test_campaigns_why_says_what_it_could_not_look_at(adsctl, service):
    service.fail("GET *stats* status=403")
    assert "unknown: " in adsctl("campaigns", "why", "8wku2").stderr
