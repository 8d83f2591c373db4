"""How fast the Python package tokenizers cuts the public sets, on one core.

    taskset -c 0 python3 bench/tokens/tokens.py --data $EVAL_DATA
    EVAL_DATA=… taskset -c 0 go test ./backend/tokenize -run '^$' -bench 'BPE|Tokens|Unigram' -cpu 1

The second command prints the same figures, Mtokens/s, for ours. Tokenizers are those of the bundled models and of the
stand-ins (build/standin/xlmr.py makes the Unigram one); a text a call, the best of five turns.
"""
import argparse
import json
import os
import pathlib
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

TOKENIZERS = {
    "BPE": ("build/standin/bpe.json", ["cmrc2018", "scifact"]),
    "Tokens/all-MiniLM-L6-v2": ("build/cache/assets/*-all-MiniLM-L6-v2-tokenizer.json", ["cmrc2018", "xquad_zh_en"]),
    "Tokens/bge-small-zh-v1.5": ("build/cache/assets/*-bge-small-zh-v1.5-tokenizer.json", ["cmrc2018", "xquad_zh_en"]),
    "Unigram": ("build/cache/standin/xlmr/tokenizer.json", ["cmrc2018", "scifact"]),
}


def texts(data, name):
    out = []
    for file, key in (("corpus.jsonl", "text"), ("queries.jsonl", "question")):
        with open(data / name / file, encoding="utf-8") as f:
            out += [json.loads(line)[key] for line in f if line.strip()]
    return out


def speed(tokenizer, all_texts, turns=5):
    """The best rate of some turns, in tokens a second."""
    best = 0.0
    for _ in range(turns):
        start = time.perf_counter()
        n = sum(len(tokenizer.encode(text, add_special_tokens=False).ids) for text in all_texts)
        best = max(best, n / (time.perf_counter() - start))
    return best


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", required=True, type=pathlib.Path)
    a = p.parse_args()
    for name, (pattern, sets) in TOKENIZERS.items():
        found = sorted(pathlib.Path().glob(pattern))
        if not found:
            print(f"{name}: no {pattern}")
            continue
        tokenizer = Tokenizer.from_file(str(found[0]))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        for of in sets:
            print(f"{name}/{of}: {speed(tokenizer, texts(a.data, of)) / 1e6:.3f} Mtokens/s", flush=True)


if __name__ == "__main__":
    main()
