"""An app that signs in, for the tests of sign-in and bearer tokens."""

import re
from urllib.parse import parse_qsl, urlencode

import httpx

from .client import HOST, Client, authorization
from .wire_names import X_NAMES

CALLBACK = "http://127.0.0.1:8976/callback"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class SignIn:
    """An app that signs in, and the browser of its user."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.app = client.keys._replace(access_token="", access_token_secret="")

    def post(self, path: str, keys, *, form: str = "", query: str = "", **oauth) -> httpx.Response:
        url = HOST + path + (f"?{query}" if query else "")
        oauth.setdefault("oauth_token", keys.access_token or None)
        headers = authorization(keys, "POST", url, form, **oauth)
        content = form.encode()
        return self.client.transport.request(
            "POST", url, content=content, headers=headers | (FORM if form else {})
        )

    def begin(self, callback: str | None = "oob", access: str = "") -> dict[str, str]:
        response = self.ask(callback, **{self.access_type: access} if access else {})
        assert response.status_code == 200, response.text
        return dict(parse_qsl(response.text))

    def ask(self, callback: str | None = "oob", **query: str) -> httpx.Response:
        return self.post("/oauth/request_token", self.app, oauth_callback=callback, query=urlencode(query))

    @property
    def access_type(self) -> str:
        """The parameter of the access that is asked for, by its name on the wire."""
        name = "platform_auth_access_type"
        return X_NAMES[name] if self.client.emulator.service == "x" else name

    def open_page(self, path: str, **query: str) -> httpx.Response:
        url = f"{HOST}{path}?{urlencode(query)}"
        return self.client.transport.request("GET", url, headers={})

    def submit(self, page: httpx.Response, path: str, decision: str = "allow", **more: str) -> httpx.Response:
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
        headers = FORM | {"Sec-Fetch-Site": more.pop("site", "same-origin")}
        form = urlencode({"answer": decision} | hidden | more).encode()
        return self.client.transport.request("POST", HOST + path, content=form, headers=headers)

    def allow(self, token: str, **query: str) -> str:
        page = self.open_page("/oauth/authorize", oauth_token=token, **query)
        return pin_of(self.submit(page, "/oauth/authorize"))

    def exchange(self, request: dict[str, str], verifier: str) -> httpx.Response:
        keys = self.app._replace(
            access_token=request["oauth_token"], access_token_secret=request["oauth_token_secret"]
        )
        return self.post("/oauth/access_token", keys, query=urlencode({"oauth_verifier": verifier}))

    def run(self, **begin: str):
        request = self.begin(**begin)
        given = dict(parse_qsl(self.exchange(request, self.allow(request["oauth_token"])).text))
        return given, self.app._replace(
            access_token=given["oauth_token"], access_token_secret=given["oauth_token_secret"]
        )


def pin_of(page: httpx.Response) -> str:
    assert page.status_code == 200, page.text
    match = re.search(r'id="pin"[^>]*>(\d+)<', page.text)
    assert match, page.text
    return match[1]
