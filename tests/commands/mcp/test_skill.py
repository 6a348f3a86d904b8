"""The page that `adsctl skill` prints: made from the help, and true."""

import re
import shlex

import pytest

from ads_cli.commands.mcp.skill import EXAMPLES
from ads_cli.errors import EXIT_CODES, SIGNAL_EXIT_CODES
from ads_cli.output import FORMATS
from tests.command_tree import COMMANDS
from tests.conftest import feed

MAX_LENGTH = 20_000


@pytest.fixture
def page(adsctl) -> str:
    return adsctl("skill").stdout


def test_a_skill_begins_with_its_name_and_description(page):
    front = re.match(r"---\nname: (\S+)\ndescription: (.+)\n---\n", page)
    assert front[1] == "adsctl" and 50 < len(front[2]) <= 1024
    assert len(page) < MAX_LENGTH


def test_a_skill_has_every_exit_code_and_every_group(page):
    assert all(f"| {code} | {meaning} |" in page for code, meaning in EXIT_CODES.items())
    assert all(f"| {code} | stopped by {name} |" in page for code, name in SIGNAL_EXIT_CODES.items())
    assert all(f"| `{name}` | {summary} |" in page for name, summary in COMMANDS[""].subcommands)
    assert "is_error" not in page and "--dry-run" in page and "help endpoints" in page


def test_a_skill_has_the_options_of_every_command_and_formats_that_work(adsctl, page):
    for name in ("--profile, -p", "--account, -A", "--output, -o", "--yes, -y", "--dry-run", "--quiet, -q"):
        (help_text,) = re.findall(rf"\| `{name}` \| (.+) \|", page)
        assert len(help_text) > 10
    formats = re.search(r"Formats of `-o`: (.+?)\. ", page)[1].split(", ")
    assert len(formats) == len(FORMATS)
    for each in formats:
        name, *option = re.findall(r"(?:--)?[\w.]+", each.replace("with ", ""))
        adsctl.local("campaigns", "list", "-o", name, *option)


def test_a_skill_tells_a_missing_confirmation_from_a_limit(adsctl, page):
    assert "12 is a missing confirmation, for which step\n   5 holds, or a limit" in page
    assert "--yes" in adsctl.local("campaigns", "delete", "8wku2", code=12).stderr


def test_every_command_that_a_skill_names_exists(page):
    words = [match.split() for match in re.findall(r"`adsctl ([a-z -]+?)(?: -[-\w].*?)?`", page)]
    assert words
    for word in words:
        name = " ".join(word[1:] if word[0] == "help" else word)
        assert name in COMMANDS or word[0] == "help", name


def test_every_example_of_a_skill_runs(adsctl, page):
    adsctl.file("feed.csv", feed(2))
    adsctl.file("customers.csv", "email\nanna@shop.example\n")
    examples = re.search(r"## Examples\n\n```sh\n(.+?)```", page, re.DOTALL)[1].splitlines()
    assert len(examples) == len(EXAMPLES)
    for example in examples:
        words = shlex.split(example)[1:]
        adsctl.local(*words, "--yes", code=10 if words[:2] == ["products", "diff"] else 0)
