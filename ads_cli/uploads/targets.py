"""Which upload target a request may change: what a catalog or a list holds, or all of it."""

import re
from urllib.parse import unquote, urlsplit

from ..client.prepared_request import PreparedRequest
from ..store.epochs import UploadTarget

TARGET_PATH = re.compile(
    r"/(?P<kind>product_catalog|custom_audience|do_not_reach_list)s/(?P<id>[^/]+)(?P<items>/products|/users)?/?$"
)


def changed_target(service: str, request: PreparedRequest) -> UploadTarget | None:
    """Return the upload target that a request may change, or None."""
    path = re.sub("/+", "/", unquote(urlsplit(request.url).path))
    match = TARGET_PATH.search(path)
    if request.method == "GET" or not match or not (match["items"] or request.method == "DELETE"):
        return None
    return UploadTarget(service, match["kind"], match["id"])
