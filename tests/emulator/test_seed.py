"""What a new emulator has is spelled as the requests that show it declare it."""

from contextlib import closing
from hashlib import sha256
from importlib import import_module
from importlib.resources import files

import msgspec

from ads_cli.api.endpoint import Resource
from ads_cli.api.registry import MODULES
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.storage.database import VERSION

# Kinds of records without a Resource, and those that hold more than is shown of them.
OTHERS = {
    *("account_history", "business_category", "content_category", "iab_category", "publisher", "feature"),
    *("webhook", "account_activity_user", "connection"),
    *("card", "curated_category", "post", "stats_job", "tax_settings", "user_access", "user_settings"),
}


def declared() -> dict[str, set[str]]:
    """Return the fields that requests set or show, by the kind of their records."""
    fields: dict[str, set[str]] = {}
    for module in MODULES:
        for value in vars(import_module(f"ads_cli.api.{module}")).values():
            if isinstance(value, Resource):
                for request in (request for requests in value.requests.values() for request in requests):
                    names = {*request.endpoint.record_fields, *request.__struct_fields__}
                    fields.setdefault(value.kind, set()).update(names)
    return fields


def test_the_kinds_and_fields_of_seeded_records_are_declared(database):
    with closing(Emulator(database)) as emulator:
        rows = emulator.store.connection.execute("SELECT kind, data FROM records").fetchall()
    fields = declared()
    assert {kind for kind, _ in rows} <= {*fields, *OTHERS}
    for kind, data in rows:
        assert kind in OTHERS or not msgspec.json.decode(data).keys() - fields[kind], kind


SEEDED = (("storage", "tables.sql"), ("seed", "records.json"))
# Of the newest version. Where this differs, increment VERSION, and write both here.
VERSION_AND_DIGEST = (12, "9882585a8fdc82d3")


def test_a_change_of_tables_or_records_is_a_new_version():
    """An older database would lack it, and is refused by its version."""
    parts = [files(f"ads_cli.emulator.{package}").joinpath(name).read_bytes() for package, name in SEEDED]
    assert (VERSION, sha256(b"".join(parts)).hexdigest()[:16]) == VERSION_AND_DIGEST
