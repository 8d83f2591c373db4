CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
, words_hash TEXT NOT NULL DEFAULT '') STRICT;

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
  singles      INTEGER NOT NULL, health TEXT NOT NULL DEFAULT '{}', tokens INTEGER NOT NULL DEFAULT 0, modified INTEGER NOT NULL DEFAULT 0, tags TEXT NOT NULL DEFAULT '[]',
  UNIQUE (library, id)
) STRICT;

CREATE TABLE body (
  document INTEGER PRIMARY KEY REFERENCES document (pk) ON DELETE CASCADE,
  text     BLOB NOT NULL
, blocks BLOB NOT NULL DEFAULT x'5B5D') STRICT;

CREATE TABLE alias (
  library      INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  source       TEXT    NOT NULL,
  real_path    TEXT    NOT NULL,
  content_hash TEXT    NOT NULL,
  document     INTEGER NOT NULL REFERENCES document (pk) ON DELETE CASCADE,
  PRIMARY KEY (library, source)
) STRICT, WITHOUT ROWID;

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
  text        BLOB    NOT NULL, parent_start INTEGER NOT NULL DEFAULT 0, parent_end INTEGER NOT NULL DEFAULT 0,
  UNIQUE (library, id)
) STRICT;

CREATE TABLE vector_block (
  document INTEGER NOT NULL REFERENCES document (pk) ON DELETE CASCADE,
  first    INTEGER NOT NULL,
  data     BLOB    NOT NULL,
  PRIMARY KEY (document, first)
) STRICT;

CREATE TABLE dataset (
  name      TEXT    NOT NULL,
  version   INTEGER NOT NULL,
  hash      TEXT    NOT NULL, -- SHA-256 of body
  questions INTEGER NOT NULL,
  imported  TEXT    NOT NULL, -- RFC 3339, UTC
  body      BLOB    NOT NULL,
  PRIMARY KEY (name, version)
) STRICT;

CREATE TABLE binding (
  library INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  dataset TEXT    NOT NULL, -- SHA-256 of the dataset's content
  body    BLOB    NOT NULL,
  PRIMARY KEY (library, dataset)
) STRICT;

CREATE TABLE word (
  library INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
  word    TEXT    NOT NULL,
  freq    INTEGER NOT NULL, -- in 60 million words of text; 0 is unknown
  stop    INTEGER NOT NULL, -- 1 for a stop word
  PRIMARY KEY (library, word)
) STRICT, WITHOUT ROWID;

CREATE TABLE tuned (
  library INTEGER PRIMARY KEY REFERENCES library (id) ON DELETE CASCADE,
  body    TEXT NOT NULL -- JSON, rag.Tuned
) STRICT;

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

CREATE UNIQUE INDEX document_source ON document (library, source, id);

CREATE INDEX alias_document ON alias (document);

CREATE UNIQUE INDEX chunk_document ON chunk (document, ordinal, id);

CREATE INDEX dataset_hash ON dataset (hash);

INSERT INTO meta VALUES ('schema_version', '6');
INSERT INTO library VALUES (1, '样本', 2, 'chars', 4, 1, 'cf', 'e', 'ef', 2, 'tf+wh', 1, 2, 2, 4, 6, 'wh');
INSERT INTO library VALUES (2, '表', 1, 'parent', 9, 0, '', '', '', 1, '', 1, 1, 0, 0, 0, '');
INSERT INTO document VALUES (1, 1, 'd1', 'a/一.md', '/r/a/一.md', '00ff', 15, '一', 'text/markdown', 'utf-8', 'zh', 'markdown', 'indexed', '[{"code":"c","detail":"d"}]', '[{"level":1,"title":"一","start":0,"end":3}]', '[[0,15]]', 5, 2, 2, 4, 6, '{}', 0, 0, '[]');
INSERT INTO document VALUES (2, 2, 'd', '表.csv', '', '', 0, '', '', '', '', '', 'indexed', '[]', '[]', '[]', 5, 1, 0, 0, 0, '{"encoding_confidence":0.5,"pages":0,"pages_with_text":0,"rows_read":2,"rows_kept":2,"tables":1,"images":0,"repeated_lines":0,"garbled":0}', 2, 1000000000, '["合同"]');
INSERT INTO body VALUES (1, X'E4B880E4BA8CE4B889E59B9BE4BA94', X'5B5D');
INSERT INTO body VALUES (2, X'E4B880E4BA8CE4B889E59B9BE4BA94', X'5B5B227461626C65222C302C31352C335D5D');
INSERT INTO alias VALUES (1, 'b/一.md', '/r/b/一.md', '00ff', 1);
INSERT INTO chunk VALUES (1, 1, 'k1', 1, 0, 0, 12, 0, 4, '["一"]', 4, X'E4B880E4BA8CE4B889E59B9B', 0, 0);
INSERT INTO chunk VALUES (2, 1, 'k0', 1, 1, 9, 15, 3, 5, '[]', 2, X'E59B9BE4BA94', 0, 0);
INSERT INTO chunk VALUES (3, 2, 'k', 2, 0, 0, 6, 0, 2, '[]', 0, X'E4B880E4BA8C', 0, 12);
INSERT INTO vector_block VALUES (1, 0, X'9A99193FCDCC4C3F0000803F00000000');
INSERT INTO vector_block VALUES (2, 0, X'0000803F');
INSERT INTO dataset VALUES ('题', 1, 'ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356', 1, '2024-01-02T03:04:05Z', X'7B7D0A');
INSERT INTO binding VALUES (1, 'ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356', X'5B5D');
INSERT INTO word VALUES (1, '公司', 0, 1);
INSERT INTO word VALUES (1, '灵犀三号', 7, 0);
INSERT INTO tuned VALUES (1, '{"pipeline":{"strategy":"","vector":false,"bm25":false,"fusion":"","alpha":0,"rrf_k":0,"candidates":0,"reranker":"","rerank_depth":0,"top_k":0},"library":"","dataset":"题","hash":"","primary":"nDCG@10","seed":0,"baseline":"","n":0,"diff":null,"p_adj":null,"verdict":""}');
INSERT INTO unread VALUES (1, '/r/坏.pdf', '坏.pdf', 'failed', 'limit_bytes', '{"limit":"1"}', '[{"code":"c","detail":"d"}]', 1000000000);
