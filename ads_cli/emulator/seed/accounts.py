"""Seed data: users, credentials, accounts and a catalog."""

import secrets

from ..storage import Store

USER, OTHER_USER = "1184672519", "1184672520"
SCREEN_NAMES = {USER: "nordlicht", OTHER_USER: "kontoracht"}
# Registered callbacks; several ports, because another program may listen on one.
CALLBACKS = tuple(
    f"http://{host}:{port}/callback" for port in range(8976, 8980) for host in ("127.0.0.1", "localhost")
)
# The public app of OAuth 2.0, and its redirects; the app of OAuth 1.0a is a confidential one of OAuth 2.0.
CLIENT_ID = "adsctl-emulator"
REDIRECTS = tuple(f"http://127.0.0.1:{port}/callback" for port in (*range(8080, 8084), *range(8976, 8980)))
SHOP, CAFE, DELETED = "18ce54d4x5t", "18ce55gze09", "18ce53wo3nm"
CATALOG = "7310248000000000001"
PRODUCT_SET = "8s3k1"
CHOSEN_SET = "8s3k2"
CHOSEN = {
    "name": "Chosen by hand",
    "description": "For gardeners",
    "type": "MANUAL",
    "filters": [],
    "product_keys": [],
    "processing_status": "DONE",
}
ON_SALE = {
    "name": "On sale",
    "description": None,
    "type": "FILTERED",
    "filters": [{"attribute": "sale_price", "operator": "GREATER_THAN", "value": "0"}],
    "product_keys": [],
    "processing_status": "DONE",
}
ACCOUNTS = (
    {
        "id": SHOP,
        "name": "Nordlicht Shop",
        "business_name": "Nordlicht Handels GmbH",
        "business_id": "72045",
        "timezone": "Europe/Berlin",
        "timezone_switch_at": "2024-02-29T23:00:00Z",
        "industry_type": "RETAIL",
    },
    {
        "id": CAFE,
        "name": "Café Kastanie (managed by Kontor Acht)",
        "business_name": "Kontor Acht",
        "business_id": "72311",
        "timezone": "Europe/Vienna",
        "timezone_switch_at": "2024-05-31T22:00:00Z",
        "industry_type": "AGENCY",
    },
    {
        "id": DELETED,
        "name": "Nordlicht Outlet",
        "business_name": "Nordlicht Handels GmbH",
        "business_id": "72045",
        "timezone": "Europe/Berlin",
        "timezone_switch_at": "2023-09-30T22:00:00Z",
        "industry_type": "RETAIL",
    },
)
PROMOTABLE_USERS = (
    ("l310s", SHOP, USER, "FULL"),
    ("l3110", SHOP, OTHER_USER, "REPOSTS_ONLY"),
    ("l3123", CAFE, USER, "FULL"),
)
CREATED = ("2024-03-01T09:15:00Z", "2024-06-01T07:30:00Z", "2023-10-01T08:00:00Z")


def seed(store: Store) -> None:
    """Add users, credentials, accounts and a catalog with one product set."""
    _add_credentials(store)
    for account, created_at in zip(ACCOUNTS, CREATED, strict=True):
        fields = {name: value for name, value in account.items() if name != "id"}
        fields["approval_status"] = "ACCEPTED"
        store.add("account", account["id"], fields, owner=USER, created_at=created_at)
    for promotable, owner, user, type in PROMOTABLE_USERS:
        of_user = {"user_id": user, "promotable_user_type": type}
        store.add("promotable_user", promotable, of_user, owner=owner, created_at=CREATED[0])
    store.delete("account", DELETED, owner=USER)
    store.add("product_catalog", CATALOG, {"name": "Nordlicht Shop"}, owner=USER, created_at=CREATED[0])
    store.add("product_set", PRODUCT_SET, ON_SALE, owner=CATALOG, created_at=CREATED[0])
    store.add("product_set", CHOSEN_SET, CHOSEN, owner=CATALOG, created_at=CREATED[0])


def _add_credentials(store: Store) -> None:
    """Register an app and the users, with an access token of the app's owner."""
    consumer_key, consumer_secret, secret = (secrets.token_urlsafe(24) for _ in range(3))
    token = f"{USER}-{secrets.token_urlsafe(24)}"
    execute = store.connection.execute
    app = (consumer_key, consumer_secret, "adsctl", USER, "\n".join(CALLBACKS))
    execute(
        "INSERT INTO apps (consumer_key, consumer_secret, name, owner, callbacks) VALUES (?, ?, ?, ?, ?)", app
    )
    redirects = "\n".join(REDIRECTS)
    for client_id, client_secret in ((CLIENT_ID, ""), (consumer_key, consumer_secret)):
        grants_app = (client_id, client_secret, "adsctl", redirects)
        execute("INSERT INTO oauth2_apps VALUES (?, ?, ?, ?)", grants_app)
    for user in SCREEN_NAMES.items():
        execute("INSERT INTO users VALUES (?, ?)", user)
    execute("INSERT INTO tokens VALUES (?, ?, ?, ?, 'write', 0)", (token, secret, consumer_key, USER))
    settings = {
        "consumer_key": consumer_key,
        "access_token": token,
        "user": USER,  # the user signed in to the sign-in pages
        "account": SHOP,
        "catalog": CATALOG,
    }
    for name, value in settings.items():
        execute("INSERT INTO settings VALUES (?, ?)", (name, value))
