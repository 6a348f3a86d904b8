"""Where ads of each product type may be shown."""

from itertools import combinations

from ...api.line_items import ListPlacements
from ..core.errors import ApiError
from ..core.handlers import RequestContext, handler
from ..core.responses import Result

PROFILE, ALL = "PLATFORM_PROFILE", "ALL_ON_PLATFORM"
NETWORK = ("PUBLISHER_NETWORK", "TAP_BANNER", "TAP_FULL", "TAP_FULL_LANDSCAPE", "TAP_NATIVE", "TAP_MRECT")
# By product type: the placements that go together, and those of a network, alone or with all on the platform.
PRODUCTS = {
    "MEDIA": ((PROFILE, "PLATFORM_SEARCH", "PLATFORM_TIMELINE"), NETWORK[:1]),
    "PROMOTED_ACCOUNT": ((PROFILE, "PLATFORM_SEARCH", "PLATFORM_TIMELINE"), ()),
    "PROMOTED_POSTS": ((PROFILE, "PLATFORM_REPLIES", "PLATFORM_SEARCH", "PLATFORM_TIMELINE"), NETWORK),
}


def allowed(product_type: str) -> list[list[str]]:
    """List the combinations that a product type allows; a profile is never alone."""
    together, network = PRODUCTS[product_type]
    sizes = range(1, len(together) + 1)
    combined = [list(some) for size in sizes for some in combinations(together, size) if some != (PROFILE,)]
    return [[ALL], *combined, *([one] for one in network), *([ALL, one] for one in network)]


def require_allowed(product_type: str, placements: list[str]) -> None:
    """Raise ApiError (400) for a combination that a product type does not allow."""
    if {*placements} not in map(set, allowed(product_type)):
        message = f"placements: {', '.join(placements)} is no combination that {product_type} allows"
        raise ApiError(400, "INVALID_PLACEMENT_TYPE", message, parameter="placements")


@handler(ListPlacements)
def list_placements(context: RequestContext, request: ListPlacements) -> Result:
    """List the combinations of each product type."""
    names = [request.product_type] if request.product_type else list(PRODUCTS)
    return Result([{"product_type": name, "placements": allowed(name)} for name in names])
