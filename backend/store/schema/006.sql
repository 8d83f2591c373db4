-- Version 6: files that gave no document, so that none is lost without a word.

CREATE TABLE unread (
  library  INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  place    TEXT    NOT NULL, -- absolute path; of a file in an archive with its name there
  source   TEXT    NOT NULL,
  status   TEXT    NOT NULL,
  code     TEXT    NOT NULL, -- of the error; empty for none
  params   TEXT    NOT NULL, -- JSON {"name":"value"}
  warnings TEXT    NOT NULL, -- JSON [{"code","detail"}]
  tried    INTEGER NOT NULL, -- seconds since 1970
  PRIMARY KEY (library, place)
) STRICT, WITHOUT ROWID;
