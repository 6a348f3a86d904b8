"""Promotable users: whose posts an account may promote."""

from ...api.accounts import GetPromotableUser, ListPromotableUsers
from .accounts import FULL, PROMOTABLE_USER
from .collection import Collection

PROMOTABLE_USERS = Collection(
    kind=PROMOTABLE_USER,
    list=ListPromotableUsers,
    get=GetPromotableUser,
    defaults={"user_id": None, "promotable_user_type": FULL},
    ids="promotable_user_ids",
)
