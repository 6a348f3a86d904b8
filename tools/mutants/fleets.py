"""Mutants of fleets, of limits that processes share, and of listings."""

from .mutant import Mutant

KILLED = "tests/fleet/test_killed.py"
RUN = "tests/fleet/test_run.py"
ENDLESS = "tests/client/test_endless_lists.py"
WINDOWS = "tests/client/test_shared_window.py"

CHECK = "tests/fleet/test_check.py"
SEVERAL = "tests/fleet/test_several_profiles.py"
LOST = "tests/fleet/test_lost_workers.py"
MEMBERS = "tests/fleet/test_members.py"
LINK = "tests/fleet/test_cluster_link.py"

FLEETS = (
    Mutant(
        "a fleet takes an estimate for a change",
        "ads_cli/fleet/commands.py",
        "is_write=node.request.endpoint.changes",
        "is_write=node.request.endpoint.mutates",
        (f"{CHECK}::test_an_estimate_is_no_change_that_a_guard_refuses",),
    ),
    Mutant(
        "the body of a request of a fleet may be standard input",
        "ads_cli/fleet/commands.py",
        '"api": TaskCommand(is_write=True, inputs=("body",))',
        '"api": WRITE',
        (f"{CHECK}::test_a_request_of_a_task_has_its_body_in_a_file",),
    ),
    Mutant(
        "a fleet takes an audience that is combined for no change",
        "ads_cli/fleet/commands.py",
        '"audiences combine": TaskCommand(is_write=True,',
        '"audiences combine": TaskCommand(',
        (f"{CHECK}::test_the_guard_of_a_profile_refuses_a_task_before_it_runs",),
    ),
    Mutant(
        "the only word of a command is its output",
        "ads_cli/console/parameters.py",
        "opts |= {self.name: (opts[last],), last: None}",
        "pass",
        ("tests/audiences/test_push.py::test_check_and_hash_work_offline",),
    ),
    Mutant(
        "tasks do not get the catalog of their fleet",
        "ads_cli/console/options.py",
        '"account", "catalog", "sandbox"),',
        '"account", "sandbox"),',
        ("tests/fleet/test_run.py::test_tasks_get_every_option_that_says_where_a_command_works",),
    ),
    Mutant(
        "a task is sought by a pattern where it has a name",
        "ads_cli/commands/fleet/plan.py",
        "[pattern] if pattern in names else ",
        "",
        ("tests/fleet/test_run.py::test_a_task_is_named_by_its_whole_name_first",),
    ),
    Mutant(
        "a pattern of profiles means the emulator too",
        "ads_cli/fleet/file.py",
        "(name != LOCAL and fnmatchcase(name, pattern))",
        "fnmatchcase(name, pattern)",
        (f"{SEVERAL}::test_profiles_are_named_one_by_one_and_local_only_as_it_is",),
    ),
    Mutant(
        "amounts under several profiles are judged one by one, after others were sent",
        "ads_cli/commands/fleet/several.py",
        "            self._require_allowed(parsed)\n",
        "",
        (f"{SEVERAL}::test_what_the_guard_of_one_profile_refuses_in_amounts_is_sent_under_none",),
    ),
    Mutant(
        "a mistake of a profile is counted as one of the file",
        "ads_cli/fleet/check.py",
        '    ProfileError: "of profiles",\n',
        "",
        (f"{CHECK}::test_mistakes_of_the_file_of_profiles_and_of_guards_are_counted_apart",),
    ),
    Mutant(
        "a guard that refuses deletions lets a fleet begin one",
        "ads_cli/fleet/check.py",
        'deletes = command.endswith("delete") or ',
        "deletes = ",
        (f"{CHECK}::test_the_guard_of_a_profile_refuses_a_task_before_it_runs",),
    ),
    Mutant(
        "what a guard refuses hides that a profile is not signed in",
        "ads_cli/fleet/check.py",
        "GuardError in kinds and issubclass(GuardError, kind)",
        "GuardError in kinds",
        (f"{CHECK}::test_a_fleet_whose_profile_is_not_signed_in_ends_with_4_whatever_a_guard_refuses",),
    ),
    Mutant(
        "a write under several profiles is not asked for",
        "ads_cli/commands/fleet/several.py",
        "if any(each.is_write for each in parsed) and",
        "if not parsed and",
        (f"{SEVERAL}::test_a_write_asks_once_and_names_all_profiles",),
    ),
    Mutant(
        "a user who signed in twice counts as two",
        "ads_cli/auth/secrets.py",
        "return id if dash and id.isdecimal() else owner or token",
        "return token",
        ("tests/fleet/test_check.py::test_one_user_who_signed_in_twice_has_one_catalog",),
    ),
    Mutant(
        "a fleet begins though a task lacks its account",
        "ads_cli/fleet/check.py",
        "needs_account = command.needs_account or",
        "needs_account =",
        (
            "tests/fleet/test_check.py::test_a_task_without_the_account_that_it_needs_is_told_before_anything_runs",
        ),
    ),
    Mutant(
        "a resume runs again what --only has run",
        "ads_cli/fleet/records.py",
        "task.attempt if resume else run_id",
        "'' if resume else run_id",
        (f"{RUN}::test_only_runs_its_tasks_anew_in_the_last_run_and_resume_continues_that",),
    ),
    Mutant(
        "what --only runs anew has the records of its earlier run",
        "ads_cli/fleet/tasks.py",
        "*filter(None, [self.attempt]))",
        ")",
        (f"{RUN}::test_only_runs_its_tasks_anew_in_the_last_run_and_resume_continues_that",),
    ),
    Mutant(
        "what --only runs anew counts twice in the guard",
        "ads_cli/fleet/records.py",
        'f"counts{task.attempt}"',
        '"counts"',
        (f"{RUN}::test_only_counts_its_own_changes_against_the_guard",),
    ),
    Mutant(
        "the end of a long error is the last line of a task",
        "ads_cli/commands/fleet/view.py",
        "if start > 0:",
        "if False:",
        ("tests/fleet/test_shown.py::test_the_last_line_of_a_task_is_one_for_people",),
    ),
    Mutant(
        "a lock that cannot be created is held by a process",
        "ads_cli/config/file_locks.py",
        "_may_outlive_its_process(lock) or not path.exists()",
        "_may_outlive_its_process(lock)",
        (
            "tests/config/test_file_locks.py::"
            "test_a_lock_that_cannot_be_created_is_not_told_as_held_by_a_process",
        ),
    ),
    Mutant(
        "the status of a run that failed ends with 0",
        "ads_cli/fleet/records.py",
        "exit_code=exit_code))",
        "exit_code=0))",
        ("tests/fleet/test_stopped.py::test_a_signal_ends_the_tasks_and_the_fleet_and_resume_goes_on",),
    ),
    Mutant(
        "a task whose resume finds nothing begun is not begun",
        "ads_cli/commands/uploads/hooks.py",
        "is_resumed = is_resumed and jobs.can_be_resumed",
        "pass",
        (f"{KILLED}::test_a_task_killed_again_and_again_before_its_journal_is_begun_in_the_end",),
    ),
    Mutant(
        "a task that has sent everything and has no record is begun again",
        "ads_cli/uploads/jobs.py",
        "                return EndedJob(path, job)\n",
        "                return None\n",
        (f"{KILLED}::test_what_was_resumed_by_hand_is_not_sent_again_by_the_fleet",),
    ),
    Mutant(
        "what was sent before a task began counts as sent by it",
        "ads_cli/uploads/jobs.py",
        "for _, job, ended in known if ended]",
        "for _, job, ended in known if False]",
        (f"{KILLED}::test_a_file_that_was_sent_by_hand_before_is_begun_by_the_resume_of_a_task",),
    ),
    Mutant(
        "what was sent before a restart is not counted",
        "ads_cli/client/shared_window.py",
        "                time = now - (wall - sent.wall)\n",
        "                continue\n",
        (f"{WINDOWS}::test_a_restart_begins_no_new_window",),
    ),
    Mutant(
        "a request from the future counts until the clock reaches it",
        "ads_cli/client/shared_window.py",
        "wall=min(sent.wall, wall)",
        "wall=sent.wall",
        (f"{WINDOWS}::test_a_clock_that_was_set_back_at_a_restart_delays_by_one_window_at_most",),
    ),
    Mutant(
        "what another host sent is removed by the clock of this one",
        "ads_cli/client/shared_window.py",
        "(window if is_own else FORGOTTEN_SECONDS)",
        "window",
        (f"{WINDOWS}::test_what_a_host_has_sent_is_its_own_whatever_the_clock_of_another_one_says",),
    ),
    Mutant(
        "a list that names a new cursor for ever is followed for ever",
        "ads_cli/client/response.py",
        "without_new = 0 if found - seen else without_new + 1",
        "without_new = 0 if found else without_new + 1",
        (f"{ENDLESS}::test_a_list_that_always_names_a_new_cursor_ends_with_an_error",),
    ),
    Mutant(
        "a log is appended to a file that the command reads",
        "ads_cli/console/invocation.py",
        "                check_log_file(log, context, self.settings)\n",
        "                pass\n",
        ("tests/console/test_log_file.py::test_an_input_is_not_written_to",),
    ),
    Mutant(
        "-q hides that a list was cut",
        "ads_cli/console/results.py",
        "show_more = call.messages.warn if is_cut_unasked else call.messages.say",
        "show_more = call.messages.say",
        ("tests/promises/test_quiet.py::test_a_warning_stays",),
    ),
    Mutant(
        "-q hides that products were left out",
        "ads_cli/products/feeds/assembly.py",
        "            self.warnings.append(",
        "            self.notes.append(",
        ("tests/promises/test_quiet.py::test_a_warning_stays",),
    ),
    Mutant(
        "a task that runs on a worker that has not joined yet keeps a thread of the one it was sent to",
        "ads_cli/fleet/cluster_members.py",
        "        self.release(old)\n",
        "",
        (
            "tests/fleet/test_members.py::"
            "test_a_task_that_runs_on_a_worker_that_has_not_joined_yet_frees_the_worker_that_it_was_sent_to",
        ),
    ),
    Mutant(
        "a worker of another version keeps a fleet waiting that has no other one",
        "ads_cli/fleet/cluster_state.py",
        "        if not self._members.fit and time",
        "        if not self._members.present and time",
        (f"{LOST}::test_a_fleet_ends_where_only_a_worker_of_another_version_is_left",),
    ),
    Mutant(
        "a worker that was started again at its address is taken for the earlier one",
        "ads_cli/fleet/cluster_members.py",
        "local_directories.get(member.address) == member.local_directory",
        "member.address in local_directories",
        (f"{LOST}::test_a_worker_that_returns_at_its_address_with_another_state_folder_gets_tasks",),
    ),
    Mutant(
        "a home whose worker was replaced keeps its share",
        "ads_cli/fleet/cluster_members.py",
        "            self._absent.setdefault(earlier.home, now)\n",
        "            pass\n",
        (f"{MEMBERS}::test_a_home_whose_worker_is_replaced_by_one_of_another_home_gives_up_its_share",),
    ),
    Mutant(
        "a late answer that nobody understands ends the fleet",
        "ads_cli/fleet/cluster_state.py",
        "    except msgspec.DecodeError as error:",
        "    except ZeroDivisionError as error:",
        (f"{LOST}::test_a_late_worker_whose_answer_cannot_be_read_is_left_out",),
    ),
    Mutant(
        "workers of another version are asked about tasks",
        "ads_cli/fleet/cluster_state.py",
        "[member.address for member in self._members.fit]",
        "[member.address for member in self._members.present]",
        (f"{LOST}::test_a_late_worker_of_another_version_is_left_out_and_is_not_asked_about_tasks",),
    ),
    Mutant(
        "lost workers are waited for as briefly as the first one",
        "ads_cli/fleet/cluster_state.py",
        "        if not self._homes:\n            what",
        "        if not self._members.homes:\n            what",
        (f"{LOST}::test_lost_workers_are_waited_for_as_long_as_max_wait_and_then_their_tasks_run",),
    ),
    Mutant(
        "the first workers may have other versions",
        "ads_cli/fleet/cluster_state.py",
        "        if is_first:\n            raise error\n",
        "        if is_first:\n            return\n",
        (f"{LOST}::test_the_first_workers_must_be_fit",),
    ),
    Mutant(
        "a task that failed in an earlier run is not run again",
        "ads_cli/fleet/cluster_state.py",
        '            if is_new and result.status != "ok":\n',
        "            if False:\n",
        (f"{LOST}::test_a_lost_task_is_ended_by_a_failure_of_this_run_and_not_by_one_of_an_earlier_run",),
    ),
    Mutant(
        "workers are not told of a new share",
        "ads_cli/fleet/cluster_state.py",
        "                self._share_changes += 1\n",
        "",
        (f"{LINK}::test_a_new_share_is_told_of_though_that_of_a_home_that_then_leaves_could_not_be_stored",),
    ),
    Mutant(
        "a home that gives its share up reads it still",
        "ads_cli/fleet/cluster_state.py",
        "members.homes | self._published.keys()",
        "members.homes",
        (f"{LOST}::test_a_home_that_gives_its_share_up_is_told_so",),
    ),
    Mutant(
        "a worker that refuses a task keeps others from a share",
        "ads_cli/fleet/cluster_members.py",
        "elif len(useful) < tasks",
        "elif len(claimed) < tasks",
        (f"{MEMBERS}::test_a_task_whose_first_worker_refuses_it_gets_a_share_for_another_one",),
    ),
    Mutant(
        "a fleet that began at a new scheduler keeps what an older one has",
        "ads_cli/fleet/quota_allocator.py",
        'if before.holder not in ("", part.holder):',
        "if False:",
        ("tests/fleet/test_quota_allocator.py",),
    ),
    Mutant(
        "a task goes on whose share of a limit was taken back",
        "ads_cli/fleet/cluster_worker.py",
        "elif not self._board.has_shares(self._scopes):",
        "elif False:",
        ("tests/fleet/test_shares_read.py::test_a_task_ends_when_its_share_of_a_limit_is_taken_back",),
    ),
)
