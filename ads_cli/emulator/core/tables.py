"""The tables of the emulator's database."""

VERSION = 6  # raised with every change of the tables or of the seeded world
TABLES = """
CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,        -- the user, account or catalog that it lies in
    deleted INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    data TEXT NOT NULL,         -- the other fields, as JSON
    UNIQUE (kind, id, owner)
);
CREATE INDEX records_in_order ON records (kind, owner, seq);

CREATE TABLE products (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    catalog TEXT NOT NULL,
    id TEXT NOT NULL,
    product_key TEXT NOT NULL UNIQUE,
    item_group_key TEXT,
    data BLOB NOT NULL,         -- the product as a list shows it, as JSON
    UNIQUE (catalog, id)
);
CREATE INDEX products_in_order ON products (catalog, seq);
CREATE INDEX products_grouped ON products (item_group_key, seq) WHERE item_group_key IS NOT NULL;

CREATE TABLE apps (
    consumer_key TEXT PRIMARY KEY,
    consumer_secret TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES users,
    callbacks TEXT NOT NULL,    -- the registered addresses, a line each
    sign_in INTEGER NOT NULL DEFAULT 1  -- whether who said yes before is not asked again
);
CREATE TABLE users (id TEXT PRIMARY KEY, screen_name TEXT NOT NULL);
CREATE TABLE tokens (
    token TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    consumer_key TEXT NOT NULL REFERENCES apps,
    user_id TEXT NOT NULL REFERENCES users,
    access TEXT NOT NULL,       -- read or write
    revoked INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE request_tokens (
    token TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    consumer_key TEXT NOT NULL REFERENCES apps,
    callback TEXT NOT NULL,     -- a registered address, or oob
    access TEXT NOT NULL,
    form_token TEXT NOT NULL,   -- what the page's form has to bring back
    expires REAL NOT NULL,
    state TEXT NOT NULL DEFAULT 'new',  -- then allowed or refused; used once exchanged
    user_id TEXT REFERENCES users,
    verifier TEXT,
    wrong_tries INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE bearer_tokens (
    token TEXT PRIMARY KEY,
    consumer_key TEXT NOT NULL REFERENCES apps,
    revoked INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX one_bearer_token ON bearer_tokens (consumer_key) WHERE NOT revoked;
CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    consumer_key TEXT NOT NULL REFERENCES apps,
    url TEXT NOT NULL,
    valid INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (consumer_key, url)
);
CREATE TABLE audience_users (
    identifier BLOB PRIMARY KEY,    -- a short hash of the audience, the kind and the value
    audience TEXT NOT NULL,         -- or a do-not-reach list
    user INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX identifiers_of_user ON audience_users (audience, user);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
