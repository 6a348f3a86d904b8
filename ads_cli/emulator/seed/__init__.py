"""Seed data of a new database: a small shop with accounts, campaigns, audiences, media, cards and posts."""

from ..storage import Store
from . import accounts, audiences, creatives, line_items, measurement, posts
from .audiences import seed_criteria
from .measurement import seed_job


def seed(store: Store) -> None:
    """Fill a new database; its keys and tokens are random."""
    accounts.seed(store)
    line_items.seed(store, user=accounts.USER, other_user=accounts.OTHER_USER, account=accounts.SHOP)
    audiences.seed(store, account=accounts.SHOP, shared_with=accounts.CAFE, partner=line_items.PARTNER)
    creatives.seed(store, user=accounts.USER, account=accounts.SHOP)
    posts.seed(store, user=accounts.USER, account=accounts.SHOP)
    seed_criteria(store, account=accounts.SHOP)
    posts.seed_promoted(store, user=accounts.USER, account=accounts.SHOP)
    accounts.seed_categories(store)
    accounts.seed_settings(
        store,
        user=accounts.USER,
        other_user=accounts.OTHER_USER,
        account=accounts.SHOP,
        managed=accounts.CAFE,
    )
    measurement.seed(store, user=accounts.USER, account=accounts.SHOP)
    seed_job(store, account=accounts.SHOP)
