"""The declared tables: those of the public dbt package, and rules that all of them keep."""

from pathlib import Path

import pytest
import yaml

from ads_cli.mirror.further import STATE, AccountState, tables
from ads_cli.mirror.tables import SYNCED

CONTRACT = yaml.safe_load((Path(__file__).parent / "contract.yaml").read_text())


@pytest.mark.parametrize("name", CONTRACT)
def test_a_table_of_the_dbt_package_has_its_columns_types_and_key(name):
    columns = {column.name: column for column in tables()[name].columns}
    declared = {
        key: f"{columns[key].type}{' key' if columns[key].is_key else ''}" if key in columns else "missing"
        for key in CONTRACT[name]
    }
    assert declared == CONTRACT[name]


@pytest.mark.parametrize("table", tables().values(), ids=lambda table: table.name)
def test_every_table_has_a_key_distinct_columns_and_a_meaning_of_each(table):
    assert table.key and len({*table.names}) == len(table.names)
    assert all(column.about and column.source for column in table.columns) and table.about and table.source
    assert table.owner in table.names
    assert table.kind == "state" or SYNCED in table.names
    assert ("updated_at" in table.key) == (table.kind == "history") == table.name.endswith("_history")
    if not table.lists_deleted:
        assert "deleted" in table.names and table.kind == "plain"


@pytest.mark.parametrize("table", tables().values(), ids=lambda table: table.name)
def test_an_amount_in_millionths_has_one_in_units_beside_it(table):
    types = {column.name: column.type for column in table.columns}
    for name, type in types.items():
        if name.endswith("_local_micro"):
            assert (type, types[name.removesuffix("_micro")]) == ("bigint", "numeric")


def test_the_state_of_an_account_has_the_columns_of_its_table():
    assert AccountState._fields == STATE.names
