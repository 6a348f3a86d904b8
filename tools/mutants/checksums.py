"""Mutants of what tells damaged files from whole ones."""

from .mutant import Mutant
from .tests_named import CUT, DAMAGED_BYTE, JOURNAL, REMEMBERED, UNUSABLE

CHECKSUMS = (
    Mutant(
        "a damaged line of a journal counts",
        "ads_cli/config/atomic_files.py",
        "return content if line == checked_line(content) else None",
        "return content",
        (DAMAGED_BYTE,),
    ),
    Mutant(
        "an acknowledgement that was discarded is read again",
        "ads_cli/uploads/job_file.py",
        "for number, ack in self._answers.items() if not ack.is_discarded}",
        "for number, ack in self._answers.items()}",
        (
            f"{JOURNAL}::test_a_discarded_acknowledgement_is_neither_counted_nor_read_again",
            "tests/audiences/test_parts.py::"
            "test_what_was_acknowledged_of_a_file_that_became_shorter_is_not_listed_as_sent",
        ),
    ),
    Mutant(
        "an incomplete last line is kept, and spoils the next one",
        "ads_cli/uploads/journal.py",
        "    os.ftruncate(file, complete)\n",
        "",
        (CUT,),
    ),
    Mutant(
        "after an incomplete line others are counted, which are lost with it",
        "ads_cli/uploads/journal.py",
        "            self._failure = error\n            return\n",
        "            return\n",
        (f"{JOURNAL}::test_after_an_incomplete_line_nothing_more_is_counted",),
    ),
    Mutant(
        "a write that was cut short counts as whole",
        "ads_cli/config/atomic_files.py",
        "if os.write(file, data) != len(data):",
        "if not os.write(file, data):",
        (f"{JOURNAL}::test_after_an_incomplete_line_nothing_more_is_counted",),
    ),
    Mutant(
        "a journal whose first line is incomplete is a job",
        "ads_cli/config/atomic_files.py",
        """    content = line.partition(b",")[2].removesuffix(b"]\\n")
    return content if line == checked_line(content) else None""",
        """    content = line.partition(b",")[2].rstrip(b"\\n").removesuffix(b"]")
    return content if line.rstrip(b"\\n") == checked_line(content).rstrip(b"\\n") else None""",
        (f"{JOURNAL}::test_nobody_knows_which_job_a_journal_without_a_complete_header_belongs_to",),
    ),
    Mutant(
        "a damaged sync state is used",
        "ads_cli/products/sync_state.py",
        "if end < begin or data[end:] != checksum or (end - begin) % RECORD_BYTES:",
        "if end < begin or (end - begin) % RECORD_BYTES:",
        (UNUSABLE,),
    ),
    Mutant(
        "the sync state of another catalog is used",
        "ads_cli/products/sync_state.py",
        "if (header.service, header.catalog) != (self._header.service, self._header.catalog):",
        "if header.service != self._header.service:",
        (f"{REMEMBERED}::test_the_sync_state_of_another_catalog_is_not_used",),
    ),
    Mutant(
        "the digest of a product does not cover what it says",
        "ads_cli/products/digest_index.py",
        "return id_hash(product_id) + blake2b(content, digest_size=DIGEST_BYTES - ID_BYTES).digest()",
        'return id_hash(product_id) + blake2b(b"", digest_size=DIGEST_BYTES - ID_BYTES).digest()',
        ("tests/products/test_changed.py::test_of_a_feed_with_one_changed_row_one_row_is_sent",),
    ),
)
