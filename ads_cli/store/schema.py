"""The tables of `state.db`, as the migrations that make them: one text for each version, from 1 on.

What was released is never changed; a later version adds a migration to the end.
"""

NOTES_EPOCHS_AND_CHANGES = """
-- Small values that only save time or notice a mistake: what cannot be read is not known.
CREATE TABLE notes (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,  -- JSON
    at INTEGER NOT NULL,  -- Unix seconds
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- The write epoch of each upload target that has one.
CREATE TABLE epochs (
    service TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    token TEXT NOT NULL,  -- random
    job_group TEXT NOT NULL,
    boot TEXT NOT NULL,  -- of the machine that wrote it
    PRIMARY KEY (service, kind, id)
) WITHOUT ROWID;

-- What was changed: a row before it is sent, and what became of it after its answer.
CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    time TEXT NOT NULL,
    profile TEXT NOT NULL,
    account TEXT,
    user TEXT NOT NULL,
    command TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    ids TEXT NOT NULL,    -- JSON, as those below
    fields TEXT NOT NULL,
    before TEXT NOT NULL,
    outcome TEXT,         -- "ok" or the code of an error; none where no answer was noted
    made TEXT NOT NULL DEFAULT '[]',    -- ids that the answer named
    counts TEXT NOT NULL DEFAULT '{}',  -- of a push, by status
    job TEXT,
    by TEXT
);
CREATE INDEX changes_by_time ON changes (time);
CREATE INDEX changes_by_job ON changes (job) WHERE job IS NOT NULL;
"""

WHAT_IS_KNOWN = """
-- The record of the service that each identity of a target is.
CREATE TABLE known (
    target TEXT NOT NULL,
    identity TEXT NOT NULL,
    service_key TEXT NOT NULL,
    PRIMARY KEY (target, identity)
) WITHOUT ROWID;

-- The files that were applied with an identity.
CREATE TABLE known_files (
    target TEXT NOT NULL,
    identity TEXT NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (target, identity, file)
) WITHOUT ROWID;

-- The names that the service stores otherwise than they were sent.
CREATE TABLE stored_names (
    target TEXT NOT NULL,
    id TEXT NOT NULL,
    sent TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (target, id)
) WITHOUT ROWID;

-- What requests without an answer may have created.
CREATE TABLE attempts (
    target TEXT NOT NULL,
    identity TEXT NOT NULL,
    number INTEGER NOT NULL,  -- of the request
    at REAL NOT NULL,  -- Unix seconds
    PRIMARY KEY (target, identity)
) WITHOUT ROWID;

-- The stored plan that is being applied to each target.
CREATE TABLE begun_plans (
    target TEXT PRIMARY KEY,
    digest TEXT NOT NULL  -- empty once it has ended
) WITHOUT ROWID;
"""

MEDIA = """
-- The uploads of files, by what makes them the same.
CREATE TABLE uploads (
    name TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL,
    begun BLOB NOT NULL,  -- JSON: what the service has answered
    is_finalized INTEGER NOT NULL DEFAULT 0,
    is_added INTEGER NOT NULL DEFAULT 0  -- to the library
) WITHOUT ROWID;
CREATE INDEX uploads_by_bytes ON uploads (bytes);

-- The segments that the service has acknowledged.
CREATE TABLE segments (
    upload TEXT NOT NULL,
    segment INTEGER NOT NULL,
    PRIMARY KEY (upload, segment)
) WITHOUT ROWID;
"""

PRODUCTS = """
-- The catalogs of which something is remembered.
CREATE TABLE catalogs (
    number INTEGER PRIMARY KEY,  -- small, since each product has it
    service TEXT NOT NULL,
    id TEXT NOT NULL,
    epoch TEXT NOT NULL,  -- the stamp of the write epoch in which its products are right
    UNIQUE (service, id)
);

-- The products that the service has acknowledged, by hashes: their ids alone would take more.
CREATE TABLE products (
    catalog INTEGER NOT NULL,
    id INTEGER NOT NULL,  -- the complement: the row of the product was sent twice
    content INTEGER NOT NULL,
    key INTEGER NOT NULL,  -- 0 where it is not known
    PRIMARY KEY (catalog, id)
) WITHOUT ROWID;
"""

MIGRATIONS = (NOTES_EPOCHS_AND_CHANGES, WHAT_IS_KNOWN, MEDIA, PRODUCTS)
