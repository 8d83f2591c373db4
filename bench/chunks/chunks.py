"""The built-in sample library cut in several ways, measured on the same labels, as a Markdown table.

    python3 bench/chunks/chunks.py --program build/bin/ragdesk-headless

Labels bind to spans of documents, so each way of cutting is measured on the same gold; the table tells how many labels
could not be resolved and how many questions no chunk answers whole ("split").
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

WAYS = [("tokens", 128, 32), ("tokens", 256, 64), ("tokens", 512, 128), ("tokens", 1024, 256), ("sentences", 256, 64), ("headings", 256, 0),
        ("headings", 512, 0), ("auto", 512, 128), ("parent", 512, 0)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)

        def run(*args, raw=False, codes=(0,)):
            done = subprocess.run([a.program, "--workspace", str(work / "ws"), *([] if raw else ["--json"]), *args],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            if done.returncode not in codes:
                sys.exit(f"{args}: exit {done.returncode}\n{done.stdout.decode()[:1000]}")
            return done.stdout if raw else json.loads(done.stdout)

        run("demo", "--out", str(work / "demo"), raw=True)
        docs = work / "docs"
        for d in run("docs", "list", "--kb", "sample")["documents"]:
            path = docs / d["source"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(run("docs", "text", "--kb", "sample", d["doc_id"], raw=True))
        dataset = work / "sample.jsonl"
        dataset.write_bytes(run("dataset", "export", "sample", raw=True))
        print("| chunker | size | chunks | unresolved labels | split | strategy | MRR@10 | nDCG@10 | Recall@5 |\n|---|---|---|---|---|---|---|---|---|")
        for chunker, size, overlap in WAYS:
            kb = f"{chunker}-{size}"
            flags = ["--chunk-overlap", str(overlap)] if overlap else []
            report = run("ingest", "--kb", kb, "--chunker", chunker, "--chunk-size", str(size), *flags, str(docs))
            problems = run("dataset", "validate", str(dataset), "--kb", kb, codes=(0, 2))["problems"]
            runs = run("eval", "--kb", kb, "--dataset", str(dataset), "--strategies", "vector,bm25,hybrid+rerank", "--metrics",
                       "MRR@10,nDCG@10,Recall@5", "--unit", "gold")["runs"]
            for r in runs:
                split = sum(f["cause"] == "split" for f in r["failures"])
                m = {k: v["value"] for k, v in r["metrics"].items()}
                print(f"| {chunker} | {size} | {report['totals']['chunks']} | {len(problems)} | {split} | {r['strategy']} | "
                      f"{m['MRR@10']:.3f} | {m['nDCG@10']:.3f} | {m['Recall@5']:.3f} |", flush=True)


if __name__ == "__main__":
    main()
