"""Mutants of what a sync sends, and of what it must never delete."""

from .mutant import Mutant

SYNC = "tests/products/sync/test_sync.py"
LIMITS = "tests/products/sync/test_sync_limits.py"
RESUME = "tests/products/sync/test_sync_resume.py"
VARIANTS = "tests/products/sync/test_sync_variants.py"
DIFF = "tests/products/sync/test_variants.py"
KEPT = "tests/products/sync/test_not_kept.py"
LYING = "tests/products/sync/test_lying_ids.py"
MODEL = "tests/products/sync/test_model.py"

LIST = "tests/audiences/test_sync.py"

SYNCS = (
    Mutant(
        "a sync of a list deletes people by a ledger that is not trusted",
        "ads_cli/audiences/comparison.py",
        "        if self._opened.trust is not Trust.FULL:\n",
        "        if self._opened.trust is Trust.MISSING:\n",
        (f"{LIST}::test_a_copied_state_folder_deletes_nobody_and_sends_everybody",),
    ),
    Mutant(
        "a sync of a list does not add again who shares an identifier with one who left",
        "ads_cli/audiences/comparison.py",
        " or tag in self.found.affected:",
        ":",
        (f"{LIST}::test_one_who_shares_an_identifier_with_one_who_leaves_stays",),
    ),
    Mutant(
        "a sync of a list sends those who differ, and not those of whom something was deleted",
        "ads_cli/audiences/comparison.py",
        "            self._keeps_all = self._keeps_all and not again\n",
        "",
        (f"{LIST}::test_one_who_shares_an_identifier_with_one_who_leaves_stays",),
    ),
    Mutant(
        "a journal has a digest of one person that anybody can compute",
        "ads_cli/audiences/upload.py",
        "self._ledger.sealer.sealed_digest(self.users.digest(batch))",
        "self.users.digest(batch)",
        (f"{LIST}::test_nothing_in_the_state_folder_tells_of_somebody_without_the_key",),
    ),
    Mutant(
        "a sync deletes more than --max-delete",
        "ads_cli/commands/products/sync.py",
        "if deletions <= self.max_delete.of(differences.listed):",
        "if deletions:",
        (f"{LIMITS}::test_more_deletions_than_the_limit_end_a_sync_before_anything_is_sent",),
    ),
    Mutant(
        "variants behind one that is deleted are not looked for",
        "ads_cli/products/sync/comparison.py",
        "                    leaving[group] = None\n",
        "                    pass\n",
        (f"{VARIANTS}::test_variants_that_nothing_is_remembered_of_are_deleted_with_the_first_one",),
    ),
    Mutant(
        "hidden variants that left the feed are not looked for",
        "ads_cli/products/sync/comparison.py",
        "            self.list_groups(further, on_progress, left)\n",
        "",
        (f"{VARIANTS}::test_a_hidden_variant_that_left_the_feed_is_looked_for_and_deleted",),
    ),
    Mutant(
        "products whose ids are in the feed are deleted",
        "ads_cli/products/sync/comparison.py",
        "        self._of_rows.add(compared.in_feed)\n",
        "",
        (f"{SYNC}::test_the_product_of_an_invalid_row_is_not_deleted",),
    ),
    Mutant(
        "products are deleted before the others are written",
        "ads_cli/products/sync/plan.py",
        "        yield self._write_batches(numbers)\n",
        "        yield self._deletion_batches(numbers)\n        yield self._write_batches(numbers)\n",
        (f"{SYNC}::test_nothing_is_deleted_where_a_write_fails",),
    ),
    Mutant(
        "a resumed sync writes again what was acknowledged and still differs",
        "ads_cli/products/sync/plan.py",
        "return change.record < len(self._records) and bool(self._records[change.record])",
        "return False",
        (f"{RESUME}::test_a_row_that_the_service_did_not_keep_is_counted_and_not_sent_again",),
    ),
    Mutant(
        "a resumed sync deletes again what came back",
        "ads_cli/products/sync/plan.py",
        "return change.product_key in self._keys",
        "return False",
        (f"{RESUME}::test_a_product_that_came_back_is_not_deleted_again",),
    ),
    Mutant(
        "what was deleted without an answer is not counted",
        "ads_cli/products/sync/plan.py",
        "ack.counts[DELETED] = ack.counts.get(DELETED, 0) + len(gone)",
        "pass",
        (f"{RESUME}::test_a_sync_that_was_stopped_sends_the_rest_only[DELETE-reset-after]",),
    ),
    Mutant(
        "a deletion that an earlier run may have done is sent under another number",
        "ads_cli/products/sync/plan.py",
        "yield Batch(number, deletions)",
        "yield Batch(next(numbers), deletions)",
        (f"{RESUME}::test_a_key_that_is_unknown_counts_as_deleted_where_an_earlier_run_may_have_done_it",),
    ),
    Mutant(
        "an unseen product that is known is sent again",
        "ads_cli/products/sync/comparison.py",
        "if not (is_unseen and row.is_known and self.differences.is_confirmed):",
        "if row.creation:",
        (f"{VARIANTS}::test_a_variant_that_is_never_seen_is_sent_once_and_counted",),
    ),
    Mutant(
        "a product of an invalid row is deleted where its group is listed",
        "ads_cli/products/sync/comparison.py",
        "            self._of_rows.add(\n                product.number for product",
        "            list(\n                product.number for product",
        (f"{DIFF}::test_a_variant_whose_row_is_invalid_is_not_deleted_where_its_group_is_listed",),
    ),
    Mutant(
        "what a row empties is not sent to a service that merges",
        "ads_cli/products/sync/row_comparison.py",
        'added = {name: "" for name, field in fields.items() if field.new is None}',
        "added = dict[str, object]()",
        (f"{MODEL}::test_differences_that_are_applied_make_the_catalog_the_feed",),
    ),
    Mutant(
        "an update of a service that replaces loses what the feed does not have",
        "ads_cli/products/sync/row_comparison.py",
        "added = {name: old[name] for name in old if name not in new and name not in self.fields}",
        "added = dict[str, object]()",
        (f"{MODEL}::test_differences_that_are_applied_make_the_catalog_the_feed",),
    ),
    Mutant(
        "a write to a catalog without a epoch is not noticed",
        "ads_cli/commands/uploads/journal.py",
        "epoch = epochs.current(place) or epochs.begin(place)",
        "epoch = epochs.current(place)",
        (f"{LIMITS}::test_what_changes_while_the_catalog_is_listed_ends_a_sync_before_it_sends",),
    ),
    Mutant(
        "a sync begins while another run changes the catalog",
        "ads_cli/commands/uploads/journal.py",
        '    require_idle(call.settings.state_dir / "jobs", place)\n',
        "",
        (f"{LIMITS}::test_a_sync_does_not_begin_while_another_run_changes_the_catalog",),
    ),
    Mutant(
        "a push that is resumed while a sync lists the catalog is not noticed",
        "ads_cli/commands/products/sync.py",
        "        if _resumable_bytes(self.call) != self.resumable_bytes:",
        "        if False:",
        (f"{LIMITS}::test_a_push_that_is_resumed_while_the_catalog_is_listed_ends_a_sync_before_it_sends",),
    ),
    Mutant(
        "a sync that listed other variants is resumed",
        "ads_cli/products/sync/plan.py",
        '"verify": verify, "version"',
        '"version"',
        (f"{RESUME}::test_a_sync_that_lists_less_is_another_job",),
    ),
    Mutant(
        "a deleted product is still remembered",
        "ads_cli/products/sync/plan.py",
        "for change in self.differences)",
        "for change in self.differences.writes())",
        (f"{SYNC}::test_a_deleted_product_is_not_remembered",),
    ),
    Mutant(
        "a product is deleted that is listed under another form of the id of a row",
        "ads_cli/products/sync/row_comparison.py",
        "        self.add(number for each in found.values() for number in each)\n",
        "",
        (f"{LYING}::test_an_invalid_row_keeps_a_product_whose_id_differs_in_form_only",),
    ),
    Mutant(
        "a key is deleted that a row was acknowledged with in the same run",
        "ads_cli/products/sync/plan.py",
        "        self._pending.spare(journal.acknowledgements())\n",
        "",
        (f"{LYING}::test_a_first_sync_deletes_nothing_whose_id_differs_in_form_only[other]",),
    ),
    Mutant(
        "a key is deleted that a row was acknowledged with before",
        "ads_cli/products/sync/row_comparison.py",
        "            found.update(*remembered.get(id_hash(id), {}).values())\n",
        "            pass\n",
        (f"{LYING}::test_a_product_that_is_listed_under_another_form_of_its_id_is_never_deleted[other]",),
    ),
    Mutant(
        "a key is deleted that is listed under the id of a row too",
        "ads_cli/products/sync/row_comparison.py",
        '*listing.unmatched("product_key", (each.stored_key for each in products)).values(),',
        "",
        (f"{LYING}::test_a_key_that_is_listed_under_a_second_id_is_not_deleted",),
    ),
    Mutant(
        "a key is deleted under its second id, though its other id differs in form only from that of a row",
        "ads_cli/products/sync/row_comparison.py",
        '        found.update(*listing.unmatched("product_key", keys).values())\n',
        "",
        (f"{LYING}::test_a_product_whose_id_differs_in_form_only_is_not_deleted_under_its_second_id",),
    ),
    Mutant(
        "ids that a service may take for one are not told of",
        "ads_cli/validation/validator.py",
        "if len(remaining) > 1:",
        "if False:",
        (f"{LYING}::test_check_warns_of_ids_that_a_service_may_take_for_one",),
    ),
    Mutant(
        "what somebody else has changed is never repaired",
        "ads_cli/products/sync/comparison.py",
        "        if self._index.contains(change.repeat):\n",
        "        if True:\n",
        (f"{KEPT}::test_what_another_machine_changed_is_repaired_each_time",),
    ),
    Mutant(
        "what the service does not keep is sent each night",
        "ads_cli/products/sync/plan.py",
        "                    yield change.repeat, known\n",
        "                    pass\n",
        (f"{KEPT}::test_what_differs_after_it_was_sent_once_more_is_not_kept",),
    ),
    Mutant(
        "what was repaired once is not repaired when it is changed again",
        "ads_cli/products/sync/comparison.py",
        "            self.differences.forgotten.append(repeated)\n",
        "            pass\n",
        (f"{KEPT}::test_the_same_change_is_repaired_again_after_the_repair_was_seen",),
    ),
    Mutant(
        "a product that is not kept ends a sync with 0",
        "ads_cli/commands/uploads/push.py",
        "if shortfall := self.steps.shortfall():",
        "if shortfall := '':",
        (f"{KEPT}::test_other_rows_are_sent_where_a_product_is_not_kept",),
    ),
)
