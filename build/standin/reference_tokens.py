"""Writes what the reference tokenizers make of texts, for Unigram tokenizers.

    python build/standin/reference_tokens.py DATA FOLDER ASSETS

DATA holds the public evaluation sets, FOLDER is what xlmr.py wrote, ASSETS is
the folder that the program unpacks its models into. Needs the packages tokenizers
and numpy. Writes into backend/tokenize/testdata the files
that build/fixtures/tokens.py describes, for the names

  xlmr        the tokenizer.json
  xlmr-spm    the rules that transformers gives to a sentencepiece model
  xlmr-trap   the rules of a tokenizer.json with every option that is read

further sets for the WordPiece tokenizers, and NAME.pairs.json: what a query and a
passage become under limits that cut the passage alone.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fixtures"))
import tokens  # noqa: E402
import xlmr  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

MORE = ["scifact", "clapnq"]
TEXTS = tokens.TEXTS + [
    "  two  blanks   three    four  ",
    "\r\n\r\na\r\nb",
    "A\u030a e\u0301 e\u0301\u0323 a\ufe0f 1\ufe0f\u20e3 \u00a9\u200d\u2122 \u00a9\ufe0f\u200d\u2122",
    "\u0600a \u0600\u1100\u1161 \U000110bda \u0915\u094d\u0937",
    "</s> <mask>a  <mask> <unk><pad>b <s> < mask>",
    "\u2581\u2581under \u2581score\u2581 x\u2581",
    "ﷺ ㌀ ½ ① Ａｂ ｱｲ ﬁ ĳ ſ … ‥ ㊙",
    "\u200b\u200c\u200d\u2060\ufeff zero",
    "مرحبا بالعالم، كيف حالك؟",
    "안녕하세요 세계 각 \u1100\u1161\u11a8",
    "𠮷野家 𪚥 𫝆 㐀 龘 䶮 犇骉羴",
    "👩\u200d👩\u200d👧 🇨🇳 🏳\ufe0f\u200d🌈 😀😀😀",
    "abc\x00def \x01\x02 \x7f \x85 \ufffd",
    "x" * 300,
    "字" * 300,
    "\u0e01\u0e33 \u0e19\u0e49\u0e33 ภาษาไทย",
    "e\u0301\u0301\u0301\u0301 a\u0300\u0316\u0317",
    "ab<T>cd [X] <t>",
]


PAIRS = [
    ("北京的首都？", "北京是中国的首都。", 512),
    ("What is RAG?", "Retrieval augmented generation answers from documents. " * 40, 64),
    ("年假有几天", "员工每年享有十天年假，满五年后为十五天。" * 40, 128),
    ("query", "", 16),
    ("", "passage", 16),
    ("exact", "fits", 512),
]


def pairs(name, tok):
    """Writes what the tokenizer makes of PAIRS."""
    rows = []
    for query, passage, limit in PAIRS:
        tok.enable_truncation(limit, strategy="only_second")
        e = tok.encode(query, passage)
        row = {"query": query, "passage": passage, "limit": limit, "ids": e.ids, "types": e.type_ids}
        rows.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    tok.no_truncation()
    (tokens.OUT / f"{name}.pairs.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def digests(name, encode, data, sets):
    for s in sets:
        got = [tokens.digest(encode(t).ids) for t in tokens.set_texts(data / s)]
        (tokens.OUT / f"{name}.{s}.digests").write_bytes(b"".join(got))
        print(name, s, len(got), "texts")


def word_pieces(data, assets):
    for name in tokens.NAMES:
        tok = Tokenizer.from_file(str(next(assets.rglob(f"*{name}-tokenizer.json"))))
        if name in tokens.LOWERCASE:
            tok.normalizer = tokens.BertNormalizer(lowercase=True)
        tok.no_truncation()
        tok.no_padding()
        digests(name, lambda t: tok.encode(t, add_special_tokens=False), data, MORE)
        pairs(name, tok)


def main(data, folder, assets):
    word_pieces(data, assets)
    raw = (folder / "tokenizer.json").read_text(encoding="utf-8")
    for name in ["xlmr", "xlmr-spm", "xlmr-trap"]:
        tok = Tokenizer.from_str(json.dumps(xlmr.variant(raw, name), ensure_ascii=False))

        def encode(s):
            return tok.encode(s, add_special_tokens=False)

        cases = [json.dumps({"text": t, "ids": encode(t).ids}, separators=(",", ":")) for t in TEXTS]
        (tokens.OUT / f"{name}.texts.json").write_text("[\n" + ",\n".join(cases) + "\n]\n")
        points = b"".join(tokens.digest(encode("".join(tokens.block(b))).ids) for b in range(0x1100))
        (tokens.OUT / f"{name}.points").write_bytes(points)
        digests(name, encode, data, tokens.SETS + MORE if name == "xlmr" else ["xquad_zh_en"])
        if name == "xlmr":
            pairs(name, tok)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
