"""Mutants of what is on disk before anything depends on it."""

from .mutant import Mutant
from .tests_named import COUNTED, DELETED, OVERWRITTEN, PROFILE, SENT_AGAIN

FSYNCS = (
    Mutant(
        "an acknowledgement is counted before it is on disk",
        "ads_cli/config/atomic_files.py",
        'os.fdatasync(file) if hasattr(os, "fdatasync") else os.fsync(file)',
        "pass",
        (COUNTED,),
    ),
    Mutant(
        "the name of a new journal is not on disk",
        "ads_cli/uploads/journal.py",
        "    begun.rename(path)\n    sync_folder(path.parent)\n",
        "    begun.rename(path)\n",
        (COUNTED,),
    ),
    Mutant(
        "a batch of a delete is sent before it is on disk that it may be applied",
        "ads_cli/uploads/journal.py",
        "            self.append(Attempt(batch, may_be_applied=True, keys=keys))\n            self.flush()\n",
        "            self.append(Attempt(batch, may_be_applied=True, keys=keys))\n",
        (DELETED,),
    ),
    Mutant(
        "a file is renamed before its content is on disk",
        "ads_cli/config/atomic_files.py",
        "                os.fsync(self.fileno())\n",
        "                pass\n",
        (PROFILE,),
    ),
    Mutant(
        "the folder of a replaced file is not synced: an earlier epoch comes back",
        "ads_cli/config/atomic_files.py",
        "                temporary.replace(path)\n            sync_folder(path.parent)\n",
        "                temporary.replace(path)\n",
        (f"{SENT_AGAIN}[push]", f"{OVERWRITTEN}[push]", PROFILE),
    ),
    Mutant(
        "a epoch that ended comes back",
        "ads_cli/uploads/write_epochs.py",
        "            path.unlink()\n            sync_folder(self._folder)\n",
        "            path.unlink()\n",
        (f"{SENT_AGAIN}[api PUT]", f"{OVERWRITTEN}[api PUT]"),
    ),
    Mutant(
        "no folder is synced",
        "ads_cli/config/atomic_files.py",
        "        os.fsync(descriptor)\n",
        "        pass\n",
        (COUNTED, PROFILE),
    ),
)
