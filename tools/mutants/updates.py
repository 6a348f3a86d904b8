"""Mutants of updates, of feeds that have lost rows, and of the command of --on-failure."""

from .mutant import Mutant

SHOWN = "tests/batches/test_shown_records.py"

UPDATE = "tests/products/test_update.py"
SHRUNKEN = "tests/products/test_shrunken.py"
UNCHANGED = "tests/commands/products/test_unchanged_feed.py"
ON_FAILURE = "tests/console/test_on_failure.py"
COMPLETION = "ads_cli/products/sync/row_comparison.py"
ROWS_LOST = "ads_cli/commands/products/feed_checks.py"
HOOK = "ads_cli/console/on_failure.py"

UPDATES = (
    Mutant(
        "files of records: those of another account are sent to the one at hand",
        "ads_cli/api/records.py",
        "and str(values.get(name) or options[name]) != options[name]",
        "and False",
        (
            "tests/batches/test_files.py"
            "::test_records_of_another_account_are_not_sent_to_the_one_that_is_at_hand",
        ),
    ),
    Mutant(
        "files of records: an edit of what cannot be changed is dropped",
        "ads_cli/api/records.py",
        "if known not in NOTHING and not _is_same(field, value, known):",
        "if False:",
        (f"{SHOWN}::test_an_edit_of_what_cannot_be_changed_is_told",),
    ),
    Mutant(
        "files of records: an amount in yen is one in euros",
        "ads_cli/api/spending.py",
        "if known in (None, currency):",
        "if True:",
        (f"{SHOWN}::test_amounts_in_another_currency_are_not_taken_for_that_of_a_new_campaign",),
    ),
    Mutant(
        "the answer to another record confirms a change",
        "ads_cli/client/answers.py",
        "[id for id in named if id != operation.id]",
        "[id for id in named if False]",
        (
            "tests/batches/test_lying_service.py"
            "::test_a_change_of_one_record_is_not_confirmed_by_the_answer_to_another_one",
        ),
    ),
    Mutant(
        "a creation whose answer names no record is a success",
        "ads_cli/client/answers.py",
        "if not (records and all(map(_has_id, records))):",
        "if False:",
        (
            "tests/batches/test_lying_service.py"
            "::test_a_creation_whose_answer_names_no_record_may_have_been_applied",
        ),
    ),
    Mutant(
        "deletions whose answer was lost are not counted",
        "ads_cli/batches/upload.py",
        'return Answer([{"id": key, "deleted": True} for key in keys])',
        "return Answer()",
        (
            "tests/campaigns/test_many_records.py"
            "::test_campaigns_that_are_deleted_though_the_answer_was_lost_are_counted_and_shown",
        ),
    ),
    Mutant(
        "--where does not take the heading of a table",
        "ads_cli/commands/batches/several.py",
        "name = headings.get(name.lower(), name)",
        "pass",
        (
            "tests/campaigns/test_several_records.py::"
            "test_records_that_a_condition_finds_are_shown_and_asked_for_before_they_change",
        ),
    ),
    Mutant(
        "shown records: csv has the decimals of no currency",
        "ads_cli/output/table_view.py",
        """    return as_amount(value, str(record.get("currency") or "")).replace(",", "")""",
        """    return as_amount(value, "").replace(",", "")""",
        (
            "tests/output/test_table_view.py::test_amounts_of_files_are_in_units_with_the_decimals_of_their_currency",
        ),
    ),
    Mutant(
        "shown records: what a record has already is sent with its change",
        "ads_cli/commands/batches/__init__.py",
        "found.append(only(request, fields) if fields else None)",
        "found.append(request)",
        (f"{SHOWN}::test_a_record_that_was_edited_is_changed_where_it_differs",),
    ),
    Mutant(
        "shown records: a value that only the service answers refuses a change",
        "ads_cli/api/records.py",
        "if str(values[name]) == str(current().get(name))}",
        "if False}",
        (f"{SHOWN}::test_of_a_list_only_what_was_edited_is_sent",),
    ),
    Mutant(
        "shown records: a change to a value that the service alone sets is dropped, and nobody is told",
        "ads_cli/api/records.py",
        'if left_out and endpoint.method == "POST":',
        "if left_out:",
        (f"{SHOWN}::test_a_value_that_only_the_service_answers_replaces_no_other",),
    ),
    Mutant(
        "shown records: slides of a card in another order are the same",
        "ads_cli/api/records.py",
        "return msgspec.convert(plain, field.type.annotation, strict=False, dec_hook=decode_custom)",
        "value = msgspec.convert(plain, field.type.annotation, strict=False, dec_hook=decode_custom)\n"
        "        return sorted(map(str, value)) if isinstance(value, list) else value",
        (f"{SHOWN}::test_a_carousel_whose_slides_are_in_another_order_is_changed",),
    ),
    Mutant(
        "a limit is removed that the same change sets",
        "ads_cli/api/records.py",
        "if names == 1}",
        "}",
        ("tests/batches/test_raising.py::test_a_limit_is_not_set_and_removed_at_once",),
    ),
    Mutant(
        "a signal while an error is reported is a bug",
        "ads_cli/cli/error_boundary.py",
        "except Interrupted as interrupted:  # while",
        "except SystemExit as interrupted:  # while",
        (f"{ON_FAILURE}::test_a_signal_while_an_error_is_reported_ends_the_program_as_always",),
    ),
    Mutant(
        "an empty cell keeps what the catalog has",
        COMPLETION,
        "if name not in self._fields:",
        "if name:",
        (f"{UPDATE}::test_an_empty_cell_empties_its_field",),
    ),
    Mutant(
        "what the file does not have is emptied",
        COMPLETION,
        "if name not in self._fields:",
        "if name in row.values:",
        (f"{UPDATE}::test_only_what_differs_is_sent_and_every_other_field_stays",),
    ),
    Mutant(
        "an id that the catalog lacks stops the others",
        "ads_cli/commands/products/comparison.py",
        "return sum(missing) == report.invalid",
        "return False and sum(missing) == report.invalid",
        (f"{UPDATE}::test_an_id_that_the_catalog_lacks_is_rejected_and_the_others_are_sent",),
    ),
    Mutant(
        "a value that reads like a missing product is skipped",
        "ads_cli/commands/products/comparison.py",
        "if each.rule == NOT_IN_CATALOG)",
        "if 'is not in the catalog' in each.problem)",
        (f"{UPDATE}::test_a_value_that_reads_like_a_missing_product_is_a_mistake_in_the_file",),
    ),
    Mutant(
        "any mistake in the file is skipped",
        "ads_cli/commands/products/comparison.py",
        "return sum(missing) == report.invalid",
        "return sum(missing) <= report.invalid",
        (f"{UPDATE}::test_a_mistake_in_the_file_stops_it_unless_invalid_rows_are_skipped",),
    ),
    Mutant(
        "variants that the listing hides are not looked for",
        "ads_cli/products/sync/comparison.py",
        "            self.list_groups(groups, on_progress, missing)\n",
        "            pass\n",
        (f"{UPDATE}::test_a_variant_that_the_listing_hides_is_updated",),
    ),
    Mutant(
        "a feed that was refused counts as pushed",
        ROWS_LOST,
        "        least = self._least\n",
        "        least = self._least\n        self.store(rows, report)\n",
        (f"{SHRUNKEN}::test_min_rows_refuses_a_feed_that_lost_more",),
    ),
    Mutant(
        "a feed that lost rows passes without a word",
        ROWS_LOST,
        "size < before * (1 - MAX_LOSS)",
        "size < before * MAX_LOSS",
        (f"{SHRUNKEN}::test_a_feed_that_lost_many_rows_is_told_once",),
    ),
    Mutant(
        "an unchanged feed is not downloaded though its mapping has changed",
        ROWS_LOST,
        "__version__, _content(mapping)",
        "__version__",
        (f"{UNCHANGED}::test_a_mapping_that_has_changed_makes_it_download",),
    ),
    Mutant(
        "a failed push is remembered",
        "ads_cli/commands/products/feed_checks.py",
        "if result and result.is_complete:",
        "if result:",
        (f"{SHRUNKEN}::test_only_a_push_that_ended_is_remembered",),
    ),
    Mutant(
        "the command of --on-failure gets the secrets",
        HOOK,
        "if name not in secrets}",
        "if name}",
        (f"{ON_FAILURE}::test_no_secret_is_passed_on",),
    ),
    Mutant(
        "the summary is not masked",
        HOOK,
        'f"{mask(document)}\\n".encode()',
        'f"{document}\\n".encode()',
        (f"{ON_FAILURE}::test_no_secret_is_passed_on",),
    ),
    Mutant(
        "a person who presses Ctrl-C is told at once",
        HOOK,
        "CTRL_C = 130",
        "CTRL_C = 0",
        (f"{ON_FAILURE}::test_a_run_that_was_stopped_has_failed_unless_a_person_did_it",),
    ),
)
