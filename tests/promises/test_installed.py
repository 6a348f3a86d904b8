"""What is installed without extras: a test lists it, so that nothing large is added unnoticed."""

import json
import subprocess
import sys
import tomllib

import pytest

from tests.adsctl import ROOT
from tests.environments import made_python
from tools.pythons import PYTHONS

COMMAND_LINE = {"annotated-doc", "shellingham", "typer", "rich", "markdown-it-py", "mdurl", "pygments"}
COMMAND_LINE |= {
    "pydantic",
    "pydantic_core",
    "annotated-types",
    "typing-inspection",
}  # no command imports them
HTTP = {"anyio", "certifi", "h11", "httpcore", "httpx", "idna", "oauthlib", "typing_extensions"}
SECRETS = {"keyring", "SecretStorage", "jeepney", "cffi", "cryptography", "pycparser", "backports.tarfile"}
SECRETS |= {"importlib_metadata", "jaraco.classes", "jaraco.context", "jaraco.functools", "more-itertools"}
SECRETS |= {"lazy-importer", "zipp"}
DATA = {"msgspec", "PyYAML", "ruamel.yaml", "jmespath", "filelock", "platformdirs", "phonenumberslite"}
REPORT = {"Jinja2", "MarkupSafe"}
RULES = {"regex"}  # patterns of rules, with a time limit
FEEDS = {"python-calamine", "xlsxwriter", "imagesize", "chardet"}  # workbooks, pixels of images, encodings
FEEDS |= {"backports.zstd"} if sys.version_info < (3, 14) else set()
MOST_BYTES = 9_500_000  # of what only reads feeds

LIST_SIZES = """
import json
from importlib.metadata import distributions
print(json.dumps({
    each.name: sum(file.locate().stat().st_size for file in each.files or () if file.locate().is_file())
    for each in distributions()
}))
"""


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """Bytes of each distribution in the environment of a user."""
    done = subprocess.run([made_python("run"), "-c", LIST_SIZES], capture_output=True, text=True, check=True)
    found = {name.lower().replace("_", "-"): size for name, size in json.loads(done.stdout).items()}
    return {name: size for name, size in found.items() if name not in ("pip", "setuptools")}


def test_the_oldest_python_that_is_allowed_is_the_first_that_wheels_are_pinned_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">={PYTHONS[0]}"


def test_these_distributions_are_installed_and_no_other(sizes):
    listed = COMMAND_LINE | HTTP | SECRETS | DATA | FEEDS | REPORT | RULES
    assert sizes.keys() == {name.lower().replace("_", "-") for name in listed}


def test_what_only_reads_feeds_is_small(sizes):
    assert sum(sizes[name] for name in FEEDS) < MOST_BYTES
