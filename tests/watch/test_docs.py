"""The rules that docs/watch.md shows are rules."""

import re

import pytest

from ads_cli.watch.rules import parse_rules
from tests.adsctl import ROOT

PAGE = (ROOT / "docs" / "watch.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_each_block_of_rules_is_read(block):
    text = block if "rules:" in block else f"rules:\n{block}"
    assert parse_rules(text.encode(), "rules.yaml")


def test_the_first_file_is_about_records_of_the_emulator(adsctl):
    adsctl.file("rules.yaml", BLOCKS[0])
    planned = adsctl.local("watch", "plan", "rules.yaml", code=None)
    assert planned.returncode in (0, 10) and "is about no record" not in planned.stderr


def test_the_first_commands_do_what_they_say(adsctl):
    adsctl.file("rules.yaml", BLOCKS[0])
    (apply,) = re.findall(r"^adsctl (watch apply .*?) +#", PAGE, re.MULTILINE)
    adsctl.local(*apply.split(), "--yes")
    adsctl.local("changes", "undo", "--since", "1h", "--yes")
