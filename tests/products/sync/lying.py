"""A service that stores and lists ids in another form than it is sent, and answers with those it was sent."""

import json
import unicodedata
from collections.abc import Callable
from io import BytesIO
from typing import Any


class LyingIds:
    """Stands before a service, and changes ids.

    `stored` changes the id of a product that is sent, and `listed` that of one that is listed; `twice` lists
    each product a second time, under another id.
    """

    def __init__(
        self,
        service,
        stored: Callable[[str], str] = str,
        listed: Callable[[str], Any] = str,
        twice: Callable[[str], str] | None = None,
    ) -> None:
        self._stored, self._listed, self._twice = stored, listed, twice
        self._answer, service.answer = service.answer, self

    def __call__(self, environ, start_response):
        is_products = environ["PATH_INFO"].endswith("/products")
        if is_products and environ["REQUEST_METHOD"] == "PUT":
            return self._put(environ, start_response)
        if is_products and environ["REQUEST_METHOD"] == "GET":
            return self._changed(environ, start_response, self._list)
        return self._answer(environ, start_response)

    def _put(self, environ, start_response):
        sent = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        ids = {self._stored(product["id"]): product["id"] for product in sent["products"]}
        stored = [product | {"id": self._stored(product["id"])} for product in sent["products"]]
        body = json.dumps({"products": stored}).encode()
        environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}

        def named(answer: dict) -> dict:
            for entry in answer.get("data", {}).get("products_response", []):
                entry["id"] = ids[entry["id"]]
            return answer

        return self._changed(environ, start_response, named)

    def _list(self, answer: dict) -> dict:
        products = answer.get("data", [])
        shown = [product | {"id": self._listed(product["id"])} for product in products]
        if self._twice:
            shown += [product | {"id": self._twice(product["id"])} for product in products]
        return answer | {"data": shown}

    def _changed(self, environ, start_response, change):
        started = []
        body = json.loads(b"".join(self._answer(environ, lambda *answer: started.append(answer))))
        content = json.dumps(change(body)).encode()
        ((status, headers),) = started
        kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
        start_response(status, [*kept, ("Content-Length", str(len(content)))])
        return [content]


def without_zero_width(id: str) -> str:
    return id.replace("\u200b", "").replace("\ufeff", "")


def number(id: str) -> object:
    try:
        return json.loads(str(float(id) if set(id) & set(".e") else int(id)))
    except ValueError:
        return id


FORMS = {  # how an id is stored, how a stored one is listed, and ids that this changes
    "trimmed": (str.strip, str, ["sku-1 ", "sku-2"]),
    "nfc": (lambda id: unicodedata.normalize("NFC", id), str, ["u\u0308ber-1", "sku-2"]),
    "nfd": (lambda id: unicodedata.normalize("NFD", id), str, ["\u00fcber-1", "sku-2"]),
    "lower": (str.lower, str, ["SKU-1", "\u00dcBER", "sku-2"]),
    "casefold": (str.casefold, str, ["Gro\u00df-1", "sku-2"]),
    "upper": (str.upper, str, ["sku-1", "Stra\u00dfe"]),
    "zero width": (without_zero_width, str, ["sku\u200b-1", "\ufeffsku-2", "sku-3"]),
    "numbers": (str, number, ["1.10", "00123", "1e5", "77", "sku-2"]),
    "other": (lambda id: "of the service " + id[::-1], str, ["sku-1", "sku-2"]),
}
