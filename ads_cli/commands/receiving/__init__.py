"""Receive events on this machine: serve a webhook, verify deliveries, listen to the activity stream."""

from collections.abc import Collection
from typing import Any

from ...api.events import PRICES, PRICES_FROM, price_of
from ...auth import CLIENT_SECRET
from ...console.invocation import Invocation
from ...errors import AccessError, UsageError
from ...webhooks.signature import WebhookKeys

FORMATS = ("json", "jsonl", "none")  # none prints nothing
SHAPES = ("to", "query", "columns")  # options of results, which end


def receiving(context: Any) -> Invocation:
    """Make the invocation of a command that prints events; raise UsageError for what it would not heed."""
    call = Invocation.of(context, mutates=False)
    unheeded = next((name for name in SHAPES if call.flags.get(name)), None)
    if (output := call.flags.get("output")) and output not in FORMATS:
        unheeded = f"output {output}"
    if unheeded:
        raise UsageError(
            f"--{unheeded} has no effect on events, which are printed as lines of JSON as they come",
            hint="hand them to another program: … | jq .data.payload",
        )
    return call


def webhook_keys(call: Invocation) -> WebhookKeys:
    """Return the secrets of the profile's app, of which it may have one or two."""
    if call.settings.is_local:
        return WebhookKeys(call.emulator.credentials.consumer_secret)
    stored = (call.secrets.find(name) for name in ("consumer_secret", CLIENT_SECRET))
    keys = WebhookKeys(*(found.secret.value if found else "" for found in stored))
    if not any(keys):
        raise AccessError(
            "the secret of the app is not known, with which deliveries are signed",
            hint=f"run: {call.settings.sign_in_command()}; or set ADSCTL_CONSUMER_SECRET (also with _FILE)",
        )
    return keys


def note_costs(call: Invocation, kinds: Collection[str] = ()) -> None:
    """Say what delivered events cost; those of an emulator cost nothing."""
    if call.settings.is_local or call.settings.environ.get("ADSCTL_EMULATOR"):
        return
    if kinds:
        text = "; ".join(map(price_of, sorted(kinds)))
    else:
        prices = [price for price in PRICES.values() if price]
        text = (
            f"a delivered event costs {min(prices):.3f} to {max(prices):.3f} USD by its kind ({PRICES_FROM})"
        )
    call.messages.note(f"{text}; adsctl events subscriptions shows what is delivered")
