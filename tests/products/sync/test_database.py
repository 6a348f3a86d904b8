"""The temporary databases of a comparison."""

import gc
import sys

from ads_cli.products.sync.database import create, insert, select


def test_a_reading_that_a_signal_has_left_says_nothing(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    db = create(tmp_path / "some.db", "CREATE TABLE ids (id)")
    insert(db, "ids VALUES (?)", [(1,), (2,)])
    reading = select(db, "SELECT id FROM ids WHERE id IN ({})", [1, 2])
    assert next(reading) == (1,)
    db.close()
    del reading
    gc.collect()
    assert said == []
