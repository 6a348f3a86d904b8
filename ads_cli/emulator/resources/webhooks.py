"""Webhooks, the streams that are linked to them, and the users whose activities they get."""

import time
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from ...api import webhooks
from ...api.parts import params_of
from ..core.handlers import RequestContext, handler
from ..core.responses import HttpResponse, refusal
from ..deliveries import receivers, replay
from ..deliveries.challenge import WEBHOOK, check_address, checked, keys_of
from ..deliveries.events import LINK, USER
from ..storage import Record, Store, random_number, utc_now, without

MAX_WEBHOOKS = 5  # of an Enterprise app; of pay per use it is one
# Of a replay: how long ago it begins and ends, and how long the time between is.
LEAST_AGE_SECONDS, MOST_AGE_SECONDS = 31 * 60, 24 * 3600
LEAST_END_AGE_SECONDS, MOST_SPAN_SECONDS = 10 * 60, 2 * 3600
MAX_USERS = 5000  # whose activities the webhooks of an Enterprise app get


def ok(data: Any, **beside: Any) -> HttpResponse:
    """Return the answer of the platform, with what stands beside its data."""
    return HttpResponse.json({"data": data, **beside})


def require_webhook(context: RequestContext, id: str) -> Record:
    """Return a webhook of the app; raise PlatformError if it has no such one."""
    webhook = context.store.find(WEBHOOK, id, owner=context.app)
    if webhook is None:
        raise refusal("WebhookIdInvalid", f"the app has no webhook {id}", "webhook_id", id)
    return webhook


def with_fields(record: Record, fields: Collection[str] | None) -> Record:
    """Return a record with the fields that were asked for, or all of them."""
    return {name: value for name, value in record.items() if fields is None or name in fields}


def shown(webhook: Record) -> Record:
    """Return a webhook as it is answered."""
    return without(webhook, "updated_at", "deleted", "passed_at")


def webhooks_of(store: Store, app: str) -> list[Record]:
    """Return the webhooks of an app, oldest first."""
    return store.find_all(WEBHOOK, app)


@handler(webhooks.ListWebhooks)
def _list(context: RequestContext, request: webhooks.ListWebhooks) -> HttpResponse:
    listed = [
        with_fields(shown(webhook), request.fields) for webhook in webhooks_of(context.store, context.app)
    ]
    return ok(listed, meta={"result_count": len(listed)})


@handler(webhooks.CreateWebhook)
def _create(context: RequestContext, request: webhooks.CreateWebhook) -> HttpResponse:
    """Register an address that answers the challenge. It is asked outside of any transaction."""
    url = request.url
    if problem := _address_problem(url):
        raise refusal("UrlValidationFailed", problem, "url", url)
    _require_room(context, url)
    if problem := check_address(keys_of(context.store, context.app), url).problem:
        raise refusal("CrcValidationFailed", problem, "url", url)
    with context.store.transaction():
        _require_room(context, url)
        fields = {"url": url, "valid": True, "passed_at": time.time()}
        webhook = shown(context.store.add(WEBHOOK, random_number(), fields, owner=context.app))
    return ok(webhook) if context.service == "x" else HttpResponse.json(webhook)


def _require_room(context: RequestContext, url: str) -> None:
    """Raise PlatformError for an address that is registered, and for one too many."""
    registered = webhooks_of(context.store, context.app)
    if any(webhook["url"] == url for webhook in registered):
        raise refusal("DuplicateUrlFailed", "it is already registered", "url", url)
    if len(registered) >= MAX_WEBHOOKS:
        raise refusal("WebhookLimitExceeded", f"the app has {MAX_WEBHOOKS} webhooks", "url", url)


def _address_problem(url: str) -> str:
    """Say why no webhook can have an address; "" for one that may. On this machine http and ports may be."""
    try:
        parts = urlsplit(url)
        has_port = parts.port is not None
    except ValueError:
        return "it is not a URL"
    if not parts.hostname or parts.scheme not in ("http", "https") or not url.isprintable() or " " in url:
        return "it is not a URL"
    if parts.username is not None or parts.fragment:
        return "it has a user or a fragment"
    if receivers.is_local(url):
        return ""
    return "the address is not https, or has a port" if parts.scheme != "https" or has_port else ""


@handler(webhooks.ValidateWebhook)
def _validate(context: RequestContext, request: webhooks.ValidateWebhook) -> HttpResponse:
    webhook = require_webhook(context, request.webhook_id)
    if problem := checked(context.store, context.app, webhook).problem:
        raise refusal("CrcValidationFailed", problem, "webhook_id", request.webhook_id)
    return ok({"valid": True})


@handler(webhooks.ReplayDeliveries)
def _replay(context: RequestContext, request: webhooks.ReplayDeliveries) -> HttpResponse:
    """Begin a replay, whose check comes before its events."""
    first, last = _replay_times(request.from_date, request.to_date)
    webhook = require_webhook(context, request.webhook_id)
    if not (job := replay.begin(context.store, webhook["id"])):
        raise refusal("ReplayConflictError", "a replay is running", "webhook_id", webhook["id"])
    try:
        if problem := checked(context.store, context.app, webhook).problem:
            raise refusal("CrcValidationFailed", problem, "webhook_id", webhook["id"])
    except BaseException:
        job.end()
        raise
    # A process that ends after the answer, as that of a command with the profile local, delivers before it.
    job.run(context.app, context.service, webhook, first, last + 60, waits=context.incoming.is_in_process)
    return ok({"job_id": job.id, "created_at": utc_now()})


def _replay_times(first: str, last: str) -> tuple[float, float]:
    """Return the minutes of a replay in Unix seconds; raise PlatformError for those that cannot be."""
    begin, end = _minute("from_date", first), _minute("to_date", last)
    now = time.time()
    if not now - MOST_AGE_SECONDS <= begin <= now - LEAST_AGE_SECONDS:
        raise refusal("QueryParamInvalid", "it is not 31 minutes to 24 hours ago", "from_date", first)
    if not begin < end <= now - LEAST_END_AGE_SECONDS:
        raise refusal("QueryParamInvalid", "it is not after from_date, and 10 minutes ago", "to_date", last)
    if end - begin > MOST_SPAN_SECONDS:
        raise refusal("QueryParamInvalid", "it is more than 2 hours after from_date", "to_date", last)
    return begin, end


def _minute(name: str, text: str) -> float:
    try:
        return datetime.strptime(text, "%Y%m%d%H%M").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise refusal("QueryParamInvalid", "it is not a minute, as yyyymmddhhmm", name, text) from None


@handler(webhooks.DeleteWebhook)
def _delete(context: RequestContext, request: webhooks.DeleteWebhook) -> HttpResponse:
    """Delete a webhook with its links and users; subscriptions stay, and go to streams only."""
    with context.store.transaction():
        require_webhook(context, request.webhook_id)
        for kind in (LINK, USER):
            for record in context.store.find_all(kind, context.app, webhook_id=request.webhook_id):
                context.store.purge(kind, context.app, record["id"])
        context.store.purge(WEBHOOK, context.app, request.webhook_id)
    return ok({"deleted": True})


@handler(webhooks.ListLinks)
def _list_links(context: RequestContext, request: webhooks.ListLinks) -> HttpResponse:
    links = context.store.find_all(LINK, context.app)
    return ok([without(link, "id", "updated_at", "deleted") for link in links])


@handler(webhooks.CreateLink)
def _create_link(context: RequestContext, request: webhooks.CreateLink) -> HttpResponse:
    own, names = request.endpoint.wire_names, context.names
    given = {names.name(name): value for name, value in params_of(request).items() if value}
    fields = [f"{own.get(name, name)}={value}" for name, value in given.items()]
    with context.store.transaction():
        require_webhook(context, request.webhook_id)
        ids = {"application_id": "1790415000000000001", "business_user_id": context.store.setting("user")}
        link: Record = {"webhook_id": request.webhook_id, **ids, "instance_id": "1790415000000000002"}
        context.store.purge(LINK, context.app, request.webhook_id)
        context.store.add(LINK, request.webhook_id, link | {"fields": fields}, owner=context.app)
    return ok({"provisioned": True})


@handler(webhooks.DeleteLink)
def _delete_link(context: RequestContext, request: webhooks.DeleteLink) -> HttpResponse:
    with context.store.transaction():
        require_webhook(context, request.webhook_id)
        exists = context.store.find(LINK, request.webhook_id, owner=context.app) is not None
        context.store.purge(LINK, context.app, request.webhook_id)
    return ok({"deleted": exists})


def _user_key(webhook: str, user: str) -> str:
    return f"{webhook}-{user}"


@handler(webhooks.SubscribeUser)
def _subscribe_user(context: RequestContext, request: webhooks.SubscribeUser) -> HttpResponse:
    store, webhook, app = context.store, request.webhook_id, context.app
    with store.transaction():
        require_webhook(context, webhook)
        key = _user_key(webhook, context.user)
        if store.find(USER, key, owner=app):
            raise refusal("DuplicateSubscriptionFailed", "the user is subscribed", "webhook_id", webhook)
        if len(store.find_all(USER, app)) >= MAX_USERS:
            detail = f"the app has {MAX_USERS:,} users"
            raise refusal("SubscriptionLimitExceeded", detail, "webhook_id", webhook)
        store.add(USER, key, {"webhook_id": webhook, "user_id": context.user}, owner=app)
    return ok({"subscribed": True})


@handler(webhooks.CheckUser)
def _check_user(context: RequestContext, request: webhooks.CheckUser) -> HttpResponse:
    require_webhook(context, request.webhook_id)
    key = _user_key(request.webhook_id, context.user)
    return ok({"subscribed": context.store.find(USER, key, owner=context.app) is not None})


@handler(webhooks.ListUsers)
def _list_users(context: RequestContext, request: webhooks.ListUsers) -> HttpResponse:
    webhook = require_webhook(context, request.webhook_id)
    users = context.store.find_all(USER, context.app, webhook_id=webhook["id"])
    ids = {"application_id": "1790415000000000001", "webhook_id": webhook["id"]}
    subscriptions = [{"user_id": user["user_id"]} for user in users]
    return ok({**ids, "webhook_url": webhook["url"], "subscriptions": subscriptions})


@handler(webhooks.UnsubscribeUser)
def _unsubscribe_user(context: RequestContext, request: webhooks.UnsubscribeUser) -> HttpResponse:
    key = _user_key(request.webhook_id, request.user_id)
    with context.store.transaction():
        require_webhook(context, request.webhook_id)
        if context.store.find(USER, key, owner=context.app) is None:
            detail = f"the user {request.user_id} is not subscribed"
            raise refusal("SubscriptionNotFound", detail, "user_id", request.user_id)
        context.store.purge(USER, context.app, key)
    return ok({"subscribed": False})


@handler(webhooks.CountUsers)
def _count_users(context: RequestContext, request: webhooks.CountUsers) -> HttpResponse:
    return ok(
        {
            "account_name": "adsctl",
            "provisioned_count": str(MAX_USERS),
            "subscriptions_count_all": str(len(context.store.find_all(USER, context.app))),
            "subscriptions_count_direct_messages": "0",  # always
        }
    )
