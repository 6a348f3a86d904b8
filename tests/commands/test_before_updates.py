"""The log of changes has what was before each declared update."""

import json
import shlex

import pytest

from ads_cli.api.registry import MODULES, requests_of

UPDATES = {
    kind.endpoint.command: kind.endpoint.example
    for module in MODULES
    for kind in requests_of(module)
    if kind.endpoint.method == "PUT" and kind.endpoint.changes
}
NO_FIELDS = ("products push", "webhooks validate")  # a push is one change with its counts
OTHERS = {
    "campaigns activate": "8wku4",
    "line-items activate": "9d4c3",
}  # in place of the example of the help
FEED = "catalog feeds create --feed-url https://shop.example/feed.csv --feed-format CSV --frequency DAILY"


@pytest.mark.parametrize("command", [command for command in UPDATES if command not in NO_FIELDS])
def test_every_update_has_what_was_before(adsctl, command):
    words = [*command.split(), *shlex.split(OTHERS.get(command, UPDATES[command]))]
    if command == "catalog feeds update":  # a new emulator has none
        created = [*FEED.split(), "--start-time", "03:10", "--time-zone", "Europe/Berlin", "-o", "ids"]
        words[3] = adsctl.local(*created).stdout.strip()
    adsctl.local(*words, "--yes")
    change = json.loads(adsctl("changes", "list", "-o", "json").stdout)[-1]
    assert change["before"] and change["before"].keys() <= change["fields"].keys()
