"""The check of a webhook: a GET with a token, which the receiver answers with its HMAC."""

import secrets
import time
import uuid
from base64 import urlsafe_b64encode
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from ...webhooks.signature import CHALLENGE_PARAMETER, WebhookKeys, is_signed_by
from ..storage import Record, Store
from . import receivers

WEBHOOK = "webhook"  # the kind of its record
VALID_SECONDS = 28 * 3600.0  # after a success, while the receiver is only out of order
CHECKED_AFTER_SECONDS = 24 * 3600.0  # a success, before the next delivery
NO_TOKEN = "no JSON object with a response_token"


class CheckResult(NamedTuple):
    """Why a check failed, and whether the webhook is invalid at once."""

    problem: str = ""  # "" if it passed
    is_final: bool = False


def keys_of(store: Store, app: str) -> WebhookKeys:
    """Return the secrets of an app, with which challenges are answered and deliveries signed."""
    query = (
        "SELECT consumer_secret, coalesce(client_secret, '') FROM apps"
        " LEFT JOIN oauth2_apps ON client_id = consumer_key WHERE consumer_key = ?"
    )
    return WebhookKeys(*store.row(query, app))


def check_address(keys: WebhookKeys, url: str) -> CheckResult:
    """Challenge an address, and hold its answer against the keys of the app."""
    imagined = receivers.imagined_answer(url)
    if imagined is not None:
        return CheckResult() if imagined else CheckResult("no answer: the host does not exist")
    token = urlsafe_b64encode(str(uuid.uuid4()).encode()).decode()
    nonce = urlsafe_b64encode(secrets.token_bytes(15)).decode()
    parts = urlsplit(url)
    query = "&".join(filter(None, (parts.query, urlencode({CHALLENGE_PARAMETER: token, "nonce": nonce}))))
    answer = receivers.send("GET", urlunsplit(parts._replace(query=query)))
    if answer.problem or answer.status is None or not 200 <= answer.status < 300:
        return CheckResult(answer.words, answer.is_final)
    if problem := _problem_of(keys, token, answer.body):
        return CheckResult(problem, is_final=True)
    return CheckResult() if answer.status == 200 else CheckResult(answer.words)


def _problem_of(keys: WebhookKeys, token: str, body: bytes) -> str:
    """Say what is wrong with the body of an answer; "" if nothing is. Either key of the app may answer."""
    try:
        answer = msgspec.json.decode(body)
        given = answer["response_token"]
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, KeyError, RecursionError):
        return NO_TOKEN
    if not isinstance(given, str):
        return NO_TOKEN
    content = token.encode()
    return "" if any(is_signed_by(key, content, given) for key in keys) else "the response_token is wrong"


def checked(store: Store, app: str, webhook: Record) -> CheckResult:
    """Challenge a registered webhook, and store whether it is valid from now on."""
    result = check_address(keys_of(store, app), webhook["url"])
    now = time.time()
    if not result.problem:
        changes = {"valid": True, "passed_at": now}
    elif result.is_final or now - webhook["passed_at"] > VALID_SECONDS:
        changes = {"valid": False}
    else:
        changes = {}
    with store.transaction():
        if changes and store.find(WEBHOOK, webhook["id"], owner=app):
            store.update(WEBHOOK, webhook["id"], changes, owner=app)
    return result


def kept_valid(store: Store, app: str, webhook: Record) -> str:
    """Say why a webhook gets nothing; "" if it does. After a day without a check it is challenged."""
    if not webhook["valid"]:
        return "its last check failed"
    if time.time() - webhook["passed_at"] < CHECKED_AFTER_SECONDS:
        return ""
    result = checked(store, app, webhook)
    current = store.find(WEBHOOK, webhook["id"], owner=app)
    return "" if current and current["valid"] else result.problem
