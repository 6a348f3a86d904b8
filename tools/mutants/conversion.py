"""Mutants of the conversion of rows."""

from .mutant import Mutant

STEPS = "tests/feeds/test_steps.py"
WHERE = "tests/products/feeds/test_where.py"
UNASKED = "tests/products/feeds/test_unasked.py"
FIX = "tests/products/test_fix.py"
KEEP = "tests/products/feeds/test_keep.py"
ADVICE = "tests/commands/products/test_advice.py"
MESSY = "tests/commands/products/test_messy_feeds.py"
FOLLOWED = f"{MESSY}::test_a_messy_feed_is_pushed_by_following_what_each_check_says"
RECIPE = "tests/commands/uploads/test_recipe.py"
COMPLETED = (
    "tests/products/test_fix.py"
    "::test_a_default_that_fills_what_a_fix_empties_is_completed_as_in_an_empty_cell"
)
HINTS, OF_HINTS = "ads_cli/products/feeds/hints.py", "tests/products/feeds/test_hints.py"
DOWNLOAD, HTTPS = "ads_cli/http/download.py", "tests/feeds/locations/test_https.py"
OTHER_VERSION = "test_a_part_of_another_version_from_a_server_that_ignores_the_condition_is_never_used"

CONVERSION = (
    Mutant(
        "a fix of duplicates shows left_out only where there are some",
        "ads_cli/feeds/row.py",
        "return self.keep is not None or any(",
        'return self.keep in ("first", "last") or any(',
        (f"{FIX}::test_the_columns_of_a_push_do_not_depend_on_its_rows",),
    ),
    Mutant(
        "a mapping that leaves rows out does not say how many",
        "ads_cli/products/feeds/kinds/step.py",
        "return bool(self.kind.left_out)",
        "return False",
        (f"{FIX}::test_the_columns_of_a_push_do_not_depend_on_its_rows",),
    ),
    Mutant(
        "a column whose name means one field is offered as another that is similar",
        HINTS,
        "[column for column in columns if column not in meant_otherwise]",
        "columns",
        (f"{OF_HINTS}::test_each_word_is_meant_as_its_field_and_as_no_other",),
    ),
    Mutant(
        "a cost is offered as the price",
        HINTS,
        "    if field in PRICES:  # `cost price` is similar\n        return None\n",
        "",
        (f"{OF_HINTS}::test_a_price_that_is_not_paid_is_offered_as_none",),
    ),
    Mutant(
        "a column of Google with a foreign name is not known",
        HINTS,
        'letters_and_digits(column.removeprefix("g:"))',
        "letters_and_digits(column)",
        (f"{OF_HINTS}::test_columns_are_meant_as_fields_however_shops_write_them",),
    ),
    Mutant(
        "the fix that is advised is any that has the rule",
        HINTS,
        "sorted(all_fixes(), key=lambda fix: len(fix.rules))",
        "all_fixes()",
        (f"{OF_HINTS}::test_the_fix_that_is_for_the_fewest_rules_is_advised",),
    ),
    Mutant(
        "a fix is advised that leaves the field as it is",
        HINTS,
        "if field not in (edited for edited, _, _ in fix.apply(fixed)):",
        "if not fix.apply(fixed):",
        (f"{OF_HINTS}::test_a_fix_that_changes_another_field_only_is_not_advised",),
    ),
    Mutant(
        "the amount of a nested price is not found",
        HINTS,
        '"sale_price": ("amount", "value"),',
        "",
        (f"{OF_HINTS}::test_a_nested_value_has_a_template",),
    ),
    Mutant(
        "a copy is resumed by a part of another version, told by its date",
        DOWNLOAD,
        'validator in (headers.get("etag"), headers.get("last-modified"))',
        "True",
        (f"{HTTPS}::{OTHER_VERSION}",),
    ),
    Mutant(
        "a copy is resumed by a part of another version, told by its ETag",
        DOWNLOAD,
        'headers.get("etag", etag) == etag',
        "True",
        (f"{HTTPS}::{OTHER_VERSION}",),
    ),
    Mutant(
        "a copy is resumed by a part of another version, told by its size",
        DOWNLOAD,
        " or self._total not in (None, total)",
        "",
        (f"{HTTPS}::{OTHER_VERSION}",),
    ),
    Mutant(
        "a text with a number in it is read as an availability",
        "ads_cli/products/feeds/fixes/values.py",
        "filter(str.isalnum,",
        "filter(str.isalpha,",
        (f"{FIX}::test_an_availability_with_a_number_in_a_text_is_never_guessed",),
    ),
    Mutant(
        "a variation that is switched off is sent",
        "ads_cli/products/feeds/assembly.py",
        "(self._is_left_out(own) or self._is_left_out(first))",
        "self._is_left_out(first)",
        (
            "tests/products/feeds/kinds/test_assembly.py"
            "::test_a_variation_that_is_switched_off_is_left_out_though_its_parent_is_published",
        ),
    ),
    Mutant(
        "a copy of an object store has parts of two versions",
        "ads_cli/feeds/locations/object_store.py",
        "elif _version(item) != self._copied_version or ",
        "elif ",
        (
            "tests/feeds/locations/test_sftp.py"
            "::test_a_feed_that_is_replaced_while_it_is_copied_is_copied_from_the_beginning",
        ),
    ),
    Mutant(
        "an enclosure of XML has no address",
        "ads_cli/feeds/formats/xml_records.py",
        'ADDRESSES = ("href", "url", "src")',
        'ADDRESSES = ("href",)',
        ("tests/feeds/test_read_xml.py::test_an_enclosure_without_text_is_the_address_in_its_attribute",),
    ),
    Mutant(
        "entities of XML are replaced while its records are looked for",
        "ads_cli/feeds/formats/xml_records.py",
        "    parser.StartDoctypeDeclHandler = search.end_at_doctype\n",
        "",
        ("tests/feeds/test_refused_xml.py::test_entities_are_refused_before_any_is_replaced",),
    ),
    Mutant(
        "options are suggested for a file that is not a product feed",
        "ads_cli/commands/products/advice.py",
        " or (report is None and not outcome.valid)",
        "",
        ("tests/products/test_bad_columns.py::test_a_file_without_any_required_column_is_refused_at_once",),
    ),
    Mutant(
        "the valid rows of a whole feed are compared with those of its first rows",
        "ads_cli/commands/products/advice.py",
        "if report and outcome.is_part and outcome.valid < before:",
        "if False:",
        (f"{ADVICE}::test_a_few_mistakes_of_a_large_feed_are_fixed_and_not_left_out",),
    ),
    Mutant(
        "a column is suggested whose values are not valid",
        "ads_cli/validation/report.py",
        "if meant and needed is not None and",
        "if meant and",
        (f"{ADVICE}::test_a_column_whose_values_no_option_makes_valid_is_not_suggested",),
    ),
    Mutant(
        "what a fix has emptied is filled from the columns of another file",
        "ads_cli/feeds/several.py",
        "self._transforms[self._file_of(row.record)]._apply_again(row)",
        "self._transforms[0]._apply_again(row)",
        (
            "tests/products/test_fix.py::"
            "test_a_default_fills_what_a_fix_empties_from_the_columns_of_the_own_file",
        ),
    ),
    Mutant(
        "an address that is filled in after a fix stays relative",
        "ads_cli/products/feeds/transforms.py",
        "    base: str  # ends with a slash\n\n    follows_fixes = True\n",
        "    base: str  # ends with a slash\n",
        (COMPLETED,),
    ),
    Mutant(
        "a price that is filled in after a fix stays without its currency",
        "ads_cli/products/feeds/transforms.py",
        "    currency: str  # of ISO 4217\n\n    follows_fixes = True\n",
        "    currency: str  # of ISO 4217\n",
        (COMPLETED,),
    ),
    Mutant(
        "texts after some runs of rows with something to fix are not looked at",
        "ads_cli/feeds/row.py",
        "            if dirty_runs:\n",
        "            if 0 < dirty_runs < MAX_DIRTY_RUNS:\n",
        ("tests/products/feeds/fixes/test_fixes.py::test_texts_are_fixed_wherever_in_a_file_they_are",),
    ),
    Mutant(
        "a condition takes back a row that was left out",
        "ads_cli/feeds/transforms.py",
        "        if not self.holds(text_of(value_at(row.values, self.column)).strip()):\n"
        "            row.left_out = True\n",
        "        row.left_out = not self.holds(text_of(value_at(row.values, self.column)).strip())\n",
        (f"{WHERE}::test_a_condition_never_takes_back_a_row_that_was_left_out",),
    ),
    Mutant(
        "an operator that does not exist is part of a value",
        "ads_cli/feeds/transforms.py",
        'in ("~=", "=~")',
        "in ()",
        (f"{WHERE}::test_a_wrong_condition_is_refused",),
    ),
    Mutant(
        "options are tried for longer than a check takes",
        "ads_cli/commands/products/advice.py",
        "and perf_counter() > self._deadline",
        "and False",
        (f"{ADVICE}::test_rows_are_tried_for_no_longer_than_the_check_took",),
    ),
    Mutant(
        "a relative address hides that another one has a host",
        "ads_cli/api/addresses.py",
        'rf"[a-z][a-z0-9+.-]*:|{HOST}"',
        'r"[a-z][a-z0-9+.-]*:"',
        (f"{MESSY}::test_an_address_with_a_host_and_no_scheme_is_never_completed_as_a_path",),
    ),
    Mutant(
        "nothing is suggested for a feed in another encoding",
        "ads_cli/commands/products/advice.py",
        "if undecoded.encoding else []",
        "if False else []",
        (f"{FOLLOWED}[german_excel]",),
    ),
    Mutant(
        "a title is taken for the header of a workbook",
        "ads_cli/feeds/formats/xlsx.py",
        "if 2 * count >= max(filled)",
        "if count",
        (f"{FOLLOWED}[workbook]",),
    ),
    Mutant(
        "a check whose mistakes no option helps ends in no command",
        "ads_cli/commands/products/check_end.py",
        "if self._advice is None and report.valid:  # nothing",
        "if False:  # nothing",
        (f"{FOLLOWED}[workbook]",),
    ),
    Mutant(
        "defaults are suggested that make no row valid",
        "ads_cli/commands/products/advice.py",
        "valid_rows(others) == valid:",
        "valid_rows(others) == -1:",
        (f"{MESSY}::test_a_row_of_totals_implies_no_default",),
    ),
    Mutant(
        "a valid feed loads all fixes",
        "ads_cli/products/normal_form.py",
        "advisor=fix_advisor,",
        "advisor=fix_advisor().__class__,",
        ("tests/promises/test_startup.py::test_a_valid_feed_loads_no_advice_and_no_fix",),
    ),
    Mutant(
        "a recipe is written without the options that are certain",
        "ads_cli/commands/products/check_end.py",
        "return with_options_of(self._feed, self._advice.certain)",
        "return self._feed",
        (f"{RECIPE}::test_a_check_writes_a_recipe_of_what_was_typed_and_what_is_certain",),
    ),
    Mutant(
        "a recipe outranks the options that are typed",
        "ads_cli/commands/uploads/recipe.py",
        'typed = values[option.name] if source and source.name == "COMMANDLINE" else None',
        "typed = None",
        (f"{RECIPE}::test_options_outrank_a_recipe_field_by_field",),
    ),
    Mutant(
        "rows with too few cells count as those with too many",
        "ads_cli/api/problems.py",
        "(?>\\d[\\d,.]*)(?! cells)",
        "\\d[\\d,.]*",
        ("tests/products/test_bad_input.py::test_rows_are_grouped_by_how_many_cells_they_have",),
    ),
    Mutant(
        "a command that prints a text passes over the file of --to",
        "ads_cli/cli/tree.py",
        'if (to := command_line.parsed_options.get("to")) and not command_line.open_result:',
        'if (to := command_line.parsed_options.get("to")) and False:',
        ("tests/promises/test_workbooks.py::test_a_command_that_prints_a_text_writes_no_file_and_says_so",),
    ),
    Mutant(
        "what a recipe says and nothing reads is passed over",
        "ads_cli/commands/uploads/recipe.py",
        "if unread := [key for key in recipe if key not in read]:",
        "if unread := [key for key in recipe if False]:",
        (f"{RECIPE}::test_what_a_recipe_says_is_refused_where_no_command_for_such_a_file_reads_it",),
    ),
    Mutant(
        "a typed condition replaces all of a recipe",
        "ads_cli/commands/uploads/recipe.py",
        "kept = [text for text in texts if _subject(key, text) not in taken]",
        "kept = []",
        (f"{RECIPE}::test_options_outrank_a_recipe_field_by_field",),
    ),
    Mutant(
        "a job does not depend on how rows are converted",
        "ads_cli/uploads/job_file.py",
        "conversion=rows.transform.digest",
        'conversion=""',
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
        ("tests/products/feeds/test_where.py::test_a_product_whose_row_is_left_out_is_only_in_the_catalog",),
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
        "yield from self._parse_block(block)",
        "yield from self.parse_block(block)",
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
        "a feed with nothing to fix loads the fixes",
        "ads_cli/products/feeds/fixes/__init__.py",
        "and self._are_fine(rows)",
        "and self._are_fine(rows) and self._text_fixes",
        ("tests/promises/test_startup.py::test_a_valid_feed_loads_no_advice_and_no_fix",),
    ),
    Mutant(
        "a fix of texts without triggers is not asked",
        "ads_cli/products/feeds/fixes/__init__.py",
        "return self.utf8 if self.utf8 or self.phrase or self.fields else bytes(range(256))",
        "return self.utf8",
        (
            "tests/products/feeds/fixes/test_fixes.py::test_a_fix_of_texts_is_asked_whatever_triggers_the_others",
        ),
    ),
    Mutant(
        "a category that is not spaced is not looked at",
        "ads_cli/products/feeds/fixes/__init__.py",
        "if not all(map(is_fine, values)):",
        "if False:",
        (
            "tests/products/feeds/fixes/test_fixes.py::test_a_category_is_looked_at_after_others_that_need_nothing",
        ),
    ),
    Mutant(
        "values of an attribute are found in one case of their column",
        "ads_cli/products/feeds/exports.py",
        "NamePatterns(self.kind.roles[role])",
        "self.kind.roles[role]",
        (
            "tests/products/feeds/kinds/test_assembly.py::"
            "test_an_attribute_is_found_in_any_case_of_its_columns",
        ),
    ),
    Mutant(
        "a variation whose stock its parent manages has none",
        "ads_cli/products/feeds/exports.py",
        'if stock == "parent":',
        "if False:",
        (
            "tests/products/feeds/kinds/test_assembly.py::"
            "test_a_variation_whose_stock_is_managed_by_its_parent_has_the_stock_of_that",
        ),
    ),
    Mutant(
        "a title above a table is its header",
        "ads_cli/feeds/formats/csv.py",
        "if found and found.titles else",
        "if not found else",
        ("tests/feeds/test_read_csv.py::test_titles_above_a_header_are_skipped",),
    ),
    Mutant(
        "rows below a title are lost that were read to find the header",
        "ads_cli/feeds/formats/csv.py",
        "Block(row.end, head.text_below(row).encode())",
        'Block(row.end, b"")',
        ("tests/feeds/test_read_csv.py::test_titles_above_a_header_are_skipped",),
    ),
    Mutant(
        "a quote within a cell of a title opens one",
        "ads_cli/feeds/formats/csv.py",
        "lines = reader.line_num\n",
        "lines = reader.line_num + self._kept[at].count('\"') % 2\n",
        ("tests/feeds/test_read_csv.py::test_a_quote_within_a_cell_of_a_header_or_a_title_opens_none",),
    ),
    Mutant(
        "one file is written twice",
        "ads_cli/console/named_files.py",
        "for name, earlier in outputs[:number] if _is_same(path, earlier)",
        "for name, earlier in outputs[:number] if path == earlier",
        ("tests/console/test_named_files.py::test_no_two_outputs_are_one_file",),
    ),
    Mutant(
        "an output replaces the table that names files of media",
        "ads_cli/console/options.py",
        'FILE_MARKS = ("FILE", "OUT", "TABLE")',
        'FILE_MARKS = ("FILE", "OUT")',
        ("tests/console/test_named_files.py::test_no_output_is_the_table_that_names_files_of_media",),
    ),
    Mutant(
        "a log is appended to the guard",
        "ads_cli/console/named_files.py",
        "if name == guard.VARIABLE or (name",
        "if (name",
        ("tests/console/test_log_file.py::test_the_file_of_the_guard_is_not_written_to",),
    ),
    Mutant(
        "the default of a mapping counts more than one that is typed",
        "ads_cli/commands/products/options.py",
        "[*(self.default or []), *_pairs(kind.default), *_pairs(kind.assumed)]",
        "[*_pairs(kind.default), *(self.default or []), *_pairs(kind.assumed)]",
        (
            "tests/products/feeds/kinds/test_mapping.py::"
            "test_a_default_that_is_typed_counts_more_than_that_of_a_mapping",
        ),
    ),
    Mutant(
        "an output replaces an input",
        "ads_cli/console/named_files.py",
        "for name in (pattern, *glob(pattern))",
        "for name in (pattern,)",
        ("tests/console/test_named_files.py::test_no_output_is_the_input",),
    ),
    Mutant(
        "a sign of several currencies is tried as another one",
        "ads_cli/commands/products/implied_options.py",
        'stand_in=next(shared, "")',
        'stand_in=""',
        (f"{MESSY}::test_a_messy_feed_is_pushed_by_following_what_each_check_says",),
    ),
    Mutant(
        "a list that is nested in a document of JSON is not named",
        "ads_cli/feeds/formats/json.py",
        "            if sizes:\n",
        "            if False:\n",
        (f"{MESSY}::test_a_list_that_is_nested_in_a_document_is_named",),
    ),
    Mutant(
        "a separator of thousands in yen may be that of decimals",
        "ads_cli/products/feeds/fixes/money.py",
        "currency)) in WHOLE:",
        "currency)) in ():",
        (f"{MESSY}::test_a_messy_feed_is_pushed_by_following_what_each_check_says",),
    ),
    Mutant(
        "white space within ids is changed",
        "ads_cli/products/feeds/fixes/texts.py",
        "    if field in IDS:",
        "    if field in ():",
        (
            "tests/products/sync/test_sync.py::test_a_sync_that_fixes_white_space_keeps_ids_and_their_products",
        ),
    ),
    Mutant(
        "a line separator stays in a title",
        "ads_cli/products/feeds/fixes/texts.py",
        "{NON_BREAKING}{LINE_SEPARATORS}]+",
        "{NON_BREAKING}]+",
        (
            "tests/products/feeds/fixes/test_fixes.py::test_a_text_with_odd_white_space_is_shown_to_the_fix_and_fixed",
        ),
    ),
    Mutant(
        "a text about HTML loses its tags",
        "ads_cli/products/feeds/fixes/texts.py",
        " and not ELEMENT.search(plain):",
        " and False:",
        ("tests/products/feeds/fixes/test_fixes.py::test_plain_text_with_signs_of_html_stays",),
    ),
    Mutant(
        "words between < and > are a tag",
        "ads_cli/api/products.py",
        "        if is_custom or name.lower() in HTML_ELEMENTS:\n",
        "        if True:\n",
        ("tests/products/feeds/fixes/test_fixes.py::test_plain_text_with_signs_of_html_stays",),
    ),
    Mutant(
        "a dry run with -q skips rows and is silent",
        "ads_cli/commands/uploads/validation.py",
        "    if call.dry_run:\n",
        "    if False:\n",
        ("tests/promises/test_quiet.py::test_rows_that_a_dry_run_skips_are_told_by_a_warning",),
    ),
    Mutant(
        "a dry run does not write the rows that it skips",
        "ads_cli/commands/uploads/push.py",
        "            if report.invalid:\n",
        "            if False:\n",
        (
            "tests/products/test_refused.py::test_a_dry_run_writes_the_rows_that_it_skips_and_leaves_other_files",
        ),
    ),
    Mutant(
        "a YAML feed is refused that is larger than a record may be",
        "ads_cli/feeds/formats/yaml.py",
        "    def begin_record(self, mark: Any) -> None:\n"
        '        """Count the bytes of a record, and forget the lines before it."""\n'
        "        self.record_bytes = 0\n",
        "    def begin_record(self, mark: Any) -> None:\n",
        (
            "tests/feeds/test_read_documents.py::test_a_feed_of_small_records_may_be_larger_than_the_largest_record",
        ),
    ),
    Mutant(
        "a key beside the list of a YAML feed is taken for a second document",
        "ads_cli/feeds/formats/yaml.py",
        "        if self._in_mapping and not isinstance(event := next(events), ev.MappingEndEvent):",
        "        if self._in_mapping and not next(events):",
        ("tests/feeds/test_read_documents.py::test_a_second_key_beside_the_list_is_named_as_what_is_wrong",),
    ),
    Mutant(
        "a line separator in YAML counts as a line",
        "ads_cli/feeds/formats/yaml.py",
        "mark.line + 1 - breaks",
        "mark.line + 1",
        ("tests/feeds/test_read_documents.py::test_lines_of_yaml_end_where_editors_end_them",),
    ),
    Mutant(
        "an anchor at the root of a YAML feed is read",
        "ads_cli/feeds/formats/yaml.py",
        "            pass\n        check_event(event)\n",
        "            pass\n",
        (
            "tests/feeds/test_read_documents.py::test_yaml_that_could_expand_or_mislead_is_refused_with_line_and_column",
        ),
    ),
)
