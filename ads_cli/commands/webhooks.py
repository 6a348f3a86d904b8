"""Create webhooks."""

from typing import Annotated

import typer

from ..api.endpoint import Identity
from ..api.webhooks import CreateWebhook
from ..client.api_errors import error_details
from ..console.invocation import Invocation
from ..console.parameters import argument, choice
from ..console.request_input import request_from_input
from ..console.results import show, show_request
from ..console.shown import Result, shows


@shows(Result(CreateWebhook, is_list=False))
def create(
    ctx: typer.Context,
    url: Annotated[str, argument("URL", "The address that events are delivered to")],
    identity: Annotated[
        Identity | None, choice("Whose credentials (default: user if signed in)", "--as")
    ] = None,
) -> None:
    """Register an address that events are delivered to.

    For example: adsctl webhooks create https://shop.example/events
    """
    call = Invocation.of(ctx)
    request = request_from_input(CreateWebhook, {"url": url})
    if call.dry_run:
        show_request(call, request)
        return
    call.client.identity = identity
    response = call.client.call(request)
    show(call, request, response.data)
    if isinstance(response.body, dict) and response.body.get("errors"):
        call.messages.warn(error_details(response.body).message)
    if isinstance(response.data, dict) and response.data.get("valid") is False:
        call.messages.warn("the service says the webhook is not valid; check that its address responds")
