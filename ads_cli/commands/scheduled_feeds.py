"""The feeds that the service itself imports into a catalog, which change it unseen."""

import msgspec

from ..console.invocation import Invocation
from ..errors import AdsctlError
from ..masking import mask_address

VERIFY_HINT = "; --verify compares with the catalog"


def warn_scheduled_feeds(call: Invocation, hint: str = "") -> None:
    """Name the feeds that the service imports into the catalog; a failure to list them is none of a push."""
    from ..api.scheduled_feeds import ListScheduledFeeds

    if call.settings.service != "x":
        return
    client = call.client
    try:
        prepared = client.prepare(ListScheduledFeeds(product_catalog_id=call.catalog))
        feeds = client.exchange(msgspec.structs.replace(prepared, max_attempts=1)).records
    except AdsctlError:
        return
    if feeds:
        named = ", ".join(mask_address(str(feed.get("feed_url"))) for feed in feeds)
        call.messages.note(
            "the service itself imports feeds into this catalog, and what they change is not known here: "
            f"{named}{hint}; 'adsctl catalog feeds list' shows them"
        )
