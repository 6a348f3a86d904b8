"""Mutants of answers, sign-in, client and emulator."""

from .mutant import Mutant
from .tests_named import DELETED_UNANSWERED, NEVER_DELETED, NO_ANSWER

SIGNATURES = "tests/emulator/test_signatures.py"
PULL = "tests/products/test_pull_and_delete.py"
SIGN_IN = "tests/auth/test_signin.py"
OTHER_CLIENTS = "tests/emulator/test_other_clients.py"

OTHERS = (
    Mutant(
        "a condition of a declaration hides another one",
        "ads_cli/api/conditions.py",
        "            if name in vars(struct):\n",
        "            if False:\n",
        ("tests/api/test_conditions.py::test_a_condition_that_would_hide_another_one_is_no_declaration",),
    ),
    Mutant(
        "a command in a message is wrapped",
        "ads_cli/output/text.py",
        'found[0].replace(" ", "\\0")',
        "found[0]",
        ("tests/console/test_table_view.py::test_a_command_in_a_message_stays_whole",),
    ),
    Mutant(
        "ids that records have beside their own are not recorded for completion",
        "ads_cli/console/results.py",
        " | OTHER_IDS\n",
        "\n",
        (
            "tests/reference/test_completion.py::test_each_id_that_was_listed_is_offered_to_the_options_that_take_it",
        ),
    ),
    Mutant(
        "options that take an id are completed only where they belong to a request",
        "ads_cli/reference/__init__.py",
        "    if group := _recorded_group(param, path):\n",
        "    if False and (group := _recorded_group(param, path)):\n",
        ("tests/reference/test_completion.py::test_whatever_takes_an_id_is_completed_from_what_was_listed",),
    ),
    Mutant(
        "blank lines of a feed have no limit",
        "ads_cli/feeds/source.py",
        "if self._blank_lines > MAX_BLANK_LINES:",
        "if False:",
        ("tests/promises/test_hostile_lengths.py",),
    ),
    Mutant(
        "a value in the dictionary of a parquet file counts once, however often it is used",
        "ads_cli/feeds/formats/parquet.py",
        "size = sum(_decoded(column).nbytes for column in batch.columns)",
        "size = batch.nbytes",
        ("tests/feeds/test_read_parquet.py",),
    ),
    Mutant(
        "any refused key counts as deleted on a resume",
        "ads_cli/uploads/journal.py",
        "return batch in self.attempts",
        "return self.resumed",
        (NEVER_DELETED,),
    ),
    Mutant(
        "a key that was deleted without an answer counts as refused",
        "ads_cli/uploads/upload.py",
        "if response.may_be_repeated or attempts.may_be_applied(batch.number):",
        "if response.may_be_repeated:",
        (DELETED_UNANSWERED,),
    ),
    Mutant(
        "a batch that was refused for its rate counts as maybe applied",
        "ads_cli/uploads/upload.py",
        "        if not error.may_be_applied:\n            attempts.withdraw_attempt(batch.number)\n",
        "",
        (NEVER_DELETED,),
    ),
    Mutant(
        "a product that an answer does not mention counts",
        "ads_cli/products/plans.py",
        "if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):",
        "if isinstance(entries, list) and not all(isinstance(entry, dict) for entry in entries):",
        (NO_ANSWER,),
    ),
    Mutant(
        "a status that nobody knows counts as success",
        "ads_cli/products/plans.py",
        "if not isinstance(status, str) or status not in STATUSES or errors:",
        "if not isinstance(status, str) or status not in STATUSES:",
        ("tests/products/test_outcomes.py",),
    ),
    Mutant(
        "a POST that may have been applied is sent again",
        "ads_cli/client/client.py",
        "if is_last or (failed.may_be_applied and not prepared.retry):",
        "if is_last or (failed.may_be_applied and prepared.retry is None):",
        ("tests/client/test_retries.py::test_a_post_that_may_have_been_applied_is_not_retried",),
    ),
    Mutant(
        "a job ends before its result is shown",
        "ads_cli/commands/uploads/push.py",
        "        try:\n            self.hooks.show_result(summary, journal)\n",
        "        journal.finish()\n        try:\n            self.hooks.show_result(summary, journal)\n",
        (
            "tests/batches/test_once.py"
            "::test_what_was_created_and_not_shown_is_shown_by_the_next_run_and_sent_by_none",
        ),
    ),
    Mutant(
        "an answer that is not JSON is final",
        "ads_cli/client/response.py",
        "is_rate_limited or is_unreadable or has_bad_timestamp",
        "is_rate_limited or has_bad_timestamp",
        ("tests/client/test_retries.py::test_a_response_that_is_not_json_is_retried",),
    ),
    Mutant(
        "a 504 is final",
        "ads_cli/http/retry.py",
        "- {501, 505}",
        "- {501, 504, 505}",
        ("tests/client/test_retries.py::test_a_get_is_retried",),
    ),
    Mutant(
        "a stored token is sent to any address",
        "ads_cli/auth/secrets.py",
        "if address and not any(is_same_address(address, bound) for bound in secret.addresses):",
        "if address and not secret.addresses:",
        (f"{SIGN_IN}::test_a_stored_token_is_never_sent_to_another_address",),
    ),
    Mutant(
        "a file of secrets that others can read is used",
        "ads_cli/auth/secret_stores.py",
        "if mode & 0o077:",
        "if mode & 0o002:",
        (f"{SIGN_IN}::test_the_secrets_file_is_readable_only_by_its_owner",),
    ),
    Mutant(
        "the emulator accepts a request twice",
        "ads_cli/emulator/core/signatures.py",
        "            if use in self._nonces:\n                return False\n",
        "",
        (f"{SIGNATURES}::test_a_replayed_request_is_rejected",),
    ),
    Mutant(
        "the emulator accepts a wrong signature",
        "ads_cli/emulator/core/signatures.py",
        'if not is_signature_valid(incoming, params["oauth_signature"], keys):',
        'if not params["oauth_signature"]:',
        (f"{SIGNATURES}::test_a_request_changed_after_signing_is_rejected",),
    ),
    Mutant(
        "the emulator closes a connection that a request uses",
        "ads_cli/emulator/storage/__init__.py",
        "        if not self.lock.acquire(blocking=False):\n            return False\n",
        "        self.lock = threading.RLock()\n        self.lock.acquire()\n",
        (
            "tests/emulator/test_service.py"
            "::test_a_request_in_flight_keeps_its_connection_when_the_emulator_is_closed",
        ),
    ),
    Mutant(
        "the emulator keeps one of several products with an id",
        "ads_cli/emulator/resources/products.py",
        "if result.id is not None and occurrences[result.id] > 1:",
        "if result.id is not None and occurrences[result.id] > 99:",
        ("tests/emulator/test_products.py::test_products_with_a_repeated_id_are_rejected",),
    ),
    Mutant(
        "the emulator reports an unknown key as deleted",
        "ads_cli/emulator/resources/products.py",
        "[_deletion(key, key in deleted) for key in request.product_keys]",
        "[_deletion(key, True) for key in request.product_keys]",
        ("tests/emulator/test_products.py::test_delete_returns_a_result_per_key",),
    ),
    Mutant(
        "the emulator applies a part of a request with an invalid operation",
        "ads_cli/emulator/resources/audience_users.py",
        "if operations is None or any(map(broken_rules, operations)):",
        "if operations is None or all(map(broken_rules, operations)):",
        ("tests/emulator/test_audience_users.py::test_one_invalid_operation_rejects_the_whole_request",),
    ),
    Mutant(
        "the emulator of x answers no path of version 11",
        "ads_cli/emulator/core/routing.py",
        '"x": {"11": "12"}}',
        '"x": {}}',
        (f"{OTHER_CLIENTS}::test_paths_of_version_11_answer_as_those_of_version_12",),
    ),
    Mutant(
        "a strict emulator leaves unknown parameters out",
        "ads_cli/emulator/core/handlers.py",
        "        if context.is_strict:\n            raise\n",
        "",
        (f"{OTHER_CLIENTS}::test_a_strict_emulator_and_the_neutral_service_refuse_unknown_parameters",),
    ),
    Mutant(
        "the emulator of x keeps unknown fields inside a body",
        "ads_cli/emulator/core/request.py",
        "    if isinstance(value, Mapping) and (struct := _struct_of(field_type.structs, value)):\n",
        "    if isinstance(value, Mapping) and (struct := None):\n",
        (f"{OTHER_CLIENTS}::test_unknown_fields_inside_a_body_are_left_out",),
    ),
    Mutant(
        "an account of others is not found under x",
        "ads_cli/emulator/core/responses.py",
        '{"ACCOUNT_NOT_FOUND": 403}',
        '{"ACCOUNT_NOT_FOUND": 404}',
        (f"{OTHER_CLIENTS}::test_an_account_of_others_is_forbidden",),
    ),
    Mutant(
        "messages of the emulator of x have neutral names",
        "ads_cli/api/names.py",
        "return WORD.sub(renamed, message)",
        "return message",
        (f"{OTHER_CLIENTS}::test_messages_have_the_names_of_x",),
    ),
    Mutant(
        "core reads are limited as other reads",
        "ads_cli/api/rates.py",
        "10_000 if path.startswith(CORE_READS) else 2000",
        "2000",
        (f"{OTHER_CLIENTS}::test_core_reads_are_ten_thousand_and_others_two_thousand",),
    ),
    Mutant(
        "a video of a poll lasts a fraction of a second",
        "ads_cli/emulator/resources/media.py",
        'str(round(media["duration"]))',
        'str(media["duration"])',
        (f"{OTHER_CLIENTS}::test_videos_of_polls_last_whole_seconds",),
    ),
    Mutant(
        "the emulator of x promotes posts that do not exist",
        "ads_cli/emulator/resources/promoted.py",
        'if context.service == "x" and context.store.find(POST',
        'if context.service == "y" and context.store.find(POST',
        (f"{OTHER_CLIENTS}::test_only_posts_that_exist_are_promoted",),
    ),
    Mutant(
        "a deletion whose answer carries an error counts as deleted",
        "ads_cli/products/plans.py",
        'if entry.get("failed_product_key") or status == REJECTED or message:',
        'if entry.get("failed_product_key"):',
        ("tests/products/test_outcomes.py::test_a_deletion_that_carries_an_error_has_failed",),
    ),
    Mutant(
        "of a key that an answer has twice the last value counts",
        "ads_cli/http/response_body.py",
        "    if len(found) < len(pairs):\n",
        "    if False:\n",
        ("tests/products/test_outcomes.py::test_an_answer_with_a_key_twice_cannot_be_read",),
    ),
    Mutant(
        "of a key that a listed record has twice the last value counts",
        "ads_cli/client/response.py",
        "if is_flat and has_key_per_member(content, records):",
        "if is_flat:",
        ("tests/client/test_responses.py::test_a_listing_with_a_key_twice_in_one_object_cannot_be_read",),
    ),
    Mutant(
        "a product that two pages list is pulled twice",
        "ads_cli/products/pull.py",
        "            if not _is_new(seen, product):\n                continue\n",
        "",
        (f"{PULL}::test_a_product_that_is_listed_twice_is_written_once_and_the_file_passes_check",),
    ),
    Mutant(
        "an incomplete pull replaces the earlier file",
        "ads_cli/commands/products/pull.py",
        "if reader.missing and not allow_incomplete and file_to_replace(out.path):",
        "if False:",
        (f"{PULL}::test_an_incomplete_pull_is_told_and_keeps_the_earlier_file",),
    ),
    Mutant(
        "a pattern is the name of a new profile",
        "ads_cli/commands/auth/profile.py",
        "    check_new_name(call.settings, name)\n",
        "",
        ("tests/config/test_profiles.py::test_a_pattern_is_not_the_name_of_a_new_profile",),
    ),
    Mutant(
        "NaN and infinity are numbers, and sent as null",
        "ads_cli/api/types.py",
        "Number = Annotated[float, Meta(ge=-float_info.max, le=float_info.max)]",
        "Number = Annotated[float, Meta()]",
        (
            "tests/batches/test_conversions.py::"
            "test_a_value_that_json_has_no_number_for_is_refused_and_not_sent_as_none",
        ),
    ),
)
