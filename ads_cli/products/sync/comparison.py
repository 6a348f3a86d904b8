"""Find out what differs between a feed and a catalog."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import TEMPORARY_HINT, ContentError, StateError
from ...feeds.rows import Rows
from ...feeds.several import SeveralRows
from ...parallel import batched
from ...parallel.ordered_map import map_ordered
from ...validation.validator import OnProgress, Validator
from ..digest_index import (
    DIGEST_BYTES,
    NO_KEY,
    PRODUCT,
    DigestIndex,
    id_hash,
    key_hash,
    repeat_digest,
    repeat_hash,
    unpaired_hash,
)
from ..listing import list_products, product_pages
from ..normal_form import COMPARED, Scope
from ..selection import read_index
from ..sync_state import SyncState
from . import temporary_folder
from .differences import ChangeTable, Differences, FieldChange, ProductChange, Unlisted
from .listed_products import Listed, ListedProducts
from .row_comparison import ComparableRows, ComparedRows, FileFields, RowComparison, RowProducts, remembered

if TYPE_CHECKING:
    from ...client.client import Client

GROUPS_AT_ONCE = 8  # requested, where the limits of the service allow it
CHANGES_AT_ONCE = 1000  # in memory
# Requests for what may be nowhere: as many as service x takes in 15 minutes.
MAX_SEARCHED_GROUPS = 600
PAGE_SIZE = 100  # products that the service lists at once


class CompareOptions(msgspec.Struct, frozen=True):
    """What is compared, and what is made of it."""

    prune: bool = False  # products that are not in the feed are deleted
    verify: bool = False  # nothing is taken to be as it was acknowledged
    scope: Scope | None = None
    remembers: bool = False  # the sync state is to remember what is equal


@contextmanager
def comparing(
    client: "Client", catalog: str, sync_state: SyncState, options: CompareOptions
) -> "Iterator[CatalogComparison]":
    """Yield what lists a catalog and compares it with a feed."""
    with (
        temporary_folder() as folder,
        closing(ListedProducts.create(folder / "listing.db", options.scope)) as listing,
        closing(ChangeTable(folder / "changes.db")) as table,
    ):
        yield CatalogComparison(client, catalog, sync_state, options, listing, table)


class CatalogComparison:
    """Compares a feed with a catalog, in four steps: list it, compare, list groups, decide."""

    def __init__(
        self,
        client: "Client",
        catalog: str,
        sync_state: SyncState,
        options: CompareOptions,
        listing: ListedProducts,
        table: ChangeTable,
    ) -> None:
        self.differences = Differences(table, sync_state.epoch)
        self._client, self._catalog = client, catalog
        self._sync_state, self._options = sync_state, options
        self._table, self._listing = table, listing
        self._index = DigestIndex()  # of what is acknowledged
        self._of_rows = RowProducts(self._listing)
        self._may_hide = False  # variants, so that what is not listed may exist
        self._shrinking = set[str]()  # keys of the groups of which a product is deleted

    @property
    def listing(self) -> Path:
        """Return the database of the listed products."""
        return self._listing.path

    def list_catalog(self, on_progress: OnProgress) -> None:
        """List the catalog."""
        listed = 0
        for page in product_pages(self._client, self._catalog):
            self._listing.add(page)
            listed += len(page)
            on_progress(listed)
        self._listing.finish()
        self._of_rows.grow()
        self.differences.listed = self._listing.count

    def watch(self, validator: Validator) -> None:
        """Keep the rows of a feed while it is validated."""
        validator.keep(partial(ComparableRows, with_digests=self._options.remembers))

    def compare(self, validator: Validator, on_progress: OnProgress) -> None:
        """Compare the rows that were kept of a feed with the listing; raise StateError if they were not."""
        report, rows, kept = validator.report, validator.rows, validator.kept
        if kept is None or not kept.are_complete:
            raise StateError("the rows cannot be kept in a temporary file", hint=TEMPORARY_HINT)
        if self._options.prune and report.rows == report.left_out:
            raise ContentError(
                f"{rows.source.label}: no rows, so that --prune would delete every product",
                hint="leave --prune out; 'adsctl products delete' deletes products by id",
            )
        self._index = read_index(self._sync_state)[0]
        self.differences.is_confirmed = self._sync_state.is_confirmed
        self.differences.is_remembered = len(self._index) > 0
        self._compare_row = RowComparison(
            self._listing,
            validator.schema.struct,
            fields=_fields_of_files(rows),
            merges=self._client.service == "x",
            remembers=self._options.remembers,
        )
        for run in kept:
            compared = self._compare_row(run)
            self._add(compared, rows)
            on_progress(run.records_before + compared.rows)

    def _add(self, compared: ComparedRows, rows: Rows) -> None:
        """Add what a run of rows differs in."""
        if self._options.prune and compared.without_id:
            number, line = compared.without_id[0]
            raise ContentError(
                f"{rows.place(line, number)}: no id can be read, so that --prune could delete its product",
                hint="correct the row, or leave --prune out",
            )
        self._of_rows.add(compared.in_feed)
        self.differences.unchanged += compared.unchanged
        equal = bytes(compared.equal)
        for at in range(0, len(equal), PRODUCT.size):
            self._remember(equal[at : at + PRODUCT.size])
        self._table.add(filter(self._is_due, compared.updates))
        self._table.add_unlisted(
            row._replace(is_known=row.creation is not None and self._is_known(row.creation))
            for row in compared.unlisted
        )

    def _is_known(self, change: ProductChange) -> bool:
        """Tell whether the service has acknowledged a row as it is."""
        return not self._options.verify and self._index.contains(change.digest)

    def _is_due(self, change: ProductChange) -> bool:
        """Tell whether a change must be made.

        What was acknowledged and yet differs, somebody else or the service has changed: it is sent once more.
        What differs in the same way after that, the service does not keep.
        """
        if change.action == "create" or not self._is_known(change):
            return True
        seen = {name: field.old for name, field in change.fields.items()}
        change.repeat = repeat_digest(change.digest, repr(seen))
        if self._index.contains(change.repeat):
            self.differences.add_not_kept(change.id)
            return False
        return True

    def _remember(self, packed: bytes) -> None:
        """Remember a row whose product is as it says, and forget that it was sent once more."""
        if not (self.differences.is_confirmed and self._index.contains(packed[:DIGEST_BYTES])):
            self.differences.add_equal(packed)
        hashed_id, _, _ = PRODUCT.unpack(packed)
        if (repeated := repeat_hash(hashed_id)) in self._index:
            self.differences.forgotten.append(repeated)

    def groups(self) -> list[str]:
        """Return the keys of the groups whose hidden variants must be listed.

        Where the first variant of a group is deleted, the service lists the next one: they go together.
        """
        if self._options.verify:
            return self._listing.every_group_key()
        groups = dict.fromkeys(self._table.unknown_groups())
        if self._options.prune:
            leaving, unknown = dict[str, None](), dict[str, None]()
            for number, id, group in self._listing.grouped():
                if number not in self._of_rows:
                    leaving[group] = None
                elif id_hash(id) not in self._index:
                    unknown[group] = None
            groups |= leaving | (unknown if len(unknown) <= MAX_SEARCHED_GROUPS else {})
        return [*groups]

    def list_left(self, listed: Collection[str], on_progress: OnProgress) -> None:
        """List further groups for what was acknowledged, is in the catalog perhaps, and not in the feed.

        What is in none of all groups is forgotten. Of a scope nothing tells which products are within it.
        """
        groups = self._listing.every_group_key() if self._options.prune else []
        if self._options.scope or not groups:
            return
        rows = (row.id for row in self._table.unlisted())
        left = self._index.without_ids(chain(self._listing.ids(), rows))
        further = [group for group in groups if group not in {*listed}]
        if left and len(further) <= MAX_SEARCHED_GROUPS:
            self.list_groups(further, on_progress, left)
            self.differences.forgotten += chain(left, map(repeat_hash, left))
        else:
            self.differences.left, self.differences.unsearched = len(left), len(groups)

    def list_groups(
        self, groups: list[str], on_progress: OnProgress, missing: set[int] | None = None
    ) -> None:
        """List groups with the variants that the listing of the catalog hides, until none is `missing`.

        These are unpaired hashes of ids.
        """
        for number, products in enumerate(self._request(groups), 1):
            by_id = {str(product.get("id")): product for product in products}
            listed = self._listing.find(by_id)
            self._listing.add(product for id, product in by_id.items() if id not in listed)
            on_progress(number)
            if missing is not None:
                missing.difference_update(map(unpaired_hash, map(id_hash, by_id)))
                if not missing:
                    break
        self._of_rows.grow()
        self.differences.listed = self._listing.count

    def list_variants(self, ids: Iterable[str], on_progress: OnProgress) -> None:
        """List groups, as far as products with these ids are not listed."""
        groups = self._listing.every_group_key()
        missing = set[int]()
        for part in batched(ids if groups else (), CHANGES_AT_ONCE):
            missing.update(map(unpaired_hash, map(id_hash, {*part} - self._listing.find(part).keys())))
        if missing:
            self.list_groups(groups, on_progress, missing)

    def _request(self, groups: list[str]) -> Iterator[list[dict[str, Any]]]:
        """Request the products of groups, some groups at a time."""
        return map_ordered(
            lambda key: list(list_products(self._client, self._catalog, key)),
            groups,
            GROUPS_AT_ONCE,
            2 * GROUPS_AT_ONCE,
        )

    def decide(self) -> None:
        """Decide on the rows whose products were not listed, and with --prune on products without a row."""
        self._may_hide = self._listing.has_groups
        for part in self._unlisted():
            self._of_rows.add(
                product.number for product in self._listing.find(row.id for row in part).values()
            )
        self._listing.index_unmatched(self._of_rows.others(self._listing.numbers()))
        for part in self._unlisted():
            listed = self._listing.find(row.id for row in part)
            rest = (row.id for row in part if row.id not in listed)
            alike = self._of_rows.alike(rest)
            writes = [change for row in part for change in self._writes_of(row, listed, alike)]
            self._table.add(filter(self._is_due, writes))
        if self._options.prune:
            ids = (row.id for part in self._unlisted() for row in part)
            self._of_rows.spare(self._index, ids)
            self.differences.spared = self._of_rows.spared
            self._prune()

    def _unlisted(self) -> Iterator[list[Unlisted]]:
        """Yield the rows whose products were not listed at first, some at a time."""
        return batched(self._table.unlisted(), CHANGES_AT_ONCE)

    def _writes_of(
        self, row: Unlisted, listed: Mapping[str, Listed], alike: Mapping[str, Listed]
    ) -> Iterator[ProductChange]:
        """Yield what a row needs whose product was not listed at first."""
        if row.creation is None:
            return
        if row.id in listed:
            yield from self._compare_variant(row.creation, listed[row.id])
            return
        if row.id in alike:
            yield from self._compare_alike(row.creation, alike[row.id])
            return
        is_unseen = row.group_key is not None and not self._listing.shows_variants(row.group_key)
        self.differences.unseen += is_unseen
        if not (is_unseen and row.is_known and self.differences.is_confirmed):
            change = self._compare_row.blind(row.creation) if self._may_hide else row.creation
            change.is_unseen = is_unseen
            yield change

    def _compare_alike(self, creation: ProductChange, listed: Listed) -> Iterator[ProductChange]:
        """Compare a row with a product whose id differs in form only.

        It is sent once. A service that takes them for two then has both, and the response tells the key of
        the other one.
        """
        key = self._index.key_of(self._compare_row.digest(creation, listed))
        if not self._options.verify and key in (NO_KEY, key_hash(listed.product_key or "")):
            yield from self._compare_variant(creation, listed)
        else:
            yield self._compare_row.alike(creation, listed)

    def _compare_variant(self, creation: ProductChange, listed: Listed) -> Iterator[ProductChange]:
        """Compare a row with a variant that was listed by its group."""
        if change := self._compare_row.update(creation, listed):
            yield change
            return
        self.differences.unchanged += 1
        if self._options.remembers:
            self._remember(remembered(self._compare_row.digest(creation, listed), listed.product_key))

    def _prune(self) -> None:
        """Delete the products within the scope that are not in the feed."""
        for part in batched(self._of_rows.others(self._listing.within_scope()), CHANGES_AT_ONCE):
            deleted = [product for product in self._listing.read(part) if product.product_key]
            self._table.add(map(_deletion, deleted))
            self._shrinking.update(self._listing.groups_of(product.number for product in deleted))

    def count_shown_late(self) -> int:
        """Count the products without a row that are listed only since others of their groups were deleted."""
        groups = [group for group in self._shrinking if not self._listing.shows_variants(group)]
        if len(groups) * PAGE_SIZE > self.differences.listed:
            shown = list_products(self._client, self._catalog) if groups else iter(())
        else:
            shown = chain.from_iterable(self._request(groups))
        scope = self._options.scope
        ids = {str(product.get("id")) for product in shown if scope is None or scope.holds(product)}
        ids -= self._listing.find(ids).keys()
        return len(ids.difference(row.id for row in self._table.unlisted()) if ids else ids)


def _deletion(product: Listed) -> ProductChange:
    fields = {name: FieldChange(value, None) for name, value in product.values.items()}
    return ProductChange("delete", product.id, product.product_key, fields)


def fields_of_feed(rows: Rows) -> frozenset[str]:
    """Return the compared fields that a feed has a column or an element for, or that a step fills."""
    return frozenset(COMPARED).intersection({*rows.fields, *rows.composed, *rows.transform.fields})


def _fields_of_files(rows: Rows) -> FileFields:
    """Return the compared fields of each file of a feed that was read."""
    if isinstance(rows, SeveralRows):
        return FileFields(tuple(map(fields_of_feed, rows.files)), rows.ends)
    return FileFields((fields_of_feed(rows),))
