"""The page about campaigns as a file says what is true: its files and commands are used, in their order."""

import json
import os
import re
import shlex
import subprocess

import pytest

from tests.conftest import ROOT
from tests.effort import every

PAGE = (ROOT / "docs" / "campaigns-as-a-file.md").read_text()
FILES = re.findall(r"^`(\S+)`:\n\n```\w+\n(.*?)```$", PAGE, re.M | re.S)
COMMANDS = re.findall(r"^(?:adsctl|git) .+$", PAGE, re.M)
CRON = re.findall(r"^0 7 \* \* 1-5 cd ~/shop && adsctl (.+)$", PAGE, re.M)
IDENTITY = {
    f"GIT_{who}_{what}": "me@shop.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
# Exit codes other than 0, by the first command lines that end with them.
DIFFERING = ("campaigns plan winter.yaml", "campaigns plan yesterday.yaml -o json")


@pytest.mark.parametrize("service_name", every(2, ["generic", "x"]))
def test_the_page_runs_from_top_to_bottom(adsctl, service, service_name):
    for name, text in FILES:
        (adsctl.home / name).write_text(text)
    expected = [*DIFFERING]
    for typed in COMMANDS:
        program, _, line = typed.partition(" ")
        if program == "git":
            subprocess.run(typed, shell=True, check=True, cwd=adsctl.home, env={**os.environ, **IDENTITY})
            continue
        code = 10 if line in expected else 0
        if line in expected:
            expected.remove(line)
        adsctl("-q", *shlex.split(line), code=code)
    assert not expected and len(COMMANDS) == 22
    names = {record["name"] for record in json.loads(adsctl("campaigns", "list", "-o", "json").stdout)}
    assert {"Winter Germany", "Winter Ireland", "Next Hamburg knows us"} <= names
    assert len([name for name in names if name.startswith("Winter ")]) == 13, "twelve countries and a sale"


def test_the_line_of_cron_tells_what_somebody_changed(adsctl, service):
    (line,) = CRON
    adsctl("campaigns", "pull", "shop.yaml")
    quiet = adsctl(*shlex.split(line))
    assert quiet.stdout + quiet.stderr == ""
    adsctl("campaigns", "update", "8wku4", "--daily-budget", "20")
    done = adsctl(*shlex.split(line), code=10)
    assert "8wku4" in done.stdout
