"""What the requests of a dry run would do, as a person says it."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..api.spending import ACTIVE, PAUSED, STATUS
from ..client.prepared_request import PreparedRequest
from ..output.table_view import local_times
from ..output.text import safe
from ..store.changes import ChangedRecord
from .account_zone import QUICKLY, zone_for
from .change_words import changes_in_words, each_record, record_in_words
from .invocation import Invocation
from .logged_changes import changed, changed_records, read_before

DRY_RUN = "dry run: "  # begins a sentence
MOST_SENTENCES = 20
VOWELS = "aeiou"
STATUS_VERBS = {PAUSED: "pause", ACTIVE: "activate"}


def sentences(call: Invocation, requests: Sequence[PreparedRequest]) -> list[str]:
    """Say what requests would do, a line for each record; nothing where that is not understood."""
    # Names are read, and are not worth a wait: a dry run works where the service cannot be reached.
    reader = call if call.settings.is_local else call.with_flags(QUICKLY)
    lines = []
    for request in requests:
        write = reader.writes.guard.write_of(request)
        if write.is_raw or write.endpoint is None or write.problem or not write.operations:
            return []
        read_before(reader, write, "update", "delete", "create")
        _, fields, before = changed(reader, write)
        records = changed_records(reader, write)
        if len(records) > 1 and not isinstance(fields, list):  # too many for their values
            fields = [{}] * len(records)
        spoken = (_sentence(*of_record) for of_record in each_record(records, fields, before))
        lines += [local_times(line, lambda: zone_for(reader)) for line in spoken]
    rest = len(lines) - MOST_SENTENCES
    return [*lines[:MOST_SENTENCES], *([f"and {rest:,} more; -v shows the requests"] if rest > 0 else [])]


def _sentence(record: ChangedRecord, fields: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    subject = record_in_words(record.noun, record.name, record.id)
    is_known = record.name or record.id
    subject = f"{'the' if is_known else 'an' if subject[:1] in VOWELS else 'a'} {subject}"
    status = STATUS_VERBS.get(str(fields.get(STATUS))) if {*fields} == {STATUS} else None
    if record.action == "update" and status:
        return safe(f"{DRY_RUN}would {status} {subject}")
    shown = {name: value for name, value in fields.items() if (record.action, name) != ("create", "name")}
    words = changes_in_words(shown, before, record.currency)
    return safe(f"{DRY_RUN}would {record.action} {subject}{f': {words}' if words else ''}")
