#!/usr/bin/env bash
# Runs the main job in a network namespace where nothing but loopback exists:
# offline.sh PROGRAM. Skips, and says so, where namespaces are not allowed.
set -eu
program=$(readlink -f "$1")
if ! unshare -n true 2>/dev/null; then
	echo "skipped: this machine does not allow network namespaces (unshare -n)"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RAGDESK_WORKSPACE=$work/workspace PROGRAM=$program WORK=$work
unshare -n bash -euo pipefail -c '
	ip link set lo up
	"$PROGRAM" demo --lang zh >"$WORK/demo.txt"
	for mark in ① ② ③; do test "$(grep -c "^$mark" "$WORK/demo.txt")" = 4; done
	printf "# Leave\n\nEvery employee has 12 days of leave.\n" >"$WORK/leave.md"
	"$PROGRAM" ingest --kb mine "$WORK/leave.md" >/dev/null
	"$PROGRAM" ask --kb mine "how many days of leave" | grep -q "12 days"
'
echo "demo, ingest and ask work without a network"
