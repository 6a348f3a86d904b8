"""The rules of products: pushes, deletes and direct writes."""

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from .files import Feed, Keys
from .mishaps import NOTHING, Mishap
from .shop import summary_of
from .trial import ENDED, REJECTED_ROWS, SUCCESS, Trial, addresses, attempts, catalogs, mishaps, starts

PUSHED = ("created", "updated", "unchanged")
INVALID_FILE = 3

feeds = st.builds(
    Feed, starts, st.sampled_from((5, 26, 60, 100)), st.integers(1, 4), st.sampled_from((False, False, True))
)
names = st.sampled_from(("a.csv", "b.csv"))
concurrency = st.sampled_from((1, 4))


class ProductRules(Trial):
    """One user pushes two feeds, deletes, and writes to the API; another machine pushes too."""

    def __init__(self) -> None:
        super().__init__()
        # Products that another machine has changed since this one last sent or listed them.
        self.unseen: dict[str, set[str]] = {catalog: set() for catalog in self.shop.catalogs}
        self.feeds: dict[str, Feed] = {}
        self.pushes: dict[str, tuple[str, ...]] = {}  # the options of the last push of a file
        self.keys: Keys | None = None
        self.place = self.shop.catalogs[0]  # of the keys
        self.existing: list[int] = []  # of the keys, at each start of this delete
        self.is_delete_certain = True  # no request of it was applied without a readable answer

    @initialize(first=feeds, second=feeds)
    def begin_with_feeds(self, first: Feed, second: Feed) -> None:
        self.write_feed("a.csv", first)
        self.write_feed("b.csv", second)

    @rule(name=names, feed=feeds)
    def write_feed(self, name: str, feed: Feed) -> None:
        self.feeds[name] = feed
        self.shop.file(name, feed.text)
        self.stopped = self.stopped.replace(name, "")

    @rule(
        name=names,
        catalog=catalogs,
        changed=st.sampled_from(((), ("--changed",), ("--changed", "--verify"))),
        skip_invalid=st.booleans(),
        address=addresses,
        concurrency=concurrency,
        attempts=attempts,
        mishap=mishaps,
    )
    def push(self, name, catalog, changed, skip_invalid, address, concurrency, attempts, mishap):
        skip = ("--skip-invalid",) * skip_invalid
        self.pushes[name] = ("--catalog", self.shop.catalogs[catalog], *skip, *changed)
        self.note_new_push()
        self._push(name, (), address, concurrency, attempts, mishap)

    @precondition(lambda self: self.pushes)
    @rule(data=st.data(), address=addresses, concurrency=concurrency, attempts=attempts, mishap=mishaps)
    def resume_push(self, data, address, concurrency, attempts, mishap):
        name = data.draw(st.sampled_from(sorted(self.pushes)))
        self._push(name, ("--resume",), address, concurrency, attempts, mishap)

    @precondition(lambda self: self.stopped in self.feeds)
    @rule(address=addresses)
    def resume_at_once(self, address: int) -> None:
        self._push(self.stopped, ("--resume",), address, 1, 1, NOTHING)

    def _push(self, name, resume, address, concurrency, attempts, mishap: Mishap) -> None:
        feed, options = self.feeds[name], (*self.pushes[name], *resume)
        place, skips = options[1], "--skip-invalid" in options
        may_skip_rows = resume or ("--changed" in options and "--verify" not in options)
        safe = self.acknowledged_batches(name) if resume and "--verify" not in options else 0
        before = self.products[place]
        done = self.run(
            *("products", "push", name, *options, "-o", "json"),
            *("--concurrency", concurrency, "--max-attempts", attempts),
            codes=exit_codes(feed, skips, mishap),
            mishap=mishap,
            **self.shop.access(address),
        )
        summary, ended = summary_of(done), done.returncode in ENDED
        unseen = self.unseen[place] if may_skip_rows else set()
        complete = done.returncode == SUCCESS or (ended and summary["failed"] == 0)
        required = {id: price for id, price in feed.valid.items() if id not in unseen}
        self.observe(place, feed.valid, must_hold=required if complete else {})
        if summary:
            self._check_summary(summary, feed, place, unseen, before, mishap, is_new=not may_skip_rows)
        if mishap is NOTHING and summary:
            requests, batches = self.shop.adsctl.changes, summary["batches"]
            assert requests <= batches - safe, f"{requests} requests; {safe} of {batches} batches were safe"
        if complete and not may_skip_rows:
            self.unseen[place] -= feed.valid.keys()
        self.stopped = "" if ended or done.returncode == INVALID_FILE else name

    def _check_summary(self, summary, feed: Feed, place, unseen, before, mishap, *, is_new: bool) -> None:
        """What is counted as pushed, or as not changed, is in the catalog as the file says."""
        held = self.products[place]
        right = sum(held.get(id) == price or id in unseen for id, price in feed.valid.items())
        counted = sum(summary[status] for status in PUSHED) + summary.get("skipped", 0)
        assert summary["valid"] == len(feed.valid) and summary["rows"] == feed.count
        assert counted <= right, f"{counted} rows are counted, and {right} are right: {summary}"
        assert counted + summary["failed"] <= len(feed.valid)
        if mishap is NOTHING:
            assert counted == len(feed.valid), summary
        if mishap is NOTHING and is_new:
            created = sum(id not in before for id in feed.valid)
            assert summary["created"] == created, f"{created} products were new: {summary}"

    @rule(first=starts, price=st.integers(1, 4), catalog=catalogs)
    def push_from_another_machine(self, first: int, price: int, catalog: int) -> None:
        feed, place = Feed(first, 26, price), self.shop.catalogs[catalog]
        self.shop.file("theirs.csv", feed.text)
        env = self.shop.access(0, elsewhere=True)
        self.run("products", "push", "theirs.csv", "--catalog", place, codes=(0,), **env)
        self.observe(place, feed.valid, must_hold=feed.valid)
        self.unseen[place] |= feed.valid.keys()

    @rule(
        first=starts,
        count=st.sampled_from((5, 30, 60)),
        catalog=catalogs,
        address=addresses,
        attempts=attempts,
        mishap=mishaps,
    )
    def delete(self, first, count, catalog, address, attempts, mishap):
        self.keys, self.place = Keys(first, count), self.shop.catalogs[catalog]
        self.existing, self.is_delete_certain = [], True
        self.shop.file("keys.csv", self.keys.text(self.place))
        self._delete(self.keys, (), address, attempts, mishap)

    @precondition(lambda self: self.keys)
    @rule(address=addresses, attempts=attempts, mishap=mishaps)
    def resume_delete(self, address, attempts, mishap):
        self._delete(self.keys, ("--resume",), address, attempts, mishap)

    def _delete(self, keys: Keys, resume, address, attempts, mishap: Mishap) -> None:
        absent: dict[str, str | None] = dict.fromkeys(keys.ids)
        # What a job has deleted is not deleted again by its resume, though another machine has made it since.
        unseen = self.unseen[self.place] if resume else set()
        required = {id: None for id in absent if id not in unseen}
        self.existing.append(sum(id in self.products[self.place] for id in absent))
        done = self.run(
            *("products", "delete", "--from", "keys.csv", "--catalog", self.place, "--yes", *resume),
            *("-o", "json", "--max-attempts", attempts, "--concurrency", 1),
            codes=ENDED if mishap is NOTHING else (*ENDED, 7, 8),
            mishap=mishap,
            **self.shop.access(address),
        )
        summary, ended = summary_of(done), done.returncode in ENDED
        if mishap.kind not in ("", "429", "partial") and self.shop.adsctl.changes:
            self.is_delete_certain = False
        self.observe(self.place, absent, must_hold=required if ended else {})
        if ended:
            assert summary["deleted"] + summary["failed"] == keys.count, summary
            expected = self.existing if resume else self.existing[-1:]
            if self.is_delete_certain:
                assert summary["deleted"] in expected, f"of {expected} keys {summary['deleted']} were deleted"
            assert (done.returncode == REJECTED_ROWS) == (summary["failed"] > 0)
            self.existing, self.is_delete_certain = [], True
            if not unseen:
                self.unseen[self.place] -= absent.keys()
        self.stopped = ""

    @rule(first=starts, price=st.integers(1, 4), catalog=catalogs, address=addresses, mishap=mishaps)
    def put_directly(self, first, price, catalog, address, mishap):
        feed = Feed(first, 20, price)
        self._api("PUT", catalog, {"products": feed.products}, feed.valid, address, mishap)

    @rule(first=starts, catalog=catalogs, address=addresses, mishap=mishaps)
    def delete_directly(self, first, catalog, address, mishap):
        keys = Keys(first, 20)
        body = {"product_keys": keys.of(self.shop.catalogs[catalog])}
        self._api("DELETE", catalog, body, dict.fromkeys(keys.ids), address, mishap)

    def _api(self, method, catalog, body, changes, address, mishap: Mishap) -> None:
        place = self.shop.catalogs[catalog]
        self.shop.json_file("body.json", body)
        done = self.run(
            *("api", method, f"/12/product_catalogs/{place}/products", "--input", "body.json"),
            *("--max-attempts", 1),
            codes=(SUCCESS,) if mishap is NOTHING else (SUCCESS, 7, 8),
            mishap=mishap,
            **self.shop.access(address),
        )
        is_applied = done.returncode == SUCCESS and mishap.kind != "partial"
        self.observe(place, changes, must_hold=changes if is_applied else {})
        if is_applied:
            self.unseen[place] -= changes.keys()
        self.stopped = ""


def exit_codes(feed: Feed, skips_invalid: bool, mishap: Mishap) -> tuple[int, ...]:
    """Return the exit codes that a push may end with."""
    if feed.has_invalid and not skips_invalid:
        return (INVALID_FILE,)
    expected = (REJECTED_ROWS,) if feed.has_invalid else (SUCCESS,)
    if mishap is NOTHING:
        return expected
    return (*expected, 7, 8, *[REJECTED_ROWS] * (mishap.kind == "partial"))
