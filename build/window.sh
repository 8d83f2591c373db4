#!/usr/bin/env bash
# Opens the desktop window on a virtual screen and uses it as a hand would: asks a
# question, saves the answer through the system's dialog, has a language model write,
# drops a file, and closes it while the model is still writing.
# window.sh PROGRAM SCREENSHOT.png
set -eu
program=$(readlink -f "$1")
headless=$(dirname "$program")/ragdesk-headless
shot=$(readlink -f "$(dirname "$2")")/$(basename "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RAGDESK_WORKSPACE=$work/workspace XDG_DATA_HOME=$work/data LANG=C.UTF-8
# An Ollama of the user's own is none of this test's business.
export OLLAMA_HOST=127.0.0.1:1 RAGDESK_LLM_HOST=
export WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_DMABUF_RENDERER=1 GDK_BACKEND=x11
"$headless" demo --out "$work/demo" >/dev/null
model=$(find "$(dirname "$0")/cache/assets" ${RAGDESK_ASSET_CACHE:+"$RAGDESK_ASSET_CACHE"} -name '*smollm2-135m-instruct-q4_1.gguf' | head -1)
[ -n "$model" ] || { echo "make assets OPTIONAL=1 fetches the chat model of the tests" >&2; exit 1; }
"$headless" models import "$model" >/dev/null
# shellcheck disable=SC2046 # flags are words
cc -o "$work/hand" "$(dirname "$0")/window/hand.c" $(pkg-config --cflags --libs gtk+-3.0) -lX11
printf '# Parrots\n\nThe parrot of the office is fed at noon.\n' >"$work/parrot.md"
cat >"$work/session" <<'S'
#!/usr/bin/env bash
set -eu
program=$1 headless=$2 work=$3 shot=$4
fail() { echo "$1" >&2; import -window root "$shot"; kill "$window" 2>/dev/null; exit 1; }
# until_true WHAT COMMAND…: waits a minute at most for COMMAND to succeed, or $tries times half a second.
until_true() {
	local what=$1
	shift
	for _ in $(seq "${tries:-120}"); do
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
# ask_model chooses the small model for the answers and asks; four columns keep it writing for a while.
ask_model() {
	writing || {
		xdotool windowfocus "$id"
		click 609 79 # Answers
		sleep 2
		click 760 79 # by whom
		sleep 1
		xdotool type --delay 40 smol
		sleep 1
		xdotool key Return
		click 690 34
		xdotool key ctrl+a
		xdotool type --delay 40 "What may a customer expect when a search is slow?"
		xdotool key Return
		sleep 10
		writing
	}
}
writing() { pgrep -f "^$program runner "; }
replied() { find "$RAGDESK_WORKSPACE/replies" -type f | grep -q .; }
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
until_true "the window does not ask the model" ask_model
tries=600 until_true "the model has written nothing" replied
click 35 185 # Library
sleep 3
"$work/hand" drag "$work/parrot.md" 640 500
until_true "the dropped file is not in the library" held
children=$(pgrep -P "$window" -d ' ')
pgrep -P "$window" -f parse-serve >/dev/null || fail "the window reads without its parser"
pgrep -P "$window" -f engine-serve >/dev/null || fail "the model is not the window's own"
children+=" $(pgrep -f "^$program runner " -d ' ')" || fail "the model has ended before the window is closed"
"$work/hand" close "$id"
for _ in $(seq 40); do gone 2>/dev/null && break; sleep 0.5; done
gone 2>/dev/null || fail "the window does not close"
wait "$window" || true
# left prints the children that are still there; a model stops in the middle of a word, and may take a moment.
left() {
	# shellcheck disable=SC2086 # a list of processes
	for child in $children; do ps -o pid=,stat=,args= -p "$child" || true; done | awk '$2 !~ /^Z/' # what has ended and was not asked how is gone
}
for _ in $(seq 20); do [ -n "$(left)" ] || break; sleep 0.5; done
[ -z "$(left)" ] || { echo "outlived the window: $(left | cut -c1-200)" >&2; exit 1; }
echo "the window answers, saves, has a model write, takes a dropped file and closes with its $(wc -w <<<"$children") processes; $(identify -format '%k colours at %wx%h' "$shot")"
S
chmod +x "$work/session"
xvfb-run -a -s '-screen 0 1280x800x24' dbus-run-session -- "$work/session" "$program" "$headless" "$work" "$shot"
! pgrep -fa "^$program " || { echo "a process of the window lives on" >&2; exit 1; }
