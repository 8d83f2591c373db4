#!/usr/bin/env bash
# Installs the system packages a target needs: system.sh build|desktop|test.
# On Debian and its kin through apt, as root or with sudo; elsewhere it says what
# to install. `system.sh webkit-tag` prints the Go tag for the WebKitGTK at hand.
set -eu

need_commands() { # COMMAND…: those that are missing
	for c in "$@"; do command -v "$c" >/dev/null 2>&1 || printf '%s ' "$c"; done
}

have_webkit() { pkg-config --exists gtk+-3.0 2>/dev/null && { pkg-config --exists webkit2gtk-4.0 2>/dev/null || pkg-config --exists webkit2gtk-4.1 2>/dev/null; }; }

webkit_package() { # the development package this distribution has
	if apt-cache show libwebkit2gtk-4.0-dev >/dev/null 2>&1; then echo libwebkit2gtk-4.0-dev; else echo libwebkit2gtk-4.1-dev; fi
}

have_json() { echo '#include <nlohmann/json.hpp>' | g++ -E -x c++ - >/dev/null 2>&1; }

chromium_command() { need_commands chromium | grep -q . && need_commands chromium-browser | grep -q . && need_commands google-chrome | grep -q . && echo chromium || true; }

missing_packages() {
	local target=$1
	[ -z "$(need_commands gcc g++)" ] || echo build-essential
	have_json || echo nlohmann-json3-dev
	[ "$target" = build ] && return
	[ -z "$(need_commands pkg-config)" ] || echo pkg-config
	have_webkit || { echo libgtk-3-dev; webkit_package; }
	[ "$target" = desktop ] && return
	[ -z "$(need_commands Xvfb xauth)" ] || printf "xvfb\nxauth\n"
	[ -z "$(need_commands dbus-run-session)" ] || echo dbus
	[ -z "$(need_commands import)" ] || echo imagemagick
	[ -z "$(need_commands xdotool)" ] || echo xdotool
	[ -z "$(need_commands ip)" ] || echo iproute2
	[ -z "$(need_commands unshare)" ] || echo util-linux
	[ "$(uname -m)" != x86_64 ] || [ -z "$(need_commands qemu-x86_64)" ] || echo qemu-user
	[ -z "$(chromium_command)" ] || echo chromium
	fc-list 2>/dev/null | grep -qi 'noto.*cjk' || echo fonts-noto-cjk
}

case ${1:-} in
webkit-tag)
	if pkg-config --exists webkit2gtk-4.1 2>/dev/null && ! pkg-config --exists webkit2gtk-4.0 2>/dev/null; then echo ,webkit2_41; fi
	exit 0
	;;
build | desktop | test) ;;
*)
	echo "usage: system.sh build|desktop|test|webkit-tag" >&2
	exit 2
	;;
esac

for tool in go node npm; do
	command -v "$tool" >/dev/null 2>&1 || { echo "ragdesk needs $tool: install Go 1.26 and Node.js 20 or later first" >&2; exit 1; }
done

case $(uname -s) in
Linux) ;;
Darwin)
	command -v cc >/dev/null 2>&1 || { echo "install Apple's command line tools: xcode-select --install" >&2; exit 1; }
	exit 0
	;;
*) exit 0 ;; # Windows: gcc comes with MSYS2 or w64devkit, WebView2 with the system
esac

packages=$(missing_packages "$1" | sort -u | tr '\n' ' ')
[ -n "$packages" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
	echo "ragdesk needs these packages, named as on Debian; install them and run make again: $packages" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || { echo "as root: apt-get install -y $packages" >&2; exit 1; }
	sudo=sudo
fi
echo "installing system packages: $packages"
$sudo apt-get update -qq
packages=$(missing_packages "$1" | sort -u | tr '\n' ' ') # names can be told only after an update
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $packages >/dev/null
