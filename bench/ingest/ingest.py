"""Compares a whole ingestion with embedding alone in Python.

    build/cache/peer-embed/bin/python bench/ingest/ingest.py --program build/bin/ragdesk-headless \
        --data DIR [-n 1000]

DIR holds the public evaluation sets. The first n documents of cmrc2018 and drcd
are written out as files and ingested by the program, from process start to end:
reading, cutting, embedding, indexing, storing. Then Python's onnxruntime 1.27.0
embeds the very same chunks, one text a run, same model, same cores, without
loading (bench/embed/peer.py). Printed are tokens a second of wall time and of
processor time; on a machine that others use, the second is the fairer.
"""

import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def documents(data, n):
    out = []
    for name in ("cmrc2018", "drcd"):
        with open(os.path.join(data, name, "corpus.jsonl"), encoding="utf-8") as lines:
            out += [json.loads(line) for line in lines]
    return out[:n]


def measured(command, **kw):
    """Runs a command; returns its output, wall seconds and processor seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, **kw)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, wall, cpu


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--program", required=True)
    p.add_argument("--data", required=True)
    p.add_argument("-n", type=int, default=1000)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        docs = os.path.join(work, "docs")
        os.mkdir(docs)
        for d in documents(a.data, a.n):
            with open(os.path.join(docs, d["doc_id"] + ".txt"), "w", encoding="utf-8") as f:
                f.write(d["text"])
        env = dict(os.environ, RAGDESK_WORKSPACE=os.path.join(work, "ws"), RAGDESK_CACHE=os.path.join(work, "cache"))
        subprocess.run([a.program, "doctor", "--json"], env=env, stdout=subprocess.DEVNULL, check=False)  # unpacks the models
        out, wall, cpu = measured([a.program, "ingest", "--kb", "bench", "--json", docs], env=env)
        report = json.loads(out)
        chunks = subprocess.run([a.program, "chunks", "export", "--kb", "bench"], env=env, check=True, stdout=subprocess.PIPE).stdout
        texts = os.path.join(work, "texts.jsonl")
        with open(texts, "wb") as f:
            f.write(chunks)
        model, = glob.glob(os.path.join(env["RAGDESK_CACHE"], "*", "bge-small-zh-v1.5-int8.onnx"))
        tokenizer, = glob.glob(os.path.join(env["RAGDESK_CACHE"], "*", "bge-small-zh-v1.5-tokenizer.json"))
        peer, _, peer_cpu = measured([sys.executable, "bench/embed/peer.py", "--model", model, "--tokenizer", tokenizer,
                                      "--limit", "512", "--pooling", "cls", "--lowercase", "--workers", str(os.cpu_count()),
                                      "--only", "workers", texts])
        peer = json.loads(peer)
    tokens = peer["tokens"]
    print(f"{report['totals'].get('indexed')} documents, {report['totals']['chunks']} chunks, {tokens} tokens, {os.cpu_count()} cores")
    print(f"  ragdesk ingest      {tokens / wall:8.0f} tokens/s   {tokens / cpu:8.0f} tokens per processor second")
    print(f"  Python onnxruntime  {tokens / peer['seconds']:8.0f} tokens/s   {tokens / peer_cpu:8.0f} tokens per processor second")
    print(f"  ratio               {peer['seconds'] / wall:8.2f}            {peer_cpu / cpu:8.2f}")


if __name__ == "__main__":
    main()
