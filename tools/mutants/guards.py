"""Mutants of the guard and of the log of changes."""

from .mutant import Mutant

EVERY, AMOUNTS = "tests/client/test_every_write.py", "tests/client/test_guard.py"
CHANGES = "tests/commands/test_changes.py"
GUARD, WRITES = "ads_cli/client/guard.py", "ads_cli/client/writes.py"
JUDGE, RECORD = "ads_cli/client/spending_judge.py", "ads_cli/client/record_changes.py"
RULES, LOG = "ads_cli/config/guard.py", "ads_cli/config/change_log.py"

PLANS = "tests/campaigns/test_guarded_plans.py"
COMPLETED = (
    "tests/media/test_files_in_lists.py"
    "::test_a_record_counts_once_for_the_guard_though_its_files_are_uploaded_after_it_was_judged"
)

ENDED = f"{AMOUNTS}::test_what_has_ended_serves_again_only_as_what_is_activated"

GUARDS = (
    Mutant(
        "guard: what has ended serves again at any time",
        JUDGE,
        "            if change.begins:\n",
        "            if False:\n",
        (f"{ENDED}[active_hours: Mon-Fri 08:00-18:00 Europe/Berlin-serve again now]",),
    ),
    Mutant(
        "guard: what has ended serves again, though it may not be activated",
        JUDGE,
        'if change.begins and "activate" in limit.value:',
        "if False:",
        (f"{ENDED}[deny: activate-serve again]",),
    ),
    Mutant(
        "guard: what has ended serves again with any budget",
        JUDGE,
        "(is_set or change.begins)",
        "is_set",
        (
            f"{AMOUNTS}::test_what_is_activated_is_judged_by_the_budget_that_it_has",
            f"{ENDED}[max_daily_budget: 30 EUR-a daily budget of 40 EUR]",
        ),
    ),
    Mutant(
        "guard: a campaign that has ended counts nothing once a line item of it serves again",
        "ads_cli/client/spending.py",
        "            if is_started and campaign in campaigns:\n",
        "            if False:\n",
        (
            f"{ENDED}[max_account_daily_budget: 100 EUR-a day in the account]",
            f"{AMOUNTS}::test_a_new_line_item_of_a_campaign_that_has_ended_counts_in_the_sum",
        ),
    ),
    Mutant(
        "guard: a bid that the service is to choose is none that was removed",
        RECORD,
        "return name in op.values and",
        "return False and",
        (f"{AMOUNTS}::test_a_bid_that_the_service_is_to_choose_was_removed",),
    ),
    Mutant(
        "guard: an upload of people without rows cannot be judged",
        GUARD,
        '[msgspec.structs.replace(each, body=b"") for each in requests]',
        "[*requests]",
        ("tests/client/test_guard_of_people.py::test_a_limit_of_money_lets_people_be_uploaded",),
    ),
    Mutant(
        "guard: a limit that limits nothing is the reason of a refusal",
        GUARD,
        "for limit in self.guard.limits if limit.is_effective)",
        "for limit in self.guard.limits)",
        (f"{AMOUNTS}::test_what_cannot_be_judged_is_refused_by_a_limit_that_limits_something",),
    ),
    Mutant(
        "guard: what a plan sends is counted twice",
        GUARD,
        "        self._is_planned = True\n",
        "",
        (f"{PLANS}::test_a_plan_within_the_limits_is_carried_out",),
    ),
    Mutant(
        "guard: a plan is judged as what it sends first, which is paused",
        "ads_cli/campaigns/apply.py",
        "request = structs.replace(request, **{STATUS: ACTIVE})",
        "pass",
        (f"{PLANS}::test_a_refused_plan_sends_nothing",),
    ),
    Mutant(
        "guard: a dry run is not told of a refusal",
        "ads_cli/console/writes.py",
        "messages.warn(text) if is_refused else messages.note(text)",
        "messages.note(text)",
        (f"{AMOUNTS}::test_a_dry_run_is_told_once_what_the_guard_would_refuse_and_ends_as_without_one",),
    ),
    Mutant(
        "guard: a dry run fails where the guard cannot judge it",
        "ads_cli/console/writes.py",
        "except AdsctlError as error:\n            messages",
        "except GuardError as error:\n            messages",
        (f"{AMOUNTS}::test_a_dry_run_that_the_guard_cannot_judge_says_so_and_goes_on",),
    ),
    Mutant(
        "changes: what a share is of is not logged",
        "ads_cli/commands/batches/several.py",
        "            call.stored.note(search.id_field, records)\n",
        "",
        (f"{CHANGES}::test_a_share_is_logged_with_what_it_is_of_without_another_request",),
    ),
    Mutant(
        "changes: the command names a user whom its ids hide",
        "ads_cli/console/writes.py",
        "words = tuple(_without_id(word, ids) for word in words)",
        "pass",
        (f"{CHANGES}::test_the_log_holds_no_person_however_one_is_written",),
    ),
    Mutant(
        "changes: what a field was is logged with whom it names",
        "ads_cli/console/writes.py",
        "_masked(call, name, record[name])",
        "record[name]",
        (f"{CHANGES}::test_the_log_holds_no_person_however_one_is_written",),
    ),
    Mutant(
        "changes: a task of a fleet is logged as a command of its own",
        "ads_cli/console/writes.py",
        '"fleet" if call.settings.environ.get(FLEET_COUNT) else None',
        "None",
        (f"{CHANGES}::test_a_change_by_a_task_of_a_fleet_says_so",),
    ),
    Mutant(
        "changes: a limit keeps the oldest",
        "ads_cli/commands/changes.py",
        "records[-most:]",
        "records[:most]",
        (f"{CHANGES}::test_the_latest_changes_are_chosen_by_their_number",),
    ),
    Mutant(
        "guard: a raw write passes no guard",
        "ads_cli/client/client.py",
        "        if not is_write(prepared):\n",
        "        if not is_write(prepared) or prepared.declared is None:\n",
        (f"{EVERY}::test_an_encoded_path_is_judged_as_what_it_means",),
    ),
    Mutant(
        "guard: what says nothing of its status is paused",
        WRITES,
        'return "" if self.action == "create" else None',
        "return None",
        (f"{EVERY}::test_batches_are_judged_by_their_operations",),
    ),
    Mutant(
        "guard: a path that is not declared passes",
        GUARD,
        "        if write.problem:\n",
        "        if write.problem and write.endpoint:\n",
        (f"{EVERY}::test_raw_writes_that_match_nothing_declared_are_refused",),
    ),
    Mutant(
        "guard: an amount that cannot be read is small",
        JUDGE,
        "not 0 <= value <= limit.value.micros",
        "value > limit.value.micros",
        (f"{AMOUNTS}::test_a_raw_request_is_judged_by_its_amount",),
    ),
    Mutant(
        "guard: a cut is refused above the sum",
        JUDGE,
        "of(SUM) if more else ():",
        "of(SUM):",
        (f"{AMOUNTS}::test_a_cut_is_allowed_above_the_sum",),
    ),
    Mutant(
        "guard: several records are counted when they are judged, and when they are sent",
        "ads_cli/commands/batches/several.py",
        "call.writes.approve(self._prepared(requests))",
        "call.writes.approve(map(call.client.prepare, requests))",
        (f"{AMOUNTS}::test_several_records_of_one_command_count_once_each",),
    ),
    Mutant(
        "guard: a record of a list is counted again once its files are uploaded",
        "ads_cli/commands/batches/__init__.py",
        "self.call.writes.guard.note_completed(client.prepare(item), completed)",
        "pass",
        (COMPLETED,),
    ),
    Mutant(
        "guard: a record is counted again once its files are uploaded",
        "ads_cli/cli/request_commands.py",
        "            self.call.writes.guard.note_completed(planned, self.call.client.prepare(request))\n",
        "",
        (COMPLETED,),
    ),
    Mutant(
        "guard: --yes loosens it",
        "ads_cli/console/invocation.py",
        'if self.flags.get("yes") and not needs_terminal:',
        'if self.flags.get("yes"):',
        (f"{AMOUNTS}::test_loosening_needs_a_terminal_and_tightening_nothing",),
    ),
    Mutant(
        "guard: a limit of a profile that is not below guard is left out",
        RULES,
        'str(key).startswith("guard.") or ',
        "",
        (f"{AMOUNTS}::test_a_guard_of_a_profile_under_another_name_is_told",),
    ),
    Mutant(
        "guard: another currency loosens no amount",
        RULES,
        "old.currency != new.currency or new.micros > old.micros",
        "new.micros > old.micros",
        (f"{AMOUNTS}::test_each_kind_of_limit_is_loosened_on_a_terminal_only",),
    ),
    Mutant(
        "guard: another time zone loosens no hours",
        RULES,
        "old.zone != new.zone or not new.minutes <= old.minutes",
        "not new.minutes <= old.minutes",
        (f"{AMOUNTS}::test_each_kind_of_limit_is_loosened_on_a_terminal_only",),
    ),
    Mutant(
        "guard: hours until the next day end at midnight",
        RULES,
        "end += DAY_MINUTES if end < begin else 0",
        "end = DAY_MINUTES if end < begin else end",
        (f"{AMOUNTS}::test_each_kind_of_limit_is_loosened_on_a_terminal_only",),
    ),
    Mutant(
        "guard: a limit that cannot be read is replaced by any other",
        RULES,
        '            found.append(f"{key} from {stored[key]!r}")\n',
        "",
        (f"{AMOUNTS}::test_a_limit_that_cannot_be_read_is_replaced_on_a_terminal_only",),
    ),
    Mutant(
        "guard: a named file replaces that of the administrator",
        RULES,
        "in dict.fromkeys([ADMIN_FILE, *named]):",
        "in dict.fromkeys(named or [ADMIN_FILE]):",
        (f"{AMOUNTS}::test_the_file_of_the_administrator_is_not_replaced",),
    ),
    Mutant(
        "guard: a command that changes nothing is run to check it",
        "ads_cli/commands/guard.py",
        "if _may_change(tree, parsed):",
        "if True:",
        ("tests/commands/test_guard.py::test_a_command_that_is_checked_is_not_run",),
    ),
    Mutant(
        "guard: the tasks of a fleet are not judged when it is checked",
        "ads_cli/commands/guard.py",
        'if parsed.command == "fleet run":',
        "if False:",
        ("tests/commands/test_guard.py::test_a_fleet_is_refused_as_its_run_would_be",),
    ),
    Mutant(
        "strict YAML: a repeated key is read",
        "ads_cli/config/strict_yaml.py",
        "builder: type[ValueBuilder] = UniqueKeyBuilder,",
        "builder: type[ValueBuilder] = ValueBuilder,",
        (f"{AMOUNTS}::test_what_cannot_be_read_stops_every_write_and_no_read",),
    ),
    Mutant(
        "changes: a line is appended to one that was cut off",
        LOG,
        'line = line if os.read(descriptor, 1) == b"\\n" else b"\\n" + line',
        "pass",
        (f"{CHANGES}::test_the_log_is_private_and_survives_damage",),
    ),
    Mutant(
        "changes: what was not logged is sent",
        LOG,
        "            raise StateError(\n",
        "            StateError(\n",
        (f"{CHANGES}::test_a_log_that_cannot_be_written_stops_the_command_before_it_sends",),
    ),
)
