"""The HTML pages of the sign-in."""

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..core.responses import HttpResponse
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


def message(title: str, text: str, status: int = 200) -> HttpResponse:
    """Return a page with one paragraph of text."""
    return page(title, f"<p>{escape(text)}</p>", status=status)


def authorize_form(
    request: RequestToken, screen_name: str, *, ask_username: bool, suggested: str, error: str
) -> HttpResponse:
    """Ask whether the app may act for a user, and with `ask_username` also for which one."""
    if ask_username:
        user = _username_field(suggested, error)
    else:
        user = f"<p>You are signed in as <strong>@{escape(screen_name)}</strong>.</p>"
    rights = ["see your accounts, catalogs and audiences"]
    if request.asks_for_write:
        rights.append("change and delete them, and spend your budget")
    items = "".join(f"<li>{right}</li>" for right in rights)
    form = (
        f'<form method="post"><input type="hidden" name="oauth_token" value="{escape(request.token)}">'
        f'<input type="hidden" name="form_token" value="{escape(request.form_token)}">{user}'
        '<button name="answer" value="allow">Authorize</button>'
        '<button name="answer" value="refuse" formnovalidate>Cancel</button></form>'
    )
    form_action = "" if request.uses_pin else _origin(request.callback)
    title = f"Authorize {request.app} to use your account?"
    return page(title, f"<p>It will be able to:</p><ul>{items}</ul>", form, form_action=form_action)


def pin(request: RequestToken, verifier: str) -> HttpResponse:
    """Show the PIN, which the user types in the app."""
    return page(
        "You are almost signed in",
        f"<p>Go back to {escape(request.app or '')} and type this PIN:</p>",
        f'<output id="pin" role="status" aria-label="PIN: {" ".join(verifier)}">{verifier}</output>',
        "<p>The PIN works once, for a few minutes. Do not share it.</p>",
    )


def redirect(url: str) -> HttpResponse:
    """Redirect the browser."""
    headers = (("Location", url), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"))
    return HttpResponse(b"", 303, HTML, headers)


def _username_field(suggested: str, error: str) -> str:
    alert = f'<p class="wrong" id="wrong" role="alert">{escape(error)}</p>' if error else ""
    described = ' aria-describedby="wrong" aria-invalid="true"' if error else ""
    return (
        f'{alert}<label for="screen_name">Username</label><input id="screen_name" name="screen_name"'
        f' value="{escape(suggested)}" autocomplete="username" autocapitalize="none" spellcheck="false"'
        f" required autofocus{described}>"
    )


def _origin(url: str) -> str:
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
