"""A remote feed that `products push --changed` need not download again."""

import time
from hashlib import sha256
from pathlib import Path

import msgspec

from ... import __version__
from ...console.invocation import Invocation
from ...errors import UsageError
from ...feeds.locations import UnchangedError
from ...feeds.locations.remote import RemoteLocation
from ...products.plans import push_upload
from ...products.pushed_feeds import PushedFeeds
from ...uploads.push import Summary
from ...validation.report import ValidationReport
from ..uploads.push import PushCommand
from ..uploads.reports import show_summary
from .options import ProductFeedOptions


class UnchangedFeed:
    """Knows which version of a feed was pushed last, and stores the one that is pushed now."""

    def __init__(
        self, call: Invocation, feed: ProductFeedOptions, *, strict: bool, skip_invalid: bool
    ) -> None:
        mapping = feed.mapping_file or call.settings.get("mapping")
        feed = msgspec.structs.replace(feed, recipe=None)  # its options are those of the feed by now
        options = feed, strict, skip_invalid, call.settings.service, __version__, _content(mapping)
        conditions = sha256(msgspec.json.encode(options, order="deterministic")).hexdigest()
        self.feeds = PushedFeeds(call.settings.state_dir, call.service, call.catalog, conditions)
        self._call = call
        self._started = time.monotonic()

    def report_unchanged(self, unchanged: UnchangedError) -> None:
        """Say that nothing is sent, and print the summary of such a push."""
        call, feed = self._call, self.feeds.find(unchanged.address)
        call.messages.say(f"{unchanged.label} is unchanged since a push that succeeded: nothing to send")
        rows, left_out, warned = (feed.rows, feed.left_out, feed.warned) if feed else (0, 0, 0)
        summary = Summary(
            job=None,
            report=ValidationReport(rows=rows, left_out=left_out, warned=warned, can_warn=True),
            batches=0,
            due=0,
            counts=dict.fromkeys(push_upload(call.catalog, note_keys=True).statuses, 0),
            requests=call.client.requests,
            retries=call.client.retries,
            seconds=round(time.monotonic() - self._started, 3),
            extra={"skipped": rows - left_out},
            earlier=0,
        )
        show_summary(call.printer, summary, unchanged.label)

    def store_version(self, command: PushCommand) -> None:
        """Store the version of the feed that a successful push has read."""
        (location,) = command.plan.rows.source.locations
        if isinstance(location, RemoteLocation) and command.journal:
            self.feeds.store(location.address, location.version, command.plan.report, command.journal)


def _content(path: str | None) -> bytes:
    if path is None:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be opened: {error.strerror}") from None
