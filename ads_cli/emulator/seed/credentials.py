"""The seeded users, and the apps and tokens with which they sign in. Keys and secrets are random."""

import secrets

from ..storage import Store

USER, OTHER_USER = "1184672519", "1184672520"
SCREEN_NAMES = {USER: "nordlicht", OTHER_USER: "kontoracht"}
# Registered callbacks; several ports, because another program may listen on one.
CALLBACKS = tuple(
    f"http://{host}:{port}/callback" for port in range(8976, 8980) for host in ("127.0.0.1", "localhost")
)
# The public app of OAuth 2.0, and its redirects. The app of OAuth 1.0a is a confidential one of OAuth 2.0.
CLIENT_ID = "adsctl-emulator"
REDIRECTS = tuple(f"http://127.0.0.1:{port}/callback" for port in (*range(8080, 8084), *range(8976, 8980)))


def seed_credentials(store: Store) -> None:
    """Register an app and the users, with an access token of the app's owner."""
    consumer_key, consumer_secret, secret = (secrets.token_urlsafe(24) for _ in range(3))
    token = f"{USER}-{secrets.token_urlsafe(24)}"
    key = {"consumer_key": consumer_key}
    callbacks, redirects = "\n".join(CALLBACKS), "\n".join(REDIRECTS)
    store.insert(
        "apps", **key, consumer_secret=consumer_secret, name="adsctl", owner=USER, callbacks=callbacks
    )
    for id, client_secret in ((CLIENT_ID, ""), (consumer_key, consumer_secret)):
        app = {"client_id": id, "client_secret": client_secret, "name": "adsctl", "redirects": redirects}
        store.insert("oauth2_apps", **app)
    for user, screen_name in SCREEN_NAMES.items():
        store.insert("users", id=user, screen_name=screen_name)
    store.insert("tokens", token=token, secret=secret, **key, user_id=USER, access="write")
    store.insert("settings", name="consumer_key", value=consumer_key)
    store.insert("settings", name="access_token", value=token)
