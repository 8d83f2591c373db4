"""Times scoring 1,000 queries x 1,000 documents against pytrec_eval, whole process, one core each.

    go build -o /tmp/score ./bench/score
    python -m venv .venv && .venv/bin/pip install pytrec-eval-terrier==0.5.11
    .venv/bin/python bench/score/compare.py /tmp/score

Both programs are pinned to one and the same core and run in turns. The ratio is
of processor seconds, so that other work on the machine matters less; wall
seconds are shown beside it. "evaluate alone" leaves out the Python program's
start and its reading of the files, which ours always includes. A command that
takes --qrels, --run, --metrics and --dialect may be given instead:

    .venv/bin/python bench/score/compare.py build/bin/ragdesk-headless score
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "build/fixtures/trec"))
from pairs import large_pair  # noqa: E402

MEASURES = {
    "MAP": "map", "MRR": "recip_rank", "P@10": "P_10", "Recall@100": "recall_100",
    "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "Hit@5": "success_5",
}
ROUNDS = 5

PYTREC = """
import json, sys, time, pytrec_eval
measures = json.loads(sys.argv[3])
with open(sys.argv[1]) as f: qrels = pytrec_eval.parse_qrel(f)
with open(sys.argv[2]) as f: run = pytrec_eval.parse_run(f)
start = time.process_time()
values = pytrec_eval.RelevanceEvaluator(qrels, set(measures.values())).evaluate(run)
seconds = time.process_time() - start
means = {ours: sum(v[theirs] for v in values.values()) / len(qrels) for ours, theirs in measures.items()}
print(json.dumps({"metrics": means, "evaluate": seconds}))
"""


def timed(command):
    """Runs command on core 0: its JSON, its processor seconds, its wall seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {0}))
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), cpu, wall


def compare(ours, theirs, label):
    rows = {"ours": [], "pytrec": []}
    for _ in range(ROUNDS):
        mine, *seconds = timed(ours)
        rows["ours"].append(seconds)
        other, *seconds = timed(theirs)
        rows["pytrec"].append(seconds + [other["evaluate"]])
    worst = max(abs(mine["metrics"][m] - other["metrics"][m]) for m in MEASURES)
    ours_cpu, ours_wall = (statistics.median(c) for c in zip(*rows["ours"]))
    cpu, wall, evaluate = (statistics.median(c) for c in zip(*rows["pytrec"]))
    print("%s: ours %.3f s cpu, %.3f s wall; pytrec_eval %.3f s cpu, %.3f s wall, evaluate alone %.3f s"
          % (label, ours_cpu, ours_wall, cpu, wall, evaluate))
    print("%s: ratio %.1f whole process, %.1f against evaluate alone; largest difference of a mean %.1e"
          % (label, cpu / ours_cpu, evaluate / ours_cpu, worst))


def main():
    program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for label, size in (("1000 x 1000", {}), ("10 x 20", {"queries": 10, "depth": 20, "judged": 5})):
            paths = []
            for name, text in zip(("qrels", "run"), large_pair(**size)):
                paths.append(os.path.join(folder, name))
                with open(paths[-1], "w", encoding="utf-8") as out:
                    out.write(text)
            names = ",".join(MEASURES)
            ours = program + (paths + [names] if len(program) == 1 else [
                "--qrels", paths[0], "--run", paths[1], "--metrics", names, "--dialect", "trec", "--json"])
            compare(ours, [sys.executable, "-c", PYTREC, *paths, json.dumps(MEASURES)], label)


if __name__ == "__main__":
    main()
