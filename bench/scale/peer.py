"""Answers the questions of bench/scale as others do, one line in, one line out.

    peer.py vectors VECTORS QUERIES DIM K THREADS    lines "faiss I" and "numpy I"
    peer.py bm25 CHUNKS.jsonl QUESTIONS.jsonl K      lines "bm25 I"

Each answer is {"ms", "ids"}: what question I took, cutting it into words
included, and the numbers of the first K chunks. The first line says that all is
loaded.
"""

import json
import sys
import time


def vector_searches(vectors, queries, dim, k, threads):
    import faiss
    import numpy

    faiss.omp_set_num_threads(threads)
    rows = numpy.fromfile(vectors, dtype=numpy.float32).reshape(-1, dim)
    questions = numpy.fromfile(queries, dtype=numpy.float32).reshape(-1, dim)
    k = min(k, len(rows))
    index = faiss.IndexFlatIP(dim)
    index.add(rows)

    def by_numpy(i):
        scores = rows @ questions[i]
        best = numpy.argpartition(-scores, k - 1)[:k]
        return best[numpy.argsort(-scores[best], kind="stable")]

    return {"faiss": lambda i: index.search(questions[i:i + 1], k)[1][0], "numpy": by_numpy}


def word_searches(chunks, questions, k):
    import jieba
    import numpy
    from rank_bm25 import BM25Okapi

    jieba.setLogLevel("ERROR")
    with open(chunks, encoding="utf-8") as lines:
        index = BM25Okapi([jieba.lcut(json.loads(line)) for line in lines])
    with open(questions, encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]

    def search(i):
        scores = index.get_scores(jieba.lcut(asked[i]))
        best = numpy.argpartition(-scores, k - 1)[:k]
        return best[numpy.argsort(-scores[best], kind="stable")]

    return {"bm25": search}


def main():
    kind, *arguments = sys.argv[1:]
    if kind == "vectors":
        searches = vector_searches(*arguments[:2], *map(int, arguments[2:]))
    else:
        searches = word_searches(*arguments[:2], int(arguments[2]))
    print(json.dumps({"ms": 0, "ids": []}), flush=True)
    for line in sys.stdin:
        name, i = line.split()
        start = time.perf_counter()
        ids = searches[name](int(i))
        ms = (time.perf_counter() - start) * 1000
        print(json.dumps({"ms": ms, "ids": [int(n) for n in ids]}), flush=True)


main()
