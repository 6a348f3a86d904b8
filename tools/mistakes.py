"""Mistakes that no operator of a library makes: a step left out, or done in another order."""

from typing import NamedTuple

CRASH, STORIES = "tests/crash/long_crash.py", "tests/model/test_stories.py"


class Mistake(NamedTuple):
    """A mistake in one place of the code."""

    breaks: str  # what no longer holds
    file: str
    old: str  # occurs exactly once in the file
    new: str
    tests: tuple[str, ...]  # node ids; at least one of them must fail


MISTAKES = (
    Mistake(
        "a batch is sent before it is on disk that it may be applied",
        "ads_cli/runs/journal.py",
        "as_json(keys), CLOCK.time())\n                self.flush()\n",
        "as_json(keys), CLOCK.time())\n",
        (
            f"{CRASH}::test_a_resumed_delete_counts_what_an_unanswered_request_has_deleted",
            f"{CRASH}::test_records_are_created_once_where_a_person_looks_whether_the_uncertain_ones_exist",
        ),
    ),
    Mistake(
        "a file is renamed before its content is on disk",
        "ads_cli/config/atomic_files.py",
        "                os.fsync(self.fileno())\n",
        "                pass\n",
        (f"{CRASH}::test_a_profile_is_as_before_or_as_it_was_set_and_stays_once_it_is_set",),
    ),
    Mistake(
        "the folder of a replaced file is not synced: the earlier file comes back",
        "ads_cli/config/atomic_files.py",
        "                temporary.replace(path)\n            sync_folder(path.parent)\n",
        "                temporary.replace(path)\n",
        (f"{CRASH}::test_a_profile_is_as_before_or_as_it_was_set_and_stays_once_it_is_set",),
    ),
    Mistake(
        "no folder is synced",
        "ads_cli/config/atomic_files.py",
        "        os.fsync(descriptor)\n",
        "        pass\n",
        (f"{CRASH}::test_a_profile_is_as_before_or_as_it_was_set_and_stays_once_it_is_set",),
    ),
    Mistake(
        "a push that begins during a direct write is resumed",
        "ads_cli/store/epochs.py",
        "        finally:\n            self.end(target)\n",
        "        finally:\n            pass\n",
        ("tests/runs/test_write_epochs.py",),
    ),
    Mistake(
        "an epoch ends after a direct write only, and a power failure keeps it",
        "ads_cli/store/epochs.py",
        "        self.end(target)\n        try:\n            yield\n",
        "        try:\n            yield\n",
        (f"{CRASH}::test_a_push_that_another_command_may_have_overwritten_is_not_resumed[api PUT]",),
    ),
    Mistake(
        "a direct write does not end the epoch",
        "ads_cli/runs/targets.py",
        'return WriteEpochs(state_dir).changing(UploadTarget(service, match["kind"], match["id"]))',
        "return nullcontext()",
        (
            f"{STORIES}::test_a_push_is_not_resumed_where_anything_else_may_have_changed_its_catalog",
            f"{CRASH}::test_what_another_command_may_have_changed_is_sent_again[api PUT]",
        ),
    ),
    Mistake(
        "products are deleted before the others are written",
        "ads_cli/products/sync/plan.py",
        "        yield self._write_batches(numbers)\n",
        "        yield self._deletion_batches(numbers)\n        yield self._write_batches(numbers)\n",
        ("tests/products/sync/test_sync.py::test_nothing_is_deleted_where_a_write_fails",),
    ),
    Mistake(
        "products whose ids are in the feed are deleted",
        "ads_cli/products/sync/comparison.py",
        "        self._of_rows.add(product.number for product in listed.values())\n",
        "",
        ("tests/products/sync/test_sync.py::test_the_product_of_an_invalid_row_is_not_deleted",),
    ),
    Mistake(
        "the records of a list are sent before the files that they name",
        "ads_cli/commands/records/__init__.py",
        "            files.upload(plan.pending_items, journal, is_only=is_only)",
        "            pass",
        (
            "tests/media/test_files_in_lists.py::test_a_list_is_sent_in_its_order_with_each_file_uploaded_once",
        ),
    ),
    Mistake(
        "an amount is raised again by a command that was killed, and is called again",
        "ads_cli/commands/requests/several.py",
        "        if job and self._adds_up:\n",
        "        if False:\n",
        ("tests/runs/test_killed_changes.py::test_a_share_is_added_once_though_its_command_is_killed",),
    ),
    Mistake(
        "a run that is resumed computes again what it adds",
        "ads_cli/commands/requests/several.py",
        "        if job and self.resume and job.state == UNFINISHED:\n",
        "        if False:\n",
        (
            "tests/campaigns/test_many_records.py"
            "::test_a_share_that_was_added_to_some_records_is_added_to_the_others_alone",
        ),
    ),
    Mistake(
        "people are added before others are removed with whom the service removes them",
        "ads_cli/audiences/upload.py",
        "groups = [in_order] if is_mixed else [others, halves]",
        "groups = [halves, others]",
        (
            "tests/audiences/test_sync.py::test_who_is_removed_with_one_who_leaves_is_added_again_though_others_are_refused",
        ),
    ),
    Mistake(
        "a row that is left out is sent",
        "ads_cli/validation/row_validator.py",
        "            if row.left_out:\n",
        "            if False:\n",
        ("tests/feeds/test_steps.py::test_rows_left_out_are_counted_and_neither_validated_nor_sent",),
    ),
    Mistake(
        "a row that is left out is still in the feed that is compared",
        "ads_cli/products/selection.py",
        "            if checked.row.left_out:\n                state = LEFT_OUT\n            elif",
        "            if",
        ("tests/products/feeds/test_where.py::test_a_product_whose_row_is_left_out_is_only_in_the_catalog",),
    ),
    Mistake(
        "a digest does not cover what is sent",
        "ads_cli/runs/upload.py",
        "    for piece in pieces:\n        digest.update(piece)\n",
        "",
        ("tests/runs/test_batch_digests.py",),
    ),
    Mistake(
        "an acknowledgement does not say what was sent",
        "ads_cli/runs/push.py",
        "        ack.digest = upload.digest(batch)\n",
        "",
        (f"{STORIES}::test_a_push_is_resumed_at_any_spelling_of_its_address_and_sends_the_rest_only",),
    ),
    Mistake(
        "what is sent again is counted twice",
        "ads_cli/runs/plan.py",
        "            journal.discard([ack])\n",
        "            pass\n",
        (f"{STORIES}::test_batches_that_a_new_version_cuts_differently_lose_nobody",),
    ),
    Mistake(
        "what is sent once shares a connection",
        "ads_cli/http/network.py",
        'request.extensions.get("new_connection") or ',
        "",
        (
            "tests/http/test_leftover_bytes.py::test_an_answer_that_is_repeated_late_is_not_that_of_the_next_conversions",
        ),
    ),
    Mistake(
        "a ledger forgets who may be one person once one of their identifiers is deleted",
        "ads_cli/audiences/ledger_merge.py",
        "                persons.join(person, event.person, event.step)\n",
        "                pass\n",
        (
            "tests/audiences/test_sync.py::test_who_may_be_one_person_at_the_service_is_so_still_after_one_of_them_was_deleted",
        ),
    ),
    Mistake(
        "who disagrees in Chinese has agreed",
        "ads_cli/audiences/headers.toml",
        " 不同意,",
        "",
        ("tests/audiences/test_consent_headers.py::test_a_column_in_any_language_leaves_out_who_refused",),
    ),
)
