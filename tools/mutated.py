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
    "ads_cli/uploads/write_epochs.py": (
        "tests/uploads/test_write_epochs.py",
        "tests/products/test_restored_disks.py",
        "tests/products/test_write_epochs.py",
    ),
    "ads_cli/media/journal.py": ("tests/media/test_journal.py", "tests/media/test_interrupted_uploads.py"),
}

# Survivors that change nothing which a user could see, as `make mutate` names them (or all of a line), and why.
AMOUNTS, SIGNING, LISTS = (
    "ads_cli/api/amounts.py",
    "ads_cli/client/signing.py",
    "ads_cli/audiences/comparison.py ListComparison",
)
EXPLAINED: dict[str, str] = {
    f"{AMOUNTS} in_micros: elif micros <= 0: -> elif micros <= -1:": "the field refuses 0 itself",
    f"{SIGNING} : NONCE, TIMESTAMP = token_hex(16), token_hex(16)": "placeholders, which are replaced",
    f"{SIGNING} SignedAuth._fill_template: "
    'nonce = self._signer.nonce or f"{getrandbits(128):032x}"  # must be unique, not secret': "as unique",
    f"{SIGNING} : CACHED_URLS = 32": "takes a little time",
    "ads_cli/audiences/comparison.py : MOST_KEPT_BYTES = 64 * 1024 * 1024  # of the JSON of people to be sent": (
        "takes memory"
    ),
    f"{LISTS}.add: if self._kept_size > MOST_KEPT_BYTES:": "takes memory, or the file is read again",
    f"{LISTS}.compare: if differences.counts.total() + differences.unchanged != valid:"
    " -> if differences.counts.total() + differences.unchanged < valid:": "none is ever counted twice",
}
