"""The rules of syncs, beside those of pushes and deletes."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from .mishaps import NOTHING, Mishap
from .product_rules import PUSHED, ProductRules, concurrency, exit_codes, names
from .shop import summary_of
from .trial import ENDED, SUCCESS, addresses, attempts, catalogs, mishaps


class SyncRules(ProductRules):
    """One user also makes catalogs equal to the feeds."""

    def __init__(self) -> None:
        super().__init__()
        self.syncs: dict[str, tuple[str, ...]] = {}  # the options of the last sync of a file

    @rule(
        name=names,
        catalog=catalogs,
        prune=st.booleans(),
        verify=st.booleans(),
        skip_invalid=st.booleans(),
        address=addresses,
        concurrency=concurrency,
        attempts=attempts,
        mishap=mishaps,
    )
    def sync(self, name, catalog, prune, verify, skip_invalid, address, concurrency, attempts, mishap):
        options = (*["--prune"] * prune, *["--verify"] * verify, *["--skip-invalid"] * skip_invalid)
        self.syncs[name] = ("--catalog", self.shop.catalogs[catalog], *options)
        self._sync(name, (), address, concurrency, attempts, mishap)

    @precondition(lambda self: self.syncs)
    @rule(data=st.data(), address=addresses, concurrency=concurrency, attempts=attempts, mishap=mishaps)
    def resume_sync(self, data, address, concurrency, attempts, mishap):
        name = data.draw(st.sampled_from(sorted(self.syncs)))
        self._sync(name, ("--resume",), address, concurrency, attempts, mishap)

    def _sync(self, name, resume, address, concurrency, attempts, mishap: Mishap) -> None:
        feed, options = self.feeds[name], (*self.syncs[name], *resume)
        place, before = options[1], self.products[options[1]]
        # What a job has sent is not sent again by its resume, though another machine has changed it since.
        unseen = self.unseen[place] if resume else set()
        gone = before.keys() - {product["id"] for product in feed.products} if "--prune" in options else set()
        wanted = feed.valid | dict.fromkeys(gone)
        done = self.run(
            *("products", "sync", name, *options, "--yes", "--max-delete", "100%", "-o", "json"),
            *("--concurrency", concurrency, "--max-attempts", attempts),
            codes=exit_codes(feed, "--skip-invalid" in options, mishap),
            mishap=mishap,
            **self.shop.access(address),
        )
        summary = summary_of(done)
        complete = done.returncode == SUCCESS or (done.returncode in ENDED and summary["failed"] == 0)
        required = {id: price for id, price in wanted.items() if id not in unseen}
        self.observe(place, wanted, must_hold=required if complete else {})
        if summary:
            self._check_sync(summary, feed, place, unseen, before, mishap, is_new=not resume)
        if complete and not unseen:
            self.unseen[place] -= wanted.keys()
        self.stopped = ""

    def _check_sync(self, summary, feed, place, unseen, before, mishap: Mishap, *, is_new: bool) -> None:
        """What is counted as written, or as equal, is in the catalog as the file says; nothing is missing."""
        held = self.products[place]
        right = sum(held.get(id) == price or id in unseen for id, price in feed.valid.items())
        counted = sum(summary[status] for status in PUSHED) + summary["skipped"]
        assert summary["valid"] == len(feed.valid) and summary["rows"] == feed.count
        assert counted <= right, f"{counted} rows are counted, and {right} are right: {summary}"
        if mishap is NOTHING:
            assert counted == len(feed.valid) and not summary["failed"], summary
        if is_new:
            absent = len(before.keys() - held.keys())
            assert summary["deleted"] <= absent, f"{absent} products are gone: {summary}"
            assert mishap is not NOTHING or summary["deleted"] == absent, summary
