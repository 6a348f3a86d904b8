"""Every parameter that is true or false has an option for each, which is sent as it is typed."""

import pytest

from ads_cli.api.fields import fields_of
from ads_cli.api.registry import requests_for
from ads_cli.cli.command_index import CUSTOM_COMMANDS
from tests.command_tree import COMMANDS

BOOLEANS = sorted(
    {
        (request.endpoint.command, field.option)
        for service in ("generic", "x")
        for request in requests_for(service)
        for field in fields_of(request)
        if field.type.base is bool and request.endpoint.command not in CUSTOM_COMMANDS
    }
)


def test_every_boolean_option_has_a_form_for_no():
    assert len(BOOLEANS) > 50
    for command, option in BOOLEANS:
        (names,) = [one.names for one in COMMANDS[command].options if option in one.names]
        assert f"--no-{option[2:]}" in names, command


@pytest.mark.parametrize(
    ("option", "sent"), [("--standard-delivery", "true"), ("--no-standard-delivery", "false")]
)
def test_a_boolean_is_sent_as_it_is_typed(adsctl, option, sent):
    words = ("--name", "n", "--funding-instrument-id", "4a1n0", "--dry-run")
    assert f"standard_delivery={sent}" in adsctl.local("campaigns", "create", *words, option).stdout
    assert "standard_delivery" not in adsctl.local("campaigns", "create", *words).stdout


def test_no_deleted_records_are_shown_where_that_is_asked_for(adsctl):
    shown = adsctl.local("line-items", "list", "--no-with-deleted", "-o", "ids").stdout.split()
    every = adsctl.local("line-items", "list", "--with-deleted", "-o", "ids").stdout.split()
    assert set(shown) < set(every)
