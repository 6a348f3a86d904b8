"""docs/feeds.md: each command prints what the page quotes."""

import re
import shlex

from tests.conftest import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "feeds.md").read_text()


def test_every_command_of_the_page_prints_the_quoted_output(adsctl):
    (content,) = re.findall(r"```csv\n(.*?)```", PAGE, re.S)
    adsctl.file("shop.csv", content)
    adsctl.file("shopify.csv", (EXAMPLES / "shopify.csv").read_bytes())
    commands = re.findall(r"^\$ adsctl (.+)\n((?:(?!```|\$ ).*\n)*)", PAGE, re.M)
    assert commands
    for command, expected in commands:
        done = adsctl(*shlex.split(command), code=None, ADSCTL_OUTPUT="table")
        warnings, errors = [], []
        for line in done.stderr.splitlines(keepends=True):
            (errors if line.startswith(("try:", "error:")) else warnings).append(line)
        status = f"[exit {done.returncode}]\n" if done.returncode else ""
        assert "".join([*warnings, done.stdout, *errors, status]) == expected, command
