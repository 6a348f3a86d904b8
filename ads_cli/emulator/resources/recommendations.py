"""Recommendations for the funding instruments of an account, which the service makes by itself."""

from ...api.recommendations import GetRecommendation, ListRecommendations
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from ..storage.store import without
from .accounts import require_record
from .collection import in_account

RECOMMENDATION = "recommendation"


@handler(ListRecommendations)
def list_recommendations(context: RequestContext, request: ListRecommendations) -> Result:
    """List the recommendations, without their changes."""
    records = context.store.find_all(RECOMMENDATION, in_account(context, request))
    return Result([without(record, "changes", "deleted") for record in records], total_count=len(records))


@handler(GetRecommendation)
def get_recommendation(context: RequestContext, request: GetRecommendation) -> Result:
    """Return one recommendation with its changes."""
    found = require_record(context, request.account_id, RECOMMENDATION, request.recommendation_id)
    return Result(without(found, "deleted"), beside={"data_type": RECOMMENDATION})
