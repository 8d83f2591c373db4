-- Version 2: datasets, and where their gold lies in libraries.

-- A version of a dataset is never changed.
CREATE TABLE dataset (
  name      TEXT    NOT NULL,
  version   INTEGER NOT NULL,
  hash      TEXT    NOT NULL, -- SHA-256 of body
  questions INTEGER NOT NULL,
  imported  TEXT    NOT NULL, -- RFC 3339, UTC
  body      BLOB    NOT NULL,
  PRIMARY KEY (name, version)
) STRICT;

CREATE INDEX dataset_hash ON dataset (hash);

-- Bindings belong to a content, which need not be stored here: a file that is
-- evaluated has them too.
CREATE TABLE binding (
  library INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  dataset TEXT    NOT NULL, -- SHA-256 of the dataset's content
  body    BLOB    NOT NULL,
  PRIMARY KEY (library, dataset)
) STRICT;
