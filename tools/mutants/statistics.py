"""Mutants of what makes a table of statistics a sum."""

from .mutant import Mutant

SUMS = "tests/statistics/test_sums.py"
NO_SUM = f"{SUMS}::test_an_answer_that_has_no_sum_is_unreadable"
TABLE = "tests/statistics/test_sqlite_table.py"
NIGHTS = "tests/statistics/test_days.py::test_the_days_of_every_night_follow_each_other_in_every_zone"

DERIVED = "tests/statistics/test_derived.py"

COMPARED = "tests/statistics/test_compared.py"
WORKBOOKS = "tests/promises/test_workbooks.py"

STATISTICS = (
    Mutant(
        "a post in several campaigns counts in each of them",
        "ads_cli/statistics/analysis.py",
        "if same in self._seen:",
        "if False:",
        (f"{COMPARED}::test_a_post_in_several_campaigns_is_warned_of_and_counted_once",),
    ),
    Mutant(
        "the period before is compared with itself",
        "ads_cli/statistics/analysis.py",
        "return Period(start - (end - start), start)",
        "return Period(start, end)",
        (f"{COMPARED}::test_each_number_has_what_it_was_and_the_difference",),
    ),
    Mutant(
        "a change is that of the day before",
        "ads_cli/statistics/analysis.py",
        "found = then.pop(key(row, now_at), None)",
        "found = then.popitem()[1] if then else None",
        (f"{COMPARED}::test_each_number_has_what_it_was_and_the_difference",),
    ),
    Mutant(
        "a column that does not exist is found out after the jobs were made",
        "ads_cli/commands/stats/results.py",
        'require_columns("--columns", call.printer.columns, known)',
        "pass",
        (f"{COMPARED}::test_what_cannot_be_shown_is_refused_before_anything_is_asked",),
    ),
    Mutant(
        "amounts of accounts are added up over currencies",
        "ads_cli/statistics/chart_data.py",
        "parts = self.by_currency() if is_money(column) else [self]",
        "parts = [self]",
        ("tests/statistics/test_stored_rows.py::test_amounts_of_accounts_are_added_up_by_currency",),
    ),
    Mutant(
        "the sum of a campaign is called as its first line",
        "ads_cli/statistics/chart_data.py",
        "lines[0].campaign_name or id",
        "lines[0].label",
        ("tests/statistics/test_chart_data.py::test_the_sum_of_the_segments_of_a_campaign_has_its_name",),
    ),
    Mutant(
        "the lines of a currency are called as if there were no others",
        "ads_cli/statistics/chart_data.py",
        "zip(self._lines, self.lines, strict=True)",
        "zip(self._lines, self._lines.values(), strict=True)",
        ("tests/statistics/test_chart_data.py::test_a_line_is_called_the_same_whatever_was_asked_before",),
    ),
    Mutant(
        "a text of a workbook may be a formula",
        "ads_cli/output/workbook.py",
        "sheet.write_string(row, at, self._checked(text, self._columns[at]))",
        "sheet.write(row, at, self._checked(text, self._columns[at]))",
        (f"{WORKBOOKS}::test_values_are_cells_of_their_types",),
    ),
    Mutant(
        "rows that a sheet cannot hold are left out",
        "ads_cli/output/workbook.py",
        "if self.count >= MAX_ROWS:",
        "if False:",
        (f"{WORKBOOKS}::test_more_rows_or_columns_than_a_sheet_holds_are_refused",),
    ),
    Mutant(
        "a metric that is derived of a total is not that of its sums",
        "ads_cli/statistics/analysis.py",
        "table = with_derived(table, metrics, named, asked.names)",
        "pass",
        (f"{DERIVED}::test_ratios_are_those_of_the_sums_in_each_row",),
    ),
    Mutant(
        "numbers of the earlier period are those of this one",
        "ads_cli/statistics/derived.py",
        "table.columns.index(names.name(column) + suffix)",
        "table.columns.index(names.name(column))",
        (f"{COMPARED}::test_each_number_has_what_it_was_and_the_difference",),
    ),
    Mutant(
        "help names entities that lack what a metric is derived from",
        "ads_cli/statistics/derived.py",
        "if known.issuperset(needed)",
        "if not known.isdisjoint(needed)",
        (f"{DERIVED}::test_help_names_the_entities_that_may_be_asked_for_a_metric",),
    ),
    Mutant(
        "the first rows are those with no value",
        "ads_cli/statistics/analysis.py",
        "rows = known + [row for row in rows if row[at] is None]",
        "rows = [row for row in rows if row[at] is None] + known",
        (f"{DERIVED}::test_rows_are_sorted_by_any_column_and_cut_and_totals_stay_those_of_all",),
    ),
    Mutant(
        "segments of one name are one",
        "ads_cli/statistics/answers.py",
        'known = value if value not in (None, "") else name',
        'known = name if name not in (None, "") else value',
        (f"{SUMS}::test_two_segments_of_one_name_keep_the_numbers_of_both",),
    ),
    Mutant(
        "segments of one name are one line of a page",
        "ads_cli/statistics/chart_data.py",
        '("id", "segment", "currency")',
        '("id", "currency")',
        (f"{SUMS}::test_pages_and_pictures_name_both",),
    ),
    Mutant(
        "an entity counts as it is answered last",
        "ads_cli/statistics/answers.py",
        "        if id in seen:\n",
        "        if id in seen and not answer.data:\n",
        (NO_SUM,),
    ),
    Mutant(
        "a segment counts as it is answered last",
        "ads_cli/statistics/answers.py",
        "            if segment in values:\n",
        "            if segment in values and not metrics:\n",
        (NO_SUM,),
    ),
    Mutant(
        "a number has no limit",
        "ads_cli/statistics/answers.py",
        "-MAX_NUMBER < number < MAX_NUMBER",
        "number == number",
        (NO_SUM,),
    ),
    Mutant(
        "NaN is a number of an answer",
        "ads_cli/http/response_body.py",
        "object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite",
        "object_pairs_hook=_object, parse_float=_finite",
        (f"{SUMS}::test_a_number_that_is_not_one_of_json_is_unreadable",),
    ),
    Mutant(
        "infinity is a number of an answer",
        "ads_cli/http/response_body.py",
        "object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite",
        "object_pairs_hook=_object, parse_constant=_refuse_constant",
        (f"{SUMS}::test_a_number_that_is_not_one_of_json_is_unreadable",),
    ),
    Mutant(
        "what is compressed is a result",
        "ads_cli/statistics/export.py",
        "lambda packed: self._check(number, packed)",
        "lambda packed: None",
        (f"{SUMS}::test_a_result_that_was_once_no_result_is_asked_for_again_in_the_same_run",),
    ),
    Mutant(
        "a job whose result cannot be read is found again",
        "ads_cli/statistics/export.py",
        "known = {*folder.jobs.values(), *folder.failed}",
        "known = {*folder.jobs.values()}",
        (f"{SUMS}::test_a_job_whose_result_cannot_be_read_is_made_again",),
    ),
    Mutant(
        "a segment that left its answer stays in the table",
        "ads_cli/statistics/sqlite_table.py",
        "    db.execute(f'DELETE FROM \"{TABLE}\" WHERE {condition}{none}', {**scope, **values})\n",
        "",
        (f"{TABLE}::test_a_segment_that_left_the_corrected_answer_goes",),
    ),
    Mutant(
        "metrics that were not asked again leave the table",
        "ads_cli/statistics/sqlite_table.py",
        "WHERE {condition}{none}'",
        "WHERE {condition}'",
        (f"{TABLE}::test_a_segment_that_left_the_corrected_answer_goes",),
    ),
    Mutant(
        "an hour between two days is nobody's",
        "ads_cli/statistics/periods.py",
        "return far if gap < SHORT else near",
        "return None",
        (NIGHTS,),
    ),
    Mutant(
        "a day that is cut overlaps",
        "ads_cli/statistics/periods.py",
        "if min(near, far) < edge < max(near, far):",
        "if False:",
        (NIGHTS,),
    ),
    Mutant(
        "what another run stored meanwhile is not looked at",
        "ads_cli/statistics/sqlite_table.py",
        "if self._questions_again(db, asked) != [question for question, _ in again]:",
        "if not self._path:",
        ("tests/statistics/test_days.py::test_a_table_that_another_run_changed_meanwhile_is_not_written",),
    ),
    Mutant(
        "web conversions have segments by age",
        "ads_cli/api/metrics.py",
        'if segmentation not in (None, *WEB_SEGMENTS) and "WEB_CONVERSION" in groups:',
        "if segmentation not in (None, *WEB_SEGMENTS) and not groups:",
        ("tests/statistics/test_export.py::test_what_cannot_be_exported_is_refused",),
    ),
    Mutant(
        "an address alone is sent",
        "ads_cli/api/conversions.py",
        "return any(all(getattr(each, name) for name in BROWSER) for each in self.identifiers)",
        "return any(any(getattr(each, name) for name in BROWSER) for each in self.identifiers)",
        ("tests/batches/test_conversions.py::test_an_address_or_a_browser_by_itself_is_refused",),
    ),
    Mutant(
        "a logo in UTF-16 may have entities",
        "ads_cli/report/__init__.py",
        'content.decode("utf-8-sig")',
        'content.decode("latin-1")',
        (
            "tests/statistics/test_report.py::test_a_logo_that_is_no_picture_is_refused_before_anything_is_asked",
        ),
    ),
    Mutant(
        "accounts of several currencies are in order of the plain numbers",
        "ads_cli/commands/stats/page.py",
        "line.currency if is_money(first)",
        '"" if is_money(first)',
        (
            "tests/statistics/test_stored_rows.py::test_accounts_are_in_order_within_a_currency_and_told_apart_by_it",
        ),
    ),
    Mutant(
        "lines of one name in two currencies are called the same",
        "ads_cli/statistics/chart_data.py",
        '("id", "segment", "currency")',
        '("id", "segment")',
        ("tests/statistics/test_chart_data.py::test_lines_of_one_name_are_told_apart_by_their_currencies",),
    ),
    Mutant(
        "an amount of too many digits for a number ends a workbook with a traceback",
        "ads_cli/output/workbook.py",
        'return f"{value:f}"',
        "pass",
        (f"{WORKBOOKS}::test_an_amount_of_more_digits_than_a_number_keeps_is_a_text",),
    ),
    Mutant(
        "a sign without a column sorts by none",
        "ads_cli/statistics/analysis.py",
        'return cls(name.removeprefix("-"), name.startswith("-"), top)',
        'return cls(name.removeprefix("-") or None, name.startswith("-"), top)',
        (f"{COMPARED}::test_what_cannot_be_shown_is_refused_before_anything_is_asked",),
    ),
    Mutant(
        "a page over files has its times in the order of the files",
        "ads_cli/statistics/stored_rows.py",
        'sorted(found.values(), key=attrgetter("local"))',
        "[*found.values()]",
        ("tests/statistics/test_stored_rows.py::test_days_are_in_order_whatever_the_order_of_the_files",),
    ),
    Mutant(
        "a number in a file may be infinite",
        "ads_cli/statistics/stored_rows.py",
        "is_sensible = -MAX_NUMBER < number < MAX_NUMBER",
        "is_sensible = number == number",
        ("tests/statistics/test_stored_rows.py::test_what_is_not_rows_is_refused",),
    ),
    Mutant(
        "a day of two exports counts twice once the clock was changed",
        "ads_cli/statistics/stored_rows.py",
        "if self.is_hour else self.local)",
        "if self.end else self.local)",
        (
            "tests/statistics/test_stored_rows.py::test_a_day_counts_once_though_the_clock_was_changed_between_two_exports",
        ),
    ),
    Mutant(
        "hours and days of one entity are added up",
        "ads_cli/statistics/stored_rows.py",
        "    _refuse_overlaps(found.values())\n",
        "",
        ("tests/statistics/test_stored_rows.py::test_rows_of_times_that_overlap_are_refused",),
    ),
)
