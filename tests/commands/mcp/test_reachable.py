"""Which commands an assistant may run, and with which parameters: the list is held here."""

from itertools import cycle

import pytest

from ads_cli.api.registry import MODULES, requests_of
from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.cli.tree import root
from ads_cli.commands.mcp.reachable import (
    CHANGES,
    COMMON,
    NAMED_CHANGES,
    NAMED_READS,
    READS,
    SHAPING,
    Reachable,
    help_words,
)
from ads_cli.commands.mcp.tools import TOOLS
from ads_cli.errors import NotFoundError, UsageError
from ads_cli.spelling import as_name
from tests.command_tree import COMMANDS

ENDPOINTS = {
    request.endpoint.command: request.endpoint for module in MODULES for request in requests_of(module)
}
# Declared requests that change something, and that an assistant cannot run.
LEFT_OUT = {
    # of the sandbox
    *("accounts create", "accounts delete", "accounts features add", "accounts features remove"),
    *("funding-instruments create", "funding-instruments delete"),
    # they name people, or what belongs to them
    *("settings tax update", "settings user update", "measurement conversion-events create"),
    # the service fetches an address
    *("catalog feeds create", "catalog feeds update", "catalog feeds delete"),
    # everything that a catalog holds
    "catalog delete",
    # they change nothing
    *("audiences estimate", "posts drafts preview"),
    # providers of measurement
    "measurement app-event-provider-configurations create",
    "measurement app-event-provider-configurations delete",
}
NAMED = {
    *(
        "campaigns tree",
        "campaigns why",
        "overview",
        "cards fetch",
        "changes list",
        "changes show",
        "guard show",
        "jobs list",
        "jobs show",
    ),
    "stats jobs get",
    "stats pace",
}
# Commands that send a file below --files, and may go on after a stop.
SENDING = {"campaigns apply", "products push", "products sync"}
NEVER = (
    "auth",
    "profile",
    "emulator",
    "api",
    "fleet",
    "mcp",
    "skill",
    "completion",
    "webhooks",
    "events",
    "conversions",
)
# What names a file, a program, a profile, an address or the environment; what answers a question.
FORBIDDEN = {
    *("profile", "service", "env_file", "output", "sandbox", "yes", "dry_run", "log_file", "on_failure"),
    *(
        "on_failure_env",
        "debug",
        "verbose",
        "timeout",
        "max_attempts",
        "max_wait",
        "color",
        "csv_safe",
        "quiet",
    ),
    *(
        "file",
        "files",
        "format",
        "failed_out",
        "force",
        "resume",
        "uncertain",
        "report",
        "into",
        "plot",
        "from_",
    ),
    *("media", "envelope", "raw", "example", "mapping", "output_file"),
}


@pytest.fixture(scope="module")
def reachable():
    return Reachable(root(), "generic", writes=True)


def test_every_declared_request_that_reads_can_be_read_and_no_other_command():
    reading = {name for name, endpoint in ENDPOINTS.items() if endpoint.method == "GET"}
    declared = {name for name in reading if name.split()[0] not in NEVER} - CUSTOM_COMMANDS.keys()
    assert declared == READS
    assert NAMED_READS.keys() == NAMED
    assert {*NAMED_CHANGES} == SENDING


def test_a_new_command_that_changes_something_is_out_until_it_is_named():
    changing = {name for name, endpoint in ENDPOINTS.items() if endpoint.mutates} - CUSTOM_COMMANDS.keys()
    changing = {name for name in changing if name.split()[0] not in NEVER}
    assert changing - LEFT_OUT == CHANGES
    assert changing >= LEFT_OUT


def test_no_command_of_secrets_programs_or_the_emulator_is_reachable(reachable):
    assert not [name for name in reachable.names if name.split()[0] in NEVER]
    for name in COMMANDS:
        if name.partition(" ")[0] in NEVER:
            with pytest.raises(NotFoundError):
                reachable.find(name)


def test_no_parameter_of_a_reachable_command_names_a_file_a_program_or_an_address(reachable):
    ways = (str, "--{}".format, lambda name: name.replace("_", "-"), str.upper)
    for name, write in zip(reachable.names, cycle(ways), strict=False):
        command = reachable.find(name)
        allowed = {"file", "files", "resume"} if name in SENDING else set()
        assert not command.parameters.keys() & (FORBIDDEN - allowed), name
        params = [param for key, param in command.parameters.items() if key not in allowed]
        assert not [param for param in params if "FILE" in (param.metavar or "").split("|")]
        for forbidden in FORBIDDEN - {"resume"} - allowed:
            with pytest.raises(UsageError):
                command.words({write(forbidden): "x"})


def test_without_writes_nothing_that_changes_anything_is_found():
    reading = Reachable(root(), "generic", writes=False)
    assert not {*reading.names} & {*CHANGES, *NAMED_CHANGES}
    with pytest.raises(NotFoundError):
        reading.find("campaigns update")


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("cards create", {"components": "@/etc/passwd"}),
        ("cards create", {"components": " @HOME"}),
        ("campaigns list", {"q": {"a": 1}}),
        ("campaigns list", {"q": "a\0b"}),
        ("campaigns list", {"q": [["a"]]}),
        ("campaigns list", {"q": "\ud800"}),
        ("campaigns list", {"with_deleted": "--all"}),
        ("campaigns list", {"q; rm": "x"}),
        ("campaigns list", {"": "x"}),
        ("campaigns list", {"count=1 --profile": "x"}),
    ],
)
def test_hostile_arguments_are_refused(reachable, command, arguments):
    with pytest.raises(UsageError):
        reachable.find(command).words(arguments)


@pytest.mark.parametrize(
    "value", ["--on-failure=sh", "-p", "--", "-", "@x", "a b", "$(id)", "`id`", "x\n--yes"]
)
def test_a_value_is_never_another_word_of_the_command_line(reachable, value):
    assert reachable.find("campaigns list").words({"q": value}) == ["campaigns", "list", f"--q={value}"]
    words = reachable.find("campaigns get").words({"campaign_id": value})
    assert words == ["campaigns", "get", "--", value]


@pytest.mark.parametrize(
    "command",
    ["", "adsctl", "auth token", "campaigns  list --log-file=x", "campaigns", "list", "-p x campaigns list"],
)
def test_hostile_commands_are_refused(reachable, command):
    with pytest.raises(NotFoundError):
        reachable.find(command)


@pytest.mark.parametrize("command", ["help -o json", "help --log-file=x", "help ../x", "help a;b"])
def test_help_takes_the_words_of_commands_and_topics_only(command):
    with pytest.raises(UsageError):
        help_words(command)


def test_names_may_be_written_as_options_and_as_on_the_wire(reachable):
    expected = ["campaigns", "list", "--campaign-ids=a,b", "--with-deleted"]
    for names in (
        ("campaign_ids", "with_deleted"),
        ("--campaign-ids", "--with-deleted"),
        ("CAMPAIGN_IDS", "with-deleted"),
    ):
        assert (
            reachable.find("campaigns list").words(dict(zip(names, (["a", "b"], True), strict=True)))
            == expected
        )
    wire = reachable.find("promoted posts create").words({"tweet_ids": ["1"], "line_item_id": "a"})
    assert wire == reachable.find("promoted posts create").words({"post_ids": ["1"], "line_item_id": "a"})


@pytest.mark.parametrize("service", ["generic", "x"])
def test_every_field_of_a_request_can_be_given_under_each_service(service):
    reachable = Reachable(root(), service, writes=True)
    for command in map(reachable.find, reachable.names):
        own = {name for name, field in command.fields.items() if not field.type.extra("common")}
        assert own <= command.parameters.keys() | {*SHAPING, *COMMON}, command.name


@pytest.mark.parametrize("service", ["generic", "x"])
def test_the_name_of_a_parameter_means_that_parameter(service):
    reachable = Reachable(root(), service, writes=True)
    for command in map(reachable.find, reachable.names):
        assert {name: command.names[name] for name in command.parameters} == {
            name: name for name in command.parameters
        }, command.name


def test_the_type_of_a_value_names_no_parameter(reachable):
    for command in map(reachable.find, reachable.names):
        params = command.command.params
        options = {as_name(word) for param in params for word in (param.name, *param.opts)}
        arguments = {
            param.metavar.strip("[].").lower() for param in params if param.param_type_name == "argument"
        }
        assert command.names.keys() <= {*command.parameters} | options | arguments, command.name


@pytest.mark.parametrize(
    ("command", "arguments", "options"),
    [
        ("posts create", {"text": "Hello"}, ["--text=Hello"]),
        ("posts drafts create", {"text": "Hello"}, ["--text=Hello"]),
        ("posts scheduled create", {"text": "Hello"}, ["--text=Hello"]),
        ("changes show", {"id": "a"}, ["--", "a"]),
        ("cards fetch", {"card": "a"}, ["--", "a"]),
        ("products push", {"file": "a.csv"}, ["--", "a.csv"]),
        ("accounts list", {"account": None, "catalog": None}, []),
    ],
)
def test_an_argument_sets_the_parameter_that_it_names(reachable, command, arguments, options):
    assert reachable.find(command).words(arguments) == [*command.split(), *options]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("campaigns update", {"amount": "5"}),
        ("campaigns update", {"text": "a"}),
        ("campaigns update", {"n": "5"}),
        ("line-items update", {"time": "2026-01-01"}),
        ("campaigns list", {"ids": "a"}),
        # would set what it denies
        ("posts create", {"no_nullcast": True}),
        ("campaigns update", {"no_standard_delivery": True}),
    ],
)
def test_what_names_no_parameter_is_refused(reachable, command, arguments):
    with pytest.raises(UsageError, match="is not an argument of"):
        reachable.find(command).words(arguments)


def test_a_parameter_has_the_name_of_the_service():
    for service, name in (("generic", "tailored_audience_id"), ("x", "custom_audience_id")):
        command = Reachable(root(), service, writes=True).find("audiences permissions list")
        expected = ["audiences", "permissions", "list", "--audience=a"]
        assert command.words({name: "a"}) == command.words({"audience": "a"}) == expected
        assert name in command.describe()["input"]["properties"]


def test_a_hint_names_what_the_command_takes_and_nothing_else(reachable):
    hints = {}
    for name in ("campaigns list", "campaigns update", "campaigns create"):
        with pytest.raises(UsageError) as refused:
            reachable.find(name).words({"colour": "red"})
        hints[name] = {*refused.value.hint.removeprefix("it takes ").split(", ")}
    assert hints["campaigns list"] >= {*SHAPING, *COMMON, "q"}
    assert hints["campaigns update"] >= {*COMMON, "campaign_id"}
    assert not hints["campaigns update"] & {*SHAPING}
    assert "resume" in hints["campaigns create"] - hints["campaigns update"]


def test_statistics_have_the_same_options_with_and_without_segments(reachable):
    (tool,) = [each for each in TOOLS if each.name == "statistics"]
    own = {argument.name for argument in tool.arguments} - {"limit", "segment_by"}
    for name in ("stats get", "stats export"):
        assert own <= {as_name(word) for param in COMMANDS[name].parameters for word in param.names}, name


def test_words_that_name_nothing_find_nothing(reachable):
    assert not reachable.search("sss")
    assert reachable.search("campaigns")[0].name.startswith("campaigns")
