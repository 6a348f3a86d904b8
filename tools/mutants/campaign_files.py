"""Mutants of campaigns as a file."""

from .mutant import Mutant

FILES = "tests/campaigns/test_campaign_files.py"
KILLED = f"{FILES}::test_a_run_killed_at_any_request_is_resumed_and_creates_nothing_twice"
COPIES = "tests/campaigns/test_campaign_copies.py"
COMPARISON, APPLY = "ads_cli/campaigns/comparison.py", "ads_cli/campaigns/apply.py"

POSTS = "tests/campaigns/test_campaign_posts.py"

SEVERAL = "tests/campaigns/test_several_records.py"
MANY = "tests/campaigns/test_many_records.py"

WORKBOOKS = "tests/campaigns/test_campaign_workbooks.py"

CAMPAIGN_FILES = (
    Mutant(
        "a plan is stored over any file",
        "ads_cli/campaigns/stored_plan.py",
        "return is_stored_plan(file.read(len(PLAN_START)))",
        "return True",
        ("tests/console/test_named_files.py::test_a_plan_is_stored_over_an_earlier_one_and_no_other_file",),
    ),
    Mutant(
        "a stored plan changes campaigns that it does not touch",
        "ads_cli/campaigns/stored_plan.py",
        "    plan.changes = kept\n",
        "",
        (
            "tests/campaigns/test_campaign_files.py::test_a_stored_plan_leaves_what_it_does_not_touch_as_it_is",
        ),
    ),
    Mutant(
        "a stored plan does not see what its new records lie in",
        "ads_cli/campaigns/stored_plan.py",
        "for one in (change.stored, _above(plan, change)):",
        "for one in (change.stored,):",
        ("tests/campaigns/test_campaign_files.py::test_a_stored_plan_touches_what_its_new_records_lie_in",),
    ),
    Mutant(
        "a word in braces that stands for nothing is a part of the name of a copy",
        "ads_cli/commands/campaigns/copying.py",
        'if word != "name":',
        "if False:",
        (
            "tests/campaigns/test_campaign_copies.py::"
            "test_what_cannot_be_as_it_was_is_told_before_anything_is_created",
        ),
    ),
    Mutant(
        "campaign files: what was made in place of a record is made again after a kill",
        COMPARISON,
        "if id is None or not self._has_replaced:",
        "if True:",
        (f"{FILES}::test_a_replacement_is_made_once_and_the_file_stays_what_it_is",),
    ),
    Mutant(
        "campaign files: what is replaced is deleted though its replacement is not whole",
        APPLY,
        "if each not in first and not (each.replaced_by and self._is_incomplete(each.replaced_by))",
        "if each not in first",
        (f"{FILES}::test_what_is_replaced_stays_until_its_replacement_is_whole",),
    ),
    Mutant(
        "campaign files: targeting that the service adds by itself counts as refused",
        APPLY,
        "        if not kind.is_named:\n            self._find_refused(kind)\n",
        "",
        (f"{FILES}::test_targeting_that_the_service_adds_by_itself_is_there_and_not_refused",),
    ),
    Mutant(
        "several records: only the first record without an amount is told",
        "ads_cli/commands/batches/several.py",
        "                if not search.chosen.settings:\n                    raise\n",
        "                raise\n",
        (f"{SEVERAL}::test_all_records_without_an_amount_are_told_at_once_with_what_finds_the_others",),
    ),
    Mutant(
        "campaign files: batches are sent one after another",
        APPLY,
        "if len(tasks) > 1:",
        "for each in tasks[1:]:\n            send(each)\n        if False:",
        (f"{FILES}::test_batches_of_one_level_are_sent_at_once",),
    ),
    Mutant(
        "campaign files: what is read quickly forgets that a key is there twice",
        "ads_cli/config/strict_yaml.py",
        "        if key in here:\n            raise ValueError\n",
        "",
        ("tests/config/test_strict_yaml.py::test_what_only_the_parser_can_tell_is_left_to_it",),
    ),
    Mutant(
        "campaign files: records that were read without lines are told without",
        "ads_cli/campaigns/file.py",
        "        self.find_lines()\n        each =",
        "        each =",
        (f"{FILES}::test_a_mistake_that_only_the_account_tells_has_its_line",),
    ),
    Mutant(
        "campaign files: the card of a post is made again for another post",
        "ads_cli/campaigns/new_posts.py",
        "    if found := memory.ids.get(mark):\n        return found\n    if mark",
        "    if mark",
        (f"{POSTS}::test_a_run_killed_at_any_request_makes_no_card_twice",),
    ),
    Mutant(
        "campaign files: the files that a card names are no part of what it is",
        "ads_cli/campaigns/new_posts.py",
        "            digests += _digests_in_card(made)\n",
        "            pass\n",
        (f"{POSTS}::test_what_is_no_card_of_a_kind_is_told_before_anything_is_sent",),
    ),
    Mutant(
        "campaign files: what is deleted has its name for a key",
        "ads_cli/campaigns/comparison.py",
        "                label_of(one.kind, one.fields),\n                one.name,\n",
        "                one.name or label_of(one.kind, one.fields),\n                one.name,\n",
        (f"{FILES}::test_what_is_deleted_has_the_key_that_it_was_created_with",),
    ),
    Mutant(
        "campaign files: an apply that was stopped stays unfinished after it was resumed",
        "ads_cli/commands/campaigns/applying.py",
        "                path.unlink(missing_ok=True)\n            noted = 0",
        "                pass\n            noted = 0",
        (f"{FILES}::test_an_apply_that_was_stopped_is_a_job_until_it_is_resumed",),
    ),
    Mutant(
        "campaign files: merged cells of a workbook are read as they are",
        "ads_cli/campaigns/workbook.py",
        "for cells in merged_cells(BytesIO(self._content), name):",
        "for cells in ():",
        (f"{WORKBOOKS}::test_wrong_cells_are_told_all_at_once_by_sheet_and_cell",),
    ),
    Mutant(
        "campaign files: a row of a workbook goes to the first record of its name",
        "ads_cli/campaigns/workbook.py",
        "if len(found) == 1:",
        "if found:",
        (f"{WORKBOOKS}::test_names_that_no_row_may_mean_twice_need_an_id",),
    ),
    Mutant(
        "several records: what --where finds is changed without a question",
        "ads_cli/commands/batches/several.py",
        "elif search.chosen.where:",
        "elif False:",
        (f"{SEVERAL}::test_records_that_a_condition_finds_are_shown_and_asked_for_before_they_change",),
    ),
    Mutant(
        "several records: the guard judges none of them before the first",
        "ads_cli/commands/batches/several.py",
        "call.writes.approve(self._prepared(requests))",
        "pass",
        (f"{SEVERAL}::test_the_guard_judges_all_before_the_first_is_changed",),
    ),
    Mutant(
        "several records: a condition on the id of a record is one on the field of its request",
        "ads_cli/commands/batches/several.py",
        "if name == self.id_field:",
        "if False:",
        (f"{SEVERAL}::test_a_condition_on_the_id_of_a_record_is_one_on_its_own_id",),
    ),
    Mutant(
        "several records: a condition on what no record has finds all",
        "ads_cli/commands/batches/several.py",
        "*settable.difference(endpoint.path_fields)",
        "*self.kind.__struct_fields__",
        (f"{SEVERAL}::test_a_condition_on_what_no_record_has_is_refused_before_anything_is_sent",),
    ),
    Mutant(
        "several records: a share is advised again for what it has changed",
        "ads_cli/commands/batches/several.py",
        "if not (self._is_relative and (sent.answers or lost)):",
        "if True:",
        (f"{MANY}::test_a_share_is_never_advised_again_for_what_it_has_changed",),
    ),
    Mutant(
        "several records: what a lost answer may have changed is advised again",
        "ads_cli/commands/batches/several.py",
        "(batch.size if batch and stopped.may_be_applied else 0)",
        "0",
        (f"{MANY}::test_what_a_lost_answer_may_have_changed_is_told_apart_from_what_was_not_sent",),
    ),
    Mutant(
        "several records: what is refused is not told",
        "ads_cli/commands/batches/several.py",
        "        if sent.refused:\n",
        "        if False:\n",
        (f"{SEVERAL}::test_what_is_refused_is_named_and_the_others_are_changed",),
    ),
    Mutant(
        "campaign files: a post whose answer was lost is made again",
        "ads_cli/campaigns/new_posts.py",
        "if mark in memory.lost and",
        "if False and",
        (f"{POSTS}::test_a_post_with_a_lost_answer_is_found_and_not_made_again",),
    ),
    Mutant(
        "campaign files: a post is not remembered",
        "ads_cli/campaigns/new_posts.py",
        "    attempt.end({mark: id})\n",
        "    attempt.end({})\n",
        (f"{POSTS}::test_posts_are_made_once_with_their_media",),
    ),
    Mutant(
        "campaign files: a copy to a profile stays in the account",
        "ads_cli/commands/campaigns/copying.py",
        'named = {"profile": to_profile} if to_profile else {}',
        "named = dict[str, str]()",
        (f"{COPIES}::test_a_copy_to_a_profile_is_made_in_its_account",),
    ),
    Mutant(
        "campaign files: an assistant has media read",
        "ads_cli/campaigns/file.py",
        """if "for" in value or "media" in value:""",
        """if "for" in value:""",
        ("tests/commands/mcp/test_tools.py::test_a_file_of_campaigns_is_compared_unless_it_reads_others",),
    ),
    Mutant(
        "campaign files: what may spend is created active",
        APPLY,
        "values[STATUS] = DRAFT if values.get(STATUS) == DRAFT else PAUSED",
        "values.setdefault(STATUS, PAUSED)",
        (f"{FILES}::test_what_is_activated_is_created_paused_and_activated_last",),
    ),
    Mutant(
        "campaign files: records of one name are not told apart after a lost answer",
        COMPARISON,
        "is_lost = mark in self._memory.lost",
        "is_lost = False",
        (f"{FILES}::test_records_of_one_name_are_told_apart_by_keys_after_a_lost_answer",),
    ),
    Mutant(
        "campaign files: without --prune what the file does not have is deleted",
        COMPARISON,
        "if self._prune and may_prune:",
        "if may_prune:",
        (f"{FILES}::test_without_prune_nothing_is_deleted_and_with_it_only_what_the_lists_lack",),
    ),
    Mutant(
        "campaign files: children of what is deleted do not count among the records",
        COMPARISON,
        "self.plan.listed += sum(1 for _ in _each_below(one))  # they are deleted with it",
        "pass",
        (f"{FILES}::test_what_is_deleted_with_a_campaign_counts_among_the_records",),
    ),
    Mutant(
        "campaign files: a stored plan is carried out though what it touches has changed",
        "ads_cli/campaigns/stored_plan.py",
        "if not is_same:",
        "if False:",
        (f"{FILES}::test_a_stored_plan_is_carried_out_unless_what_it_touches_has_changed",),
    ),
    Mutant(
        "campaign files: what is emptied and could be set is left out of a pull",
        "ads_cli/campaigns/writer.py",
        "one.values(with_nulls=True)",
        "one.values()",
        (f"{FILES}::test_what_somebody_changed_by_hand_is_a_difference_and_is_undone",),
    ),
    Mutant(
        "campaign files: a copy of a copied campaign is made again",
        "ads_cli/campaigns/copying.py",
        'record["key"] = f"copy of {self.source}/{one.id} {record[\'name\']}"',
        'record["key"] = f"copy of {datetime.now(UTC)}"',
        (f"{COPIES}::test_a_copy_is_the_same_but_paused_and_is_made_once",),
    ),
    Mutant(
        "campaign files: budgets are summed up with changes that a copy drops",
        "ads_cli/commands/campaigns/copying.py",
        'if each.action == "create" or each.values.get(STATUS) == ACTIVE',
        "if each.action",
        (f"{COPIES}::test_what_a_copy_leaves_as_it_is_is_neither_summed_up_nor_asked_about",),
    ),
    Mutant(
        "campaign files: notes of replacements are read as keys",
        "ads_cli/campaigns/memory.py",
        "str(key), is_replacement is True)",
        "str(key))",
        (f"{FILES}::test_a_replacement_is_made_once_and_the_file_stays_what_it_is",),
    ),
)
