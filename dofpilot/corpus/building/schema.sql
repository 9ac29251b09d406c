CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

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
    text BLOB NOT NULL,
    file_digest BLOB NOT NULL,
    record_digest BLOB NOT NULL
);

CREATE INDEX document_day ON document (day);

CREATE TABLE chunk (
    chunk_id INTEGER PRIMARY KEY,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    context TEXT NOT NULL,
    digest BLOB NOT NULL
);
