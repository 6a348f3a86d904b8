"""Mutants of what tells that something else may have changed a place."""

from .mutant import Mutant
from .tests_named import (
    NOT_RESUMED,
    OVERWRITTEN,
    PARTS_RESUMED,
    REMEMBERED,
    RESTORED,
    RESUMED,
    SENT_AGAIN,
    STORIES,
)

DISKS = "tests/products/test_restored_disks.py"

EPOCHS = (
    Mutant(
        "a restored copy of a state folder is taken for the current one",
        "ads_cli/uploads/write_epochs.py",
        "    return path.stat().st_ctime_ns\n",
        "    return 0\n",
        (RESTORED,),
    ),
    Mutant(
        "a push does not begin a epoch where there is one",
        "ads_cli/uploads/journal.py",
        "epoch = epochs.begin(target, job.group)",
        "epoch = self.previous_epoch or epochs.begin(target, job.group)",
        (f"{NOT_RESUMED}[at once-push]",),
    ),
    Mutant(
        "what adds people and what removes them are one group",
        "ads_cli/commands/uploads/journal.py",
        'job.group = f"{group} {job.action}"',
        "job.group = group",
        (PARTS_RESUMED,),
    ),
    Mutant(
        "a job is resumed in any epoch",
        "ads_cli/uploads/jobs.py",
        "if not ended and epoch and job.epoch == epoch",
        "if not ended and job.key.target == target",
        (f"{NOT_RESUMED}[jobs clean-push]", f"{NOT_RESUMED}[at once-api PUT]"),
    ),
    Mutant(
        "a direct write does not end the epoch",
        "ads_cli/console/invocation.py",
        "return WriteEpochs(self.settings.state_dir).changing(place) if place else nullcontext()",
        "return nullcontext()",
        (f"{NOT_RESUMED}[at once-api PUT]", f"{SENT_AGAIN}[api PUT]"),
    ),
    Mutant(
        "a epoch ends after a direct write only, and a power failure keeps it",
        "ads_cli/uploads/write_epochs.py",
        "        self.end(target)\n        try:\n            yield\n",
        "        try:\n            yield\n",
        (f"{OVERWRITTEN}[api PUT]",),
    ),
    Mutant(
        "the sync state of an earlier epoch is used",
        "ads_cli/products/sync_state.py",
        "        if header.epoch != epoch:\n            raise UnknownError",
        "        if False:\n            raise UnknownError",
        (
            "tests/products/test_write_epochs.py::test_the_sync_state_of_an_older_copy_of_the_state_folder_is_not_used",
        ),
    ),
    Mutant(
        "a push commits what another one has overwritten",
        "ads_cli/products/sync_state.py",
        "is_current = epoch == self.epoch",
        "is_current = True",
        (f"{REMEMBERED}::test_two_concurrent_pushes_store_nothing_that_may_be_wrong",),
    ),
    Mutant(
        "a push that begins during a direct write is resumed",
        "ads_cli/uploads/write_epochs.py",
        "        finally:\n            self.end(target)\n",
        "        finally:\n            pass\n",
        ("tests/uploads/test_write_epochs.py",),
    ),
    Mutant(
        "each spelling of an address is a service of its own",
        "ads_cli/console/invocation.py",
        'return f"{EMULATOR_URL}#{world}" if world else canonical_address(address)',
        'return f"{EMULATOR_URL}#{world}" if world else address',
        (RESUMED, f"{STORIES}::test_what_was_pushed_by_another_spelling_of_the_address_is_not_left_out"),
    ),
    Mutant(
        "the sync state of a restored disk is trusted",
        "ads_cli/uploads/write_epochs.py",
        'return {*self._notes(name)} == {f"{boot_id()} {stamp}"}',
        "return True",
        (f"{DISKS}::test_what_a_restored_disk_remembers_is_not_trusted",),
    ),
    Mutant(
        "a note of an earlier boot counts",
        "ads_cli/uploads/write_epochs.py",
        'return {*self._notes(name)} == {f"{boot_id()} {stamp}"}',
        'return any(note.endswith(f" {stamp}") for note in self._notes(name))',
        (f"{DISKS}::test_after_a_restart_the_catalog_is_listed_once",),
    ),
    Mutant(
        "the end of a epoch is not noted",
        "ads_cli/uploads/write_epochs.py",
        "        self._witness.note(path.name, NO_EPOCH)",
        "        pass",
        (f"{DISKS}::test_what_a_restored_disk_remembers_is_not_trusted_after_a_write_that_is_no_push[api]",),
    ),
    Mutant(
        "a push carries over what it could not confirm",
        "ads_cli/uploads/journal.py",
        "        if not epochs.is_confirmed(target):\n",
        "        if False:\n",
        (f"{DISKS}::test_nothing_that_was_not_confirmed_is_carried_over",),
    ),
)
