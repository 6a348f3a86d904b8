"""Show cards of any kind."""

from typing import Annotated

import typer

from ..console.invocation import Invocation

SCHEME = "card://"


def fetch(
    ctx: typer.Context,
    cards: Annotated[list[str], typer.Argument(metavar="CARD...", help="Addresses, as card://ID, or one id")],
    with_deleted: Annotated[bool, typer.Option("--with-deleted", help="Show deleted cards too")] = False,
) -> None:
    """Show cards of any kind, by the addresses that posts have of them.

    Each is one flat record, whose fields depend on the type of the card.

    For example: adsctl cards fetch card://7cqs1 card://7cqt1
    """
    from ..api.cards import FetchCard, FetchCards
    from ..api.endpoint import Request
    from ..console.request_input import request_from_input
    from ..console.results import show

    call = Invocation.of(ctx, mutates=False)
    values = {"account_id": call.account, "with_deleted": with_deleted or None}
    is_id = len(cards) == 1 and not cards[0].startswith(SCHEME)
    kind: type[Request] = FetchCard if is_id else FetchCards
    request = request_from_input(kind, values | ({"card_id": cards[0]} if is_id else {"card_uris": cards}))
    show(call, request, call.client.call(request).data)
