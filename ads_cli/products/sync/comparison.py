"""Find out what differs between a feed and a catalog."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import TEMPORARY_HINT, ContentError, StateError
from ...feeds.rows import Rows
from ...parallel import batched
from ...parallel.ordered_map import map_ordered
from ...validation.validator import OnProgress, Validator
from ..digest_index import (
    DIGEST,
    KEY_BYTES,
    NO_KEY,
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
from .differences import Differences, FieldChange, ProductChange, Unlisted
from .listed_products import Listed, ListedProducts
from .row_comparison import ComparableRows, FeedRow, FieldsOf, RowComparison, RowProducts, feed_rows

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
    may_lag: bool = False  # the catalog may be listed as it was before this machine has changed it


@contextmanager
def comparing(
    client: "Client", catalog: str, sync_state: SyncState, options: CompareOptions
) -> "Iterator[CatalogComparison]":
    """Yield what lists a catalog and compares it with a feed."""
    with (
        temporary_folder() as folder,
        closing(ListedProducts.create(folder / "listing.db", options.scope)) as products,
        closing(Differences(folder / "changes.db")) as differences,
    ):
        yield CatalogComparison(client, catalog, sync_state, options, products, differences)


@dataclass
class CatalogComparison:
    """Compares a feed with a catalog, in four steps: list it, compare, list groups, decide."""

    client: "Client"
    catalog: str
    sync_state: SyncState
    options: CompareOptions
    products: ListedProducts
    differences: Differences
    _compare_row: RowComparison = field(init=False)
    _index: DigestIndex = field(default_factory=DigestIndex)  # of what is acknowledged
    _may_hide: bool = False  # variants, so that what is not listed may exist
    _shrinking: set[str] = field(default_factory=set)  # keys of the groups of which a product is deleted

    def __post_init__(self) -> None:
        self._of_rows = RowProducts(self.products)

    def list_catalog(self, on_progress: OnProgress) -> None:
        """List the catalog."""
        listed = 0
        for page in product_pages(self.client, self.catalog):
            self.products.add(page)
            listed += len(page)
            on_progress(listed)
        self.products.finish()
        self.differences.listed = self.products.count

    def watch(self, validator: Validator) -> None:
        """Keep the rows of a feed while it is validated."""
        validator.keep(partial(ComparableRows, with_digests=self.options.remembers))

    def compare(self, validator: Validator, on_progress: OnProgress) -> None:
        """Compare the rows that were kept of a feed with the listing; raise StateError if they were not."""
        report, rows, kept = validator.report, validator.rows, validator.kept
        if kept is None or not kept.are_complete:
            raise StateError("the rows cannot be kept in a temporary file", hint=TEMPORARY_HINT)
        if self.options.prune and report.rows == report.left_out:
            raise ContentError(
                f"{rows.source.label}: no rows, so that --prune would delete every product",
                hint="leave --prune out; 'adsctl products delete' deletes products by id",
            )
        self._index = read_index(self.sync_state)[0]
        self.differences.is_confirmed = self.sync_state.is_confirmed
        self.differences.is_remembered = len(self._index) > 0
        merges = self.client.service == "x"
        self._compare_row = RowComparison(validator.schema.struct, _fields_of_files(rows), merges)
        for run in kept:
            part = feed_rows(run)
            if self.options.prune and part.without_id:
                number, line = part.without_id[0]
                where = rows.place(line, number)
                raise ContentError(
                    f"{where}: no id can be read, so that --prune could delete its product",
                    hint="correct the row, or leave --prune out",
                )
            self._compare_rows(part.named)
            on_progress(run.records_before + part.rows)

    def _compare_rows(self, rows: list[FeedRow]) -> None:
        listed = self.products.find_stored([row.stored_id for row in rows])
        self._of_rows.add(product.number for product in listed.values())
        updates: list[ProductChange] = []
        unlisted: list[tuple[str, ProductChange | None]] = []  # ids of rows, and the creations of valid ones
        for row in rows:
            product = listed.get(row.stored_id)
            if product and row.content == product.content:  # the common case, and the rest is slow
                self._note_equal(row.digest, product)
                continue
            creation = self._compare_row.creation(row)
            if product is None:
                unlisted.append((row.id, creation))
            elif creation:
                updates += self._compare(creation, product)
        self.differences.add(filter(self._is_due, updates))
        keys = self.products.group_keys(filter(None, (_group_of(creation) for _, creation in unlisted)))
        self.differences.add_unlisted(
            Unlisted(id, keys.get(_group_of(creation)), bool(creation and self._is_known(creation)), creation)
            for id, creation in unlisted
        )

    def _compare(
        self, creation: ProductChange, listed: Listed, *, with_id: bool = False
    ) -> Iterator[ProductChange]:
        """Yield the update of a listed product; note one that is as its row says."""
        if change := self._compare_row.update(creation, listed, with_id=with_id):
            yield change
        else:
            self._note_equal(self._compare_row.digest(creation, listed), listed)

    def _note_equal(self, digest: bytes, listed: Listed) -> None:
        """Count a row whose product is as it says, remember it, and forget that it was sent once more."""
        self.differences.unchanged += 1
        if not self.options.remembers:
            return
        if not (self.differences.is_confirmed and self._index.contains(digest)):
            self.differences.equal += digest + key_hash(listed.product_key or "").to_bytes(KEY_BYTES)
        hashed_id, _ = DIGEST.unpack(digest)
        if (repeated := repeat_hash(hashed_id)) in self._index:
            self.differences.forgotten.append(repeated)

    def _is_known(self, change: ProductChange) -> bool:
        """Tell whether the service has acknowledged a row as it is."""
        return not self.options.verify and self._index.contains(change.digest)

    def _is_due(self, change: ProductChange) -> bool:
        """Tell whether a change must be made.

        What was acknowledged and yet differs, somebody else or the service has changed: it is sent once more.
        What differs in the same way after that, the service does not keep, unless the listing may lag.
        """
        if change.action == "create" or not self._is_known(change):
            return True
        seen = {name: field.old for name, field in change.fields.items()}
        change.repeat = repeat_digest(change.digest, repr(seen))
        if self._index.contains(change.repeat):
            if not self.options.may_lag:
                self.differences.add_not_kept(change.id)
            return False
        return True

    def groups(self) -> list[str]:
        """Return the keys of the groups whose hidden variants must be listed.

        Where the first variant of a group is deleted, the service lists the next one: they go together.
        """
        if self.options.verify:
            return self.products.every_group_key()
        groups = dict.fromkeys(self.differences.unknown_groups())
        if self.options.prune:
            leaving, unknown = dict[str, None](), dict[str, None]()
            for number, id, group in self.products.grouped():
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
        groups = self.products.every_group_key() if self.options.prune else []
        if self.options.scope or not groups:
            return
        rows = (row.id for row in self.differences.unlisted())
        left = self._index.without_ids(chain(self.products.ids(), rows))
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
            listed = self.products.find(by_id)
            self.products.add(product for id, product in by_id.items() if id not in listed)
            on_progress(number)
            if missing is not None:
                missing.difference_update(map(unpaired_hash, map(id_hash, by_id)))
                if not missing:
                    break
        self.differences.listed = self.products.count

    def list_variants(self, ids: Iterable[str], on_progress: OnProgress) -> None:
        """List groups, as far as products with these ids are not listed."""
        groups = self.products.every_group_key()
        missing = set[int]()
        for part in batched(ids if groups else (), CHANGES_AT_ONCE):
            missing.update(map(unpaired_hash, map(id_hash, {*part} - self.products.find(part).keys())))
        if missing:
            self.list_groups(groups, on_progress, missing)

    def _request(self, groups: list[str]) -> Iterator[list[dict[str, Any]]]:
        """Request the products of groups, some groups at a time."""
        return map_ordered(
            lambda key: list(list_products(self.client, self.catalog, key)),
            groups,
            GROUPS_AT_ONCE,
            2 * GROUPS_AT_ONCE,
        )

    def decide(self) -> None:
        """Decide on the rows whose products were not listed, and with --prune on products without a row."""
        self._may_hide = self.products.has_groups
        for part in self._unlisted():
            self._of_rows.add(
                product.number for product in self.products.find(row.id for row in part).values()
            )
        self.products.index_unmatched(self._of_rows.others(self.products.numbers()))
        for part in self._unlisted():
            listed = self.products.find(row.id for row in part)
            rest = (row.id for row in part if row.id not in listed)
            alike = self._of_rows.alike(rest)
            writes = [change for row in part for change in self._writes_of(row, listed, alike)]
            self.differences.add(filter(self._is_due, writes))
        if self.options.prune:
            ids = (row.id for part in self._unlisted() for row in part)
            self._of_rows.spare(self._index, ids)
            self.differences.spared = self._of_rows.spared
            self._prune()
        else:
            others = self._of_rows.others(self.products.numbers(within_scope=True))
            self.differences.unnamed = sum(1 for _ in others)

    def _unlisted(self) -> Iterator[list[Unlisted]]:
        """Yield the rows whose products were not listed at first, some at a time."""
        return batched(self.differences.unlisted(), CHANGES_AT_ONCE)

    def _writes_of(
        self, row: Unlisted, listed: Mapping[str, Listed], alike: Mapping[str, Listed]
    ) -> Iterator[ProductChange]:
        """Yield what a row needs whose product was not listed at first."""
        if row.creation is None:
            return
        if row.id in listed:
            yield from self._compare(row.creation, listed[row.id])
            return
        if row.id in alike:
            yield from self._compare_alike(row.creation, alike[row.id])
            return
        is_unseen = row.group_key is not None and not self.products.shows_variants(row.group_key)
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
        is_known = not self.options.verify and key in (NO_KEY, key_hash(listed.product_key or ""))
        return self._compare(creation, listed, with_id=not is_known)

    def _prune(self) -> None:
        """Delete the products within the scope that are not in the feed."""
        for part in batched(self._of_rows.others(self.products.numbers(within_scope=True)), CHANGES_AT_ONCE):
            deleted = [product for product in self.products.read(part) if product.product_key]
            self.differences.add(map(_deletion, deleted))
            self._shrinking.update(self.products.groups_of(product.number for product in deleted))

    def count_shown_late(self) -> int:
        """Count the products without a row that are listed only since others of their groups were deleted."""
        groups = [group for group in self._shrinking if not self.products.shows_variants(group)]
        if len(groups) * PAGE_SIZE > self.differences.listed:
            shown = list_products(self.client, self.catalog) if groups else iter(())
        else:
            shown = chain.from_iterable(self._request(groups))
        scope = self.options.scope
        ids = {str(product.get("id")) for product in shown if scope is None or scope.holds(product)}
        ids -= self.products.find(ids).keys()
        return len(ids.difference(row.id for row in self.differences.unlisted()) if ids else ids)


def _group_of(creation: ProductChange | None) -> str:
    """Return the id of the group of a row; empty where it has none."""
    group = creation.fields.get("item_group_id") if creation else None
    return group.new if group else ""


def _deletion(product: Listed) -> ProductChange:
    fields = {name: FieldChange(value, None) for name, value in product.values.items()}
    return ProductChange("delete", product.id, product.product_key, fields)


def fields_of_feed(rows: Rows) -> frozenset[str]:
    """Return the compared fields that a feed has a column or an element for, or that a step fills."""
    return frozenset(COMPARED).intersection({*rows.fields, *rows.composed, *rows.transform.fields})


def _fields_of_files(rows: Rows) -> FieldsOf:
    """Return the compared fields that a feed which was read has, by the number of a record."""
    fields = [*map(fields_of_feed, rows.files)]
    return lambda record: fields[rows.file_of(record)]
