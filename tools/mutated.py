"""What `make mutate` changes: where a wrong line costs money or people, and the tests that belong to it."""

MODULES: dict[str, tuple[str, ...]] = {
    "ads_cli/api/amounts.py": ("tests/api/test_money.py", "tests/batches/test_amounts.py"),
    "ads_cli/api/spending.py": ("tests/batches/test_raising.py", "tests/batches/test_spending.py"),
    "ads_cli/client/guard.py": (
        "tests/client/test_guard.py",
        "tests/client/test_guard_bounds.py",
        "tests/client/test_guard_counts.py",
        "tests/client/test_guard_of_people.py",
        "tests/client/test_guard_unreadable.py",
        "tests/campaigns/test_guarded_plans.py",
        "tests/media/test_files_in_lists.py",
        "tests/products/sync/test_sync_limits.py",
    ),
    "ads_cli/client/signing.py": ("tests/client/test_signing.py", "tests/emulator/test_signatures.py"),
    "ads_cli/numbers.py": ("tests/test_numbers.py", "tests/products/sync/test_sync_limits.py"),
    "ads_cli/audiences/consent.py": (
        "tests/audiences/test_consent.py",
        "tests/audiences/test_yes_and_no.py",
    ),
    "ads_cli/audiences/identifiers.py": (
        "tests/audiences/test_identifiers.py",
        "tests/audiences/test_foreign_values.py",
    ),
    "ads_cli/audiences/phones.py": ("tests/audiences/test_phones.py",),
    "ads_cli/audiences/comparison.py": (
        "tests/audiences/test_ledger.py",
        "tests/audiences/test_sync.py",
        "tests/audiences/test_sync_model.py",
    ),
    "ads_cli/products/sync/differences.py": (
        "tests/products/sync/test_sync.py",
        "tests/products/sync/test_diff.py",
        "tests/products/sync/test_change.py",
        "tests/products/sync/test_not_kept.py",
    ),
    "ads_cli/store/epochs.py": (
        "tests/uploads/test_write_epochs.py",
        "tests/products/test_restored_disks.py",
        "tests/products/test_write_epochs.py",
    ),
    "ads_cli/media/journal.py": ("tests/media/test_journal.py", "tests/media/test_interrupted_uploads.py"),
}

# Survivors that harm nobody, as `make mutate` names them, or any of a line, and why.
AMOUNTS, SIGNING, LISTS, GUARD = (
    "ads_cli/api/amounts.py",
    "ads_cli/client/signing.py",
    "ads_cli/audiences/comparison.py",
    "ads_cli/client/guard.py",
)
EXPLAINED: dict[str, str] = {
    f"{AMOUNTS} in_micros: elif micros <= 0: -> elif micros <= -1:": "the field refuses 0 itself",
    f"{SIGNING} : NONCE, TIMESTAMP = token_hex(16), token_hex(16)": "placeholders, which are replaced",
    f"{SIGNING} SignedAuth._fill_template: "
    'nonce = self._signer.nonce or f"{getrandbits(128):032x}"  # must be unique, not secret': "as unique",
    f"{SIGNING} : CACHED_URLS = 32": "takes a little time",
    f"{LISTS} : MOST_KEPT_BYTES = 64 * 1024 * 1024  # of the JSON of people to be sent": "takes memory",
    f"{LISTS} ListComparison.add: if self._kept_size > MOST_KEPT_BYTES:": "memory, or a second reading",
    f"{LISTS} ListComparison.compare: if differences.counts.total() + differences.unchanged != valid:"
    " -> if differences.counts.total() + differences.unchanged < valid:": "none is ever counted twice",
    f"{LISTS} ListDifferences: sends_all: bool = False  # since others may be deleted with them": (
        "where more than 64 MB of people differ and none is deleted, those are sent too who do not"
    ),
    f"{LISTS} ListDifferences: missing: int = 0  # people who were acknowledged, and are in no row": (
        "always replaced"
    ),
    f"{LISTS} ListComparison.add: self._kept, self._kept_size = None, 0": "not counted any more",
    f"{LISTS} ListComparison.deletions: for number, entries in enumerate(self._deleted, 1):": "0 is none",
    f"{LISTS} ListComparison.additions: for record, user in zip(operations.rows, users, strict=True):": (
        "they are as many"
    ),
    f"{LISTS} ListDifferences: uncounted: int = 0"
    "  # of these, people whose first identifier the ledger has no longer": "always replaced",
    f"{LISTS} ListComparison.__init__: self._kept_size = 0": "a byte",
    f"{LISTS} ListComparison._why_withheld: "
    'return self._opened.reason or "this machine has no ledger of this list"': "else nobody is missing",
    f"{GUARD} WriteGuard.approve_rows: self._judge([write._replace(records=0) for write in writes[1:]])"
    " -> self._judge([write._replace(records=0) for write in writes[ 0:]])": "judged twice, without its rows",
    f"{GUARD} WriteGuard.approve_rows: "
    "self._judge([write._replace(records=rows or 0) for write in writes[:1]])"
    " -> self._judge([write._replace(records=rows or -1) for write in writes[:1]])": "no rows are not sent",
    f"{GUARD} count_in_fleet: counts[task] = max(count, counts.get(task, 0))"
    " -> counts[task] = max(count, counts.get(task, 1))": "`count` is never 0",
    f"{GUARD} count_in_fleet: folder = fleet_count.parent / "
    "blake2b(limit.source.encode(), digest_size=8).hexdigest()": "as unique",
    f"{GUARD} _digest: return blake2b(encoded, digest_size=16).digest()": "as unique",
    f'{GUARD} WriteGuard.require: if is_counted and write.subject == "products":'
    "  # what is in its body is not judged"
    ' -> if is_counted and write.subject > "products":  # what is in its body is not judged': (
        "products are read again, and people are counted and have no amounts"
    ),
}
