#!/usr/bin/env bash
# Ratios against the peers, each measured in one run. EVAL_DATA names the folder
# of the public evaluation sets, without which most have nothing to run on.
set -eu
cd "$(dirname "$0")/.."
program=build/bin/ragdesk-headless
if [ -z "${EVAL_DATA:-}" ]; then
	echo "EVAL_DATA=DIR make bench: DIR holds the public evaluation sets (cmrc2018, drcd, …)" >&2
	exit 2
fi
echo "== embedding against Python onnxruntime"
go run ./bench/embed -data "$EVAL_DATA"
echo "== whole ingestion of 1,000 documents against embedding alone in Python"
build/cache/peer-embed/bin/python bench/ingest/ingest.py --program "$program" --data "$EVAL_DATA" -n "${BENCH_DOCS:-1000}"
echo "== reading, cutting and indexing against Python tokenizers, jieba and bm25s"
go run ./bench/parse -data "$EVAL_DATA"
echo "== pages of PDF"
go test ./backend/parse/pdf -run '^$' -bench Book
echo "== start to answer"
build/cache/peer-embed/bin/python bench/start/start.py --program "$program" --data "$EVAL_DATA"
