-- Version 3: structure and health of documents, and the passages that small
-- chunks stand for.

-- JSON, rag.Health.
ALTER TABLE document ADD COLUMN health TEXT NOT NULL DEFAULT '{}';

-- Sum over the document's chunks, of the embedder's tokens.
ALTER TABLE document ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;

-- When the file was last changed, in seconds since 1970; 0 when unknown.
ALTER TABLE document ADD COLUMN modified INTEGER NOT NULL DEFAULT 0;

-- JSON ["tag", …].
ALTER TABLE document ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

-- JSON [["kind",start,end,header end]], bytes.
ALTER TABLE body ADD COLUMN blocks BLOB NOT NULL DEFAULT x'5B5D';

-- Bytes of the document's text; an empty span is the chunk itself.
ALTER TABLE chunk ADD COLUMN parent_start INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunk ADD COLUMN parent_end INTEGER NOT NULL DEFAULT 0;
