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

MIGRATIONS = (NOTES_EPOCHS_AND_CHANGES,)
