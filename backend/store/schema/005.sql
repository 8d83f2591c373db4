-- Version 5: what was tuned for a library, and goes with it.

CREATE TABLE tuned (
  library INTEGER PRIMARY KEY REFERENCES library (id) ON DELETE CASCADE,
  body    TEXT NOT NULL -- JSON, rag.Tuned
) STRICT;
