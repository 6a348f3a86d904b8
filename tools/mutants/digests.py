"""Mutants of what tells whether an acknowledged batch is the one that would be sent."""

from .mutant import Mutant
from .tests_named import CUT_DIFFERENTLY, DISPLACED, RESUMED

DIGESTS = (
    Mutant(
        "a batch is known by its number alone",
        "ads_cli/uploads/plan.py",
        "if ack and ack.digest == upload.digest(batch):",
        "if ack:",
        (CUT_DIFFERENTLY,),
    ),
    Mutant(
        "an acknowledgement does not say what was sent",
        "ads_cli/uploads/push.py",
        "        ack.digest = self.plan.upload.digest(batch)\n",
        "",
        (RESUMED,),
    ),
    Mutant(
        "what is sent again is counted twice",
        "ads_cli/uploads/plan.py",
        "        if ack:  # another version of adsctl sent something else\n"
        "            journal.discard([ack])\n",
        "",
        (CUT_DIFFERENTLY,),
    ),
    Mutant(
        "batches that there are no longer are counted",
        "ads_cli/uploads/plan.py",
        "    journal.discard(earlier.values())\n",
        "",
        ("tests/model/test_stories.py::test_batches_that_there_are_no_longer_are_not_counted",),
    ),
    Mutant(
        "a digest does not cover what is sent",
        "ads_cli/uploads/upload.py",
        "    for piece in pieces:\n        digest.update(piece)\n",
        "",
        ("tests/uploads/test_batch_digests.py",),
    ),
    Mutant(
        "a digest does not cover the rows that a batch comes from",
        "ads_cli/uploads/upload.py",
        'digest = blake2b(array("q", records), digest_size=8)',
        'digest = blake2b(array("q", []), digest_size=8)',
        ("tests/uploads/test_batch_digests.py",),
    ),
    Mutant(
        "a resumed job validates its rows against another time",
        "ads_cli/commands/uploads/push.py",
        "            self.plan.started = started\n",
        "            pass\n",
        (DISPLACED,),
    ),
)
