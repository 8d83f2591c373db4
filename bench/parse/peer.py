"""The peer of bench/parse: tokenizers alone, one thread, and jieba + bm25s.

peer.py TEXTS.json TOKENIZER.json ROUNDS prints {"tokenize": seconds, "index": seconds}.
"""
import json
import logging
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import bm25s  # noqa: E402
import jieba  # noqa: E402
import tokenizers  # noqa: E402

texts = json.load(open(sys.argv[1], encoding="utf-8"))
tokenizer = tokenizers.Tokenizer.from_file(sys.argv[2])
tokenizer.no_truncation()
tokenizer.no_padding()
best = float("inf")
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    for t in texts:
        tokenizer.encode(t)
    best = min(best, time.perf_counter() - start)
jieba.setLogLevel(logging.ERROR)
jieba.initialize()
start = time.perf_counter()
words = [jieba.lcut(t) for t in texts[:20_000]]
bm25s.BM25().index(words, show_progress=False)
print(json.dumps({"tokenize": best, "index": time.perf_counter() - start}))
