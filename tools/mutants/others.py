"""Mutants of answers, sign-in, client and emulator."""

from .mutant import Mutant
from .tests_named import DELETED_UNANSWERED, NEVER_DELETED, NO_ANSWER

HISTORY = (
    "tests/emulator/resources/test_settings.py"
    "::test_the_history_is_of_one_entity_one_user_and_the_hours_before_its_end"
)
SIGNATURES = "tests/emulator/test_signatures.py"
PULL = "tests/products/test_pull_and_delete.py"
SIGN_IN, KEYRING = "tests/auth/test_signin.py", "tests/auth/test_keyring.py"
LIMITER = "tests/client/test_rate_limiter.py"
OTHER_CLIENTS = "tests/emulator/test_other_clients.py"

EMULATOR = "tests/commands/test_emulator.py"

OTHERS = (
    Mutant(
        "the app's token creates no webhook where nobody is signed in",
        "ads_cli/commands/webhooks.py",
        'identity = "user" if is_signed_in else "bearer"',
        'identity = "user"',
        ("tests/commands/test_webhooks.py::test_who_is_signed_in_creates_a_webhook_and_else_the_app",),
    ),
    Mutant(
        "a command of emulator exec inherits a profile, which outranks the emulator",
        "ads_cli/commands/emulator.py",
        'if name != "ADSCTL_PROFILE" and not',
        "if not",
        (f"{EMULATOR}::test_exec_sets_the_variables_of_its_command",),
    ),
    Mutant(
        "a command of emulator exec inherits files of secrets",
        "ads_cli/commands/emulator.py",
        'name.endswith("_FILE")',
        'name.endswith("_SECRET_FILE")',
        (f"{EMULATOR}::test_exec_sets_the_variables_of_its_command",),
    ),
    Mutant(
        "a membership may end as it begins",
        "ads_cli/api/users.py",
        "self.expires_at.moment <= self.effective_at.moment",
        "self.expires_at.moment < self.effective_at.moment",
        ("tests/emulator/test_audience_users.py::test_one_invalid_operation_rejects_the_whole_request",),
    ),
    Mutant(
        "the cursor of an envelope skips records after a limit",
        "ads_cli/client/client.py",
        'changes["count"] = min(size, left)',
        'changes["count"] = size',
        (
            "tests/promises/test_contract.py::"
            "test_the_cursor_of_an_envelope_follows_the_last_record_that_is_shown",
        ),
    ),
    Mutant(
        "an option takes any number that Python does",
        "ads_cli/console/parameters.py",
        "if not WHOLE_NUMBER.fullmatch(text):",
        'if not re.fullmatch(r"[\\w\\s+-]+", text):',
        ("tests/console/test_typer.py::test_a_number_is_written_in_plain_digits",),
    ),
    Mutant(
        "a signal without a name ends with a traceback",
        "ads_cli/console/on_failure.py",
        "names.get(-code, f'signal {-code}')",
        "names[-code]",
        ("tests/console/test_on_failure.py::test_its_own_failure_is_told_and_changes_nothing",),
    ),
    Mutant(
        "a narrow terminal cuts the numbers of a chart",
        "ads_cli/output/charts.py",
        'or "no numbers")',
        'or "no numbers", no_wrap=True, overflow="crop")',
        ("tests/output/test_views.py::test_a_number_is_never_cut",),
    ),
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
        ("tests/output/test_table_view.py::test_a_command_in_a_message_stays_whole",),
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
        "ads_cli/feeds/decoding.py",
        'elif (blank_lines := blank_lines + block.count(b"\\n")) > MAX_BLANK_LINES:',
        "elif False:",
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
        "        if not error.may_be_applied:\n            attempts.withdraw_attempt(batch)\n",
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
        "a reader that has gone hides why a push failed",
        "ads_cli/commands/uploads/push.py",
        "            unshown = problem\n",
        "            raise\n",
        ("tests/console/test_on_failure.py::test_a_push_that_fails_says_so_where_nobody_reads_its_summary",),
    ),
    Mutant(
        "a word that is not UTF-8 is a bug",
        "ads_cli/console/parameters.py",
        "        if not (text.isascii() or any(mark",
        "        if not (text or any(mark",
        ("tests/console/test_not_utf8.py::test_a_word_that_is_not_utf8_is_refused",),
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
        "ads_cli/client/transport.py",
        "is_rate_limited or is_unreadable or has_bad_timestamp",
        "is_rate_limited or has_bad_timestamp",
        ("tests/client/test_retries.py::test_a_response_that_is_not_json_is_retried",),
    ),
    Mutant(
        "a rule that calls a method is not checked beside invalid fields",
        "ads_cli/api/validation.py",
        "        if name in self._struct.__struct_fields__:\n",
        "        if True:\n",
        (
            "tests/api/test_validation.py::test_a_rule_that_reads_no_invalid_field_is_checked_beside_other_problems",
        ),
    ),
    Mutant(
        "a weekly import of a feed has no day",
        "ads_cli/api/catalog.py",
        "(self.repeat is None or self.repeat in HOURS)",
        "self.repeat in HOURS",
        ("tests/products/test_scheduled_feeds.py::test_a_schedule_repeats_as_its_frequency_needs",),
    ),
    Mutant(
        "a part of an hour is a whole one",
        "ads_cli/api/time.py",
        "moment.minute or moment.second or moment.microsecond",
        "moment.minute or moment.second",
        ("tests/api/test_time.py::test_an_hour_is_a_whole_one",),
    ),
    Mutant(
        "a time that UTC cannot write is a bug",
        "ads_cli/api/time.py",
        "    except OverflowError:\n",
        "    except KeyError:\n",
        ("tests/api/test_time.py::test_a_time_that_utc_cannot_write_is_not_valid",),
    ),
    Mutant(
        "two hours of different offsets differ by a day",
        "ads_cli/api/statistics.py",
        "item.start_time.is_day != item.end_time.is_day",
        "len(item.start_time) != len(item.end_time)",
        ("tests/api/test_time.py::test_only_a_day_beside_an_hour_may_differ_by_the_time_zone",),
    ),
    Mutant(
        "a date without a zone is that of this machine",
        "ads_cli/http/retry.py",
        "tzinfo=moment.tzinfo or UTC",
        "tzinfo=moment.tzinfo",
        ("tests/client/test_retries.py::test_a_date_without_a_zone_is_read_in_utc",),
    ),
    Mutant(
        "the path of an item keeps its neutral name",
        "ads_cli/api/names.py",
        r're.sub(r"\w+", lambda found: self.name(found[0]), path)',
        '".".join(map(self.name, path.split(".")))',
        ("tests/api/test_names.py::test_the_path_of_a_field_is_translated_wherever_it_has_positions",),
    ),
    Mutant(
        "an amount of null is not one",
        "ads_cli/api/amounts.py",
        "        if value is None:\n",
        "        if False:\n",
        ("tests/api/test_money.py::test_an_amount_of_null_is_not_given",),
    ),
    Mutant(
        "a value that looks like the end of an error is taken for a field",
        "ads_cli/api/validation.py",
        '.rpartition("`$.")[2]',
        '.partition("`$.")[2]',
        ("tests/api/test_validation.py::test_every_error_of_msgspec_names_the_field_that_it_is_about",),
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
        "a sign-in keeps what the profile had of another service",
        "ads_cli/commands/auth/login.py",
        "name: None if value == usual.get(name) else value for name, value in chosen.items()",
        "name: value for name, value in chosen.items() if value != usual.get(name)",
        (
            f"{SIGN_IN}::test_a_profile_is_of_the_service_that_was_signed_in_to_last",
            f"{SIGN_IN}::test_a_profile_forgets_addresses_where_the_usual_ones_were_signed_in_to",
        ),
    ),
    Mutant(
        "a raw POST that may have been applied is sent again",
        "ads_cli/commands/api.py",
        """method != "POST"\n""",
        "True\n",
        ("tests/commands/test_api.py::test_a_raw_post_that_may_have_been_applied_is_not_sent_again",),
    ),
    Mutant(
        "a callback is accepted twice",
        "ads_cli/auth/sign_in.py",
        """            self._token = ""  # a second callback is rejected\n""",
        "",
        ("tests/auth/test_callback.py::test_a_callback_counts_once",),
    ),
    Mutant(
        "a shorter pause ends a longer one",
        "ads_cli/client/rate_limiter.py",
        "max(until, self._paused_until)",
        "until",
        (f"{LIMITER}::test_a_longer_pause_outlasts_a_shorter_one_that_is_asked_for_later",),
    ),
    Mutant(
        "a late response of the last window counts in this one",
        "ads_cli/client/rate_limiter.py",
        "elif reset >= self._reset - RESET_TOLERANCE_SECONDS and",
        "elif",
        (f"{LIMITER}::test_a_late_response_of_the_last_window_says_nothing_of_this_one",),
    ),
    Mutant(
        "a sign-in that cannot be stored removes the one before",
        "ads_cli/commands/auth/login.py",
        "    store.put(settings.profile, done.secrets)\n",
        "    store.delete(settings.profile, SIGN_IN_SECRETS)\n"
        "    store.put(settings.profile, done.secrets)\n",
        (f"{SIGN_IN}::test_a_sign_in_that_is_stopped_at_any_step_leaves_the_one_before",),
    ),
    Mutant(
        "a parameter of a raw request is left out where it is repeated",
        "ads_cli/commands/api.py",
        "        if name in found:\n",
        "        if False:\n",
        ("tests/commands/test_api.py::test_an_invalid_request_is_a_usage_error",),
    ),
    Mutant(
        "a file of secrets that others can read is used",
        "ads_cli/auth/secret_stores.py",
        "mode & 0o077:",
        "mode & 0o002:",
        (f"{SIGN_IN}::test_the_secrets_file_is_readable_only_by_its_owner",),
    ),
    Mutant(
        "a secret that cannot be read stays in the keyring",
        "ads_cli/auth/secret_stores.py",
        "            if self._text(profile, name) is not None:\n",
        "            if self.get(profile, name) is not None:\n",
        (f"{KEYRING}::test_a_profile_whose_secrets_cannot_be_read_is_removed_with_them[keyring]",),
    ),
    Mutant(
        "a secret that cannot be read is not replaced in the keyring",
        "ads_cli/auth/secret_stores.py",
        "before = {name: self._text(profile, name) for name in secrets}",
        "before = {name: self.get(profile, name) and self._text(profile, name) for name in secrets}",
        (f"{KEYRING}::test_a_sign_in_replaces_secrets_that_cannot_be_read[keyring-null]",),
    ),
    Mutant(
        "a sign-in uses an app's key that cannot be read",
        "ads_cli/auth/secrets.py",
        "            if self.replaces_stored:\n",
        "            if False:\n",
        (f"{KEYRING}::test_a_sign_in_replaces_secrets_that_cannot_be_read[file-null]",),
    ),
    Mutant(
        "cards that do not exist are left out without a word",
        "ads_cli/commands/campaigns/lookups.py",
        "if card not in found]",
        "if False]",
        ("tests/emulator/resources/test_creatives.py::test_cards_that_do_not_exist_are_named",),
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
        "the emulator shows what is in accounts of others",
        "ads_cli/emulator/core/handlers.py",
        "if self.request_type and IN_ACCOUNT in endpoint.path:",
        "if not self.request_type and IN_ACCOUNT in endpoint.path:",
        ("tests/emulator/test_account_resources.py::test_resources_of_inaccessible_accounts_are_not_found",),
    ),
    Mutant(
        "the emulator's history has the hour at its end",
        "ads_cli/emulator/resources/history.py",
        '"created_at < ?"',
        '"created_at <= ?"',
        (HISTORY,),
    ),
    Mutant(
        "the emulator's history has the changes of every user",
        "ads_cli/emulator/resources/history.py",
        '        | field_is("change_by.user_id", user)\n',
        "",
        (HISTORY,),
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
        "ads_cli/emulator/app.py",
        "unknown=None if self._is_strict else [],",
        "unknown=[],",
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
        "a pull ends at the third group that cannot be listed, though others could",
        "ads_cli/products/pull.py",
        "        self._failed_in_a_row = 0\n        return members",
        "        return members",
        (f"{PULL}::test_a_pull_goes_on_without_two_groups_in_a_row_and_ends_at_three",),
    ),
    Mutant(
        "an incomplete pull replaces the earlier file",
        "ads_cli/commands/products/pull.py",
        "if out and reader.missing and not allow_incomplete and file_to_replace(out.path):",
        "if False:",
        (f"{PULL}::test_an_incomplete_pull_is_told_and_keeps_the_earlier_file",),
    ),
    Mutant(
        "a pattern is the name of a new profile",
        "ads_cli/config/profiles.py",
        "    check_new_name(settings, profile)\n",
        "",
        ("tests/config/test_profiles.py::test_a_pattern_is_not_the_name_of_a_new_profile",),
    ),
    Mutant(
        "a post that was sent must still be to come",
        "ads_cli/commands/batches/__init__.py",
        "reader.postponed_rules = RULES_OF_TIME",
        "reader.postponed_rules = ()",
        ("tests/batches/test_scheduled_posts.py::test_only_what_is_still_to_be_sent_must_be_to_come",),
    ),
    Mutant(
        "a resumed run sends a post whose time has passed",
        "ads_cli/commands/batches/__init__.py",
        "if (report := self.plan.overdue).invalid:",
        "if not (report := self.plan.overdue):",
        (
            "tests/batches/test_scheduled_posts.py::test_what_is_not_sent_in_its_time_is_corrected_in_the_file",
        ),
    ),
    Mutant(
        "a dry run does not check values of a profile",
        "ads_cli/commands/auth/profile.py",
        """    checked = checked_values(call.settings, name, pairs)
    _confirm_looser(call, name, guard_values(pairs))
    if call.is_dry_run(f"set {', '.join(pairs)} of the profile {name}"):
        return
""",
        """    _confirm_looser(call, name, guard_values(pairs))
    if call.is_dry_run(f"set {', '.join(pairs)} of the profile {name}"):
        return
    checked = checked_values(call.settings, name, pairs)
""",
        ("tests/config/test_profiles.py::test_a_dry_run_refuses_what_would_be_refused",),
    ),
    Mutant(
        "an empty default of the configuration stays empty",
        "ads_cli/config/profiles.py",
        'config["profile"] = config.get("profile") or profile',
        'config.setdefault("profile", profile)',
        ("tests/config/test_profiles.py::test_a_profile_becomes_the_default_where_the_file_names_none",),
    ),
    Mutant(
        "a profile that was removed stays the default",
        "ads_cli/commands/auth/profile.py",
        '            del config["profile"]\n',
        "            pass\n",
        ("tests/config/test_profiles.py::test_a_default_that_is_removed_is_the_default_no_longer",),
    ),
    Mutant(
        "a pattern with = is stored without its end",
        "ads_cli/commands/auth/profile.py",
        'pair.rpartition("=") if is_recipe else pair.partition("=")',
        'pair.partition("=")',
        ("tests/config/test_profiles.py::test_a_pattern_is_split_from_its_recipe_where_it_is_clear",),
    ),
    Mutant(
        "profiles are listed with what is not a setting",
        "ads_cli/commands/auth/profile.py",
        'if name in (*PROFILE_KEYS, "guard")}',
        "}",
        ("tests/config/test_profiles.py::test_what_is_not_a_setting_is_never_listed",),
    ),
    Mutant(
        "secrets stay in the store that a removed profile names",
        "ads_cli/auth/secrets.py",
        "for kind in (named, chosen) if kind",
        "for kind in (chosen,) if kind",
        ("tests/auth/test_keyring.py::test_a_profile_is_removed_with_the_secrets_of_its_own_store",),
    ),
    Mutant(
        "an error does not name the proxy",
        "ads_cli/http/response_body.py",
        "if proxy := client_proxy(httpx.URL(url)):",
        "if proxy := None:",
        ("tests/http/test_connections.py::test_an_error_names_the_proxy_without_its_password",),
    ),
    Mutant(
        "a refused token of a file is looked for in the profile",
        "ads_cli/config/settings.py",
        'pairs = ((name, f"{name}_FILE")',
        "pairs = ((name,)",
        (
            "tests/client/test_responses.py::test_a_refused_token_of_a_file_is_told_by_the_variable_that_names_it",
        ),
    ),
    Mutant(
        "a file without an end is read for ever",
        "ads_cli/config/atomic_files.py",
        "content = file.read(max_mib * MIB + 1)",
        "content = file.read()",
        ("tests/promises/test_hostile_lengths.py::test_a_file_without_an_end_is_read_up_to_a_limit",),
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
    Mutant(
        "emulator: an estimate takes a place that does not exist",
        "ads_cli/emulator/resources/audience_insights.py",
        "find_named(context, asdict(criterion))",
        "find_named(context, asdict(criterion)) if criterion.adds_people else {}",
        (
            "tests/emulator/resources/test_audiences.py::"
            "test_an_estimate_needs_criteria_that_add_people_and_exist",
        ),
    ),
    Mutant(
        "emulator: an answer with headers of its own lacks those of each answer",
        "ads_cli/emulator/app.py",
        "dict(context.headers) | dict(response.headers)",
        "dict(response.headers or context.headers)",
        (
            "tests/emulator/test_rates.py::test_an_answer_with_headers_of_its_own_has_those_of_each_answer_too",
        ),
    ),
    Mutant(
        "emulator: what is no request has no answer after a request for a head",
        "ads_cli/emulator/server.py",
        'self._method = bytearray(self._http.trailing_data[0]), ""',
        "self._method = bytearray(self._http.trailing_data[0]), self._method",
        (
            "tests/emulator/test_hostile.py::"
            "test_what_is_no_request_is_rejected_after_a_request_for_a_head_too",
        ),
    ),
    Mutant(
        "emulator: a list takes the cursor of another one",
        "ads_cli/emulator/core/paging.py",
        "    if found != list_name:",
        "    if not found:",
        ("tests/emulator/test_campaigns.py::test_the_cursor_of_another_list_is_refused",),
    ),
    Mutant(
        "a record of any size is read as a whole",
        "ads_cli/config/atomic_files.py",
        "    if len(content) > max_mib * MIB:",
        "    if False:",
        ("tests/promises/test_hostile_lengths.py::test_a_record_in_a_file_that_is_too_large_is_refused",),
    ),
    Mutant(
        "a line of a file of unknown format ends within a letter",
        "ads_cli/feeds/formats/__init__.py",
        'lstrip().split("\\n")',
        "lstrip().splitlines()",
        (
            "tests/feeds/test_registry.py::"
            "test_letters_do_not_hide_the_format_of_a_file_whose_name_does_not_tell_it",
        ),
    ),
    Mutant(
        "bytes of a parquet file that are no text are sent as others",
        "ads_cli/feeds/formats/parquet.py",
        'return "" if is_utf_8 else NOT_UTF_8',
        'return ""',
        (
            "tests/feeds/test_read_parquet.py::"
            "test_bytes_that_are_not_utf_8_are_a_problem_of_their_row_and_sent_by_no_push",
        ),
    ),
    Mutant(
        "the command of --on-failure is given more than a variable may be",
        "ads_cli/console/on_failure.py",
        "[:MAX_MESSAGE_LENGTH]",
        "",
        (
            "tests/console/test_on_failure.py::"
            "test_a_message_longer_than_a_variable_may_be_is_cut_and_still_told",
        ),
    ),
    Mutant(
        "a program whose name is not UTF-8 cannot be run",
        "ads_cli/console/parameters.py",
        '"FOLDER", "CMD", "COMMAND")',
        '"FOLDER")',
        ("tests/console/test_not_utf8.py::test_a_program_may_have_any_name",),
    ),
    Mutant(
        "a list that a limit cuts within a page says nothing",
        "ads_cli/console/results.py",
        "if pages.cursor or pages.rest_of_page:",
        "if pages.cursor:",
        ("tests/promises/test_quiet.py::test_a_note_is_hidden",),
    ),
    Mutant(
        "a workbook that is named and asked for as a format is refused",
        "ads_cli/console/presentation.py",
        'settings.flags.get("output") not in (None, "xlsx")',
        'settings.flags.get("output") is not None',
        ("tests/promises/test_workbooks.py::test_a_workbook_of_a_list_needs_a_file_and_is_no_other_format",),
    ),
    Mutant(
        "what runs other command lines runs them at the live address",
        "ads_cli/console/options.py",
        '"account", "catalog", "sandbox"),',
        '"account", "catalog"),',
        (
            "tests/console/test_presentation.py::"
            "test_each_common_option_is_handed_on_to_other_command_lines_or_left_to_each",
        ),
    ),
)
