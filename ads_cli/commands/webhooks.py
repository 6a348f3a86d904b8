"""Create webhooks."""

from typing import Annotated, Any, Literal

import typer

from ..api.auth import CreateWebhook
from ..client.api_errors import error_details
from ..client.signing import BearerAuth
from ..console.invocation import Invocation
from ..console.parameters import argument, choice
from ..console.request_input import request_from_input
from ..console.results import show, show_request
from ..errors import AccessError

WebhookIdentity = Literal["bearer", "user"]  # whose credentials create a webhook


def create(
    ctx: typer.Context,
    url: Annotated[str, argument("URL", "The address that events are delivered to")],
    identity: Annotated[
        WebhookIdentity | None, choice("Whose credentials (default: user if signed in)", "--as")
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
    if identity is None:
        is_signed_in = call.settings.is_local or call.secrets.find("access_token")
        identity = "user" if is_signed_in else "bearer"
    response = call.client.call(request, auth=_bearer_auth(call) if identity == "bearer" else None)
    show(call, request, response.data)
    if isinstance(response.body, dict) and response.body.get("errors"):
        call.messages.warn(error_details(response.body).message)
    if isinstance(response.data, dict) and response.data.get("valid") is False:
        call.messages.warn("the service says the webhook is not valid; check that its address responds")


def _bearer_auth(call: Invocation) -> Any:
    token = call.secrets.find("bearer_token")
    if token is None:
        raise AccessError(
            "no bearer token is stored", hint="adsctl auth bearer issue, or sign in: adsctl auth login"
        )
    call.client.trace.add_secrets(token.secret.value)
    return BearerAuth(token.secret.value)
