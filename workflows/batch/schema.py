"""The tables of the store, as SQLite has them. (Statements are divided at semicolons: none in a comment.)"""

VERSION = 4
"""The version of these tables (`PRAGMA user_version`); numbers below 100 mark stores of experiments."""

NAMES = """
CREATE TABLE IF NOT EXISTS names (              -- equal puzzles may have several
    digest TEXT NOT NULL REFERENCES puzzles,
    name   TEXT NOT NULL,
    file   TEXT NOT NULL,
    PRIMARY KEY (digest, name, file)
);
"""

SEALED = ("sessions", "puzzles", "names", "runs", "difficulty")
"""The tables whose rows have a checksum of their other values, the column `seal`: so a damaged one is found."""

SEALS = "; ".join(f"ALTER TABLE {table} ADD COLUMN seal INTEGER" for table in SEALED)

UPGRADES = {
    1: "ALTER TABLE runs ADD COLUMN seed INTEGER",
    2: f"{NAMES} INSERT OR IGNORE INTO names SELECT digest, name, file FROM puzzles",
    3: SEALS,
}
"""The SQL that turns a store of each older version into the next version."""

CLAIMS = """
CREATE TABLE IF NOT EXISTS claims (             -- what is at work, empty when nothing is
    key     TEXT NOT NULL,                      -- as in `runs`
    label   TEXT NOT NULL,                      -- of a session with --again, else empty
    session INTEGER NOT NULL,
    pid     INTEGER NOT NULL,                   -- the process, and when it began: a dead one claims nothing
    began   REAL NOT NULL,
    PRIMARY KEY (key, label)
)
"""
"""The table of runs that sessions have claimed; it is made in stores of every version, and only writing needs it."""

TABLES = f"""{NAMES}
CREATE TABLE IF NOT EXISTS sessions (           -- one for each `budge batch`
    session     INTEGER PRIMARY KEY,
    label       TEXT NOT NULL,                  -- --label, or the version of Budge
    budge       TEXT NOT NULL,                  -- the version
    date        TEXT NOT NULL,                  -- UTC, ISO 8601, of its beginning
    command     TEXT NOT NULL,
    executor    TEXT NOT NULL,                  -- `2 cores`, or the address of a scheduler
    jobs        INTEGER NOT NULL,               -- runs at once
    environment TEXT NOT NULL                   -- JSON: machine, system, versions of libraries
);

CREATE TABLE IF NOT EXISTS puzzles (
    digest      TEXT PRIMARY KEY,               -- a hash of the content, not of the title
    family      TEXT NOT NULL,
    name        TEXT NOT NULL,                  -- the first: `names` has all
    file        TEXT NOT NULL,
    text        TEXT NOT NULL                   -- the puzzle file
);

CREATE TABLE IF NOT EXISTS runs (
    run            INTEGER PRIMARY KEY,
    session        INTEGER NOT NULL REFERENCES sessions,
    key            TEXT NOT NULL,               -- a hash of what was run, with its limits
    digest         TEXT NOT NULL REFERENCES puzzles,
    metric         TEXT NOT NULL,
    engine         TEXT NOT NULL,
    options        TEXT NOT NULL,               -- `strategy=linear workers=1`, without the seed
    repetition     INTEGER NOT NULL,
    time_limit     REAL,                        -- seconds
    memory_limit   INTEGER,                     -- MiB
    date           TEXT NOT NULL,               -- UTC, ISO 8601, of its end
    status         TEXT NOT NULL,
    cost           TEXT,                        -- of the plan by the rules: JSON, a number for each component
    lower_bound    TEXT,
    upper_bound    TEXT,
    lower_bound_by TEXT NOT NULL,               -- what proved it
    stopped_by     TEXT,
    seconds        REAL NOT NULL,
    ground_seconds REAL, encode_seconds REAL, solve_seconds REAL, other_seconds REAL,
    memory_mib     REAL NOT NULL,
    stats          TEXT NOT NULL,               -- JSON: counts
    plan           TEXT,                        -- JSON: its steps in the family's notation
    history        TEXT NOT NULL,               -- JSON: [[seconds, lower bound, cost of the best plan], ...]
    error          TEXT,
    contradicts    TEXT,
    seed           INTEGER                      -- the engine's option `seed`, NULL where none was given
);

CREATE TABLE IF NOT EXISTS difficulty (         -- by --difficulty (docs/generating.md)
    digest         TEXT NOT NULL REFERENCES puzzles,
    metric         TEXT NOT NULL,
    states         INTEGER NOT NULL,            -- reachable
    optimum        INTEGER,                     -- NULL: there is no plan, and no features
    dead_ends      INTEGER,                     -- states
    branching      REAL,
    shortest_plans REAL,
    near_dead_ends REAL,
    pieces_moved   INTEGER,
    detours        INTEGER,
    PRIMARY KEY (digest, metric)
);

CREATE INDEX IF NOT EXISTS runs_by_question ON runs (digest, metric, engine, options, repetition);
CREATE INDEX IF NOT EXISTS runs_by_session ON runs (session);
{SEALS}"""
