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

PEOPLE = """
-- The lists of people that were sent to, each with what is known of it in one write epoch.
CREATE TABLE lists (
    id INTEGER PRIMARY KEY,
    service TEXT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    key TEXT NOT NULL,  -- what names the key under which its people are sealed
    merges INTEGER NOT NULL DEFAULT 0,  -- of what runs have noted
    epoch TEXT NOT NULL DEFAULT '',  -- empty where nothing of it can be relied on
    links_unknown INTEGER NOT NULL DEFAULT 0,
    changed TEXT NOT NULL DEFAULT '',  -- when something was acknowledged last
    UNIQUE (service, kind, target)
);

-- The identifiers of the people who are, or may be, on a list.
CREATE TABLE people (
    list INTEGER NOT NULL,
    digest BLOB NOT NULL,  -- keyed
    rest BLOB NOT NULL,  -- sealed; with digest and key it gives the identifier back
    kind INTEGER NOT NULL,  -- its place among the kinds of identifiers
    until INTEGER NOT NULL,  -- month since January 2000 in which the service may have forgotten the person
    is_certain INTEGER NOT NULL,  -- whether the service has it for sure
    person INTEGER,  -- whom the service keeps under it and under others; none where there are no others
    PRIMARY KEY (list, digest)
) WITHOUT ROWID;
CREATE INDEX people_by_person ON people (list, person) WHERE person IS NOT NULL;

-- The runs that send to a list; what they note is merged into the people when they have ended.
CREATE TABLE list_runs (
    id INTEGER PRIMARY KEY,
    list INTEGER NOT NULL,
    lock TEXT NOT NULL,
    key TEXT NOT NULL,
    previous TEXT NOT NULL,  -- write epoch before it
    epoch TEXT NOT NULL
);

-- Their requests, each noted before it is sent.
CREATE TABLE sendings (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    acknowledged INTEGER  -- the last request that was sent before its answer; none without an answer
);

-- The identifiers that a request adds or removes.
CREATE TABLE people_sent (
    sending INTEGER NOT NULL,
    removes INTEGER NOT NULL,
    until INTEGER NOT NULL,
    person INTEGER,
    kind INTEGER NOT NULL,
    digest BLOB NOT NULL,
    rest BLOB NOT NULL
);
CREATE INDEX people_sent_by_sending ON people_sent (sending);
"""

MIGRATIONS = (NOTES_EPOCHS_AND_CHANGES, WHAT_IS_KNOWN, MEDIA, PEOPLE)
