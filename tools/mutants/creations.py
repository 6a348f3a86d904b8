"""Mutants of what keeps records and conversions from being created or sent twice."""

from .mutant import Mutant

CRASH = (
    "tests/crash/test_crash.py"
    "::test_records_are_created_once_where_a_person_looks_whether_the_uncertain_ones_exist"
)
ONCE, LYING = "tests/batches/test_once.py", "tests/batches/test_lying_service.py"
ANSWERS = f"{LYING}::test_what_may_have_been_created_is_told_and_not_sent_again"
TOUCHED, ONE = "tests/batches/test_touched_files.py", "tests/batches/test_one_record.py"
DAMAGED = "tests/batches/test_damaged_journals.py"
LEFTOVER = "tests/http/test_leftover_bytes.py"
CONVERSIONS = "tests/batches/test_conversions.py"
AS_BEGUN = f"{CONVERSIONS}::test_a_run_is_resumed_as_it_was_begun_and_otherwise_not_at_all"
NOTE = """\
        if news := [key for key in dict.fromkeys(self._contents) if key not in self._run.planned]:
            journal.append(Planned(news))
        journal.flush()
"""
LOOK = """\
        if not journal.resumed:
            require_no_other_run(journal, self._creation)
"""

CREATIONS = (
    Mutant(
        "an attempt is not on disk before it is sent",
        "ads_cli/uploads/journal.py",
        "            self.append(Attempt(batch, may_be_applied=True, keys=keys))\n            self.flush()\n",
        "            self.append(Attempt(batch, may_be_applied=True, keys=keys))\n",
        (CRASH,),
    ),
    Mutant(
        "an attempt and what was acknowledged before are written at once",
        "ads_cli/uploads/journal.py",
        "            self.flush()  # a power failure that damages this note must not take what is "
        "acknowledged with it\n",
        "",
        (CRASH,),
    ),
    Mutant(
        "the error of a gateway says that nothing was applied",
        "ads_cli/http/retry.py",
        "*range(500, 600)",
        "500, 502, 503, 504",
        (ANSWERS,),
    ),
    Mutant(
        "a success that lists errors says that nothing was applied",
        "ads_cli/client/transport.py",
        "            error.may_be_applied = _has_data(error.body, status)\n",
        "",
        (ANSWERS,),
    ),
    Mutant(
        "a body that is not read says that nothing was applied",
        "ads_cli/client/transport.py",
        "            error.may_be_applied = True\n",
        "",
        (ANSWERS,),
    ),
    Mutant(
        "a success that rejects operations is followed by the others",
        "ads_cli/batches/upload.py",
        "elif self.creates:  # the others",
        "elif False:  # the others",
        (ANSWERS,),
    ),
    Mutant(
        "a run with another mapping resumes a job",
        "ads_cli/uploads/job_file.py",
        "        mapping=dict(rows.rename),\n",
        "        mapping={},\n",
        (AS_BEGUN,),
    ),
    Mutant(
        "a record that was created and then changed is created too",
        "ads_cli/batches/plan.py",
        "        if not (created and news):\n",
        "        if True:\n",
        (f"{TOUCHED}::test_a_record_that_was_created_and_then_changed_is_told_and_not_created",),
    ),
    Mutant(
        "a run that begins and ends meanwhile is not seen",
        "ads_cli/batches/creation_runs.py",
        "WriteEpochs(state_dir).current(creation.key.target)",
        "None",
        (f"{ONCE}::test_a_run_that_begins_and_ends_while_another_one_starts_is_seen",),
    ),
    Mutant(
        "an unfinished run is resumed unasked",
        "ads_cli/batches/creation_runs.py",
        "    if not resume:\n",
        "    if False:\n",
        (f"{ONE}::test_a_lost_answer_is_not_followed_by_the_same_creation",),
    ),
    Mutant(
        "a run with the same records that begins meanwhile is not seen",
        "ads_cli/batches/creation_runs.py",
        "    if related := _related(known, creation):\n        journal.remove()\n",
        "    if related := []:\n        journal.remove()\n",
        (f"{ONCE}::test_a_run_that_begins_with_the_same_records_in_another_file_while_one_starts_is_seen",),
    ),
    Mutant(
        "every noun loses an s in the singular",
        "ads_cli/output/text.py",
        '("criteria", "criterion"), ',
        "",
        (f"{ONCE}::test_a_single_record_is_told_in_the_singular",),
    ),
    Mutant(
        "other runs are looked for before it is noted what is to be created",
        "ads_cli/batches/plan.py",
        f"{NOTE}{LOOK}",
        f"{LOOK}{NOTE}",
        (f"{ONCE}::test_a_run_that_begins_before_another_one_with_the_same_records_has_sent_any_is_refused",),
    ),
    Mutant(
        "a file of another name is another one",
        "ads_cli/batches/creation_runs.py",
        "len(contents & run.planned)",
        "0",
        (f"{TOUCHED}::test_a_file_of_another_name_with_the_same_records_is_not_begun_again",),
    ),
    Mutant(
        "a file of one name is another one when its records are others",
        "ads_cli/batches/creation_runs.py",
        "return has_bytes, _has_name(run.job, creation), len",
        "return False, False, len",
        (f"{ONE}::test_a_record_that_is_corrected_after_a_lost_answer_is_not_created_beside_it",),
    ),
    Mutant(
        "equal records of a file are one",
        "ads_cli/batches/plan.py",
        "indexes.pop()",
        "indexes[0]",
        (f"{TOUCHED}::test_equal_records_are_created_as_often_as_they_stand_in_the_file",),
    ),
    Mutant(
        "the only record of a file is sent before it is noted",
        "ads_cli/commands/uploads/creation.py",
        "call.client.exchange(prepared, on_send=on_send, check=check)",
        "call.client.exchange(prepared, check=check)",
        (f"{ONE}::test_a_lost_answer_is_not_followed_by_the_same_creation",),
    ),
    Mutant(
        "a journal that cannot be read is left out",
        "ads_cli/batches/creation_runs.py",
        "list_jobs(jobs, refuse)",
        "list_jobs(jobs)",
        (f"{DAMAGED}::test_nothing_is_created_while_a_journal_cannot_be_read",),
    ),
    Mutant(
        "the first line of a journal is not compared with its checksum",
        "ads_cli/uploads/job_file.py",
        "if (content := read_checked_line(file.readline())) is None:",
        'if not (content := file.readline().partition(b",")[2][:-2]):',
        (f"{DAMAGED}::test_nothing_is_created_while_a_journal_cannot_be_read",),
    ),
    Mutant(
        "a damaged line about what was created is left out",
        "ads_cli/uploads/job_file.py",
        "            if strict and damaged:\n",
        "            if False:\n",
        (f"{DAMAGED}::test_nothing_is_created_while_a_journal_cannot_be_read",),
    ),
    Mutant(
        "a damaged last line that was on the disk is taken for one that was not",
        "ads_cli/uploads/journal.py",
        "                    os.write(self._file, MARK)\n",
        "                    pass\n",
        (f"{DAMAGED}::test_a_killed_run_whose_last_line_is_damaged_sends_nothing_twice",),
    ),
    Mutant(
        "a new journal has its name before its first line is on disk",
        "ads_cli/uploads/journal.py",
        'begun = path.parent / ".new"',
        "begun = path",
        (CRASH,),
    ),
    Mutant(
        "jobs clean removes what stops a file from being created again",
        "ads_cli/commands/uploads/jobs.py",
        "once = [job.job for _, job, ended in known if job.is_once and not ended]",
        "once = list[str]()",
        (f"{ONCE}::test_an_unfinished_file_is_not_begun_again",),
    ),
    Mutant(
        "what stops a file from being created again is removed when it is old",
        "ads_cli/uploads/jobs.py",
        "    return ended or not (job.is_once or ",
        "    return ended or not (",
        (f"{TOUCHED}::test_an_old_run_that_cannot_be_resumed_still_stops_the_next",),
    ),
    Mutant(
        "bytes that follow a response are read as the next one",
        "ads_cli/http/network.py",
        "state.trailing_data[0]",
        "False",
        (f"{LEFTOVER}::test_a_connection_with_any_leftover_bytes_is_closed",),
    ),
    Mutant(
        "what is sent once shares a connection",
        "ads_cli/http/network.py",
        'request.extensions.get("new_connection") or ',
        "",
        (f"{LEFTOVER}::test_an_answer_that_is_repeated_late_is_not_that_of_the_next_conversions",),
    ),
    Mutant(
        "ids that were given before count as created",
        "ads_cli/batches/upload.py",
        "count > 1 or id in self._ids",
        "count > 1",
        (f"{LYING}::test_ids_that_were_given_before_are_another_requests_answer",),
    ),
    Mutant(
        "conversions are listed as a push",
        "ads_cli/uploads/job_file.py",
        'upload.startswith("delete") else upload',
        'upload.startswith("delete") else "push"',
        (f"{CONVERSIONS}::test_a_job_of_conversions_is_a_send",),
    ),
    Mutant(
        "a second address of a person is left out",
        "ads_cli/conversions.py",
        "next((each for each in found if field not in each), None)",
        "next(iter(found), None)",
        (f"{CONVERSIONS}::test_each_value_of_an_identifier_is_sent_and_nothing_without_one",),
    ),
    Mutant(
        "a click that is a placeholder is sent",
        "ads_cli/conversions.py",
        "elif value is not None and not is_placeholder(str(value)):",
        "elif value is not None:",
        (f"{CONVERSIONS}::test_a_row_of_placeholders_has_no_identifier",),
    ),
    Mutant(
        "a value in the wrong column is quoted",
        "ads_cli/conversions.py",
        "return problem._replace(message=reason)",
        "return problem",
        (f"{CONVERSIONS}::test_the_values_of_mixed_up_columns_are_not_shown",),
    ),
    Mutant(
        "the first person of a file without a header is named",
        "ads_cli/conversions.py",
        "if _may_be_of_person(column):",
        "if False:",
        (f"{CONVERSIONS}::test_the_first_row_of_a_file_without_a_header_is_not_shown",),
    ),
    Mutant(
        "conversions of which the service has processed fewer count as sent",
        "ads_cli/conversions.py",
        "    if processed != count:",
        "    if processed is None:",
        (
            "tests/batches/test_lying_service.py::"
            "test_conversions_of_which_not_all_were_processed_are_not_counted_as_sent",
        ),
    ),
    Mutant(
        "a refusal names a conversion that was not sent",
        "ads_cli/conversions.py",
        "named is None or int(named[1]) >= count:",
        "named is None:",
        (
            "tests/batches/test_lying_service.py::"
            "test_a_refusal_of_a_conversion_that_was_not_sent_is_one_of_all",
        ),
    ),
)
