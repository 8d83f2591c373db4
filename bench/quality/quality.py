"""Ranking quality on public question sets, at chunk level, as a Markdown table.

    python3 bench/quality/quality.py --program build/bin/ragdesk-headless --data $EVAL_DATA --work DIR

Each set becomes a library (documents as files, windows of 250 characters, 50 shared) in a workspace below DIR;
up to 500 questions a set are drawn with a seed. What is done is kept in DIR and not done again, so that the command
can be stopped at any time and goes on where it was. --only prints or makes some sets alone.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys

STRATEGIES = "vector,bm25,union,hybrid,weighted,hybrid+rerank"
METRICS = "nDCG@10,MRR@10,Recall@5"
# name: (corpora, questions, relevance). Quotes of the first sets are short and lie in one chunk; those of the others are
# sentences that windows cut, and count where a chunk overlaps them.
SETS = {
    "cmrc2018": (["cmrc2018"], "cmrc2018/queries.jsonl", "contains"),
    "drcd": (["drcd"], "drcd/queries.jsonl", "contains"),
    "drcd, simplified questions": (["drcd"], "drcd/queries_simplified.jsonl", "contains"),
    "xquad zh": (["xquad_zh_en"], "xquad_zh_en/queries.jsonl#zh", "contains"),
    "xquad en": (["xquad_zh_en"], "xquad_zh_en/queries.jsonl#en", "contains"),
    "xquad cross-lingual": (["xquad_zh_en"], "xquad_zh_en/queries.jsonl#cross", "contains"),
    "dureader_demo": (["dureader_demo"], "dureader_demo/queries.jsonl", "overlaps"),
    "scifact": (["scifact"], "scifact/queries.jsonl", "overlaps"),
    "hotpotqa": (["hotpotqa_sample"], "hotpotqa_sample/queries.jsonl", "overlaps"),
    "pooled": (["cmrc2018", "drcd", "xquad_zh_en", "dureader_demo", "scifact", "hotpotqa_sample"], "*", "overlaps"),
}


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def write_documents(data, work, corpus):
    """Writes a corpus as one file a document, once."""
    folder = work / "docs" / corpus
    done = folder / ".done"
    if done.exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for d in lines(data / corpus / "corpus.jsonl"):
        (folder / f"{d['doc_id']}.txt").write_text(d["text"], encoding="utf-8", newline="")
    done.touch()
    return folder


def questions(data, spec):
    """The questions with gold of a set, in file order."""
    path, _, kind = spec.partition("#")
    out = []
    for q in lines(data / path):
        gold = q.get("parallel_gold") if kind == "cross" else q.get("gold")
        if not gold or kind in ("zh", "en") and q.get("lang") != kind:
            continue
        out.append({"query_id": q["query_id"], "question": q["question"], "gold": gold})
    return out


def sample(data, spec, n, seed):
    if spec == "*":  # as many of each set
        specs = [s for name, (_, s, _) in SETS.items() if s != "*" and "cross" not in s and "simplified" not in s]
        per = -(-n // len(specs))
        return [q for s in specs for q in sample(data, s, per, seed)]
    all_questions = questions(data, spec)
    if len(all_questions) <= n:
        return all_questions
    chosen = set(random.Random(seed).sample(range(len(all_questions)), n))
    return [q for i, q in enumerate(all_questions) if i in chosen]


def documents(data, work, corpus, cap, asked, seed):
    """The files of a corpus; of a capped one those that the questions' gold names, and others drawn up to the cap."""
    folder = write_documents(data, work, corpus)
    if corpus not in cap:
        return [str(folder)]
    every = [d["doc_id"] for d in lines(data / corpus / "corpus.jsonl")]
    gold = {g["doc_id"] for q in asked for g in q["gold"]}
    kept = [d for d in every if d in gold]
    others = [d for d in every if d not in gold]
    random.Random(seed).shuffle(others)
    kept += others[: max(0, cap[corpus] - len(kept))]
    return [str(folder / f"{d}.txt") for d in sorted(kept)]


def run(program, work, *args):
    command = [program, "--workspace", str(work / "workspace"), "--json", *args]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if result.returncode not in (0,):
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout.decode()[:2000]}")
    return json.loads(result.stdout)


def holm(comparisons):
    """Comparisons of one metric with their p-values adjusted together (eval itself does so for its primary metric alone)."""
    kept = [{k: c[k] for k in ("metric", "a", "b", "diff", "ci", "p")} for c in comparisons]
    ordered = sorted((c for c in kept if c["p"] is not None), key=lambda c: c["p"])
    least = 0.0
    for i, c in enumerate(ordered):
        least = max(least, min(1.0, c["p"] * (len(ordered) - i)))
        c["p_adj"] = least
    return kept


def mark(c):
    """How a strategy stands to hybrid+rerank: significantly below it, above it, or neither."""
    if c is None or c.get("p_adj") is None or c["p_adj"] >= 0.05 or c["ci"][0] <= 0 <= c["ci"][1]:
        return ""
    return "↑" if c["diff"] > 0 else "↓"


def measure(a, name):
    """Evaluates one set, unless that is done."""
    corpora, spec, relevance = SETS[name]
    slug = "".join(c if c.isalnum() else "-" for c in name)
    out = a.work / f"{slug}.json"
    if out.exists():
        return json.loads(out.read_text())
    kb = "pool" if len(corpora) > 1 else corpora[0]
    print(f"{name}: library {kb}", file=sys.stderr, flush=True)
    asked = sample(a.data, spec, a.questions, a.seed)
    paths = [p for c in corpora for p in documents(a.data, a.work, c, a.cap, asked, a.seed)]
    run(a.program, a.work, "ingest", "--kb", kb, "--chunker", "chars", "--chunk-size", "250", "--chunk-overlap", "50", *paths)
    dataset = a.work / f"{slug}.jsonl"
    dataset.write_text("".join(json.dumps(q, ensure_ascii=False) + "\n" for q in asked), encoding="utf-8")
    print(f"{name}: {len(asked)} questions", file=sys.stderr, flush=True)
    report = run(a.program, a.work, "eval", "--kb", kb, "--dataset", str(dataset), "--strategies", STRATEGIES, "--metrics", METRICS,
                 "--primary", "MRR@10", "--baseline", "hybrid+rerank", "--relevance", relevance)
    kept = {"n": report["runs"][0]["total_queries"], "runs": {}, "comparisons": []}
    for r in report["runs"]:
        kept["runs"][r["strategy"]] = {m: v["value"] for m, v in r["metrics"].items()}
    for metric in METRICS.split(","):
        kept["comparisons"] += holm([c for c in report["comparisons"] if c["metric"] == metric])
    out.write_text(json.dumps(kept, indent=1))
    return kept


def cell(r, strategy):
    """The strategy's measures on one set, in the order of METRICS."""
    out = []
    for metric in METRICS.split(","):
        c = next((c for c in r["comparisons"] if c["metric"] == metric and c["b"] == strategy), None)
        out.append(f"{r['runs'][strategy][metric]:.3f}".replace("0.", ".", 1) + mark(c))
    return " · ".join(out)


def table(results):
    names = STRATEGIES.split(",")
    print(f"\n| {' · '.join(METRICS.split(','))} | n | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 2) + "|")
    for name, r in results.items():
        print(f"| {name} | {r['n']} | " + " | ".join(cell(r, s) for s in names) + " |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True)
    p.add_argument("--data", required=True, type=pathlib.Path)
    p.add_argument("--work", required=True, type=pathlib.Path)
    p.add_argument("--questions", type=int, default=500)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cap", nargs="*", default=[], metavar="CORPUS=N", help="at most N documents of a corpus, for a machine that is slow")
    p.add_argument("--only", nargs="*", default=list(SETS))
    a = p.parse_args()
    a.cap = {name: int(n) for name, _, n in (c.partition("=") for c in a.cap)}
    a.work.mkdir(parents=True, exist_ok=True)
    table({name: measure(a, name) for name in SETS if name in a.only})


if __name__ == "__main__":
    main()
