"""The tables of `state.db`, as the migrations that make them: one text for each version, from 1 on.

What was released is never changed; a later version adds a migration to the end.
"""

import re
import zlib
from functools import cache

FIRST = """
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
    job_group TEXT NOT NULL,  -- that shares it; empty where no other job does
    boot TEXT NOT NULL,  -- of the machine that wrote it
    PRIMARY KEY (service, kind, id)
) WITHOUT ROWID;

-- The file beside this one that was made for the last change of an epoch, and is gone with the next one.
CREATE TABLE mark (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT NOT NULL,     -- random
    identity TEXT NOT NULL  -- its inode and when it was made
);

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

-- The record of the service that each identity of a target is: the campaigns of an account, or its media.
CREATE TABLE known (
    target TEXT NOT NULL,
    -- Of campaigns JSON: a kind, the id of the record above, a key, whether it is a replacement.
    -- Of media the digest of the key of the job that uploads the file.
    identity TEXT NOT NULL,
    service_key TEXT NOT NULL,  -- the id; of media JSON: what the service has answered
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

-- The last run of each fleet.
CREATE TABLE fleet_runs (
    fleet TEXT PRIMARY KEY,  -- stands for its file
    id TEXT NOT NULL,
    file TEXT NOT NULL,
    began TEXT NOT NULL,
    tasks TEXT NOT NULL,  -- JSON: as they were planned
    exit_code INTEGER     -- none while it goes on, and where it was killed
) WITHOUT ROWID;

-- The tasks of the latest runs that have begun or ended, on the machine that ran them.
CREATE TABLE fleet_tasks (
    fleet TEXT NOT NULL,
    run TEXT NOT NULL,
    stem TEXT NOT NULL,          -- of the names of its files
    has_begun INTEGER NOT NULL,  -- 0: it could not be started, or was run by another machine
    result TEXT,                 -- JSON, once it has ended
    has_output INTEGER NOT NULL, -- whether a file has what it printed
    PRIMARY KEY (fleet, run, stem)
) WITHOUT ROWID;

-- The jobs that had ended before a task first sent what counts each time that it is sent.
CREATE TABLE fleet_earlier_jobs (
    fleet TEXT NOT NULL,
    run TEXT NOT NULL,
    stem TEXT NOT NULL,
    jobs TEXT NOT NULL,  -- JSON
    PRIMARY KEY (fleet, run, stem)
) WITHOUT ROWID;

-- How many records each task changes, for the limits of a guard that count them together.
CREATE TABLE fleet_counts (
    fleet TEXT NOT NULL,
    run TEXT NOT NULL,
    attempt TEXT NOT NULL,
    source TEXT NOT NULL,  -- of the limit
    task TEXT NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (fleet, run, attempt, source, task)
) WITHOUT ROWID;

-- The plans of assistants that were carried out.
CREATE TABLE applied_plans (
    job TEXT PRIMARY KEY,    -- the id of the plan, and the job of its changes
    words TEXT NOT NULL,     -- JSON: of its command line
    started TEXT NOT NULL,
    creation TEXT NOT NULL,  -- a digest of its request, where that makes another record each time
    settled INTEGER NOT NULL DEFAULT 0  -- 1: it is known what it has created, or another plan creates it
);

-- The exports of statistics that have not ended: the results of their parts are files.
CREATE TABLE exports (
    name TEXT PRIMARY KEY,  -- stands for service, account and query, as the folder of its results
    begun REAL NOT NULL     -- Unix seconds
) WITHOUT ROWID;

-- The jobs that the service was asked for.
CREATE TABLE export_jobs (
    export TEXT NOT NULL REFERENCES exports ON DELETE CASCADE,
    part INTEGER NOT NULL,
    job TEXT NOT NULL,
    has_failed INTEGER NOT NULL DEFAULT 0,  -- 1: it was of no use
    PRIMARY KEY (export, part, job)
) WITHOUT ROWID;

-- The jobs that commands have begun: pushes, syncs, deletions, creations, applies, uploads.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    service TEXT NOT NULL,  -- of the target, as kind and target
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    upload TEXT NOT NULL,   -- "push", "create", ...
    content TEXT NOT NULL,  -- digest of the file
    options TEXT NOT NULL,  -- JSON: what else decides which requests are sent
    noun TEXT NOT NULL,     -- of its rows
    file TEXT NOT NULL,
    rows INTEGER NOT NULL,
    batches INTEGER NOT NULL,
    started TEXT NOT NULL,  -- the time that rows are validated against
    resume TEXT NOT NULL,   -- the command that resumes it
    profile TEXT NOT NULL,
    folder TEXT NOT NULL,
    epoch TEXT NOT NULL,    -- the stamp of the write epoch that began with it
    job_group TEXT NOT NULL,
    used INTEGER NOT NULL,  -- Unix seconds: when it was begun, resumed or ended
    writes INTEGER NOT NULL DEFAULT 0,  -- how often its sends have changed
    ended TEXT              -- when; none while it is unfinished
);
CREATE INDEX runs_by_target ON runs (target, service, kind);
CREATE INDEX runs_by_use ON runs (used);

-- The requests of a job, by the numbers of their batches.
CREATE TABLE sends (
    run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    batch INTEGER NOT NULL,
    keys TEXT,  -- JSON: what the request deletes, or digests of what it creates; noted before it is sent
    at REAL,  -- Unix seconds: when that was noted
    may_be_applied INTEGER NOT NULL DEFAULT 0,  -- since it was sent, unless the answer says otherwise
    answer TEXT,  -- JSON: what the service has acknowledged, and what of the batch must be known later
    sent INTEGER NOT NULL DEFAULT 0,    -- rows that it acknowledged
    failed INTEGER NOT NULL DEFAULT 0,  -- of these, those that it rejected
    PRIMARY KEY (run, batch)
) WITHOUT ROWID;

-- What a job is to do, whether it was sent or not: digests of the records that it creates once, or as JSON
-- the values that it gives to records, which are computed once.
CREATE TABLE planned (
    run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    content TEXT NOT NULL,
    PRIMARY KEY (run, content)
) WITHOUT ROWID;

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

-- What each run notes of a list that it sends to; it is merged into the people when the run has ended.
CREATE TABLE list_logs (
    id INTEGER PRIMARY KEY,
    list INTEGER NOT NULL,
    lock TEXT NOT NULL,  -- the digest of the key of its job, whose lock it holds as long as it goes on
    key TEXT NOT NULL,  -- as that of a list
    previous TEXT NOT NULL,  -- write epoch before it
    epoch TEXT NOT NULL
);

-- Their requests, each noted before it is sent.
CREATE TABLE list_requests (
    id INTEGER PRIMARY KEY,
    log INTEGER NOT NULL REFERENCES list_logs ON DELETE CASCADE,
    acknowledged INTEGER  -- the last request that was sent before its answer; none without an answer
);

-- The identifiers that a request adds or removes.
CREATE TABLE people_sent (
    request INTEGER NOT NULL REFERENCES list_requests ON DELETE CASCADE,
    removes INTEGER NOT NULL,
    until INTEGER NOT NULL,
    person INTEGER,
    kind INTEGER NOT NULL,
    digest BLOB NOT NULL,
    rest BLOB NOT NULL
);
CREATE INDEX people_sent_by_request ON people_sent (request);
"""

RECEIVED_EVENTS = """
-- The deliveries that a webhook on this machine has handed on, as long as the service may send them again.
CREATE TABLE received_events (
    receiver TEXT NOT NULL,  -- the service and the port
    id TEXT NOT NULL,
    digest BLOB NOT NULL,  -- of the content
    at INTEGER NOT NULL,  -- Unix seconds
    PRIMARY KEY (receiver, id)
) WITHOUT ROWID;
CREATE INDEX received_events_by_time ON received_events (at);
"""

CHANGED_RECORDS = """
-- What a person calls the records of a change, and the currency of their amounts: JSON.
ALTER TABLE changes ADD COLUMN records TEXT NOT NULL DEFAULT '[]';
"""

CHANGES_OF_SERVICES = """
-- The identity of the service that a change was sent to, and whether it is an emulator or a sandbox; empty
-- where that was not noted.
ALTER TABLE changes ADD COLUMN service TEXT NOT NULL DEFAULT '';
ALTER TABLE changes ADD COLUMN environment TEXT NOT NULL DEFAULT '';
"""

MIGRATIONS = (FIRST, RECEIVED_EVENTS, CHANGED_RECORDS, CHANGES_OF_SERVICES)


@cache
def schema_id(version: int) -> int:
    """Return 31 bits that stand for the tables of a version, whatever their comments say; 0 for no tables."""
    statements = re.sub(r"\s+|--.*", " ", "".join(MIGRATIONS[:version])).split()
    return zlib.crc32(" ".join(statements).encode()) >> 1
