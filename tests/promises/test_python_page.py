"""The examples of docs/python.md print what the page shows; what it does not name is not public."""

import contextlib
import io
import re
import shutil

import pytest

import ads_cli
from tests.adsctl import ROOT
from tests.library.conftest import program

PAGE = (ROOT / "docs" / "python.md").read_text()
EXAMPLES = re.findall(r"^## ([^\n]+)\n[^#]*?```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.M | re.S)


def test_there_are_ten_examples_and_each_is_run():
    assert len(EXAMPLES) == 10 == PAGE.count("```python")


@pytest.mark.parametrize(
    ("code", "shown"), [example[1:] for example in EXAMPLES], ids=[e[0] for e in EXAMPLES]
)
def test_an_example_prints_what_the_page_shows(adsctl, code, shown):
    for name in ("products.csv", "hero.png"):
        shutil.copy(ROOT / "examples" / name, adsctl.home)
    adsctl.copy_emulator()
    printed = io.StringIO()
    with program(adsctl), contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/python.md", "exec"), {"__name__": "__main__"})
    assert printed.getvalue() == shown


def test_all_that_is_public_is_on_the_page():
    methods = {name for name in vars(ads_cli.Connection) if not name.startswith("_")}
    words = {*re.findall(r"\w+", PAGE)}
    assert methods == {"list", "get", "call", "stats", "push", "sync", "plan", "apply", "upload", "close"}
    assert methods <= words
