"""Webhook configurations."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Request, endpoint

CallbackUrl = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="Where events are delivered", extra={"argument": "URL"}),
]


@endpoint(
    "POST /2/webhooks",
    "webhooks create",
    base="platform",
    params_in="json",
    columns="id url valid created_at",
)
class CreateWebhook(Request):
    """Register a URL that events are delivered to."""

    url: CallbackUrl
