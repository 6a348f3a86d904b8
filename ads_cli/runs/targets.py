"""Which upload target a request may change: what a catalog or a list holds, or all of it."""

import re
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..client.prepared_request import PreparedRequest
from ..store.epochs import UploadTarget, WriteEpochs

TARGET_PATH = re.compile(
    r"/(?P<kind>product_catalog|custom_audience|do_not_reach_list)s/(?P<id>[^/]+)(?P<items>/products|/users)?/?$"
)


def changing(state_dir: Path, service: str, request: PreparedRequest) -> AbstractContextManager[None]:
    """End the write epoch of the upload target that a request may change, if there is one."""
    path = re.sub("/+", "/", unquote(urlsplit(request.url).path))
    match = TARGET_PATH.search(path)
    if request.method == "GET" or not match or not (match["items"] or request.method == "DELETE"):
        return nullcontext()
    return WriteEpochs(state_dir).changing(UploadTarget(service, match["kind"], match["id"]))
