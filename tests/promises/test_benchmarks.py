"""The benchmarks import what exists, and judge only full runs."""

import re

import pytest

from benchmarks.table import Bar, Table
from tests.adsctl import ROOT

IMPORTS = {
    line.strip()
    for path in (ROOT / "benchmarks").glob("*.py")
    for line in re.findall(r"^ *from ads_cli\S* import .*$", path.read_text(), re.M)
}
SLOW = {"adsctl": [2.0], "floor": [1.0]}


@pytest.mark.parametrize("line", sorted(IMPORTS))
def test_benchmarks_import_what_exists(line):
    names: dict[str, object] = {}
    exec(line, names)
    assert len(names) > 1  # beside the builtins


def test_a_broken_bar_is_reported(capsys):
    table = Table()
    table.compare("adsctl", "2 s", SLOW, [Bar("floor", most=1.5)])
    table.limit("peak memory", 151, 150, "MB")
    assert table.broken == ["adsctl: 2.00 x floor, bar <= 1.5", "peak memory: 151 MB, bar <= 150"]
    assert capsys.readouterr().out.count("BROKEN") == 2


def test_a_quick_benchmark_shows_figures_and_judges_nothing(capsys):
    table = Table(judges=False)
    table.compare("adsctl", "2 s", SLOW, [Bar("floor", most=1.5)])
    table.limit("peak memory", 151, 150, "MB")
    shown = capsys.readouterr().out
    assert "2.00 x floor" in shown and "151 MB" in shown
    assert not table.broken and "BROKEN" not in shown and "<=" not in shown
