"""The pages on which a user authorizes or refuses an app."""

import hmac
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from ...api.auth import Authenticate, Authorize
from ..core.handlers import RequestContext, raw_handler
from ..core.responses import HttpResponse
from ..storage import find_by_screen_name, screen_name
from . import request_tokens
from .request_tokens import RequestToken

if TYPE_CHECKING:
    from string import Template


HTML = "text/html; charset=utf-8"


def page(title: str, *paragraphs: str, status: int = 200, form_action: str = "") -> HttpResponse:
    """Return a page of HTML paragraphs; `form_action` is an origin its form may redirect to."""
    body = _template().substitute(title=escape(title), body="\n".join(paragraphs))
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
        f" frame-ancestors 'none'; form-action 'self' {form_action}".rstrip()
    )
    headers = (
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    )
    return HttpResponse(body.encode(), status, HTML, headers)


def message_page(title: str, text: str, status: int = 200) -> HttpResponse:
    """Return a page with one paragraph of text."""
    return page(title, f"<p>{escape(text)}</p>", status=status)


def authorize_form(
    app: str, hidden: Mapping[str, str], user: str, rights: Iterable[str], form_action: str
) -> HttpResponse:
    """Ask whether an app may have some rights. `user` is HTML that says for whom, or asks for it."""
    items = "".join(f"<li>{right}</li>" for right in rights)
    inputs = (f'<input type="hidden" name="{name}" value="{escape(hidden[name])}">' for name in hidden)
    form = (
        f'<form method="post">{"".join(inputs)}{user}'
        '<button name="answer" value="allow">Authorize</button>'
        '<button name="answer" value="refuse" formnovalidate>Cancel</button></form>'
    )
    title = f"Authorize {app} to use your account?"
    return page(title, f"<p>It will be able to:</p><ul>{items}</ul>", form, form_action=form_action)


def signed_in_as(screen_name: str) -> str:
    """Return the HTML that says who is signed in."""
    return f"<p>You are signed in as <strong>@{escape(screen_name)}</strong>.</p>"


def foreign_form_page() -> HttpResponse:
    """Reject a form that is not one of these pages (CSRF)."""
    return message_page(
        "This form was sent by another site", "Use the form on the page of this service.", 403
    )


def pin_page(request: RequestToken, verifier: str) -> HttpResponse:
    """Show the PIN, which the user types in the app."""
    return page(
        "You are almost signed in",
        f"<p>Go back to {escape(request.app or '')} and type this PIN:</p>",
        f'<output id="pin" role="status" aria-label="PIN: {" ".join(verifier)}">{verifier}</output>',
        "<p>The PIN works once, for a few minutes. Do not share it.</p>",
    )


def redirect(url: str, **params: str) -> HttpResponse:
    """Redirect the browser to an app, with the answer in parameters."""
    location = f"{url}{'&' if '?' in url else '?'}{urlencode(params)}"
    headers = (("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"))
    return HttpResponse(b"", 303, HTML, headers)


def _username_field(suggested: str, error: str) -> str:
    alert = f'<p class="wrong" id="wrong" role="alert">{escape(error)}</p>' if error else ""
    described = ' aria-describedby="wrong" aria-invalid="true"' if error else ""
    return (
        f'{alert}<label for="screen_name">Username</label><input id="screen_name" name="screen_name"'
        f' value="{escape(suggested)}" autocomplete="username" autocapitalize="none" spellcheck="false"'
        f" required autofocus{described}>"
    )


def origin(url: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def escape(text: str) -> str:
    """Escape a text for HTML."""
    import html

    return html.escape(text)


@cache
def _template() -> "Template":
    from importlib.resources import files
    from string import Template

    return Template(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))


TRUSTED_FETCH_SITES = ("", "none", "same-origin")  # values of Sec-Fetch-Site; "" from other clients


@raw_handler(Authorize, "POST /oauth/authorize")
def _authorize(context: RequestContext) -> HttpResponse:
    """Show the authorization form, and handle its submission."""
    request = _find_request(context)
    if isinstance(request, HttpResponse):
        return request
    return _submit(context, request) if context.incoming.method == "POST" else _form(context, request)


@raw_handler(Authenticate, "POST /oauth/authenticate")
def _authenticate(context: RequestContext) -> HttpResponse:
    """Do the same, but skip the form if the user has authorized the app before."""
    request = _find_request(context)
    if isinstance(request, HttpResponse):
        return request
    if request.uses_pin:
        text = "For a sign-in with a PIN, the app must use /oauth/authorize."
        return message_page("This page needs a callback", text, 400)
    if context.incoming.method == "POST":
        return _submit(context, request)
    user = context.store.setting("user")
    if not _forces_login(context) and request_tokens.was_allowed_before(context.store, request, user):
        return _allow(context, request, user)
    return _form(context, request)


def _find_request(context: RequestContext) -> RequestToken | HttpResponse:
    """Return the request token that the page is for, or an error page."""
    params = context.incoming.parameters
    if not params.get("oauth_token"):
        text = "The address of this page has no request token. Start again in the app."
        return message_page("No request token", text, 400)
    request = request_tokens.find(context.store, params["oauth_token"])
    if request is None:
        text = "This request token does not exist. Start again in the app."
        return message_page("Unknown request token", text, 404)
    if request.app is None:
        text = "The app that sent you here is not registered with this service. It has no access."
        return message_page("This app is not registered", text, 403)
    if request.state != "new":
        text = "A request token can be used once, and this one was used. Start again in the app."
        return message_page("This request was already answered", text, 410)
    if request.is_expired:
        text = "The request token is too old. Start again in the app."
        return message_page("This request has expired", text, 410)
    if not request.is_callback_registered:
        text = f"The app wants to redirect you to {request.callback}, which is not registered for it."
        return message_page("This callback is not registered", text, 403)
    return request


def _form(context: RequestContext, request: RequestToken, error: str = "") -> HttpResponse:
    """Show the form; it asks for the username unless it is that of the signed-in user."""
    user = context.store.setting("user")
    own_name = screen_name(context.store, user) or ""
    suggested = context.incoming.parameters.get("screen_name", "")
    ask_username = _forces_login(context) or suggested not in ("", own_name)
    user_html = _username_field(suggested, error) if ask_username else signed_in_as(own_name)
    rights = ["see your accounts, catalogs and audiences"]
    if request.access == "write":
        rights.append("change and delete them, and spend your budget")
    hidden = {"oauth_token": request.token, "form_token": request.form_token}
    form_action = "" if request.uses_pin else origin(request.callback)
    return authorize_form(request.app or "", hidden, user_html, rights, form_action)


def _forces_login(context: RequestContext) -> bool:
    return context.incoming.parameters.get("force_login") == "true"


def _submit(context: RequestContext, request: RequestToken) -> HttpResponse:
    params = context.incoming.parameters
    form_token = params.get("form_token", "").encode()
    is_own_form = hmac.compare_digest(form_token, request.form_token.encode())
    if not is_own_form or context.incoming.fetch_site not in TRUSTED_FETCH_SITES:
        return foreign_form_page()
    if params.get("answer") == "allow":
        name = params.get("screen_name", "").strip().removeprefix("@")
        if not name and _forces_login(context):
            return _form(context, request, "Type your username.")
        store = context.store
        user = find_by_screen_name(store, name) if name else store.setting("user")
        if user is None:
            return _form(context, request, f"The user {name} does not exist.")
        return _allow(context, request, user)
    if not request_tokens.refuse(context.store, request):
        return _already_answered()
    if request.uses_pin:
        text = f"{request.app} has no access to your account. You can close this page."
        return message_page("You refused access", text)
    return redirect(request.callback, denied=request.token)


def _allow(context: RequestContext, request: RequestToken, user: str) -> HttpResponse:
    verifier = request_tokens.allow(context.store, request, user)
    if verifier is None:
        return _already_answered()
    if request.uses_pin:
        return pin_page(request, verifier)
    return redirect(request.callback, oauth_token=request.token, oauth_verifier=verifier)


def _already_answered() -> HttpResponse:
    text = "It was answered on another page in the meantime. Start again in the app."
    return message_page("This request was already answered", text, 410)
