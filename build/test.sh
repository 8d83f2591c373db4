#!/usr/bin/env bash
# All tests, in the order in which a failure is cheapest to find. Prints what was
# skipped; a skip of a test on the must-run list fails.
set -eu
cd "$(dirname "$0")/.."
step() { printf '\n== %s (%s)\n' "$1" "$(date +%T)"; }
out=build/cache/test
rm -rf "$out" && mkdir -p "$out"

step "format"
unformatted=$(gofmt -l backend build bench ./*.go)
[ -z "$unformatted" ] || { echo "gofmt these: $unformatted"; exit 1; }

step "lint, layers included"
go tool -modfile=build/tools/go.mod golangci-lint run ./...

step "page: types, lint, unit tests"
(cd frontend && npm run check && npm test)

step "Go tests"
export RAGDESK_BIN="$PWD/build/bin/ragdesk-headless"
status=0
go test -tags headless -timeout 20m -json ./... >"$out/go.json" || status=$?
python3 build/test_report.py "$out/go.json" build/must-run.txt || status=1
[ $status = 0 ] || exit $status

step "parsers fuzzed"
build/fuzz.sh "${FUZZTIME:-10s}"

step "page in a browser"
(cd frontend && npm run e2e)

step "window under Xvfb"
build/window.sh build/bin/ragdesk "$out/window.png"

step "offline"
build/offline.sh "$RAGDESK_BIN"

echo
echo "all steps passed"
