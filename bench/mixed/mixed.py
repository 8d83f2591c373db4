"""Ingests a folder of many kinds of files and a long PDF, interrupted once.

    python3 bench/mixed/mixed.py --program build/bin/ragdesk-headless [--files 2000] [--pages 500]

Writes the folder, starts an ingestion, interrupts it as Ctrl-C does, checks the library, and starts it again. Printed are
the statuses of both runs, how many files the second found finished, and the greatest resident memory of the program and
its parser together.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

WORDS = ("水泵 阀门 压力 检修 记录 更换 滤芯 密封 每周 之前 之后 运行 机器 负荷 报告 泄漏 维护 立即 人员 制度 年假 报销 审批 合同 付款 验收 "
         "pump valve pressure inspect record replace filter seal weekly machine load report leak maintenance policy leave approval").split()


def prose(rng, n):
    out = []
    for i in range(n):
        out.append(rng.choice(WORDS))
        if i % 17 == 16:
            out.append("。\n")
    return "".join(w if ord(w[0]) > 127 or w[0] == "。" else f" {w} " for w in out)


def docx(path, text):
    body = "".join(f"<w:p><w:r><w:t>{p}</w:t></w:r></w:p>" for p in text.split("\n") if p)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                   '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
        z.writestr("_rels/.rels", '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                   '<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>')
        z.writestr("word/document.xml", '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
                   f"<w:body>{body}</w:body></w:document>")


def pdf(path, rng, pages):
    """A PDF of running English text, one standard font."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", None, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for n in range(pages):
        lines = []
        for i in range(40):
            line = " ".join(rng.choice(WORDS[25:]) for _ in range(9))
            lines.append(f"BT /F1 11 Tf 60 {780 - 17 * i} Td ({line}) Tj ET")
        stream = "\n".join(lines + [f"BT /F1 9 Tf 290 30 Td ({n + 1}) Tj ET"])
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {pages} /Kids [{' '.join(kids)}] >>"
    out, offsets = b"%PDF-1.4\n", []
    for i, o in enumerate(objects):
        offsets.append(len(out))
        out += f"{i + 1} 0 obj\n{o}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{o:010d} 00000 n \n".encode() for o in offsets)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    path.write_bytes(out)


def write(folder, files, pages):
    rng = random.Random(1)
    kinds = ["txt", "gbk", "md", "html", "csv", "json", "jsonl", "xml", "py", "docx", "eml", "zip", "pdf", "rtf"]
    for i in range(files):
        kind, text = kinds[i % len(kinds)], f"文件 {i}\n" + prose(rng, 60)
        path = folder / f"d{i % 40:02d}" / f"f{i:04d}.{'txt' if kind == 'gbk' else kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "docx":
            docx(path, text)
        elif kind == "pdf":
            pdf(path, rng, 2)
        elif kind == "zip":
            with zipfile.ZipFile(path, "w") as z:
                z.writestr("a.txt", text)
                z.writestr("目录/b.md", "# 标题\n\n" + text)
        else:
            body = {
                "gbk": text, "txt": text, "md": f"# 标题 {i}\n\n{text}\n\n| a | b |\n| --- | --- |\n| {i} | 2 |\n",
                "html": f"<html><head><title>{i}</title></head><body><h1>标题</h1><p>{text}</p></body></html>",
                "csv": "编号,名称\n" + "\n".join(f"{i}-{j},{rng.choice(WORDS)}" for j in range(20)),
                "json": json.dumps({"id": i, "text": text}, ensure_ascii=False),
                "jsonl": "\n".join(json.dumps({"id": j, "w": rng.choice(WORDS)}, ensure_ascii=False) for j in range(10)),
                "xml": f"<doc><title>{i}</title><p>{text}</p></doc>", "py": f"def f{i}(x):\n    \"\"\"{text[:40]}\"\"\"\n    return x + {i}\n",
                "eml": f"Subject: {i}\nFrom: a@example.org\nContent-Type: text/plain; charset=utf-8\n\n{text}",
                "rtf": "{\\rtf1\\ansi file " + str(i) + " " + " ".join(WORDS[25:]) + "}",
            }[kind]
            path.write_bytes(body.encode("gb18030" if kind == "gbk" else "utf-8"))
    pdf(folder / "z-book.pdf", rng, pages)


def resident(pid):
    """Resident memory in MiB of a process and its children."""
    total = 0
    todo = [pid]
    while todo:
        p = todo.pop()
        try:
            status = pathlib.Path(f"/proc/{p}/status").read_text()
            total += next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
            for task in pathlib.Path(f"/proc/{p}/task").iterdir():
                todo += [int(c) for c in (task / "children").read_text().split()]
        except (OSError, StopIteration):
            continue
    return total / 1024


def ingest(program, workspace, folder, interrupt=None):
    p = subprocess.Popen([program, "--workspace", str(workspace), "--json", "ingest", "--kb", "mixed", str(folder)],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peak, out = 0.0, []
    reader = threading.Thread(target=lambda: out.append(p.stdout.read()))
    reader.start()
    start = time.time()
    while p.poll() is None:
        peak = max(peak, resident(p.pid))
        if interrupt and time.time() - start > interrupt:
            p.send_signal(signal.SIGINT)
            interrupt = None
        time.sleep(0.05)
    reader.join()
    return p.returncode, json.loads(out[0]), peak, time.time() - start


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--program", required=True)
    a.add_argument("--files", type=int, default=2000)
    a.add_argument("--pages", type=int, default=500)
    a.add_argument("--interrupt", type=float, default=40, help="seconds after which the first run is interrupted")
    a = a.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder, workspace = pathlib.Path(work, "docs"), pathlib.Path(work, "ws")
        folder.mkdir()
        write(folder, a.files, a.pages)
        code, _, peak, took = ingest(a.program, workspace, folder, a.interrupt)
        kept = json.loads(subprocess.run([a.program, "--workspace", str(workspace), "--json", "docs", "list", "--kb", "mixed"],
                                         stdout=subprocess.PIPE, check=True).stdout)["summary"]["totals"]
        print(f"interrupted after {took:.0f} s: exit {code}, {peak:.0f} MiB, the library holds {kept}")
        sound = subprocess.run([a.program, "--workspace", str(workspace), "doctor"], stdout=subprocess.DEVNULL).returncode
        print(f"doctor: exit {sound}")
        code, report, peak, took = ingest(a.program, workspace, folder)
        print(f"again: exit {code}, {took:.0f} s, {peak:.0f} MiB, {report['totals']}")
        if sound != 0 or code != 0 or peak > 1024 or report["totals"].get("failed"):
            for d in report["documents"]:
                if d["error"]:
                    print(d["source"], d["error"]["message"])
            sys.exit(1)


if __name__ == "__main__":
    main()
