"""Subscribe to kinds of events, and end subscriptions."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..api.endpoint import Identity, Request
from ..api.events import (
    EVENT_KINDS,
    MAX_DELETIONS,
    PRICES,
    CreateSubscription,
    DeleteSubscription,
    DeleteSubscriptions,
    Direction,
    price_of,
)
from ..api.webhooks import (
    STREAM_NAMES,
    DeleteAllConnections,
    DeleteConnections,
    DeleteConnectionsOfEndpoint,
    StreamName,
)
from ..console.invocation import Invocation
from ..console.parameters import argument, choice, flag, option
from ..console.request_input import built, request_from_input
from ..console.results import show, show_request
from ..console.shown import Result, shows
from ..errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from ..client.response import Response

# What fields of a request are called on the command line.
OPTIONS = {
    "event_type": "KIND",
    "filter": "KIND",
    "filter.user_id": "--user-id",
    "filter.keyword": "--keyword",
    "filter.direction": "--direction",
    "tag": "--tag",
    "webhook_id": "--webhook",
}


@shows(Result(CreateSubscription, is_list=False))
def subscribe(
    ctx: typer.Context,
    kind: Annotated[str, argument("KIND", "The kind of events, as in post.create", offers=EVENT_KINDS)],
    user_id: Annotated[str | None, option("ID", "The user whom events are about", "--user-id")] = None,
    keyword: Annotated[str | None, option("TEXT", "A word, for news.new")] = None,
    direction: Annotated[Direction | None, choice("Of likes: those that the user gets, or gives")] = None,
    tag: Annotated[str | None, option("TEXT", "A name of your own, sent with each event")] = None,
    webhook: Annotated[
        str | None, option("ID", "Deliver events to this webhook too", "--webhook", "--webhook-id")
    ] = None,
    identity: Annotated[Identity | None, choice("Whose token (default: user if signed in)", "--as")] = None,
) -> None:
    """Subscribe to a kind of events; they come over `events listen`, and to a webhook if one is named.

    Each delivered event may cost something, which is said and asked first.

    For example: adsctl events subscribe post.create --user-id 1184672519
    """
    call = Invocation.of(ctx)
    filters = {"user_id": user_id, "keyword": keyword, "direction": direction}
    values = {
        "event_type": kind,
        "filter": {name: value for name, value in filters.items() if value is not None},
        "tag": tag,
        "webhook_id": webhook,
    }
    given = {name: value for name, value in values.items() if value is not None}
    request = built(CreateSubscription, given, OPTIONS)
    if call.dry_run or PRICES.get(kind) == 0:
        call.messages.say(price_of(kind))
    if PRICES.get(kind) != 0 and (not call.dry_run or call.is_plan):
        call.confirm(f"Subscribe to {kind}; {price_of(kind)}")
    if call.dry_run:
        show_request(call, request)
        return
    call.client.identity = identity
    show(call, request, call.client.call(request).data)


@shows(Result(DeleteSubscription, is_list=False))
def unsubscribe(
    ctx: typer.Context,
    ids: Annotated[list[str], argument("SUBSCRIPTION_ID...", "The subscriptions to end")],
) -> None:
    """End subscriptions to events.

    For example: adsctl events unsubscribe 1790415000000000201
    """
    call = Invocation.of(ctx)
    if len(ids) == 1:
        single = request_from_input(DeleteSubscription, {"subscription_id": ids[0]})
        if answer := _sent(call, single, f"End the subscription {ids[0]}"):
            show(call, single, answer.data)
        return
    if len(ids) > MAX_DELETIONS:
        raise UsageError(f"{len(ids)} subscriptions: at most {MAX_DELETIONS} are ended at once")
    request = request_from_input(DeleteSubscriptions, {"ids": ",".join(ids)})
    response = _sent(call, request, f"End {len(ids)} subscriptions")
    if response is None:
        return
    show(call, request, response.data)
    errors = response.body.get("errors") if isinstance(response.body, dict) else None
    failed = [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    if failed:
        listed = "; ".join(f"{error.get('subscription_id')}: {error.get('message')}" for error in failed)
        raise NotFoundError(f"not ended: {listed}", hint="adsctl events subscriptions lists them")


@shows(Result(DeleteConnections, is_list=False))
def delete_connections(
    ctx: typer.Context,
    ids: Annotated[list[str] | None, argument("[ID...]", "The connections to close")] = None,
    endpoint: Annotated[
        StreamName | None, option("STREAM", "Close all connections of this stream", offers=STREAM_NAMES)
    ] = None,
    all_of_them: Annotated[bool, flag("Close all connections", "--all")] = False,
) -> None:
    """Close connections of streams: some, those of one stream, or all.

    For example: adsctl events connections delete --all
    """
    call = Invocation.of(ctx)
    if bool(ids) + bool(endpoint) + all_of_them != 1:
        raise UsageError("name connections, or a stream with --endpoint, or --all: one of the three")
    if ids:
        request: Request = request_from_input(DeleteConnections, {"uuids": ",".join(ids)})
        question = f"Close {len(ids)} connections" if len(ids) > 1 else f"Close the connection {ids[0]}"
    elif endpoint:
        request = request_from_input(DeleteConnectionsOfEndpoint, {"endpoint_id": endpoint})
        question = f"Close all connections of {endpoint}"
    else:
        request, question = DeleteAllConnections(), "Close all connections of streams"
    if (response := _sent(call, request, question)) is None:
        return
    show(call, request, response.data)
    failed = response.data.get("failed_kills") if isinstance(response.data, dict) else None
    if isinstance(failed, int) and failed:
        raise NotFoundError(
            f"{failed} were not closed", hint="adsctl events connections list shows open ones"
        )


def _sent(call: Invocation, request: Request, question: str) -> "Response | None":
    """Ask, and send a request; show it in a dry run, and return nothing."""
    if not call.dry_run or call.is_plan:
        call.confirm(question)
    if call.dry_run:
        show_request(call, request)
        return None
    return call.client.call(request)
