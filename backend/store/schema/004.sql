-- Version 4: words that a library's text index is told of.

CREATE TABLE word (
  library INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  word    TEXT    NOT NULL,
  freq    INTEGER NOT NULL, -- in 60 million words of text; 0 is unknown
  stop    INTEGER NOT NULL, -- 1 for a stop word
  PRIMARY KEY (library, word)
) STRICT, WITHOUT ROWID;

-- Hash of the library's words; empty for none.
ALTER TABLE library ADD COLUMN words_hash TEXT NOT NULL DEFAULT '';
