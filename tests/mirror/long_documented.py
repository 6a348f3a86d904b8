"""What docs/mirror.md says of other programs is run."""

import re

import duckdb
import pytest

from tests.adsctl import ROOT
from tests.programs import needs

PAGE = (ROOT / "docs" / "mirror.md").read_text()
FILTER = re.compile(r"\$__timeFilter\((.+?)\)")


def blocks(section: str, language: str) -> list[str]:
    """Return the code of a section."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@needs("pg_ctlcluster")
@pytest.mark.parametrize("number", range(3))
def test_the_queries_for_dashboards_run_on_postgresql(adsctl, postgres, database, number):
    adsctl.local("mirror", "run", "--into", postgres.address(database), "--since", "40d")
    query = FILTER.sub(r"\1 >= now() - interval '90 days'", blocks("With Grafana or Metabase", "sql")[number])
    assert bool(postgres.rows(query, database)) == (number < 2)  # the last one is an alert


def test_the_code_for_a_notebook_runs(adsctl, monkeypatch):
    adsctl.local("mirror", "run", "--into", "duckdb:ads.duckdb", "--since", "9d")
    monkeypatch.chdir(adsctl.home)
    (code,) = blocks("In a notebook", "python")
    names: dict = {}
    statements = code.replace("ads.sql(", "rows = ads.sql(")
    exec(statements, names)
    assert len(names["rows"].fetchall()) == 9
    names["ads"].close()


def test_duckdb_reads_the_files_of_a_folder(adsctl, monkeypatch):
    adsctl.local("mirror", "run", "--into", "warehouse", "--since", "9d")
    monkeypatch.chdir(adsctl.home)
    query = blocks("Parquet in a warehouse", "sql")[0]
    assert len(duckdb.sql(query).fetchall()) == 9
