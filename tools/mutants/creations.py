"""Mutants of what keeps records and conversions from being created or sent twice."""

from .mutant import Mutant

CRASH = (
    "tests/crash/test_crash.py"
    "::test_records_are_created_once_where_a_person_looks_whether_the_uncertain_ones_exist"
)
ONCE, LYING = "tests/batches/test_once.py", "tests/batches/test_lying_service.py"
ANSWERS = f"{LYING}::test_what_may_have_been_created_is_told_and_not_sent_again"
AS_BEGUN = "tests/batches/test_conversions.py::test_a_run_is_resumed_as_it_was_begun_and_otherwise_not_at_all"

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
        "ads_cli/client/retry.py",
        "*range(500, 600)",
        "500, 502, 503, 504",
        (ANSWERS,),
    ),
    Mutant(
        "a success that lists errors says that nothing was applied",
        "ads_cli/client/sender.py",
        "            error.may_be_applied = _has_data(error.body, status)\n",
        "",
        (ANSWERS,),
    ),
    Mutant(
        "a body that is not read says that nothing was applied",
        "ads_cli/client/sender.py",
        "            error.may_be_applied = True\n",
        "",
        (ANSWERS,),
    ),
    Mutant(
        "a success that rejects operations is followed by the others",
        "ads_cli/batches/upload.py",
        "            elif self.creates:",
        "            elif False:",
        (ANSWERS,),
    ),
    Mutant(
        "a run with another mapping resumes a job",
        "ads_cli/batches/plan.py",
        "            mapping=dict(self.rows.rename),\n",
        "            mapping={},\n",
        (AS_BEGUN,),
    ),
    Mutant(
        "what was acknowledged in other words is sent again",
        "ads_cli/batches/plan.py",
        "if ack and ack.digest != self.upload.digest(batch):",
        "if False:",
        (AS_BEGUN,),
    ),
    Mutant(
        "a run that begins and ends meanwhile is not seen",
        "ads_cli/commands/push_steps.py",
        "self.plan.read_in = Generations(state_dir).current(key.place)",
        "self.plan.read_in = None",
        (f"{ONCE}::test_a_run_that_begins_and_ends_while_another_one_starts_is_seen",),
    ),
    Mutant(
        "an unfinished run is begun again",
        "ads_cli/batches/once.py",
        "    if not resume and not unfinished:\n",
        "    if not resume:\n",
        (f"{ONCE}::test_an_unfinished_file_is_not_begun_again",),
    ),
)
