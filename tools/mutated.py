"""What `make mutate` changes: where a wrong line costs money or people, and the tests that belong to it."""

MODULES: dict[str, tuple[str, ...]] = {
    "ads_cli/api/amounts.py": ("tests/api/test_money.py", "tests/records/test_amounts.py"),
    "ads_cli/api/spending.py": (
        "tests/records/test_raising.py",
        "tests/records/test_spending.py",
        "tests/campaigns/test_rises.py",
        "tests/client/test_guard.py",
        "tests/client/test_guard_bounds.py",
        "tests/client/test_guard_unreadable.py",
    ),
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
        "tests/audiences/test_consent_headers.py",
        "tests/audiences/test_yes_and_no.py",
    ),
    "ads_cli/audiences/identifiers.py": (
        "tests/audiences/test_identifiers.py",
        "tests/audiences/test_foreign_values.py",
        "tests/audiences/test_columns.py",
        "tests/audiences/test_phones.py",
    ),
    "ads_cli/audiences/phones.py": ("tests/audiences/test_phones.py",),
    "ads_cli/audiences/comparison.py": (
        "tests/audiences/test_ledger.py",
        "tests/audiences/test_sync.py",
        "tests/audiences/test_sync_trust.py",
        "tests/audiences/test_sync_model.py",
    ),
    "ads_cli/products/sync/differences.py": (
        "tests/products/sync/test_sync.py",
        "tests/products/sync/test_diff.py",
        "tests/products/sync/test_change.py",
        "tests/products/sync/test_not_kept.py",
        "tests/products/sync/test_sync_resume.py",
        "tests/products/sync/test_sync_variants.py",
    ),
    "ads_cli/audiences/ledger_merge.py": (
        "tests/audiences/test_ledger.py",
        "tests/audiences/test_ledger_at_once.py",
        "tests/audiences/test_sync.py",
        "tests/audiences/test_sync_trust.py",
        "tests/audiences/test_sync_model.py",
    ),
    "ads_cli/runs/sends.py": (
        "tests/runs/test_journal.py",
        "tests/runs/test_jobs.py",
        "tests/products/test_resume.py",
        "tests/records/test_once.py",
        "tests/products/test_list_jobs.py",
    ),
    "ads_cli/runs/jobs.py": (
        "tests/runs/test_jobs.py",
        "tests/products/test_jobs.py",
        "tests/products/test_list_jobs.py",
        "tests/products/test_resume.py",
        "tests/products/test_write_epochs.py",
        "tests/records/test_once.py",
        "tests/runs/test_journal.py",
    ),
    "ads_cli/runs/look_up.py": (
        "tests/records/test_looked_up.py",
        "tests/records/test_one_record.py",
        "tests/records/test_once.py",
        "tests/records/test_lying_service.py",
    ),
    "ads_cli/products/sync_state.py": (
        "tests/products/test_sync_state.py",
        "tests/products/test_remembered.py",
        "tests/products/test_changed.py",
        "tests/products/test_restored_disks.py",
        "tests/products/test_write_epochs.py",
    ),
    "ads_cli/store/epochs.py": (
        "tests/runs/test_write_epochs.py",
        "tests/products/test_restored_disks.py",
        "tests/products/test_write_epochs.py",
    ),
    "ads_cli/media/journal.py": ("tests/media/test_journal.py", "tests/media/long_interrupted_uploads.py"),
}

# Survivors that harm nobody, as `make mutate` names them, or any of a line, and why.
AMOUNTS, SPENDING = "ads_cli/api/amounts.py", "ads_cli/api/spending.py"
SIGNING, GUARD = "ads_cli/client/signing.py", "ads_cli/client/guard.py"
LISTS, CONSENT = "ads_cli/audiences/comparison.py", "ads_cli/audiences/consent.py"
IDENTIFIERS, PHONES = "ads_cli/audiences/identifiers.py", "ads_cli/audiences/phones.py"
NUMBERS, DIFFERENCES = "ads_cli/numbers.py", "ads_cli/products/sync/differences.py"
MERGE, SENDS, LOOK_UP = (
    "ads_cli/audiences/ledger_merge.py",
    "ads_cli/runs/sends.py",
    "ads_cli/runs/look_up.py",
)
EXPLAINED: dict[str, str] = {
    f"{MERGE} Persons.settled: sizes[root] += sizes[child] + 1": "takes time",
    f"{SENDS} : PAGE = 1000  # acknowledgements that are in memory at once where they are read one by one": (
        "takes a little memory"
    ),
    f"{SENDS} acknowledgements: last = -1 -> last = - 2": "no batch has a number below 0",
    f"{LOOK_UP} : MOST_IDS = 200  # that a list is filtered by at once"
    " -> MOST_IDS = 199  # that a list is filtered by at once": "takes another request",
    f"{LOOK_UP} look_for: "
    "for request, near_of_each, alike_of_each in zip(requests, near, alike, strict=True):": (
        "they are as many"
    ),
    f"{LOOK_UP} _listed_records: for first in range(0, max(len(ids), 1), MOST_IDS):"
    " -> for first in range(0, max(len(ids), 2), MOST_IDS):": "as many requests, of up to 200 ids",
    f"{AMOUNTS} in_micros: elif micros <= 0: -> elif micros <= -1:": "the field refuses 0 itself",
    f"{SIGNING} : NONCE, TIMESTAMP = token_hex(16), token_hex(16)": "placeholders, which are replaced",
    f"{SIGNING} SignedAuth._fill_template: "
    'nonce = self._signer.nonce or f"{getrandbits(128):032x}"  # must be unique, not secret': "as unique",
    f"{SIGNING} : CACHED_URLS = 32": "takes a little time",
    f"{LISTS} ListDifferences: missing: int = 0  # people who were acknowledged, and are in no row": (
        "always replaced"
    ),
    f"{LISTS} ListComparison.additions: for record, user in zip(operations.rows, users, strict=True):": (
        "they are as many"
    ),
    f"{LISTS} ListComparison._why_withheld: "
    'return self._opened.reason or "this machine has no ledger of this list"': "else nobody is missing",
    f"{GUARD} WriteGuard.approve_rows: self._judge([write._replace(records=0) for write in writes[1:]])"
    " -> self._judge([write._replace(records=0) for write in writes[ 0:]])": "judged twice, without its rows",
    f"{GUARD} FleetCount.add: counts[self.task] = max(count, counts.get(self.task, 0))"
    " -> counts[self.task] = max(count, counts.get(self.task, 1))": "`count` is never 0",
    f"{GUARD} _digest: return blake2b(encoded, digest_size=16).digest()": "as unique",
    f'{GUARD} WriteGuard.require: if is_counted and write.subject == "products":'
    "  # what is in its body is not judged"
    ' -> if is_counted and write.subject > "products":  # what is in its body is not judged': (
        "products are read again, and people are counted and have no amounts"
    ),
    f"{GUARD} WriteGuard.require: "
    'if is_counted and write.subject == "products":  # what is in its body is not judged'
    ' -> if is_counted or write.subject == "products":  # what is in its body is not judged': (
        "what is no push is judged as a whole before its first request"
    ),
    f"{GUARD} WriteGuard.require: "
    'if is_counted and write.subject == "products":  # what is in its body is not judged'
    ' -> if not is_counted and write.subject == "products":  # what is in its body is not judged': (
        "a push is judged again, without its rows"
    ),
    f"{GUARD} WriteGuard.note_completed: if _digests(self.write_of(planned)) <= self._approved:"
    " -> if _digests(self.write_of(planned)) != self._approved:": "only what is approved is completed",
    f'{GUARD} WriteGuard.note_made: if op.action == "create" and isinstance(record, dict):'
    ' -> if op.action == "create" or isinstance(record, dict):': (
        "what was updated is known, and an answer without records is an error before that"
    ),
    f'{GUARD} _digest: path = write.endpoint.path if write.endpoint else ""'
    ' -> path = write.endpoint.path if not write.endpoint else ""': "its fields tell a change from others",
    f"{GUARD} WriteGuard.write_of: "
    'counts = bool(self.guard.of("max_changes")) and urlsplit(prepared.url).path not in self._counted'
    ' -> counts = bool(self.guard.of("max_changes")) or urlsplit(prepared.url).path not in self._counted': (
        "counts what no limit asks for"
    ),
    f"{GUARD} FleetCount.add: counts[self.task] = max(count, counts.get(self.task, 0))"
    " -> counts[self.task] = max(count, counts.get(self.task, -1))": "`count` is never 0",
    f'{NUMBERS} size_text: if size >= factor and (unit[1] != "i" or size % factor == 0):'
    ' -> if size >= factor and (unit[1] != "i" or size % factor <= 0):': "a remainder is never less",
    f"{CONSENT} tells_by_itself: "
    "return not negated & SUBSCRIBED if negated & (SUBSCRIBED | UNSUBSCRIBED) else None"
    " -> return not negated & SUBSCRIBED if negated & (SUBSCRIBED ^ UNSUBSCRIBED) else None": (
        "no word is in both"
    ),
    f"{CONSENT} agrees: return kind is Consent.REFUSED -> return kind == Consent.REFUSED": "the same",
    f"{CONSENT} WhereAnswer.holds: is_asked_for = answer_of(text) is answer_of(self.where.value)"
    " -> is_asked_for = answer_of(text) == answer_of(self.where.value)": "the same",
    f"{CONSENT} choose_condition: "
    "if is_answer_time(column) or (kind is Consent.REFUSED and {*words} == {TIME}):"
    " -> if is_answer_time(column) or (kind == Consent.REFUSED and {*words} == {TIME}):": "the same",
    f"{CONSENT} choose_condition: "
    "if is_answer_time(column) or (kind is Consent.REFUSED and {*words} == {TIME}):"
    " -> if is_answer_time(column) or (kind is Consent.REFUSED and {*words} <= {TIME}):": (
        "another option where no row is left"
    ),
    f"{CONSENT} _one_of: return Where(column, operator, texts[0])"
    " -> return Where(column, operator, texts[ -1])": "it is the only one",
    f"{CONSENT} : MAX_WORD_LENGTH = 40": "no word that is known has more than 20 letters",
    f"{CONSENT} : @lru_cache(1024)": "takes a little time",
    f"{CONSENT} :   @lru_cache(1024)": "takes time",
    f"{CONSENT} WhereAnswer: class WhereAnswer(msgspec.Struct, frozen=True):": "nothing changes it",
    f"{IDENTIFIERS} email: domain = idna.encode(domain, uts46=True).decode()": (
        "case and width are removed from the whole address"
    ),
    f"{IDENTIFIERS} : LESS_THAN_HASH, UUID_LENGTH = 31, 36 -> LESS_THAN_HASH, UUID_LENGTH = 30, 36": (
        "takes time"
    ),
    f"{IDENTIFIERS} : LESS_THAN_HASH, UUID_LENGTH = 31, 36 -> LESS_THAN_HASH, UUID_LENGTH = 31, 35": (
        "takes time"
    ),
    f"{IDENTIFIERS} : LESS_THAN_HASH, UUID_LENGTH = 31, 36 -> LESS_THAN_HASH, UUID_LENGTH = 31, 37": (
        "no hash has 37 digits"
    ),
    f"{IDENTIFIERS} : INVISIBLE |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])"
    "  # writing direction"
    " -> INVISIBLE |= dict.fromkeys([*range(0x202A, 0x202F), *range( 8293, 0x206A)])  # writing direction": (
        "U+2065 is no character"
    ),
    f"{IDENTIFIERS} : INVISIBLE |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])"
    "  # writing direction"
    " -> INVISIBLE |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 8299)])  # writing direction": (
        "U+206A is invisible too, and nobody writes it"
    ),
    f"{IDENTIFIERS} :   @cache": "takes time",
    f"{PHONES} _normal_country: runs = ([n for _, n in run] for _, run in groupby(enumerate(lengths),"
    " lambda pair: pair[1] - pair[0]))": "more patterns of the same lengths",
    f"{PHONES} _parse: if phonenumbers.is_possible_number_with_reason(number)"
    " != phonenumbers.ValidationResult.IS_POSSIBLE:"
    " -> if phonenumbers.is_possible_number_with_reason(number)"
    " > phonenumbers.ValidationResult.IS_POSSIBLE:": "it is the least of them",
    f"{PHONES} _plain_national: if metadata.id != _metadata(metadata.country_code).id:": (
        "the library reads the same, and takes more time"
    ),
    f"{PHONES} _trunk_prefix: return prefix if prefix.isdecimal() or not prefix else None": (
        "the library reads the same, and takes more time"
    ),
    f"{PHONES} _read_dialed: if not any(map(_has_mobile_form, others)):": (
        "no country has mobiles that are mobiles with its code before them too"
    ),
    f"{PHONES} _read_dialed: mobiles = set(filter(_is_mobile, readings)) if len(readings) > 1 else readings"
    " -> mobiles = set(filter(_is_mobile, readings)) if len(readings) > 0 else readings": "takes time",
    f"{PHONES} _codes: for start in {{number[:4] for number in numbers}}:  # + and up to three digits"
    " -> for start in {number[: 5] for number in numbers}:  # + and up to three digits": (
        "no code has four digits"
    ),
    f"{PHONES} : @lru_cache(64)": "takes a little time",
    f"{PHONES} :   @lru_cache(64)": "takes time",
    f"{PHONES} :   @cache": "takes time",
    f"{SPENDING} raised_limits: "
    "if all(before.get(name, UNREADABLE) == after.get(name, UNREADABLE) for name in names):"
    " -> if all(before.get(name, UNREADABLE) is after.get(name, UNREADABLE) for name in names):": (
        "what is equal is not raised either"
    ),
    f"{SPENDING} update_of_activation: "
    'return requests_named((*group, "update"))[0] if verb == "activate" else None'
    ' -> return requests_named((*group, "update"))[ -1] if verb == "activate" else None': "there is one",
    f"{SPENDING} : @lru_cache(10_000)": "takes time",
    f"{SPENDING} :   @lru_cache(10_000)": "takes time",
    f"{SPENDING} :   @cache": "takes time",
    f"{DIFFERENCES} ProductChange: record: int = 0  # number of the row in the feed": (
        "always replaced but for deletions, which have none"
    ),
    f"{DIFFERENCES} ProductChange: line: int = 0": "always replaced but for deletions, which have none",
    f"{DIFFERENCES} Differences.__init__: self.listed = 0  # products within the scope": "always replaced",
    f"{DIFFERENCES} Differences.__init__: self.unsearched = 0  # groups in which these may be": (
        "replaced where it is said"
    ),
    f"{DIFFERENCES} Differences.__init__: self.is_confirmed = True"
    "  # whether that is the latest, and not of a disk that was restored": "always replaced",
    f"{DIFFERENCES} Differences.__init__: self.is_remembered = False"
    "  # whether anything is known that the service acknowledged of the catalog": "always replaced",
    f"{DIFFERENCES} FieldChange: class FieldChange(msgspec.Struct, frozen=True):": "nothing changes it",
    f"{DIFFERENCES} Differences.read: def read(self, *, deletions: bool | None = None,"
    " state: int | None = None) -> Iterator[ProductChange]:": "it is called with the names",
}
