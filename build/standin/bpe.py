"""Trains a small byte-level BPE vocabulary on the built-in libraries, and writes
what the reference tokenizers make of texts with it.

    python build/standin/bpe.py DATA

DATA holds the public evaluation sets. Needs the packages tokenizers and numpy.
Writes build/standin/bpe.json, a tokenizer.json with the rules of ModernBERT, which
stand-in models carry too, and into backend/tokenize/testdata the files that
build/fixtures/tokens.py describes, for the names

  bpe         these rules
  bpe-trap    every option that is read, see variant
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fixtures"))
import reference_tokens  # noqa: E402
import tokens  # noqa: E402
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
OUT = pathlib.Path(__file__).parent / "bpe.json"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
TEXTS = reference_tokens.TEXTS + [
    "it's we've I'm they'll he'd you're 'tis ''s 's's 'S 'LL",
    " leading, trailing ",
    "a  b   c    d     e\t\tf \n g\n\n\nh",
    "\u3000\u3000全角 空格\u3000\u3000",
    "def f(x):\n        return x\n\n\n    #  eight and four",
    "3.14159 12345 ½²③ Ⅷ ౧౨ 三百",
    "e\u0301\u0323 \u1100\u1161\u11a8 \u0958 \u2126\u212b ﬁ",
    "[CLS] inside [SEP] text  [MASK] x[MASK]",
    "ab<T>cd  <T>  e\u0301\u00e9 \u00e9\u00e9",
    "lower newer widest lowest lowing newest",
]


def trained():
    texts = sorted((ROOT / "backend" / "builtin").glob("*/**/*.*"))
    texts = [p.read_text(encoding="utf-8") for p in texts if p.suffix in (".md", ".txt") and "testdata" not in p.parts]
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2500, special_tokens=SPECIAL, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    tok.train_from_iterator(texts, trainer)
    tok.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
    tok.add_tokens([AddedToken(" " * n, normalized=True) for n in range(2, 9)])
    cls, sep = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]")
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return tok.to_str()


def variant(raw):
    """Returns the rules of RoBERTa with a blank before each text, with merges as pairs or
    lines, whichever raw has not, and more added tokens."""
    f = json.loads(raw)
    f["normalizer"] = None
    f["pre_tokenizer"]["add_prefix_space"] = True
    vocab = f["model"]["vocab"]
    f["post_processor"] = {
        "type": "RobertaProcessing", "sep": ["[SEP]", vocab["[SEP]"]], "cls": ["[CLS]", vocab["[CLS]"]],
        "trim_offsets": True, "add_prefix_space": True,
    }
    f["model"]["merges"] = [m.split(" ") if isinstance(m, str) else " ".join(m) for m in f["model"]["merges"]]
    f["model"]["ignore_merges"] = True
    # No pair makes this word, so that only a vocabulary that is asked first has it.
    vocab["\u0120widest"] = len(vocab)
    for token in f["added_tokens"]:
        token["id"] += int(token["id"] >= vocab["\u0120widest"])
    last = f["added_tokens"][-1]["id"]
    f["added_tokens"] += [
        {"id": last + 1, "content": "<T>", "single_word": False, "lstrip": False, "rstrip": True, "normalized": True, "special": False},
        {"id": last + 2, "content": "e\u0301", "single_word": False, "lstrip": True, "rstrip": True, "normalized": False, "special": False},
    ]
    return json.dumps(f, ensure_ascii=False)


def fixtures(name, raw, data, sets):
    tok = Tokenizer.from_str(raw)

    def encode(s):
        return tok.encode(s, add_special_tokens=False)

    cases = [json.dumps({"text": t, "ids": encode(t).ids}, separators=(",", ":")) for t in TEXTS]
    (tokens.OUT / f"{name}.texts.json").write_text("[\n" + ",\n".join(cases) + "\n]\n")
    points = b"".join(tokens.digest(encode("".join(tokens.block(b))).ids) for b in range(0x1100))
    (tokens.OUT / f"{name}.points").write_bytes(points)
    reference_tokens.digests(name, encode, data, sets)
    reference_tokens.pairs(name, tok)


def main(data):
    raw = trained()
    OUT.write_text(json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    trap = variant(raw)
    (tokens.OUT / "bpe-trap.tokenizer.json").write_text(trap + "\n", encoding="utf-8")
    fixtures("bpe", raw, data, tokens.SETS + reference_tokens.MORE)
    fixtures("bpe-trap", trap, data, ["xquad_zh_en"])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
