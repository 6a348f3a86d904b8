"""What receivers can be made to meet: faults of deliveries to webhooks, and of streams."""

from typing import Literal, get_args

# What is pretended of the first attempt: that its answer came too late, or was an error; or it is signed with
# another key.
Fault = Literal["slow", "error", "bad-signature"]
# What a stream does in place of an event: it ends with a reason, falls silent, or sends half a line.
StreamFault = Literal["disconnect", "silence", "half-line"]
STREAM_FAULTS: tuple[str, ...] = get_args(StreamFault)
FILTERED_STREAM = "filtered_stream"  # what matches a rule of that stream, which is no kind of events
# Reasons why a stream ends, as its last line gives them.
DisconnectType = Literal[
    "OperationalDisconnect",
    "UpstreamOperationalDisconnect",
    "ForceDisconnect",
    "UpstreamUncleanDisconnect",
    "SlowReader",
    "InternalError",
    "ClientApplicationStateDegraded",
    "InvalidRules",
]
