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
# Without the chat models the tests of the engine are skipped, and the must-run list fails.
go run ./build/assets -optional >"$out/assets.txt" || tail -n 3 "$out/assets.txt"
status=0
if [ "$(uname -s)" = Linux ]; then # where make builds the engine in
	export ENGINE=1
	[ "$(uname -m)" != x86_64 ] || export ENGINE_X86=1
fi
go test -tags headless -timeout 20m -json ./... >"$out/go.json" || status=$?
if [ -n "${ENGINE:-}" ]; then
	go test -p 1 -tags headless,engine -timeout 15m -json ./backend/llm/engine >>"$out/go.json" || status=$?
fi
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
