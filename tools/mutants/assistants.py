"""Mistakes in what an assistant may see and do."""

from .mutant import Mutant

REACHABLE = "tests/commands/mcp/test_reachable.py::"
TOOLS = "tests/commands/mcp/test_tools.py::"
PRIVACY = "tests/commands/mcp/test_privacy.py::"
STOPPED = "tests/commands/mcp/test_stopped_creations.py::"
CHANGES = "tests/commands/mcp/test_changes.py::"
HOLD = "tests/commands/mcp/test_plans_hold.py::"
SEVERAL = "tests/commands/mcp/test_several_records.py::"

ASSISTANTS = (
    Mutant(
        "a creation that was cancelled while its answer was awaited was not sent",
        "ads_cli/client/client.py",
        'signalled.may_be_applied = self._prepared.method != "GET"',
        "pass",
        (
            f"{STOPPED}test_what_was_cancelled_while_its_answer_was_awaited_is_created_once",
            "tests/commands/test_changes.py::"
            "test_what_a_signal_stops_while_its_answer_is_awaited_is_unknown_and_says_so",
        ),
    ),
    Mutant(
        "the page for assistants has no exit codes of signals",
        "ads_cli/commands/mcp/skill.py",
        "{**EXIT_CODES, **signals}",
        "EXIT_CODES",
        ("tests/commands/mcp/test_skill.py::test_a_skill_has_every_exit_code_and_every_group",),
    ),
    Mutant(
        "the page for assistants has no options",
        "ads_cli/commands/mcp/skill.py",
        "if option.name in IN_ROOT_HELP]",
        "if False]",
        (
            "tests/commands/mcp/test_skill.py::"
            "test_a_skill_has_the_options_of_every_command_and_formats_that_work",
        ),
    ),
    Mutant(
        "a message that cannot be read is not answered",
        "ads_cli/commands/mcp/server.py",
        "                await self._answers.send(SessionMessage(error))\n",
        "            pass\n",
        (
            "tests/commands/mcp/test_hostile.py::test_a_message_that_cannot_be_read_is_answered[[]-None--32600]",
        ),
    ),
    Mutant(
        "an assistant names any option",
        "ads_cli/commands/mcp/reachable.py",
        "if name in allowed and name not in (*SHAPING, *COMMON)",
        "if name not in (*SHAPING, *COMMON)",
        (f"{REACHABLE}test_no_parameter_of_a_reachable_command_names_a_file_a_program_or_an_address",),
    ),
    Mutant(
        "a nested value is read from a file",
        "ads_cli/commands/mcp/reachable.py",
        "value.lstrip().startswith(FILE_MARK)",
        'value.startswith("file:")',
        (f"{REACHABLE}test_hostile_arguments_are_refused",),
    ),
    Mutant(
        "a link leads out of an open folder",
        "ads_cli/commands/mcp/files.py",
        "if Path(_path_of(stream, path)).is_relative_to(folder):",
        "if stream:",
        (f"{HOLD}test_a_link_that_comes_in_after_the_check_of_a_path_is_not_followed",),
    ),
    Mutant(
        "a query sees what is private",
        "ads_cli/commands/mcp/tools.py",
        "found = await self._results.private(data)",
        "found = data",
        (f"{TOOLS}test_what_identifies_a_person_never_leaves",),
    ),
    Mutant(
        "the change of a plan is logged without its id",
        "ads_cli/commands/mcp/applies.py",
        'self._commands.line(words, "__apply", name)',
        "self._commands.line(words)",
        (f"{STOPPED}test_what_was_killed_after_it_was_sent_and_was_applied_is_found",),
    ),
    Mutant(
        "what was created is not told from what was not sent",
        "ads_cli/commands/mcp/applies.py",
        "if sent and sent.outcome in (OK, UNKNOWN):",
        "if sent and sent.outcome == UNKNOWN:",
        (f"{STOPPED}test_what_was_killed_after_its_answer_is_told_with_its_id",),
    ),
    Mutant(
        "a creation is not looked for just before it is sent again",
        "ads_cli/commands/mcp/plans.py",
        "look = await self._find(creation) if creation else Look()",
        "look = Look()",
        (f"{STOPPED}test_what_arrives_between_a_resumed_plan_and_its_apply_is_not_created_again",),
    ),
    Mutant(
        "a record that was created earlier is taken for a lost one",
        "ads_cli/commands/mcp/creations.py",
        "created >= since and ",
        "",
        (f"{STOPPED}test_records_that_may_be_the_lost_one_are_asked_about",),
    ),
    Mutant(
        "an address in characters of other widths is shown",
        "ads_cli/encodings.py",
        'normalize("NFKC", found["wide"]) if found["wide"]',
        'found["wide"] if found["wide"]',
        (f"{PRIVACY}test_every_form_is_masked_in_texts_names_and_lists",),
    ),
    Mutant(
        "a secret is shown that is one by the name of its field",
        "ads_cli/masking.py",
        '"token", "password", "passwd"',
        '"passwd"',
        (f"{PRIVACY}test_a_field_that_holds_a_person_or_a_secret_by_its_name_is_masked",),
    ),
    Mutant(
        "a parameter that the service names differently cannot be given",
        "ads_cli/commands/mcp/reachable.py",
        "self.command.name_for(self.request, param) if self.request else str(param.name)",
        "str(param.name)",
        (f"{REACHABLE}test_a_parameter_has_the_name_of_the_service",),
    ),
    Mutant(
        "the type of a value names a parameter",
        "ads_cli/commands/mcp/reachable.py",
        'if param.param_type_name == "argument":  #',
        "if param.metavar:  #",
        (f"{REACHABLE}test_the_type_of_a_value_names_no_parameter",),
    ),
    Mutant(
        "an assistant who asks for all in other words gets one page",
        "ads_cli/commands/mcp/tools.py",
        '{"boolean": as_flag,',
        '{"boolean": lambda name, value: value in (True, "true"),',
        (f"{TOOLS}test_a_query_and_columns_apply_to_the_records",),
    ),
    Mutant(
        "the cursor after a limit leaves out records of its page",
        "ads_cli/commands/mcp/tools.py",
        "--limit={ceil(shape.limit / size) * size}",
        "--limit={shape.limit}",
        (f"{TOOLS}test_a_limit_above_the_largest_page_is_kept",),
    ),
    Mutant(
        "what a limit leaves out of what was read is lost",
        "ads_cli/commands/mcp/results.py",
        '        if names := comma_list(shape.columns or ""):\n',
        "        found = found[: shape.limit] if isinstance(found, list) else found\n"
        '        if names := comma_list(shape.columns or ""):\n',
        (f"{TOOLS}test_a_limit_says_how_many_records_there_are",),
    ),
    Mutant(
        "a plan is applied again",
        "ads_cli/commands/mcp/plans.py",
        "plan = self._plans.pop(plan_id, None)",
        "plan = self._plans.get(plan_id, None)",
        (f"{CHANGES}test_a_change_is_planned_then_applied_once_and_logged",),
    ),
    Mutant(
        "a plan is applied whatever has changed",
        "ads_cli/config/mandate.py",
        "if digest not in self.planned:",
        "if not self.planned:",
        (f"{CHANGES}test_a_plan_is_not_applied_where_what_it_touches_has_changed",),
    ),
    Mutant(
        "the process of a plan is no dry run",
        "ads_cli/console/invocation.py",
        '({"dry_run": True} if command_line.is_plan else {})',
        "{}",
        (f"{CHANGES}test_a_plan_sends_nothing_whatever_else_its_command_line_says",),
    ),
    Mutant(
        "a plan of a group of several words does not say what a field was",
        "ads_cli/commands/mcp/plans.py",
        'if one["is_own"]]',
        'if one["is_own"] and " " not in one["group"]]',
        (f"{CHANGES}test_a_plan_says_what_a_field_was_in_groups_of_several_words_too",),
    ),
    Mutant(
        "a plan for several records compares each with another one",
        "ads_cli/commands/mcp/plans.py",
        "before = own.get(id, {})",
        "before = own.pop(min(own), {})",
        (f"{SEVERAL}test_a_plan_for_several_records_says_each_field_and_what_all_may_spend",),
    ),
    Mutant(
        "a false flag is left out of a change",
        "ads_cli/commands/mcp/reachable.py",
        "                    _require_effect(argument, param, value)\n",
        "                    pass\n",
        (f"{SEVERAL}test_a_change_that_would_be_left_out_is_refused",),
    ),
    Mutant(
        "an element of a list becomes two",
        "ads_cli/commands/mcp/reachable.py",
        'if "," in word), None)',
        "if not word), None)",
        (f"{SEVERAL}test_an_element_of_a_list_stays_one",),
    ),
    Mutant(
        "any guard lets an assistant change something",
        "ads_cli/commands/mcp/plans.py",
        "    if bound is None:",
        "    if not guard.limits:",
        (f"{CHANGES}test_writes_need_a_guard_that_bounds_a_day",),
    ),
    Mutant(
        "a file is sent that was changed after its plan",
        "ads_cli/config/atomic_files.py",
        "if found.hexdigest() != EXPECTED[path]:",
        "if not EXPECTED[path]:",
        (f"{HOLD}test_a_file_that_was_exchanged_after_it_was_checked_is_not_read",),
    ),
    Mutant(
        "an assistant applies a stored plan, which names other files",
        "ads_cli/commands/mcp/files.py",
        "or is_stored_plan(content) ",
        "",
        (f"{CHANGES}test_only_files_below_the_open_folders_are_sent",),
    ),
    Mutant(
        "a change ends with the server that applied it",
        "ads_cli/commands/mcp/applies.py",
        "                _lock(out.fileno())\n",
        "",
        (f"{CHANGES}test_what_a_killed_server_was_sending_goes_on_once_and_jobs_tells_it",),
    ),
    Mutant(
        "a plan of a file asks nothing",
        "ads_cli/commands/campaigns/files.py",
        "                run.ask(found)\n",
        "",
        (f"{CHANGES}test_a_file_of_campaigns_is_planned_and_applied_as_planned",),
    ),
    Mutant(
        "each change is logged by the first client",
        "ads_cli/commands/mcp/child.py",
        "entry, CLIENT.get(), *job]",
        'entry, self.__dict__.setdefault("by", CLIENT.get()), *job]',
        (f"{CHANGES}test_changes_at_once_are_logged_by_the_client_that_asked_for_each",),
    ),
    Mutant(
        "the oldest plan is dropped where another is applied",
        "ads_cli/commands/mcp/plans.py",
        "        plan = self._plans.pop(plan_id, None)",
        "        while len(self._plans) >= MAX_PLANS:\n"
        "            del self._plans[next(iter(self._plans))]\n"
        "        plan = self._plans.pop(plan_id, None)",
        (f"{CHANGES}test_the_oldest_of_all_kept_plans_is_applied",),
    ),
    Mutant(
        "a plan never expires",
        "ads_cli/commands/mcp/plans.py",
        "if now - plan.made_at < PLAN_SECONDS}",
        "if plan}",
        (f"{CHANGES}test_a_plan_expires_after_ten_minutes",),
    ),
    Mutant(
        "mcp: what was changed since its answer was lost is taken for an answered creation",
        "ads_cli/config/change_log.py",
        "if id not in changed.get(entry.id, ()))",
        "for id in (id, *changed.get(entry.id, ())))",
        (f"{STOPPED}test_what_was_changed_since_is_found",),
    ),
)
