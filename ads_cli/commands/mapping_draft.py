"""Write a first mapping file for a feed, for `products check --write-mapping`."""

from ..console.invocation import Invocation
from ..console.output_file import OutputFile
from ..feeds.kinds.drafting import MappingDraft
from ..feeds.kinds.opening import OpenedFeed
from ..validation.schema import RowSchema


def write_mapping(call: Invocation, path: str, opened: OpenedFeed, schema: RowSchema, *, force: bool) -> None:
    """Write what a mapping can say of a feed; an existing file is replaced only where that was confirmed."""
    out = OutputFile(path)
    out.check_differs(opened.rows.source.location, None)
    out.confirm(call, force=force)
    draft = MappingDraft(schema.known, schema.required, schema.choices)
    for row in opened.rows:
        draft.add(row.values)
    with out.open() as stream:
        stream.write(draft.write(opened.rows, opened.name, path))
    call.messages.say(f"{path} written: correct it, and use it with --mapping {path}")
