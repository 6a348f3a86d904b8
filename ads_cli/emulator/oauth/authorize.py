"""The pages on which a person says yes or no to an app."""

import hmac
from urllib.parse import urlencode

from ...api.auth import Authenticate, Authorize
from ..core.responses import HttpResponse
from ..core.routing import Call, answers
from . import pages, request_tokens
from .request_tokens import RequestToken

SAME_SITE = ("", "none", "same-origin")  # what a browser says of a form that is our own


@answers(Authorize, "POST /oauth/authorize")
def authorize(call: Call) -> HttpResponse:
    """Ask the person."""
    request = _open(call)
    if isinstance(request, HttpResponse):
        return request
    return _answered(call, request) if call.incoming.method == "POST" else _asked(call, request)


@answers(Authenticate, "POST /oauth/authenticate")
def authenticate(call: Call) -> HttpResponse:
    """Ask the person, unless the app was given as much before."""
    request = _open(call)
    if isinstance(request, HttpResponse):
        return request
    if request.by_pin:
        text = "A program that shows a PIN sends people to /oauth/authorize."
        return pages.message("This page needs a callback", text, 400)
    if call.incoming.method == "POST":
        return _answered(call, request)
    user = call.store.setting("user")
    if not _is_forced(call) and request_tokens.allowed_before(call.store, request, user):
        return _allowed(call, request, user)
    return _asked(call, request)


def _open(call: Call) -> RequestToken | HttpResponse:
    """Find the sign-in that the page is for, or the page that says why there is none."""
    given = call.incoming.parameters
    if not given.get("oauth_token"):
        text = "The address of this page names no sign-in. Begin again where you came from."
        return pages.message("No sign-in is named", text, 400)
    request = request_tokens.find(call.store, given["oauth_token"])
    if request is None:
        text = "Nobody began a sign-in of this name here. Begin again where you came from."
        return pages.message("This sign-in is not known", text, 404)
    if request.app is None:
        text = "The app that sent you here is not registered with this service, and is given nothing."
        return pages.message("This app is not registered", text, 403)
    if request.state != "new":
        text = "Each sign-in can be answered once, and this one was. Begin again where you came from."
        return pages.message("This sign-in was answered already", text, 410)
    if request.expired:
        text = "It was not answered in time. Begin again where you came from."
        return pages.message("This sign-in has expired", text, 410)
    if not request.callback_allowed:
        text = f"The app wants you to go on to {request.callback}, which is not registered for it."
        return pages.message("This callback is not registered", text, 403)
    return request


def _asked(call: Call, request: RequestToken, wrong: str = "") -> HttpResponse:
    """Show the question; a name other than that of who is signed in has to be confirmed."""
    person = request_tokens.screen_name_of(call.store, call.store.setting("user"))
    name = call.incoming.parameters.get("screen_name", "")
    ask = _is_forced(call) or name not in ("", person)
    return pages.question(request, person, ask=ask, name=name, wrong=wrong)


def _is_forced(call: Call) -> bool:
    return call.incoming.parameters.get("force_login") == "true"


def _answered(call: Call, request: RequestToken) -> HttpResponse:
    """Take the answer of our own form, and of no other page's."""
    given = call.incoming.parameters
    own = hmac.compare_digest(given.get("form_token", "").encode(), request.form_token.encode())
    if not own or call.incoming.site not in SAME_SITE:
        return pages.message(
            "This answer came from elsewhere", "Answer on the page of the service itself.", 403
        )
    if given.get("answer") == "allow":
        name = given.get("screen_name", "").strip().removeprefix("@")
        if not name and _is_forced(call):
            return _asked(call, request, "Type your username.")
        user = request_tokens.user_named(call.store, name) if name else call.store.setting("user")
        if user is None:
            return _asked(call, request, f"Nobody here is called {name}.")
        return _allowed(call, request, user)
    if not request_tokens.refuse(call.store, request):
        return _again()
    if request.by_pin:
        return pages.message("You said no", f"{request.app} was given nothing. You can close this page.")
    return _back(request, denied=request.token)


def _allowed(call: Call, request: RequestToken, user: str) -> HttpResponse:
    verifier = request_tokens.allow(call.store, request, user)
    if verifier is None:
        return _again()
    if request.by_pin:
        return pages.pin(request, verifier)
    return _back(request, oauth_token=request.token, oauth_verifier=verifier)


def _again() -> HttpResponse:
    return pages.message("This sign-in was answered already", "Somebody was faster. Begin again.", 410)


def _back(request: RequestToken, **values: str) -> HttpResponse:
    joint = "&" if "?" in request.callback else "?"
    return pages.redirect(f"{request.callback}{joint}{urlencode(values)}")
