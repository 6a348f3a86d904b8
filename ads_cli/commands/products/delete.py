"""Delete products by their keys, or by the ids of their feed."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, choice, option
from ...errors import ContentError, UsageError
from ...output.text import counted, first_of
from ..uploads.hooks import PushHooks, confirm_request
from ..uploads.options import FeedOptions, SendOptions, with_options
from . import sync_state_of

if TYPE_CHECKING:
    from ...feeds.rows import Rows
    from ...validation import RowSchema

NAMED_IDS = 10  # the most that a warning names
BY_ID_HINT = "to name products by the ids of their feed, add --by id"
KEY_HINT = (
    "'adsctl products list' shows the keys there are; a product that was deleted before has none; "
    f"{BY_ID_HINT}"
)
ID_HINT = "'adsctl products list --all' shows the ids there are; a product that was deleted before has none"


@with_options(feed=FeedOptions, options=SendOptions)
def delete(
    ctx: typer.Context,
    keys: Annotated[list[str] | None, argument("KEY...", "Product keys, or ids with --by id")] = None,
    from_: Annotated[
        str | None,
        option(
            "FILE", "A file with a column product_key, or id with --by id, or a value on each line", "--from"
        ),
    ] = None,
    by: Annotated[
        Literal["key", "id"], choice("id: look the keys up in the catalog by the ids of the feed")
    ] = "key",
    *,
    feed: FeedOptions,
    options: SendOptions,
) -> None:
    """Delete products, for good; it asks first.

    For example: adsctl products delete --from discontinued.csv
    """
    from ...products.normal_form import ID_SCHEMA, KEY_SCHEMA
    from ...products.plans import delete_by_id_plan, delete_plan
    from ..uploads.push import PushCommand

    if bool(keys) == bool(from_):
        raise UsageError(
            "name the products to delete: either keys or --from FILE", hint="adsctl products delete --help"
        )
    call = Invocation.of(ctx)
    if by == "id":
        call.catalog = call.find_catalog()  # in a dry run too, since it has the keys
    sync_state = sync_state_of(call)
    rows = _open(call, keys or [], from_, feed, ID_SCHEMA if by == "id" else KEY_SCHEMA)
    if by == "id":
        plan, products = delete_by_id_plan(rows, call.catalog, sync_state)
        hooks: PushHooks = _HooksById(
            call=call, plan=plan, activity="Deleting", rejected_hint=ID_HINT, keys=products
        )
    else:
        plan = delete_plan(rows, call.catalog, sync_state)
        hooks = PushHooks(call=call, plan=plan, activity="Deleting", rejected_hint=KEY_HINT)
    try:
        PushCommand(hooks, options).run()
    except ContentError as error:
        if by == "key" and "id" in map(str.casefold, rows.columns) and "product_key" not in rows.fields:
            error.hint = BY_ID_HINT
        raise


class _HooksById(PushHooks, kw_only=True):
    """The hooks of a deletion by the ids of a feed."""

    keys: dict[str, str]  # of the products that were found, by id

    def validated(self) -> None:
        """Look up the keys of the ids in the file, and name ids without one."""
        from ...console.progress import progress
        from ...products.plans import find_keys

        call = self.call
        ids = [str(checked.row.values["id"]) for checked in self.plan.checked_rows() if checked.item]
        with progress(call.messages, "Listing the catalog", None) as on_progress:
            self.keys.update(find_keys(call.client, call.catalog, ids, on_progress))
        if missing := [id for id in ids if id not in self.keys]:
            named = first_of(missing, NAMED_IDS, repr)
            call.messages.warn(f"{len(missing):,} of {counted(len(ids), 'id')} not in the catalog: {named}")

    def confirm(self) -> None:
        """Ask before the products that were found are deleted; other ids have none."""
        if self.keys:
            confirm_request(self.call, self.plan.upload.request, counted(len(self.keys), "product"))


def _open(
    call: Invocation, values: list[str], file: str | None, feed: FeedOptions, schema: "RowSchema"
) -> "Rows":
    """Open the values, or the file of values."""
    from ...feeds.reader import open_value_list, open_values, read_rows

    mapping = feed.mapping(schema.required)
    if file:
        columns = {*schema.known, *mapping}
        source = open_value_list(file, feed.format, feed.encoding, columns=columns, access=feed.access(call))
    else:
        source = open_values(values)
    return read_rows(source, roots=schema.roots, known=schema.required, rename=mapping)
