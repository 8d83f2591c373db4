"""Writes what Python makes of the stand-in models, for backend/rerank and
backend/embed.

    go run ./build/standin/write FOLDER
    python build/standin/reference_models.py FOLDER DATA

DATA holds the public evaluation sets. Needs the packages onnxruntime 1.27.0,
tokenizers and numpy. Every pair and every text is a run of its own. Writes

  backend/rerank/testdata/standin.pairs.json  pairs with the logit of each model
  backend/rerank/testdata/MODEL.logits        of 500 pairs of the sets, as float32
  backend/rerank/testdata/standin.marks.json  texts with each token of the answer and its
                                              probabilities
  backend/embed/testdata/standin.texts.json   texts with the vectors of each model

Nothing of the sets' texts is in the output: pair i is question i·STEP of a set
with document i·STEP mod the number of documents.
"""

import json
import pathlib
import sys

import numpy
import onnxruntime
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).parents[2]
RERANKERS = [
    ("bert-reranker", "model"),
    ("xlmr-reranker", "model"),
    ("xlmr-reranker", "model_fp16"),
    ("xlmr-reranker", "model_quantized"),
    ("xlmr-external", "model"),
]
EMBEDDERS = [
    ("e5-embedder", "model", "mean", 64, "query: ", "passage: "),
    ("e5-embedder", "model_qint8", "mean", 64, "query: ", "passage: "),
    ("m3-embedder", "model", "cls", 64, "", ""),
    ("bert-embedder", "model", "cls", 128, "", ""),
]
PAIRS = [
    ("北京是哪个国家的首都？", "北京是中国的首都，历史文化名城。"),
    ("年假有几天", "员工每年享有十天年假。"),
    ("What is retrieval?", "A retrieval model searches documents for an answer to the question."),
    ("contract", "The company signed the report."),
    ("", "passage without a query"),
    ("query without a passage", ""),
    ("😀 rare 𠮷 한국어", "العربية \u0000 control \ufffd"),
    ("长问题" * 60, "短文"),
    ("短", "长文章，没有尽头。" * 80),
    ("Which policy?", "employee leave policy " * 60),
]
TEXTS = [
    "北京是中国的首都。",
    "What is the policy on leave?",
    "",
    "Offline retrieval, 离线检索",
    "長い文章" * 60,
    "a much longer text about documents and models " * 20,
    "😀 𠮷",
]
MARKS = [
    ("Summarize the following text:\nEmployees have ten days of leave.\noutput:", "Employees have 25 days of leave."),
    ("What is retrieval?\n\n  passage 1: it's a search", "It's a search; isn't it?"),
    ("北京是中国的首都。", "首都是北京 e\u0301 [MASK] 😀"),
]
COUNT = 500


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    return onnxruntime.InferenceSession(str(path), options)


def tokenizer(folder):
    path = folder / "tokenizer.json"
    if path.exists():
        tok = Tokenizer.from_file(str(path))
    else:  # the rules that transformers gives to a sentencepiece model
        f = json.loads((folder.parent / "xlmr-reranker" / "tokenizer.json").read_text(encoding="utf-8"))
        f["normalizer"] = {
            "type": "Sequence",
            "normalizers": [
                f["normalizer"],
                {"type": "Strip", "strip_left": False, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"},
            ],
        }
        f["pre_tokenizer"] = f["decoder"]
        f["model"]["vocab"] = [[p, float(numpy.float32(s))] for p, s in f["model"]["vocab"]]
        tok = Tokenizer.from_str(json.dumps(f))
    tok.no_padding()
    return tok


def feed(run, e):
    x = numpy.array([e.ids], dtype=numpy.int64)
    all = {"input_ids": x, "attention_mask": x * 0 + 1, "token_type_ids": numpy.array([e.type_ids], dtype=numpy.int64)}
    return {i.name: all[i.name] for i in run.get_inputs()}


def pair(tok, query, passage, limit):
    """Cuts as the program does: the passage, unless the query leaves it too little."""
    specials = tok.num_special_tokens_to_add(True)
    tok.no_truncation()
    count = lambda s: len(tok.encode(s, add_special_tokens=False).ids)
    q, p, room = count(query), count(passage), limit - specials
    kept = min(p, 64, room // 2)
    if q > room - kept:
        end = tok.encode(query, add_special_tokens=False).offsets[room - kept - 1][1]
        query = query[:end]
        assert count(query) == room - kept
    tok.enable_truncation(limit, strategy="only_second")
    return tok.encode(query, passage)


def set_pairs(data):
    out = []
    for name in ["xquad_zh_en", "cmrc2018"]:
        read = lambda file: [json.loads(l) for l in (data / name / file).read_text(encoding="utf-8").split("\n") if l]
        questions, documents = read("queries.jsonl"), read("corpus.jsonl")
        step = len(questions) // (COUNT // 2)
        for i in range(COUNT // 2):
            at = i * step
            out.append((questions[at]["question"], documents[at % len(documents)]["text"]))
    return out


def rerankers(folder, data):
    out = ROOT / "backend" / "rerank" / "testdata"
    out.mkdir(parents=True, exist_ok=True)
    rows = [{"query": q, "passage": p, "logits": {}} for q, p in PAIRS]
    sets = set_pairs(data)
    for name, file in RERANKERS:
        run, tok = session(folder / name / "onnx" / f"{file}.onnx"), tokenizer(folder / name)
        limit = 128 if name == "bert-reranker" else 126
        logit = lambda q, p: float(run.run(["logits"], feed(run, pair(tok, q, p, limit)))[0][0][0])
        for row in rows:
            row["logits"][f"{name}/{file}"] = logit(row["query"], row["passage"])
        values = numpy.array([logit(q, p) for q, p in sets], dtype="<f4")
        (out / f"{name}.{file}.logits").write_bytes(values.tobytes())
        print(name, file, len(values), "pairs", values.min(), values.max(), values.std())
    write(out / "standin.pairs.json", rows)


def marks(folder):
    run, tok = session(folder / "token-classifier" / "onnx" / "model.onnx"), tokenizer(folder / "token-classifier")
    rows = []
    for before, after in MARKS:
        e = tok.encode(before, after)
        logits = run.run(["logits"], feed(run, e))[0][0].astype(numpy.float64)
        shares = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        own = [i for i, s in enumerate(e.sequence_ids) if s == 1]
        rows.append({"before": before, "after": after, "ids": [e.ids[i] for i in own], "shares": shares[own].round(6).tolist()})
    write(ROOT / "backend" / "rerank" / "testdata" / "standin.marks.json", rows)


def embedders(folder):
    rows = [{"text": t, "documents": {}, "queries": {}} for t in TEXTS]
    for name, file, pooling, limit, query, document in EMBEDDERS:
        run, tok = session(folder / name / "onnx" / f"{file}.onnx"), tokenizer(folder / name)
        tok.enable_truncation(limit)
        output = run.get_outputs()[0].name
        for row in rows:
            for role, prefix in ("queries", query), ("documents", document):
                x = run.run([output], feed(run, tok.encode(prefix + row["text"])))[0][0].astype(numpy.float64)
                v = x[0] if pooling == "cls" else x.mean(axis=0)
                row[role][f"{name}/{file}"] = [round(float(c), 7) for c in v / numpy.linalg.norm(v)]
    write(ROOT / "backend" / "embed" / "testdata" / "standin.texts.json", rows)


def write(path, rows):
    lines = ",\n".join(json.dumps(r, separators=(",", ":"), ensure_ascii=False) for r in rows)
    path.write_text("[\n" + lines + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    rerankers(*map(pathlib.Path, sys.argv[1:]))
    marks(pathlib.Path(sys.argv[1]))
    embedders(pathlib.Path(sys.argv[1]))
