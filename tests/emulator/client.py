"""A signer and two clients, independent of the product's, that test the emulator."""

import base64
import hashlib
import hmac
import io
import itertools
import json
import os
import threading
import time
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import httpx

from ads_cli.emulator.app import Emulator, SeededCredentials

from .wire_names import read_from_x, sent_to_x

HOST = "http://127.0.0.1"
_nonces = (f"{os.getpid()}x{number}" for number in itertools.count())
_nonces_lock = threading.Lock()


def nonce() -> str:
    with _nonces_lock:
        return next(_nonces)


def escaped(text: str) -> str:
    return quote(text, safe="~")


def authorization(
    keys: SeededCredentials, method: str, url: str, form: str = "", **changed: str | None
) -> dict[str, str]:
    """Sign as in RFC 5849, section 3.4; `changed` replaces OAuth parameters, None omits one."""
    given: dict[str, str | None] = {
        "oauth_consumer_key": keys.consumer_key,
        "oauth_nonce": nonce(),
        "oauth_signature_method": "HMAC-SHA1",
        "oauth_timestamp": str(int(time.time())),
        "oauth_token": keys.access_token,
        "oauth_version": "1.0",
    }
    signature = changed.pop("oauth_signature", "")
    oauth = {name: value for name, value in (given | changed).items() if value is not None}
    address, _, query = url.partition("?")
    pairs = [
        *oauth.items(),
        *parse_qsl(query, keep_blank_values=True),
        *parse_qsl(form, keep_blank_values=True),
    ]
    normal = "&".join(f"{name}={value}" for name, value in sorted((escaped(n), escaped(v)) for n, v in pairs))
    base = "&".join(map(escaped, (method, address, normal)))
    key = f"{escaped(keys.consumer_secret)}&{escaped(keys.access_token_secret)}"
    digest = hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()
    oauth["oauth_signature"] = signature or base64.b64encode(digest).decode()
    return {"Authorization": "OAuth " + ", ".join(f'{n}="{escaped(v)}"' for n, v in oauth.items())}


class InProcess:
    """Call a WSGI application in this process, as the product's own transport does."""

    def __init__(self, application: Any, **environ: Any) -> None:
        self.application = application
        self.environ = environ

    def request(
        self, method: str, url: str, *, content: bytes = b"", headers: dict[str, str]
    ) -> httpx.Response:
        path = url.removeprefix(HOST)
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "REQUEST_URI": path,
            "PATH_INFO": "",
            "QUERY_STRING": path.partition("?")[2],
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "HTTP_HOST": "127.0.0.1",
            "CONTENT_LENGTH": str(len(content)),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(content),
        } | self.environ
        for name, value in headers.items():
            name = name.upper().replace("-", "_")
            environ[name if name == "CONTENT_TYPE" else f"HTTP_{name}"] = value
        response: dict[str, Any] = {}

        def start_response(status: str, headers: list[tuple[str, str]]) -> None:
            response.update(status_code=int(status[:3]), headers=headers)

        body = b"".join(self.application(environ, start_response))
        return httpx.Response(content=body, **response)

    def close(self) -> None:
        pass


class Client:
    """Send signed requests as the seeded user; tests write and read neutral names under every service."""

    def __init__(self, emulator: Emulator, transport: Any, address: str = HOST) -> None:
        self.emulator = emulator
        self.keys = emulator.credentials
        self.transport = transport
        self.address = address
        self.products_path = f"/12/product_catalogs/{emulator.catalog}/products"

    @classmethod
    def over_http(cls, emulator: Emulator, address: str) -> "Client":
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        return cls(emulator, httpx.Client(limits=limits, trust_env=False, verify=False), address)

    def send(
        self,
        method: str,
        path: str,
        *,
        json_body: Any = None,
        oauth: dict[str, Any] | None = None,
        **query: Any,
    ) -> httpx.Response:
        if self.emulator.service == "x":
            path, query, json_body = sent_to_x(path, query, json_body)
        url = self.address + path + (f"?{urlencode(query, quote_via=quote)}" if query else "")
        headers = authorization(self.keys, method, url, **(oauth or {}))
        content = b""
        if json_body is not None:
            headers["Content-Type"] = "application/json"
            content = json_body if isinstance(json_body, bytes) else json.dumps(json_body).encode()
        response = self.transport.request(method, url, content=content, headers=headers)
        return read_from_x(response, path) if self.emulator.service == "x" else response

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.send("GET", path, **query)

    def put(self, *products: Any) -> list[dict[str, Any]]:
        """Put products; return the result of each."""
        response = self.send("PUT", self.products_path, json_body={"products": products})
        assert response.status_code == 200, response.text
        return response.json()["data"]["products_response"]

    def products(self, **query: Any) -> list[dict[str, Any]]:
        """List all products, page by page."""
        records: list[dict[str, Any]] = []
        cursor = None
        while True:
            response = self.get(self.products_path, **query, **({"cursor": cursor} if cursor else {})).json()
            records += response["data"]
            cursor = response["next_cursor"]
            if cursor is None:
                return records

    def close(self) -> None:
        self.transport.close()


def product(identifier: Any = "SKU-1", **fields: Any) -> dict[str, Any]:
    """Return a valid product with the required fields; None omits a field."""
    sound = {
        "id": identifier,
        "title": "Wool hat",
        "description": "A warm hat of wool",
        "availability": "in stock",
        "condition": "new",
        "price": "19.90 EUR",
        "link": "https://shop.example/hat",
        "image_link": "https://shop.example/hat.jpg",
        "brand": "Nordlicht",
    }
    return {name: value for name, value in (sound | fields).items() if value is not None}


def errors(response: httpx.Response) -> list[tuple[Any, str | None]]:
    """Return code and parameter of each error."""
    return [(error["code"], error.get("parameter")) for error in response.json()["errors"]]


def is_not_found(client: Client, response: httpx.Response, code_of_x: str, message: str = "") -> bool:
    """Tell whether something does not exist, by status and code, which service x has its own for."""
    status, code = 404, "NOT_FOUND"
    if client.emulator.service == "x":
        status, code = 403 if code_of_x == "ACCOUNT_NOT_FOUND" else 404, code_of_x
    (error,) = response.json()["errors"]
    return (response.status_code, error["code"]) == (status, code) and message in error["message"]


def is_without_account(client: Client, response: httpx.Response, account: str) -> bool:
    """Tell whether an account does not exist."""
    return is_not_found(client, response, "ACCOUNT_NOT_FOUND", f"the account {account} does not exist")


def statuses(outcomes: list[dict[str, Any]]) -> Counter[str]:
    return Counter(outcome["status"] for outcome in outcomes)
