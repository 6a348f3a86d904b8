"""The pages on security name tests that exist."""

import ast
import re

from tests.adsctl import ROOT

THREAT_MODEL = ROOT / "docs" / "threat-model.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", THREAT_MODEL.read_text())


def test_every_test_that_the_threat_model_names_exists():
    files = {file for file, _ in NAMED}
    trees = {file: ast.parse((ROOT / file).read_text()).body for file in files}
    defined = {(file, node.name) for file, body in trees.items() for node in body if hasattr(node, "name")}
    assert {*NAMED} - defined == set()


def test_every_attack_of_the_threat_model_names_a_test():
    rows = [line for line in THREAT_MODEL.read_text().splitlines() if re.match(r"\| (?!attack)", line)]
    assert len(rows) > 40 and all("::test_" in row.rpartition(" | ")[2] for row in rows)
    assert sum(row.count("::") for row in rows) == len(NAMED)  # each is written as pytest takes it


def test_every_file_of_tests_that_the_page_on_security_names_exists():
    text, folder = (ROOT / "SECURITY.md").read_text(), ""
    for named in re.findall(r"`((?:tests/)?[\w/]*(?:(?:test|long)_\w+\.py|tests/\w+))`", text):
        if named.startswith("tests/"):
            folder = named.rpartition("/")[0]
        assert (ROOT / named).exists() or (ROOT / folder / named).exists(), named
