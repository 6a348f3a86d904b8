"""Help leads: commands by subject, `-h` everywhere, and `help` for commands and topics."""

import json
import re

import pytest

import ads_cli
from ads_cli.cli.command_index import GROUPS, ROOT_SECTIONS, ROOT_SUMMARIES
from ads_cli.config.environment import CONFIG_FILES, ENVIRONMENT, STATE_FILES
from ads_cli.console.help_topics import TOPICS
from ads_cli.console.options import ALL_OPTIONS
from ads_cli.errors import EXIT_CODES, AdsctlError
from ads_cli.output import FORMATS
from ads_cli.reference import CommandDoc
from tests.command_tree import COMMANDS
from tests.conftest import ROOT
from tests.effort import THOROUGH


@pytest.mark.parametrize("width", ["80", "200"])
def test_the_help_of_the_program_shows_commands_by_subject_before_options(adsctl, width):
    shown = adsctl("--help", COLUMNS=width).stdout
    headings = re.findall(r"^(\S.*):$", shown, re.M)
    assert headings == [*ROOT_SECTIONS, "Options", "More help"]
    listed = re.findall(r"^  ([a-z-]+) {2,}\S", shown.partition("Options:")[0], re.M)
    assert listed == [name for names in ROOT_SECTIONS.values() for name in names]
    assert set(listed) == {name for name in GROUPS if " " not in name} | ROOT_SUMMARIES.keys()
    assert len(shown.splitlines()) <= 69


@pytest.mark.parametrize("group", sorted({command.partition(" ")[0] for command in COMMANDS}))
def test_help_is_the_same_by_its_command_and_both_options(adsctl, group):
    commands = [command for command in COMMANDS if command.partition(" ")[0] == group]
    for number, command in enumerate(commands):
        long = adsctl(*command.split(), "--help").stdout
        assert "-h, --help" in long, command
        others = [(*command.split(), "-h"), ("help", *command.split())]
        for words in others if THOROUGH or number == 0 else []:  # one command of each group
            assert adsctl(*words).stdout == long, words
        assert_fits_eighty_columns(long, COMMANDS[command])


def assert_fits_eighty_columns(shown: str, command: CommandDoc) -> None:
    """Nothing is wider, and nothing is cut."""
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    joined = re.sub(r"\s", "", shown)
    for _, summary in command.subcommands:
        assert re.sub(r"\s", "", summary) in joined
    for parameter in command.parameters:
        if not parameter.names[0].endswith(MICRO):
            for text in (*parameter.names, parameter.help):
                assert re.sub(r"\s", "", text) in joined


MICRO = "-local-micro"


def test_help_shows_an_amount_once_and_its_form_in_millionths_as_a_field(adsctl):
    options = [name for command in COMMANDS.values() for option in command.options for name in option.names]
    micro = {name for name in options if MICRO in name}
    assert "--daily-budget-amount-local-micro" in micro
    for command in ("campaigns create", "line-items update", "funding-instruments create"):
        shown = adsctl(*command.split(), "-h").stdout
        assert MICRO not in shown and "AMOUNT" in shown and "In units of the currency, as in 1.50" in shown
    rows = json.loads(adsctl("help", "fields", "amounts", "-o", "json").stdout)
    assert {f"--{row['field'].replace('_', '-')}" for row in rows} == micro
    assert all(f"--{row['field'].replace('_', '-')} N" in row["limits"] for row in rows)


def test_long_help_has_sections(adsctl):
    def headings(*command: str) -> list[str]:
        return re.findall(r"^(\S.*):$", adsctl(*command, "-h").stdout, re.M)

    of_rows = ["Reading the file", "Choosing and changing rows", "Sending", "Results", "Common options"]
    assert headings("products", "push") == ["Arguments", *of_rows, "For example"]
    assert headings("audiences", "push") == ["Arguments", "Options", *of_rows, "For example"]
    of_file = ["Reading the file", "Sending", "Results", "Common options"]
    assert headings("line-items", "create") == ["Options", *of_file, "For example"]
    assert headings("products", "list") == ["Options", "For example"]


def test_a_topic_with_a_further_word_is_not_suggested_again(adsctl):
    for topic, word in (("formats", "csv"), ("exit-codes", "3"), ("metrics", "spend")):
        done = adsctl("help", topic, word, code=2)
        assert f"the topic '{topic}' takes no further word: {word}" in done.stderr
        assert "did you mean" not in done.stderr and f"adsctl help {topic}" in done.stderr


def test_the_files_are_listed_in_the_folders_of_this_machine(adsctl):
    shown = adsctl("help", "files").stdout
    assert f"\nConfiguration (ADSCTL_CONFIG_DIR) is in\n{adsctl.home}/config\n" in shown
    assert f"\nState (ADSCTL_STATE_DIR) is in\n{adsctl.home}/state\n" in shown
    for name in (*CONFIG_FILES, *STATE_FILES):
        assert f"\n  {name} " in shown
    assert not (adsctl.home / "config").exists() and not (adsctl.home / "state").exists()


def test_no_option_but_help_is_called_h():
    assert all("-h" not in option.names for command in COMMANDS.values() for option in command.options)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_fits_eighty_columns(adsctl, topic):
    folders = {"ADSCTL_CONFIG_DIR": "/config", "ADSCTL_STATE_DIR": "/state"}  # shown as they are
    shown = adsctl("help", topic, COLUMNS="80", **folders).stdout
    assert shown.endswith("\n") and all(len(line) <= 80 for line in shown.splitlines())
    assert topic not in COMMANDS


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("formts",), "no command or topic 'formts'; did you mean 'formats'?", "adsctl help"),
        (("prodcts",), "no command or topic 'prodcts'; did you mean 'products'?", "adsctl help"),
        (
            ("products", "psh"),
            "'adsctl products' has no command 'psh'; did you mean 'push'?",
            "help products",
        ),
        (("products", "push", "x"), "'adsctl products push' has no command 'x'", "adsctl help products push"),
        (("formats", "json"), "the topic 'formats' takes no further word: json", "adsctl help formats"),
    ],
)
def test_an_unknown_topic_or_command_names_the_nearest(adsctl, words, message, hint):
    error = adsctl("help", *words, code=2).stderr
    assert message in error and error.rstrip().endswith(hint)


def test_each_topic_lists_what_the_program_uses(adsctl):
    shown = {topic: adsctl("help", topic, COLUMNS="200").stdout for topic in TOPICS}
    for option in ALL_OPTIONS:
        assert re.search(
            rf"^  {', '.join(option.names)}\b.*{re.escape(option.help)}$", shown["options"], re.M
        )
    for name, (meaning, *_) in FORMATS.items():
        assert re.search(rf"^  {name} +{re.escape(meaning)}$", shown["formats"], re.M)
    for code, meaning in EXIT_CODES.items():
        assert re.search(rf"^ +{code}  {re.escape(meaning)}$", shown["exit-codes"], re.M)
    for names, help in ENVIRONMENT.items():
        assert all(name in shown["environment"] for name in names)
        assert help in shown["environment"]


def test_every_variable_that_the_program_names_is_explained():
    source = "".join(path.read_text() for path in (ROOT / ads_cli.__name__).rglob("*.py"))
    named = {name.removesuffix("_FILE") for name in re.findall(r"\bADSCTL_[A-Z_]*[A-Z]\b", source)}
    assert named <= {name for names in ENVIRONMENT for name in names}


def test_every_exit_code_of_an_error_is_explained_once():
    codes = [kind.exit_code for kind in AdsctlError.__subclasses__()]
    assert len(set(codes)) == len(codes) and {0, 1, *codes} <= EXIT_CODES.keys()
    assert len(set(EXIT_CODES.values())) == len(EXIT_CODES)
