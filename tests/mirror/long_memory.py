"""Many rows are written into parquet in the memory that DuckDB is given."""

from datetime import timedelta
from decimal import Decimal

import duckdb
import msgspec
import pytest

from ads_cli.mirror.destination import Scope, Surroundings, open_destination
from ads_cli.mirror.duckdb_file import SETTINGS
from ads_cli.mirror.further import tables
from tests.mirror.test_destinations import DAY, REPORT, WRITTEN, writing

PART = msgspec.structs.replace(REPORT, columns=REPORT.columns[:30])


@pytest.mark.parametrize("table", [PART, tables()["product"]], ids=["report", "list"])
def test_many_rows_are_written_into_parquet_in_limited_memory(tmp_path, monkeypatch, table):
    monkeypatch.setitem(SETTINGS, "memory_limit", "40MB")  # the more columns, the more blocks are in use
    monkeypatch.setattr("ads_cli.mirror.parquet_folder.SORTED_CELLS", 600_000)
    days, count = [DAY + timedelta(days=number) for number in range(20)], 150_000
    of_types = {"timestamp": WRITTEN, "boolean": True, "numeric": Decimal("1.5"), "text": "some words" * 4}
    filled = {column.name: of_types.get(column.type, 5) for column in table.columns} | {table.owner: "a1"}

    def rows():
        for number in range(count):
            own = filled | {table.key[1]: str(number // 20), "date": days[number % 20]}
            own |= {} if table.entity else {table.key[1]: str(number)}
            yield tuple(own[name] for name in table.names)

    surroundings = Surroundings(state_dir=tmp_path / "state", wait_seconds=1.0)
    with writing(open_destination(str(tmp_path / "ads"), surroundings), table) as destination:
        destination.replace(table, rows(), Scope("a1", days) if table.entity else None)
    files = f"read_parquet('{tmp_path}/ads/{table.name}/**/*.parquet', union_by_name = true)"
    assert duckdb.sql(f"SELECT count(*) FROM {files}").fetchall() == [(count,)]
