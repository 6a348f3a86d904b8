"""The pages that a person sees when signing in."""

from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import urlsplit

from ..core.responses import HttpResponse
from .request_tokens import RequestToken

HTML = "text/html; charset=utf-8"


def page(title: str, *paragraphs: str, status: int = 200, sends_to: str = "") -> HttpResponse:
    """Show a page; `paragraphs` are HTML, and `sends_to` is where its form may lead beside this place."""
    body = _template().substitute(title=escape(title), body="\n".join(paragraphs))
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
        f" frame-ancestors 'none'; form-action 'self' {sends_to}".rstrip()
    )
    headers = (
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    )
    return HttpResponse(body.encode(), status, HTML, headers)


def message(title: str, text: str, status: int = 200) -> HttpResponse:
    """Show a page of words alone."""
    return page(title, f"<p>{escape(text)}</p>", status=status)


def question(
    request: RequestToken, person: str, *, ask: bool, name: str = "", wrong: str = ""
) -> HttpResponse:
    """Ask whether the app may act for a person; with `ask`, also who that is."""
    who = (
        _username(name, wrong) if ask else f"<p>You are signed in as <strong>@{escape(person)}</strong>.</p>"
    )
    rights = ["see your accounts, catalogs and audiences"]
    if request.writes:
        rights.append("change and delete them, and spend your budget")
    listed = "".join(f"<li>{right}</li>" for right in rights)
    form = (
        f'<form method="post"><input type="hidden" name="oauth_token" value="{escape(request.token)}">'
        f'<input type="hidden" name="form_token" value="{escape(request.form_token)}">{who}'
        '<button name="answer" value="allow">Authorize</button>'
        '<button name="answer" value="refuse" formnovalidate>Cancel</button></form>'
    )
    allowed = f"<p>It will be able to:</p><ul>{listed}</ul>"
    sends_to = "" if request.by_pin else _origin(request.callback)
    return page(f"Authorize {request.app} to use your account?", allowed, form, sends_to=sends_to)


def pin(request: RequestToken, verifier: str) -> HttpResponse:
    """Show the PIN, which the person types where the sign-in began."""
    return page(
        "You are almost signed in",
        f"<p>Go back to {escape(request.app or '')} and type this PIN:</p>",
        f'<output id="pin" role="status" aria-label="PIN: {" ".join(verifier)}">{verifier}</output>',
        "<p>It works once, and for a few minutes. Type it nowhere else.</p>",
    )


def redirect(address: str) -> HttpResponse:
    """Send the browser elsewhere."""
    headers = (("Location", address), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"))
    return HttpResponse(b"", 303, HTML, headers)


def _username(name: str, wrong: str) -> str:
    told = f'<p class="wrong" id="wrong" role="alert">{escape(wrong)}</p>' if wrong else ""
    described = ' aria-describedby="wrong" aria-invalid="true"' if wrong else ""
    return (
        f'{told}<label for="screen_name">Username</label><input id="screen_name" name="screen_name"'
        f' value="{escape(name)}" autocomplete="username" autocapitalize="none" spellcheck="false"'
        f" required autofocus{described}>"
    )


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


@cache
def _template() -> Template:
    return Template(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
