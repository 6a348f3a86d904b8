"""Campaigns: what line items share, and their budget."""

from typing import Annotated, Literal

from msgspec import Meta

from .amounts import BudgetFields
from .endpoint import BatchEndpoint, Resource
from .types import (
    AccountId,
    ChangedStatus,
    Id,
    Ids,
    InAccount,
    NameBegins,
    OfFunding,
    PageInAccount,
    RecordInAccount,
    ShortName,
    SpendingStatus,
    WithDraft,
    sortable,
)

Optimization = Annotated[
    Literal["LINE_ITEM"],
    Meta(description="What budgets are spent by", extra={"default": "LINE_ITEM", "by_service": True}),
]
Delivery = Annotated[
    bool, Meta(description="Spend evenly over the day; set it on the line item", extra={"default": True})
]
OrderNumber = Annotated[str, Meta(max_length=50)]
CampaignSort = Annotated[
    str,
    sortable(
        "name",
        "start_time",
        "end_time",
        "daily_budget_amount_local_micro",
        "total_budget_amount_local_micro",
        "standard_delivery",
    ),
]


class CampaignDetails(BudgetFields, kw_only=True):
    """The optional fields of a campaign."""

    account_id: AccountId
    budget_optimization: Optimization | None = None
    standard_delivery: Delivery | None = None
    purchase_order_number: OrderNumber | None = None


CAMPAIGNS = Resource(
    "/12/accounts/{account_id}/campaigns",
    "campaign_id",
    group="campaigns",
    deleted_for_good=True,
    parents=("funding_instrument_id",),
    columns="id name effective_status daily_budget_amount_local_micro total_budget_amount_local_micro "
    "created_at entity_status reasons_not_servable funding_instrument_id deleted",
    extra_fields="servable budget_optimization standard_delivery frequency_cap duration_in_days "
    "purchase_order_number currency updated_at",
    batch=BatchEndpoint("/12/batch/accounts/{account_id}/campaigns", 40),
    takes_several=True,
)


@CAMPAIGNS.list(example="--q Spring --sort-by created_at-desc")
class ListCampaigns(PageInAccount):
    """List the campaigns of an account."""

    campaign_ids: Ids | None = None
    funding_instrument_ids: OfFunding | None = None
    q: NameBegins | None = None
    with_draft: WithDraft | None = None
    sort_by: CampaignSort | None = None


@CAMPAIGNS.get(example="8wku2")
class GetCampaign(RecordInAccount, kw_only=True):
    """Show one campaign."""

    campaign_id: Id


@CAMPAIGNS.create(example="--name 'Autumn collection' --funding-instrument-id 4a1n0 --daily-budget 25")
class CreateCampaign(CampaignDetails, kw_only=True):
    """Create a campaign.

    Its line items say who sees which ads, when and for how much.
    """

    funding_instrument_id: Id
    name: ShortName
    entity_status: SpendingStatus | None = None


@CAMPAIGNS.update(example="8wku2 --daily-budget 30 --entity-status PAUSED")
class UpdateCampaign(CampaignDetails, kw_only=True):
    """Change fields of a campaign.

    A campaign that is paused or has ended spends nothing, whatever the status of its line items. Otherwise a
    budget that rises to more than twice its value, or is removed, is confirmed.
    """

    campaign_id: Id
    name: ShortName | None = None
    entity_status: ChangedStatus | None = None


@CAMPAIGNS.endpoint("PUT /{campaign_id}/activate", "campaigns activate", id_field="campaign_id")
class ActivateCampaign(InAccount, kw_only=True):
    """Activate a campaign; the reference names this route for tokens of OAuth 2.0 only."""

    campaign_id: Id


@CAMPAIGNS.delete(example="8wkv1")
class DeleteCampaign(InAccount, kw_only=True):
    """Delete a campaign.

    This cannot be undone. Its line items serve no longer.
    """

    campaign_id: Id
