"""The small world that a new database holds."""

import secrets

from ..core.store import Store
from . import campaigns as seed_campaigns
from . import creatives as seed_creatives

USER, OTHER_USER = "1184672519", "1184672520"
PEOPLE = {USER: "nordlicht", OTHER_USER: "kontoracht"}  # who may sign in, by their screen names
# Where the app may send people back to: the first, unless another program listens there.
CALLBACKS = tuple(
    f"http://{host}:{port}/callback" for port in range(8976, 8980) for host in ("127.0.0.1", "localhost")
)
SHOP = "18ce54d4x5t"
CATALOG = "7310248000000000001"
SALE = "8s3k1"  # a product set
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
        "id": "18ce55gze09",
        "name": "Café Kastanie (managed by Kontor Acht)",
        "business_name": "Kontor Acht",
        "business_id": "72311",
        "timezone": "Europe/Vienna",
        "timezone_switch_at": "2024-05-31T22:00:00Z",
        "industry_type": "AGENCY",
    },
    {
        "id": "18ce53wo3nm",
        "name": "Nordlicht Outlet",
        "business_name": "Nordlicht Handels GmbH",
        "business_id": "72045",
        "timezone": "Europe/Berlin",
        "timezone_switch_at": "2023-09-30T22:00:00Z",
        "industry_type": "RETAIL",
    },
)
CREATED = ("2024-03-01T09:15:00Z", "2024-06-01T07:30:00Z", "2023-10-01T08:00:00Z")
DELETED = "18ce53wo3nm"


def seed(store: Store) -> None:
    """Fill a new database; its keys and tokens are random, and exist nowhere else."""
    _sign_in(store)
    for account, created_at in zip(ACCOUNTS, CREATED, strict=True):
        fields = {name: value for name, value in account.items() if name != "id"}
        fields["approval_status"] = "ACCEPTED"
        store.add("account", account["id"], fields, owner=USER, created_at=created_at)
    store.delete("account", DELETED, owner=USER)
    store.add("product_catalog", CATALOG, {"name": "Nordlicht Shop"}, owner=USER, created_at=CREATED[0])
    store.add("product_set", SALE, ON_SALE, owner=CATALOG, created_at=CREATED[0])
    seed_campaigns.seed(store, user=USER, other_user=OTHER_USER, account=SHOP, shared_with=ACCOUNTS[1]["id"])
    seed_creatives.seed(store, user=USER, account=SHOP)


def _sign_in(store: Store) -> None:
    """Register one app and its people; its owner has signed in to it already."""
    consumer_key, consumer_secret, secret = (secrets.token_urlsafe(24) for _ in range(3))
    token = f"{USER}-{secrets.token_urlsafe(24)}"
    run = store.connection.execute
    app = (consumer_key, consumer_secret, "adsctl", USER, "\n".join(CALLBACKS))
    run(
        "INSERT INTO apps (consumer_key, consumer_secret, name, owner, callbacks) VALUES (?, ?, ?, ?, ?)", app
    )
    for person in PEOPLE.items():
        run("INSERT INTO users VALUES (?, ?)", person)
    run("INSERT INTO tokens VALUES (?, ?, ?, ?, 'write', 0)", (token, secret, consumer_key, USER))
    settings = {
        "consumer_key": consumer_key,
        "access_token": token,
        "user": USER,  # who is signed in to the service already, as far as its pages are concerned
        "account": SHOP,
        "catalog": CATALOG,
    }
    for name, value in settings.items():
        run("INSERT INTO settings VALUES (?, ?)", (name, value))
