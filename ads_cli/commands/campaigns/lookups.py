"""Look up cards of any kind by their addresses, and targeting values of every kind by words."""

from typing import Annotated, Any, TypedDict

import typer

from ...api.cards import FetchCard, FetchCards
from ...api.endpoint import Request
from ...api.fields import fields_of
from ...api.iso_codes import COUNTRIES
from ...api.registry import requests_of
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.request_input import request_from_input
from ...console.results import show
from ...console.shown import Result, shows
from ...errors import UsageError
from ...output.text import listed
from ...parallel.ordered_map import map_ordered

SCHEME = "card://"


@shows(Result(FetchCards))
def fetch(
    ctx: typer.Context,
    cards: Annotated[list[str], argument("CARD...", "Addresses, as card://ID, or one id")],
    with_deleted: Annotated[bool, flag("Show deleted cards too")] = False,
) -> None:
    """Show cards of any kind, by the addresses that posts have of them.

    Each is one flat record, whose fields depend on the type of the card.

    For example: adsctl cards fetch card://7cqs1 card://7cqt1
    """
    call = Invocation.of(ctx, mutates=False)
    values = {"account_id": call.account, "with_deleted": with_deleted or None}
    is_id = len(cards) == 1 and not cards[0].startswith(SCHEME)
    kind: type[Request] = FetchCard if is_id else FetchCards
    request = request_from_input(kind, values | ({"card_id": cards[0]} if is_id else {"card_uris": cards}))
    response = call.client.call(request)
    if not is_id:
        uris = {card.get("card_uri") for card in response.records}
        if missing := [card for card in cards if card not in uris]:
            call.messages.warn(f"not found: {listed(missing)}")
    show(call, request, response.data)


REQUESTS_AT_ONCE = 4
OTHER_COLUMNS = ("os_type", "manufacturer", "number", "genre", "locales", "estimated_users")


class TargetingValue(TypedDict, total=False):
    """A value that can be targeted; each kind has fields of its own."""

    targeting_type: str
    targeting_value: Any
    name: str
    location_type: str
    country_code: str


VALUES = Result(TargetingValue, "targeting_value", is_open=True)


@shows(VALUES)
def search(
    ctx: typer.Context,
    q: Annotated[
        str | None, option("WORDS", "Without a kind: find values of every kind by these words")
    ] = None,
    locale: Annotated[
        str | None, option("LOCALE", "With --q: find TV shows of this market too, as in de-DE")
    ] = None,
) -> None:
    """Find values of every kind that is searched by words, one page of each.

    For example: adsctl targeting search --q hamburg
    """
    if kind := ctx.invoked_subcommand:
        if q or locale:
            raise UsageError(
                f"the options of {kind} belong after it", hint=f"adsctl targeting search {kind} -h"
            )
        return
    if not q:
        raise UsageError("--q is required where no kind is named", hint="adsctl targeting search --help")

    call = Invocation.of(ctx, mutates=False)
    requests = _requests(q, locale)
    call.client.open()
    responses = [*map_ordered(call.client.call, requests, REQUESTS_AT_ONCE, len(requests))]
    # The service leaves out the type of shows alone.
    shown = [{"targeting_type": "TV_SHOW", **record} for response in responses for record in response.records]
    call.printer.show(shown, VALUES.columns, VALUES.key, OTHER_COLUMNS)
    for request, response in zip(requests, responses, strict=True):
        if response.next_cursor:
            call.messages.warn(f"there are more: add --all to adsctl {request.endpoint.command}")


def _requests(q: str, locale: str | None) -> list[Request]:
    """Make a request for each kind that is searched by words; raise UsageError for an invalid locale."""
    options = {"q": q, "locale": locale}
    requests = []
    for kind in requests_of("targeting_search"):
        fields = {field.name: field.required for field in fields_of(kind)}
        values = {name: value for name, value in options.items() if name in fields and value is not None}
        if q in COUNTRIES and "location_type" in fields:
            values = {"country_code": q, "location_type": "COUNTRIES"}
        if "q" in fields and all(name in values for name, required in fields.items() if required):
            requests.append(request_from_input(kind, values))
    return requests
