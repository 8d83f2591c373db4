-- Version 1: libraries with their documents, chunks, vectors and aliases.
-- Identifiers are compared as bytes. Texts are blobs, so that they come back
-- byte for byte whatever they hold.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT keeps an id from being used again, since folders of derived
-- indexes carry it.
CREATE TABLE library (
  id                   INTEGER PRIMARY KEY AUTOINCREMENT,
  name                 TEXT    NOT NULL UNIQUE,
  revision             INTEGER NOT NULL,
  chunker              TEXT    NOT NULL,
  chunk_size           INTEGER NOT NULL,
  chunk_overlap        INTEGER NOT NULL,
  chunker_fingerprint  TEXT    NOT NULL,
  embedder             TEXT    NOT NULL,
  embedder_fingerprint TEXT    NOT NULL,
  dim                  INTEGER NOT NULL,
  text_fingerprint     TEXT    NOT NULL,
  -- Sums over the library's documents.
  documents            INTEGER NOT NULL DEFAULT 0,
  chunks               INTEGER NOT NULL DEFAULT 0,
  words                INTEGER NOT NULL DEFAULT 0,
  bigrams              INTEGER NOT NULL DEFAULT 0,
  singles              INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE document (
  pk           INTEGER PRIMARY KEY,
  library      INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  id           TEXT    NOT NULL,
  source       TEXT    NOT NULL,
  real_path    TEXT    NOT NULL,
  content_hash TEXT    NOT NULL,
  bytes        INTEGER NOT NULL,
  title        TEXT    NOT NULL,
  media_type   TEXT    NOT NULL,
  encoding     TEXT    NOT NULL,
  language     TEXT    NOT NULL,
  parsed_by    TEXT    NOT NULL,
  status       TEXT    NOT NULL,
  warnings     TEXT    NOT NULL, -- JSON [{"code","detail"}]
  sections     TEXT    NOT NULL, -- JSON [{"level","title","start","end"}], bytes
  pages        TEXT    NOT NULL, -- JSON [[start,end]], bytes
  chars        INTEGER NOT NULL,
  -- Sums over the document's chunks.
  chunks       INTEGER NOT NULL,
  words        INTEGER NOT NULL,
  bigrams      INTEGER NOT NULL,
  singles      INTEGER NOT NULL,
  UNIQUE (library, id)
) STRICT;

-- Two files can have the same source, when it was given relative to two folders.
-- It is unique so that SQLite knows that a listing by it needs no sorting.
CREATE UNIQUE INDEX document_source ON document (library, source, id);

CREATE TABLE body (
  document INTEGER PRIMARY KEY REFERENCES document (pk) ON DELETE CASCADE,
  text     BLOB NOT NULL
) STRICT;

CREATE TABLE alias (
  library      INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  source       TEXT    NOT NULL,
  real_path    TEXT    NOT NULL,
  content_hash TEXT    NOT NULL,
  document     INTEGER NOT NULL REFERENCES document (pk) ON DELETE CASCADE,
  PRIMARY KEY (library, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX alias_document ON alias (document);

CREATE TABLE chunk (
  pk          INTEGER PRIMARY KEY,
  library     INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  id          TEXT    NOT NULL,
  document    INTEGER NOT NULL REFERENCES document (pk) ON DELETE CASCADE,
  ordinal     INTEGER NOT NULL,
  byte_start  INTEGER NOT NULL,
  byte_end    INTEGER NOT NULL,
  point_start INTEGER NOT NULL,
  point_end   INTEGER NOT NULL,
  headings    TEXT    NOT NULL, -- JSON ["outermost", …]
  tokens      INTEGER NOT NULL,
  text        BLOB    NOT NULL,
  UNIQUE (library, id)
) STRICT;

-- The id is there so that listing a document's chunks reads the index alone.
CREATE UNIQUE INDEX chunk_document ON chunk (document, ordinal, id);

-- Vectors of a document's chunks by ordinal, in blocks: float32 little-endian,
-- dim values a chunk, beginning with the chunk numbered first.
CREATE TABLE vector_block (
  document INTEGER NOT NULL REFERENCES document (pk) ON DELETE CASCADE,
  first    INTEGER NOT NULL,
  data     BLOB    NOT NULL,
  PRIMARY KEY (document, first)
) STRICT;
