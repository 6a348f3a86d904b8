"""Delete products by their keys, or by the ids of their feed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...api.product_ids import PRODUCT_KEY
from ...console.invocation import Invocation
from ...console.parameters import argument, choice, option
from ...console.shown import shows
from ...errors import UsageError
from ...output.text import cell, counted, first_of
from ..runs.options import FeedOptions, SendOptions, with_options
from ..runs.shown import SUMMARY
from . import sync_state_of
from .feed_checks import NAMED_PRODUCTS, listed_products

if TYPE_CHECKING:
    from ...feeds.rows import Rows
    from ...products.plans import ProductPlan
    from ...validation import RowSchema

NAMED_IDS = 10  # the most that a warning names
KEY_HINT = (
    "'adsctl products list' shows the keys there are; a product that was deleted before has none; "
    "to name products by the ids of their feed, add --by id"
)
ID_HINT = (
    "'adsctl products pull FILE.csv' writes all that there are; one that was deleted before is not there"
)


@shows(SUMMARY)
@with_options(feed=FeedOptions, options=SendOptions)
def delete(
    ctx: typer.Context,
    keys: Annotated[list[str] | None, argument("ID...", "Ids of the feed, or product keys")] = None,
    from_: Annotated[
        str | None,
        option("FILE", "A file with a column id or product_key, or one of them on each line", "--from"),
    ] = None,
    by: Annotated[
        Literal["key", "id"] | None, choice("What the names are (default: keys if all of them look like it)")
    ] = None,
    *,
    feed: FeedOptions,
    options: SendOptions,
) -> None:
    """Delete products, for good; it asks first.

    The service deletes by its own keys. Ids are looked up in the catalog, which is listed.

    For example: adsctl products delete --from discontinued.csv
    """
    from ...console.spending import confirm_requests
    from ...products.digest_index import key_hash
    from ...products.normal_form import ID_SCHEMA, KEY_SCHEMA
    from ...products.plans import delete_plan
    from ..runs.sending import Sending

    if bool(keys) == bool(from_):
        raise UsageError(
            "name the products to delete: either keys or --from FILE", hint="adsctl products delete --help"
        )
    call = Invocation.of(ctx)
    is_either = by is None
    rows = _open(call, keys or [], from_, feed, ID_SCHEMA if by == "id" else KEY_SCHEMA)
    if is_either and _are_ids(rows):
        by, rows = "id", _open(call, keys or [], from_, feed, ID_SCHEMA)
    if by == "id":
        call.catalog = call.find_catalog()  # in a dry run too, since it has the keys
    keys_by_id: dict[str, str] | None = {} if by == "id" else None  # of the products that were found
    plan, titles = delete_plan(rows, call.catalog, keys_by_id), dict[str, str]()

    def look_up() -> None:
        if keys_by_id is not None:
            fields = ("id", "product_key") if is_either else ("id",)
            titles.update(_look_up_keys(call, plan, keys_by_id, fields))

    def confirm() -> None:
        count = plan.due if keys_by_id is None else len(keys_by_id)  # other ids have no products
        if count:
            named = listed_products(titles, count)
            confirm_requests(call, [plan.upload.request], counted(count, "product"), records=named)

    sending = Sending(call, plan, options, "Deleting")
    sending.read(look_up)
    if not sending.approve(confirm):
        sending.show_dry_run()
        return
    with sending.begun() as journal:
        if (sync_state := sync_state_of(call)).exists():
            values = _values(plan) if keys_by_id is None else keys_by_id.values()
            sync_state.invalidate_keys(journal.previous_epoch, journal.job.epoch, map(key_hash, values))
        sending.end(sending.send(journal), rejected_hint=ID_HINT if by == "id" else KEY_HINT)


def _are_ids(rows: "Rows") -> bool:
    """Tell whether a file names products by the ids of their feed; it is read for that."""
    if rows.source.format_name in ("lines", "arguments"):
        return not all(PRODUCT_KEY.fullmatch(str(row.values.get("product_key"))) for row in rows)
    next(iter(rows), None)  # the columns are known from the first row on
    return "id" in map(str.casefold, rows.columns) and "product_key" not in rows.fields


def _values(plan: "ProductPlan") -> Iterator[str]:
    """Read the keys or ids of a file."""
    field = plan.file.schema.id_field
    return (getattr(checked.item, field) for checked in plan.file.checked_rows() if checked.item)


def _look_up_keys(
    call: Invocation, plan: "ProductPlan", keys: dict[str, str], fields: Sequence[str]
) -> dict[str, str]:
    """Look up the keys of the ids in the file, and name ids without one; return titles of the first ones."""
    from ...console.progress import progress
    from ...products.listing import find_products

    ids, titles = [*_values(plan)], dict[str, str]()
    with progress(call.messages, "Listing the catalog", None) as on_progress:
        for id, product in find_products(call.client, call.catalog, ids, fields, on_progress):
            if key := product.get("product_key"):
                keys[id] = str(key)
                if len(titles) < NAMED_PRODUCTS:
                    titles[id] = cell(product.get("title"))
    if missing := [id for id in ids if id not in keys]:
        named = first_of(missing, NAMED_IDS, repr)
        call.messages.warn(f"{len(missing):,} of {counted(len(ids), 'id')} not in the catalog: {named}")
    return titles


def _open(
    call: Invocation, values: list[str], file: str | None, feed: FeedOptions, schema: "RowSchema"
) -> "Rows":
    from ...feeds.reader import open_value_list, open_values, read_rows

    mapping = feed.mapping(schema.required)
    if file:
        columns = {*schema.known, *mapping}
        source = open_value_list(file, feed.format, feed.encoding, columns=columns, access=feed.access(call))
    else:
        source = open_values(values)
    return read_rows(source, roots=schema.roots, known=schema.required, rename=mapping)
