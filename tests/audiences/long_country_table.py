"""The committed names of countries are those that their sources give."""

import subprocess

from tests.adsctl import ROOT
from tests.environments import made_python


def test_make_data_writes_the_committed_table():
    generate = "import sys, tools.country_names as it; sys.exit(it.TARGET.read_text('utf-8') != it.table())"
    assert subprocess.run([made_python("data"), "-c", generate], cwd=ROOT).returncode == 0
