"""Seed data of a new database: a small shop with accounts, campaigns, audiences, media, cards and posts."""

from ..storage import Store
from . import accounts, audiences, creatives, line_items, measurement, posts


def seed(store: Store) -> None:
    """Fill a new database; its keys and tokens are random."""
    accounts.seed(store)
    line_items.seed(store)
    audiences.seed(store)
    creatives.seed(store)
    posts.seed(store)
    audiences.seed_criteria(store)
    posts.seed_promoted(store)
    accounts.seed_categories(store)
    line_items.seed_settings(store)
    measurement.seed(store)
    measurement.seed_job(store)
