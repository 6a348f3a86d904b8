"""Webhooks."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import AccessError, UsageError


class Who(StrEnum):
    """In whose name a webhook is made."""

    bearer = "bearer"
    user = "user"


def create(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="Where events are delivered")],
    who: Annotated[Who | None, typer.Option("--as", help="Default: user, where signed in")] = None,
) -> None:
    """Register an address that events are delivered to.

    For example: adsctl webhooks create https://shop.example/events
    """
    from ..api.validation import InvalidError, convert
    from ..api.webhooks import CreateWebhook
    from ..console.results import show, show_request

    call = Invocation.of(ctx)
    try:
        request = convert(CreateWebhook, {"url": url})
    except InvalidError as error:
        raise UsageError("; ".join(problem.message for problem in error.problems)) from None
    if call.dry_run:
        show_request(call, request)
        return
    answer = call.client.call(request, auth=_bearer(call) if _as_app(call, who) else None)
    show(call, request, answer.data)
    if answer.data.get("valid") is False:
        call.messages.warn("the service says that this webhook is not valid: does its address answer?")


def _as_app(call: Invocation, who: Who | None) -> bool:
    if who is None:
        signed_in = call.settings.is_local or call.secrets.find("access_token")
        return not signed_in
    return who is Who.bearer


def _bearer(call: Invocation) -> Any:
    from ..client.signing import BearerAuth

    found = call.secrets.find("bearer_token")
    if found is None:
        raise AccessError(
            "no bearer token is known", hint="adsctl auth bearer issue, or sign in: adsctl auth login"
        )
    call.client.trace.add_secrets(found.secret.value)
    return BearerAuth(found.secret.value)
