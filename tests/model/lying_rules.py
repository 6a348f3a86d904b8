"""The rules of a service that lies about ids: no product of a row is ever deleted."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from ads_cli.api.product_ids import id_form
from tests.conftest import PRODUCT
from tests.products.sync.lying import FORMS, LyingIds

from .mishaps import NOTHING, Mishap
from .product_rules import concurrency
from .shop import summary_of
from .trial import REJECTED_ROWS, SUCCESS, Trial, attempts, mishaps

Lie = Callable[..., LyingIds]  # takes what stands before the service

LIES: dict[str, Lie] = {
    name: partial(LyingIds, stored=stored, listed=listed) for name, (stored, listed, _) in FORMS.items()
} | {"a second id": partial(LyingIds, twice="second of {}".format)}
# Each product in all spellings that a service may take for one; a feed has one of them.
SPELLINGS = (
    *(("sku-1", "SKU-1", " sku-1", "sku\u200b-1 "), ("\u00fcber-2", "u\u0308ber-2", "\u00dcBER-2")),
    *(("1.10", "1.1"), ("00123", "123"), ("1e5", "100000"), ("Gro\u00df-6", "gross-6", "GROSS-6")),
    *((f"sku-{number}",) for number in range(7, 40)),  # the rows of two requests
)

spellings = st.tuples(*(st.sampled_from((*each, "")) for each in SPELLINGS[:6]))  # none: it has no row
counts = st.sampled_from((6, 20, len(SPELLINGS)))
prices = st.integers(1, 4)


class LyingRules(Trial):
    """One user makes a catalog equal to one feed, again and again, on two machines."""

    # A state that is older than the catalog knows nothing of keys that a service makes as it likes.
    list_jobs = save_state = restore_state = None

    def __init__(self) -> None:
        super().__init__()
        self.feed: dict[str, str] = {}  # the price of each id
        self.options: tuple[str, ...] = ()  # of the last sync

    @initialize(name=st.sampled_from(sorted(LIES)), odd=spellings, count=counts, price=prices)
    def begin_with_a_lie(self, name: str, odd: tuple[str, ...], count: int, price: int) -> None:
        self.shop.adsctl.stand_between = LIES[name]
        self.stored, self.listed, _ = FORMS.get(name, (str, str, ()))
        self.write_feed(odd, count, price)

    @rule(odd=spellings, count=counts, price=prices)
    def write_feed(self, odd: tuple[str, ...], count: int, price: int) -> None:
        ids = (*filter(None, odd), *(id for (id,) in SPELLINGS[6:count]))
        self.feed = dict.fromkeys(ids, f"{price}.00 EUR")
        rows = [json.dumps(PRODUCT | {"id": id, "price": price}) for id, price in self.feed.items()]
        self.shop.file("feed.jsonl", "\n".join([*rows, ""]))

    @rule(changed=st.booleans(), attempts=attempts, mishap=mishaps)
    def push(self, changed: bool, attempts: int, mishap: Mishap) -> None:
        self._run("push", ("--changed",) * changed, attempts, 1, mishap)

    @rule(verify=st.booleans(), attempts=attempts, concurrency=concurrency, mishap=mishaps)
    def sync(self, verify: bool, attempts: int, concurrency: int, mishap: Mishap) -> None:
        self.options = ("--verify",) * verify
        self._sync(self.options, attempts, concurrency, mishap)

    @rule(attempts=attempts, concurrency=concurrency, mishap=mishaps)
    def resume_sync(self, attempts: int, concurrency: int, mishap: Mishap) -> None:
        self._sync((*self.options, "--resume"), attempts, concurrency, mishap)

    @rule()
    def sync_from_another_machine(self) -> None:
        self._sync((), 1, 1, NOTHING, elsewhere=True)

    def _sync(self, options, attempts, concurrency, mishap: Mishap, *, elsewhere: bool = False) -> None:
        pruned = ("--prune", "--yes", "--max-delete", "100%")
        self._run("sync", (*pruned, *options), attempts, concurrency, mishap, elsewhere=elsewhere)

    def _run(
        self, command, options, attempts, concurrency, mishap: Mishap, *, elsewhere: bool = False
    ) -> None:
        before = self.products[self.shop.catalog]
        done = self.run(
            *("products", command, "feed.jsonl", *options, "-o", "json"),
            *("--concurrency", concurrency, "--max-attempts", attempts),
            codes=(SUCCESS, REJECTED_ROWS) if mishap is NOTHING else (SUCCESS, REJECTED_ROWS, 7, 8),
            mishap=mishap,
            **self.shop.access(0, elsewhere=elsewhere),
        )
        wanted: dict[str, str | None] = {self.stored(id): price for id, price in self.feed.items()}
        must_hold = dict(wanted)
        if command == "sync":
            gone = dict.fromkeys(before.keys() - self._alike(before, self.feed) - wanted.keys())
            must_hold |= dict.fromkeys(gone.keys() - self._alike(before, wanted))
            wanted |= gone
        listed = Counter(map(self.listed, before.keys() | wanted.keys()))  # some products as one
        must_hold = {id: price for id, price in must_hold.items() if listed[self.listed(id)] == 1}
        complete = done.returncode == SUCCESS and not summary_of(done)["failed"]
        self.observe(self.shop.catalog, wanted, must_hold=must_hold if complete else {})

    def _alike(self, held: Iterable[str], ids: Iterable[str]) -> set[str]:
        """Return those held whose id, as it is listed, differs from one of others in form only."""
        forms = {id_form(id) for id in ids}
        return {id for id in held if id_form(str(self.listed(id))) in forms}
