"""How well the score of an extracted answer's best sentence tells whether the documents hold an answer.

    python3 bench/answers/weak.py --program build/bin/ragdesk-headless --data $EVAL_DATA --work DIR

Half of the documents of cmrc2018 and of the English half of xquad become libraries; 150 seeded questions about them and
150 about the other half are asked (extractive, hybrid+rerank, 5 passages). clapnq is asked whole: its questions without
an answer come with the passage that lacks it. The sample library's questions are many times in other words than its
documents. Printed: how many questions of each kind are answered with the notice "weak_quote".
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys

from answers import Service, lines


def library(a, name, documents, size):
    folder = a.work / "docs" / name
    folder.mkdir(parents=True, exist_ok=True)
    for d in documents:
        (folder / f"{d['doc_id'].replace('/', '_')}.txt").write_text(d["text"], encoding="utf-8", newline="")
    subprocess.run([a.program, "--workspace", a.work / "workspace", "ingest", "--kb", name, "--chunker", "chars",
                    "--chunk-size", str(size), "--chunk-overlap", "50", folder], check=True, stdout=subprocess.DEVNULL)


def halves(a, name, corpus, questions, size):
    """A library of half of the documents; the questions about it, and those about the rest."""
    rng = random.Random(a.seed)
    rng.shuffle(corpus)
    rng.shuffle(questions)
    held = {d["doc_id"] for d in corpus[: len(corpus) // 2]}
    library(a, name, [d for d in corpus if d["doc_id"] in held], size)
    about = [[q for q in questions if (q["gold"][0]["doc_id"] in held) == inside][:150] for inside in (True, False)]
    return [(q["question"], inside) for inside, group in zip((True, False), about) for q in group]


def sets(a):
    yield "cmrc2018, half of its documents", "cmrc", halves(
        a, "cmrc", lines(a.data / "cmrc2018/corpus.jsonl"), lines(a.data / "cmrc2018/queries.jsonl"), 250)
    yield "xquad en, half of its documents", "xquad", halves(
        a, "xquad", [d for d in lines(a.data / "xquad_zh_en/corpus.jsonl") if "-en-" in d["doc_id"]],
        [q for q in lines(a.data / "xquad_zh_en/queries.jsonl") if q["lang"] == "en"], 700)
    library(a, "clapnq", lines(a.data / "clapnq/corpus.jsonl"), 700)
    yield "clapnq", "clapnq", [(q["question"], bool(q.get("gold"))) for q in lines(a.data / "clapnq/queries.jsonl")]
    subprocess.run([a.program, "--workspace", a.work / "workspace", "demo"], check=True, stdout=subprocess.DEVNULL)
    sample = pathlib.Path(__file__).parents[2] / "backend/builtin/sample_questions.jsonl"
    yield "sample", "sample", [(q["question"], q["type"] != "unanswerable") for q in lines(sample)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", type=pathlib.Path, required=True)
    p.add_argument("--data", type=pathlib.Path, required=True)
    p.add_argument("--work", type=pathlib.Path, required=True)
    p.add_argument("--seed", type=int, default=7)
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    asked = list(sets(a))
    service = Service(a)
    print("| set | with an answer: noticed | without: noticed |\n|---|---|---|")
    try:
        for title, kb, questions in asked:
            noticed = {True: [], False: []}
            for i, (question, answerable) in enumerate(questions):
                out = service.ask(kb=kb, query=question, strategy="hybrid+rerank", model="extractive", retrieval={"top_k": 5})
                noticed[answerable].append(any(w["code"] == "weak_quote" for w in out["warnings"]))
                print(f"{title}: {i + 1} of {len(questions)}", end="\r", file=sys.stderr, flush=True)
            print(f"| {title} | {sum(noticed[True])} of {len(noticed[True])} | {sum(noticed[False])} of {len(noticed[False])} |", flush=True)
    finally:
        service.close()


if __name__ == "__main__":
    main()
