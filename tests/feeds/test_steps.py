"""Steps that convert rows: applied once to each row, however the file is read, and undone in --failed-out."""

import json
import pickle

import pytest

from ads_cli.errors import UsageError
from ads_cli.feeds.formats.csv import BLOCK_BYTES
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.row import Row, RowTransform, Step
from ads_cli.feeds.rows import UnreadableBlockError
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from ads_cli.products.selection import ChangedRows
from ads_cli.runs.rejected_rows import FailedOut, write_rejected_rows
from tests.conftest import PRODUCT
from tests.feed_plans import plan_of


class Append(Step, frozen=True):
    """Append a column to the title."""

    column: str
    option = "--append"
    fields = ("title",)

    @property
    def columns(self):
        return (self.column,)

    def bound(self, key_of):
        return Append(key_of(self.column))

    def apply(self, row):
        row.values["title"] += " " + row.values.get(self.column, "")


class LeaveOut(Step, frozen=True):
    """Leave out the rows with these ids."""

    ids: tuple[str, ...]

    def apply(self, row):
        row.left_out = row.values["id"] in self.ids


def table(*rows: dict) -> str:
    header = list(dict.fromkeys(name for row in rows for name in row))
    lines = [header, *([str(row.get(name, "")) for name in header] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def jsonl(*rows: dict) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


FORMATS = pytest.mark.parametrize(("name", "written"), [("f.csv", table), ("f.jsonl", jsonl)])


def converted(tmp_path, name, content, *steps, **rename):
    (tmp_path / name).write_text(content)
    rows = read_rows(
        open_source(str(tmp_path / name)),
        roots=("products",),
        known=PRODUCT_SCHEMA.known,
        rename=rename,
    )
    rows.transform = RowTransform(steps)
    return rows


def product(number: int, **changes: str) -> dict:
    return PRODUCT | {"id": f"sku-{number}", "description": "A mug"} | changes


@FORMATS
def test_a_step_names_columns_as_the_file_does(tmp_path, name, written):
    content = written({"id": "1", "title": "Mug", "Colour": "red"})
    rows = converted(tmp_path, name, content, Append("Colour"), Colour="color")
    assert [row.values["title"] for row in rows] == ["Mug red"]
    rows.transform = RowTransform([Append("color")])
    assert [row.values["title"] for row in rows] == ["Mug red"]


@FORMATS
def test_a_column_that_no_row_has_is_refused_with_a_suggestion(tmp_path, name, written):
    rows = converted(tmp_path, name, written({"id": "1", "title": "Mug", "Colour": "red"}), Append("Color"))
    with pytest.raises(UsageError, match=r"--append: no column 'Color'; did you mean 'Colour'\?"):
        list(rows)


def test_a_row_that_cannot_be_read_is_not_converted(tmp_path):
    rows = converted(tmp_path, "f.csv", "id,title,size\n1,Mug,,x\n2,Cup,L\n", Append("size"))
    assert [row.values["title"] for row in rows] == ["Mug", "Cup L"]
    rows = converted(tmp_path, "f.csv", "id,title,size\n1,Mug,M,x\n2,Cup,L\n", Append("size"))
    assert [bool(row.problem) for row in rows] == [True, False]


def titles_sent(rows) -> list[str]:
    plan = plan_of(rows)
    return [json.loads(body)["title"] for batch in plan.batches() for body in batch.items.bodies]


def test_each_row_of_a_table_is_converted_once(tmp_path):
    rows = converted(tmp_path, "f.csv", table(product(1), product(2)), Append("id"))
    assert titles_sent(rows) == ["Enamel mug sku-1", "Enamel mug sku-2"]


def test_each_row_of_a_table_that_is_read_by_line_is_converted_once(tmp_path):
    long = '"' + "A line of many.\n" * 300 + '"'
    content = table(
        product(0, title='5" mug'), *(product(number, description=long) for number in range(1, 99))
    )
    rows = converted(tmp_path, "f.csv", content, Append("id"))
    with pytest.raises(UnreadableBlockError):  # the stray quote makes one end inside a cell
        [list(rows.parse_block(block)) for block in rows.blocks(BLOCK_BYTES)]
    assert titles_sent(rows) == ['5" mug sku-0', *(f"Enamel mug sku-{number}" for number in range(1, 99))]


def test_a_worker_process_converts_as_this_one_does(tmp_path):
    rows = converted(tmp_path, "f.csv", table(product(1), product(2)), Append("Bread"), Bread="brand")
    with pytest.raises(UsageError, match="no column 'Bread'"):
        list(rows)
    rows.rename = {}
    rows.transform = RowTransform([Append("brand"), LeaveOut(("sku-2",))])
    blocks = list(rows.table.blocks(1000))
    copy = pickle.loads(pickle.dumps(rows))
    found = [row for block in blocks for row in copy.parse_block(block)]
    assert [(row.values["title"], row.left_out) for row in found] == [
        ("Enamel mug Nordlicht", False),
        ("Enamel mug Nordlicht", True),
    ]


@FORMATS
@pytest.mark.parametrize("selected", [False, True])
def test_rows_left_out_are_counted_and_neither_validated_nor_sent(tmp_path, name, written, selected):
    content = written(product(1), product(2, price="cheap"), product(3), product(3), product(4, price="dear"))
    rows = converted(tmp_path, name, content, LeaveOut(("sku-2", "sku-3")))
    plan = plan_of(rows, ChangedRows() if selected else None)
    report = plan.file.report
    assert (report.rows, report.left_out, report.valid, report.invalid) == (5, 3, 1, 1)
    assert [(finding.field, finding.lines[0]) for finding in report.findings] == [
        ("price", 6 if written is table else 5)
    ]
    (batch,) = plan.batches()
    assert batch.items.ids == ["sku-1"]
    assert plan.due == 1


@FORMATS
def test_rejected_rows_are_written_as_they_were_read(tmp_path, name, written):
    content = written(product(1, title="Mug", price="cheap", Size="L"), product(2))
    rows = converted(tmp_path, name, content, Append("Size"), Size="size")
    plan = plan_of(rows)
    report = plan.file.report
    out = tmp_path / f"out.{name.rpartition('.')[2]}"
    with write_rejected_rows(FailedOut(str(out)), rows) as reject:
        for checked in plan.file.checked_rows() if report.invalid else ():
            if checked.errors:
                reject(checked.row, checked.errors)
    written_rows = read_rows(open_source(str(out)), roots=(), known=())
    (values,) = [row.values for row in written_rows]
    assert values == product(1, title="Mug", price="cheap", Size="L")


def test_all_rows_of_an_assembled_product_are_written(tmp_path):
    rows = converted(tmp_path, "f.csv", table({"id": "1", "title": "a"}))
    list(rows)
    out = tmp_path / "out.csv"
    with write_rejected_rows(FailedOut(str(out)), rows) as reject:
        raw = ({"id": "1", "title": "first"}, {"id": "1", "title": "second"})
        reject(Row(2, {"id": "1", "title": "both"}, raw=raw), "is wrong")
    assert out.read_text() == "id,title,_line,_error\n1,first,2,is wrong\n1,second,2,is wrong\n"


def test_a_job_with_other_steps_is_another_job(tmp_path):
    def key(*steps):
        plan = plan_of(converted(tmp_path, "f.csv", table(product(1)), *steps))
        return plan.key("generic", skip_invalid=False).digest

    keys = [key(Append("brand")), key(Append("id")), key(Append("brand"), LeaveOut(())), key(LeaveOut(()))]
    assert len({*keys}) == 4
    assert key(Append("brand")) == keys[0]
