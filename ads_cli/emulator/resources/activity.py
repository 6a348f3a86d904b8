"""Subscriptions to kinds of events, and their stream."""

import time

from ...api import events
from ..core.handlers import RequestContext, handler
from ..core.paging import page_of
from ..core.request import value_or_default
from ..core.responses import HttpResponse, PlatformError
from ..deliveries import stream
from ..deliveries.events import SUBSCRIPTION
from ..storage import Record, random_number, without
from .webhooks import ok, require_webhook

MAX_SUBSCRIPTIONS = 1500  # of a self-serve app


def shown(subscription: Record) -> Record:
    """Return a subscription as it is answered: without what was not given."""
    fields = {name: value for name, value in without(subscription, "id", "deleted").items() if value}
    return {"subscription_id": subscription["id"], **fields}


def _forbidden(detail: str, slug: str = "not-authorized-for-resource") -> PlatformError:
    return PlatformError(detail, 403, slug, title="Forbidden")


def _require_right(context: RequestContext, request: events.CreateSubscription) -> None:
    """Raise PlatformError if the token does not allow a subscription to a kind of events of some user."""
    kind = request.event_type
    if events.is_private(kind) and context.user != request.filter.user_id:
        raise _forbidden(f"{kind} is private: it needs the token of the user whom it is about")
    if context.scopes is None:
        return
    needed = {events.PRIVATE_SCOPES.get(kind, "tweet.read")}
    if missing := needed - context.scopes:
        raise _forbidden(f"the access token has no scope {', '.join(missing)}")


@handler(events.CreateSubscription)
def _create(context: RequestContext, request: events.CreateSubscription) -> HttpResponse:
    _require_right(context, request)
    filters = {name: getattr(request.filter, name) for name in request.filter.__struct_fields__}
    fields = {
        "event_type": request.event_type,
        "filter": {name: value for name, value in filters.items() if value is not None},
        "tag": request.tag,
        "webhook_id": request.webhook_id,
    }
    with context.store.transaction():
        if request.webhook_id:
            require_webhook(context, request.webhook_id)
        if len(context.store.find_all(SUBSCRIPTION, context.app)) >= MAX_SUBSCRIPTIONS:
            raise _forbidden(
                f"the app has {MAX_SUBSCRIPTIONS:,} subscriptions, and may have no more", "rule-cap"
            )
        added = context.store.add(SUBSCRIPTION, random_number(), fields, owner=context.app)
    return ok({"subscription": shown(added)})


@handler(events.ListSubscriptions)
def _list(context: RequestContext, request: events.ListSubscriptions) -> HttpResponse:
    if context.scopes is not None and (missing := {"like.read", "tweet.read"} - context.scopes):
        raise _forbidden(f"the access token has no scope {', '.join(sorted(missing))}")
    listed = [*map(shown, context.store.find_all(SUBSCRIPTION, context.app))]
    page = page_of(listed, SUBSCRIPTION, request.cursor, value_or_default(request, "count"))
    meta = {"result_count": len(page.data), "total_subscriptions": len(listed)}
    return ok(page.data, meta=meta | ({"next_token": page.next_cursor} if page.next_cursor else {}))


def _require(context: RequestContext, id: str) -> Record:
    subscription = context.store.find(SUBSCRIPTION, id, owner=context.app)
    if subscription is None:
        detail = f"Could not find subscription with subscription_id: [{id}]."
        title, parameter = "Not Found Error", "subscription_id"
        raise PlatformError(
            detail, 404, "resource-not-found", title=title, resource_id=id, parameter=parameter
        )
    return subscription


def _total(context: RequestContext) -> int:
    return len(context.store.find_all(SUBSCRIPTION, context.app))


@handler(events.UpdateSubscription)
def _update(context: RequestContext, request: events.UpdateSubscription) -> HttpResponse:
    changes = {"tag": request.tag, "webhook_id": request.webhook_id}
    with context.store.transaction():
        _require(context, request.subscription_id)
        if request.webhook_id:
            require_webhook(context, request.webhook_id)
        given = {name: value for name, value in changes.items() if value is not None}
        updated = context.store.update(SUBSCRIPTION, request.subscription_id, given, owner=context.app)
    return ok({"subscription": shown(updated), "total_subscriptions": _total(context)})


@handler(events.DeleteSubscription)
def _delete(context: RequestContext, request: events.DeleteSubscription) -> HttpResponse:
    with context.store.transaction():
        _require(context, request.subscription_id)
        context.store.purge(SUBSCRIPTION, context.app, request.subscription_id)
    return ok({"deleted": True}, meta={"total_subscriptions": _total(context)})


@handler(events.DeleteSubscriptions)
def _delete_many(context: RequestContext, request: events.DeleteSubscriptions) -> HttpResponse:
    """Delete several; one that does not exist stops none of the others."""
    results, errors = [], []
    with context.store.transaction():
        for id in request.ids:
            if context.store.find(SUBSCRIPTION, id, owner=context.app):
                context.store.purge(SUBSCRIPTION, context.app, id)
                results.append({"subscription_id": id, "deleted": True})
            else:
                message = "there is no such subscription"
                errors.append({"subscription_id": id, "reason": "NotFound", "message": message})
    beside = {"errors": errors} if errors else {}
    return ok(results, **beside, meta={"total_subscriptions": _total(context)})


MAX_RECOVERY_SECONDS = 24 * 3600.0


@handler(events.ListenToEvents)
def _listen(context: RequestContext, request: events.ListenToEvents) -> HttpResponse:
    """Open a connection to the stream. Backfill and recovery are not limited to Enterprise apps here."""
    now = time.time()
    since = None if request.start_time is None else request.start_time.moment.timestamp()
    until = None if request.end_time is None else request.end_time.moment.timestamp()
    if since is not None and not now - MAX_RECOVERY_SECONDS <= since <= now:
        raise PlatformError("start_time is not within the last 24 hours", parameter="start_time")
    if until is not None and not (since is not None and since < until <= now):
        raise PlatformError("end_time is not after start_time, or in the future", parameter="end_time")
    if since is None and request.backfill_minutes:
        since = now - 60 * request.backfill_minutes
    connection = stream.open_connection(context.store, context.app, context.incoming.client)
    if connection is None:
        raise PlatformError(
            f"the app has {stream.MAX_CONNECTIONS} connections to this stream already",
            429,
            "streaming-connection",
            title="ConnectionException",
            connection_issue="TooManyConnections",
        )
    lines = stream.lines(context.store, context.app, connection, since, until)
    return HttpResponse(b"", content_type="application/json", stream=lines)
