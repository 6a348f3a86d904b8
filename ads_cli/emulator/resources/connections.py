"""Connections of streams: a record for each that was opened, which its stream keeps alive."""

from ...api import webhooks
from ..core.handlers import RequestContext, handler
from ..core.paging import page_of
from ..core.request import value_or_default
from ..core.responses import HttpResponse
from ..deliveries.stream import CLOSED_BY_OPERATOR, CONNECTION, close_connection, open_connections
from ..storage import Record
from .webhooks import ok, with_fields


@handler(webhooks.ListConnections)
def _list(context: RequestContext, request: webhooks.ListConnections) -> HttpResponse:
    open_connections(context.store, context.app)
    fields = request.fields or request.endpoint.columns
    status = value_or_default(request, "status")
    records = [
        with_fields({name: value for name, value in record.items() if value is not None}, fields)
        for record in reversed(context.store.find_all(CONNECTION, context.app))
        if status == "all" or (status == "active") == (not record["disconnected_at"])
        if request.endpoints is None or record["endpoint_name"] in request.endpoints
    ]
    page = page_of(records, CONNECTION, request.cursor, value_or_default(request, "count"))
    meta = {"result_count": len(page.data)} | ({"next_token": page.next_cursor} if page.next_cursor else {})
    return ok(page.data, meta=meta)


def _killed(context: RequestContext, ids: list[str]) -> HttpResponse:
    """Close connections, each of which succeeds or fails by itself."""
    with context.store.transaction():
        known = {connection["id"] for connection in open_connections(context.store, context.app)}
        for id in known.intersection(ids):
            close_connection(context.store, context.app, id, CLOSED_BY_OPERATOR)
    results: list[Record] = [
        {"uuid": id, "success": True}
        if id in known
        else {"uuid": id, "success": False, "error_message": "there is no such open connection"}
        for id in ids
    ]
    successes = sum(result["success"] for result in results)
    return ok({"successful_kills": successes, "failed_kills": len(ids) - successes, "results": results})


@handler(webhooks.DeleteConnections)
def _delete(context: RequestContext, request: webhooks.DeleteConnections) -> HttpResponse:
    return _killed(context, request.uuids)


@handler(webhooks.DeleteConnectionsOfEndpoint)
def _delete_of_endpoint(
    context: RequestContext, request: webhooks.DeleteConnectionsOfEndpoint
) -> HttpResponse:
    connections = open_connections(context.store, context.app)
    name = request.endpoint_id
    return _killed(context, [record["id"] for record in connections if record["endpoint_name"] == name])


@handler(webhooks.DeleteAllConnections)
def _delete_all(context: RequestContext, request: webhooks.DeleteAllConnections) -> HttpResponse:
    return _killed(context, [record["id"] for record in open_connections(context.store, context.app)])
