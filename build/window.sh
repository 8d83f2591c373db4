#!/usr/bin/env bash
# Opens the desktop window on a virtual screen and uses it as a hand would: asks a
# question, saves the answer through the system's dialog, drops a file, closes it.
# window.sh PROGRAM SCREENSHOT.png
set -eu
program=$(readlink -f "$1")
headless=$(dirname "$program")/ragdesk-headless
shot=$(readlink -f "$(dirname "$2")")/$(basename "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RAGDESK_WORKSPACE=$work/workspace XDG_DATA_HOME=$work/data LANG=C.UTF-8
export WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_DMABUF_RENDERER=1 GDK_BACKEND=x11
"$headless" demo --out "$work/demo" >/dev/null
# shellcheck disable=SC2046 # flags are words
cc -o "$work/hand" "$(dirname "$0")/window/hand.c" $(pkg-config --cflags --libs gtk+-3.0) -lX11
printf '# Parrots\n\nThe parrot of the office is fed at noon.\n' >"$work/parrot.md"
cat >"$work/session" <<'S'
#!/usr/bin/env bash
set -eu
program=$1 headless=$2 work=$3 shot=$4
fail() { echo "$1" >&2; import -window root "$shot"; kill "$window" 2>/dev/null; exit 1; }
# until_true WHAT COMMAND…: waits a minute at most for COMMAND to succeed.
until_true() {
	local what=$1
	shift
	for _ in $(seq 120); do
		kill -0 "$window" 2>/dev/null || { echo "the window closed by itself" >&2; exit 1; }
		"$@" >/dev/null 2>&1 && return
		sleep 0.5
	done
	fail "$what"
}
coloured() { import -window root "$shot" && [ "$(identify -format '%k' "$shot")" -gt 40 ]; }
click() { xdotool mousemove "$1" "$2" click 1; }
named() { xdotool search --onlyvisible --name "$1"; }
# export_answer asks, and picks JSON in the menu of exports, until the dialog is there:
# what is typed into a window that does not listen yet is lost.
export_answer() {
	named compare-sample.json || {
		xdotool windowfocus "$id"
		click 690 34
		xdotool key ctrl+a
		xdotool type --delay 40 "How long are audit logs kept?"
		xdotool key Return
		sleep 4
		click 1125 79
		sleep 1
		click 1060 196
		sleep 2
		named compare-sample.json
	}
}
# save_answer writes the place into the dialog, which may not listen at once.
save_answer() {
	saved || {
		sleep 3
		click 700 15
		xdotool windowfocus "$(named compare-sample.json | tail -1)"
		sleep 1
		xdotool key ctrl+a
		xdotool type --delay 30 "$work/answer.json"
		xdotool key Return
		sleep 3
		saved
	}
}
saved() { grep -q data-retention.md "$work/answer.json"; }
# The Library shows the first library, which takes what is dropped there.
held() { "$headless" docs list --kb classic --json | grep -q parrot.md; }
gone() { ! kill -0 "$window"; }

"$program" &
window=$!
until_true "the window stayed blank" coloured
sleep 2
id=$(named ragdesk | tail -1)
until_true "no dialog to save an answer" export_answer
until_true "the answer was not saved" save_answer
grep -q '"query": "How long are audit logs kept?"' "$work/answer.json"
import -window root "$shot"
xdotool windowfocus "$id"
click 35 185 # Library
sleep 3
"$work/hand" drag "$work/parrot.md" 640 500
until_true "the dropped file is not in the library" held
children=$(pgrep -P "$window" -d ' ')
pgrep -P "$window" -f parse-serve >/dev/null || fail "the window reads without its parser"
"$work/hand" close "$id"
for _ in $(seq 40); do gone 2>/dev/null && break; sleep 0.5; done
gone 2>/dev/null || fail "the window does not close"
wait "$window" || true
sleep 1
# shellcheck disable=SC2086 # a list of processes
for child in $children; do ! kill -0 "$child" 2>/dev/null || { echo "process $child outlived the window" >&2; exit 1; }; done
echo "the window answers, saves, takes a dropped file and closes with its $(wc -w <<<"$children") processes; $(identify -format '%k colours at %wx%h' "$shot")"
S
chmod +x "$work/session"
xvfb-run -a -s '-screen 0 1280x800x24' dbus-run-session -- "$work/session" "$program" "$headless" "$work" "$shot"
! pgrep -f "^$program" >/dev/null || { echo "a process of the window lives on" >&2; exit 1; }
