"""Shares of questions whose answer contains a gold answer, as a Markdown table.

    python3 bench/answers/answers.py --program build/bin/ragdesk-headless --data $EVAL_DATA --work DIR \
        [--models extractive smollm2:135m gemma3:270m] [--questions 200]

cmrc2018 and the English half of xquad become libraries (documents as files, windows of 250 characters, 50 shared) in a
workspace below DIR, and the program is asked over its loopback service: each model, with 1, 3 and 5 passages from each
strategy. Answer and gold are compared as the sets' own scripts do, case, punctuation, blanks and, in English, articles
apart; citations are no part of an answer. Every answer is kept in DIR and not asked for again, so that the command can
be stopped at any time and goes on where it was. The questions of a smaller --questions are the first of those of a
larger one. A remaining time is printed to stderr.
"""
import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import time
import unicodedata
import urllib.error
import urllib.request

STRATEGIES = ["vector", "hybrid", "hybrid+rerank"]
PASSAGES = [1, 3, 5]
SETS = {"cmrc2018": ("cmrc2018", "zh"), "xquad en": ("xquad_zh_en", "en")}
CITATION = re.compile(r"\s*\[\d{1,3}(?:\s*[-,]\s*\d{1,3})*\]")


def lines(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def normal(text, lang):
    """A text as SQuAD's and CMRC's scripts compare it."""
    text = "".join(c for c in text.lower() if unicodedata.category(c)[0] not in "PS")
    if lang == "zh":
        return "".join(text.split())
    words = [w for w in text.split() if w not in ("a", "an", "the")]
    return " " + " ".join(words) + " "


def contains(answer, golds, lang):
    said = normal(CITATION.sub(" ", answer), lang)
    return any(normal(g, lang).strip() and normal(g, lang) in said for g in golds)


def questions(data, name, n, seed):
    folder, lang = SETS[name]
    every = [q for q in lines(data / folder / "queries.jsonl") if q.get("lang", lang) == lang and q.get("answers")]
    random.Random(seed).shuffle(every)
    return every[:n]


def ingest(a, folder):
    """Writes a corpus as one file a document and reads it into a library; both only once."""
    docs = a.work / "docs" / folder
    if not (docs / ".done").exists():
        docs.mkdir(parents=True, exist_ok=True)
        for d in lines(a.data / folder / "corpus.jsonl"):
            if folder == "xquad_zh_en" and d.get("lang", "en" if "-en-" in d["doc_id"] else "zh") != "en":
                continue
            (docs / f"{d['doc_id']}.txt").write_text(d["text"], encoding="utf-8", newline="")
        (docs / ".done").touch()
    subprocess.run([a.program, "--workspace", a.work / "workspace", "ingest", "--kb", folder, "--chunker", "chars",
                    "--chunk-size", "250", "--chunk-overlap", "50", docs], check=True, stdout=subprocess.DEVNULL)


class Service:
    """The program's loopback service."""

    def __init__(self, a):
        self.process = subprocess.Popen([a.program, "--workspace", a.work / "workspace", "serve", "--json", "--port", "0"],
                                        stdout=subprocess.PIPE, text=True)
        document = ""
        while "}" not in document:
            document += self.process.stdout.readline()
        self.base, self.token = json.loads(document)["url"].split("/?token=")

    def ask(self, **request):
        call = urllib.request.Request(self.base + "/api/Ask", json.dumps(request).encode(),
                                      {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(call, timeout=1800) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            body = refused.read().decode()
            # The model wrote nothing, or went on repeating itself: no answer.
            if '"llm_reply_invalid"' in body or '"llm_repeats"' in body:
                return None
            sys.exit(f"{request}: {body[:2000]}")

    def close(self):
        self.process.terminate()
        self.process.wait()


def kept(a, model, name, strategy, k):
    slug = re.sub(r"[^\w.+-]", "-", f"{model} {name} {strategy} {k}")
    return a.work / "answers" / f"{slug}.jsonl"


def measure(a):
    (a.work / "answers").mkdir(parents=True, exist_ok=True)
    todo = []
    for model in a.models:
        for name in a.sets:
            asked = questions(a.data, name, a.questions if model == "extractive" else a.model_questions, a.seed)
            cells = [(strategy, k, kept(a, model, name, strategy, k)) for strategy in a.strategies for k in a.passages]
            done = {path: {r["query_id"] for r in lines(path)} for _, _, path in cells}
            # One question after the other, so that every cell has as many wherever it stops, and what
            # several strategies find alike is read once.
            todo += [(model, name, strategy, k, q, path) for q in asked for strategy, k, path in cells if q["query_id"] not in done[path]]
    if not todo:
        return
    for name in a.sets:
        ingest(a, SETS[name][0])
    service = Service(a)
    start = shown = time.monotonic()
    try:
        for i, (model, name, strategy, k, q, path) in enumerate(todo):
            out = service.ask(kb=SETS[name][0], query=q["question"], strategy=strategy, model=model, retrieval={"top_k": k}, lang=SETS[name][1])
            out = out or {"answer": "", "hits": [], "cut": [], "abstained": False, "citations": []}
            shown_texts = [h["text"] for h in out["hits"] if h["chunk_id"] not in out["cut"]]
            row = {"query_id": q["query_id"], "contains": contains(out["answer"], q["answers"], SETS[name][1]),
                   "gold_in_prompt": contains(" ".join(shown_texts), q["answers"], SETS[name][1]),
                   "abstained": out["abstained"], "answer": out["answer"], "answers": q["answers"], "citations": [c["state"] for c in out["citations"]]}
            with open(path, "a", encoding="utf-8") as f:
                f.write(json.dumps(row, ensure_ascii=False) + "\n")
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                left = (shown - start) / (i + 1) * (len(todo) - i - 1)
                print(f"{i + 1} of {len(todo)} ({model}, {name}, {strategy}, {k}), about {left / 60:.0f} min left", file=sys.stderr, flush=True)
    finally:
        service.close()


def interval(hits, n, z=1.96):
    """Wilson's interval of a share."""
    p = hits / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def short(x):
    return f"{x:.2f}".replace("0.", ".", 1)


def table(a):
    for name in a.sets:
        print(f"\n| {name} | n | passages | " + " | ".join(a.strategies) + " |")
        print("|---" * (len(a.strategies) + 3) + "|")
        for model in a.models:
            wanted = {q["query_id"] for q in questions(a.data, name, a.questions if model == "extractive" else a.model_questions, a.seed)}
            for k in a.passages:
                cells, counts = [], set()
                for strategy in a.strategies:
                    rows = [r for r in lines(kept(a, model, name, strategy, k)) if r["query_id"] in wanted]
                    if not rows:
                        cells.append("–")
                        continue
                    hits = sum(r["contains"] for r in rows)
                    low, high = interval(hits, len(rows))
                    cells.append(f"{short(hits / len(rows))} [{short(low)}, {short(high)}]; in the prompt {short(sum(r['gold_in_prompt'] for r in rows) / len(rows))}")
                    counts.add(len(rows))
                print(f"| {model} | {', '.join(map(str, sorted(counts))) or '–'} | {k} | " + " | ".join(cells) + " |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True)
    p.add_argument("--data", required=True, type=pathlib.Path)
    p.add_argument("--work", required=True, type=pathlib.Path)
    p.add_argument("--models", nargs="*", default=["extractive"])
    p.add_argument("--sets", nargs="*", default=list(SETS))
    p.add_argument("--strategies", nargs="*", default=STRATEGIES)
    p.add_argument("--passages", nargs="*", type=int, default=PASSAGES)
    p.add_argument("--questions", type=int, default=200, help="a set, for the extractive answers")
    p.add_argument("--model-questions", type=int, default=50, help="a set, for those of language models")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    measure(a)
    table(a)


if __name__ == "__main__":
    main()
