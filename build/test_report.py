"""Prints the outcome of `go test -json`: failures with their output, every
skip, and a count. A skipped or absent test of the must-run list fails; a line of
it that begins with a variable's name counts only where that is set.

    python3 build/test_report.py go.json must-run.txt
"""
import json
import os
import sys


def main(log, must_run):
    results, output, broken = {}, {}, []
    for line in open(log, encoding="utf-8"):
        try:
            event = json.loads(line)
        except ValueError:
            print(line, end="")
            continue
        name = (event.get("Package", ""), event.get("Test"))
        if event["Action"] == "output":
            output.setdefault(name, []).append(event["Output"])
        elif event["Action"] in ("pass", "fail", "skip"):
            results[name] = event["Action"]
        elif event["Action"] == "build-output":
            print(event["Output"], end="")
    for name in sorted(results, key=str):
        if results[name] == "fail":
            print("".join(output.get(name, [])), end="")
            broken.append(name)
    tests = {n: r for n, r in results.items() if n[1]}
    skipped = sorted(n for n, r in tests.items() if r == "skip")
    if skipped:
        print("skipped:")
    for package, test in skipped:
        why = [l.strip() for l in output.get((package, test), []) if not l.startswith(("=== ", "--- "))]
        print(f"  {package} {test}: {' '.join(why)}")
    wanted = {l.strip() for l in open(must_run, encoding="utf-8") if l.strip() and not l.startswith("#")}
    for w in sorted(wanted):
        *variable, package, test = w.split()
        if variable and not os.environ.get(variable[0]):
            continue
        if tests.get((package, test)) != "pass":
            print(f"must run and pass, but {tests.get((package, test), 'is absent')}: {w}")
            broken.append((package, test))
    count = {r: sum(1 for v in tests.values() if v == r) for r in ("pass", "fail", "skip")}
    print(f"{count['pass']} passed, {count['fail']} failed, {count['skip']} skipped")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
