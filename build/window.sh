#!/usr/bin/env bash
# Opens the desktop window on a virtual screen and checks that it shows something:
# window.sh PROGRAM SCREENSHOT.png
set -eu
program=$(readlink -f "$1")
shot=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RAGDESK_WORKSPACE=$work/workspace WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_DMABUF_RENDERER=1 GDK_BACKEND=x11
RAGDESK_WORKSPACE=$work/workspace "$(dirname "$program")/ragdesk-headless" demo >/dev/null
cat >"$work/session" <<'S'
#!/usr/bin/env bash
set -eu
"$1" &
window=$!
shown=
for _ in $(seq 60); do
	sleep 1
	kill -0 $window 2>/dev/null || { echo "the window closed by itself" >&2; exit 1; }
	import -window root "$2"
	colours=$(identify -format '%k' "$2")
	if [ "$colours" -gt 40 ]; then shown=yes; sleep 2; import -window root "$2"; break; fi
done
kill $window
wait $window 2>/dev/null || true
[ -n "$shown" ] || { echo "the window stayed blank: $(identify -format '%k' "$2") colours" >&2; exit 1; }
echo "the window shows $(identify -format '%k colours at %wx%h' "$2")"
S
chmod +x "$work/session"
xvfb-run -a -s '-screen 0 1280x800x24' dbus-run-session -- "$work/session" "$program" "$shot"
! pgrep -f "^$program" >/dev/null || { echo "a process of the window lives on" >&2; exit 1; }
