"""The features that an account may use."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Resource
from .types import InAccount, Texts

KNOWN_FEATURES = (
    "AGE_TARGETING",
    "ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE",
    "AWARENESS_OBJECTIVE",
    "BRAND_TPN",
    "CHARGE_FOR_GOOD_CLICK",
    "CONVERSATION_CARD",
    "CONVERSATION_CARD_FOUR_OPTIONS",
    "CONVERSATION_CARD_UNLOCK",
    "CPI_CHARGING",
    "DIRECT_MESSAGE_CARD",
    "DR_TAP",
    "ENGAGER_RETARGETING",
    "EVENT_TARGETING",
    "INSTALLED_APP_CATEGORY_TARGETING",
    "MOBILE_CONVERSION_TRANSACTION_VALUE",
    "OPTIMIZED_ACTION_BIDDING",
    "PREROLL_VIEWS_OBJECTIVE",
    "REACH_AND_FREQUENCY_ANALYTICS",
    "REACH_FREQUENCY_CAP",
    "VALIDATED_AGE_TARGETING",
    "VIDEO_APP_DOWNLOAD_CARD",
    "VIDEO_VIEWS_MIDROLL_OBJECTIVE",
)
READ_FEATURES = (  # seen in answers and elsewhere, besides
    *("CITY_TARGETING", "PROMOTED_MEDIA_POLLS", "SHARE_AUDIENCE_OUTSIDE_BUSINESS", "UNIVERSAL_LOOKALIKE"),
    "WEBSITE_CLICKS_CPM_BILLING",
)
FeatureKeys = Annotated[Texts, Meta(description="Names of features", extra={"seen": KNOWN_FEATURES})]


FEATURES = Resource("/12/accounts/{account_id}/features", columns="")


@FEATURES.get("accounts features list", example="--feature-keys REACH_FREQUENCY_CAP")
class ListFeatures(InAccount):
    """List the features of an account."""

    feature_keys: (
        Annotated[Texts, Meta(description="Only these", extra={"seen": (*KNOWN_FEATURES, *READ_FEATURES)})]
        | None
    ) = None


@FEATURES.create("accounts features add", base="sandbox", example="--feature-keys AGE_TARGETING,CPI_CHARGING")
class AddFeatures(InAccount, kw_only=True):
    """Add features to an account of the sandbox."""

    feature_keys: FeatureKeys


@FEATURES.delete(
    "accounts features remove",
    base="sandbox",
    confirm_prompt="Remove the features {feature_keys} from the account {account_id} of the sandbox",
    example="--feature-keys REACH_FREQUENCY_CAP",
)
class RemoveFeatures(InAccount, kw_only=True):
    """Remove features from an account of the sandbox, and list those that remain."""

    feature_keys: FeatureKeys
