#!/usr/bin/env bash
# Fuzzes every parser for a while each: build/fuzz.sh [10s]. A crash or a hang
# fails, and leaves its input under testdata/fuzz of its package.
set -eu
cd "$(dirname "$0")/.."
time=${1:-10s}
grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' backend/parse | sed 's/:[0-9]*:func / /' | sort | while read -r file name; do
	package=./$(dirname "$file")
	printf '%s %s: ' "$package" "$name"
	if ! out=$(go test -tags headless -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 1x -parallel 2 "$package" 2>&1); then
		# Go's fuzzer sometimes ends with this error when its time is up in the middle of an input, and nothing is wrong; a crash or a
		# hang leaves its input and says so.
		if ! printf '%s' "$out" | grep -q 'context deadline exceeded' || printf '%s' "$out" | grep -qE 'Failing input|panic|hung or terminated'; then
			printf 'failed\n%s\n' "$out"
			exit 1
		fi
	fi
	printf '%s\n' "$out" | grep -o 'execs: [0-9]*' | tail -1
done
