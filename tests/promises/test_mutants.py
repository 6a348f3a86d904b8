"""The mutants of `make mutate` still name lines of the code, and tests that exist."""

import pytest

from tests.adsctl import ROOT
from tools.mutants.checksums import CHECKSUMS
from tools.mutants.digests import DIGESTS
from tools.mutants.epochs import EPOCHS
from tools.mutants.fsyncs import FSYNCS
from tools.mutants.listed import MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.breaks)
def test_a_mutant_changes_one_place_and_names_tests_that_exist(mutant):
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1 and mutant.new != mutant.old
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text()


def test_each_guard_has_at_least_five_mutants():
    assert len(MUTANTS) >= 30 and min(map(len, (FSYNCS, CHECKSUMS, EPOCHS, DIGESTS))) >= 5
