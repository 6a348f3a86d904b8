"""Recommendations of the service: what would improve the campaigns of a funding instrument."""

from .endpoint import endpoint
from .types import Id, InAccount

RECOMMENDATIONS = "/5/accounts/{account_id}/recommendations"
COLUMNS = "id funding_instrument_id status message"
FIELDS = ("account_id", "created_at", "updated_at")


@endpoint(
    f"GET {RECOMMENDATIONS}", "recommendations list", columns=COLUMNS, extra_fields=FIELDS, example="-o ids"
)
class ListRecommendations(InAccount):
    """List recommendations, at most one for each funding instrument.

    The service offers them as a beta, to selected accounts only.
    """


@endpoint(
    f"GET {RECOMMENDATIONS}/{{recommendation_id}}",
    "recommendations get",
    columns=COLUMNS,
    extra_fields=(*FIELDS, "changes"),
    example="5rc01 -o yaml",
)
class GetRecommendation(InAccount, kw_only=True):
    """Show one recommendation with its changes: a tree of creations, updates and deletions."""

    recommendation_id: Id
