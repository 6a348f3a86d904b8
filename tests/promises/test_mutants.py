"""What `make mutate` names is there: modules, tests, and lines of the code."""

import pytest

from tests.adsctl import ROOT
from tools.mistakes import MISTAKES
from tools.mutated import EXPLAINED, MODULES


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.breaks)
def test_a_mistake_changes_one_place_and_names_tests_that_exist(mistake):
    assert (ROOT / mistake.file).read_text().count(mistake.old) == 1 and mistake.new != mistake.old
    for test in mistake.tests:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text()


@pytest.mark.parametrize(("file", "tests"), MODULES.items())
def test_a_module_and_its_tests_exist(file, tests):
    assert tests and all((ROOT / path).is_file() for path in (file, *tests))


def test_an_explained_survivor_is_of_a_line_that_exists():
    for name in EXPLAINED:
        place, _, change = name.partition(": ")
        lines = {line.strip() for line in (ROOT / place.partition(" ")[0]).read_text().splitlines()}
        parts = change.split(" -> ")  # one of a mutant stands between its lines; others are of annotations
        assert lines & {" -> ".join(parts[:n]).strip() for n in range(1, len(parts) + 1)}, name
