"""Every schema of every command is one."""

import pytest
from jsonschema import Draft202012Validator

from ads_cli.cli.tree import root
from ads_cli.commands.schema.documents import document_of


@pytest.mark.parametrize("service", ["generic", "x"])
def test_all_schemas_are_valid(service):
    document = document_of(root(), service, ())
    Draft202012Validator.check_schema({"$defs": document["$defs"]})
    for described in document["commands"].values():
        files = described.get("files", {})
        for schema in (
            described["input"],
            described["error"],
            *described["output"].values(),
            *files.values(),
        ):
            Draft202012Validator.check_schema(schema)
