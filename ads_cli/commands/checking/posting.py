"""--post-to: hand new findings to an address, as JSON that is signed as a delivery of the service is."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...console.invocation import Invocation
from ...errors import UnavailableError
from ...events.event import read_event
from ...output.text import counted
from ...webhooks.signature import delivery_headers
from ..receiving import webhook_keys
from ..receiving.handing import forwarder_to

KIND = "findings"  # of an event, in the types that @posts declares
PostFindings = Callable[[Sequence[Mapping[str, Any]], datetime], None]


def poster(call: Invocation, url: str) -> PostFindings:
    """Return what posts findings; raise UsageError for an address that is not https."""
    forward, keys = forwarder_to(call, url, "--post-to"), webhook_keys(call)

    def post(findings: Sequence[Mapping[str, Any]], now: datetime) -> None:
        """Post findings; raise UnavailableError where the receiver has not taken them in the end."""
        about = {"event_type": KIND, "profile": call.settings.profile, "account": call.account}
        document = {"data": {**about, "time": now.isoformat(), "findings": [*findings]}}
        body = json.dumps(document, ensure_ascii=False).encode()
        if not forward(read_event(body), delivery_headers(keys, body, call.settings.service)):
            raise UnavailableError(
                f"--post-to: {counted(len(findings), 'finding')} could not be posted",
                hint="they are posted again by the next run",
            )

    return post
