"""Report the conversions of a website."""

from typing import Annotated

import typer

from ..console.invocation import Invocation
from ..console.parameters import choice, option
from ..console.shown import shows
from ..runs import Uncertain
from .runs.options import FeedOptions, File, PushOptions, Recipe, RecipeDraft, recipe_file, with_options
from .runs.shown import SUMMARY


class ConversionFileOptions(FeedOptions, frozen=True):
    """How a file of conversions is read."""

    recipe: Recipe = None
    event_id: Annotated[str | None, option("ID", "The web event tag of rows that name none")] = None
    currency: Annotated[str | None, option("CODE", "The currency of values without one (service: USD)")] = (
        None
    )
    region: Annotated[str | None, option("REGION", "Country of national phone numbers, as in DE")] = None


@shows(SUMMARY)
@with_options(feed=ConversionFileOptions, options=PushOptions, default_concurrency=1)
def send(
    ctx: typer.Context,
    file: File,
    pixel: Annotated[str, option("ID", "The pixel of the website")],
    feed: ConversionFileOptions,
    uncertain: Annotated[
        Uncertain | None, choice("With --resume: what to do with conversions whose answer was lost")
    ] = None,
    recipe_draft: RecipeDraft = None,
    *,
    options: PushOptions,
) -> None:
    """Send the conversions of a website, 500 at a time, with identifiers hashed on this machine.

    A row has conversion_time, event_id and an identifier: email, phone_number or platform_click_id. Beside
    one of these it may have ip_address and user_agent. These two alone find few people, which is a warning.
    It may have value, price_currency, number_items, conversion_id, description and contents. What may have
    been counted is not sent again unasked. --write-recipe keeps the options in a file, for --recipe.

    For example: adsctl conversions send orders.csv --pixel o8z6j --event-id o3f71
    """
    from ..console.spending import checked_currency
    from ..conversions import KNOWN, ConversionReader, conversion_plan
    from .audiences.lists import checked_region, clear_text_notice
    from .runs.creation import find_earlier
    from .runs.sending import Sending

    call = Invocation.of(ctx)
    defaults = {"event_id": feed.event_id, "price_currency": checked_currency(feed.currency)}
    rows = feed.open_rows(call, file, ("conversions",), KNOWN)
    rows.sensitive = True
    reader = ConversionReader(call.settings.names, defaults, checked_region(feed.region))
    plan = conversion_plan(rows, reader, pixel, uncertain)
    recipe = recipe_file(call, recipe_draft, rows.source, force=options.force)
    if recipe:
        recipe.write(call, feed, file)
    with clear_text_notice(call, options):
        sending = Sending(call, plan, options, "Sending")
        sending.read()
        if not sending.approve(lambda: find_earlier(sending, plan)):
            sending.show_dry_run()
        elif plan.ended:
            sending.show_ended(plan.ended)
        else:
            with sending.begun() as journal:
                sending.end(sending.send(journal))
