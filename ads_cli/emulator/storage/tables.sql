-- The tables of the emulator. Increment VERSION in database.py when they, or the seeded data, change.
CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,        -- id of the user, account or catalog it belongs to
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
    data BLOB NOT NULL,         -- the product as a list returns it, as JSON
    UNIQUE (catalog, id)
);
CREATE INDEX products_in_order ON products (catalog, seq);
CREATE INDEX products_grouped ON products (item_group_key, seq) WHERE item_group_key IS NOT NULL;

CREATE TABLE apps (
    consumer_key TEXT PRIMARY KEY,
    consumer_secret TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES users,
    callbacks TEXT NOT NULL,    -- registered callback URLs, one per line
    sign_in INTEGER NOT NULL DEFAULT 1  -- whether earlier authorizations are reused
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
    callback TEXT NOT NULL,     -- a registered URL, or oob
    access TEXT NOT NULL,
    form_token TEXT NOT NULL,   -- CSRF token of the form
    expires REAL NOT NULL,
    state TEXT NOT NULL DEFAULT 'new',  -- new, allowed, refused, used (exchanged)
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
CREATE TABLE oauth2_apps (
    client_id TEXT PRIMARY KEY,
    client_secret TEXT NOT NULL,    -- empty for a public app
    name TEXT NOT NULL,
    redirects TEXT NOT NULL     -- registered redirect addresses, one per line
);
CREATE TABLE oauth2_requests (
    form_token TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES oauth2_apps,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    state TEXT NOT NULL,        -- of the app, given back to it
    challenge TEXT NOT NULL,
    method TEXT NOT NULL,       -- S256 or plain
    expires REAL NOT NULL,      -- of the form, and then of the code
    user_id TEXT REFERENCES users,
    code TEXT UNIQUE,           -- once the user has authorized the app
    is_answered INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE oauth2_tokens (
    token TEXT PRIMARY KEY,
    is_refresh INTEGER NOT NULL,
    grant_id TEXT NOT NULL,     -- one sign-in
    client_id TEXT NOT NULL REFERENCES oauth2_apps,
    user_id TEXT NOT NULL REFERENCES users,
    scopes TEXT NOT NULL,
    expires REAL NOT NULL       -- of an access token; a refresh token does not expire
);
CREATE INDEX oauth2_tokens_of_grant ON oauth2_tokens (grant_id);
CREATE TABLE events (            -- of subscriptions, oldest first
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL,
    kind TEXT NOT NULL,         -- event, or what a stream does in its place, such as disconnect
    webhook TEXT NOT NULL,      -- where it was delivered too; empty if nowhere
    at REAL NOT NULL,           -- Unix seconds
    body BLOB NOT NULL          -- as it is sent, in JSON
);
CREATE INDEX events_of_app ON events (app, at);
CREATE TABLE audience_users (
    identifier BLOB PRIMARY KEY,    -- hash of audience, field and value
    audience TEXT NOT NULL,         -- id of an audience or do-not-reach list
    user INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX identifiers_of_user ON audience_users (audience, user);
CREATE TABLE media_segments (
    upload TEXT NOT NULL,       -- the media id
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (upload, number)
);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
