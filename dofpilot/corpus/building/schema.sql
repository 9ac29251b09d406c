CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE dictionary (name TEXT PRIMARY KEY, data BLOB NOT NULL, digest BLOB NOT NULL);

CREATE TABLE document (
    document_id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    day INTEGER NOT NULL,
    section TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    institution TEXT NOT NULL,
    organs TEXT NOT NULL,
    size INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    sample INTEGER NOT NULL,
    file_digest BLOB NOT NULL,
    record_digest BLOB NOT NULL
);

-- Holds all that listings by day are limited and sorted by, so that they need not walk through the table.
CREATE INDEX document_place ON document (day, section, number);

CREATE TABLE block (
    first_chunk_id INTEGER PRIMARY KEY,
    -- Before the text: whoever compares digests alone need not walk through it.
    digests BLOB NOT NULL,
    chunks BLOB NOT NULL,
    text BLOB NOT NULL
);

CREATE TABLE added (document_id INTEGER PRIMARY KEY);

CREATE TABLE recent (document_id INTEGER PRIMARY KEY);
