"""Mutants of the conversion of rows."""

from .mutant import Mutant

STEPS = "tests/conversion/test_steps.py"
UNASKED = "tests/conversion/test_unasked.py"
KEEP = "tests/conversion/test_keep.py"

CONVERSION = (
    Mutant(
        "a job does not depend on how rows are converted",
        "ads_cli/uploads/job_file.py",
        'conversion=conversion.digest if conversion else "",',
        'conversion="",',
        (f"{STEPS}::test_a_job_with_other_steps_is_another_job",),
    ),
    Mutant(
        "a row that is left out is sent",
        "ads_cli/validation/row_validator.py",
        "            if row.left_out:\n"
        "                yield CheckedRow(row, None, [])\n"
        "                continue\n",
        "",
        (f"{STEPS}::test_rows_left_out_are_counted_and_neither_validated_nor_sent",),
    ),
    Mutant(
        "a row that is left out is still in the feed that is compared",
        "ads_cli/products/selection.py",
        "            if checked.row.left_out:\n                state = LEFT_OUT\n            elif",
        "            if",
        ("tests/conversion/test_where.py::test_a_product_whose_row_is_left_out_is_only_in_the_catalog",),
    ),
    Mutant(
        "a row is written as it was converted",
        "ads_cli/feeds/rows.py",
        "                row.raw = row.raw or (self.by_column(row.values),)\n",
        "",
        (f"{UNASKED}::test_rejected_rows_are_written_as_the_file_has_them",),
    ),
    Mutant(
        "rows of a table are converted by the reader and by the block",
        "ads_cli/feeds/formats/csv.py",
        "for row in self._parse_block(block):",
        "for row in self.parse_block(block):",
        (f"{STEPS}::test_each_row_of_a_table_that_is_read_by_line_is_converted_once",),
    ),
    Mutant(
        "worker processes know of no rows with the same id",
        "ads_cli/validation/validator.py",
        "            self._close()  # the worker processes have a validator that knows of no duplicates\n",
        "",
        (f"{KEEP}::test_worker_processes_keep_the_same_rows",),
    ),
    Mutant(
        "a fix of texts is not asked unless another one has its trigger",
        "ads_cli/products/feeds/fixes/fixes.py",
        "and not asks_always",
        "",
        ("tests/feeds/fixes/test_fixes.py::test_a_fix_of_texts_is_asked_whatever_triggers_the_others",),
    ),
)
