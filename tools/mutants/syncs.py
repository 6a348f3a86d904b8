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
SAID = "tests/audiences/test_sync_said.py"
MEMO = "tests/audiences/test_row_memo.py"

SYNCS = (
    Mutant(
        "ids that differ by a character that is not seen are always two products",
        "ads_cli/api/product_ids.py",
        "(0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), ",
        "",
        (f"{LYING}::test_ids_that_differ_by_any_character_that_is_not_seen_may_be_one_product",),
    ),
    Mutant(
        "a list that was changed a moment ago is changed again without a word",
        "ads_cli/commands/audiences/sync.py",
        "        self._note_recent_change()\n",
        "",
        (f"{SAID}::test_a_list_that_was_changed_in_the_last_hours_is_noted_before_it_is_changed_again",),
    ),
    Mutant(
        "a list that was changed 7 hours ago is said to be in work",
        "ads_cli/commands/audiences/sync.py",
        "timedelta(hours=least)",
        "timedelta(hours=most)",
        (f"{SAID}::test_a_list_that_was_changed_in_the_last_hours_is_noted_before_it_is_changed_again",),
    ),
    Mutant(
        "a dry run hides that --max-delete would refuse the sync",
        "ads_cli/commands/audiences/sync.py",
        "            self.call.messages.warn(excess)\n",
        "            pass\n",
        (f"{SAID}::test_a_dry_run_warns_that_more_would_be_deleted_than_may_be",),
    ),
    Mutant(
        "a sync that prunes in a fleet deletes people of a list that changed meanwhile",
        "ads_cli/commands/audiences/sync.py",
        ".get(GROUP_VARIABLE)) and not target.prune",
        ".get(GROUP_VARIABLE))",
        (
            f"{SAID}::test_in_a_fleet_only_a_sync_that_prunes_ends_where_something_else_changes_the_list_meanwhile",
        ),
    ),
    Mutant(
        "a list that was sent in part counts for --min-rows",
        "ads_cli/commands/audiences/sync.py",
        "if result and result.is_complete:",
        "if result:",
        (f"{SAID}::test_only_a_file_that_was_sent_whole_counts_for_min_rows",),
    ),
    Mutant(
        "a file of another name has not lost rows",
        "ads_cli/commands/audiences/sync.py",
        ", whole=target.prune)",
        ")",
        (f"{SAID}::test_min_rows_compares_with_the_last_sync_that_pruned_whatever_files_it_had",),
    ),
    Mutant(
        "who is added later is on the list",
        "ads_cli/audiences/ledger_log.py",
        "datetime.fromisoformat(params.effective_at) > now",
        "False",
        ("tests/audiences/test_sync.py::test_who_was_pushed_to_be_added_later_is_not_on_the_list_yet",),
    ),
    Mutant(
        "rejected rows are to be synced by themselves",
        "ads_cli/commands/audiences/sync.py",
        "correction: str = CORRECT_AND_SYNC",
        'correction: str = "sync it"',
        ("tests/audiences/test_sync.py::test_rejected_rows_are_not_to_be_synced_by_themselves",),
    ),
    Mutant(
        "an empty line for a record without an id",
        "ads_cli/output/records.py",
        "for id in ids if id)",
        "for id in ids)",
        ("tests/audiences/test_sync.py::test_ids_are_those_of_records_that_have_one",),
    ),
    Mutant(
        "two jobs that were not alone at their list seem to follow one another",
        "ads_cli/audiences/ledger.py",
        "known -= {NO_EPOCH, NOT_ALONE}",
        "known -= {NO_EPOCH}",
        ("tests/audiences/test_ledger.py::test_two_jobs_that_were_not_alone_do_not_follow_one_another",),
    ),
    Mutant(
        "a ledger is trusted though something else changed the list between two killed jobs",
        "ads_cli/audiences/ledger.py",
        "if is_complete and all(follows[1:]) else",
        "if is_complete else",
        (
            "tests/audiences/test_ledger.py"
            "::test_a_ledger_is_not_trusted_where_something_else_changed_the_list_between_two_killed_jobs",
        ),
    ),
    Mutant(
        "a ledger is trusted that lacks whom a log under a lost key names",
        "ads_cli/audiences/ledger.py",
        "not damaged and own_key == ended and",
        "not damaged and",
        (
            "tests/audiences/test_ledger.py"
            "::test_a_ledger_is_not_trusted_that_lacks_whom_a_log_under_a_lost_key_names",
        ),
    ),
    Mutant(
        "who is one person counts as known though not everybody was sent again",
        "ads_cli/audiences/ledger.py",
        " or (before.info.links_unknown and not sent_all)",
        "",
        (
            "tests/audiences/test_ledger.py"
            "::test_who_is_one_person_stays_unknown_until_a_job_has_sent_everybody",
        ),
    ),
    Mutant(
        "who has a late end of their own is remembered longer than the service keeps them",
        "ads_cli/audiences/ledger_log.py",
        "return min(month_of(datetime.fromisoformat(params.expires_at)), default)",
        "return month_of(datetime.fromisoformat(params.expires_at))",
        ("tests/audiences/test_ledger.py::test_nobody_is_remembered_longer_than_the_service_keeps_them",),
    ),
    Mutant(
        "two people of a list who become one are not sent as one",
        "ads_cli/audiences/ledger_lookup.py",
        " and (len(digests) == 1 or NO_TAG not in tags)",
        "",
        (f"{LIST}::test_two_people_who_become_one_are_sent_as_one",),
    ),
    Mutant(
        "a ledger forgets who may be one person once an identifier is sent alone",
        "ads_cli/audiences/ledger_merge.py",
        "tag = tag_of(digest) if is_tag_lost else entry.tag",
        "tag = entry.tag",
        (f"{LIST}::test_who_may_be_one_person_at_the_service_is_so_still_after_one_of_them_was_deleted",),
    ),
    Mutant(
        "two segments of a memo are sealed with the same mask",
        "ads_cli/audiences/memo_file.py",
        "        self._number += 1\n",
        "",
        (f"{MEMO}::test_no_two_segments_have_the_same_mask",),
    ),
    Mutant(
        "who was refused counts as one who is on the list",
        "ads_cli/audiences/sync_plan.py",
        "if not journal.totals[FAILED]:",
        "if True:",
        (f"{LIST}::test_who_was_refused_is_sent_again_though_the_list_has_all_their_identifiers",),
    ),
    Mutant(
        "a resumed sync of a list gives a request the number of one that is acknowledged",
        "ads_cli/audiences/sync_plan.py",
        "max(journal.acknowledged, default=-1) + 1",
        "len(journal.acknowledged)",
        (
            f"{LIST}::test_all_requests_of_a_sync_are_counted_though_one_fails_before_a_later_one_is_acknowledged",
        ),
    ),
    Mutant(
        "people are remembered as long as the service keeps them, and not sent again before",
        "ads_cli/audiences/upload.py",
        "REMEMBERED_MONTHS = 12",
        "REMEMBERED_MONTHS = 13",
        (f"{MEMO}::test_people_are_sent_again_before_the_service_forgets_them_though_their_rows_are_known",),
    ),
    Mutant(
        "a job of a list is resumed with people that --keep-partial leaves out",
        "ads_cli/audiences/plan.py",
        '                "keep_partial": self.packing.keep_partial,\n',
        "",
        ("tests/audiences/test_resume.py::test_a_list_that_is_packed_otherwise_is_another_job",),
    ),
    Mutant(
        "a job of a list is resumed with phone numbers of another country",
        "ads_cli/audiences/plan.py",
        '                "region_column": ",".join(uses.countries) or None,\n',
        "",
        ("tests/audiences/test_resume.py::test_a_list_that_is_packed_otherwise_is_another_job",),
    ),
    Mutant(
        "a damaged ledger is replaced by the log of a killed job, and nobody is told",
        "ads_cli/audiences/ledger.py",
        "return opened._replace(trust=Trust.LOST, reason=lost) if lost else opened",
        "return opened",
        (
            "tests/audiences/test_ledger.py"
            "::test_a_damaged_ledger_is_told_though_the_log_of_a_killed_job_replaces_it",
        ),
    ),
    Mutant(
        "a ledger is used whose records have lost a byte",
        "ads_cli/audiences/ledger_file.py",
        "crc, left = crc32(block, crc), left - len(block)",
        "left -= len(block)",
        ("tests/audiences/test_ledger.py::test_a_ledger_with_any_byte_changed_is_lost",),
    ),
    Mutant(
        "a list whose first job is running is said to be forgotten by the service",
        "ads_cli/commands/uploads/jobs.py",
        '"" < info.changed < oldest',
        "info.changed < oldest",
        (f"{LIST}::test_jobs_clean_names_no_list_whose_first_job_is_running",),
    ),
    Mutant(
        "a sync of a list deletes people by a ledger that is not trusted",
        "ads_cli/audiences/comparison.py",
        "        if self._opened.trust is not Trust.FULL:\n",
        "        if self._opened.trust is Trust.MISSING:\n",
        (f"{LIST}::test_a_copied_state_folder_deletes_nobody_and_sends_everybody",),
    ),
    Mutant(
        "people are deleted though a row that cannot be read may be theirs",
        "ads_cli/audiences/ledger_lookup.py",
        "if row in mistaken and not known:",
        "if False:",
        (f"{LIST}::test_nobody_is_deleted_where_a_row_may_be_anybodys",),
    ),
    Mutant(
        "people are taken for removed who became one with somebody after that was removed",
        "ads_cli/audiences/ledger_merge.py",
        "(tag, BEFORE)) > joined:",
        "(tag, BEFORE)) > BEFORE:",
        ("tests/audiences/test_ledger_merge.py::test_a_removal_is_of_those_who_were_one_person_before_it",),
    ),
    Mutant(
        "a ledger forgets who may be one person once one of their identifiers is deleted",
        "ads_cli/audiences/ledger_merge.py",
        "                self._tags.join(old_tag, change.entry.tag, change.step)\n",
        "                pass\n",
        (f"{LIST}::test_who_may_be_one_person_at_the_service_is_so_still_after_one_of_them_was_deleted",),
    ),
    Mutant(
        "a sync of a list does not add again who shares an identifier with one who left",
        "ads_cli/audiences/comparison.py",
        " or tag in self._affected:",
        ":",
        (f"{LIST}::test_one_who_shares_an_identifier_with_one_who_leaves_stays",),
    ),
    Mutant(
        "a sync of a list sends those who differ, and not those of whom something was deleted",
        "ads_cli/audiences/comparison.py",
        "            self._kept = None  # it has only those who differ\n",
        "            pass\n",
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
        "a journal has the plain digest of a file of people",
        "ads_cli/audiences/plan.py",
        "self._settings.sealed(feed.digest)",
        "feed.digest",
        (f"{LIST}::test_nothing_in_the_state_folder_tells_of_somebody_without_the_key",),
    ),
    Mutant(
        "a memo of rows is used with another ledger than its own",
        "ads_cli/audiences/row_memo.py",
        "if not stored or stored.header.ledger != ledger:",
        "if not stored:",
        (f"{MEMO}::test_a_memo_counts_for_one_ledger_and_one_key_only",),
    ),
    Mutant(
        "a damaged memo of rows is used",
        "ads_cli/audiences/memo_file.py",
        "if checksum != _checksum(key, crc, encoded):",
        "if False:",
        (f"{MEMO}::test_a_memo_counts_for_one_ledger_and_one_key_only",),
    ),
    Mutant(
        "rows are known again that are read with other options",
        "ads_cli/audiences/row_shapes.py",
        ".translate(mask)",
        "",
        (f"{MEMO}::test_other_options_read_all_rows_again",),
    ),
    Mutant(
        "rows that differ in a digit may pass for equal",
        "ads_cli/audiences/row_shapes.py",
        "for at in range(HALF_BYTES):",
        "for at in range(HALF_BYTES - 1):",
        (f"{MEMO}::test_rows_differ_that_differ_in_a_digit",),
    ),
    Mutant(
        "rows with findings are known again, and their findings are not told",
        "ads_cli/audiences/row_shapes.py",
        "    for row in findings:\n        numbers[row] = NO_SHAPE\n",
        "",
        (f"{MEMO}::test_a_doubt_is_told_each_time",),
    ),
    Mutant(
        "somebody is deleted whom another known row has",
        "ads_cli/audiences/row_memo.py",
        "rows[position] = count + 1",
        "rows[position] = 1",
        (f"{MEMO}::test_one_whom_a_second_row_has_later_stays_with_one_of_them",),
    ),
    Mutant(
        "halves of a refused removal are sent after the additions of their request",
        "ads_cli/audiences/upload.py",
        "groups = [in_order] if is_mixed else [others, halves]",
        "groups = [others, halves]",
        (
            "tests/audiences/test_sync.py::"
            "test_who_is_removed_with_one_who_leaves_is_added_again_though_a_removal_is_refused",
        ),
    ),
    Mutant(
        "people are added before others are removed with whom the service removes them",
        "ads_cli/audiences/upload.py",
        "groups = [in_order] if is_mixed else [others, halves]",
        "groups = [halves, others]",
        (
            "tests/audiences/test_sync.py::"
            "test_who_is_removed_with_one_who_leaves_is_added_again_though_others_are_refused",
        ),
    ),
    Mutant(
        "blank rows that a condition leaves out are known, and counted, in a later sync",
        "ads_cli/audiences/list_packer.py",
        "packed.shaped = packed.shaped and packed.shaped.without(blank)",
        "packed.shaped = packed.shaped and packed.shaped.without([])",
        ("tests/audiences/test_sync.py::test_blank_rows_are_no_rows_in_a_later_sync_either",),
    ),
    Mutant(
        "an id of ones own loses its text where it is removed and then added",
        "ads_cli/audiences/ledger_merge.py",
        "removed.add(digest)\n                continue\n",
        "removed.add(digest)\n                self._texts.pop(digest, None)\n                continue\n",
        (
            "tests/audiences/test_ledger.py::"
            "test_an_id_of_ones_own_that_is_removed_and_added_again_comes_back",
        ),
    ),
    Mutant(
        "so many known rows have a record that their number is not known, and is counted down",
        "ads_cli/audiences/row_memo.py",
        "if not 0 < self._rows[position] < MANY:",
        "if not 0 < self._rows[position] <= MANY:",
        (f"{MEMO}::test_one_whom_very_many_known_rows_have_stays_until_the_last_of_them_leaves",),
    ),
    Mutant(
        "who shares a tag with one who left is not sent again where their row is known",
        "ads_cli/audiences/comparison.py",
        'raise UnfitError("somebody',
        'str("somebody',
        (f"{MEMO}::test_one_of_a_known_row_who_was_kept_together_with_one_who_leaves_is_sent_again",),
    ),
    Mutant(
        "people of known rows are not sent again before the service forgets them",
        "ads_cli/audiences/ledger.py",
        "not self.info.uncertain and month < self.info.until",
        "not self.info.uncertain",
        (f"{MEMO}::test_people_are_sent_again_before_the_service_forgets_them_though_their_rows_are_known",),
    ),
    Mutant(
        "a sync deletes more than --max-delete",
        "ads_cli/numbers.py",
        'if deletions > self.most.of(total) else ""',
        'if False else ""',
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
        'emptied = {name: "" for name, field in fields.items() if field.new is None and self.merges}',
        "emptied = dict[str, object]()",
        (f"{MODEL}::test_differences_that_are_applied_make_the_catalog_the_feed",),
    ),
    Mutant(
        "an update of a service that replaces loses what the feed does not have",
        "ads_cli/products/sync/row_comparison.py",
        "return {name: value for name, value in listed.values.items() if name not in own}",
        "return {}",
        (f"{MODEL}::test_differences_that_are_applied_make_the_catalog_the_feed",),
    ),
    Mutant(
        "a sync remembers a row whose product keeps other fields as a push would",
        "ads_cli/products/sync/row_comparison.py",
        "return kept_digest(creation.digest, kept) if kept else creation.digest",
        "return creation.digest",
        (
            "tests/products/sync/test_emptied.py"
            "::test_a_push_after_a_sync_empties_the_fields_that_the_sync_had_left",
        ),
    ),
    Mutant(
        "a product that left the feed counts again where it was sent once more",
        "ads_cli/products/digest_index.py",
        "return min(hashed_id, repeat_hash(hashed_id))",
        "return hashed_id",
        (
            "tests/products/sync/test_sync_variants.py"
            "::test_a_product_that_was_sent_once_more_and_left_counts_once",
        ),
    ),
    Mutant(
        "a row of several files is compared in the fields of the first one",
        "ads_cli/products/sync/row_comparison.py",
        "return self.fields[bisect_left(self.ends, record)]",
        "return self.fields[0]",
        (
            "tests/products/sync/test_emptied.py"
            "::test_of_several_files_each_row_has_the_fields_of_its_own_file[order0-generic]",
        ),
    ),
    Mutant(
        "a write to a catalog without a epoch is not noticed",
        "ads_cli/commands/uploads/journal.py",
        "epoch = epochs.current(target) or epochs.begin(target)",
        "epoch = epochs.current(target)",
        (f"{LIMITS}::test_what_changes_while_the_catalog_is_listed_ends_a_sync_before_it_sends",),
    ),
    Mutant(
        "a sync begins while another run changes the catalog",
        "ads_cli/commands/uploads/journal.py",
        '    require_idle(call.settings.state_dir / "jobs", target)\n',
        "",
        (f"{LIMITS}::test_a_sync_does_not_begin_while_another_run_changes_the_catalog",),
    ),
    Mutant(
        "a push that is resumed while a sync lists the catalog is not noticed",
        "ads_cli/commands/products/comparison.py",
        "        if resumable_bytes(self.call) != self.resumable_bytes:",
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
        "            found.update(*listing.unmatched_by_key(keys).values())\n",
        "",
        (f"{LYING}::test_a_key_that_is_listed_under_a_second_id_is_not_deleted",),
    ),
    Mutant(
        "a key is deleted under its second id, though its other id differs in form only from that of a row",
        "ads_cli/products/sync/row_comparison.py",
        "        found.update(*listing.unmatched_by_key(shared).values())\n",
        "",
        (f"{LYING}::test_a_product_whose_id_differs_in_form_only_is_not_deleted_under_its_second_id",),
    ),
    Mutant(
        "ids that a service may take for one are not told of",
        "ads_cli/validation/row_validator.py",
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
        "if shortfall := self.hooks.shortfall():",
        "if shortfall := '':",
        (f"{KEPT}::test_other_rows_are_sent_where_a_product_is_not_kept",),
    ),
    Mutant(
        "the id of a row outside of the scope counts as unreadable",
        "ads_cli/products/sync/row_comparison.py",
        "if row.problem and row.problem_rule != OUT_OF_SCOPE:",
        "if row.problem:",
        (
            "tests/products/sync/test_variants.py"
            "::test_rows_outside_of_a_scope_are_errors_and_their_products_are_not_deleted",
        ),
    ),
    Mutant(
        "a value that no feed can hold makes texts of its product's others",
        "ads_cli/products/sync/listed_products.py",
        "        _encode(value)\n",
        "        raise TypeError\n",
        (
            "tests/products/sync/test_database.py"
            "::test_a_value_that_no_feed_can_hold_changes_no_other_one_of_its_product",
        ),
    ),
    Mutant(
        "a list of the catalog must be of texts",
        "ads_cli/products/normal_form.py",
        'return ",".join(map(str, value)) if',
        'return ",".join(value) if',
        (
            "tests/products/sync/test_completion.py"
            "::test_a_list_of_the_catalog_completes_a_row_as_a_cell_whatever_its_items_are",
        ),
    ),
    Mutant(
        "bytes within a record are taken for one",
        "ads_cli/audiences/ledger_file.py",
        "    while at >= 0 and at % width:\n",
        "    while False:\n",
        ("tests/audiences/test_ledger.py::test_whole_records_are_found_and_no_bytes_within_others",),
    ),
    Mutant(
        "one of several digests that begin so is taken for the only one",
        "ads_cli/audiences/ledger_file.py",
        " or _find_record(part, beginning, width, first + width) >= 0",
        "",
        ("tests/audiences/test_ledger.py::test_whole_records_are_found_and_no_bytes_within_others",),
    ),
    Mutant(
        "plain records are searched for tags",
        "ads_cli/audiences/ledger_file.py",
        "        if self.width == PLAIN_BYTES:\n            return\n",
        "",
        ("tests/audiences/test_ledger.py::test_whole_records_are_found_and_no_bytes_within_others",),
    ),
)
