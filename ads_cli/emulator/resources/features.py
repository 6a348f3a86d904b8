"""The features that an account may use."""

from ...api.accounts import AddFeatures, ListFeatures
from ..core.responses import Result
from ..core.routing import Call, handles
from .accounts import known

FEATURE = "feature"


def _keys(call: Call, account: str) -> list[str]:
    return [feature["id"] for feature in call.store.all(FEATURE, account)]


@handles(ListFeatures)
def list_features(call: Call, request: ListFeatures) -> Result:
    """List the keys of an account's features, or those of the keys asked for."""
    known(call, request.account_id)
    keys = _keys(call, request.account_id)
    wanted = keys if request.feature_keys is None else request.feature_keys
    return Result([key for key in keys if key in wanted])


@handles(AddFeatures)
def add_features(call: Call, request: AddFeatures) -> Result:
    """Give an account features, and list all that it has; a name that nobody knows is taken too."""
    account = request.account_id
    with call.store.writing():
        known(call, account)
        for key in dict.fromkeys(request.feature_keys):
            if key not in _keys(call, account):
                call.store.add(FEATURE, key, {}, owner=account)
        return Result(_keys(call, account))
