"""Times the headless program from process start to answer.

    python3 bench/start/start.py --program build/bin/ragdesk-headless --data DIR

A library of 1,000 chunks is made of the documents of cmrc2018 in DIR (windows of
250 characters). Printed is the best and the median of ten runs of each command
after one to warm up, and the stages of the search.

    python3 bench/start/start.py --program build/bin/ragdesk-headless --against OTHER

compares the processor time and the size of two programs that only print their help,
the best of 25 runs each, in turns.

    python3 bench/start/start.py --program build/bin/ragdesk-headless --ask smollm2:135m

asks the sample library by a language model that is installed, five times, each from
cold: the program starts, searches, starts its engine, and the engine loads the model.
Printed are the medians until the first letter is on standard output and until the end.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time


def processor(program):
    """Milliseconds of processor time of one run."""
    def spent():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (r.ru_utime + r.ru_stime) * 1000
    before = spent()
    subprocess.run([program, "--help"], stdout=subprocess.DEVNULL, check=True)
    return spent() - before


def against(ours, other):
    best = {ours: float("inf"), other: float("inf")}
    for _ in range(25):
        for program in best:
            best[program] = min(best[program], processor(program))
    for program, ms in best.items():
        print(f"  {program}: --help {ms:.1f} ms of processor time, {os.path.getsize(program) / 1e6:.0f} MB")
    print(f"  ratio {best[ours] / best[other]:.2f} in time, {os.path.getsize(ours) / os.path.getsize(other):.2f} in size")


def cold(program, model):
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, RAGDESK_WORKSPACE=os.path.join(work, "ws"))
        subprocess.run([program, "demo"], env=env, check=True, stdout=subprocess.DEVNULL)
        first, whole = [], []
        for _ in range(5):
            start = time.perf_counter()
            ask = subprocess.Popen([program, "ask", "--kb", "sample", "--model", model, "--top-k", "3", "--fresh",
                                    "How many days are backups kept?"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            os.read(ask.stdout.fileno(), 1)
            first.append(time.perf_counter() - start)
            ask.communicate()
            if ask.returncode:
                raise SystemExit(f"ask ended with {ask.returncode}")
            whole.append(time.perf_counter() - start)
    print(f"  {model}: first letter {statistics.median(first):.1f} s, whole answer {statistics.median(whole):.1f} s")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--program", required=True)
    p.add_argument("--data")
    p.add_argument("--against")
    p.add_argument("--ask", metavar="MODEL")
    a = p.parse_args()
    if a.ask:
        cold(a.program, a.ask)
        return
    if a.against:
        against(a.program, a.against)
        return
    with tempfile.TemporaryDirectory() as work:
        docs = os.path.join(work, "docs")
        os.mkdir(docs)
        with open(os.path.join(a.data, "cmrc2018", "corpus.jsonl"), encoding="utf-8") as lines:
            for line in list(lines)[:350]:
                d = json.loads(line)
                with open(os.path.join(docs, d["doc_id"] + ".txt"), "w", encoding="utf-8") as f:
                    f.write(d["text"])
        env = dict(os.environ, RAGDESK_WORKSPACE=os.path.join(work, "ws"))
        out = subprocess.run([a.program, "ingest", "--kb", "k", "--json", "--chunker", "chars", "--chunk-size", "250",
                              "--chunk-overlap", "50", docs], env=env, check=True, stdout=subprocess.PIPE).stdout
        print(f"library of {json.loads(out)['totals']['chunks']} chunks")
        question = "锣鼓经是什么？"
        commands = {
            "--help": ["--help"],
            "search, bm25": ["search", "--kb", "k", "--json", "--strategy", "bm25", question],
            "search, vector": ["search", "--kb", "k", "--json", "--strategy", "vector", question],
            "search, hybrid+rerank": ["search", "--kb", "k", "--json", question],
        }
        for name, args in commands.items():
            seconds = []
            for _ in range(11):
                start = time.perf_counter()
                out = subprocess.run([a.program, *args], env=env, check=True, stdout=subprocess.PIPE).stdout
                seconds.append(time.perf_counter() - start)
            seconds = seconds[1:]
            print(f"  {name:24} best {min(seconds) * 1000:6.0f} ms   median {statistics.median(seconds) * 1000:6.0f} ms")
        print("  stages of the last:", json.dumps(json.loads(out)["timings_ms"]))


if __name__ == "__main__":
    main()
