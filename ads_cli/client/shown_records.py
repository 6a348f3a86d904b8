"""What the service shows of the record that a declared request is about."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ..api.endpoint import Request
from ..api.registry import is_of_service, modules_of, requests_of
from ..errors import NotFoundError
from ..output.text import singular

if TYPE_CHECKING:
    from .client import Client

REQUIRED = {"post_type": "PUBLISHED"}  # what a list must be told, and a request about a record does not say


def shown_record(
    client: "Client",
    service: str,
    request: type[Request],
    values: Mapping[str, Any],
    *,
    max_attempts: int | None = None,
) -> dict[str, Any]:
    """Return the record that a request is about, as the service sends it; from its list, where none shows it.

    `values` are those of the request, by its fields. Raise NotFoundError where nothing shows the record.
    """
    endpoint, shown = request.endpoint, _shown_by(request, service)
    id = values.get(endpoint.id_field or "")
    known = {f"{endpoint.id_field}s": [id], **REQUIRED}
    known |= {name: values[name] for name in endpoint.path_fields if name in values}
    read = shown(**{name: value for name, value in known.items() if name in shown.__struct_fields__})
    is_of_one = endpoint.id_field in shown.endpoint.path_fields
    for page in client.pages(read, max_attempts=max_attempts):
        records = page.data if isinstance(page.data, list) else [page.data]
        for record in records:
            if not isinstance(record, dict):
                continue
            own = record.get("id", id) if is_of_one else record.get(shown.endpoint.record_id)
            if id is None or str(own) == str(id):  # what has no id is the only record of its kind
                return record
    raise NotFoundError(f"there is no {singular(endpoint.noun)} {id or ''}".rstrip())


@cache
def _shown_by(request: type[Request], service: str) -> Any:
    """Return the request of the record, or of the list that has it; raise KeyError if there is neither."""
    group = tuple(request.endpoint.command.split()[:-1])
    reading = [
        kind
        for module in modules_of(group)
        for kind in requests_of(module)
        if kind.endpoint.method == "GET" and is_of_service(kind, service)
    ]
    path = request.endpoint.path
    while path:
        for kind in reading:
            if kind.endpoint.path == path:
                return kind
        path = path.rpartition("/")[0]
    raise KeyError(request.endpoint.command)
