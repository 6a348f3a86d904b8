"""Features that are enabled for an account."""

from ...api.features import AddFeatures, ListFeatures, RemoveFeatures
from ..core.errors import ApiError
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from .accounts import require_account

FEATURE = "feature"


def _keys(context: RequestContext, account: str) -> list[str]:
    return [feature["id"] for feature in context.store.find_all(FEATURE, account)]


def require_feature(context: RequestContext, account: str, feature: str, parameter: str) -> None:
    """Raise ApiError for a parameter whose feature the account has not; the specification states none."""
    if context.service == "x" and feature not in _keys(context, account):
        message = f"{parameter}: the account {account} does not have the feature {feature}"
        raise ApiError(400, "FEATURE_NOT_AVAILABLE", message, parameter=parameter)


@handler(ListFeatures)
def list_features(context: RequestContext, request: ListFeatures) -> Result:
    """List the feature keys of an account, or those of the requested keys that it has."""
    require_account(context, request.account_id)
    keys = _keys(context, request.account_id)
    requested = keys if request.feature_keys is None else request.feature_keys
    return Result([key for key in keys if key in requested])


@handler(AddFeatures)
def add_features(context: RequestContext, request: AddFeatures) -> Result:
    """Enable features, and list all that are enabled; unknown keys are accepted."""
    account = request.account_id
    with context.store.transaction():
        require_account(context, account)
        for key in dict.fromkeys(request.feature_keys):
            if key not in _keys(context, account):
                context.store.add(FEATURE, key, {}, owner=account)
        return Result(_keys(context, account))


@handler(RemoveFeatures)
def remove_features(context: RequestContext, request: RemoveFeatures) -> Result:
    """Disable features, and list those that remain; keys that are not enabled are accepted."""
    account = request.account_id
    with context.store.transaction():
        require_account(context, account)
        for key in request.feature_keys:
            context.store.purge(FEATURE, account, key)
        return Result(_keys(context, account))
