"""Event tags of websites and apps, lists of apps, and the provider of app events."""

from ...api import measurement as declared
from ...api import web_event_tags as web
from ..core.errors import ApiError, invalid_parameter
from ..core.handlers import RequestContext
from ..storage.store import Record
from .collection import Collection

MAX_APP_LISTS = 100
PROVIDER = "Nordlicht Analytics"


def as_web_tag(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a tag with the code to embed; raise ApiError where views count for longer than clicks."""
    if after["view_through_window"] > after["click_window"]:
        raise invalid_parameter("view_through_window", "is more than click_window")
    return after


def with_embed_code(context: RequestContext, record: Record) -> Record:
    """Return a tag with its id in the code to embed."""
    tag = record["id"]
    code = f'<script src="https://static.example/uwt.js" data-tag="{tag}"></script>'
    found = {**record, "website_tag_id": tag, "embed_code": code}
    return {name: value for name, value in found.items() if name not in ("created_at", "updated_at")}


def with_apps(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a list of apps as it is stored; raise ApiError beyond the number that an account may have."""
    lists = context.store.find_all(APP_LISTS.kind, context.path_params["account_id"])
    if len(lists) >= MAX_APP_LISTS:
        raise invalid_parameter("name", f"the account has {MAX_APP_LISTS} app lists already")
    apps = [
        {"app_store_identifier": app, "os_type": "IOS" if app.isdigit() else "ANDROID"}
        for app in after["app_store_identifiers"]
    ]
    return {"name": after["name"], "apps": apps}


def only_provider(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a provider's configuration; raise ApiError where the account has one."""
    if context.store.find_all(PROVIDERS.kind, context.path_params["account_id"]):
        raise ApiError(400, "INVALID_PARAMETER", "the account has a provider already")
    identifier = after["provider_advertiser_id"]
    return {"provider_name": PROVIDER, **after, "provider_advertiser_identifier": identifier}


WEB_EVENT_TAGS = Collection(
    kind="web_event_tag",
    list=web.ListWebEventTags,
    get=web.GetWebEventTag,
    create=web.CreateWebEventTag,
    update=web.UpdateWebEventTag,
    delete=web.DeleteWebEventTag,
    defaults={"status": "UNVERIFIED", "last_tracked_at": None},
    ids="web_event_tag_ids",
    sortable=("name", "type"),
    prepare=as_web_tag,
    shown=with_embed_code,
)
APP_EVENT_TAGS = Collection(
    kind="app_event_tag",
    list=declared.ListAppEventTags,
    get=declared.GetAppEventTag,
    create=declared.CreateAppEventTag,
    delete=declared.DeleteAppEventTag,
    defaults={
        "deep_link_scheme": None,
        "post_view_attribution_window": 1,
        "post_engagement_attribution_window": 30,
        "retargeting_enabled": True,
        "status": "TRACKING",
        "last_tracked_at": None,
    },
    ids="app_event_tag_ids",
    sortable=("app_store_identifier", "conversion_type"),
)
APP_LISTS = Collection(
    kind="app_list",
    list=declared.ListAppLists,
    get=declared.GetAppList,
    create=declared.CreateAppList,
    delete=declared.DeleteAppList,
    ids="app_list_ids",
    sortable=("name",),
    prepare=with_apps,
)
PROVIDERS = Collection(
    kind="app_event_provider_configuration",
    list=declared.ListProviderConfigurations,
    get=declared.GetProviderConfiguration,
    create=declared.CreateProviderConfiguration,
    delete=declared.DeleteProviderConfiguration,
    ids="ids",
    sortable=("provider_name",),
    prepare=only_provider,
)
