"""What is asked for before each change is found by an index, however much is remembered."""

import pytest

from ads_cli.runs.jobs import list_jobs, unfinished_jobs
from ads_cli.store import Store
from ads_cli.store.changes import ChangeLog
from ads_cli.store.epochs import UploadTarget

PLACE = UploadTarget("https://ads.example", "product_catalog", "c1")
ASKED = {
    "changes since a time": lambda folder: ChangeLog(folder).since("2026-11-23"),
    "the change of a job": lambda folder: ChangeLog(folder).of_job("j1"),
    "jobs of a target": lambda folder: unfinished_jobs(folder, PLACE),
    "jobs that are old": lambda folder: list_jobs(folder, "used < ?", [1]),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_few_rows_are_asked_for_is_found_by_an_index(tmp_path, monkeypatch, asked):
    plans = []

    def explain(store, query, values=()):
        with store.reading() as db:
            plans.extend(step for *_, step in db.execute(f"EXPLAIN QUERY PLAN {query}", values))
        return []

    monkeypatch.setattr(Store, "rows", explain)
    ASKED[asked](tmp_path)
    assert plans and plans[0].startswith("SEARCH"), plans
