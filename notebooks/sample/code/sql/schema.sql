-- Database of Aurora Field Station, schema version 31.
-- SQLite 3.37 or later, because of STRICT tables. The file is /srv/caramujo/aurora.db.
--
-- Conventions: times are UTC in ISO 8601; heights are metres above the local zero; names of tables are singular.
-- Never change a published row. Insert a new one, and point to the old one with "replaces".

PRAGMA foreign_keys = ON;

CREATE TABLE person (
    person_id   INTEGER PRIMARY KEY,
    full_name   TEXT NOT NULL,
    initials    TEXT NOT NULL UNIQUE CHECK (length(initials) BETWEEN 2 AND 4),
    -- Visitors are removed three years after their last stay; the staff remain.
    last_stay   TEXT,
    is_staff    INTEGER NOT NULL DEFAULT 0 CHECK (is_staff IN (0, 1))
) STRICT;

CREATE TABLE site (
    site_code   TEXT PRIMARY KEY CHECK (site_code GLOB '[A-Z][A-Z][0-9]'),
    name        TEXT NOT NULL UNIQUE,
    depth_m     REAL CHECK (depth_m >= 0),
    -- 1 where landing is forbidden from October to February because of nests.
    is_reserve  INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO site (site_code, name, depth_m, is_reserve) VALUES
    ('PI1', 'Pier',              4.2, 0),
    ('PC1', 'Ponta do Cuíca',    6.8, 0),
    ('EF1', 'Enseada Funda',    12.5, 0),
    ('LP1', 'Laje do Pregão',   17.0, 0),
    ('CT1', 'Canal da Trama',   33.0, 0),
    ('PN1', 'Prado Norte',       2.1, 1),
    ('IS1', 'Ilhote do Sino',    1.4, 1);

CREATE TABLE sensor (
    sensor_id   INTEGER PRIMARY KEY,
    label       TEXT NOT NULL UNIQUE,
    asset_id    TEXT NOT NULL CHECK (asset_id GLOB 'AF-[0-9][0-9][0-9][0-9]'),
    kind        TEXT NOT NULL CHECK (kind IN ('tide', 'ctd', 'light', 'current', 'weather', 'hydrophone')),
    site_code   TEXT REFERENCES site (site_code),
    retired_on  TEXT
) STRICT;

CREATE TABLE calibration (
    calibration_id INTEGER PRIMARY KEY,
    sensor_id   INTEGER NOT NULL REFERENCES sensor (sensor_id),
    done_on     TEXT NOT NULL,
    done_by     INTEGER NOT NULL REFERENCES person (person_id),
    channel     TEXT NOT NULL,
    "offset"    REAL NOT NULL DEFAULT 0,
    slope       REAL NOT NULL DEFAULT 1 CHECK (slope BETWEEN 0.5 AND 1.5),
    sheet       TEXT NOT NULL,           -- page in the black binder
    UNIQUE (sensor_id, done_on, channel)
) STRICT;

CREATE TABLE reading (
    sensor_id   INTEGER NOT NULL REFERENCES sensor (sensor_id),
    time_utc    TEXT NOT NULL,
    raw         REAL,
    value       REAL,
    flag        INTEGER NOT NULL DEFAULT 0 CHECK (flag IN (0, 1, 2, 3, 4, 9)),
    PRIMARY KEY (sensor_id, time_utc)
) STRICT, WITHOUT ROWID;

-- Readings older than eighteen months are moved to a file of their own for each year, on the night of the
-- second Sunday in January. The view "all_reading" of the yearly files is made by the script that moves them.
CREATE INDEX reading_by_time ON reading (time_utc);

CREATE TABLE dive (
    dive_id     INTEGER PRIMARY KEY,
    site_code   TEXT NOT NULL REFERENCES site (site_code),
    started_at  TEXT NOT NULL,
    minutes     INTEGER NOT NULL CHECK (minutes BETWEEN 1 AND 75),
    max_depth_m REAL NOT NULL,
    diver_one   INTEGER NOT NULL REFERENCES person (person_id),
    diver_two   INTEGER NOT NULL REFERENCES person (person_id),
    tender      INTEGER NOT NULL REFERENCES person (person_id),
    bar_left    INTEGER NOT NULL,        -- the lower of the two gauges
    CHECK (diver_one <> diver_two AND tender NOT IN (diver_one, diver_two))
) STRICT;

CREATE TABLE sample (
    -- Printed on the green labels as AUR, year, number and a check letter. The letters I, O and U are not used:
    -- they were misread on wet labels.
    sample_code TEXT PRIMARY KEY CHECK (sample_code GLOB 'AUR-[0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][A-Z]'),
    site_code   TEXT NOT NULL REFERENCES site (site_code),
    taken_at    TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('water', 'core', 'leaf', 'plankton', 'animal')),
    salinity    REAL CHECK (salinity BETWEEN 0 AND 42),
    freezer_box TEXT,
    replaces    TEXT REFERENCES sample (sample_code)
) STRICT;

-- Seahorses that were tagged. "fate" stays empty until somebody finds the animal, or its tag.
CREATE TABLE seahorse_tag (
    tag_name    TEXT PRIMARY KEY,
    tagged_at   TEXT NOT NULL,
    line        TEXT NOT NULL CHECK (line IN ('A', 'B', 'C', 'D', 'E', 'F')),
    height_mm   INTEGER NOT NULL CHECK (height_mm >= 85),   -- smaller animals are not tagged
    fate        TEXT
) STRICT;

CREATE VIEW low_air_dive AS
    SELECT dive_id, site_code, started_at, bar_left
    FROM dive
    WHERE bar_left < 70
    ORDER BY started_at;

CREATE TRIGGER reading_is_final
BEFORE UPDATE OF raw ON reading
WHEN OLD.raw IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'raw readings are final');
END;
