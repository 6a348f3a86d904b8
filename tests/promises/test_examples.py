"""The example of each command's help works on a new emulator."""

import shlex
import subprocess

import pytest

from ads_cli.api.ab_tests import CreateAbTest
from ads_cli.api.audience_insights import EstimateAudience
from ads_cli.api.cards import CreateCard
from ads_cli.api.registry import document_of, requests_for
from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.console.help_texts import continued
from ads_cli.emulator import identity
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS
from tests.conftest import feed

EXAMPLES = {command.key: command.example for command in COMMANDS.values() if command.example}
ELSEWHERE = {  # run by tests/auth, tests/audiences, tests/events and tests/commands/test_emulator.py
    "auth login": "needs a person and a browser",
    "auth logout": "needs a token that a login stored",
    "auth bearer issue": "needs an app of its own",
    "auth bearer revoke": "needs an app of its own",
    "emulator serve": "does not end",
    "events listen": "does not end",
    "webhooks serve": "does not end",
}
FEED = "--feed-url https://shop.example/feed.csv --feed-format CSV --frequency DAILY"
CREATE_FEED = f"adsctl catalog feeds create {FEED} --start-time 03:10 --time-zone Europe/Berlin"
SUBTITLES = "adsctl media subtitles add 13_1790413002217308160 workshop.srt --language EN"
BEFORE = {  # commands that have to run first
    "audiences forget": "adsctl audiences push customers.csv --audience 1nmth",
    "media subtitles delete": SUBTITLES,
    "catalog create": "adsctl catalog delete 7310248000000000001",
    "catalog feeds list": CREATE_FEED,
    "catalog feeds update": CREATE_FEED,
    "catalog feeds delete": CREATE_FEED,
    "jobs show": "adsctl products push feed.csv",
    "profile use": "adsctl profile set shop account=18ce54d4x5t",
    "profile remove": "adsctl profile set shop account=18ce54d4x5t",
    "guard set": "adsctl profile set shop account=18ce54d4x5t",
    "changes undo": "adsctl campaigns update 8wku2 --name Summer",
    "products get": "adsctl products push feed.csv",
    "stats report": "adsctl mirror run --into sqlite:ads.db --tables campaign_history,campaign_report",
    "products update": "adsctl products push feed.csv",
    "products delete": "adsctl products push feed.csv && adsctl products list -o ids > discontinued.csv",
}
AT = {  # where the example has a time that is to come, or has been shortly before
    "posts scheduled create": "2026-12-01T09:00:00Z",
    "webhooks replay": "2026-03-01T10:00:00Z",
}
ENDS_WITH = {  # exit codes other than 0
    "products diff": 10,
    "audiences diff": 10,
    "audiences do-not-reach diff": 10,
    "campaigns plan": 10,
    "accounts check": 10,
    "watch plan": 10,
    "jobs discard": 5,
    "webhooks verify": 6,
    "changes show": 5,
}
DECLARED = {request.endpoint.command: request.endpoint for request in requests_for("generic")}
PARTICULAR = (CUSTOM_COMMANDS.keys() | BEFORE.keys()) - ELSEWHERE.keys()  # by hand, or after another command
# What tests/promises/test_every_command.py runs, in several formats.
SENDING = sorted(
    DECLARED.keys() & (EXAMPLES.keys() - PARTICULAR | BEFORE.keys()) - {*ELSEWHERE, "products delete"}
)
LINES = {
    command: " && ".join(filter(None, [BEFORE.get(command), example]))
    for command, example in EXAMPLES.items()
    if command not in ELSEWHERE
}
STARTING = {"emulator exec", "fleet run"}  # commands that start others
IN_A_SHELL = {command for command, line in LINES.items() if command in STARTING or set(line) & set("$>|")}
FILES = {
    "feed.csv": feed(3),
    "prices.csv": "id,price\nsku-1,13.00 EUR\nsku-2,14.00 EUR\n",
    "customers.csv": "email,phone_number\nana@shop.example,+4915112345678\n",
    "unsubscribed.csv": "email\nben@shop.example\n",
    "card.yaml": document_of(CreateCard),
    "criteria.yaml": document_of(EstimateAudience),
    "fleet.yaml": "tasks:\n  - {name: shop, run: products push feed.csv}\n",
    "orders.csv": "conversion_time,email,value\n2026-03-01T08:00:00Z,ana@shop.example,49.90\n",
    "ab-test.yaml": document_of(CreateAbTest),
    "shop.yaml": "campaigns:\n- {name: Winter, funding_instrument_id: 4a1n0, daily_budget: 25}\n",
    "workshop.srt": "1\n00:00:00,000 --> 00:00:02,000\nWelcome\n",
    "hero.png": (ROOT / "examples" / "hero.png").read_bytes(),
    "clip.mp4": (ROOT / "examples" / "clip.mp4").read_bytes(),
    "delivery.json": '{"data":{}}',
    "rules.yaml": "rules:\n- {name: dear, of: campaigns, when: spend > 50, do: pause}\n",
    "filters.yaml": "- {attribute: product_type, operator: CONTAINS, value: Mugs}\n",
}


@pytest.fixture
def at_home(adsctl):
    for name, content in FILES.items():
        adsctl.file(name, content)
    return adsctl


def move_clock(time_machine, command):
    if command in AT:
        time_machine.move_to(AT[command])


@pytest.mark.parametrize("command", sorted(LINES.keys() - IN_A_SHELL - {*SENDING}))
def test_the_example_of_a_command_works(at_home, time_machine, monkeypatch, command):
    move_clock(time_machine, command)
    monkeypatch.setattr(identity, "START_TIMEOUT_SECONDS", 0.3)  # `emulator env` waits for a server
    *before, line = LINES[command].split(" && ")
    for each in before:
        at_home.local("--yes", *shlex.split(each)[1:])
    program, *words = shlex.split(line)
    assert program == "adsctl" and " ".join(words).startswith(command)
    done = at_home.local("--yes", *words, code=ENDS_WITH.get(command, 0))
    assert done.stdout.strip() or command in PARTICULAR


@pytest.mark.parametrize(
    "command", sorted(CUSTOM_COMMANDS.keys() & LINES.keys() - IN_A_SHELL - BEFORE.keys())
)
def test_a_dry_run_of_the_example_of_a_command_changes_nothing_at_the_service(
    at_home, time_machine, monkeypatch, command
):
    move_clock(time_machine, command)
    monkeypatch.setattr(identity, "START_TIMEOUT_SECONDS", 0.3)
    at_home.local("--yes", *shlex.split(EXAMPLES[command])[1:], "--dry-run", code=None)
    assert at_home.local("changes", "list", "-o", "ids").stdout == ""


@pytest.mark.parametrize("command", sorted(IN_A_SHELL))
def test_the_example_of_a_command_works_in_a_shell(at_home, command):
    (at_home.home / ".local/share/bash-completion/completions").mkdir(parents=True)
    environment = at_home.installed("--yes") | {"ADSCTL_PROFILE": "local"}
    done = subprocess.run(
        ["bash", "-c", LINES[command]], env=environment, cwd=at_home.home, capture_output=True, text=True
    )
    assert done.returncode == ENDS_WITH.get(command, 0), done.stderr


@pytest.mark.parametrize("width", [20, 40, 76])
def test_a_shell_reads_an_example_of_several_lines_as_one(width):
    for example in EXAMPLES.values():
        assert shlex.split("\n".join(continued(example, width)).replace("\\\n", "")) == shlex.split(example)
