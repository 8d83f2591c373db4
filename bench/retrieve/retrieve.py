"""Compares a hybrid search with the usual Python one on the same chunks.

    build/cache/peer-embed/bin/python bench/retrieve/retrieve.py \
        --program build/bin/ragdesk-headless --data DIR [--chunks 10000] [--queries 200]

The documents of cmrc2018 and drcd in DIR are cut into windows of 60 characters
until there are enough chunks, and ingested by the program. The peer holds the
same chunks: vectors in chromadb (made by the same model, one text a run), words
by jieba in rank_bm25, fused by reciprocal ranks, 50 candidates a leg. Both
answer the same questions in one process, embedding of the question included;
printed is the median a query. The program is asked over its loopback service.
"""

import argparse
import glob
import json
import os
import statistics
import subprocess
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import chromadb
import jieba
import numpy
import onnxruntime
from rank_bm25 import BM25Okapi
from tokenizers import Tokenizer
from tokenizers.normalizers import BertNormalizer

WINDOW = 60


def read(data, name, what):
    with open(os.path.join(data, name, what), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Model:
    """bge-small-zh through onnxruntime, as bench/embed/peer.py runs it."""

    def __init__(self, cache):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        path, = glob.glob(os.path.join(cache, "*", "bge-small-zh-v1.5-int8.onnx"))
        tokenizer, = glob.glob(os.path.join(cache, "*", "bge-small-zh-v1.5-tokenizer.json"))
        self.session = onnxruntime.InferenceSession(path, options)
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.normalizer = BertNormalizer(lowercase=True)
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(512)

    def __call__(self, text):
        ids = numpy.array([self.tokenizer.encode(text).ids], dtype=numpy.int64)
        feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        row = self.session.run(["last_hidden_state"], feed)[0][0][0]
        return row / numpy.linalg.norm(row)


def peer(chunks, model):
    """Returns a function that answers a question with ranked chunk ids."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        vectors = list(pool.map(model, [c["text"] for c in chunks]))
    collection = chromadb.EphemeralClient().create_collection("bench", metadata={"hnsw:space": "cosine"})
    for at in range(0, len(chunks), 1000):
        part = chunks[at:at + 1000]
        collection.add(ids=[c["chunk_id"] for c in part], embeddings=vectors[at:at + 1000], documents=[c["text"] for c in part])
    bm25 = BM25Okapi([jieba.lcut(c["text"]) for c in chunks])
    ids = [c["chunk_id"] for c in chunks]

    def answer(question):
        near = collection.query(query_embeddings=[model(question)], n_results=50)["ids"][0]
        scores = bm25.get_scores(jieba.lcut(question))
        best = [ids[i] for i in numpy.argsort(-scores)[:50]]
        fused = {}
        for ranking in (near, best):
            for rank, chunk in enumerate(ranking, 1):
                fused[chunk] = fused.get(chunk, 0) + 1 / (60 + rank)
        return sorted(fused, key=lambda c: (-fused[c], c))[:5]

    return answer


def service(program, env):
    """Starts the program's loopback service; returns a search function and a stop."""
    serve = subprocess.Popen([program, "serve", "--json", "--port", "0"], env=env, stdout=subprocess.PIPE, text=True)
    document = ""
    while True:
        document += serve.stdout.readline()
        try:
            url = json.loads(document)["url"]
            break
        except ValueError:
            continue
    base, token = url.split("/?token=")

    def answer(question):
        body = json.dumps({"kb": "bench", "query": question, "strategy": "hybrid"}).encode()
        request = urllib.request.Request(base + "/api/Search", body,
                                         {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return [h["chunk_id"] for h in json.load(response)["hits"]]

    return answer, serve.terminate


def medians(answer, questions):
    for q in questions[:5]:
        answer(q)
    seconds = []
    for q in questions:
        start = time.perf_counter()
        answer(q)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) * 1000


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--program", required=True)
    p.add_argument("--data", required=True)
    p.add_argument("--chunks", type=int, default=10000)
    p.add_argument("--queries", type=int, default=200)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        docs, held = os.path.join(work, "docs"), 0
        os.mkdir(docs)
        for d in read(a.data, "cmrc2018", "corpus.jsonl") + read(a.data, "drcd", "corpus.jsonl"):
            if held >= a.chunks:
                break
            held += -(-len(d["text"]) // WINDOW)
            with open(os.path.join(docs, d["doc_id"] + ".txt"), "w", encoding="utf-8") as f:
                f.write(d["text"])
        env = dict(os.environ, RAGDESK_WORKSPACE=os.path.join(work, "ws"), RAGDESK_CACHE=os.path.join(work, "cache"))
        subprocess.run([a.program, "ingest", "--kb", "bench", "--chunker", "chars", "--chunk-size", str(WINDOW), "--chunk-overlap", "0", docs],
                       env=env, check=True, stdout=subprocess.DEVNULL)
        out = subprocess.run([a.program, "chunks", "export", "--kb", "bench"], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
        chunks = [json.loads(line) for line in out.splitlines()]
        questions = [q["question"] for q in read(a.data, "cmrc2018", "queries.jsonl")[:a.queries]]
        model = Model(env["RAGDESK_CACHE"])
        theirs = peer(chunks, model)
        ours, stop = service(a.program, env)
        try:
            times = [(medians(ours, questions), medians(theirs, questions)) for _ in range(3)]
        finally:
            stop()
    mine, other = min(t[0] for t in times), min(t[1] for t in times)
    print(f"{len(chunks)} chunks, {len(questions)} questions, best of 3 rounds, median a query")
    print(f"  ragdesk hybrid, over loopback          {mine:7.1f} ms")
    print(f"  chromadb + rank_bm25 with jieba, RRF   {other:7.1f} ms")
    print(f"  ratio                                  {other / mine:7.2f}")


if __name__ == "__main__":
    main()
