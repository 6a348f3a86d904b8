"""The pages by job: the README names them, and each begins with its usual case in at most ten commands."""

import re

import pytest

from tests.conftest import ROOT
from tests.promises.pages import files_of, text_of

JOBS = re.findall(
    r"^\| \[[^]]+\]\(docs/([\w-]+\.md)\) \|",
    (ROOT / "README.md").read_text().partition("## What do you want to do?")[2].partition("\n## ")[0],
    re.M,
)
COMMANDS, LINES_BEFORE = 10, 30


def test_the_readme_names_a_page_for_each_job():
    assert len(JOBS) >= 6
    assert all((ROOT / "docs" / name).exists() for name in JOBS)


@pytest.mark.parametrize("name", JOBS)
def test_a_page_begins_with_its_usual_case(name):
    page = f"docs/{name}"
    before, rest = re.split(r"^```(?:console|sh)\n", text_of(page), maxsplit=1, flags=re.M)
    shown = sum(content.count("\n") for content in files_of(page).values() if content in before)
    assert len(before.splitlines()) - shown <= LINES_BEFORE
    block = rest.partition("```")[0]
    count = len(re.findall(r"^\$ ", block, re.M)) or len(block.splitlines())
    assert 0 < count <= COMMANDS
    assert "local" in before + block, "try it without an account"
