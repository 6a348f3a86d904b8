"""The tests that mutants name."""

CRASH = "tests/crash/test_crash.py"
COUNTED = f"{CRASH}::test_what_was_counted_survives_and_a_resume_sends_the_rest"
SENT_AGAIN = f"{CRASH}::test_what_another_command_may_have_changed_is_sent_again"
OVERWRITTEN = f"{CRASH}::test_a_push_that_another_command_may_have_overwritten_is_not_resumed"
DELETED = f"{CRASH}::test_a_resumed_delete_counts_what_an_unanswered_request_has_deleted"
PROFILE = f"{CRASH}::test_a_profile_is_as_before_or_as_it_was_set_and_stays_once_it_is_set"

STORIES = "tests/model/test_stories.py"
NOT_RESUMED = f"{STORIES}::test_a_push_is_not_resumed_where_anything_else_may_have_changed_its_catalog"
RESTORED = f"{STORIES}::test_nothing_is_resumed_and_nothing_left_out_from_a_state_folder_that_was_restored"
RESUMED = f"{STORIES}::test_a_push_is_resumed_at_any_spelling_of_its_address_and_sends_the_rest_only"
CUT_DIFFERENTLY = f"{STORIES}::test_batches_that_a_new_version_cuts_differently_lose_nobody"
DISPLACED = f"{STORIES}::test_people_whose_membership_ends_before_a_resume_displace_nobody"
NEVER_DELETED = f"{STORIES}::test_keys_that_do_not_exist_are_never_reported_as_deleted"
DELETED_UNANSWERED = f"{STORIES}::test_what_was_deleted_without_an_answer_counts_as_deleted_by_a_resume"
NO_ANSWER = f"{STORIES}::test_an_answer_that_is_no_answer_is_neither_success_nor_refusal"
PARTS_RESUMED = (
    "tests/audiences/test_resume.py"
    "::test_a_part_of_a_list_resumes_where_it_stopped_whatever_other_parts_have_added_since"
)

JOURNAL = "tests/uploads/test_journal.py"
CUT = f"{JOURNAL}::test_a_journal_cut_at_any_byte_keeps_every_complete_line_and_can_be_appended_to"
DAMAGED_BYTE = f"{JOURNAL}::test_a_damaged_byte_never_acknowledges_another_batch"
REMEMBERED = "tests/products/test_remembered.py"
UNUSABLE = f"{REMEMBERED}::test_an_unusable_sync_state_sends_every_row_and_says_so"
