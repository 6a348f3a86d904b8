"""Audiences, settings and tags with the public SDK, as in `sdk_session`: python sdk_audiences.py STEPS..."""

import os
import sys

from sdk_session import ACCOUNT, gone
from twitter_ads.audience import CustomAudience, CustomAudiencePermission
from twitter_ads.campaign import ContentCategories, IabCategories, TaxSettings, TrackingTags
from twitter_ads.error import BadRequest
from twitter_ads.targeting import AudienceEstimate


def audience() -> None:
    """Create an audience, add and remove people, find it in the list, and delete it."""
    made = CustomAudience.create(ACCOUNT, "Mug lovers")
    assert made.id and made.name == "Mug lovers" and made.audience_size is None
    assert made.reasons_not_targetable == ["PROCESSING", "TOO_SMALL"]
    people = [{"email": [f"{number:064x}"]} for number in range(150)]
    assert made.users([{"operation_type": "Update", "params": {"users": people}}]) == (150, 150)
    loaded = CustomAudience.load(ACCOUNT, made.id)
    assert (loaded.audience_size, loaded.targetable, loaded.reasons_not_targetable) == (150, True, [])
    assert loaded.users([{"operation_type": "Delete", "params": {"users": people[:100]}}]) == (100, 100)
    assert loaded.reload().reasons_not_targetable == ["TOO_SMALL"]
    assert made.id in [audience.id for audience in ACCOUNT.custom_audiences(count=2)]
    assert [*made.targeted()] == []
    try:
        CustomAudience.create(ACCOUNT, "Mug lovers")
    except BadRequest as error:
        assert "has this name" in error.details[0]["message"]
    else:
        raise AssertionError("two audiences have one name")
    assert made.delete().deleted and gone(lambda: CustomAudience.load(ACCOUNT, made.id))


def permission() -> None:
    """Share an audience with another account, list the permission, and take it back."""
    shared = CustomAudience.load(ACCOUNT, os.environ["AUDIENCE"])
    made = CustomAudiencePermission(ACCOUNT)
    made.custom_audience_id, made.granted_account_id = shared.id, os.environ["PARTNER"]
    made.permission_level = "READ_ONLY"
    made.save()
    assert made.id in [permission.id for permission in shared.permissions()]
    assert made.delete().deleted and made.id not in [permission.id for permission in shared.permissions()]


def estimate() -> None:
    """Estimate how many people criteria reach."""
    interest = {"targeting_type": "INTEREST", "targeting_value": "8005", "operator_type": "EQ"}
    size = AudienceEstimate.load(ACCOUNT, params={"targeting_criteria": [interest]}).audience_size
    assert 0 < size["min"] < size["max"]


def tags() -> None:
    """Create a tracking tag, load it, change it as it was loaded, and delete it."""
    made = TrackingTags(ACCOUNT)
    made.line_item_id, made.tracking_tag_type = os.environ["LINE_ITEM"], "IMPRESSION_TAG"
    made.tracking_tag_url = "https://measure.example/i"
    made.save()
    loaded = TrackingTags.load(ACCOUNT, made.id)
    loaded.tracking_tag_url = "https://measure.example/j"
    assert loaded.save().tracking_tag_url == "https://measure.example/j"
    assert made.id in [tag.id for tag in TrackingTags.all(ACCOUNT, line_item_ids=os.environ["LINE_ITEM"])]
    deleted = TrackingTags.load(ACCOUNT, made.id)
    deleted.delete()
    assert deleted.deleted and gone(lambda: TrackingTags.load(ACCOUNT, made.id))


def settings() -> None:
    """Load the tax settings, and change them as they were loaded; list categories."""
    tax = TaxSettings.load(ACCOUNT)
    assert tax.tax_id and tax.address_country == "DE"
    tax.address_city = "Kiel"
    tax.save()
    assert TaxSettings.load(ACCOUNT).address_city == "Kiel"
    assert len([*IabCategories.all(ACCOUNT, count=50)]) > 60
    assert all(category.iab_categories for category in ContentCategories.all(ACCOUNT))


if __name__ == "__main__":
    for step in sys.argv[1:]:
        globals()[step]()
