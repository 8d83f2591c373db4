"""Embeds texts with Python's onnxruntime, one text a run, and prints the speed.

    python bench/embed/peer.py --model M.onnx --tokenizer T.json --limit 512 \
        --pooling cls --workers 2 TEXTS.jsonl

TEXTS.jsonl has one object with a key "text" a line. Output: one JSON object
{"tokens", "seconds", "config", "configs"}. tokens counts what the model was fed,
special tokens included; seconds covers tokenising, running, pooling and
normalising, not loading. Two ways to use the cores are timed, as many threads as
workers sharing one single-threaded session and one thread whose session has as
many; the faster is the result.
"""

import argparse
import concurrent.futures
import json
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer
from tokenizers.normalizers import BertNormalizer


def session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options)


def embed(tokenizer, model, pooling, text):
    """Returns the unit vector of text and the number of tokens it took."""
    ids = numpy.array([tokenizer.encode(text).ids], dtype=numpy.int64)
    feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    rows = model.run(["last_hidden_state"], feed)[0][0]
    vector = rows[0] if pooling == "cls" else rows.mean(axis=0)
    return vector / numpy.linalg.norm(vector), ids.size


def timed(tokenizer, model, pooling, workers, texts):
    """Returns (tokens, seconds) of embedding texts once."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        one = lambda text: embed(tokenizer, model, pooling, text)
        list(pool.map(one, texts[:workers]))  # the first run of a session is slower
        start = time.perf_counter()
        tokens = sum(n for _, n in pool.map(one, texts))
        return tokens, time.perf_counter() - start


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--limit", type=int, required=True)
    p.add_argument("--pooling", choices=["cls", "mean"], required=True)
    p.add_argument("--lowercase", action="store_true", help="lower texts although the tokenizer keeps capitals")
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--only", choices=["workers", "intra"], help="time only this way")
    p.add_argument("texts")
    a = p.parse_args()
    with open(a.texts, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    tokenizer = Tokenizer.from_file(a.tokenizer)
    if a.lowercase:
        tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.no_padding()
    tokenizer.enable_truncation(a.limit)
    configs = {}
    for name, threads, workers in (("workers", 1, a.workers), ("intra", a.workers, 1)):
        if a.only not in (None, name):
            continue
        model = session(a.model, threads)
        configs[f"{name}={a.workers}"] = timed(tokenizer, model, a.pooling, workers, texts)
    best = min(configs, key=lambda c: configs[c][1])
    tokens, seconds = configs[best]
    print(json.dumps({
        "tokens": tokens,
        "seconds": seconds,
        "config": best,
        "configs": {c: s for c, (_, s) in configs.items()},
    }))


if __name__ == "__main__":
    main()
